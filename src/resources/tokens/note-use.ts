import type { Db } from '../../database/db/transaction.ts'
import type { TokenCache } from './cache.ts'
import { noteTokensUsed } from './store.ts'

const TIMEOUT_MS = 5_000

/** Writes to the database which tokens were used since the last call, to the hour, outside any request. Errors: Unavailable. */
export async function noteUse(db: Db, tokens: TokenCache): Promise<void> {
  const used = tokens.takeUsed()
  if (used.size === 0) return
  // Sorted, so that processes never deadlock.
  const ids = [...used.keys()].sort()
  const hours = ids.map((id) => used.get(id)!)
  await db.transaction((tx) => noteTokensUsed(tx, ids, hours), performance.now() + TIMEOUT_MS)
}
