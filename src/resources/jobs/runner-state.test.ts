import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { heartbeatOf, nextState, type RunnerEvent, type RunnerState, toJobEnding } from './runner-state.ts'

const JOB = { job_id: 'j-1', kind: 'verify', request: '{}', runner: 'c-1' }
const NOW = '2031-01-01T12:00:00.000Z'
const PROGRESS = [{ of: 'players', done: 3, total: null }]
const THREAD = {
  progress: () => PROGRESS,
  outcome: Promise.resolve('stopped' as const),
  stop: async () => undefined,
}
const SNAPSHOT = { at: NOW, pauseMs: 120 }

const LOOKED: RunnerEvent = { name: 'looked' }
const CLAIM: RunnerEvent = { name: 'claim', newId: 'c-1' }
const CLAIM_AGAIN: RunnerEvent = { name: 'claim', newId: 'c-2' }
const CLAIMED: RunnerEvent = { name: 'claimed', job: JOB, now: NOW }
const NO_JOB: RunnerEvent = { name: 'claimed', job: undefined, now: NOW }
const SNAPSHOT_MADE: RunnerEvent = { name: 'snapshot-made', snapshot: SNAPSHOT }
const BEGUN: RunnerEvent = { name: 'begun', thread: THREAD }
const CANCELLED: RunnerEvent = { name: 'stop', as: 'cancelled' }
const INTERRUPTED: RunnerEvent = { name: 'stop', as: 'interrupted' }
const RESULT: RunnerEvent = { name: 'ended', outcome: { result: '{"players":3}' } }
const FAILED: RunnerEvent = { name: 'ended', outcome: { issue: 'no room for the copy' } }
const STOPPED: RunnerEvent = { name: 'ended', outcome: 'stopped' }
const OVER: RunnerEvent = { name: 'over' }
const ALL = [
  ...[LOOKED, CLAIM, CLAIM_AGAIN, CLAIMED, NO_JOB, SNAPSHOT_MADE, BEGUN],
  ...[CANCELLED, INTERRUPTED, RESULT, FAILED, STOPPED, OVER],
]

const STARTING: RunnerState = { name: 'starting' }
const after = (...events: readonly RunnerEvent[]) => events.reduce(nextState, STARTING)
const PREPARING = [LOOKED, CLAIM, CLAIMED]
const RUNNING = [...PREPARING, SNAPSHOT_MADE, BEGUN]

test('a runner looks, claims, prepares, runs and stores one job, and is idle again', () => {
  const events = [LOOKED, CLAIM, CLAIMED, SNAPSHOT_MADE, BEGUN, RESULT, OVER]
  const names = events.map((_, index) => after(...events.slice(0, index + 1)).name)
  assert.deepEqual(names, ['idle', 'claiming', 'preparing', 'preparing', 'running', 'storing', 'idle'])
  assert.equal(after(LOOKED, CLAIM, NO_JOB).name, 'idle')
})

test('a claim that was not answered is repeated under the same id; once it was answered, the next claim has a new one', () => {
  const claimIdAfter = (...events: readonly RunnerEvent[]) => {
    const state = after(...events)
    return state.name === 'claiming' ? state.claimId : undefined
  }
  assert.equal(claimIdAfter(LOOKED, CLAIM, CLAIM_AGAIN), 'c-1')
  assert.equal(claimIdAfter(LOOKED, CLAIM, NO_JOB, CLAIM_AGAIN), 'c-2')
  assert.equal(claimIdAfter(...RUNNING, RESULT, OVER, CLAIM_AGAIN), 'c-2')
})

test('a result counts even if it came while the job was being stopped; without one, a job that anybody cancelled ends as cancelled', () => {
  const cases: readonly (readonly [readonly RunnerEvent[], ReturnType<typeof toJobEnding>])[] = [
    [[...RUNNING, RESULT], { state: 'done', result: '{"players":3}' }],
    [[...PREPARING, FAILED], { state: 'failed', error: 'no room for the copy' }],
    [[...RUNNING, CANCELLED, RESULT], { state: 'done', result: '{"players":3}' }],
    [[...RUNNING, RESULT, CANCELLED], { state: 'done', result: '{"players":3}' }],
    [[...PREPARING, CANCELLED, STOPPED], { state: 'cancelled' }],
    [[...RUNNING, CANCELLED, STOPPED], { state: 'cancelled' }],
    [[...RUNNING, INTERRUPTED, STOPPED], { state: 'interrupted' }],
    [[...RUNNING, INTERRUPTED, CANCELLED, STOPPED], { state: 'cancelled' }],
    [[...RUNNING, INTERRUPTED, STOPPED, CANCELLED], { state: 'cancelled' }],
    [[...RUNNING, CANCELLED, INTERRUPTED, STOPPED], { state: 'cancelled' }],
    [[...RUNNING, STOPPED], { state: 'interrupted' }],
  ]
  for (const [events, ending] of cases)
    assert.deepEqual(toJobEnding(after(...events)), ending, events.map(({ name }) => name).join(', '))
})

test('a job that was stopped while its database was copied does not begin, and the length of the copy is still reported', () => {
  const state = after(...PREPARING, CANCELLED, SNAPSHOT_MADE, BEGUN)
  assert.equal(state.name, 'stopping')
  assert('own' in state)
  assert.deepEqual(heartbeatOf(state.own), { progress: '[]', snapshotAt: NOW, pauseMs: 120 })
})

test('progress is reported from the beginning of a job until its end is stored', () => {
  for (const events of [RUNNING, [...RUNNING, CANCELLED], [...RUNNING, CANCELLED, STOPPED], [...RUNNING, RESULT]]) {
    const state = after(...events)
    assert('own' in state)
    assert.equal(heartbeatOf(state.own).progress, JSON.stringify(PROGRESS), state.name)
  }
})

test('in whatever order events come, a job is left only when it is over, and one that was stopped never begins', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ALL), { maxLength: 30 }), (events) => {
      events.reduce<RunnerState>((before, event) => {
        const state = nextState(before, event)
        if ('own' in before && event.name !== 'over') assert('own' in state && state.own.job === before.own.job)
        if (event.name === 'over') assert(!('own' in state))
        if (state.name === 'running') assert(['preparing', 'running'].includes(before.name))
        if (state.name === 'preparing') assert(['claiming', 'preparing'].includes(before.name))
        return state
      }, STARTING)
    }),
  )
})
