import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, recordedOf } from '../../../../test/support/points.ts'
import { digestsOf } from '../digests.ts'
import { type Line, type Order, UNKNOWN_PLAYER } from '../model.ts'
import { changeByRevision, isSameState, keepFirstDigests, refusalOfVersion } from './state-versions.ts'

const tea: Line = { sku: 'tea', amount: 900_000n, qty: 20_000n }
const cup: Line = { sku: 'cup', qty: 10_000n }
const order = orderOf({ lines: [tea, cup] })

test('two orders are in the same state if all of their fields are equal', () => {
  assert(isSameState(order, { ...order, lines: [{ ...tea }, { ...cup }] }))
  assert(isSameState(orderOf(), orderOf()))
})

test('a change of any field of an order is a different state', () => {
  const others: Partial<Order>[] = [
    { at: '2026-06-01T12:00:00.001Z' },
    { status: 'returned' },
    { fulfilledAt: '2026-06-01T12:00:00.000Z' },
    { pointsRedeemed: 1n },
    { redemptionId: 'r-1' },
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

test('the second revision keeps digests of the first, and every later one keeps those', () => {
  const prices = new Map([['tea', 45_000n]])
  const facts = { program: 1, player: { ...UNKNOWN_PLAYER, known: true, points: 5n }, prices, codes: new Map() }
  const recorded = recordedOf({ order, facts })
  const { order: orderDigest, prices: pricesDigest } = digestsOf(order, facts.player, prices)
  const first = { order: orderDigest, prices: pricesDigest }
  assert.deepEqual(keepFirstDigests(recorded), { first })
  assert.deepEqual(keepFirstDigests({ ...recorded, order: orderOf(), rev: 2n, first }), { first })
})

test('a first recording keeps no digests, nor does a change of an order whose first digests were not kept', () => {
  assert.deepEqual(keepFirstDigests(undefined), {})
  assert.deepEqual(keepFirstDigests(recordedOf({ rev: 2n })), {})
})

test('a state with a lower version is stale; one with the same version and different content is a conflict (decision 71)', () => {
  const refusals = (sent: number | undefined, recorded: number | undefined) =>
    [true, false].map((isSame) => refusalOfVersion(sent, recorded, () => isSame))
  assert.deepEqual(refusals(2, 3), ['stale', 'stale'])
  assert.deepEqual(refusals(3, 3), [undefined, 'conflict'])
  for (const [sent, recorded] of [
    [4, 3],
    [undefined, 3],
    [3, undefined],
    [undefined, undefined],
  ])
    assert.deepEqual(refusals(sent, recorded), [undefined, undefined])
})

test('a revision changes the status of its order, or else its moment, or else what is in it (decision 81)', () => {
  const recorded = orderOf({ status: 'placed', at: '2026-06-01T12:00:00.000Z' })
  const later = '2026-06-02T12:00:00.000Z'
  assert.equal(changeByRevision(undefined, recorded), 'placed')
  assert.equal(changeByRevision(undefined, { ...recorded, status: 'cancelled' }), 'cancelled')
  assert.equal(changeByRevision(recorded, { ...recorded, total: 1n }), 'changed')
  assert.equal(changeByRevision(recorded, { ...recorded, total: 1n, at: later }), 'moved')
  assert.equal(changeByRevision(recorded, { ...recorded, status: 'returned', at: later }), 'returned')
  assert.equal(changeByRevision({ ...recorded, status: 'cancelled' }, { ...recorded, at: later }), 'placed')
})
