import { type Columns, columnLists, columnParts } from '../../database/db/columns.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { LAST_KEY } from '../../database/db/key-page.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { TimeRange } from '../../database/db/time-range.ts'
import type { PredictedOutcome } from '../../engine/points/prediction-difference.ts'
import type { Instant, OrderId, Points, UserId } from '../../engine/points/units.ts'
import { type ErasureKey, replaceableIds } from '../../ledger/erasures.ts'

/** A prediction as stored: who asked about which order, what was answered, and digests of the inputs. */
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
  /** In hex, like the other two digests. */
  orderDigest: string
  playerDigest: string
  pricesDigest: string
  durationUs: number
  /** How many predictions of the same second and replica were kept ... */
  kept: number
  /** ... out of how many. */
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

const insertSql = sqlFile(import.meta.url, 'predictions-insert', columnParts(COLUMNS, [], 3))
const lastSql = sqlFile(import.meta.url, 'predictions-last')
const sampleCountsSql = sqlFile(import.meta.url, 'predictions-sample-counts')
const ofPlayerSql = sqlFile(import.meta.url, 'predictions-of-player')
const deleteSql = sqlFile(import.meta.url, 'predictions-delete')

/** Writes predictions; those already stored are left unchanged, those of erased players left out. */
export async function insertPredictions(
  tx: Queryable,
  predictions: readonly KeptPrediction[],
  erasureKey: ErasureKey,
): Promise<void> {
  const replaceable = replaceableIds(
    erasureKey,
    predictions.map(({ userId }) => userId),
  )
  await tx.query(insertSql, [...replaceable, ...columnLists(COLUMNS, predictions)])
}

/** An order, and until when it was predicted: RFC 3339, included. */
export type OrderUpTo = Readonly<{ userId: UserId; orderId: OrderId; upTo: string }>

type LastRow = Readonly<{
  place: number
  predicted: Readonly<{
    points: string
    level_after: string
    referred: boolean
    program: number
    at: Instant | null
    order: string
    player: string
    prices: string
  }>
}>

/** The last stored prediction of each order up to a moment, in the order given; undefined if there is none. */
export async function listLastPredictions(
  db: Queryable,
  orders: readonly OrderUpTo[],
): Promise<(PredictedOutcome | undefined)[]> {
  const column = (name: keyof OrderUpTo) => orders.map((order) => order[name])
  const rows = await db.query<LastRow>(lastSql, [column('userId'), column('orderId'), column('upTo')])
  const byPlace = new Map(rows.map(({ place, predicted }) => [place, outcomeIn(predicted)]))
  return orders.map((_, index) => byPlace.get(index + 1))
}

function outcomeIn({
  points,
  level_after,
  referred,
  program,
  at,
  order,
  player,
  prices,
}: LastRow['predicted']): PredictedOutcome {
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

/**
 * A stored prediction and how it turned out, under the database's names; moments are RFC 3339. Where it did not differ, `reasons` and the
 * recorded values are null.
 */
export type StoredPrediction = Readonly<{
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

/**
 * At most `limit` of a player's stored predictions before one, by descending order id, newest first. Orders recorded at `comparedBefore`
 * (RFC 3339) or later have not been compared yet.
 */
export async function listPredictionsOfPlayer(
  db: Queryable,
  [userId, orderId, predictedAt, id]: PredictionKey,
  limit: number,
  comparedBefore: string,
): Promise<StoredPrediction[]> {
  return db.query<StoredPrediction>(ofPlayerSql, [userId, orderId, predictedAt, id, limit, comparedBefore])
}

/** The key of a stored prediction. */
export type PredictionKey = readonly [userId: UserId, orderId: OrderId, predictedAt: string, id: string]

/** Below the key of every prediction. */
export const LOWEST_PREDICTION_KEY: PredictionKey = ['', '', '-infinity', '00000000-0000-0000-0000-000000000000']

/**
 * Of the next `limit` stored predictions after one, by key: how many were made in a time range (`kept`), and how many answered predictions
 * this sample represents (`seen`). `last` is the last key of the page, null after the last prediction.
 */
export async function countSampledPredictions(
  db: Queryable,
  after: PredictionKey,
  limit: number,
  { from, to }: TimeRange,
): Promise<{ kept: number; seen: number; last: PredictionKey | null }> {
  const rows = await db.query<{ kept: number; seen: string; last: PredictionKey | null }>(sampleCountsSql, [
    ...after,
    limit,
    from,
    to,
  ])
  return { ...rows[0]!, seen: Number(rows[0]!.seen) }
}

/** Above the keys of all predictions of a player. */
export function highestPredictionKey(userId: UserId): PredictionKey {
  return [userId, LAST_KEY, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
}

/** Deletes at most `rowsMax` predictions from before a moment (RFC 3339), oldest first. Returns how many. */
export async function deletePredictions(tx: Queryable, before: string, rowsMax: number): Promise<number> {
  const [done] = await tx.query<{ deleted: number }>(deleteSql, [before, rowsMax])
  return done!.deleted
}
