/*
 * Adjustments: points that no order earned, such as corrections, gifts and opening balances.
 */

import type { Account, Entry } from '../model.ts'
import type { Day, Moment, Points, UserId } from '../units.ts'
import { accountFitsWire, afterPosting } from './account.ts'
import type { Lookup } from './snapshot.ts'

/** A change of a player's points. The client's `id` makes it idempotent. */
export type Adjustment = Readonly<{ id: string; userId: UserId; points: Points; counts: boolean; reason: string }>

/** What is stored: accounts of all known players in question, and entries of adjustments made before, by `adjustmentKey`. */
export type KnownAdjustments = Readonly<{ accounts: Lookup<Account>; made: Lookup<Entry> }>

export function adjustmentKey(userId: UserId, id: string): string {
  return JSON.stringify([userId, id])
}

/** Why an adjustment is not made. `too-many-points`: JSON could not carry the account exactly (decision 34). */
export type AdjustmentRefusal = 'unknown-player' | 'other-content' | 'too-many-points'

export type AdjustmentVerdict = Readonly<{ refused: AdjustmentRefusal } | { done: 'inserted' | 'unchanged' }>

/** When adjustments are made: the moment, and its local day (decision 80). `by` is the id of the caller's token. */
export type Booking = Readonly<{ at: Moment; day: Day; by?: string }>

/**
 * Makes adjustments one after the other, each id of a player once: repeated it changes nothing, with other content it is refused.
 * Answers a verdict for each, in the order sent; the accounts that changed; and the new entries.
 */
export function adjust(
  adjustments: readonly Adjustment[],
  known: KnownAdjustments,
  { at, day, by }: Booking,
): { verdicts: AdjustmentVerdict[]; accounts: Map<string, Account>; entries: Entry[] } {
  const accounts = new Map<string, Account>()
  const entries: Entry[] = []
  const made = new Map<string, Entry>()
  const verdicts = adjustments.map(({ id, userId, points, counts, reason }): AdjustmentVerdict => {
    const before = accounts.get(userId) ?? known.accounts.get(userId)
    if (before === undefined) return { refused: 'unknown-player' }
    const key = adjustmentKey(userId, id)
    const earlier = made.get(key) ?? known.made.get(key)
    if (earlier !== undefined) {
      const isSame = earlier.points === points && earlier.counts === counts && earlier.adjustment?.reason === reason
      return isSame ? { done: 'unchanged' } : { refused: 'other-content' }
    }
    const after = afterPosting(before, { points, counts })
    if (!accountFitsWire(after)) return { refused: 'too-many-points' }
    const entry: Entry = {
      userId,
      seq: after.entries,
      kind: 'adjustment',
      points,
      counts,
      at,
      day,
      bookedDay: day,
      adjustment: { id, reason, ...(by === undefined ? {} : { by }) },
    }
    accounts.set(userId, after)
    entries.push(entry)
    made.set(key, entry)
    return { done: 'inserted' }
  })
  return { verdicts, accounts, entries }
}
