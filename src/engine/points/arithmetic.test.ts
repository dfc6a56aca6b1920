import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  add,
  amountText,
  isLess,
  parseAmount,
  parseRatio,
  pricedText,
  type Ratio,
  ratio,
  ratioText,
  subtract,
} from './arithmetic.ts'

const numbers = fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }))
const denominators = fc.oneof(fc.constantFrom(1n, 10n, 10_000n), fc.bigInt({ min: 1n, max: 10n ** 30n }))
const ratios = fc.record<Ratio>({ num: numbers, den: denominators })

test('a sum is exact, over the least common denominator: no program makes its numbers grow with every rule', () => {
  fc.assert(
    fc.property(ratios, ratios, (a, b) => {
      const { num, den } = add(a, b)
      assert.equal(num * a.den * b.den, (a.num * b.den + b.num * a.den) * den)
      assert.equal(den, (a.den * b.den) / greatestCommonDivisor(a.den, b.den))
    }),
  )
})

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b)
}

test('equal numbers are equal data, whatever signs and common divisors they are built from', () => {
  const cases = [
    [1n, -2n, -1n, 2n],
    [-1n, -2n, 1n, 2n],
    [20n, 6n, 10n, 3n],
    [0n, -7n, 0n, 1n],
    [6n * 10n ** 20n, 4n * 10n ** 20n, 3n, 2n],
    [-6n * 10n ** 20n, -4n, 15n * 10n ** 19n, 1n],
  ] as const
  for (const [num, den, lowestNum, lowestDen] of cases)
    assert.deepEqual(ratio(num, den), { num: lowestNum, den: lowestDen }, `${num} / ${den}`)
})

test('of two different numbers one is less, and of two equal ones neither is', () => {
  fc.assert(
    fc.property(ratios, ratios, (a, b) => {
      assert.equal(isLess(a, b), subtract(a, b).num < 0n)
      assert.equal(isLess(a, { num: 2n * a.num, den: 2n * a.den }), false)
    }),
  )
})

test('any number that is written is read as the same number', () => {
  const whole = fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n })
  const under = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.constantFrom(1n, 2n, 10n, 625n, 10_000n))
  fc.assert(
    fc.property(whole, under, (num, den) => {
      const text = ratioText(ratio(num, den))
      // A decimal with more digits than anyone writes is refused rather than read.
      if (text.replace(/^-?\d+\.?/, '').length > 30) return
      assert.deepEqual(parseRatio(text), ratio(num, den))
    }),
  )
})

test('any amount is written without trailing zeros, and read as the same amount with any number of them', () => {
  const amounts = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 19n }), fc.bigInt({ min: 0n, max: 10n ** 9n }))
  fc.assert(
    fc.property(amounts, fc.nat(4), (amount, zeros) => {
      const text = amountText(amount)
      assert.equal(text, ratioText(ratio(amount, 10_000n)))
      assert.equal(pricedText(amount), ratioText(ratio(amount, 100_000_000n)))
      assert.equal(parseAmount(text, 16), amount)
      const [whole, decimals = ''] = text.split('.')
      assert.equal(parseAmount(`0${whole}.${decimals.padEnd(Math.max(1, zeros), '0')}`, 17), amount)
    }),
  )
})

test('only digits with up to four decimals are read as an amount', () => {
  for (const text of [
    '',
    '.',
    '1.',
    '.5',
    '1.23456',
    '1..2',
    '1.2.3',
    '-1',
    '+1',
    ' 1',
    '1e3',
    '1/2',
    '１',
    '9'.repeat(16),
  ])
    for (const long of [text, `${text}${' '.repeat(12)}`]) assert.equal(parseAmount(long), undefined, long)
  assert.equal(parseAmount('9'.repeat(15)), BigInt('9'.repeat(15)) * 10_000n)
})

test('only numbers are read as numbers, in any of their forms', () => {
  assert.deepEqual(parseRatio('20/6'), ratio(10n, 3n))
  assert.deepEqual(parseRatio('-0.50'), ratio(-1n, 2n))
  for (const text of ['', '-', '+1', '1e3', ' 1', '1.', '.5', '1/0', '1/-2', '1.5/2', '1,5', '9'.repeat(31), 'NaN'])
    assert.equal(parseRatio(text), undefined, text)
})
