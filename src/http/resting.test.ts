import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/waiting.ts'
import { createResting } from './resting.ts'

test('connections that rest are read again in the order in which they came, those that closed never', async () => {
  const again: number[] = []
  const resting = createResting<number>((connection) => again.push(connection))
  const places = Array.from({ length: 500 }, (_, place) => place)
  for (const place of places) resting.add(place)
  assert.deepEqual(again, [], 'they did not rest')
  resting.delete(499)
  await eventually('all others are read again', async () => again.length === 499)
  assert.deepEqual(again, places.slice(0, -1))
})

test('when the service stops, all that rest are read again at once, so that what they sent is answered', () => {
  const again: number[] = []
  const resting = createResting<number>((connection) => again.push(connection))
  for (const place of [1, 2, 3]) resting.add(place)
  resting.end()
  assert.deepEqual(again, [1, 2, 3])
})
