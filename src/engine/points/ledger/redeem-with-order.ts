/*
 * What an order spends of its player's points (decision 139). An order never pays for itself: it is checked against the account without its own entries.
 */
import { withProductAttributes } from '../attributes.ts'
import { localDay } from '../local-time.ts'
import { debitOn } from '../lots/movement.ts'
import type { EvaluationInputs, Order, RecordedOrder, Redemption } from '../model.ts'
import { expiryAssignmentsOf, termsOfDebit } from '../pending-and-expiry.ts'
import type { Program, PublishedProgram, RedeemRules } from '../program-model.ts'
import { postingDateAt } from '../programs.ts'
import { brokenLimit, redeemedBy, redeemLimitFor } from '../redeem-rules.ts'
import type { Instant, PlainDate, Points } from '../units.ts'
import {
  type BalanceView,
  freePoints,
  type HoldRefusal,
  mostOnEveryDay,
  type RedeemRefusal,
  reinstatement,
} from './debits.ts'
import { heldMovements, isActiveHold, lapsedHoldsBeside, sumSpent } from './holds.ts'
import type { Posting } from './postings.ts'
import type { PlayerHistory } from './snapshot.ts'
import { isSameState } from './state-versions.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** What an order posts for the points it redeems, the hold that it uses or releases, and any holds found to have lapsed. */
type Redeeming = Readonly<{ postings: readonly Posting[]; redemptions: readonly Redemption[] }>

const NOTHING: Redeeming = { postings: [], redemptions: [] }

export type RedeemInput = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: EvaluationInputs
  published: PublishedProgram
  programs: readonly PublishedProgram[]
  now: Instant
}>

/**
 * What the order posts so that it redeems the points it states: the difference from what it has redeemed so far, drawn on its spending day (decision
 * 139). If it redeems less, the rest counts as never spent; points among it that have since expired are reinstated if the program says so.
 */
export function redeemFor(input: RedeemInput, ledger: WorkingLedger): Redeeming | { refused: RedeemRefusal } {
  const { order, recorded, now } = input
  const before = recorded === undefined ? 0n : redeemedBy(recorded.order)
  const after = redeemedBy(order)
  if (before === 0n && after === 0n) return NOTHING
  if (recorded !== undefined && isSameState(recorded.order, order)) return NOTHING
  const change = planRedemption(input, { before, after }, ledger)
  if ('refused' in change) return change
  const refused = after > before ? checkRedemption(change) : refusalOfMove(change)
  if (refused !== undefined) return { refused }
  const { hold, redemptionId, history } = change
  return {
    postings: buildPostings(change),
    redemptions: [
      ...(hold === undefined ? [] : [holdAfter(hold, change)]),
      ...(after > before ? lapsedHoldsBeside(redemptionId, history, now) : []),
    ],
  }
}

/** How many points an order has redeemed before and redeems after: drawn on which day, by which redemption, under which rules. */
type Change = RedeemInput &
  BalanceView &
  Readonly<{
    before: Points
    after: Points
    redeem: RedeemRules
    /** Empty for none. */
    redemptionId: string
    hold: Redemption | undefined
    /** How many of the order's points an active hold covers. */
    covered: Points
    /** The day that the points are drawn on, and the one that they were drawn on before, if any were. */
    day: PlainDate
    dayBefore: PlainDate | undefined
    /** The player's, without the order and its hold. */
    history: PlayerHistory
  }>

function planRedemption(
  input: RedeemInput,
  { before, after }: Pick<Change, 'before' | 'after'>,
  ledger: WorkingLedger,
): Change | { refused: RedeemRefusal } {
  const { order, recorded, published, programs, now } = input
  const { redeem, timeZone } = published.program
  if (redeem === undefined) return { refused: { kind: 'no-redeem' } }
  const redemptionId = (before > 0n ? recorded!.order.redemptionId : order.redemptionId) ?? ''
  if (after > 0n && (order.redemptionId ?? '') !== redemptionId)
    return { refused: { kind: 'hold', id: order.redemptionId!, why: 'changed' } }
  // A new order has no entries to leave out, so that all new orders of a player need the same history.
  const orderId = recorded === undefined ? '' : order.id
  const history = ledger.history({ userId: order.userId, orderId, redemptionId })
  const hold = history.redemptions.find(({ id }) => id === redemptionId)
  const why = redemptionId === '' ? undefined : refusalOfHold(hold, order)
  if (why !== undefined) return { refused: { kind: 'hold', id: redemptionId, why } }
  const active = hold !== undefined && isActiveHold(hold, now) ? hold : undefined
  const today = postingDateAt(programs, now)
  return {
    ...{ ...input, before, after, redeem, redemptionId, hold, today },
    covered: active?.points ?? 0n,
    ...spendingDays({ order, recorded: recorded?.order, own: history.own, hold: active, today, timeZone }),
    history: { ...history, redemptions: history.redemptions.filter((one) => one !== hold) },
    expiryAssignments: expiryAssignmentsOf(programs),
  }
}

/**
 * The day that an order's spending is drawn on, fixed when it begins to redeem: the hold's, the order's own, or today's if the order is placed again, as
 * what it gave back may have been spent or reinstated since. One that is the order's own moves with it (decision 139). Also the day it is drawn on now.
 */
export function spendingDays({
  order,
  recorded,
  own,
  hold,
  today,
  timeZone,
}: Readonly<{
  order: Order
  recorded: Order | undefined
  own: PlayerHistory['own']
  hold: Redemption | undefined
  today: PlainDate
  timeZone: Program['timeZone']
}>): { day: PlainDate; dayBefore: PlainDate | undefined } {
  const dayBefore = own.find(({ points }) => points !== 0n)?.day
  const orderDay = localDay(order.at, timeZone)
  if (dayBefore === undefined) return { day: hold?.heldOn ?? (own.length > 0 ? today : orderDay), dayBefore }
  const isOnOrderDay = recorded !== undefined && dayBefore === localDay(recorded.at, timeZone)
  return { day: isOnOrderDay ? orderDay : dayBefore, dayBefore }
}

/** Why the order may not use the hold that it names, lapsed or not. As the history is this player's, so is the hold. */
function refusalOfHold(hold: Redemption | undefined, { id }: Order): HoldRefusal | undefined {
  if (hold === undefined) return 'unknown'
  if (hold.orderId !== undefined && hold.orderId !== id) return 'of-another-order'
  if (hold.state === 'confirmed') return 'spent'
  return hold.state === 'voided' ? 'voided' : undefined
}

/** Why the order's spending may not move to another day. It need not be a multiple of the step: an order may give back any part. */
function refusalOfMove(change: Change): RedeemRefusal | undefined {
  const { after, redeem, day, dayBefore, history } = change
  if (after === 0n || day === dayBefore) return undefined
  if (after <= mostOnEveryDay(history, day, change, { ...redeem, step: 1n }).most) return undefined
  return mostOnEveryDay(history, day, change, redeem)
}

/** Why the order may not redeem more than before. */
function checkRedemption(change: Change): RedeemRefusal | undefined {
  const { order, facts, published, before, after, redeem, covered, day, dayBefore, history, now } = change
  const broken = brokenLimit(after, redeem)
  if (broken !== undefined) return broken
  const seen = withProductAttributes(order, facts, published.program)
  const limit = redeemLimitFor(seen, facts.player, facts.prices, published.program)
  if (!('most' in limit) || after > limit.most) return limit
  if (after <= covered) return undefined
  const most = mostOnEveryDay(history, day, change, redeem)
  if (after > most.most) return most
  if (before === 0n || day !== dayBefore) return undefined
  // The increase is drawn on the order's day too, but must not draw on points expired since: those may already have been reinstated (decision 139).
  const ended = reinstatement(history, { day, before: after, after: before }, change, redeem)
  if (ended === undefined) return undefined
  const drawn = { ...history, movements: [...history.movements, debitOn(day, before)] }
  const held = sumSpent(heldMovements(history.redemptions, now))
  return { kind: 'not-enough', most: before, available: freePoints(drawn, change) + held, held, why: 'expired-since' }
}

/**
 * The difference, then the points given back that have expired in the meantime. All name the redemption that spent the points, even if the order now
 * names another.
 */
function buildPostings(change: Change): Posting[] {
  const { order, recorded, published, before, after, redeem, redemptionId, day, dayBefore = day, history, now } = change
  const common = { userId: order.userId, counts: false, ...(redemptionId === '' ? {} : { redemptionId }) }
  const debit = (points: Points, at: Instant, on: PlainDate): Posting => {
    const terms = termsOfDebit(published.program, on)
    return { ...common, kind: 'redemption', points, at, day: on, ...(terms === undefined ? {} : { terms }) }
  }
  const was = recorded?.order ?? order
  const isInPlace = was.at === order.at && dayBefore === day
  const debits = isInPlace
    ? [debit(before - after, order.at, day)]
    : [debit(before, was.at, dayBefore), debit(-after, order.at, day)]
  const restored =
    after < before ? reinstatement(history, { day, dayBefore, before, after }, change, redeem) : undefined
  const reinstated: Posting[] = restored === undefined ? [] : [{ ...common, kind: 'reinstated', at: now, ...restored }]
  return [...debits.filter(({ points }) => points !== 0n), ...reinstated]
}

/** A hold belongs to one order from its first use. */
function holdAfter(hold: Redemption, { order, after, day }: Change): Redemption {
  if (after === 0n) return { ...hold, points: after }
  const { heldUntil: _, ...rest } = hold
  return { ...rest, state: 'used', orderId: order.id, points: after, heldOn: day }
}
