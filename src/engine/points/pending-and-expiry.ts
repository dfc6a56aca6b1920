/*
 * When points become usable and when they expire: the section `points` of a program, and the days that follow from it for an order (decision 138).
 */

import { dayAfter, type RoundingUp, readPeriod, roundedUpAfter, roundedUpKeepingFirstDays } from './calendar.ts'
import type { ReportIssue } from './issue.ts'
import { localDay } from './local-time.ts'
import type { Order, Terms } from './model.ts'
import type { Expiry, PointRules, Program, PublishedProgram } from './program-model.ts'
import type { PlainDate } from './units.ts'

/** PostgreSQL's notation for a day that never comes. As text it sorts after every day. */
export const NEVER = 'infinity'

/** The terms of what an order earns; undefined where its program defines none. Where points wait for fulfilment, `usableOn` is NEVER until then. */
export function computePointTerms(
  { points, timeZone }: Pick<Program, 'points' | 'timeZone'>,
  { at, fulfilledAt }: Pick<Order, 'at' | 'fulfilledAt'>,
): Terms | undefined {
  if (points === undefined) return undefined
  const { pending } = points
  const begins = pending?.after === 'fulfilled' ? fulfilledAt : at
  const usableOn = begins === undefined ? NEVER : dayAfter(localDay(begins, timeZone), pending?.days ?? 0)
  return { usableOn, ...computeExpiry(points, usableOn) }
}

/** The terms of an adjustment: the days that it names; else its points are usable at once, and expire as the program says. */
export function termsOfAdjustment(
  { points }: Pick<Program, 'points'>,
  day: PlainDate,
  named: Readonly<{ usableOn: PlainDate | undefined; expiresOn: PlainDate | undefined }>,
): Terms | undefined {
  if (points === undefined && named.usableOn === undefined && named.expiresOn === undefined) return undefined
  const usableOn = named.usableOn ?? day
  return named.expiresOn === undefined
    ? { usableOn, ...computeExpiry(points ?? {}, usableOn) }
    : { usableOn, expiresOn: named.expiresOn, slides: false }
}

/** The terms of a debit: only where it extends sliding expiries. */
export function termsOfDebit({ points }: Pick<Program, 'points'>, day: PlainDate): Terms | undefined {
  if (points?.expire?.slides !== true) return undefined
  return { usableOn: day, ...computeExpiry(points, day) }
}

/** Whether two terms are equal. Absent terms equal only absent terms. */
export function areSameTerms(a: Terms | undefined, b: Terms | undefined): boolean {
  return a?.usableOn === b?.usableOn && a?.expiresOn === b?.expiresOn && a?.slides === b?.slides
}

/** The expiry of points that become usable on a day: the first day on which they can no longer be spent. */
export function expiryAfter(usableOn: PlainDate, { after, atEndOf, keepsFirstDays }: Expiry): PlainDate {
  if (usableOn === NEVER) return NEVER
  return (keepsFirstDays ? roundedUpKeepingFirstDays : roundedUpAfter)(usableOn, after, atEndOf)
}

/** Whether the points of a program expire at the end of a month or year. */
export function roundsExpiry({ points }: Pick<Program, 'points'>): boolean {
  return points?.expire !== undefined && points.expire.atEndOf !== 'day'
}

/** A version as orders that were recorded before decision 220 have it: they keep the days that they were recorded with. */
export function keepingFirstDays(published: PublishedProgram): PublishedProgram {
  const { points } = published.program
  if (points?.expire === undefined) return published
  const expire = { ...points.expire, keepsFirstDays: true }
  return { ...published, program: { ...published.program, points: { ...points, expire } } }
}

/** A version that was published before decision 220: what its `earlier-points` has assigned stays as well. */
export function assigningFirstDays(program: Program): Program {
  const { points } = program
  if (points?.earlierPoints === undefined) return program
  return { ...program, points: { ...points, earlierPoints: { ...points.earlierPoints, keepsFirstDays: true } } }
}

function computeExpiry({ expire }: PointRules, usableOn: PlainDate): Pick<Terms, 'expiresOn' | 'slides'> {
  if (expire === undefined) return { expiresOn: NEVER, slides: false }
  return { expiresOn: expiryAfter(usableOn, expire), slides: expire.slides }
}

/** Assigns an expiry, on this day, to unexpired points that have none. Points issued on later days are not affected. */
export type ExpiryAssignment = Readonly<{ on: PlainDate; expiry: Expiry }>

/** The expiries that program versions assign to points without one (`earlier-points`), by day. */
export function expiryAssignmentsOf(programs: readonly PublishedProgram[]): ExpiryAssignment[] {
  return programs
    .flatMap(({ from, withdrawn, program: { points, timeZone } }) =>
      points?.earlierPoints === undefined || withdrawn || from === '-infinity'
        ? []
        : [{ on: localDay(from, timeZone), expiry: points.earlierPoints }],
    )
    .sort((a, b) => (a.on < b.on ? -1 : 1))
}

/** The section `points` as a program writes it; its shape has been checked. */
export type WrittenPointRules = Readonly<{
  pending?: Readonly<{ days: number; after?: 'ordered' | 'fulfilled' }>
  expire?: Readonly<{ after?: string; inactive?: string; 'at-end-of'?: RoundingUp }>
  'earlier-points'?: string
}>

/** Reads the section. `issue` reports at a field what the schema cannot check; the result must then not be used. */
export function readPointRules(
  { pending, expire, 'earlier-points': earlier }: WrittenPointRules,
  issue: ReportIssue,
): PointRules {
  if (pending === undefined && expire === undefined && earlier === undefined)
    issue('', 'expected pending, expire or earlier-points')
  if (expire !== undefined && (expire.after === undefined) === (expire.inactive === undefined))
    issue('.expire', 'expected exactly one of after and inactive')
  if (earlier !== undefined && expire === undefined) issue('.earlier-points', 'requires expire')
  const waits = { days: pending?.days ?? 0, after: pending?.after ?? 'ordered' } as const
  // An order extends all sliding expiries, even if its own points never become usable.
  if (expire?.inactive !== undefined && waits.after === 'fulfilled')
    issue('.pending.after', 'expected ordered: fulfilled cannot be combined with points.expire.inactive')
  const period = expire?.after ?? expire?.inactive
  const ending = { atEndOf: expire?.['at-end-of'] ?? 'day', slides: expire?.inactive !== undefined } as const
  return {
    ...(pending === undefined ? {} : { pending: waits }),
    ...(period === undefined ? {} : { expire: { after: readPeriod(period), ...ending } }),
    ...(earlier === undefined ? {} : { earlierPoints: { after: readPeriod(earlier), ...ending } }),
  }
}
