import assert from 'node:assert/strict'
import test from 'node:test'
import { NOON, orderOf, published } from '../../../../test/support/points.ts'
import { parseAmount } from '../arithmetic.ts'
import type { Order } from '../model.ts'
import { refusalOfDecimals } from './decimals.ts'

const [none, two] = [published(), published({ money: { decimals: 2 } }, 2, '2026-06-01T00:00:00.000Z')]

test('an amount may have as many decimals as its own version or the current one allows, whichever allows more (decision 69)', () => {
  const refusal = (total: number, discount: number, own = none, programs = [none, two], now = NOON) =>
    refusalOfDecimals({ ...orderOf(), decimals: { total, discount } }, undefined, own, programs, now)
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
  assert.equal(refusalOfDecimals(orderOf(), undefined, none, [none], NOON), undefined)
})

test('an amount may have as many decimals as are recorded of its order (decision 69)', () => {
  const refusal = (recorded: string, total: number, discount = 0) => {
    const order = orderOf({ total: parseAmount(recorded)!, discount: parseAmount('2')! })
    const sent = orderOf({ total: parseAmount('31')!, discount: parseAmount('3')! })
    return refusalOfDecimals({ ...sent, decimals: { total, discount } }, order, none, [none], NOON)
  }
  assert.deepEqual([refusal('30.33', 2), refusal('30.3', 2, 2), refusal('30.333', 3)], Array(3).fill(undefined))
  assert.deepEqual(
    [refusal('30.33', 3), refusal('30.3', 2, 3), refusal('30', 1)],
    ['total-decimals', 'discount-decimals', 'total-decimals'],
  )
})

test('an amount that equals the recorded one is accepted however it is written (decision 69)', () => {
  const order = orderOf({ total: parseAmount('12')!, discount: parseAmount('2')! })
  const refusal = (sent: Partial<Order>) =>
    refusalOfDecimals({ ...order, ...sent, decimals: { total: 2, discount: 2 } }, order, none, [none], NOON)
  assert.deepEqual(
    [refusal({}), refusal({ total: parseAmount('13')! }), refusal({ discount: parseAmount('3')! })],
    [undefined, 'total-decimals', 'discount-decimals'],
  )
})
