import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { TokenDeps } from './new-token.ts'
import { markTokenRevoked } from './store.ts'

/** Revokes a token; idempotent (decision 62). `by` is the id of the caller's token. Errors: NotFound, Unavailable. */
export async function revokeToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  const at = deps.now().toISOString()
  const writeAct = prepareAct('token-revoked', { at, by })
  const found = await deps.db.transaction(async (tx) => {
    const isThere = await markTokenRevoked(tx, id, at)
    if (isThere) await writeAct(tx, id)
    return isThere
  }, deadlineAt)
  if (!found) throw new NotFound(`there is no token ${shortened(id)}`)
  deps.observe({ kind: 'tokens-changed', act: 'revoked', tokenId: id, by })
}
