import assert from 'node:assert/strict'
import test from 'node:test'
import { digestsOf } from './digests.ts'
import { type Order, type Player, UNKNOWN_PLAYER } from './model.ts'

const order: Order = {
  id: 'o-1',
  userId: 'u-1',
  lines: [{ sku: 'tea', amount: 12_000_000n, qty: 20_000n }, { qty: 10_000n }],
  total: 12_000_000n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
  at: '2026-06-01T12:00:00.000Z',
}
const player: Player = { ...UNKNOWN_PLAYER, known: true, region: 'Kerala', dateOfBirth: '1990-01-31' }
const prices = new Map([['tea', 45_000n]])
const before = digestsOf(order, player, prices)

test('a digest is the same for the same part, at any moment and under any id', () => {
  assert.deepEqual(Object.keys(before), ['order', 'player', 'prices'])
  for (const digest of Object.values(before)) assert.match(digest, /^[0-9a-f]{16}$/)
  const later = { ...order, id: 'o-2', userId: 'u-2', at: '2027-01-01T00:00:00.000Z' }
  const sameOrder = Object.fromEntries(Object.entries(later).reverse()) as Order
  const samePlayer = Object.fromEntries(Object.entries(player).reverse()) as Player
  assert.deepEqual(digestsOf(sameOrder, samePlayer, new Map([['cup', 1n], ...prices])), before)
})

test('a change shows in the digest of its part, and in no other', () => {
  const [tea, other] = order.lines as [Order['lines'][number], Order['lines'][number]]
  const orders: Partial<Order>[] = [
    { lines: [tea] },
    { lines: [{ ...tea, amount: 12_000_001n }, other] },
    { lines: [{ ...tea, qty: 20_001n }, other] },
    { lines: [{ sku: 'tea', qty: tea.qty }, other] },
    { total: 1n },
    { discount: 1n },
    { qty: 0n },
    { referralCode: 'ASHA' },
    { subscriptPoints: true },
    { status: 'returned' },
  ]
  const players: Partial<Player>[] = [
    { known: false },
    { points: 1n },
    { levelPoints: 1n },
    { orders: 1n },
    { region: '' },
    { district: 'Kerala', region: '' },
    { country: 'India' },
    { gender: 'female' },
    { dateOfBirth: '1990-01-30' },
    { participates: false },
    { attributes: '{"vip":true}' },
  ]
  const seen = new Set<string>()
  for (const parts of orders) {
    const after = digestsOf({ ...order, ...parts }, player, prices)
    // An order with other products has other prices.
    if (parts.lines?.length !== 1) assert.equal(after.prices, before.prices)
    assert.equal(after.player, before.player)
    seen.add(after.order)
  }
  for (const parts of players) {
    const after = digestsOf(order, { ...player, ...parts }, prices)
    assert.deepEqual({ ...after, player: before.player }, before)
    seen.add(after.player)
  }
  for (const changed of [new Map([['tea', 45_001n]]), new Map([['tea', undefined]]), new Map([['tea', 0n]])]) {
    const after = digestsOf(order, player, changed)
    assert.deepEqual({ ...after, prices: before.prices }, before)
    seen.add(after.prices)
  }
  assert.equal(seen.size, orders.length + players.length + 3)
  for (const digest of Object.values(before)) assert.ok(!seen.has(digest))
})
