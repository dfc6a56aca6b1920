import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../store/db/transaction.ts'
import { backfillStatistics } from '../../store/statistics.ts'
import { foldStatistics } from './fold-statistics.ts'

/** Some 100 ms of the embedded database, for which all others wait. */
const PAGE_ENTRIES = 2_000
const TIMEOUT_MS = 60_000

/**
 * Counts entries from before days were kept, a page at a time, until all are counted or `isStopping`; it rests as long as it has worked, so that
 * others come first. Of several processes one does a page. `onProgress` is called with how many are counted, of about how many. Errors:
 * Unavailable; the next run goes on where this one ended.
 */
export async function backfillAll(
  db: Db,
  isStopping: () => boolean,
  onProgress: (far: Readonly<{ counted: number; entries: number }>) => void = () => undefined,
): Promise<void> {
  for (let isLeft = true; isLeft && !isStopping(); ) {
    const startedAt = performance.now()
    const page = await db.transaction((tx) => backfillStatistics(tx, PAGE_ENTRIES), startedAt + TIMEOUT_MS)
    if (page === undefined) return
    onProgress(page)
    await foldStatistics(db)
    isLeft = !page.done
    if (isLeft) await sleep(performance.now() - startedAt)
  }
}
