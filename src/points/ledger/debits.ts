/*
 * Whether points can be spent, and what becomes of points that are given back (decisions 140 and 141).
 */
import { dayAfterPeriod } from '../calendar.ts'
import { balanceAsOf, balanceOn, dayOfView, debitOn, type LateEnd, type Movement } from '../lots.ts'
import type { Terms } from '../model.ts'
import type { RedeemRules } from '../program-model.ts'
import type { RedeemLimit } from '../redeem-rules.ts'
import type { Day, Moment, Points } from '../units.ts'
import { heldMovements, sumSpent } from './holds.ts'
import type { PlayerHistory } from './snapshot.ts'

/** Why points are not redeemed. `available` counts what is held, too; `most` is what could be redeemed now. */
export type RedeemRefusal = Readonly<
  | RedeemLimit
  | { limit: 'not-enough'; most: Points; available: Points; held: Points }
  | { limit: 'hold'; id: string; why: HoldRefusal }
>

/** Why an order may not use the hold that it names. */
export type HoldRefusal = 'unknown' | 'of-another-order' | 'spent' | 'voided' | 'changed'

/** When a balance is looked at: the moment, its local day, and the versions that give an end to points that had none. */
export type BalanceView = Readonly<{ now: Moment; today: Day; lateEnds: readonly LateEnd[] }>

/** Why a debit does not fit an account with its holds; undefined where it does. It may leave as little as the overdraft below 0 (decision 140). */
export function refusalOfDebit(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  debit: Movement,
  { now, today, lateEnds }: BalanceView,
  { overdraft, step }: Pick<RedeemRules, 'overdraft' | 'step'>,
): RedeemRefusal | undefined {
  const holds = heldMovements(redemptions, now)
  const known = [...movements, ...holds]
  const day = dayOfView(today, [...known, debit])
  const after = balanceOn(day, [...known, debit], lateEnds).available
  if (after >= -overdraft) return undefined
  const free = balanceOn(day, known, lateEnds).available
  const held = sumSpent(holds)
  const most = free + overdraft > 0n ? free + overdraft : 0n
  return { limit: 'not-enough', most: most - (most % step), available: free + held, held }
}

/** What can be spent of an account now: without what is held, and without an overdraft. Below 0 where points are owed. */
export function freePoints(
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  { now, today, lateEnds }: BalanceView,
): Points {
  const known = [...movements, ...heldMovements(redemptions, now)]
  return balanceAsOf(today, known, lateEnds).available
}

/**
 * The points that a debit gives back after they have ended, with a new end, where it drops from `before` to `after`; undefined where none have ended,
 * or the program gives no new end. `movements` are without the debit.
 */
export function reinstatement(
  movements: readonly Movement[],
  { day, before, after }: Readonly<{ day: Day; before: Points; after: Points }>,
  { today, lateEnds }: Pick<BalanceView, 'today' | 'lateEnds'>,
  redeem: RedeemRules,
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
