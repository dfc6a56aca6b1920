/*
 * Where the points of each source stand: what a report of points is made of.
 */
import type { ExpiryAssignment } from '../pending-and-expiry.ts'
import type { PlainDate, Points } from '../units.ts'
import { foldAll, type OpenLot } from './fold.ts'
import type { Movement } from './movement.ts'

/** A movement labelled with the source of its points. */
export type SourcedMovement = Movement & Readonly<{ source: string }>

/** Where the points of one source stand on a day: `given` equals `pending + open + spent + expired`. */
type SourceBreakdown = Readonly<{ given: Points; pending: Points; open: Points; spent: Points; expired: Points }>

/**
 * Breaks the points of each source down by where they stand on a day. Lots with the same expiry are drawn in the order in which they became
 * usable, then by source. `owed` is spending that no source has covered yet. Summed over all sources, `pending`, `expired` and `open - owed`
 * equal those of `balanceOn`. Errors: AssertionError if anything is spent after `day`.
 */
export function breakdownBySource(
  day: PlainDate,
  movements: readonly SourcedMovement[],
  expiryAssignments: readonly ExpiryAssignment[],
): { breakdowns: ReadonlyMap<string, SourceBreakdown>; owed: Points } {
  const { usable, expired, pending, debt } = foldAll(day, movements, expiryAssignments)
  const restBySource = (lots: readonly OpenLot[]) =>
    sumsBySource(lots.map(({ source, rest }) => ({ source, points: rest })))
  const givenBy = sumsBySource(movements.map(({ source, given }) => ({ source, points: given })))
  const [pendingOf, openOf, expiredOf] = [sumsBySource(pending), restBySource(usable), restBySource(expired)]
  const breakdownOf = (source: string): SourceBreakdown => {
    const parts = { pending: pendingOf(source), open: openOf(source), expired: expiredOf(source) }
    const given = givenBy(source)
    return { given, ...parts, spent: given - parts.pending - parts.open - parts.expired }
  }
  return { breakdowns: new Map(movements.map(({ source }) => [source, breakdownOf(source)])), owed: debt }
}

/** The sum of a source's points; 0 for an unknown one. */
function sumsBySource(parts: readonly Readonly<{ source: string; points: Points }>[]): (source: string) => Points {
  const sums = new Map<string, Points>()
  for (const { source, points } of parts) sums.set(source, (sums.get(source) ?? 0n) + points)
  return (source) => sums.get(source) ?? 0n
}
