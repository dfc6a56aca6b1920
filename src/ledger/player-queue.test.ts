import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'
import { createPlayerQueue } from './player-queue.ts'

const soon = () => performance.now() + 10_000

test('callers for the same player run one after the other, in order of arrival; others do not wait', async () => {
  const queue = createPlayerQueue()
  const log: string[] = []
  const act = (name: string, userIds: string[]) =>
    queue.run(new Set(userIds), soon(), async () => {
      log.push(`${name} begins`)
      await sleep(name === 'first' ? 20 : 0)
      log.push(`${name} ends`)
    })
  await Promise.all([
    act('first', ['a', 'b']),
    act('second', ['b', 'c']),
    act('other', ['d']),
    act('third', ['c', 'a']),
  ])
  assert.deepEqual(log, [
    'first begins',
    'other begins',
    'other ends',
    'first ends',
    'second begins',
    'second ends',
    'third begins',
    'third ends',
  ])
})

test('a failed call does not hold up the next; one that times out while waiting is refused, and holds up nobody', async () => {
  const queue = createPlayerQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = queue.run(new Set(['a']), soon(), () => promise)
  const impatient = queue.run(new Set(['a']), performance.now(), async () => assert.fail('it was to wait'))
  const failing = queue.run(new Set(['a']), soon(), () => Promise.reject(new Error('failed')))
  const last = queue.run(new Set(['a']), soon(), async () => 'done')
  await assert.rejects(impatient, Unavailable)
  resolve()
  await first
  await assert.rejects(failing, /failed/)
  assert.equal(await last, 'done')
})

test('later callers do not wait for one that timed out, but still wait for those ahead of it', async () => {
  const queue = createPlayerQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  let isActing = true
  const first = queue.run(new Set(['a']), soon(), () => promise)
  const impatient = queue.run(new Set(['a']), performance.now(), async () => assert.fail('it was to wait'))
  const last = queue.run(new Set(['a']), soon(), async () => assert.equal(isActing, false, 'two act at once'))
  await assert.rejects(impatient, Unavailable)
  await new Promise((done) => setTimeout(done, 20))
  isActing = false
  resolve()
  await Promise.all([first, last])
})

test('players are busy from the first call that names them to the end of the last', async () => {
  const queue = createPlayerQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = queue.run(new Set(['a']), soon(), () => promise)
  const second = queue.run(new Set(['a', 'b']), soon(), async () => undefined)
  assert.deepEqual(
    ['a', 'b', 'c'].map((userId) => queue.isBusy([userId])),
    [true, true, false],
  )
  resolve()
  await Promise.all([first, second])
  await new Promise((done) => setImmediate(done))
  assert.equal(queue.isBusy(['a', 'b', 'c']), false)
})
