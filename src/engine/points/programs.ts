import { instantAfter, localDay, startOfDay, UTC } from './local-time.ts'
import type { Program, PublishedProgram } from './program-model.ts'
import type { Instant, PlainDate } from './units.ts'

/** Sorts versions as `programAt` requires: by the moment from which they are in effect, then by number. */
export function sortPrograms(programs: readonly PublishedProgram[]): PublishedProgram[] {
  return programs.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.version - b.version))
}

/**
 * The version in effect at a moment: among those not withdrawn, the one with the latest `from` that is not after it; on a tie, the one with
 * the higher number. Undefined where none is in effect yet. `programs` must be sorted; the search starts at the end, where most orders fall.
 *
 * Units   moments are RFC 3339 in UTC, to the millisecond, with a four-digit year, so that texts sort as moments, `-infinity` first
 * Source  docs/programs.md
 */
export function programAt(programs: readonly PublishedProgram[], at: Instant): PublishedProgram | undefined {
  return programs.findLast(({ from, withdrawn }) => withdrawn !== true && from <= at)
}

/** Whether any version defines pending periods, expiry or redemption: only then does a balance depend on the day (decision 138). */
export function countsDays(programs: readonly PublishedProgram[]): boolean {
  return programs.some(
    ({ program, withdrawn }) => withdrawn !== true && (program.points ?? program.redeem) !== undefined,
  )
}

/** Whether any condition of a program reads the player's balance. */
export function readsBalance({ earn, redeem }: Program): boolean {
  return redeem?.when?.mentionsBalance === true || earn.some(({ when }) => when?.mentionsBalance === true)
}

/** Time zones are at most 26 hours apart (UTC-12 to UTC+14). */
const ZONES_APART_MS = 27 * 3_600_000

/**
 * The local day of a recording, in the time zone of the version in effect then; in UTC where there is none. Never before the day of the last instant
 * of the version before: a zone further west changes no day that is past.
 *
 * Source  decision 80
 */
export function postingDateAt(programs: readonly PublishedProgram[], at: Instant): PlainDate {
  const inEffect = programAt(programs, at)
  const day = localDay(at, inEffect?.program.timeZone ?? UTC)
  if (inEffect === undefined || inEffect.from === '-infinity') return day
  if (Date.parse(at) - Date.parse(inEffect.from) > ZONES_APART_MS) return day
  const before = postingDateAt(programs, instantAfter(inEffect.from, -1))
  return before > day ? before : day
}

/** The first moment of a day, in the time zone of the version in effect at its midnight in UTC; in UTC where there is none. */
export function startOfProgramDay(programs: readonly PublishedProgram[], day: PlainDate): Instant {
  return startOfDay(day, programAt(programs, `${day}T00:00:00.000Z`)?.program.timeZone ?? UTC)
}
