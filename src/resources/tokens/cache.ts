import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../database/db/transaction.ts'
import { type Caller, type Scope, withIncluded } from '../../scopes.ts'
import { noteTokensUsed, type StoredToken } from './store.ts'
import { tokenDigest, tokenIdOf } from './token-text.ts'

/** The valid tokens, in memory, so that no request has to query for its token (decision 60). */
export type TokenCache = Readonly<{
  /** The caller with this token; undefined if it is malformed, unknown, revoked or expired. */
  find: (token: string) => Caller | undefined
  /** The caller whose token has this public id; undefined if it is unknown, revoked or expired. */
  findById: (id: string) => Caller | undefined
  /** Replaces the whole cache with the stored tokens. */
  replace: (stored: readonly StoredToken[]) => void
  /** The tokens whose last use is not stored yet, with its hour (RFC 3339). */
  used: () => ReadonlyMap<string, string>
  /** These uses have been stored. */
  noteStored: (used: ReadonlyMap<string, string>) => void
}>

type CachedToken = Readonly<{ id: string; digest: Buffer; caller: Caller; expiresAtMs: number }>

const HOUR_MS = 3_600_000

/** What a token with an unknown id is compared with, so that timing does not distinguish an unknown id from a wrong secret. */
const NOBODY: CachedToken = {
  id: '',
  digest: Buffer.alloc(32),
  caller: { tokenId: '', name: '', scopes: new Set() },
  expiresAtMs: 0,
}

/** Creates an empty cache; `processToken` is a token for this process only, which is never stored. */
export function createTokenCache(now: () => Date, processToken?: { id: string; digest: Buffer }): TokenCache {
  let entries = new Map<string, CachedToken>()
  /**
   * By text, those that were sent since the cache was replaced, so that a digest is computed once for each. A text is compared only once its seeded hash
   * agrees: timing tells nothing about its first characters.
   */
  const sent = new Map<string, CachedToken>()
  /** The hour of each token's last use, counted from 1970; and the hours that are not stored yet. */
  const hours = new Map<string, number>()
  const unstored = new Map<string, number>()
  const replace = (stored: readonly StoredToken[]) => {
    entries = new Map(stored.map((token) => [token.token_id, entryOf(token)]))
    sent.clear()
    for (const id of hours.keys()) {
      if (entries.has(id) || id === processToken?.id) continue
      hours.delete(id)
      unstored.delete(id)
    }
    if (processToken !== undefined) {
      const caller: Caller = { tokenId: processToken.id, name: 'this process', scopes: withIncluded(['admin']) }
      entries.set(processToken.id, {
        id: processToken.id,
        digest: processToken.digest,
        caller,
        expiresAtMs: Number.POSITIVE_INFINITY,
      })
    }
  }
  const entryWith = (token: string): CachedToken | undefined => {
    const id = tokenIdOf(token)
    if (id === undefined) return undefined
    const entry = entries.get(id) ?? NOBODY
    if (!timingSafeEqual(tokenDigest(token), entry.digest)) return undefined
    sent.set(token, entry)
    return entry
  }
  replace([])
  return {
    replace,
    find: (token) => {
      const entry = sent.get(token) ?? entryWith(token)
      const nowMs = now().getTime()
      if (entry === undefined || entry.expiresAtMs <= nowMs) return undefined
      const { id } = entry
      const hour = Math.floor(nowMs / HOUR_MS)
      if (hours.get(id) !== hour) {
        hours.set(id, hour)
        unstored.set(id, hour)
      }
      return entry.caller
    },
    findById: (id) => {
      const entry = entries.get(id)
      return entry !== undefined && entry.expiresAtMs > now().getTime() ? entry.caller : undefined
    },
    used: () =>
      new Map(
        [...unstored].flatMap(([id, hour]) =>
          id === processToken?.id ? [] : [[id, new Date(hour * HOUR_MS).toISOString()]],
        ),
      ),
    noteStored: (used) => {
      for (const [id, at] of used) if (unstored.get(id) === Date.parse(at) / HOUR_MS) unstored.delete(id)
    },
  }
}

function entryOf(token: StoredToken): CachedToken {
  return {
    id: token.token_id,
    digest: Buffer.from(token.digest, 'hex'),
    caller: { tokenId: token.token_id, name: token.name, scopes: withIncluded(token.scopes as Scope[]) },
    expiresAtMs: token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at),
  }
}

const TIMEOUT_MS = 5_000

/** Writes to the database which tokens were used, to the hour, outside any request. Errors: Unavailable; the next call tries again. */
export async function noteUse(db: Db, tokens: TokenCache): Promise<void> {
  const used = tokens.used()
  if (used.size === 0) return
  // Sorted, so that processes never deadlock.
  const ids = [...used.keys()].sort()
  const hours = ids.map((id) => used.get(id)!)
  await db.transaction((tx) => noteTokensUsed(tx, ids, hours), performance.now() + TIMEOUT_MS)
  tokens.noteStored(used)
}
