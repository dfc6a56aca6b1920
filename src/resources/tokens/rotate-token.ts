import { readDurationMs } from '../../engine/ingest/duration.ts'
import { shortened, shown } from '../../engine/ingest/shown.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Scope } from '../../shared/scopes.ts'
import { type IssuedToken, newToken, newTokenText, type TokenDeps } from './new-token.ts'
import { endToken, findTokenGrant, insertToken } from './store.ts'
import { tokenIdOf } from './token-text.ts'

const OVERLAP_MAX_MS = 30 * 86_400_000

/**
 * Replaces a valid token with a new one of the same name, scopes and expiry. The same transaction revokes the old one or, given an `overlap`
 * like `24h`, makes it expire after that time at the latest; until then both are valid. `by` is the id of the caller's token.
 * Errors: InvalidInput for an invalid overlap; NotFound, Unavailable.
 */
export async function rotateToken(
  deps: TokenDeps,
  id: string,
  { overlap, by }: Readonly<{ overlap: string | undefined; by: string }>,
  deadlineAt: number,
): Promise<IssuedToken> {
  const now = deps.now()
  const endsAt = new Date(now.getTime() + overlapMs(overlap)).toISOString()
  const text = newTokenText()
  const writeAct = prepareAct('token-rotated', { at: now.toISOString(), by })
  const issued = await deps.db.transaction(async (tx) => {
    // An earlier attempt whose COMMIT had an unknown outcome may already have replaced it.
    const grant = (await findTokenGrant(tx, tokenIdOf(text)!)) ?? (await endToken(tx, id, now.toISOString(), endsAt))
    if (grant === undefined) throw new NotFound(`there is no valid token ${shortened(id)}`)
    const { issued, stored } = newToken(grant.name, grant.scopes as Scope[], now, grant.expires_at ?? undefined, text)
    await insertToken(tx, stored)
    await writeAct(tx, id, { replaced_by: issued.id })
    return issued
  }, deadlineAt)
  deps.observe({ kind: 'tokens-changed', act: 'rotated', tokenId: id, by })
  return issued
}

function overlapMs(overlap: string | undefined): number {
  if (overlap === undefined) return 0
  const ms = readDurationMs(overlap)
  if (ms === undefined || ms > OVERLAP_MAX_MS)
    throw new InvalidInput('query.overlap', `expected a time like 24h or 7d, at most 30d, got ${shown(overlap)}`)
  return ms
}
