/*
 * The days and hours in which a rule applies, on the wall clock of its program's time zone.
 */

import { dayAfter } from './calendar.ts'
import type { ReportIssue } from './issue.ts'
import { isDay, localTime, weekdayOf } from './local-time.ts'
import type { Instant, PlainDate } from './units.ts'

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/**
 * The days and hours of a rule; what is absent sets no limit. `until` is inclusive. `hours` are minutes since midnight, with an exclusive end;
 * an end that is not after the start lies on the next day.
 */
export type RuleSchedule = Readonly<{
  from?: PlainDate
  until?: PlainDate
  /** 0 is Sunday. */
  days?: ReadonlySet<number>
  hours?: Readonly<{ from: number; until: number }>
}>

/**
 * Why a rule does not apply at a moment, as a sentence; undefined where it does. Hours that cross midnight belong to the day on which they start.
 * An hour that the clock shows twice counts both times, one that it skips never. Source: docs/programs.md
 */
export function whyOutsideSchedule(
  { from, until, days, hours }: RuleSchedule,
  at: Instant,
  zone: string,
): string | undefined {
  const { day: today, minute } = localTime(at, zone)
  const isAcross = hours !== undefined && hours.until <= hours.from
  const day = isAcross && minute < hours.until ? dayAfter(today, -1) : today
  const isInHours =
    hours === undefined ||
    (isAcross ? minute >= hours.from || minute < hours.until : minute >= hours.from && minute < hours.until)
  const isInside =
    (from === undefined || from <= day) &&
    (until === undefined || day <= until) &&
    (days === undefined || days.has(weekdayOf(day))) &&
    isInHours
  if (isInside) return undefined
  const clock = `${WEEKDAYS[weekdayOf(today)]} ${today} ${clockText(minute)}`
  return `outside its schedule: order placed ${clock}, ${zone}`
}

/** Minutes since midnight as `22:30`. */
export function clockText(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** The section `during` as a program writes it; its shape has been checked. */
export type WrittenRuleSchedule = Readonly<{
  from?: string
  until?: string
  days?: readonly (typeof WEEKDAYS)[number][]
  hours?: string
}>

/** Reads the section. `issue` reports at a field what the schema cannot check; the result must then not be used. */
export function readRuleSchedule({ from, until, days, hours }: WrittenRuleSchedule, issue: ReportIssue): RuleSchedule {
  if (from === undefined && until === undefined && days === undefined && hours === undefined)
    issue('', 'expected from, until, days or hours')
  for (const [field, day] of Object.entries({ from, until }))
    if (day !== undefined && !isDay(day)) issue(`.${field}`, `expected a date like 2026-11-27, got "${day}"`)
  if (from !== undefined && until !== undefined && until < from) issue('.until', 'expected a date not before from')
  const [begin, end] = (hours ?? '').split('-').map(minutesOf)
  if (hours !== undefined && begin === end) issue('.hours', 'expected different start and end times')
  return {
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(days === undefined ? {} : { days: new Set(days.map((name) => WEEKDAYS.indexOf(name))) }),
    ...(hours === undefined ? {} : { hours: { from: begin!, until: end! } }),
  }
}

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))
}
