import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/waiting.ts'
import { createPacedQueue } from './paced-queue.ts'

test('connections get their turn in the order in which they came, and closed ones never', async () => {
  const taken: number[] = []
  const queue = createPacedQueue<number>((connection) => taken.push(connection))
  const places = Array.from({ length: 500 }, (_, place) => place)
  for (const place of places) queue.add(place)
  assert.deepEqual(taken, [], 'they did not wait')
  queue.delete(499)
  await eventually('all others had their turn', async () => taken.length === 499)
  assert.deepEqual(taken, places.slice(0, -1))
})

test('when the service stops, all get their turn at once, so that their requests are answered', () => {
  const taken: number[] = []
  const queue = createPacedQueue<number>((connection) => taken.push(connection))
  for (const place of [1, 2, 3]) queue.add(place)
  queue.end()
  assert.deepEqual(taken, [1, 2, 3])
})
