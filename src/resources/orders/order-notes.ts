/*
 * What people should know about orders that were recorded, or would be: those that came out of order, those that points have overpaid, and
 * those whose ids were probably used again.
 */
import type { RecordNote, RecordVerdict } from '../../bulk/summary.ts'
import type { Accepted } from '../../engine/ingest/batch.ts'
import type { SentOrder } from '../../engine/points/model.ts'
import type { Instant, Points, UserId } from '../../engine/points/units.ts'

type NotedVerdict = Readonly<
  | { refused: unknown }
  | { done: RecordVerdict; outcome: { at: Instant; program: number }; overpaid: Points; usedAgain?: Instant }
>

type Known = Readonly<{
  /** The moments of the players' latest orders, before this list. */
  latest: ReadonlyMap<UserId, Instant>
  /** The versions of the program that look at history. */
  lookingAtHistory: ReadonlySet<number>
}>

/** Notes on the orders of a list, in the order sent; `verdicts` has one for each (decisions 123 and 139). */
export function notesOnOrders(
  accepted: readonly Accepted<SentOrder>[],
  verdicts: readonly NotedVerdict[],
  { latest, lookingAtHistory }: Known,
): RecordNote[] {
  const latestOf = new Map(latest)
  return verdicts.flatMap((verdict, index): RecordNote[] => {
    if ('refused' in verdict) return []
    const { position, key, record } = accepted[index]!
    const { done, outcome, overpaid, usedAgain } = verdict
    const before = latestOf.get(record.userId)
    if (before === undefined || outcome.at > before) latestOf.set(record.userId, outcome.at)
    const isOlder = before !== undefined && outcome.at < before
    const isLate = done === 'inserted' && isOlder && lookingAtHistory.has(outcome.program)
    return [
      ...(isLate ? [{ position, key, kind: 'out-of-order' as const, text: lateText(before) }] : []),
      ...(overpaid > 0n && done !== 'unchanged'
        ? [{ position, key, kind: 'overpaid' as const, points: overpaid, text: overpaidText(overpaid) }]
        : []),
      ...(usedAgain === undefined
        ? []
        : [{ position, key, kind: 'used-again' as const, orderedAt: usedAgain, text: usedAgainText(usedAgain) }]),
    ]
  })
}

const lateText = (latest: Instant) =>
  `it is older than an order of ${latest} recorded before it: the program uses the order history, so both may earn other points than in chronological order`

const overpaidText = (points: Points) =>
  `${points === 1n ? '1 point pays' : `${points} points pay`} more than the value of the order: send it with fewer points_redeemed to refund them`

const usedAgainText = (recorded: Instant) =>
  `the order recorded under this ID is of ${recorded} and has other amounts or lines: if its number was reused, send the new order under another ID`
