import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { markTokenRevoked } from '../store/tokens.ts'
import type { TokenDeps } from './tokens/new-token.ts'

/** Revokes a token; twice is no error (decision 62). `by` is the id of the caller's token. Errors: NotFound, Unavailable. */
export async function revokeToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  const found = await deps.db.transaction((tx) => markTokenRevoked(tx, id, deps.now().toISOString()), deadlineAt)
  if (!found) throw new NotFound(`there is no token ${shortened(id)}`)
  deps.observe({ kind: 'tokens-changed', act: 'revoked', tokenId: id, by })
}
