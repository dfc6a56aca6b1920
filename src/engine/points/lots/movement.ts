/*
 * What moves a balance: points given and spent, summed by day and terms.
 */
import type { Entry, Terms } from '../model.ts'
import { NEVER } from '../pending-and-expiry.ts'
import type { PlainDate, Points } from '../units.ts'

/**
 * The sum of the entries of one local day that share the same terms. A single movement may be negative, where it takes points back; the sums over
 * movements of equal day and terms are never below 0.
 */
export type Movement = Terms & Readonly<{ day: PlainDate; given: Points; spent: Points }>

/** Whether an entry spends points, or takes back that they were spent. */
export function isSpending({ kind, points, adjustment }: Pick<Entry, 'kind' | 'points' | 'adjustment'>): boolean {
  return kind === 'redemption' || (kind === 'adjustment' && points < 0n !== (adjustment?.undone === true))
}

/** The movement of a single ledger entry. */
export function toMovement(entry: Pick<Entry, 'kind' | 'points' | 'at' | 'day' | 'terms' | 'adjustment'>): Movement {
  const { points } = entry
  const day = entry.day ?? entry.at.slice(0, 10)
  const isSpent = isSpending(entry)
  const { usableOn, expiresOn, slides } = entry.terms ?? { usableOn: day, expiresOn: NEVER, slides: false }
  return { usableOn, expiresOn, slides, day, given: isSpent ? 0n : points, spent: isSpent ? -points : 0n }
}

/** A movement that spends `points` on a day. */
export function debitOn(day: PlainDate, points: Points): Movement {
  return { day, usableOn: day, expiresOn: NEVER, slides: false, given: 0n, spent: points }
}
