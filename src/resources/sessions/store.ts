import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A console session as stored, without its cookie. Moments are RFC 3339, `last_used_at` to the minute. */
export type StoredSession = Readonly<{
  session_id: string
  digest: string
  token_id: string
  /** Null for a token that belongs to one process and is never stored. */
  token_name: string | null
  browser: string
  created_at: string
  last_used_at: string
  expires_at: string
}>

/** How many sessions a service keeps in memory, newest first. */
const SESSIONS_MAX = 1_000
/** How many sessions are kept for each token, newest first. */
const SESSIONS_OF_TOKEN_MAX = 20
const CODES_MAX = 100

const listSql = sqlFile(import.meta.url, 'sessions-list')
const insertSql = sqlFile(import.meta.url, 'sessions-insert')
const pruneSql = sqlFile(import.meta.url, 'sessions-prune')
const endSql = sqlFile(import.meta.url, 'sessions-end')
const usedSql = sqlFile(import.meta.url, 'sessions-used')
const insertCodeSql = sqlFile(import.meta.url, 'sign-in-codes-insert')
const useCodeSql = sqlFile(import.meta.url, 'sign-in-codes-use')

/** The sessions that are valid at `at` and have been used after `usedSince`; newest first. */
export async function selectSessions(db: Queryable, at: string, usedSince: string): Promise<StoredSession[]> {
  return db.query<StoredSession>(listSql, [at, usedSince, SESSIONS_MAX])
}

export type NewSession = Omit<StoredSession, 'last_used_at' | 'token_name'>

/** Stores a session, and deletes those that have expired or have not been used since a moment. */
export async function insertSession(tx: Queryable, session: NewSession, usedSince: string): Promise<void> {
  const { session_id, digest, token_id, browser, created_at, expires_at } = session
  await tx.query(insertSql, [session_id, digest, token_id, browser, created_at, expires_at])
  await tx.query(pruneSql, [created_at, usedSince, SESSIONS_OF_TOKEN_MAX])
}

/** Ends a session. Whether there was one. */
export async function deleteSession(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(endSql, [id])).length === 1
}

/** Records when sessions were last used; each id must occur once, `timestamps` are RFC 3339. */
export async function noteSessionsUsed(
  tx: Queryable,
  ids: readonly string[],
  timestamps: readonly string[],
): Promise<void> {
  await tx.query(usedSql, [ids, timestamps])
}

/** Stores a sign-in code. `digest` is hex; moments are RFC 3339. */
export async function insertSignInCode(
  tx: Queryable,
  code: Readonly<{ digest: string; tokenId: string; at: string; expiresAt: string }>,
): Promise<void> {
  await tx.query(insertCodeSql, [code.digest, code.tokenId, code.at, code.expiresAt, CODES_MAX - 1])
}

/** Redeems a code for a session and returns its token's id; undefined if the code is unknown, used or expired. */
export async function useSignInCode(
  tx: Queryable,
  code: Readonly<{ digest: string; at: string; sessionId: string }>,
): Promise<string | undefined> {
  const [row] = await tx.query<{ token_id: string }>(useCodeSql, [code.digest, code.at, code.sessionId])
  return row?.token_id
}
