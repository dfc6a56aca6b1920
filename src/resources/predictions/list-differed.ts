import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../shared/deps.ts'
import { readLimit } from '../../shared/routes/pages.ts'
import { type DifferedPrediction, listDiffered } from './differed-predictions.ts'

/** The latest orders that came out differently from their prediction, newest first; `limit` as in a page. Errors: InvalidInput, Unavailable. */
export async function listLastDiffered(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<readonly DifferedPrediction[]> {
  return listDiffered(readerOf(deps.db, deadlineAt), readLimit(limit))
}
