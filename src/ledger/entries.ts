import type { Columns } from '../database/db/columns.ts'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { type Explanation, explanationOf, isReferred } from '../engine/points/explanation.ts'
import type { Adjustment } from '../engine/points/ledger/adjust.ts'
import { adjustmentKey } from '../engine/points/ledger/pending-ledger.ts'
import { type WindowQuery, windowKey } from '../engine/points/ledger/snapshot.ts'
import type { Entry, RevisionChange } from '../engine/points/model.ts'
import type { RecordedOutcome } from '../engine/points/prediction-difference.ts'
import type { Instant, Points } from '../engine/points/units.ts'
import type { OrderKey } from './recorded-orders.ts'

const pageSql = sqlFile(import.meta.url, 'entries-page')
const firstSql = sqlFile(import.meta.url, 'entries-first')
const adjustmentsSql = sqlFile(import.meta.url, 'entries-adjustments')
const sumsSql = sqlFile(import.meta.url, 'entries-window-sums')

export const ENTRY_COLUMNS: Columns<Entry> = {
  user_id: ['text', ({ userId }) => userId],
  seq: ['bigint', ({ seq }) => seq],
  kind: ['text', ({ kind }) => kind],
  points: ['bigint', ({ points }) => points],
  counts: ['boolean', ({ counts }) => counts],
  order_id: ['text', ({ order }) => order?.id],
  revision: ['bigint', ({ order }) => order?.revision],
  program_version: ['bigint', ({ order }) => order?.program],
  at: ['timestamptz', ({ at }) => at],
  adjustment_id: ['text', ({ adjustment }) => adjustment?.id],
  redemption_id: ['text', ({ redemption }) => redemption?.id],
  reason: ['text', ({ adjustment, redemption }) => (adjustment ?? redemption)?.reason],
  day: ['date', ({ day }) => day],
  booked_day: ['date', ({ bookedDay: postingDate }) => postingDate],
  change: ['text', ({ order, adjustment }) => order?.change ?? (adjustment?.undone && 'undone')],
  by: ['text', ({ by }) => by],
  usable_on: ['date', ({ terms }) => terms?.usableOn],
  expires_on: ['date', ({ terms }) => terms?.expiresOn],
  slides: ['boolean', ({ terms }) => terms?.slides],
  explanation: ['json', ({ order }) => order?.prediction && JSON.stringify(explanationOf(order.prediction))],
}

/** An entry as stored. Points and numbers are strings, `explanation` is JSON. */
export type StoredEntry = Readonly<{
  seq: string
  kind: string
  points: string
  counts: boolean
  order_id: string | null
  revision: string | null
  program: number | null
  at: string
  recorded_at: string
  change: RevisionChange | 'undone' | null
  adjustment_id: string | null
  redemption_id: string | null
  reason: string | null
  usable_on: string | null
  expires_on: string | null
  spent_on: string | null
  explanation: string | null
}>

/** At most `limit` entries of a player with a sequence number below `before`, newest first. */
export async function listEntries(
  db: Queryable,
  userId: string,
  { before, limit }: { before: bigint; limit: number },
): Promise<StoredEntry[]> {
  return db.query<StoredEntry>(pageSql, [userId, String(before), limit])
}

/** Those of the given adjustments that are in the ledger, keyed by `adjustmentKey`. */
export async function listAdjustments(
  db: Queryable,
  adjustments: readonly Pick<Adjustment, 'userId' | 'id'>[],
): Promise<ReadonlyMap<string, Entry>> {
  type Row = Readonly<{
    user_id: string
    id: string
    seq: string
    points: string
    counts: boolean
    reason: string
    at: string
    usable_on: string | null
    expires_on: string | null
    slides: boolean | null
    day: string
    change: string | null
  }>
  const rows = await db.query<Row>(adjustmentsSql, [
    adjustments.map(({ userId }) => userId),
    adjustments.map(({ id }) => id),
  ])
  return new Map(
    rows.map(({ user_id: userId, id, seq, points, counts, reason, at, usable_on, expires_on, slides, day, change }) => [
      adjustmentKey(userId, id),
      {
        userId,
        seq: BigInt(seq),
        kind: 'adjustment',
        points: BigInt(points),
        counts,
        at,
        day,
        ...(usable_on === null ? {} : { terms: { usableOn: usable_on, expiresOn: expires_on!, slides: slides! } }),
        adjustment: { id, reason, ...(change === 'undone' ? { undone: true } : {}) },
      },
    ]),
  )
}

/** The sums over windows that were asked for, keyed by `windowKey`. */
export async function listWindowSums(
  db: Queryable,
  queries: readonly WindowQuery[],
): Promise<ReadonlyMap<string, bigint>> {
  const column = (name: keyof WindowQuery) => queries.map((query) => query[name])
  const rows = await db.query<{ place: number; sum: string }>(sumsSql, [
    column('userId'),
    column('orderId'),
    column('from'),
    column('to'),
  ])
  return new Map(rows.map(({ place, sum }) => [windowKey(queries[place - 1]!), BigInt(sum)]))
}

/**
 * The outcome of each order's first recording, and the points that the order gave at `knownAt` (RFC 3339), in the order given; undefined if it was
 * not recorded by then.
 */
export async function listFirstOutcomes(
  db: Queryable,
  orders: readonly OrderKey[],
  knownAt: Instant,
): Promise<(Readonly<{ first: RecordedOutcome; pointsThen: Points }> | undefined)[]> {
  type Row = Readonly<
    Record<'at' | 'points' | 'explanation' | 'points_then', string> & { place: number; program: number }
  >
  const rows = await db.query<Row>(firstSql, [
    orders.map(({ userId }) => userId),
    orders.map(({ orderId }) => orderId),
    knownAt,
  ])
  const byPlace = new Map(
    rows.map(({ place, at, points, program, explanation, points_then }) => {
      const first = outcomeOf({ at, points: BigInt(points), program }, JSON.parse(explanation))
      return [place, { first, pointsThen: BigInt(points_then) }]
    }),
  )
  return orders.map((_, index) => byPlace.get(index + 1))
}

function outcomeOf(
  first: Pick<RecordedOutcome, 'at' | 'points' | 'program'>,
  explanation: Explanation,
): RecordedOutcome {
  const { level } = explanation
  return {
    ...first,
    levelAfter: level.after,
    levelPoints: BigInt(level.counted) - first.points,
    referred: isReferred(explanation),
  }
}
