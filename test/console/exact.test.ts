import assert from 'node:assert/strict'
import test from 'node:test'

const { compareExact, isBelowZero } = await import(new URL('../../console/src/exact.ts', import.meta.url).href)

test('exact numbers are compared as fractions, also where a float would not tell them apart', () => {
  const sorted = ['9007199254740993', '10/3', '-0.5', '9007199254740992', '3.4', '-1/2'].sort(compareExact)
  assert.deepEqual(sorted, ['-0.5', '-1/2', '10/3', '3.4', '9007199254740992', '9007199254740993'])
  assert.deepEqual(['-0.001', '0', '-0', '1/3', '-1/3'].map(isBelowZero), [true, false, false, false, true])
})
