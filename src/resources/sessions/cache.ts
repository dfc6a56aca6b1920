import type { Caller } from '../../scopes.ts'
import type { TokenCache } from '../tokens/cache.ts'
import { tokenDigest } from '../tokens/token-text.ts'
import type { StoredSession } from './store.ts'

/** A session ends after this long without a request by its user, and in any case after SESSION_MS. */
export const SESSION_IDLE_MS = 30 * 60_000
export const SESSION_MS = 12 * 3_600_000
/** The precision with which the last use of a session is stored. */
const USE_NOTED_MS = 60_000

export type ConsoleSession = Readonly<{ id: string; caller: Caller; createdAt: string; expiresAt: string }>

/** The console's sessions, in memory like the tokens they belong to, and valid only as long as these. */
export type SessionCache = Readonly<{
  /** The session with this cookie; undefined if unknown or ended. `isUse`: the request was made by a person, not by a page on its own. */
  find: (cookie: string, isUse: boolean) => ConsoleSession | undefined
  /** Replaces the whole cache with the stored sessions. */
  replace: (stored: readonly StoredSession[]) => void
  /** The last use (RFC 3339) of the sessions whose stored last use is more than a minute older. */
  used: () => ReadonlyMap<string, string>
  /** These uses have been stored. */
  noteStored: (used: ReadonlyMap<string, string>) => void
}>

type CachedSession = Readonly<{ stored: StoredSession; expiresAtMs: number }> & {
  storedUseMs: number
  lastUseMs: number
}

/** Creates an empty cache. A session is valid only while its token is in `tokens`. */
export function createSessionCache(now: () => Date, tokens: Pick<TokenCache, 'findById'>): SessionCache {
  let byDigest = new Map<string, CachedSession>()
  return {
    // Keyed by digest, so that the timing of a map lookup reveals nothing about a cookie.
    find: (cookie, isUse) => {
      const cached = byDigest.get(tokenDigest(cookie).toString('hex'))
      const nowMs = now().getTime()
      if (cached === undefined || cached.expiresAtMs <= nowMs || cached.lastUseMs + SESSION_IDLE_MS <= nowMs)
        return undefined
      const { session_id: id, token_id, created_at: createdAt, expires_at: expiresAt } = cached.stored
      const caller = tokens.findById(token_id)
      if (caller === undefined) return undefined
      if (isUse) cached.lastUseMs = nowMs
      return { id, caller, createdAt, expiresAt }
    },
    replace: (stored) => {
      const previous = byDigest
      byDigest = new Map(
        stored.map((session) => {
          const storedUseMs = Date.parse(session.last_used_at)
          const lastUseMs = Math.max(storedUseMs, previous.get(session.digest)?.lastUseMs ?? 0)
          return [
            session.digest,
            { stored: session, expiresAtMs: Date.parse(session.expires_at), storedUseMs, lastUseMs },
          ]
        }),
      )
    },
    used: () => {
      const due = [...byDigest.values()].filter(({ storedUseMs, lastUseMs }) => lastUseMs - storedUseMs >= USE_NOTED_MS)
      return new Map(due.map(({ stored, lastUseMs }) => [stored.session_id, new Date(lastUseMs).toISOString()]))
    },
    noteStored: (used) => {
      for (const session of byDigest.values()) {
        const at = used.get(session.stored.session_id)
        if (at !== undefined) session.storedUseMs = Date.parse(at)
      }
    },
  }
}
