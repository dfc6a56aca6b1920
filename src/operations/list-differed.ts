import { readerOf } from '../store/db/reader.ts'
import { type DifferedPrediction, listDiffered } from '../store/differed-predictions.ts'
import type { Deps } from './deps.ts'
import { readLimit } from './pages.ts'

/** The last orders that came to something else than was predicted, the newest first; `limit` as in a page. Errors: InvalidInput, Unavailable. */
export async function listLastDiffered(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<readonly DifferedPrediction[]> {
  return listDiffered(readerOf(deps.db, deadlineAt), readLimit(limit))
}
