/*
 * Whether points can be spent, and which points are reinstated when they are given back (decision 139).
 */
import { dayAfterPeriod } from '../calendar.ts'
import { balanceAsOf, balanceOn, dayOfView } from '../lots/balance.ts'
import { availableBetween } from '../lots/fold.ts'
import { debitOn, type Movement } from '../lots/movement.ts'
import type { Terms } from '../model.ts'
import type { ExpiryAssignment } from '../pending-and-expiry.ts'
import type { RedeemRules } from '../program-model.ts'
import type { RedeemLimit } from '../redeem-rules.ts'
import type { Instant, PlainDate, Points } from '../units.ts'
import { heldMovements, sumSpent } from './holds.ts'
import type { PlayerHistory } from './snapshot.ts'

/**
 * Why points cannot be redeemed. `available` includes held points; `most` is what could be redeemed now, which is less than is available where an
 * order of a past day would draw on points that have expired since, or would overdraw a day since then.
 */
export type RedeemRefusal = Readonly<RedeemLimit | NotEnough | { kind: 'hold'; id: string; why: HoldRefusal }>

/** `why` there is less than is available today. */
export type NotEnough = Readonly<{
  kind: 'not-enough'
  most: Points
  available: Points
  held: Points
  why?: 'expired-since' | 'fewer-on-a-day'
}>

/** Why an order may not use the hold that it names. */
export type HoldRefusal = 'unknown' | 'of-another-order' | 'spent' | 'voided' | 'changed'

/** As of when a balance is computed: the moment, its local day, and the expiries that versions assign to points without one. */
export type BalanceView = Readonly<{ now: Instant; today: PlainDate; expiryAssignments: readonly ExpiryAssignment[] }>

/** Why an account, less its holds, does not cover a debit; undefined if it does. A debit may overdraw it by up to `overdraft` (decision 139). */
export function refusalOfDebit(
  account: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  debit: Movement,
  view: BalanceView,
  { overdraft, step }: Pick<RedeemRules, 'overdraft' | 'step'>,
): RedeemRefusal | undefined {
  const { balanceBefore, after, held } = aroundDebit(account, debit, view)
  if (after.available >= -overdraft) return undefined
  const { available } = balanceBefore()
  return refusalAbove(available + overdraft, step, { available: available + held, held })
}

/**
 * The most that an order may redeem on a day, in whole steps: the least that is available, plus the overdraft, at the end of any day from that one to
 * the latest of today and the days of spending, so that no day is overdrawn because of it (decision 139). It leaves alone the points that expired
 * since and were reinstated. It is a refusal of any more.
 */
export function mostOnEveryDay(
  account: Omit<PlayerHistory, 'own'>,
  day: PlainDate,
  view: BalanceView,
  { overdraft, step }: Pick<RedeemRules, 'overdraft' | 'step'>,
): NotEnough {
  const { withHolds, on, held } = asOfDebit(account, debitOn(day, 1n), view)
  const { least, last: available } = availableBetween(day, on, withHolds, view.expiryAssignments)
  const refusal = refusalAbove(least + overdraft, step, { available: available + held, held })
  const ofReinstated = refusalOfReinstated(account, debitOn(day, refusal.most), view, { step })
  if (ofReinstated !== undefined && ofReinstated.most < refusal.most) return ofReinstated
  return least < available ? { ...refusal, why: 'fewer-on-a-day' } : refusal
}

/** The points that can be spent now, excluding held points and any overdraft. Negative where points are owed. */
export function freePoints(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  { now, today, expiryAssignments }: BalanceView,
): Points {
  const withHolds = [...movements, ...heldMovements(redemptions, now)]
  return balanceAsOf(today, withHolds, expiryAssignments).available
}

/**
 * Why a debit on a past day draws on points that have been reinstated since they expired; undefined if it does not. Reinstated points stand for
 * expired ones: what a debit leaves of those must be as many as have been reinstated, or they could be spent twice (decision 139).
 */
export function refusalOfReinstated(
  { reinstated, ...account }: Omit<PlayerHistory, 'own'>,
  debit: Movement,
  view: BalanceView,
  { step }: Pick<RedeemRules, 'step'>,
): NotEnough | undefined {
  if (reinstated === 0n) return undefined
  const { balanceBefore, after, held } = aroundDebit(account, debit, view)
  const { available, expired } = balanceBefore()
  if (after.expired >= reinstated || after.expired === expired) return undefined
  return { ...refusalAbove(expired - reinstated, step, { available: available + held, held }), why: 'expired-since' }
}

/** An account without a debit and with it, less its holds, as of today or of the latest day of spending. */
function aroundDebit(account: Pick<PlayerHistory, 'movements' | 'redemptions'>, debit: Movement, view: BalanceView) {
  const { withHolds, on, held } = asOfDebit(account, debit, view)
  return {
    balanceBefore: () => balanceOn(on, withHolds, view.expiryAssignments),
    after: balanceOn(on, [...withHolds, debit], view.expiryAssignments),
    held,
  }
}

/** What is known of an account, holds included, and the day as of which a debit is judged: today, or the latest day of spending. */
function asOfDebit(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  debit: Movement,
  { now, today }: BalanceView,
) {
  const holds = heldMovements(redemptions, now)
  const withHolds = [...movements, ...holds]
  return { withHolds, on: dayOfView(today, [...withHolds, debit]), held: sumSpent(holds) }
}

/** The refusal of more than `most` points, in whole steps. */
function refusalAbove(
  most: Points,
  step: Points,
  { available, held }: Readonly<{ available: Points; held: Points }>,
): NotEnough {
  const allowed = most > 0n ? most : 0n
  return { kind: 'not-enough', most: allowed - (allowed % step), available, held }
}

/**
 * The points to reinstate, with a new expiry, when a debit is reduced from `before` to `after` and some of the points given back have expired in the
 * meantime. It was drawn on `dayBefore`, by default the day that the rest is drawn on. Undefined if none have, or if the program does not reinstate
 * points. `movements` exclude the debit; holds count as spent.
 */
export function reinstatement(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  {
    day,
    dayBefore = day,
    before,
    after,
  }: Readonly<{ day: PlainDate; dayBefore?: PlainDate; before: Points; after: Points }>,
  { now, today, expiryAssignments }: BalanceView,
  redeem: RedeemRules,
): { points: Points; day: PlainDate; terms: Terms } | undefined {
  if (redeem.givenBack === undefined) return undefined
  const withHolds = [...movements, ...heldMovements(redemptions, now)]
  const [drawn, left] = [debitOn(dayBefore, before), debitOn(day, after)]
  const on = dayOfView(today, [...withHolds, drawn, left])
  const expiredWith = (debit: Movement) => balanceOn(on, [...withHolds, debit], expiryAssignments).expired
  const lost = expiredWith(left) - expiredWith(drawn)
  if (lost <= 0n) return undefined
  return {
    points: lost,
    day: on,
    terms: { usableOn: on, expiresOn: dayAfterPeriod(on, redeem.givenBack), slides: false },
  }
}
