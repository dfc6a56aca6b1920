import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../database/db/transaction.ts'
import { backfillStatistics } from '../../ledger/tallies.ts'
import { foldStatistics } from './fold-statistics.ts'

/** About 100 ms of the embedded database, which blocks everyone else. */
const PAGE_ENTRIES = 2_000
const TIMEOUT_MS = 60_000

/**
 * Counts entries recorded before entries had days, a page at a time, until all are counted or `isStopping`. Pauses after each page for as long
 * as the page took, so that others come first; only one process works on a page. `onProgress` is called with how many entries have been
 * counted, out of about how many. Errors: Unavailable; the next run continues where this one stopped.
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
