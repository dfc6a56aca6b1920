import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { oneAtATime } from './one-at-a-time.ts'

test('work runs one at a time, in the order of its calls, and each caller gets the result of its own', async () => {
  const inTurn = oneAtATime()
  const log: string[] = []
  const work = (name: string, ms: number) =>
    inTurn(async () => {
      log.push(`${name} begins`)
      await sleep(ms)
      log.push(`${name} ends`)
      return name
    })
  assert.deepEqual(await Promise.all([work('first', 10), work('second', 0), work('third', 0)]), [
    'first',
    'second',
    'third',
  ])
  assert.deepEqual(log, ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'])
})

test('work that fails fails its own caller, and the next one runs', async () => {
  const inTurn = oneAtATime()
  const failing = inTurn(() => Promise.reject(new Error('failed')))
  const next = inTurn(async () => 'done')
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})
