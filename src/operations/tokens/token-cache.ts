import { timingSafeEqual } from 'node:crypto'
import { type Scope, withIncluded } from '../../ingest/scopes.ts'
import { tokenDigest, tokenIdOf } from '../../ingest/token.ts'
import type { StoredToken } from '../../store/tokens.ts'

/** Who calls: the public id of the token, and what it may do; included scopes are there. */
export type Caller = Readonly<{ tokenId: string; scopes: ReadonlySet<Scope> }>

/** The valid tokens, in memory, so that no request pays a query for its token (decision 62). */
export type TokenCache = Readonly<{
  /** The caller whose token this is; undefined for one that is malformed, unknown, revoked or expired. */
  find: (token: string) => Caller | undefined
  /** Replaces the whole cache by what is stored. */
  replace: (stored: readonly StoredToken[]) => void
}>

type CachedToken = Readonly<{ digest: Buffer; caller: Caller; expiresAtMs: number }>

/** What a token of an unknown id is compared with, so that the time taken does not tell an unknown id from a wrong secret. */
const NOBODY: CachedToken = { digest: Buffer.alloc(32), caller: { tokenId: '', scopes: new Set() }, expiresAtMs: 0 }

/** An empty cache; `own` is a token of this process alone, which is never stored. */
export function createTokenCache(now: () => Date, own?: { id: string; digest: Buffer }): TokenCache {
  let entries = new Map<string, CachedToken>()
  const replace = (stored: readonly StoredToken[]) => {
    entries = new Map(stored.map((token) => [token.token_id, entryOf(token)]))
    if (own !== undefined) {
      const caller: Caller = { tokenId: own.id, scopes: withIncluded(['admin']) }
      entries.set(own.id, { digest: own.digest, caller, expiresAtMs: Number.POSITIVE_INFINITY })
    }
  }
  replace([])
  return {
    replace,
    find: (token) => {
      const id = tokenIdOf(token)
      if (id === undefined) return undefined
      const entry = entries.get(id) ?? NOBODY
      const matches = timingSafeEqual(tokenDigest(token), entry.digest)
      return matches && entry.expiresAtMs > now().getTime() ? entry.caller : undefined
    },
  }
}

function entryOf(token: StoredToken): CachedToken {
  return {
    digest: Buffer.from(token.digest, 'hex'),
    caller: { tokenId: token.token_id, scopes: withIncluded(token.scopes as Scope[]) },
    expiresAtMs: token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at),
  }
}
