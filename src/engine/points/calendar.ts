/*
 * Calendar periods, as programs write them, and durations, as people write them. Pure dates: no clock, no time zone.
 */
import type { PlainDate } from './units.ts'

/** A number of days, or of calendar months. */
export type Period = Readonly<{ days: number } | { months: number }>

export const PERIOD_PATTERN = '^P([1-9][0-9]{0,3}D|[1-9][0-9]{0,2}M|[1-9][0-9]?Y)$'

/** Where a period ends: on its last day, or at the end of the month or year in which that day lies. */
export const ROUNDINGS_UP = ['day', 'month', 'year'] as const
export type RoundingUp = (typeof ROUNDINGS_UP)[number]

const DURATION_UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const
const FEBRUARY = 1

/** Reads a text that matches `PERIOD_PATTERN`: P30D, P12M, P1Y. */
export function readPeriod(text: string): Period {
  const count = Number(text.slice(1, -1))
  const unit = text.at(-1)
  return unit === 'D' ? { days: count } : { months: unit === 'Y' ? count * 12 : count }
}

/** Parses a duration such as `90m`, `24h`, `30d` or `2w` to milliseconds; undefined for anything else. */
export function readDurationMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,3})([mhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * DURATION_UNITS_MS[unit as keyof typeof DURATION_UNITS_MS]
}

/** The day `days` later; earlier if negative. */
export function dayAfter(day: PlainDate, days: number): PlainDate {
  const later = new Date(Date.parse(day) + days * DURATION_UNITS_MS.d)
  return dayIn(later.getUTCFullYear() * 12 + later.getUTCMonth(), later.getUTCDate())
}

/** The day one period later. Where the month has no such day it is the first of the next: a year after 29 February is 1 March. */
export function dayAfterPeriod(day: PlainDate, period: Period): PlainDate {
  if ('days' in period) return dayAfter(day, period.days)
  const [year, month, date] = partsOf(day)
  const months = year * 12 + month - 1 + period.months
  return date > lengthOf(months) ? dayIn(months + 1, 1) : dayIn(months, date)
}

/** The day one period earlier. Where the month has no such day it is its last: a month before 31 March is 28 or 29 February. */
export function dayBeforePeriod(day: PlainDate, period: Period): PlainDate {
  if ('days' in period) return dayAfter(day, -period.days)
  const [year, month, date] = partsOf(day)
  const months = year * 12 + month - 1 - period.months
  return dayIn(months, Math.min(date, lengthOf(months)))
}

/**
 * The first day after the month or year in which the day one period later lies (decision 220): a month after any day of January, with `month`,
 * is 1 March. `day` rounds nothing.
 */
export function roundedUpAfter(day: PlainDate, period: Period, to: RoundingUp): PlainDate {
  if (to === 'day') return dayAfterPeriod(day, period)
  const [year, month] = partsOf('days' in period ? dayAfter(day, period.days) : day)
  const months = year * 12 + month - 1 + ('months' in period ? period.months : 0)
  return dayIn(to === 'month' ? months + 1 : (Math.floor(months / 12) + 1) * 12, 1)
}

/**
 * The rule before decision 220: an end on the first day of a month or year stays, and any other is rounded up. Points that were recorded under it
 * keep it.
 */
export function roundedUpKeepingFirstDays(day: PlainDate, period: Period, to: RoundingUp): PlainDate {
  const end = dayAfterPeriod(day, period)
  const [year, month, date] = partsOf(end)
  if (to === 'day' || (date === 1 && (to === 'month' || month === 1))) return end
  return dayIn(to === 'month' ? year * 12 + month : (year + 1) * 12, 1)
}

/** `month` counts from 1. */
function partsOf(day: PlainDate): [year: number, month: number, date: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))]
}

/** `months` counts from January of the year 0. Faster than `toISOString`, and this runs for every order. */
function dayIn(months: number, date: number): PlainDate {
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1]
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`
}

function twoDigits(count: number): string {
  return count < 10 ? `0${count}` : String(count)
}

function lengthOf(months: number): number {
  const month = months % 12
  if (month !== FEBRUARY) return LENGTHS[month]!
  const year = Math.floor(months / 12)
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}
