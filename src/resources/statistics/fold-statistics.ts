import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../database/db/transaction.ts'
import { backfillStatistics, FOLD_ROWS_MAX, foldTallies } from '../../ledger/tallies.ts'

/** The pause between two runs. Tallies not folded yet are not missing from figures: queries add them. */
export const FOLD_MS = 1_000

const TIMEOUT_MS = 10_000
/** A long import adds tallies faster than one round folds them; predictions can run between rounds. */
const FOLD_FOR_MS = 5_000

/** Folds the ledger's tallies into days and months, until none are left or a few seconds have passed. Errors: Unavailable. */
export async function foldStatistics(db: Db): Promise<void> {
  const endAt = performance.now() + FOLD_FOR_MS
  let folded = FOLD_ROWS_MAX
  while (folded === FOLD_ROWS_MAX && performance.now() < endAt)
    folded = await db.transaction(foldTallies, performance.now() + TIMEOUT_MS)
}

/** About 100 ms of the embedded database, which blocks everyone else. */
const PAGE_ENTRIES = 2_000
const PAGE_TIMEOUT_MS = 60_000

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
    const page = await db.transaction((tx) => backfillStatistics(tx, PAGE_ENTRIES), startedAt + PAGE_TIMEOUT_MS)
    if (page === undefined) return
    onProgress(page)
    await foldStatistics(db)
    isLeft = !page.done
    if (isLeft) await sleep(performance.now() - startedAt)
  }
}
