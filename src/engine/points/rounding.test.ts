import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { floorDivide, roundTo } from './rounding.ts'

const numbers = fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }))
const denominators = fc.oneof(fc.constantFrom(1n, 10n, 10_000n), fc.bigInt({ min: 1n, max: 10n ** 30n }))

test('floorDivide returns the largest integer not above the quotient', () => {
  fc.assert(
    fc.property(numbers, denominators, (num, den) => {
      const floor = floorDivide(num, den)
      assert(floor * den <= num && num < (floor + 1n) * den, `${num} / ${den} gave ${floor}`)
    }),
  )
})

test('a number is rounded down, up, or to the nearest whole number, with halves going up', () => {
  const cases = [
    // num, den, floor, half-up, ceil
    [5n, 2n, 2n, 3n, 3n],
    [-5n, 2n, -3n, -2n, -2n],
    [7n, 3n, 2n, 2n, 3n],
    [-7n, 3n, -3n, -2n, -2n],
    [8n, 3n, 2n, 3n, 3n],
    [-8n, 3n, -3n, -3n, -2n],
    [6n, 3n, 2n, 2n, 2n],
    [-6n, 3n, -2n, -2n, -2n],
    [0n, 3n, 0n, 0n, 0n],
  ] as const
  for (const [num, den, floor, halfUp, ceil] of cases)
    assert.deepEqual(
      [roundTo({ num, den }, 'floor'), roundTo({ num, den }, 'half-up'), roundTo({ num, den }, 'ceil')],
      [floor, halfUp, ceil],
      `${num} / ${den}`,
    )
})
