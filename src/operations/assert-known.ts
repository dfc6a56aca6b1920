import { InvalidInput } from '../errors.ts'
import type { Moment } from '../points/units.ts'

/** Requests end sooner: what is recorded by then is known. */
const KNOWN_AFTER_MS = 5 * 60_000

/** Errors: InvalidInput for a moment by which more may still be recorded. */
export function assertKnown(path: string, knownAt: Moment | undefined, now: Date): void {
  const latest = new Date(now.getTime() - KNOWN_AFTER_MS).toISOString()
  if (knownAt !== undefined && knownAt > latest)
    throw new InvalidInput(path, `expected a moment at least 5 minutes ago, got "${knownAt}"`)
}
