import type { PublishedProgram } from './program-model.ts'
import type { Moment } from './units.ts'

/** Versions as `programAt` takes them: by the moment from which they hold, on a tie by number. */
export function inOrderOfMoments(programs: readonly PublishedProgram[]): PublishedProgram[] {
  return programs.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.version - b.version))
}

/**
 * The version that holds at a moment: of those not withdrawn the one with the latest `from` not after it, the higher number on a tie.
 * Undefined where none holds yet. `programs` stand in order of moments, so the search begins at the end, where most orders lie.
 *
 * Units   moments are RFC 3339 texts in UTC, to the millisecond, with four digits of year: as texts they sort as moments, `-infinity` first
 * Source  docs/programs.md
 */
export function programAt(programs: readonly PublishedProgram[], at: Moment): PublishedProgram | undefined {
  return programs.findLast(({ from, withdrawn }) => withdrawn !== true && from <= at)
}
