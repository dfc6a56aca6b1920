import type { Db } from '../database/db/transaction.ts'

const TIMEOUT_MS = 1_000

/** Whether requests can be served: the database answers within a second, and its last write did not fail. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  if (!db.healthy()) return false
  return db.read('select 1 as one', [], performance.now() + TIMEOUT_MS).then(
    () => true,
    () => false,
  )
}
