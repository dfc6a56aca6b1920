import { createSerialQueue } from '../bulk/serial-queue.ts'
import type { Deps } from '../deps.ts'
import type { ProgramCache } from '../resources/programs/stored-programs.ts'
import type { SessionCache } from '../resources/sessions/cache.ts'
import { listUnexpiredSessions } from '../resources/sessions/service.ts'
import type { ShopCache } from '../resources/settings/service.ts'
import type { TokenCache } from '../resources/tokens/cache.ts'
import { listValidTokens } from '../resources/tokens/service.ts'

/**
 * Brings this process's in-memory caches up to date with the database: at once after a change of its own, and periodically for changes by
 * other processes. `deadlineAt` is in milliseconds of `performance.now()`, by default in 5 seconds. Errors: Unavailable.
 */
export type Refresh = Readonly<{
  tokens: (deadlineAt?: number) => Promise<void>
  programs: (deadlineAt?: number) => Promise<void>
  shop: (deadlineAt?: number) => Promise<void>
  sessions: (deadlineAt?: number) => Promise<void>
}>

const TIMEOUT_MS = 5_000

/** Refreshes these caches; different kinds do not wait for each other. */
export function createRefresh(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  caches: Readonly<{ tokens: TokenCache; programs: ProgramCache; shop: ShopCache; sessions: SessionCache }>,
): Refresh {
  // Two overlapping refreshes could finish in reverse order and leave the older state in memory.
  const tokenQueue = createSerialQueue()
  const programQueue = createSerialQueue()
  const shopQueue = createSerialQueue()
  const sessionQueue = createSerialQueue()
  return {
    tokens: (deadlineAt = performance.now() + TIMEOUT_MS) =>
      tokenQueue(async () => caches.tokens.replace(await listValidTokens(deps, deadlineAt))),
    programs: (deadlineAt = performance.now() + TIMEOUT_MS) => programQueue(() => caches.programs.refresh(deadlineAt)),
    shop: (deadlineAt = performance.now() + TIMEOUT_MS) => shopQueue(() => caches.shop.refresh(deadlineAt)),
    sessions: (deadlineAt = performance.now() + TIMEOUT_MS) =>
      sessionQueue(async () => caches.sessions.replace(await listUnexpiredSessions(deps, deadlineAt))),
  }
}
