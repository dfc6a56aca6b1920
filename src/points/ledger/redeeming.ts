/*
 * What an order spends of its player's points (decision 139). An order never pays for itself: it is held against the account without any entry of it.
 */
import { dayAfterPeriod } from '../calendar.ts'
import { localDay } from '../local-time.ts'
import { balanceOn, dayOfView, debitOn, type LateEnd, lateEndsOf, type Movement } from '../lots.ts'
import type { Facts, Order, RecordedOrder, Redemption, Terms } from '../model.ts'
import type { PublishedProgram, RedeemRules } from '../program-model.ts'
import { bookedDayAt } from '../programs.ts'
import { brokenLimit, mostFor, type RedeemLimit, redeemedBy } from '../redeem-rules.ts'
import { termsOfDebit } from '../terms.ts'
import type { Day, Moment, Points } from '../units.ts'
import type { Posting } from './postings.ts'
import { isSameState } from './revision.ts'
import type { PlayerHistory } from './snapshot.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** Why points are not redeemed. `available` counts what is held, too; `most` is what could be redeemed now. */
export type RedeemRefusal = Readonly<
  | RedeemLimit
  | { limit: 'not-enough'; most: Points; available: Points; held: Points }
  | { limit: 'hold'; id: string; why: HoldRefusal }
>

export type HoldRefusal = 'unknown' | 'of-another-order' | 'spent' | 'voided' | 'changed'

/** What an order posts for what it redeems, the hold that it uses or leaves, and holds that it finds lapsed. */
export type Redeeming = Readonly<{ postings: readonly Posting[]; redemptions: readonly Redemption[] }>

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
 * What the order redeems beside what it redeemed so far: the difference, drawn on the day of the order, or of the hold. Where less is redeemed,
 * it is as if it had never been spent; what has ended meanwhile is given anew if the program says so.
 */
export function redeemFor(input: RedeemInput, ledger: WorkingLedger): Redeeming | { refused: RedeemRefusal } {
  const { order, recorded, published, programs, now } = input
  const redeemed = redeemedBy(order)
  const before = recorded === undefined ? 0n : redeemedBy(recorded.order)
  if (redeemed === 0n && before === 0n) return NOTHING
  if (recorded !== undefined && isSameState(recorded.order, order)) return NOTHING
  const { redeem } = published.program
  if (redeem === undefined) return { refused: { limit: 'no-redeem' } }
  const redemptionId = (before > 0n ? recorded!.order.redemptionId : order.redemptionId) ?? ''
  if (before > 0n && redeemed > 0n && (order.redemptionId ?? '') !== redemptionId)
    return { refused: { limit: 'hold', id: order.redemptionId!, why: 'changed' } }
  const history = ledger.history({ userId: order.userId, orderId: order.id, redemptionId })
  const hold = holdOf(redemptionId, order, history)
  if ('refused' in hold) return hold
  const today = bookedDayAt(programs, now)
  const context = { now, today, lateEnds: lateEndsOf(programs), history, hold: hold.hold }
  const draw = drawOf(input, redeemed, before, context)
  if (redeemed > before) {
    const refused = refusalOf(input, redeemed, draw, redeem, context)
    if (refused !== undefined) return { refused }
  } else if (redeemed % redeem.step !== 0n) return { refused: { limit: 'step', step: redeem.step } }
  return {
    postings: [
      ...debitPostings(input, redeemed, before, draw.day),
      ...reinstatedPostings(input, { redeemed, before, day: draw.day, redeem }, context),
    ],
    redemptions: [
      ...(hold.hold === undefined ? [] : [holdAfter(hold.hold, order, redeemed, draw)]),
      ...(redeemed > before ? lapsedBeside(redemptionId, history, now) : []),
    ],
  }
}

type Context = Readonly<{
  now: Moment
  today: Day
  lateEnds: readonly LateEnd[]
  history: PlayerHistory
  hold: Redemption | undefined
}>

/** The redemption that the order names; it is this player's as it was asked for by player. */
function holdOf(
  id: string,
  order: Order,
  { redemptions }: PlayerHistory,
): { hold: Redemption | undefined } | { refused: RedeemRefusal } {
  if (id === '') return { hold: undefined }
  const hold = redemptions.find((one) => one.id === id)
  const refused = (why: HoldRefusal) => ({ refused: { limit: 'hold', id, why } }) as const
  if (hold === undefined) return refused('unknown')
  if (hold.orderId !== undefined && hold.orderId !== order.id) return refused('of-another-order')
  if (hold.state === 'confirmed') return refused('spent')
  return hold.state === 'voided' ? refused('voided') : { hold }
}

/** The day that the order draws on, and how many of its points a living hold covers. */
type Draw = Readonly<{ day: Day; covered: Points }>

/** An order that is placed again draws anew, on today's points: what it gave back has moved on. */
function drawOf(
  { order, published }: RedeemInput,
  redeemed: Points,
  before: Points,
  { now, today, history, hold }: Context,
): Draw {
  const drawn = history.own.find(({ points }) => points !== 0n)
  if (drawn !== undefined && (before > 0n || redeemed === 0n)) return { day: drawn.day, covered: 0n }
  if (hold !== undefined && isLiving(hold, now)) return { day: hold.heldOn, covered: hold.points }
  const day = history.own.length > 0 ? today : localDay(order.at, published.program.timeZone)
  return { day, covered: 0n }
}

/** Whether a hold holds at a moment: it lapses by the clock alone. */
export function isLiving({ state, heldUntil }: Redemption, now: Moment): boolean {
  return state === 'held' && heldUntil !== undefined && heldUntil > now
}

/** Whether a hold has lapsed: by the clock, or for good. */
export function hasLapsed(redemption: Redemption, now: Moment): boolean {
  return redemption.state === 'lapsed' || (redemption.state === 'held' && !isLiving(redemption, now))
}

/**
 * The holds beside one that have lapsed by our clock, for good: whoever spends where they stood writes that down, so that nobody whose clock is behind
 * takes them for living and spends the same points (decision 154).
 */
export function lapsedBeside(
  id: string,
  { redemptions }: Pick<PlayerHistory, 'redemptions'>,
  now: Moment,
): Redemption[] {
  return redemptions
    .filter((one) => one.id !== id && one.state === 'held' && hasLapsed(one, now))
    .map(({ heldUntil: _, ...hold }) => ({ ...hold, state: 'lapsed' }))
}

/** What is held at a moment, as debits of the days of the holds. */
export function heldMovements(redemptions: readonly Redemption[], now: Moment): Movement[] {
  return redemptions.filter((hold) => isLiving(hold, now)).map(({ heldOn, points }) => debitOn(heldOn, points))
}

function refusalOf(
  { order, facts, published }: RedeemInput,
  redeemed: Points,
  { day, covered }: Draw,
  redeem: RedeemRules,
  { now, today, lateEnds, history, hold }: Context,
): RedeemRefusal | undefined {
  const broken = brokenLimit(redeemed, redeem)
  if (broken !== undefined) return broken
  const most = mostFor(order, facts.player, facts.prices, published.program)
  if (!('most' in most) || redeemed > most.most) return most
  if (redeemed <= covered) return undefined
  const others = history.redemptions.filter((one) => one !== hold)
  return guard({ movements: history.movements, redemptions: others }, debitOn(day, redeemed), {
    ...{ now, today, lateEnds, overdraft: redeem.overdraft, step: redeem.step },
  })
}

/** Whether a debit fits an account with its holds: what is then available may be as low as the overdraft (decision 140). */
export function guard(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  debit: Movement,
  {
    now,
    today,
    lateEnds,
    overdraft,
    step,
  }: Pick<Context, 'now' | 'today' | 'lateEnds'> & Pick<RedeemRules, 'overdraft' | 'step'>,
): RedeemRefusal | undefined {
  const holds = heldMovements(redemptions, now)
  const known = [...movements, ...holds]
  const day = dayOfView(today, [...known, debit])
  const after = balanceOn(day, [...known, debit], lateEnds).available
  if (after >= -overdraft) return undefined
  const free = balanceOn(day, known, lateEnds).available
  const held = holds.reduce((sum, { spent }) => sum + spent, 0n)
  const most = free + overdraft > 0n ? free + overdraft : 0n
  return { limit: 'not-enough', most: most - (most % step), available: free + held, held }
}

/** What can be redeemed of an account now: neither what is held nor an overdraft. */
export function freeOf({
  history: { movements, redemptions },
  now,
  today,
  lateEnds,
}: Pick<Context, 'now' | 'today' | 'lateEnds' | 'history'>): Points {
  const known = [...movements, ...heldMovements(redemptions, now)]
  return balanceOn(dayOfView(today, known), known, lateEnds).available
}

function debitPostings(
  { order, recorded, published }: RedeemInput,
  after: Points,
  before: Points,
  day: Day,
): Posting[] {
  const terms = termsOfDebit(published.program, day)
  const own = {
    userId: order.userId,
    kind: 'redemption',
    counts: false,
    day,
    ...(terms === undefined ? {} : { terms }),
  } as const
  const posting = (points: Points, { at, redemptionId }: Order): Posting => ({
    ...own,
    points,
    at,
    ...(redemptionId === undefined ? {} : { redemptionId }),
  })
  const isInPlace = recorded !== undefined && recorded.order.at === order.at
  const postings = isInPlace
    ? [posting(before - after, order)]
    : [...(recorded === undefined ? [] : [posting(before, recorded.order)]), posting(-after, order)]
  return postings.filter(({ points }) => points !== 0n)
}

/** What comes back of points that have ended meanwhile, as new ones. */
function reinstatedPostings(
  { order }: RedeemInput,
  { redeemed, before, day, redeem }: Readonly<{ redeemed: Points; before: Points; day: Day; redeem: RedeemRules }>,
  context: Context,
): Posting[] {
  if (redeemed >= before) return []
  const { history, now, today, lateEnds } = context
  const known = [...history.movements, ...heldMovements(history.redemptions, now)]
  const given = reinstated(known, { day, before, after: redeemed }, { today, lateEnds, redeem })
  if (given === undefined) return []
  const { userId, redemptionId } = order
  const own = {
    userId,
    kind: 'reinstated',
    counts: false,
    at: now,
    ...(redemptionId === undefined ? {} : { redemptionId }),
  } as const
  return [{ ...own, ...given }]
}

/** Of a debit that becomes less the part that comes back ended, with a new end; undefined where there is none, or the program gives none. */
export function reinstated(
  movements: readonly Movement[],
  { day, before, after }: Readonly<{ day: Day; before: Points; after: Points }>,
  { today, lateEnds, redeem }: Readonly<{ today: Day; lateEnds: readonly LateEnd[]; redeem: RedeemRules }>,
): { points: Points; day: Day; terms: Terms } | undefined {
  if (redeem.givenBack === undefined) return undefined
  const on = dayOfView(today, [...movements, debitOn(day, before)])
  const expiredWith = (points: Points) => balanceOn(on, [...movements, debitOn(day, points)], lateEnds).expired
  const lost = expiredWith(after) - expiredWith(before)
  if (lost <= 0n) return undefined
  return {
    points: lost,
    day: on,
    terms: { usableOn: on, expiresOn: dayAfterPeriod(on, redeem.givenBack), slides: false },
  }
}

/** A hold belongs to one order from its first use. */
function holdAfter(hold: Redemption, { id }: Order, redeemed: Points, { day }: Draw): Redemption {
  if (redeemed === 0n) return { ...hold, points: redeemed }
  const { heldUntil: _, ...rest } = hold
  return { ...rest, state: 'used', orderId: id, points: redeemed, heldOn: day }
}
