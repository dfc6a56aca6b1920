/*
 * What recording an order would do to its player's balance (decision 139).
 */
import { withProductAttributes } from '../attributes.ts'
import { localDay } from '../local-time.ts'
import { type Balance, balanceOn, dayOfView, type Lot, lotsDrawn } from '../lots/balance.ts'
import { debitOn, type Movement, toMovement } from '../lots/movement.ts'
import { computePointTerms, expiryAssignmentsOf, NEVER } from '../pending-and-expiry.ts'
import type { PublishedProgram } from '../program-model.ts'
import { postingDateAt } from '../programs.ts'
import { paidBy, paysText, redeemedBy, redeemLimitFor } from '../redeem-rules.ts'
import type { Instant, PlainDate, Points } from '../units.ts'
import { mostOnEveryDay } from './debits.ts'
import type { Evaluation } from './evaluate-order.ts'
import { heldMovements, isActiveHold, sumSpent } from './holds.ts'
import { dayOfPosting } from './postings.ts'
import { spendingDays } from './redeem-with-order.ts'
import type { PlayerHistory } from './snapshot.ts'

/** Everything is as of today, even if the order lies in the past. `before` excludes all entries of this order. */
export type PredictedBalance = Readonly<{
  before: Spendable
  earns: Readonly<{ points: Points; usableOn: PlainDate; expiresOn: PlainDate }>
  redeems: Readonly<{ points: Points; pays: string; from: readonly Lot[] }>
  /** The most that this order could redeem now; absent where the program has no `redeem`. */
  redeemable?: Readonly<{ most: Points; pays: string }>
  after: Spendable & Readonly<{ lots: readonly Lot[] }>
}>

/** `available` includes held points. */
export type Spendable = Readonly<{ available: Points; pending: Points; held: Points }>

/** A player's history with (`complete`) and without (`withoutOrder`) the entries of the order in question. */
type HistoriesOfOrder = Readonly<{ complete: PlayerHistory; withoutOrder: PlayerHistory }>

/** The balance after recording the evaluated order: its postings on top of the stored history. `now` is RFC 3339. */
export function predictedBalance(
  { order, recorded, prediction, published, facts, postings, redemptions }: Evaluation,
  { complete, withoutOrder }: HistoriesOfOrder,
  programs: readonly PublishedProgram[],
  now: Instant,
): PredictedBalance {
  const { program } = published
  const { redeem } = program
  const expiryAssignments = expiryAssignmentsOf(programs)
  const holds = heldMovements(withoutOrder.redemptions, now)
  const active = withoutOrder.redemptions.find((one) => one.id === order.redemptionId && isActiveHold(one, now))
  const others = { ...withoutOrder, redemptions: withoutOrder.redemptions.filter((one) => one !== active) }
  const usesHold = redemptions.some(({ id }) => id === order.redemptionId)
  const holdsAfter = usesHold ? heldMovements(others.redemptions, now) : holds
  const posted = postings
    .filter(({ userId }) => userId === order.userId)
    .map((posting) => toMovement({ ...posting, day: dayOfPosting(posting, program) }))
  const orderDay = localDay(order.at, program.timeZone)
  const terms = computePointTerms(program, order) ?? { usableOn: orderDay, expiresOn: NEVER }
  const redeemed = redeemedBy(order)
  const booked = postingDateAt(programs, now)
  const { day: drawnOn } = spendingDays({
    ...{ order, recorded: recorded?.order, own: withoutOrder.own, hold: active },
    ...{ today: booked, timeZone: program.timeZone },
  })
  const debit = redeemed === 0n ? [] : [debitOn(drawnOn, redeemed)]
  const today = dayOfView(booked, [...complete.movements, ...posted, ...holds])
  const view = (all: readonly Movement[]) => balanceOn(today, all, expiryAssignments)
  const after = view([...complete.movements, ...posted, ...holdsAfter])
  const pays = (points: Points) => paysText(redeem === undefined ? 0n : paidBy(points, redeem), program.money.decimals)
  const covered = active?.points ?? 0n
  const seen = withProductAttributes(order, facts, program)
  const limit = redeemLimitFor(seen, facts.player, facts.prices, program)
  const free = redeem && mostOnEveryDay(others, drawnOn, { now, today: booked, expiryAssignments }, redeem).most
  const most = free === undefined ? undefined : mostNow(free > covered ? free : covered, limit, redeem!)
  return {
    before: spendable(view([...withoutOrder.movements, ...holds]), holds),
    earns: { points: prediction.points, usableOn: terms.usableOn, expiresOn: terms.expiresOn },
    redeems: {
      points: redeemed,
      pays: pays(redeemed),
      from: debit.flatMap((one) => lotsDrawn(one, [...withoutOrder.movements, ...holdsAfter], expiryAssignments)),
    },
    ...(most === undefined ? {} : { redeemable: { most, pays: pays(most) } }),
    after: { ...spendable(after, holdsAfter), lots: after.lots },
  }
}

function spendable({ available, pending }: Balance, holds: readonly Movement[]): Spendable {
  const held = sumSpent(holds)
  return { available: available + held, pending, held }
}

function mostNow(
  free: Points,
  limit: ReturnType<typeof redeemLimitFor>,
  { step, least }: Readonly<{ step: Points; least: Points }>,
): Points {
  if (!('most' in limit)) return 0n
  const most = free < limit.most ? free : limit.most
  const whole = most - (most % step)
  return whole < least ? 0n : whole
}
