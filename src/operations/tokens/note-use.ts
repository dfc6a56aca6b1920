import type { Db } from '../../store/db/transaction.ts'
import { noteTokensUsed } from '../../store/tokens.ts'
import type { TokenCache } from './token-cache.ts'

const TIMEOUT_MS = 5_000

/** Notes in the database which tokens were used since it was called last, to the hour, so that no request pays for it. Errors: Unavailable. */
export async function noteUse(db: Db, tokens: TokenCache): Promise<void> {
  const used = tokens.takeUsed()
  if (used.size === 0) return
  // Sorted, so that two processes never wait for each other in a circle.
  const ids = [...used.keys()].sort()
  const hours = ids.map((id) => used.get(id)!)
  await db.transaction((tx) => noteTokensUsed(tx, ids, hours), performance.now() + TIMEOUT_MS)
}
