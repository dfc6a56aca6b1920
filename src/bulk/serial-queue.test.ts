import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSerialQueue } from './serial-queue.ts'

test('tasks run one at a time, in order of arrival; a failed one does not hold up the next', async () => {
  const queue = createSerialQueue()
  const log: string[] = []
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} begins`)
    await sleep(ms)
    log.push(`${name} ends`)
    return name
  }
  const first = queue(work('first', 20))
  const failing = queue(() => Promise.reject(new Error('failed')))
  const last = queue(work('last', 0))
  await assert.rejects(failing, /failed/)
  assert.deepEqual(await Promise.all([first, last]), ['first', 'last'])
  assert.deepEqual(log, ['first begins', 'first ends', 'last begins', 'last ends'])
})
