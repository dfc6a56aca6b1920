import { readerOf } from '../store/db/reader.ts'
import { type StoredToken, selectTokens, selectValidTokens } from '../store/tokens.ts'
import type { TokenDeps } from './tokens/new-token.ts'

/** All tokens, newest first; what is stored of a token is enough to name it, and not to use it. Errors: Unavailable. */
export async function listTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectTokens(readerOf(deps.db, deadlineAt))
}

/** The tokens that are neither revoked nor expired, oldest first. Errors: Unavailable. */
export async function listValidTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectValidTokens(readerOf(deps.db, deadlineAt), deps.now().toISOString())
}
