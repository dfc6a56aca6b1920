import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import type { UserId } from '../../engine/points/units.ts'
import { isStorable, type Page, type PageQuery, readLimit, refuseCursor } from '../../routing/pages.ts'
import { COMPARE_AFTER_MS } from './comparisons.ts'
import { type DifferedPrediction, listDiffered } from './differed-predictions.ts'
import { highestPredictionKey, listPredictionsOfPlayer, type PredictionKey, type StoredPrediction } from './store.ts'

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)([0-9a-f-]{36})([^\0]{1,200})$/su

/**
 * Lists a page of a player's stored predictions with their outcomes, by descending order id, newest first.
 * Orders recorded in the last seconds have not been compared yet. Errors: InvalidInput, Unavailable.
 */
export async function listPlayerPredictions(
  deps: Deps,
  userId: UserId,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredPrediction>> {
  const limit = readLimit(query.limit)
  const before = query.after === undefined ? highestPredictionKey(userId) : readPredictionCursor(userId, query.after)
  const comparedBefore = new Date(deps.now().getTime() - 2 * COMPARE_AFTER_MS).toISOString()
  const fetched = await listPredictionsOfPlayer(readerOf(deps.db, deadlineAt), before, limit + 1, comparedBefore)
  const rows = fetched.slice(0, limit)
  return { rows, after: fetched.length > limit ? cursorAfter(rows.at(-1)!) : null }
}

function cursorAfter({ order_id, predicted_at, prediction_id }: StoredPrediction): string {
  return Buffer.from(`${predicted_at}${prediction_id}${order_id}`).toString('base64url')
}

function readPredictionCursor(userId: UserId, text: string): PredictionKey {
  const [, at, id, orderId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? refuseCursor(text)
  if (!isStorable(at!) || !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id!)) refuseCursor(text)
  return [userId, orderId!, at!, id!]
}

/** The latest orders that came out differently from their prediction, newest first; `limit` as in a page. Errors: InvalidInput, Unavailable. */
export async function listLastDiffered(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<readonly DifferedPrediction[]> {
  return listDiffered(readerOf(deps.db, deadlineAt), readLimit(limit))
}
