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
import { debitOn, type Movement } from '../lots/movement.ts'
import type { Order, RecordedOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import { evaluateOrder } from './evaluate-order.ts'
import { type PredictedBalance, predictedBalance } from './predicted-balance.ts'
import type { PlayerHistory } from './snapshot.ts'
import { createWorkingLedger } from './working-ledger.ts'

const [MAY, YESTERDAY, TODAY, JULY] = ['2026-05-01', '2026-05-31', '2026-06-01', '2026-07-01']
const value = { points: 100, pays: '1.00' }
const paying = (redeem: object = {}, more: object = {}) =>
  published({ money: { decimals: 2 }, redeem: { value, ...redeem }, ...more })
const redeeming = (points: bigint, parts: Partial<Order> = {}) => orderOf({ pointsRedeemed: points, ...parts })
const ownOn = (day: string, points: bigint) => ({ day, points })
const lot = (points: bigint, expiresOn = 'infinity') => ({ points, expiresOn })

type Known = Partial<PlayerHistory> &
  Readonly<{
    recorded?: RecordedOrder
    entries?: readonly Movement[]
    program?: PublishedProgram
    programs?: readonly PublishedProgram[]
    now?: string
  }>

/** The predicted balance of an order of 100. Asha has 300 points that expire in July and 240 that never do; `entries` are those of the order. */
function balanceWith(order: Order, known: Known = {}): PredictedBalance {
  const { program = paying(), programs = [program], now = NOON, recorded, entries = [] } = known
  const {
    movements = [creditOn(MAY, 300n, { expiresOn: JULY }), creditOn(MAY, 240n)],
    own = [],
    reinstated = 0n,
    redemptions = [],
  } = known
  const beside = { movements, own, reinstated, redemptions }
  const snapshot = snapshotOf({
    history: () => beside,
    ...(recorded === undefined ? {} : { orders: new Map([['o-1', recorded]]) }),
  })
  const evaluation = evaluateOrder(order, createWorkingLedger(snapshot), programs, now)
  assert(
    'prediction' in evaluation,
    'refused' in evaluation ? JSON.stringify(evaluation.refused, (_, one) => String(one)) : '',
  )
  return predictedBalance(
    evaluation,
    { complete: { ...beside, movements: [...movements, ...entries] }, withoutOrder: beside },
    programs,
    now,
  )
}

test('a prediction says what was available before, what the order earns, redeems and from which points, and what is left (decision 139)', () => {
  const program = paying({}, { points: { pending: { days: 14 }, expire: { after: 'P12M' } } })
  assert.deepEqual(balanceWith(redeeming(500n), { program }), {
    before: { available: 540n, pending: 0n, held: 0n },
    earns: { points: 95n, usableOn: '2026-06-15', expiresOn: '2027-06-15' },
    redeems: { points: 500n, pays: '5.00', from: [lot(300n, JULY), lot(200n)] },
    redeemable: { most: 540n, pays: '5.40' },
    after: {
      ...{ available: 40n, pending: 95n, held: 0n },
      lots: [lot(40n), { ...lot(95n, '2027-06-15'), usableOn: '2026-06-15' }],
    },
  })
})

test('held points count as available, but cannot pay for another order (decision 139)', () => {
  const redemptions = [heldOf({ points: 40n }), redemptionIn('lapsed', { id: 'r-2' })]
  const { before, redeems, redeemable, after } = balanceWith(redeeming(300n), { redemptions })
  assert.deepEqual(before, { available: 540n, pending: 0n, held: 40n })
  assert.deepEqual(redeems.from, [lot(260n, JULY), lot(40n)])
  assert.deepEqual(redeemable, { most: 500n, pays: '5.00' })
  assert.deepEqual(after, { available: 337n, pending: 0n, held: 40n, lots: [lot(297n)] })
})

test('the hold that an order uses is its own: it is spent, and no longer held (decision 139)', () => {
  const other = heldOf({ id: 'r-2', points: 7n })
  const known = { redemptions: [heldOf({ points: 40n, heldOn: YESTERDAY }), other] }
  const { before, redeems, redeemable, after } = balanceWith(redeeming(40n, { redemptionId: 'r-1' }), known)
  assert.deepEqual(before, { available: 540n, pending: 0n, held: 47n })
  assert.deepEqual([redeems.from, redeemable?.most], [[lot(40n, JULY)], 533n])
  assert.deepEqual([after.available, after.held], [599n, 7n])
  // One that redeems nothing leaves its hold as it is.
  const cancelled = balanceWith(redeeming(40n, { redemptionId: 'r-1', status: 'cancelled' }), known)
  assert.deepEqual([cancelled.before.held, cancelled.after.held, cancelled.after.available], [47n, 47n, 540n])
  const used = { recorded: recordedOf({ order: redeeming(9n, { redemptionId: 'r-0' }) }), own: [ownOn(TODAY, 9n)] }
  const left = { ...known, ...used, redemptions: [...known.redemptions, redemptionIn('used', { id: 'r-0' })] }
  assert.equal(balanceWith(redeeming(0n, { redemptionId: 'r-1' }), left).after.held, 47n)
  assert.deepEqual([cancelled.redeems, cancelled.redeemable?.most], [{ points: 0n, pays: '0.00', from: [] }, 533n])
})

test('points drawn from a hold are those of its day, even if they expire at midnight (decision 139)', () => {
  const movements = [creditOn(MAY, 50n, { expiresOn: TODAY })]
  const known = { movements, redemptions: [heldOf({ heldOn: YESTERDAY })] }
  const { before, redeems, after } = balanceWith(redeeming(50n, { redemptionId: 'r-1' }), known)
  assert.deepEqual([before, redeems.from], [{ available: 50n, pending: 0n, held: 50n }, [lot(50n, TODAY)]])
  assert.deepEqual(after.available, 99n)
})

test('the most that an order could redeem is what the player can spend with the overdraft, and what its program allows, in whole steps (decision 139)', () => {
  const most = (redeem: object, points: bigint, order: Partial<Order> = {}) =>
    balanceWith(orderOf(order), {
      program: paying(redeem),
      movements: [points < 0n ? debitOn(MAY, -points) : creditOn(MAY, points)],
    }).redeemable
  const cases: [redeem: object, points: bigint, most: bigint, pays: string, order?: Partial<Order>][] = [
    [{}, 57n, 57n, '0.57'],
    [{ step: 10 }, 57n, 50n, '0.50'],
    [{ overdraft: 5 }, 57n, 62n, '0.62'],
    [{ least: 57 }, 57n, 57n, '0.57'],
    [{ least: 58 }, 57n, 0n, '0.00'],
    [{ step: 10, least: 57 }, 57n, 0n, '0.00'],
    [{ 'at-most': { points: 30 } }, 57n, 30n, '0.30'],
    [{}, 57n, 40n, '0.40', { total: 4_000n }],
    [{ when: 'order.total > 100' }, 57n, 0n, '0.00'],
    [{}, 0n, 0n, '0.00'],
    [{}, -7n, 0n, '0.00'],
    [{ step: 10 }, -7n, 0n, '0.00'],
    [{ overdraft: 9 }, -7n, 2n, '0.02'],
  ]
  for (const [redeem, points, expected, pays, order] of cases)
    assert.deepEqual(most(redeem, points, order), { most: expected, pays }, `${JSON.stringify(redeem)} ${points}`)
})

test('where a program has neither points nor redeem, what an order earns is usable at once and never expires, and nothing is redeemable (decision 138)', () => {
  const ending = published({ points: { expire: { after: 'P1M' } } }, 1, '2026-06-01T13:00:00.000Z')
  const late = '2026-05-31T20:00:00.000Z'
  const kolkata = published({ 'time-zone': 'Asia/Kolkata' })
  const { earns, redeems, ...rest } = balanceWith(orderOf({ at: late }), {
    program: kolkata,
    programs: [kolkata, ending],
  })
  assert.deepEqual(earns, { points: 100n, usableOn: TODAY, expiresOn: 'infinity' })
  assert.deepEqual(redeems, { points: 0n, pays: '0', from: [] })
  assert(!('redeemable' in rest))
  assert.equal(rest.after.available, 640n)
})

test('everything is as of today, even for an order of the past; points get the expiry that a later version assigns (decision 138)', () => {
  const program = paying({}, { points: { expire: { after: 'P1M' }, 'earlier-points': 'P1M' } })
  const known = { program: { ...program, from: '2026-05-10T12:00:00.000Z' }, now: '2026-06-10T12:00:00.000Z' }
  const { before, earns, after } = balanceWith(orderOf({ at: '2026-05-10T12:00:00.000Z' }), known)
  assert.deepEqual(before, { available: 300n, pending: 0n, held: 0n })
  assert.deepEqual(earns, { points: 100n, usableOn: '2026-05-10', expiresOn: '2026-06-10' })
  assert.deepEqual(after, { available: 300n, pending: 0n, held: 0n, lots: [lot(300n, JULY)] })
  assert.equal(
    balanceWith(orderOf({ at: '2026-05-10T12:00:00.000Z' }), { ...known, now: '2026-06-09T12:00:00.000Z' }).after
      .available,
    640n,
  )
})

test('today is the latest of all days on which anything was spent or is held, before as after (decision 154)', () => {
  const tomorrow = '2026-06-02'
  const movements = [creditOn(MAY, 60n, { expiresOn: tomorrow }), creditOn(MAY, 200n)]
  const seen = (known: Known, order = orderOf()) => {
    const { before, after } = balanceWith(order, { movements, ...known })
    return [before.available, after.available]
  }
  assert.deepEqual(seen({}), [260n, 360n])
  assert.deepEqual(seen({ movements: [...movements, debitOn(tomorrow, 1n)] }), [199n, 299n])
  assert.deepEqual(seen({ redemptions: [heldOf({ points: 1n, heldOn: tomorrow })] }), [200n, 300n])
  assert.deepEqual(seen({ redemptions: [heldOf({ points: 1n, heldOn: tomorrow })], now: '2026-06-01T12:15:00.000Z' }), [
    260n,
    360n,
  ])
  // So does the day on which this order draws.
  assert.deepEqual(seen({}, redeeming(10n, { at: '2026-06-02T08:00:00.000Z' })), [200n, 289n])
  // And that of the order as it is recorded.
  assert.deepEqual(
    seen(
      {
        recorded: recordedOf({ order: redeeming(10n, { at: '2026-06-02T08:00:00.000Z' }), points: 99n }),
        own: [ownOn(tomorrow, 10n)],
        entries: [creditOn(tomorrow, 99n), debitOn(tomorrow, 10n)],
      },
      redeeming(10n, { at: '2026-06-02T08:00:00.000Z', total: 2_000_000n }),
    ),
    [200n, 389n],
  )
})

test('for a recorded order it gives the balance without the order, and after its new state (decision 139)', () => {
  const known = {
    recorded: recordedOf({ order: redeeming(300n), points: 97n }),
    own: [ownOn(YESTERDAY, 300n)],
    entries: [creditOn(TODAY, 97n), debitOn(YESTERDAY, 300n)],
  }
  const { before, earns, redeems, after } = balanceWith(redeeming(100n), known)
  assert.deepEqual(before, { available: 540n, pending: 0n, held: 0n })
  assert.deepEqual([earns.points, redeems], [99n, { points: 100n, pays: '1.00', from: [lot(100n, JULY)] }])
  assert.deepEqual(after, { available: 539n, pending: 0n, held: 0n, lots: [lot(200n, JULY), lot(339n)] })
  // It draws on the same day as before: on points that have expired since.
  const movements = [creditOn(MAY, 300n, { expiresOn: TODAY })]
  assert.deepEqual(balanceWith(redeeming(300n, { total: 2_000_000n }), { ...known, movements }).redeems.from, [
    lot(300n, TODAY),
  ])
  // Placed again it draws on today's points, and keeps doing so.
  const again = {
    ...{ recorded: recordedOf({ order: redeeming(300n, { status: 'cancelled' }), points: 0n }), entries: [] },
    ...{ own: [ownOn(YESTERDAY, 0n)], movements: [...movements, creditOn(TODAY, 300n)] },
  }
  assert.deepEqual(balanceWith(redeeming(300n), { ...known, ...again }).redeems.from, [lot(300n)])
  const since = { ...known, ...again, own: [ownOn(YESTERDAY, 0n), ownOn(TODAY, 300n)], recorded: known.recorded }
  assert.deepEqual(balanceWith(redeeming(300n, { total: 2_000_000n }), since).redeems.from, [lot(300n)])
})

test('what a referrer gets is not on the account of the player who orders', () => {
  const program = paying({}, { referral: { friend: 5, referrer: 7 } })
  const snapshot = snapshotOf({ codes: new Map([['BEN', [{ referrerId: 'ben' }]]]) })
  const evaluation = evaluateOrder(orderOf({ referralCode: 'BEN' }), createWorkingLedger(snapshot), [program], NOON)
  assert('prediction' in evaluation)
  const none = { movements: [], own: [], reinstated: 0n, redemptions: [] }
  assert.equal(
    predictedBalance(evaluation, { complete: none, withoutOrder: none }, [program], NOON).after.available,
    105n,
  )
})
