import { readerOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { noteSessionsUsed, type StoredSession, selectSessions } from '../../store/sessions.ts'
import type { Deps } from '../deps.ts'
import { SESSION_IDLE_MS, type SessionCache } from './session-cache.ts'

const TIMEOUT_MS = 5_000

/** The sessions that have not ended, newest first. Errors: Unavailable. */
export async function listSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  const at = now()
  const usedSince = new Date(at.getTime() - SESSION_IDLE_MS)
  return selectSessions(readerOf(db, deadlineAt), at.toISOString(), usedSince.toISOString())
}

/** The same, and those that nobody has used for long: of a use that is not stored yet only the cache knows. Errors: Unavailable. */
export async function listUnexpiredSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  return selectSessions(readerOf(db, deadlineAt), now().toISOString(), '-infinity')
}

/** Notes in the database which sessions were used, to the minute, so that every process knows which are idle. Errors: Unavailable. */
export async function noteSessionUse(db: Db, sessions: SessionCache): Promise<void> {
  const used = sessions.usedSince()
  if (used.size === 0) return
  // Sorted, so that two processes never wait for each other in a circle.
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
