import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder } from '../../../test/support/builders.ts'
import { InvalidInput, TooLarge } from '../../errors.ts'
import { orderKind, REQUEST_LINES_MAX, readOrder, readSimulatedOrder } from './order.ts'

const NOW = new Date('2026-06-01T12:00:00Z')

test('every field that the wire has for an order is read under our name and in our unit', () => {
  const read = readOrder(
    anOrder({
      order_id: 'o-7',
      user_id: 'u-7',
      total_amount: '1200.50',
      discount: '0.5',
      total_qty: '3',
      refferral_code: 'RAVI',
      subscript_points: 'true',
      status: 'returned',
      ordered_at: '2026-05-31T12:00:00+05:30',
      state_version: '12',
      fulfilled_at: '2026-06-01T12:04:00Z',
      points_redeemed: '40',
      redemption_id: 'hold-1',
    }),
    'data[0]',
    NOW,
  )
  assert.deepEqual(read, {
    id: 'o-7',
    userId: 'u-7',
    lines: [{ sku: 'tea', amount: 12_000_000n, qty: 20_000n }],
    total: 12_005_000n,
    discount: 5_000n,
    qty: 30_000n,
    referralCode: 'RAVI',
    subscriptPoints: true,
    status: 'returned',
    at: '2026-05-31T06:30:00.000Z',
    stateVersion: 12,
    fulfilledAt: '2026-06-01T12:04:00.000Z',
    pointsRedeemed: 40n,
    redemptionId: 'hold-1',
    decimals: { total: 2, discount: 1 },
  })
})

test('fields that an order leaves out are absent, and it is placed', () => {
  const plain = {
    id: 'o-1',
    userId: 'u-1',
    lines: [{ sku: 'tea', amount: 12_000_000n, qty: 20_000n }],
    total: 12_000_000n,
    discount: 0n,
    referralCode: '',
    subscriptPoints: false,
    status: 'placed',
  }
  const absent = { total_qty: null, ordered_at: null, state_version: null, fulfilled_at: null, points_redeemed: null }
  assert.deepEqual(readOrder(anOrder(), '', NOW), plain)
  assert.deepEqual(readOrder(anOrder(absent), '', NOW), plain, 'null is absence')
  // 0 gives back what is recorded, and absence keeps it (decision 139).
  assert.deepEqual(readOrder(anOrder({ points_redeemed: 0 }), '', NOW), { ...plain, pointsRedeemed: 0n })
})

test('a simulated order needs a player and an amount', () => {
  const { id: _, ...read } = readSimulatedOrder({ user_id: 'u-1', total_amount: 12 }, 'data', NOW)
  assert.deepEqual(read, {
    userId: 'u-1',
    lines: [],
    total: 120_000n,
    discount: 0n,
    referralCode: '',
    subscriptPoints: false,
    status: 'placed',
  })
})

test('a fault of an order names its field, even within a line', () => {
  const issues: [object, string, RegExp][] = [
    [{ ordered_at: '2026-06-01T12:05:01Z' }, 'data[0].ordered_at', /at most 5 minutes/],
    [{ fulfilled_at: '2026-06-01T12:05:01Z' }, 'data[0].fulfilled_at', /at most 5 minutes/],
    [{ redemption_id: 'hold-1' }, 'data[0].points_redeemed', /points_redeemed with redemption_id/],
    [{ products: '[{"qty":' }, 'data[0].products', /JSON/],
    [{ products: { qty: 1 } }, 'data[0].products', /an array of product lines/],
    [{ products: [{ qty: 1 }, { qty: -1 }] }, 'data[0].products[1].qty', /a non-negative number/],
    [{ products: Array.from({ length: 1_001 }, () => ({ qty: 1 })) }, 'data[0].products', /at most 1000 product lines/],
  ]
  for (const [parts, path, error] of issues)
    assert.throws(
      () => readOrder(anOrder(parts), 'data[0]', NOW),
      (thrown) => {
        assert(thrown instanceof InvalidInput, String(thrown))
        assert.equal(thrown.path, path)
        assert.match(thrown.message, error)
        return true
      },
    )
})

test('the orders of one request have at most 250,000 lines together, however few each has', () => {
  const { accept } = orderKind(NOW)
  const order = anOrder({
    products: Array.from({ length: 1_000 }, () => ({ product_sku_id: 'tea', amount: 1, qty: 1 })),
  })
  for (let read = 1_000; read <= REQUEST_LINES_MAX; read += 1_000) accept(order, `data[${read}]`, read)
  assert.throws(() => accept(anOrder(), 'data[9]', 9), TooLarge)
  assert.doesNotThrow(() => orderKind(NOW).accept(anOrder(), 'data[0]', 0), 'the next request begins anew')
})

test('lines sent as a text may nest 32 levels deep, and no deeper', () => {
  const nested = (levels: number) => anOrder({ products: `${'['.repeat(levels)}${']'.repeat(levels)}` })
  assert.throws(() => readOrder(nested(32), '', NOW), /expected an object, got an array/)
  assert.throws(() => readOrder(nested(33), '', NOW), /JSON of at most 32 levels/)
})
