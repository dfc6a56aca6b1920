import type { Deps } from '../deps.ts'
import { shown } from '../engine/ingest/shown.ts'
import { dayAfter } from '../engine/points/calendar.ts'
import { isDay } from '../engine/points/local-time.ts'
import { NEVER } from '../engine/points/pending-and-expiry.ts'
import { postingDateAt } from '../engine/points/programs.ts'
import type { PlainDate } from '../engine/points/units.ts'
import { InvalidInput } from '../errors.ts'
import type { StatisticsBasis, StatisticsPeriod } from '../ledger/tallies.ts'

/** Query parameters: days, by default the last 30; `basis` is `ordered` (default) or `posted`; `per` is `day` (default), `month` or `span`. */
export type StatisticsRangeQuery = Readonly<Partial<Record<'from' | 'to' | 'basis' | 'per', string | undefined>>>

/** The days from `from` to `to`, inclusive. */
export type StatisticsRange = Readonly<{
  basis: StatisticsBasis
  per: StatisticsPeriod
  from: PlainDate
  to: PlainDate
}>

const DAYS = 30
const DAYS_MAX = { day: 400, month: 7_320, span: 7_320 } as const
/** The values of `basis`; `booked` is the former name of `posted` (decision 219). */
export const STATISTICS_BASES = ['ordered', 'posted', 'booked'] as const satisfies readonly StatisticsBasis[]
const PERIODS = ['day', 'month', 'span'] as const
const WEEK = 7

/** Reads the range of a query: at most 400 days, or about 20 years if by month or as one line (`span`). Errors: InvalidInput. */
export function readStatisticsRange(
  { now, programs }: Pick<Deps, 'now' | 'programs'>,
  query: StatisticsRangeQuery,
): StatisticsRange {
  const basis = readOneOf('basis', STATISTICS_BASES, query.basis)
  const per = readOneOf('per', PERIODS, query.per)
  const to = readDay('to', query.to) ?? postingDateAt(programs(), now().toISOString())
  const from = readDay('from', query.from) ?? dayAfter(to, 1 - DAYS)
  const daysMax = DAYS_MAX[per]
  if (from > to || from < dayAfter(to, 1 - daysMax))
    throw new InvalidInput(
      'query.from',
      `expected a date up to ${to}, in a range of at most ${daysMax} days, got ${from}`,
    )
  return { basis, per, from, to }
}

/** The latest earlier range of the same length that does not overlap and begins on the same day of the week. */
export function rangeBefore(range: StatisticsRange): StatisticsRange {
  const days = (Date.parse(range.to) - Date.parse(range.from)) / 86_400_000 + 1
  const back = -WEEK * Math.ceil(days / WEEK)
  return { ...range, from: dayAfter(range.from, back), to: dayAfter(range.to, back) }
}

/** Reads one of `names`, by default the first. Errors: InvalidInput. */
export function readOneOf<Name extends string>(
  parameter: string,
  names: readonly Name[],
  text: string = names[0]!,
): Name {
  const match = names.find((name) => name === text)
  if (match !== undefined) return match
  throw new InvalidInput(`query.${parameter}`, `expected one of ${names.join(', ')}, got ${shown(text)}`)
}

/** Reads a day in the years 1900 to 9998, so that the next day is valid as well. Errors: InvalidInput. */
export function readDay(name: 'from' | 'to', text: string | undefined): PlainDate | undefined {
  if (text === undefined) return undefined
  if (!isDay(text) || text < '1900' || text >= '9999')
    throw new InvalidInput(`query.${name}`, `expected a date like 2026-01-31, got ${shown(text)}`)
  return text
}

/** A day as answered: null if it never comes, or is not known yet. */
export function finiteDay(day: PlainDate): PlainDate | null {
  return day === NEVER ? null : day
}
