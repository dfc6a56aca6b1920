import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/waiting.ts'
import { createReadPauses } from './read-pauses.ts'

test('paused connections are resumed in the order in which they were paused, and closed ones never', async () => {
  const again: number[] = []
  const paused = createReadPauses<number>((connection) => again.push(connection))
  const places = Array.from({ length: 500 }, (_, place) => place)
  for (const place of places) paused.add(place)
  assert.deepEqual(again, [], 'they were not paused')
  paused.delete(499)
  await eventually('all others are resumed', async () => again.length === 499)
  assert.deepEqual(again, places.slice(0, -1))
})

test('when the service stops, all paused connections are read again at once, so that their requests are answered', () => {
  const again: number[] = []
  const paused = createReadPauses<number>((connection) => again.push(connection))
  for (const place of [1, 2, 3]) paused.add(place)
  paused.end()
  assert.deepEqual(again, [1, 2, 3])
})
