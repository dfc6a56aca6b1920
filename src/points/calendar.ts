/*
 * Lengths of time on the calendar, as programs write them. Days are days: no clock, no zone.
 */
import { dayAfter } from './local-time.ts'
import type { Day } from './units.ts'

/** So many days, or so many calendar months. */
export type Period = Readonly<{ days: number } | { months: number }>

export const PERIOD_PATTERN = '^P([1-9][0-9]{0,3}D|[1-9][0-9]{0,2}M|[1-9][0-9]?Y)$'

/** Where a length ends: on its last day, or with the month or year in which that lies. */
export const ROUNDINGS_UP = ['day', 'month', 'year'] as const
export type RoundingUp = (typeof ROUNDINGS_UP)[number]

/** Reads a text that fits `PERIOD_PATTERN`: P30D, P12M, P1Y. */
export function readPeriod(text: string): Period {
  const count = Number(text.slice(1, -1))
  const unit = text.at(-1)
  return unit === 'D' ? { days: count } : { months: unit === 'Y' ? count * 12 : count }
}

/** The day so much later. A day that the month does not have is the first of the month after: a year after 29 February is 1 March. */
export function dayAfterPeriod(day: Day, span: Period): Day {
  if ('days' in span) return dayAfter(day, span.days)
  const [year, month, date] = partsOf(day)
  const last = new Date(Date.UTC(year, month + span.months, 0)).getUTCDate()
  return date > last ? firstOf(year, month + span.months + 1) : dayOfParts(year, month + span.months, date)
}

/** The first day on which nothing is left of the month or year that ends on or after the day before; of a `day` that day itself. */
export function roundedUp(day: Day, to: RoundingUp): Day {
  const [year, month, date] = partsOf(day)
  if (to === 'day' || (date === 1 && (to === 'month' || month === 1))) return day
  return to === 'month' ? firstOf(year, month + 1) : firstOf(year + 1, 1)
}

/** `month` counts from 1. */
function partsOf(day: Day): [year: number, month: number, date: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))]
}

function firstOf(year: number, month: number): Day {
  return dayOfParts(year, month, 1)
}

function dayOfParts(year: number, month: number, date: number): Day {
  return new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10)
}
