/*
 * A player's account. Its sums are stored alongside the entries they are derived from.
 */
import { WHOLE_MAX } from '../arithmetic.ts'
import type { Account, Entry } from '../model.ts'
import type { Points } from '../units.ts'

export const EMPTY_ACCOUNT: Account = Object.freeze({ points: 0n, levelPoints: 0n, orders: 0n, entries: 0n, rev: 0n })

/** The account after one more entry. `rev` is left unchanged: the writer counts writes. */
export function afterPosting(account: Account, { points, counts }: Pick<Entry, 'points' | 'counts'>): Account {
  return {
    ...account,
    points: account.points + points,
    levelPoints: account.levelPoints + (counts ? points : 0n),
    entries: account.entries + 1n,
  }
}

/** Whether JSON can carry both sums of the account exactly. */
export function accountFitsWire({ points, levelPoints }: Account): boolean {
  return fitsWire(points) && fitsWire(levelPoints)
}

/** Whether JSON can carry the points exactly: from -(2^53-1) to 2^53-1 (decision 20). */
export function fitsWire(points: Points): boolean {
  return -WHOLE_MAX <= points && points <= WHOLE_MAX
}
