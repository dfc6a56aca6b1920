import { NotFound } from '../errors.ts'
import type { Scope } from '../ingest/scopes.ts'
import { shortened } from '../ingest/shown.ts'
import { tokenIdOf } from '../ingest/token.ts'
import { endToken, findTokenGrant, insertToken } from '../store/tokens.ts'
import { type IssuedToken, newToken, newTokenText, type TokenDeps } from './tokens/new-token.ts'

/**
 * Replaces a valid token by a new one of the same name, scopes and expiry; the old one is revoked in the same transaction.
 * `by` is the id of the caller's token. Errors: NotFound, Unavailable.
 */
export async function rotateToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<IssuedToken> {
  const now = deps.now()
  const text = newTokenText()
  const issued = await deps.db.transaction(async (tx) => {
    // An earlier attempt may have replaced it already, if the outcome of its COMMIT stayed unknown.
    const grant = (await findTokenGrant(tx, tokenIdOf(text)!)) ?? (await endToken(tx, id, now.toISOString()))
    if (grant === undefined) throw new NotFound(`there is no token ${shortened(id)} that is good`)
    const { issued, stored } = newToken(grant.name, grant.scopes as Scope[], now, grant.expires_at ?? undefined, text)
    await insertToken(tx, stored)
    return issued
  }, deadlineAt)
  deps.observe({ kind: 'tokens-changed', act: 'rotated', tokenId: id, by })
  return issued
}
