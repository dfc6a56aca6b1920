import assert from 'node:assert/strict'
import test from 'node:test'
import {
  accountOf,
  heldOf,
  NOON,
  orderOf,
  published,
  recordedOf,
  redemptionIn,
  snapshotOf,
} from '../../../../test/support/points.ts'
import { digestsOf } from '../digests.ts'
import type { Order, SentOrder } from '../model.ts'
import { addPendingChange, createPendingLedger, withPending } from './pending-ledger.ts'
import { previewOrder, recordOrders } from './record.ts'
import { EMPTY_HISTORY, type Snapshot } from './snapshot.ts'

const NOW = '2026-06-09T00:00:00.000Z'
const plain = [published()]
const withReferral = [published({ referral: { friend: 5, referrer: 7, counts: false } })]
const codes = new Map([['BEN', [{ referrerId: 'ben' }]]])

const record = (sent: readonly SentOrder[], snapshot: Partial<Snapshot> = {}, programs = plain) =>
  recordOrders(sent, snapshotOf(snapshot), programs, NOW)

/** Records orders one after another, each on top of what those before it changed. */
function recordInTurn(sent: readonly SentOrder[], snapshot: Partial<Snapshot> = {}, programs = plain) {
  const pending = createPendingLedger()
  const view = withPending(snapshotOf(snapshot), pending)
  return sent.map((order) => {
    const recording = recordOrders([order], view, programs, NOW)
    addPendingChange(pending, recording)
    return recording
  })
}

test('a first recording writes the order, its account and its entry, and says what it earns', () => {
  const { verdicts, accounts, orders, entries, missing } = record([orderOf()])
  const [verdict] = verdicts
  assert(verdict !== undefined && 'done' in verdict)
  const { prediction } = verdict
  assert.deepEqual(verdict, {
    done: 'inserted',
    prediction,
    at: NOON,
    overpaid: 0n,
    unknown: [],
  })
  assert.equal(prediction.points, 100n)
  const recorded = orders.get('o-1')
  assert.deepEqual(recorded, { order: orderOf(), facts: recorded?.facts, points: 100n, rev: 1n, recordedAt: NOW })
  assert.deepEqual(
    accounts,
    new Map([['asha', accountOf({ points: 100n, levelPoints: 100n, orders: 1n, entries: 1n, firstOrderId: 'o-1' })]]),
  )
  const order = { id: 'o-1', revision: 1n, program: 1, change: 'placed', prediction }
  const days = { day: '2026-06-01', bookedDay: '2026-06-09' }
  const own = { userId: 'asha', kind: 'order', points: 100n, counts: true } as const
  assert.deepEqual(entries, [{ ...own, at: NOON, ...days, order, seq: 1n }])
  assert.deepEqual(missing, [])
})

test('the same state again changes nothing, and says when it was recorded', () => {
  const [, again] = recordInTurn([orderOf(), orderOf()])
  const [verdict] = again!.verdicts
  assert(verdict !== undefined && 'done' in verdict)
  const { prediction } = verdict
  assert.deepEqual(verdict, { done: 'unchanged', prediction, at: NOON, overpaid: 0n, unknown: [] })
  assert.deepEqual([again!.accounts.size, again!.orders.size, again!.entries.length], [0, 0, 0])
})

test('a different state is the next revision: it posts the difference, and keeps digests of the first', () => {
  const changes: Partial<Order>[] = [{}, { status: 'cancelled' }, { status: 'placed' }, { total: 3_000_000n }]
  const recordings = recordInTurn(changes.map(orderOf))
  const seen = recordings.map(({ verdicts: [verdict], orders, entries, accounts }) => [
    verdict !== undefined && 'done' in verdict
      ? `${verdict.done} ${orders.get('o-1')!.rev} ${verdict.prediction.points}`
      : '',
    entries.map(({ points, seq, order }) => `${seq}: ${points} at ${order?.revision}`).join(),
    accounts.get('asha')?.orders,
  ])
  assert.deepEqual(seen, [
    ['inserted 1 100', '1: 100 at 1', 1n],
    ['updated 2 0', '2: -100 at 2', 1n],
    ['updated 3 100', '3: 100 at 3', 1n],
    ['updated 4 300', '4: 200 at 4', 1n],
  ])
  const { order, prices } = digestsOf(orderOf(), recordings[0]!.orders.get('o-1')!.facts.player, new Map())
  const kept = recordings.map(({ orders }) => orders.get('o-1')?.first)
  assert.deepEqual(kept, [undefined, { order, prices }, { order, prices }, { order, prices }])
})

test('orders of a batch see the effects of those before them', () => {
  const { verdicts, accounts, entries } = record([
    orderOf({ id: 'o-1' }),
    orderOf({ id: 'o-2' }),
    orderOf({ id: 'o-1', status: 'cancelled' }),
  ])
  const seen = verdicts.map((one) => ('done' in one ? [one.done, one.prediction.level.levelPoints] : one))
  assert.deepEqual(seen, [
    ['inserted', 100n],
    ['inserted', 200n],
    ['updated', 100n],
  ])
  assert.deepEqual(
    accounts.get('asha'),
    accountOf({ points: 100n, levelPoints: 100n, orders: 2n, entries: 3n, firstOrderId: 'o-1' }),
  )
  assert.deepEqual(
    entries.map(({ seq, points }) => [seq, points]),
    [
      [1n, 100n],
      [2n, 100n],
      [3n, -100n],
    ],
  )
})

test('a refused order leaves nothing behind, and the others are recorded', () => {
  const { verdicts, orders, accounts } = record([
    orderOf({ id: 'o-0', userId: 'zoe' }),
    orderOf({ id: 'o-1' }),
    orderOf({ id: 'o-1', userId: 'ben' }),
  ])
  assert.deepEqual(
    verdicts.map((one) => ('refused' in one ? one.refused : one.done)),
    ['unknown-player', 'inserted', 'other-player'],
  )
  assert.deepEqual([[...orders.keys()], [...accounts.keys()]], [['o-1'], ['asha']])
})

test('a referral is recorded with its order: the entry of the friend explains it, that of the referrer does not', () => {
  const { orders, entries } = record([orderOf({ referralCode: 'BEN' })], { codes }, withReferral)
  assert.deepEqual([orders.get('o-1')?.points, orders.get('o-1')?.referrer], [105n, { userId: 'ben', points: 7n }])
  assert.deepEqual(
    entries.map(({ userId, kind, points, counts, order }) => [userId, kind, points, counts, order?.prediction?.points]),
    [
      ['asha', 'order', 105n, true, 105n],
      ['ben', 'referral', 7n, false, undefined],
    ],
  )
  const [, gift] = entries
  assert.deepEqual(gift?.order, { id: 'o-1', revision: 1n, program: 1, change: 'placed' })
})

test('a referrer who gets nothing is not recorded', () => {
  const programs = [published({ referral: { friend: 5, referrer: 0 } })]
  const { orders, entries } = record([orderOf({ referralCode: 'BEN' })], { codes }, programs)
  assert.equal(entries.length, 1)
  assert(!('referrer' in orders.get('o-1')!))
  const without = record([orderOf()], { codes }, withReferral)
  assert(!('referrer' in without.orders.get('o-1')!))
})

test('windows that the snapshot does not know are returned as missing', () => {
  const yearly = [published({ levels: { counts: { window: 'P12M' }, ladder: [{ name: 'Bronze', from: 0 }] } })]
  const query = { userId: 'asha', orderId: 'o-1', from: '2025-06-01T12:00:00.000Z', to: NOON }
  assert.deepEqual(record([orderOf()], {}, yearly).missing, [query])
  assert.deepEqual(previewOrder(orderOf(), snapshotOf(), yearly, NOW).missing, [query])
})

test('a preview says what recording would, even for an order that is already recorded', () => {
  const snapshot = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 100n, levelPoints: 100n })]]),
    orders: new Map([['o-2', recordedOf({ order: orderOf({ id: 'o-2' }) })]]),
  })
  for (const sent of [orderOf(), orderOf({ id: 'o-2', total: 3_000_000n })]) {
    const { preview, missing } = previewOrder(sent, snapshot, plain, NOW)
    const [verdict] = recordOrders([sent], snapshot, plain, NOW).verdicts
    assert(!('refused' in preview) && verdict !== undefined && 'done' in verdict)
    assert.deepEqual(preview.prediction, verdict.prediction)
    assert.deepEqual([preview.order, preview.published, preview.facts.program, missing], [sent, plain[0], 1, []])
  }
  assert.equal(snapshot.accounts.get('asha')?.points, 100n)
})

test('a preview treats an unknown player as a new one, and is refused for all other reasons (decision 23)', () => {
  const snapshot = snapshotOf({ orders: new Map([['o-2', { ownerId: 'ben' }]]) })
  const { preview } = previewOrder(orderOf({ userId: 'zoe' }), snapshot, plain, NOW)
  assert('prediction' in preview)
  assert.equal(preview.prediction.points, 100n)
  assert.deepEqual(previewOrder(orderOf({ id: 'o-2' }), snapshot, plain, NOW).preview, { refused: 'other-player' })
})

test('an entry has the day of its moment in the zone of its version, and that of the recording in the zone then in effect (decision 80)', () => {
  const kolkata = published({ 'time-zone': 'Asia/Kolkata' })
  const samoa = published({ 'time-zone': 'Pacific/Pago_Pago' }, 2, '2026-06-05T00:00:00.000Z')
  const late = '2026-06-01T20:00:00.000Z'
  const [first, moved] = recordInTurn([orderOf({ at: late }), orderOf({ at: NOW })], {}, [kolkata, samoa])
  const days = (recording: typeof first) =>
    recording!.entries.map(({ points, day, bookedDay: postingDate }) => [points, day, postingDate])
  // Recorded on 9 June at 00:00 UTC, which is 8 June in Samoa; the order keeps the version and the zone of its first recording.
  assert.deepEqual(days(first), [[100n, '2026-06-02', '2026-06-08']])
  assert.deepEqual(days(moved), [
    [-100n, '2026-06-02', '2026-06-08'],
    [100n, '2026-06-09', '2026-06-08'],
  ])
})

test('every revision posts an entry that says what happened to its order (decision 81)', () => {
  const states: Partial<Order>[] = [
    {},
    { total: 1_000_001n },
    { at: NOW },
    { at: NOW, total: 0n },
    { at: NOON, total: 0n },
    { status: 'cancelled' },
    { status: 'returned' },
    {},
  ]
  const changes = recordInTurn(states.map(orderOf)).map(({ entries }) =>
    entries.map(({ points, order }) => `${order?.change} ${order?.revision} ${points}`),
  )
  assert.deepEqual(changes, [
    ['placed 1 100'],
    ['changed 2 0'],
    ['moved 3 -100', 'moved 3 100'],
    ['changed 4 -100'],
    ['moved 5 0'],
    ['cancelled 6 0'],
    ['returned 7 0'],
    ['placed 8 100'],
  ])
  assert.deepEqual(
    record([orderOf({ status: 'cancelled' })]).entries.map(({ points, order }) => [points, order?.change]),
    [[0n, 'cancelled']],
  )
})

test('an entry says which token recorded it, and which hold it spends', () => {
  const paying = [published({ redeem: { value: { points: 1, pays: 1 } } })]
  const order = orderOf({ pointsRedeemed: 50n, redemptionId: 'r-1' })
  const history = { movements: [], own: [], reinstated: 0n, redemptions: [heldOf()] }
  const { entries, redemptions } = recordOrders([order], snapshotOf({ history: () => history }), paying, NOON, 't-1')
  assert.deepEqual(
    entries.map(({ kind, points, redemption, by }) => [kind, points, redemption, by]),
    [
      ['order', 50n, undefined, 't-1'],
      ['redemption', -50n, { id: 'r-1' }, 't-1'],
    ],
  )
  assert(entries.every((entry) => 'redemption' in entry === (entry.kind === 'redemption')))
  assert.deepEqual([...redemptions!.get('asha')!.values()], [redemptionIn('used', { orderId: 'o-1' })])
})

test('a state keeps its version; a higher version of the same state is accepted without an entry (decision 71)', () => {
  const versions: (number | undefined)[] = [3, undefined, 5, 4, 5]
  const recordings = recordInTurn(
    versions.map((one) => (one === undefined ? orderOf() : { ...orderOf(), stateVersion: one })),
  )
  const seen = recordings.map(({ verdicts: [verdict], orders, accounts, entries }) => [
    verdict !== undefined && 'done' in verdict ? verdict.done : verdict?.refused,
    orders.get('o-1')?.stateVersion,
    accounts.size,
    entries.length,
  ])
  assert.deepEqual(seen, [
    ['inserted', 3, 1, 1],
    ['unchanged', undefined, 0, 0],
    ['unchanged', 5, 1, 0],
    ['stale', undefined, 0, 0],
    ['unchanged', undefined, 0, 0],
  ])
  const [, changed] = recordInTurn([{ ...orderOf(), stateVersion: 3 }, orderOf({ total: 1n })])
  assert.equal(changed!.orders.get('o-1')?.stateVersion, 3)
})

test('a preview of a state that would not be accepted says what the recorded one earns, and why (decision 71)', () => {
  const orders = new Map([['o-1', recordedOf({ stateVersion: 3 })]])
  for (const [stateVersion, kind, text] of [
    [2, 'stale', 'a newer version of this order is already stored: these are the points of the stored order'],
    [3, 'conflict', 'this version of the order is stored with other content: these are the points of the stored order'],
  ] as const) {
    const { preview } = previewOrder({ ...orderOf({ total: 1n }), stateVersion }, snapshotOf({ orders }), plain, NOW)
    assert('prediction' in preview)
    assert.deepEqual([preview.prediction.points, preview.prediction.notes], [100n, [{ kind, text }]])
  }
})

test('the balance before an order is among its facts, though no condition of its program reads it: that of a later program may', () => {
  const programs = [published({ points: { pending: { days: 0 } } })]
  const [first, second] = recordInTurn([orderOf(), orderOf({ id: 'o-2' })], { history: () => EMPTY_HISTORY }, programs)
  const factsOf = (recording: typeof first, id: string) => recording!.orders.get(id)!.facts.player
  assert.deepEqual([factsOf(first, 'o-1').points, factsOf(second, 'o-2').points], [0n, 100n])
})
