import { localDay, startOfDay, UTC } from './local-time.ts'
import type { PublishedProgram } from './program-model.ts'
import type { Day, Moment } from './units.ts'

/** Sorts versions as `programAt` takes them: by the moment from which they hold, then by number. */
export function inOrderOfMoments(programs: readonly PublishedProgram[]): PublishedProgram[] {
  return programs.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.version - b.version))
}

/**
 * The version that holds at a moment: of those not withdrawn the one with the latest `from` that is not after it, on a tie the higher
 * number. Undefined where none holds yet. `programs` are sorted; the search begins at the end, where most orders are.
 *
 * Units   moments are RFC 3339 in UTC, to the millisecond, with a four-digit year, so that texts sort as moments, `-infinity` first
 * Source  docs/programs.md
 */
export function programAt(programs: readonly PublishedProgram[], at: Moment): PublishedProgram | undefined {
  return programs.findLast(({ from, withdrawn }) => withdrawn !== true && from <= at)
}

/** Whether any version says when points become usable or end, or how they are spent: only then does a balance depend on the day (decision 138). */
export function countsDays(programs: readonly PublishedProgram[]): boolean {
  return programs.some(
    ({ program, withdrawn }) => withdrawn !== true && (program.points ?? program.redeem) !== undefined,
  )
}

/** The day of a recording, in the time zone of the version that holds then; in UTC where none holds (decision 80). */
export function bookedDayAt(programs: readonly PublishedProgram[], at: Moment): Day {
  return localDay(at, programAt(programs, at)?.program.timeZone ?? UTC)
}

/** The first moment of a day, in the time zone of the version that holds at its midnight in UTC; in UTC where none holds. */
export function momentOfDay(programs: readonly PublishedProgram[], day: Day): Moment {
  return startOfDay(day, programAt(programs, `${day}T00:00:00.000Z`)?.program.timeZone ?? UTC)
}
