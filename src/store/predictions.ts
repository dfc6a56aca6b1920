import type { PredictedOutcome } from '../points/deviation.ts'
import type { Moment, OrderId, Points, UserId } from '../points/units.ts'
import { type Columns, columnLists, columnParts } from './db/columns.ts'
import type { Queryable } from './db/driver.ts'
import { LAST_KEY } from './db/key-page.ts'
import { sqlFile } from './db/sql-file.ts'
import type { TimeRange } from './db/time-range.ts'

/** A prediction as it is kept: who asked for which order, what was answered, and digests of what it was computed from. */
export type KeptPrediction = Readonly<{
  /** A UUID: two predictions of one order may fall into one millisecond. */
  id: string
  userId: UserId
  orderId: OrderId
  /** RFC 3339. */
  predictedAt: string
  tokenId: string
  points: Points
  /** Whether a referral code counted. */
  referred: boolean
  levelBefore: string
  levelAfter: string
  programVersion: number
  /** In hex, as the other two digests. */
  orderDigest: string
  playerDigest: string
  pricesDigest: string
  durationUs: number
  /** How many predictions of its second, on its replica, were kept ... */
  kept: number
  /** ... of how many. */
  seen: number
  /** The order's moment, RFC 3339. */
  orderedAt: string
}>

const COLUMNS: Columns<KeptPrediction> = {
  user_id: ['text', ({ userId }) => userId],
  order_id: ['text', ({ orderId }) => orderId],
  predicted_at: ['timestamptz', ({ predictedAt }) => predictedAt],
  prediction_id: ['uuid', ({ id }) => id],
  token_id: ['text', ({ tokenId }) => tokenId],
  points: ['bigint', ({ points }) => points],
  referred: ['boolean', ({ referred }) => referred],
  level_before: ['text', ({ levelBefore }) => levelBefore],
  level_after: ['text', ({ levelAfter }) => levelAfter],
  program_version: ['bigint', ({ programVersion }) => programVersion],
  order_digest: ['bytea', ({ orderDigest }) => `\\x${orderDigest}`],
  player_digest: ['bytea', ({ playerDigest }) => `\\x${playerDigest}`],
  prices_digest: ['bytea', ({ pricesDigest }) => `\\x${pricesDigest}`],
  duration_us: ['bigint', ({ durationUs }) => durationUs],
  kept: ['bigint', ({ kept }) => kept],
  seen: ['bigint', ({ seen }) => seen],
  ordered_at: ['timestamptz', ({ orderedAt }) => orderedAt],
}

const insertSql = sqlFile('predictions-insert', columnParts(COLUMNS, []))
const lastSql = sqlFile('predictions-last')
const sharesSql = sqlFile('predictions-shares')
const ofPlayerSql = sqlFile('predictions-of-player')
const deleteSql = sqlFile('predictions-delete')

/** Writes predictions; those that are there already stay as they are. */
export async function insertPredictions(tx: Queryable, predictions: readonly KeptPrediction[]): Promise<void> {
  await tx.query(insertSql, columnLists(COLUMNS, predictions))
}

/** A span of an order's life, (`after`, `upTo`], RFC 3339; without `after` from its beginning. */
export type OrderSpan = Readonly<{ userId: UserId; orderId: OrderId; after: string | undefined; upTo: string }>

type LastRow = Readonly<{
  place: number
  told: Readonly<{
    points: string
    level_after: string
    referred: boolean
    program: number
    at: Moment | null
    order: string
    player: string
    prices: string
  }>
}>

/** The last prediction kept of each order within its span, in the order of asking; undefined where none is kept. */
export async function listLastPredictions(
  db: Queryable,
  orders: readonly OrderSpan[],
): Promise<(PredictedOutcome | undefined)[]> {
  const column = (name: keyof OrderSpan) => orders.map((order) => order[name] ?? '-infinity')
  const rows = await db.query<LastRow>(lastSql, [column('userId'), column('orderId'), column('after'), column('upTo')])
  const found = new Map(rows.map(({ place, told }) => [place, toldOf(told)]))
  return orders.map((_, index) => found.get(index + 1))
}

function toldOf({
  points,
  level_after,
  referred,
  program,
  at,
  order,
  player,
  prices,
}: LastRow['told']): PredictedOutcome {
  return {
    points: BigInt(points),
    levelAfter: level_after,
    referred,
    program,
    at: at ?? undefined,
    digests: { order, player, prices },
  }
}

export const PREDICTION_OUTCOMES = [
  'not-recorded',
  'came-true',
  'differed',
  'not-compared',
  'asked-again',
  'recorded-before',
] as const

/** What one player was told, and what became of it: with the database's names; moments are RFC 3339. Of what did not differ, `reasons` and the rest are null. */
export type ToldPrediction = Readonly<{
  order_id: string
  predicted_at: string
  prediction_id: string
  by: string
  points: number
  level: string
  program: number
  outcome: (typeof PREDICTION_OUTCOMES)[number]
  reasons: string | null
  recorded_points: number | null
  recorded_level: string | null
  recorded_program: number | null
  recorded_at: string | null
}>

/** Of a player's kept predictions at most `limit` before one, the last order id and the newest first. Orders recorded at `comparedBefore` (RFC 3339) or later are not compared yet. */
export async function listPredictionsOfPlayer(
  db: Queryable,
  [userId, orderId, predictedAt, id]: PredictionKey,
  limit: number,
  comparedBefore: string,
): Promise<ToldPrediction[]> {
  return db.query<ToldPrediction>(ofPlayerSql, [userId, orderId, predictedAt, id, limit, comparedBefore])
}

/** The key of a kept prediction. */
export type PredictionKey = readonly [userId: UserId, orderId: OrderId, predictedAt: string, id: string]

/** From here on all predictions follow. */
export const FIRST_PREDICTION: PredictionKey = ['', '', '-infinity', '00000000-0000-0000-0000-000000000000']

/**
 * Of the next `limit` predictions after one, by key: how many were made in a span, and for how many they stand as the samples they are.
 * `last` is where the page ends, null after the last prediction.
 */
export async function countShares(
  db: Queryable,
  after: PredictionKey,
  limit: number,
  { from, to }: TimeRange,
): Promise<{ kept: number; seen: number; last: PredictionKey | null }> {
  const rows = await db.query<{ kept: number; seen: string; last: PredictionKey | null }>(sharesSql, [
    ...after,
    limit,
    from,
    to,
  ])
  return { ...rows[0]!, seen: Number(rows[0]!.seen) }
}

/** Before it lie all predictions of a player. */
export function lastPredictionOf(userId: UserId): PredictionKey {
  return [userId, LAST_KEY, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
}

/** Deletes at most `rowsMax` predictions from before a moment (RFC 3339), the oldest first. Answers how many. */
export async function deletePredictions(tx: Queryable, before: string, rowsMax: number): Promise<number> {
  const [done] = await tx.query<{ deleted: number }>(deleteSql, [before, rowsMax])
  return done!.deleted
}
