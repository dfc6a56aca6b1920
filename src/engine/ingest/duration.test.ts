import assert from 'node:assert/strict'
import test from 'node:test'
import { readDurationMs } from './duration.ts'

test('a duration is a whole number of minutes, hours, days or weeks', () => {
  assert.deepEqual(['1m', '24h', '30d', '2w'].map(readDurationMs), [
    60_000,
    86_400_000,
    30 * 86_400_000,
    14 * 86_400_000,
  ])
  for (const text of ['', '0d', '30', 'd', '1.5h', '-1d', '30 d', '10000d', '1y', '1D'])
    assert.equal(readDurationMs(text), undefined, text)
})
