import { NEVER } from '../engine/points/pending-and-expiry.ts'
import type { Day } from '../engine/points/units.ts'

/** A day as answered: null if it never comes, or is not known yet. */
export function finiteDay(day: Day): Day | null {
  return day === NEVER ? null : day
}
