import assert from 'node:assert/strict'
import test from 'node:test'
import {
  creditOn,
  heldOf,
  NOON,
  orderOf,
  published,
  recordedOf,
  redemptionIn,
  snapshotOf,
} from '../../../../test/support/points.ts'
import type { Movement } from '../lots/movement.ts'
import type { Order, Redemption } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { RedeemRefusal } from './debits.ts'
import type { Posting } from './postings.ts'
import { type RedeemInput, redeemFor } from './redeem-with-order.ts'
import { type PlayerHistory, toBalanceQuery } from './snapshot.ts'
import { createWorkingLedger } from './working-ledger.ts'

const [MAY, YESTERDAY, TODAY, TOMORROW] = ['2026-05-01', '2026-05-31', '2026-06-01', '2026-06-02']
const LATER = '2026-06-01T12:15:00.000Z'
const rules = { value: { points: 1, pays: 1 } }
const paying = (parts: object = {}, more: object = {}) => published({ redeem: { ...rules, ...parts }, ...more })
const redeeming = (points: bigint, parts: Partial<Order> = {}) => orderOf({ pointsRedeemed: points, ...parts })
const withHold = (points: bigint, parts: Partial<Order> = {}) => redeeming(points, { redemptionId: 'r-1', ...parts })
const before = (order: Order) => recordedOf({ order })
const cancelled = { status: 'cancelled' } as const

type Known = Partial<PlayerHistory> & Partial<RedeemInput>

/** Asha has 100 points that never expire. Every history query gets the same answer. */
function redeem(
  order: Order,
  { movements = [creditOn(MAY, 100n)], reinstated = 0n, own = [], redemptions = [], ...input }: Known = {},
) {
  const history = { movements, reinstated, own, redemptions }
  const known: RedeemInput = {
    ...{ order, recorded: undefined, facts: recordedOf().facts, published: paying(), programs: [paying()], now: NOON },
    ...input,
  }
  return redeemFor(known, createWorkingLedger(snapshotOf({ history: () => history })))
}
const posting = (points: bigint, parts: Partial<Posting> = {}): Posting => ({
  ...{ userId: 'asha', kind: 'redemption', points, counts: false, at: NOON, day: TODAY },
  ...parts,
})
const posted = (postings: readonly Posting[], redemptions: readonly Redemption[] = []) => ({ postings, redemptions })
const short = (most: bigint, available = 100n, held = 0n) =>
  ({ refused: { kind: 'not-enough', most, available, held } }) as const
const ownOn = (day: string, points: bigint) => ({ own: [{ day, points }] })

test('an order that has never redeemed anything, or is in its recorded state, posts nothing and needs no history (decision 139)', () => {
  const ledger = createWorkingLedger(snapshotOf())
  const input = { facts: recordedOf().facts, published: published(), programs: [published()], now: NOON }
  const cases: [order: Order, recorded?: Order][] = [
    [orderOf()],
    [orderOf(), redeeming(50n, cancelled)],
    [redeeming(0n), orderOf()],
    [redeeming(50n, cancelled), orderOf()],
    [withHold(50n), withHold(50n)],
  ]
  for (const [order, recorded] of cases)
    assert.deepEqual(
      redeemFor({ ...input, order, recorded: recorded === undefined ? undefined : before(recorded) }, ledger),
      posted([]),
    )
  assert.deepEqual(ledger.changes.missing, [])
})

test('what an order redeems is an entry on its local day, which does not count for the level (decision 139)', () => {
  assert.deepEqual(redeem(redeeming(100n)), posted([posting(-100n)]))
  const at = '2026-05-31T20:00:00.000Z'
  const kolkata = paying({}, { 'time-zone': 'Asia/Kolkata' })
  assert.deepEqual(redeem(redeeming(50n, { at }), { published: kolkata }), posted([posting(-50n, { at })]))
  const sliding = paying({}, { points: { expire: { inactive: 'P1M' } } })
  const terms = { usableOn: TODAY, expiresOn: '2026-07-01', slides: true }
  assert.deepEqual(redeem(redeeming(50n), { published: sliding }), posted([posting(-50n, { terms })]))
})

test('the account is looked up without any entry of this order; new orders of a player share one look-up (decision 139)', () => {
  const ask = (order: Order, recorded?: Order) => {
    const ledger = createWorkingLedger(snapshotOf())
    const facts = recordedOf().facts
    const more = recorded === undefined ? {} : { recorded: before(recorded) }
    redeemFor({ order, recorded: undefined, facts, published: paying(), programs: [], now: NOON, ...more }, ledger)
    return ledger.changes.missing
  }
  const query = { userId: 'asha', orderId: 'o-1', redemptionId: '' }
  assert.deepEqual(ask(redeeming(50n)), [toBalanceQuery('asha')])
  assert.deepEqual(ask(withHold(50n)), [{ ...toBalanceQuery('asha'), redemptionId: 'r-1' }])
  assert.deepEqual(ask(redeeming(50n), redeeming(20n)), [query])
  // The history of a cancelled order is looked up with the hold that it had, whatever it names now.
  assert.deepEqual(ask(redeeming(0n, { redemptionId: 'r-2' }), withHold(50n)), [{ ...query, redemptionId: 'r-1' }])
  assert.deepEqual(ask(withHold(50n), redeeming(0n, { redemptionId: 'r-2' })), [{ ...query, redemptionId: 'r-1' }])
})

test('a later state posts the difference, on the spending day, which moves with the order where it is its own (decision 139)', () => {
  const was = (points: bigint, parts: Partial<Known> = {}) => ({
    recorded: before(redeeming(points)),
    now: '2026-06-02T12:00:00.000Z',
    ...ownOn(TODAY, points),
    ...parts,
  })
  assert.deepEqual(redeem(redeeming(80n), was(50n)), posted([posting(-30n)]))
  assert.deepEqual(redeem(redeeming(20n), was(50n)), posted([posting(30n)]))
  assert.deepEqual(redeem(redeeming(50n, cancelled), was(50n)), posted([posting(50n)]))
  assert.deepEqual(redeem(redeeming(50n, { total: 1n }), was(50n)), posted([]))
  const placedAgain = {
    own: [
      { day: YESTERDAY, points: 0n },
      { day: TODAY, points: 50n },
    ],
  }
  assert.deepEqual(redeem(redeeming(80n), was(50n, placedAgain)), posted([posting(-30n)]))
  const moved = { at: '2026-05-31T12:00:00.000Z' }
  const toItsDay = posting(-20n, { ...moved, day: YESTERDAY })
  assert.deepEqual(redeem(redeeming(20n, moved), was(50n)), posted([posting(50n), toItsDay]))
  assert.deepEqual(redeem(redeeming(50n, { ...moved, ...cancelled }), was(50n)), posted([posting(50n)]))
  // A spending day of another day, such as that of a hold, stays.
  const elsewhere = { ...was(50n), ...ownOn('2026-05-20', 50n) }
  const [back, anew] = [posting(50n, { day: '2026-05-20' }), posting(-20n, { ...moved, day: '2026-05-20' })]
  assert.deepEqual(redeem(redeeming(20n, moved), elsewhere), posted([back, anew]))
})

test('an order that is placed again draws on the points of today: those that it gave back may be gone (decision 139)', () => {
  const again = {
    recorded: before(redeeming(50n, cancelled)),
    ...ownOn(YESTERDAY, 0n),
    now: '2026-06-02T12:00:00.000Z',
  }
  assert.deepEqual(redeem(redeeming(50n), again), posted([posting(-50n, { day: TOMORROW })]))
  const farEast = { ...again, programs: [paying({}, { 'time-zone': 'Pacific/Kiritimati' })] }
  assert.deepEqual(redeem(redeeming(50n), farEast), posted([posting(-50n, { day: '2026-06-03' })]))
  // One that redeemed nothing before draws on its own day.
  assert.deepEqual(redeem(redeeming(50n), { ...again, own: [] }), posted([posting(-50n)]))
})

test('an order redeems within the limits of its version, and at most what the player has (decision 139)', () => {
  const limits: [rules: PublishedProgram, points: bigint, refused: RedeemRefusal][] = [
    [published(), 50n, { kind: 'no-redeem' }],
    [paying({ step: 20 }), 50n, { kind: 'step', step: 20n }],
    [paying({ least: 60 }), 50n, { kind: 'least', least: 60n }],
    [paying({ 'at-most': { points: 40 } }), 50n, { kind: 'at-most', most: 40n }],
    [paying({ when: 'order.total > 100' }), 50n, { kind: 'when', source: 'order.total > 100' }],
    [paying({ when: 'player.points > 0' }), 50n, { kind: 'when', source: 'player.points > 0' }],
    [paying(), 101n, { kind: 'worth', most: 100n }],
    [paying({ overdraft: 9, step: 5 }), 90n, { ...short(85n, 80n, 0n).refused }],
  ]
  for (const [program, points, refused] of limits)
    assert.deepEqual(redeem(redeeming(points), { published: program, movements: [creditOn(MAY, 80n)] }), { refused })
  assert.deepEqual(redeem(redeeming(100n)), posted([posting(-100n)]))
})

test('a return can always be recorded: limits and balance are only checked where the number rises (decision 139)', () => {
  const strict = paying({ step: 20, least: 60, 'at-most': { points: 40 }, when: 'false' })
  const was = { recorded: before(redeeming(100n)), ...ownOn(TODAY, 100n), published: strict, movements: [] }
  for (const points of [50n, 15n, 0n])
    assert.deepEqual(redeem(redeeming(points), was), posted([posting(100n - points)]))
  assert.deepEqual(redeem(redeeming(100n, { total: 0n }), was), posted([]))
  assert.deepEqual(redeem(redeeming(110n), was), { refused: { kind: 'step', step: 20n } })
})

test('the points must be available on every day from that of the order to today, apart from all holds; all of them are checked (decision 139)', () => {
  const untilToday = { movements: [creditOn(MAY, 100n, { expiresOn: TODAY })] }
  const late = redeeming(50n, { at: '2026-05-31T12:00:00.000Z' })
  assert.deepEqual(redeem(redeeming(50n), untilToday), short(0n, 0n))
  assert.deepEqual(redeem(late, untilToday), short(0n, 0n))
  assert.deepEqual(redeem(late, { movements: [creditOn(TODAY, 100n)] }), {
    refused: { ...short(0n).refused, why: 'fewer-on-a-day' },
  })
  // Points of the order's day that have expired since are spent before those of today.
  assert.deepEqual(
    redeem(late, { movements: [...untilToday.movements, creditOn(TODAY, 100n)] }),
    posted([posting(-50n, { at: late.at, day: YESTERDAY })]),
  )
  // Where an order moves, its points must be there on the new day, too, unless it is cancelled.
  const spent = { recorded: before(redeeming(50n)), ...ownOn(TODAY, 50n), movements: [creditOn(TODAY, 100n)] }
  assert.deepEqual(redeem(late, spent), { refused: { ...short(0n).refused, why: 'fewer-on-a-day' } })
  assert.deepEqual(redeem({ ...late, ...cancelled }, spent), posted([posting(50n)]))
  const others = { redemptions: [heldOf({ points: 60n }), heldOf({ id: 'r-2', points: 7n, heldUntil: LATER })] }
  assert.deepEqual(redeem(redeeming(50n), others), short(33n, 100n, 67n))
  assert.deepEqual(
    redeem(redeeming(80n), { recorded: before(redeeming(50n)), ...ownOn(TODAY, 50n), ...others }),
    short(33n, 100n, 67n),
  )
  const program = paying({}, { points: { expire: { after: 'P30D' }, 'earlier-points': 'P30D' } })
  const ending = { programs: [{ ...program, from: '2026-05-02T00:00:00.000Z' }] }
  assert.deepEqual(redeem(redeeming(50n), ending), short(0n, 0n))
})

test('an order that names a hold uses it: it draws on its day, and the balance is only checked for what exceeds it (decision 139)', () => {
  const held = heldOf({ heldOn: YESTERDAY })
  const used = (points: bigint, day = YESTERDAY) => redemptionIn('used', { orderId: 'o-1', points, heldOn: day })
  const entry = (points: bigint, day = YESTERDAY) => posting(points, { day, redemptionId: 'r-1' })
  const known = { redemptions: [held], movements: [] }
  assert.deepEqual(redeem(withHold(50n), known), posted([entry(-50n)], [used(50n)]))
  assert.deepEqual(redeem(withHold(20n), known), posted([entry(-20n)], [used(20n)]))
  assert.deepEqual(redeem(withHold(51n), known), short(0n, 0n))
  assert.deepEqual(
    redeem(withHold(51n), { ...known, movements: [creditOn(MAY, 60n)] }),
    posted([entry(-51n)], [used(51n)]),
  )
  const beside = heldOf({ id: 'r-2', points: 10n })
  assert.deepEqual(
    redeem(withHold(51n), { redemptions: [held, beside], movements: [creditOn(MAY, 60n)] }),
    short(50n, 60n, 10n),
  )
  assert('postings' in redeem(withHold(50n), { redemptions: [heldOf({ orderId: 'o-1' })], movements: [] }))
  // The limits of the program apply all the same.
  assert.deepEqual(redeem(withHold(50n), { ...known, published: paying({ least: 60 }) }), {
    refused: { kind: 'least', least: 60n },
  })
})

test('a lapsed hold is used like a new one, if the balance covers it, on the day of the order (decisions 139 and 154)', () => {
  const at = '2026-06-01T11:00:00.000Z'
  for (const hold of [heldOf({ heldOn: YESTERDAY }), redemptionIn('lapsed', { heldOn: YESTERDAY })]) {
    const known = { now: LATER, redemptions: [hold] }
    assert.deepEqual(
      redeem(withHold(50n, { at }), known),
      posted([posting(-50n, { at, redemptionId: 'r-1' })], [redemptionIn('used', { orderId: 'o-1' })]),
    )
    assert.deepEqual(redeem(withHold(50n, { at }), { ...known, movements: [creditOn(MAY, 49n)] }), short(49n, 49n))
  }
})

test('spending more marks the other holds that have lapsed; giving back does not (decision 154)', () => {
  const lapsed = heldOf({ id: 'r-2', heldUntil: NOON })
  const marked = redemptionIn('lapsed', { id: 'r-2' })
  assert.deepEqual(redeem(redeeming(50n), { redemptions: [lapsed] }), posted([posting(-50n)], [marked]))
  const use = redeem(withHold(50n), { redemptions: [heldOf(), lapsed] })
  assert.deepEqual('redemptions' in use && use.redemptions.map(({ id, state }) => [id, state]), [
    ['r-1', 'used'],
    ['r-2', 'lapsed'],
  ])
  const less = { recorded: before(redeeming(50n)), ...ownOn(TODAY, 50n), redemptions: [lapsed] }
  assert.deepEqual(redeem(redeeming(20n), less), posted([posting(30n)]))
  assert.deepEqual(redeem(redeeming(50n, { total: 1n }), less), posted([]))
})

test('an order cannot use a hold that does not exist, is for another order, was spent or voided, and keeps the one that it has (decision 139)', () => {
  const why = (reason: string, id = 'r-1') => ({ refused: { kind: 'hold', id, why: reason } })
  const use = (hold: Redemption) => redeem(withHold(50n), { redemptions: [heldOf({ id: 'r-0' }), hold] })
  assert.deepEqual(use(heldOf({ id: 'r-2' })), why('unknown'))
  assert.deepEqual(use(heldOf({ orderId: 'o-2' })), why('of-another-order'))
  assert.deepEqual(use(redemptionIn('used', { orderId: 'o-2' })), why('of-another-order'))
  assert.deepEqual(use(redemptionIn('confirmed')), why('spent'))
  assert.deepEqual(use(redemptionIn('voided')), why('voided'))
  const used = { redemptions: [redemptionIn('used', { orderId: 'o-1' })], ...ownOn(TODAY, 50n) }
  const change = (order: Order) => redeem(order, { recorded: before(withHold(50n)), ...used })
  assert.deepEqual(change(withHold(60n, { redemptionId: 'r-2' })), why('changed', 'r-2'))
  assert.deepEqual(redeem(withHold(60n), { recorded: before(redeeming(50n)), ...used }), why('changed'))
})

test('a hold belongs to one order from its first use: a cancelled order releases it for good, and draws afresh when placed again (decision 139)', () => {
  const used = redemptionIn('used', { orderId: 'o-1', heldOn: YESTERDAY })
  const was = { recorded: before(withHold(50n)), redemptions: [used], ...ownOn(YESTERDAY, 50n) }
  const entry = (points: bigint, day: string) => posting(points, { day, redemptionId: 'r-1' })
  assert.deepEqual(redeem(withHold(20n), was), posted([entry(30n, YESTERDAY)], [{ ...used, points: 20n }]))
  const gone = { ...used, points: 0n }
  assert.deepEqual(redeem(withHold(50n, cancelled), was), posted([entry(50n, YESTERDAY)], [gone]))
  // Whatever redemption the cancelled order names.
  const other = withHold(50n, { ...cancelled, redemptionId: 'r-2' })
  assert.deepEqual(redeem(other, was), posted([entry(50n, YESTERDAY)], [gone]))
  const again = { recorded: before(withHold(50n, cancelled)), redemptions: [gone], ...ownOn(YESTERDAY, 0n) }
  assert.deepEqual(
    redeem(withHold(50n), again),
    posted([entry(-50n, TODAY)], [redemptionIn('used', { orderId: 'o-1' })]),
  )
  assert.deepEqual(redeem(withHold(50n), { ...again, movements: [creditOn(MAY, 49n)] }), short(49n, 49n))
})

test('expired points that an order gives back are reinstated for as long as its program says, or gone (decision 139)', () => {
  const movements: Movement[] = [creditOn(MAY, 40n, { expiresOn: TODAY }), creditOn(MAY, 100n)]
  const was = (more: Known = {}) => ({ recorded: before(redeeming(50n)), movements, ...ownOn(YESTERDAY, 50n), ...more })
  const keeping = paying({ 'given-back': 'P30D' })
  const back = (points: bigint) => posting(points, { day: YESTERDAY })
  const terms = { usableOn: TODAY, expiresOn: '2026-07-01', slides: false }
  const anew = (points: bigint, parts: Partial<Posting> = {}) =>
    posting(points, { kind: 'reinstated', terms, ...parts })
  assert.deepEqual(redeem(redeeming(50n, cancelled), was()), posted([back(50n)]))
  assert.deepEqual(redeem(redeeming(50n, cancelled), was({ published: keeping })), posted([back(50n), anew(40n)]))
  assert.deepEqual(redeem(redeeming(10n), was({ published: keeping })), posted([back(40n), anew(30n)]))
  assert.deepEqual(redeem(redeeming(60n), was({ published: keeping })), posted([back(-10n)]))
  // It is booked now, whenever the order was, and names its hold.
  const used = { recorded: before(withHold(50n)), redemptions: [redemptionIn('used', { orderId: 'o-1' })] }
  assert.deepEqual(
    redeem(withHold(50n, cancelled), was({ published: keeping, now: LATER, ...used })),
    posted(
      [{ ...back(50n), redemptionId: 'r-1' }, anew(40n, { at: LATER, redemptionId: 'r-1' })],
      [redemptionIn('used', { orderId: 'o-1', points: 0n })],
    ),
  )
  // Other holds count as spent: they would have drawn on the points that expired.
  const others = [heldOf({ points: 30n, heldOn: YESTERDAY })]
  assert.deepEqual(
    redeem(redeeming(50n, cancelled), was({ published: keeping, redemptions: others })),
    posted([back(50n), anew(10n)]),
  )
})

test('an order that is cancelled on another day gives back what it drew on its spending day, no more and no less (decision 139)', () => {
  const published = paying({ 'given-back': 'P30D' })
  const movements = [creditOn(MAY, 100n, { expiresOn: '2026-05-20' }), creditOn(MAY, 100n)]
  const cancelledOn = (spentOn: string, at: string) =>
    redeem(redeeming(100n, { ...cancelled, at: `${at}T12:00:00.000Z` }), {
      published,
      movements,
      recorded: before(redeeming(100n, { at: `${spentOn}T12:00:00.000Z` })),
      ...ownOn(spentOn, 100n),
    })
  const reinstatedBy = (change: ReturnType<typeof cancelledOn>) =>
    'postings' in change
      ? change.postings.filter(({ kind }) => kind === 'reinstated').map(({ points }) => points)
      : 'refused'
  // Spent when the first points had expired: whatever day it names now, none of them come back.
  assert.deepEqual(reinstatedBy(cancelledOn('2026-05-25', '2026-05-15')), [])
  assert.deepEqual(reinstatedBy(cancelledOn('2026-05-25', '2026-05-25')), [])
  // Spent before: they come back with a new expiry.
  assert.deepEqual(reinstatedBy(cancelledOn('2026-05-15', '2026-05-25')), [100n])
  assert.deepEqual(reinstatedBy(cancelledOn('2026-05-15', '2026-05-15')), [100n])
})

test('an order dated back leaves alone the points that expired since and were reinstated: nothing is spent twice (decision 139)', () => {
  const late = (points: bigint) => redeeming(points, { at: '2026-05-31T12:00:00.000Z' })
  const movements = [
    creditOn(MAY, 40n, { expiresOn: TODAY }),
    creditOn(TODAY, 40n, { usableOn: TODAY, expiresOn: '2026-07-01' }),
  ]
  const ask = (points: bigint, reinstated: bigint) => redeem(late(points), { movements, reinstated })
  const drawn = (points: bigint) => posted([posting(-points, { at: '2026-05-31T12:00:00.000Z', day: YESTERDAY })])
  assert.deepEqual(ask(40n, 0n), drawn(40n))
  const tooMany = (most: bigint) => ({ refused: { ...short(most, 40n).refused, why: 'expired-since' } })
  assert.deepEqual(ask(1n, 40n), tooMany(0n))
  assert.deepEqual(ask(10n, 30n), drawn(10n))
  assert.deepEqual(ask(11n, 30n), tooMany(10n))
  // An order of today draws on the reinstated points.
  assert.deepEqual(redeem(redeeming(40n), { movements, reinstated: 40n }), posted([posting(-40n)]))
  // Nor does an order that redeems more than before draw on them: they may be reinstated since.
  const raised = {
    recorded: before(redeeming(10n)),
    ...ownOn(YESTERDAY, 10n),
    movements: [...movements, creditOn(MAY, 30n)],
    redemptions: [heldOf({ points: 7n })],
  }
  const keeping = { ...raised, published: paying({ 'given-back': 'P30D' }) }
  assert.deepEqual(redeem(redeeming(20n), raised), posted([posting(-10n, { day: YESTERDAY })]))
  assert.deepEqual(redeem(redeeming(20n), keeping), {
    refused: { ...short(10n, 70n, 7n).refused, why: 'expired-since' },
  })
})
