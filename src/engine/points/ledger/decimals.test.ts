import assert from 'node:assert/strict'
import test from 'node:test'
import { NOON, published } from '../../../../test/support/points.ts'
import { refusalOfDecimals } from './decimals.ts'

const [none, two] = [published(), published({ money: { decimals: 2 } }, 2, '2026-06-01T00:00:00.000Z')]

test('an amount may have as many decimals as its own version or the current one allows, whichever allows more (decision 69)', () => {
  const refusal = (total: number, discount: number, own = none, programs = [none, two], now = NOON) =>
    refusalOfDecimals({ total, discount }, own, programs, now)
  assert.equal(refusal(2, 2), undefined)
  assert.deepEqual(
    [refusal(3, 0), refusal(0, 3), refusal(3, 3)],
    ['total-decimals', 'discount-decimals', 'total-decimals'],
  )
  assert.deepEqual([refusal(0, 0, none, [none]), refusal(1, 0, none, [none])], [undefined, 'total-decimals'])
  assert.equal(refusal(2, 2, two, [none]), undefined)
  assert.equal(refusal(2, 2, none, [none, two], '2026-05-31T23:59:59.999Z'), 'total-decimals')
  // Where no version is in effect now, an order follows its own.
  assert.deepEqual([refusal(2, 2, two, []), refusal(3, 2, two, [])], [undefined, 'total-decimals'])
  assert.equal(refusalOfDecimals(undefined, none, [none], NOON), undefined)
})
