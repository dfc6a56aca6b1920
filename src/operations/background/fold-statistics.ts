import type { Db } from '../../store/db/transaction.ts'
import { FOLD_ROWS_MAX, foldTallies } from '../../store/statistics.ts'

/** The pause between two foldings. What is not folded yet counts all the same: whoever asks adds it. */
export const FOLD_MS = 1_000

const TIMEOUT_MS = 10_000
/** A long import fills the inbox faster than one round empties it; predictions pass between the rounds. */
const FOLD_FOR_MS = 5_000

/** Folds what the ledger's transactions have tallied into days and months, until nothing is left or some seconds are over. Errors: Unavailable. */
export async function foldStatistics(db: Db): Promise<void> {
  const endAt = performance.now() + FOLD_FOR_MS
  let folded = FOLD_ROWS_MAX
  while (folded === FOLD_ROWS_MAX && performance.now() < endAt)
    folded = await db.transaction(foldTallies, performance.now() + TIMEOUT_MS)
}
