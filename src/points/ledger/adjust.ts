/*
 * Points that no order earned: corrections, gifts, balances that members bring along. Pure, as recording orders is.
 */

import type { Account, Entry } from '../model.ts'
import { afterPosting, fitsWire } from './account.ts'
import type { Lookup } from './snapshot.ts'

/** A change of a player's points; `id` is the client's, and makes it safe to repeat. */
export type Adjustment = Readonly<{ id: string; userId: string; points: bigint; counts: boolean; reason: string }>

/** Accounts of all known players among those asked about, and the adjustments that are there, by `adjustmentKey`. */
export type KnownAdjustments = Readonly<{ accounts: Lookup<Account>; made: Lookup<Entry> }>

export function adjustmentKey(userId: string, id: string): string {
  return JSON.stringify([userId, id])
}

/** Why an adjustment is not made; `too-many-points`: the account would leave the safe range. */
export type AdjustmentRefusal = 'unknown-player' | 'other-content' | 'too-many-points'

export type AdjustmentVerdict = Readonly<{ refused: AdjustmentRefusal } | { done: 'inserted' | 'unchanged' }>

/**
 * Makes adjustments, one after the other, each id of a player once. The same id with other content is refused, never taken for another.
 * Answers the verdicts in the order sent, the accounts that changed, and the new entries, with `at` as their moment.
 */
export function adjust(
  adjustments: readonly Adjustment[],
  known: KnownAdjustments,
  at: string,
): { verdicts: AdjustmentVerdict[]; accounts: Map<string, Account>; entries: Entry[] } {
  const accounts = new Map<string, Account>()
  const entries: Entry[] = []
  const made = new Map<string, Entry>()
  const verdicts = adjustments.map(({ id, userId, points, counts, reason }): AdjustmentVerdict => {
    const before = accounts.get(userId) ?? known.accounts.get(userId)
    if (before === undefined) return { refused: 'unknown-player' }
    const key = adjustmentKey(userId, id)
    const there = made.get(key) ?? known.made.get(key)
    if (there !== undefined) {
      const isSame = there.points === points && there.counts === counts && there.adjustment?.reason === reason
      return isSame ? { done: 'unchanged' } : { refused: 'other-content' }
    }
    const after = afterPosting(before, { points, counts })
    if (!fitsWire(after.points) || !fitsWire(after.levelPoints)) return { refused: 'too-many-points' }
    const entry: Entry = {
      userId,
      seq: after.entries,
      kind: 'adjustment',
      points,
      counts,
      at,
      adjustment: { id, reason },
    }
    accounts.set(userId, after)
    entries.push(entry)
    made.set(key, entry)
    return { done: 'inserted' }
  })
  return { verdicts, accounts, entries }
}
