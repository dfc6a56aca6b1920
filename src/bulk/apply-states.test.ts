import assert from 'node:assert/strict'
import test from 'node:test'
import type { Row } from '../engine/ingest/batch.ts'
import { refusalOfVersion } from '../engine/points/ledger/state-versions.ts'
import { applyStates } from './apply-states.ts'

const row = (fingerprint: string, stateVersion?: number): Row => ({
  key: 'k',
  position: 0,
  row: fingerprint,
  fingerprint,
  ...(stateVersion === undefined ? {} : { stateVersion }),
})

test('a state that leaves something unsaid keeps it from the one before, and is stored with it', () => {
  const complete = (before: string | undefined, own: string) => own + (own.length > 1 ? '' : (before?.slice(1) ?? '+'))
  const { verdicts, changed } = applyStates(
    [row('a-'), row('a'), row('b'), row('b-')],
    { fingerprint: 'a+' },
    { complete },
  )
  assert.deepEqual(verdicts, ['updated', 'unchanged', 'updated', 'unchanged'])
  assert.equal(changed?.fingerprint, 'b-')
  assert.deepEqual(applyStates([row('a'), row('a+')], undefined, { complete }).verdicts, ['inserted', 'unchanged'])
})

test('states of the same key are applied one by one, as if each came in its own request (decision 40)', () => {
  const [a, b] = [row('a'), row('b')]
  assert.deepEqual(applyStates([a, a, b, b], undefined), {
    verdicts: ['inserted', 'unchanged', 'updated', 'unchanged'],
    changed: b,
    raisedTo: undefined,
  })
  assert.deepEqual(applyStates([a], { fingerprint: 'a' }), {
    verdicts: ['unchanged'],
    changed: undefined,
    raisedTo: undefined,
  })
  assert.deepEqual(applyStates([b, a], { fingerprint: 'a' }).changed, undefined, 'the last state is already stored')
})

test('a state with a lower version is stale, one with the same version and different content conflicts, and neither is written (decision 71)', () => {
  const stored = { fingerprint: 'a', stateVersion: 5 }
  assert.deepEqual(applyStates([row('b', 4), row('b', 5), row('a', 6)], stored), {
    verdicts: ['stale', 'conflict', 'unchanged'],
    changed: undefined,
    raisedTo: 6,
  })
  assert.equal(applyStates([row('b')], stored).raisedTo, undefined, 'without a version the recorded one stays')
})

test('players and products follow the same rule of versions as orders (decision 71)', () => {
  for (const recorded of [undefined, 5])
    for (const sent of [undefined, 4, 5, 6])
      for (const content of ['a', 'b']) {
        const isSame = content === 'a'
        const stored = { fingerprint: 'a', ...(recorded === undefined ? {} : { stateVersion: recorded }) }
        const { verdicts } = applyStates([row(content, sent)], stored)
        const refused = refusalOfVersion(sent, recorded, () => isSame)
        assert.deepEqual(verdicts, [refused ?? (isSame ? 'unchanged' : 'updated')], `${sent} on ${recorded}`)
      }
})
