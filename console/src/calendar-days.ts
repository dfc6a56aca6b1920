/*
 * Calendar days, which no time zone changes: `2026-05-31`, checked, and computed with as such. A moment is never one; which day it falls on is a
 * question to moments.ts, with a time zone.
 */

declare const checked: unique symbol
/** YYYY-MM-DD, a day that exists. */
export type CalendarDay = string & Readonly<{ [checked]: true }>

/** From the first to the last day, inclusive. */
export type Days = Readonly<{ from: CalendarDay; to: CalendarDay }>

const DAY_MS = 86_400_000

/** The text as a calendar day; undefined if it is none. */
export function calendarDay(text: string): CalendarDay | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && dayAt(at) === text ? (text as CalendarDay) : undefined
}

/** The day `count` days later; earlier if negative. */
export function addDays(day: CalendarDay, count: number): CalendarDay {
  return dayAt(Date.parse(day) + count * DAY_MS)
}

export function countDays({ from, to }: Days): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
}

export function listDays(days: Days): CalendarDay[] {
  return Array.from({ length: countDays(days) }, (_, index) => addDays(days.from, index))
}

/** The Monday of its week. */
export function mondayOf(day: CalendarDay): CalendarDay {
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
}

/** The days of a month like `2026-05`; undefined if it is none. */
export function daysOfMonth(month: string): Days | undefined {
  const from = calendarDay(`${month}-01`)
  if (from === undefined) return undefined
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))]
  return { from, to: dayAt(Date.UTC(year, number, 0)) }
}

/** The last `count` months, that of the day first: `2026-05`. */
export function monthsUntil(day: CalendarDay, count: number): string[] {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  return Array.from({ length: count }, (_, back) => dayAt(Date.UTC(year, month - 1 - back, 1)).slice(0, 7))
}

function dayAt(utcMs: number): CalendarDay {
  return new Date(utcMs).toISOString().slice(0, 10) as CalendarDay
}

const utc = { timeZone: 'UTC' } as const
const whole = new Intl.DateTimeFormat('en-GB', { ...utc, day: 'numeric', month: 'short', year: 'numeric' })
const short = new Intl.DateTimeFormat('en-GB', { ...utc, day: 'numeric', month: 'short' })
const long = new Intl.DateTimeFormat('en-GB', {
  ...utc,
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const months = new Intl.DateTimeFormat('en-GB', { ...utc, month: 'long', year: 'numeric' })

/** "5 May 2026". Here and below, anything but a calendar day is shown as it is. */
export function calendarDayText(text: string): string {
  return textOf(text, whole)
}

/** "5 May" */
export function shortDay(text: string): string {
  return textOf(text, short)
}

/** "Tue, 5 May 2026" */
export function longDay(text: string): string {
  return textOf(text, long)
}

/** "May 2026" */
export function monthName(month: string): string {
  const days = daysOfMonth(month)
  return days === undefined ? month : months.format(Date.parse(days.from))
}

function textOf(text: string, format: Intl.DateTimeFormat): string {
  const day = calendarDay(text)
  return day === undefined ? text : format.format(Date.parse(day))
}
