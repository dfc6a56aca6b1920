import type { Instant } from '../engine/points/units.ts'
import { InvalidInput } from '../errors.ts'

/** Every request ends sooner than this, so by then everything it records has been committed. */
const SETTLED_AFTER_MS = 5 * 60_000

/**
 * Refuses a moment that is too recent to know what was recorded by then: a response for it could still change.
 * Errors: InvalidInput at `path` if the moment is less than 5 minutes before `now`.
 */
export function assertKnownAt(path: string, knownAt: Instant | undefined, now: Date): void {
  const latest = new Date(now.getTime() - SETTLED_AFTER_MS).toISOString()
  if (knownAt !== undefined && knownAt > latest)
    throw new InvalidInput(path, `expected a timestamp at least 5 minutes ago, got "${knownAt}"`)
}
