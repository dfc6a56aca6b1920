import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { createPlayerQueue } from './player-queue.ts'

const soon = () => performance.now() + 10_000

test('callers who name the same player act one after the other, in the order of asking; others do not wait', async () => {
  const queue = createPlayerQueue()
  const log: string[] = []
  const act = (name: string, userIds: string[]) =>
    queue(new Set(userIds), soon(), async () => {
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

test('one that fails does not hold up the next; one that waits in vain says so, and holds up nobody', async () => {
  const queue = createPlayerQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = queue(new Set(['a']), soon(), () => promise)
  const impatient = queue(new Set(['a']), performance.now(), async () => assert.fail('it was to wait'))
  const failing = queue(new Set(['a']), soon(), () => Promise.reject(new Error('failed')))
  const last = queue(new Set(['a']), soon(), async () => 'done')
  await assert.rejects(impatient, Unavailable)
  resolve()
  await first
  await assert.rejects(failing, /failed/)
  assert.equal(await last, 'done')
})

test('who gives up is not waited for, but whom they waited for is', async () => {
  const queue = createPlayerQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  let isActing = true
  const first = queue(new Set(['a']), soon(), () => promise)
  const impatient = queue(new Set(['a']), performance.now(), async () => assert.fail('it was to wait'))
  const last = queue(new Set(['a']), soon(), async () => assert.equal(isActing, false, 'two act at once'))
  await assert.rejects(impatient, Unavailable)
  await new Promise((done) => setTimeout(done, 20))
  isActing = false
  resolve()
  await Promise.all([first, last])
})
