import { readerOf } from '../store/db/reader.ts'
import { type DifferedPrediction, listDiffered } from '../store/differed-predictions.ts'
import type { Deps } from './deps.ts'
import { readLimit } from './pages.ts'

/** The latest orders that came out differently from their prediction, newest first; `limit` as in a page. Errors: InvalidInput, Unavailable. */
export async function listLastDiffered(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<readonly DifferedPrediction[]> {
  return listDiffered(readerOf(deps.db, deadlineAt), readLimit(limit))
}
