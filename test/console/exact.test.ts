import assert from 'node:assert/strict'
import test from 'node:test'

const { compareExact, isBelowZero, short } = await import(new URL('../../console/src/exact.ts', import.meta.url).href)

test('exact numbers are compared as fractions, also where a float would not tell them apart', () => {
  const sorted = ['9007199254740993', '10/3', '-0.5', '9007199254740992', '3.4', '-1/2'].sort(compareExact)
  assert.deepEqual(sorted, ['-0.5', '-1/2', '10/3', '3.4', '9007199254740992', '9007199254740993'])
  assert.deepEqual(['-0.001', '0', '-0', '1/3', '-1/3'].map(isBelowZero), [true, false, false, false, true])
})

test('a number that does not fit is shortened exactly, without a float', () => {
  const shortened = {
    '131491682': '131.5M',
    '999': '999',
    '1000': '1K',
    '-1051152': '−1.1M',
    '999949': '999.9K',
    '999950': '1M',
    '1250/3': '416.67',
    '12345/10': '1.2K',
    '999999999999999': '1E15',
    '100000000000000000001': '1E20',
    '-149999999999999999999': '−1.5E20',
    '99499999999999999999': '9.9E19',
    '99500000000000000000': '1E20',
  }
  for (const [exact, text] of Object.entries(shortened)) assert.equal(short(exact), text, exact)
})
