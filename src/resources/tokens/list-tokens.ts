import { readerOf } from '../../database/db/reader.ts'
import type { TokenDeps } from './new-token.ts'
import { type StoredToken, selectTokens, selectValidTokens } from './store.ts'

/** All tokens, newest first. What is stored identifies a token, but does not suffice to use it. Errors: Unavailable. */
export async function listTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectTokens(readerOf(deps.db, deadlineAt))
}

/** The tokens neither revoked nor expired, oldest first. Errors: Unavailable. */
export async function listValidTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectValidTokens(readerOf(deps.db, deadlineAt), deps.now().toISOString())
}
