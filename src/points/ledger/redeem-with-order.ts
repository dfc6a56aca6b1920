/*
 * What an order spends of its player's points (decision 139). An order never pays for itself: it is checked against the account without its own entries.
 */
import { localDay } from '../local-time.ts'
import { debitOn, expiryAssignmentsOf } from '../lots.ts'
import type { Facts, Order, RecordedOrder, Redemption } from '../model.ts'
import type { PublishedProgram, RedeemRules } from '../program-model.ts'
import { bookedDayAt } from '../programs.ts'
import { brokenLimit, redeemedBy, redeemLimitFor } from '../redeem-rules.ts'
import { termsOfDebit } from '../terms.ts'
import type { Day, Moment, Points } from '../units.ts'
import {
  type BalanceView,
  freePoints,
  type HoldRefusal,
  type RedeemRefusal,
  refusalOfDebit,
  refusalOfReinstated,
  reinstatement,
} from './debits.ts'
import { heldMovements, isActiveHold, lapsedHoldsBeside, sumSpent } from './holds.ts'
import type { Posting } from './postings.ts'
import { isSameState } from './revision.ts'
import type { PlayerHistory } from './snapshot.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** What an order posts for the points it redeems, the hold that it uses or releases, and any holds found to have lapsed. */
type Redeeming = Readonly<{ postings: readonly Posting[]; redemptions: readonly Redemption[] }>

const NOTHING: Redeeming = { postings: [], redemptions: [] }

export type RedeemInput = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: Facts
  published: PublishedProgram
  programs: readonly PublishedProgram[]
  now: Moment
}>

/**
 * What the order posts so that it redeems the points it states: the difference from what it has redeemed so far, drawn on the day of the order or of
 * the hold. If it redeems less, the rest counts as never spent; points among it that have since expired are reinstated if the program says so.
 */
export function redeemFor(input: RedeemInput, ledger: WorkingLedger): Redeeming | { refused: RedeemRefusal } {
  const { order, recorded, published, programs, now } = input
  const redeemed = redeemedBy(order)
  const before = recorded === undefined ? 0n : redeemedBy(recorded.order)
  if (redeemed === 0n && before === 0n) return NOTHING
  if (recorded !== undefined && isSameState(recorded.order, order)) return NOTHING
  const { redeem } = published.program
  if (redeem === undefined) return { refused: { kind: 'no-redeem' } }
  const redemptionId = (before > 0n ? recorded!.order.redemptionId : order.redemptionId) ?? ''
  if (redeemed > 0n && (order.redemptionId ?? '') !== redemptionId)
    return { refused: { kind: 'hold', id: order.redemptionId!, why: 'changed' } }
  // A new order has no entries to leave out, so that all new orders of a player need the same history.
  const orderId = recorded === undefined ? '' : order.id
  const history = ledger.history({ userId: order.userId, orderId, redemptionId })
  const hold = holdOf(redemptionId, order, history)
  if ('refused' in hold) return hold
  const today = bookedDayAt(programs, now)
  const context = { now, today, expiryAssignments: expiryAssignmentsOf(programs), history, hold: hold.hold }
  const draw = drawOf(input, context)
  if (redeemed > before) {
    const refused = refusalOf(input, { redeemed, before }, draw, redeem, context)
    if (refused !== undefined) return { refused }
  }
  return {
    postings: [
      ...debitPostings(input, { redeemed, before, day: draw.day, redemptionId }),
      ...reinstatedPostings(input, { redeemed, before, day: draw.day, redemptionId, redeem }, context),
    ],
    redemptions: [
      ...(hold.hold === undefined ? [] : [holdAfter(hold.hold, order, redeemed, draw)]),
      ...(redeemed > before ? lapsedHoldsBeside(redemptionId, history, now) : []),
    ],
  }
}

type Context = BalanceView & Readonly<{ history: PlayerHistory; hold: Redemption | undefined }>

/** The hold that the order names, lapsed or not. As the history is this player's, so is the hold. */
function holdOf(
  id: string,
  order: Order,
  { redemptions }: PlayerHistory,
): { hold: Redemption | undefined } | { refused: RedeemRefusal } {
  if (id === '') return { hold: undefined }
  const hold = redemptions.find((one) => one.id === id)
  const refused = (why: HoldRefusal) => ({ refused: { kind: 'hold', id, why } }) as const
  if (hold === undefined) return refused('unknown')
  if (hold.orderId !== undefined && hold.orderId !== order.id) return refused('of-another-order')
  if (hold.state === 'confirmed') return refused('spent')
  return hold.state === 'voided' ? refused('voided') : { hold }
}

/** The day that the order draws on, and how many of its points an active hold covers. */
type Draw = Readonly<{ day: Day; covered: Points }>

/** An order that is placed again draws on today's points: those that it gave back may have been spent or reinstated since. */
function drawOf({ order, published }: RedeemInput, { now, today, history, hold }: Context): Draw {
  const drawn = history.own.find(({ points }) => points !== 0n)
  if (drawn !== undefined) return { day: drawn.day, covered: 0n }
  if (hold !== undefined && isActiveHold(hold, now)) return { day: hold.heldOn, covered: hold.points }
  const day = history.own.length > 0 ? today : localDay(order.at, published.program.timeZone)
  return { day, covered: 0n }
}

function refusalOf(
  { order, facts, published }: RedeemInput,
  { redeemed, before }: Readonly<{ redeemed: Points; before: Points }>,
  { day, covered }: Draw,
  redeem: RedeemRules,
  { history, hold, ...view }: Context,
): RedeemRefusal | undefined {
  const broken = brokenLimit(redeemed, redeem)
  if (broken !== undefined) return broken
  const most = redeemLimitFor(order, facts.player, facts.prices, published.program)
  if (!('most' in most) || redeemed > most.most) return most
  if (redeemed <= covered) return undefined
  const others = history.redemptions.filter((one) => one !== hold)
  const known = { ...history, redemptions: others }
  const debit = debitOn(day, redeemed)
  const refused = refusalOfDebit(known, debit, view, redeem)
  if (refused !== undefined) return refused
  if (before === 0n) return refusalOfReinstated(known, debit, view, redeem)
  // The increase is drawn on the order's day too, but must not draw on points expired since: those may already have been reinstated (decision 141).
  const ended = reinstatement(known, { day, before: redeemed, after: before }, view, redeem)
  if (ended === undefined) return undefined
  const drawn = { ...known, movements: [...known.movements, debitOn(day, before)] }
  const held = sumSpent(heldMovements(others, view.now))
  return { kind: 'not-enough', most: before, available: freePoints(drawn, view) + held, held, expiredSince: true }
}

/** How many points the order redeems and has redeemed, drawn on which day, by which redemption (empty for none). */
type Debit = Readonly<{ redeemed: Points; before: Points; day: Day; redemptionId: string }>

/** What is given back names the redemption that spent it, even if the order now names another. */
function debitPostings(
  { order, recorded, published }: RedeemInput,
  { redeemed, before, day, redemptionId }: Debit,
): Posting[] {
  const terms = termsOfDebit(published.program, day)
  const own = {
    userId: order.userId,
    kind: 'redemption',
    counts: false,
    day,
    ...(terms === undefined ? {} : { terms }),
    ...(redemptionId === '' ? {} : { redemptionId }),
  } as const
  const posting = (points: Points, { at }: Order): Posting => ({ ...own, points, at })
  const isInPlace = recorded !== undefined && recorded.order.at === order.at
  const postings = isInPlace
    ? [posting(before - redeemed, order)]
    : [...(recorded === undefined ? [] : [posting(before, recorded.order)]), posting(-redeemed, order)]
  return postings.filter(({ points }) => points !== 0n)
}

/** Reinstates the points given back that have expired in the meantime. */
function reinstatedPostings(
  { order }: RedeemInput,
  { redeemed, before, day, redemptionId, redeem }: Debit & Readonly<{ redeem: RedeemRules }>,
  { history, ...view }: Context,
): Posting[] {
  if (redeemed >= before) return []
  const given = reinstatement(history, { day, before, after: redeemed }, view, redeem)
  if (given === undefined) return []
  const own = {
    userId: order.userId,
    kind: 'reinstated',
    counts: false,
    at: view.now,
    ...(redemptionId === '' ? {} : { redemptionId }),
  } as const
  return [{ ...own, ...given }]
}

/** A hold belongs to one order from its first use. */
function holdAfter(hold: Redemption, { id }: Order, redeemed: Points, { day }: Draw): Redemption {
  if (redeemed === 0n) return { ...hold, points: redeemed }
  const { heldUntil: _, ...rest } = hold
  return { ...rest, state: 'used', orderId: id, points: redeemed, heldOn: day }
}
