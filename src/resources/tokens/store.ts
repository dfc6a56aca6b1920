import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A token as stored, without its text. Moments are RFC 3339. */
export type StoredToken = Readonly<{
  token_id: string
  name: string
  digest: string
  scopes: readonly string[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** To the hour; null if unused since this began to be recorded. */
  last_used_at: string | null
}>

export type NewToken = Readonly<{
  id: string
  name: string
  digest: string
  scopes: readonly string[]
  at: string
  expiresAt: string | undefined
}>

/** How many tokens a service keeps in memory. */
export const TOKENS_MAX = 10_000

const listSql = sqlFile(import.meta.url, 'tokens-list')
const listValidSql = sqlFile(import.meta.url, 'tokens-list-valid')
const endSql = sqlFile(import.meta.url, 'tokens-end')
const insertSql = sqlFile(import.meta.url, 'tokens-insert')
const revokeSql = sqlFile(import.meta.url, 'tokens-revoke')
const anySql = sqlFile(import.meta.url, 'tokens-any')
const usedSql = sqlFile(import.meta.url, 'tokens-used')

/** All tokens, newest first, at most TOKENS_MAX. */
export async function selectTokens(db: Queryable): Promise<StoredToken[]> {
  return db.query<StoredToken>(listSql, [TOKENS_MAX])
}

/** The tokens neither revoked nor expired at a moment (RFC 3339): what a service keeps in memory. */
export async function selectValidTokens(db: Queryable, at: string): Promise<StoredToken[]> {
  return db.query<StoredToken>(listValidSql, [at, TOKENS_MAX])
}

/** What a token permits, and until when. */
export type TokenGrant = Readonly<{ name: string; scopes: readonly string[]; expires_at: string | null }>

/**
 * Ends a valid token, at once or by `endsAt` at the latest, and returns what it was; undefined if there is no such token or it has already
 * ended.
 */
export async function endToken(tx: Queryable, id: string, at: string, endsAt: string): Promise<TokenGrant | undefined> {
  const [ended] = await tx.query<TokenGrant>(endSql, [id, at, endsAt])
  return ended
}

/** Stores a token: its digest, not its text. */
export async function insertToken(tx: Queryable, token: NewToken): Promise<void> {
  await tx.query(insertSql, [token.id, token.name, token.digest, token.scopes, token.at, token.expiresAt ?? null])
}

/** Records when tokens were last used; each id must occur once, `hours` are moments (RFC 3339). */
export async function noteTokensUsed(tx: Queryable, ids: readonly string[], hours: readonly string[]): Promise<void> {
  await tx.query(usedSql, [ids, hours])
}

/** Revokes a token. Whether it was not revoked before; undefined if there is no such token. */
export async function markTokenRevoked(tx: Queryable, id: string, at: string): Promise<boolean | undefined> {
  const [token] = await tx.query<{ is_revoked: boolean }>(revokeSql, [id, at])
  return token?.is_revoked
}

/** Stores the token only if none was ever created. Whether it was stored. */
export async function insertFirstToken(tx: Queryable, token: NewToken): Promise<boolean> {
  // Without the lock, two services starting on the same empty database would both find none.
  await tx.query('lock table tokens in share row exclusive mode')
  const [any] = await tx.query<{ found: boolean }>(anySql)
  if (any!.found) return false
  await insertToken(tx, token)
  return true
}
