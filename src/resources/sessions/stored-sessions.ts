import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../shared/deps.ts'
import { SESSION_IDLE_MS, type SessionCache } from './cache.ts'
import { noteSessionsUsed, type StoredSession, selectSessions } from './store.ts'

const TIMEOUT_MS = 5_000

/** The sessions that are still valid, newest first. Errors: Unavailable. */
export async function listSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  const at = now()
  const usedSince = new Date(at.getTime() - SESSION_IDLE_MS)
  return selectSessions(readerOf(db, deadlineAt), at.toISOString(), usedSince.toISOString())
}

/** The same, including idle ones, because a recent use may be known only to the cache. Errors: Unavailable. */
export async function listUnexpiredSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  return selectSessions(readerOf(db, deadlineAt), now().toISOString(), '-infinity')
}

/** Writes to the database which sessions were used, to the minute, so that every process knows which are idle. Errors: Unavailable. */
export async function noteSessionUse(db: Db, sessions: SessionCache): Promise<void> {
  const used = sessions.usedSince()
  if (used.size === 0) return
  // Sorted, so that processes never deadlock.
  const ids = [...used.keys()].sort()
  await db.transaction(
    (tx) =>
      noteSessionsUsed(
        tx,
        ids,
        ids.map((id) => used.get(id)!),
      ),
    performance.now() + TIMEOUT_MS,
  )
}
