/*
 * A player's account: sums over their entries.
 */
import { WHOLE_MAX } from '../arithmetic.ts'
import type { Account, Entry } from '../model.ts'

export const EMPTY_ACCOUNT: Account = Object.freeze({ points: 0n, levelPoints: 0n, orders: 0n, entries: 0n, rev: 0n })

/** An account after one more entry. */
export function afterPosting(account: Account, { points, counts }: Pick<Entry, 'points' | 'counts'>): Account {
  return {
    ...account,
    points: account.points + points,
    levelPoints: account.levelPoints + (counts ? points : 0n),
    entries: account.entries + 1n,
  }
}

/** Whether JSON carries the points exactly: at most 2^53-1 either way (decision 34). */
export function fitsWire(points: bigint): boolean {
  return -WHOLE_MAX <= points && points <= WHOLE_MAX
}
