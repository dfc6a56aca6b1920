import assert from 'node:assert/strict'
import test from 'node:test'
import { catalogueAmount } from './bases.ts'
import type { Amount, Instant, LineAmount, OrderId, Points, Sku, UserId } from './units.ts'

test('amounts, points, moments and ids cannot stand in for each other: the type checker refuses it', () => {
  const amount: Amount = 45_000n
  const points: Points = 4n
  const lineAmount: LineAmount = catalogueAmount({ sku: 'tea', qty: 10_000n }, new Map([['tea', amount]]))!
  // @ts-expect-error: an amount is in 1/10,000, a line amount in 1/100,000,000.
  const wrongScale: Amount = lineAmount
  // @ts-expect-error: money is not points.
  const wrongUnit: Points = amount
  const userId: UserId = 'u-1'
  // @ts-expect-error: a player's id is not an order's.
  const wrongId: OrderId = userId
  // @ts-expect-error: nor is it a product's.
  const wrongProduct: Sku = userId
  // @ts-expect-error: nor a moment.
  const wrongMoment: Instant = userId
  // They cost nothing: at run time they are plain values.
  assert.deepEqual(
    [wrongScale, wrongUnit, wrongId, wrongProduct, wrongMoment],
    [450_000_000n, 45_000n, 'u-1', 'u-1', 'u-1'],
  )
  assert.equal(points + 1n, 5n)
})
