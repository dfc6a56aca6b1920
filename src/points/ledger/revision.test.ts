import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, recordedOf } from '../../../test/support/points.ts'
import { digestsOf } from '../digests.ts'
import { type Line, type Order, UNKNOWN_PLAYER } from '../model.ts'
import { firstOf, isSameState } from './revision.ts'

const tea: Line = { sku: 'tea', amount: 900_000n, qty: 20_000n }
const cup: Line = { sku: 'cup', qty: 10_000n }
const order = orderOf({ lines: [tea, cup] })

test('two orders are in the same state if all that they say is equal', () => {
  assert(isSameState(order, { ...order, lines: [{ ...tea }, { ...cup }] }))
  assert(isSameState(orderOf(), orderOf()))
})

test('each part of an order makes another state of it', () => {
  const others: Partial<Order>[] = [
    { at: '2026-06-01T12:00:00.001Z' },
    { status: 'returned' },
    { total: 1_000_001n },
    { discount: 1n },
    { qty: 30_000n },
    { referralCode: 'BEN' },
    { subscriptPoints: true },
    { lines: [tea] },
    { lines: [tea, cup, cup] },
    { lines: [cup, tea] },
    { lines: [tea, { ...cup, sku: 'pot' }] },
    { lines: [tea, { qty: 10_000n }] },
    { lines: [tea, { ...cup, amount: 1n }] },
    { lines: [{ ...tea, qty: 20_001n }, cup] },
  ]
  for (const parts of others) {
    const other = { ...order, ...parts }
    assert(!isSameState(order, other), Object.keys(parts).join())
    assert(!isSameState(other, order), Object.keys(parts).join())
  }
})

test('a second revision keeps digests of the first, and every later one keeps them as they are', () => {
  const prices = new Map([['tea', 45_000n]])
  const facts = { program: 1, player: { ...UNKNOWN_PLAYER, known: true, points: 5n }, prices, codes: new Map() }
  const recorded = recordedOf({ order, facts })
  const { order: orderDigest, prices: pricesDigest } = digestsOf(order, facts.player, prices)
  const first = { order: orderDigest, prices: pricesDigest }
  assert.deepEqual(firstOf(recorded), { first })
  assert.deepEqual(firstOf({ ...recorded, order: orderOf(), rev: 2n, first }), { first })
})

test('a first recording keeps no digests, nor does a change of an order whose first were not kept', () => {
  assert.deepEqual(firstOf(undefined), {})
  assert.deepEqual(firstOf(recordedOf({ rev: 2n })), {})
})
