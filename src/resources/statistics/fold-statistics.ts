import type { Db } from '../../database/db/transaction.ts'
import { FOLD_ROWS_MAX, foldTallies } from '../../ledger/tallies.ts'

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
