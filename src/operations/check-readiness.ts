import type { Db } from '../store/db/transaction.ts'

const TIMEOUT_MS = 1_000

/** Whether requests can be answered now: the database answers within a second, and could write when it last had to. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  if (!db.healthy()) return false
  return db.read('select 1 as one', [], performance.now() + TIMEOUT_MS).then(
    () => true,
    () => false,
  )
}
