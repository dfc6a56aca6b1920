/*
 * Lines of statistics, turned into what charts and tables show.
 */
import type { RouteResponse } from '../../src/server/responses.ts'
import { addDays, type Days, listDays, mondayOf } from './calendar-days.ts'
import { compareExact, sumOf } from './exact.ts'
import type { DayPoint } from './parts/chart.tsx'
import { weekShift } from './url-state.ts'

export type Line = RouteResponse<'GET /api/admin/statistics/points'>['lines'][number]

/** A point for each day of the span, even if nothing happened, with the same weekday of the span before. */
export function pointsByDay(
  days: Days,
  lines: readonly Line[],
  linesBefore: readonly Line[] | undefined,
  value: (line: Line) => string,
): DayPoint[] {
  const now = sumsByDay(lines, value)
  const then = linesBefore === undefined ? undefined : sumsByDay(linesBefore, value)
  const shift = weekShift(days)
  return listDays(days).map((day) => {
    const beforeDay = then === undefined ? undefined : addDays(day, -shift)
    return {
      day,
      value: now.get(day) ?? '0',
      before: beforeDay === undefined ? undefined : (then!.get(beforeDay) ?? '0'),
      beforeDay,
    }
  })
}

/** The same points added up from Monday to Sunday; the first and the last week may have fewer days. */
export function pointsByWeek(points: readonly DayPoint[]): DayPoint[] {
  const weeks = Map.groupBy(points, ({ day }) => mondayOf(day))
  return [...weeks.values()].map((ofWeek) => ({
    day: ofWeek[0]!.day,
    value: sumOf(ofWeek.map(({ value }) => value)),
    before: ofWeek[0]!.before === undefined ? undefined : sumOf(ofWeek.map(({ before }) => before!)),
    beforeDay: ofWeek[0]!.beforeDay,
  }))
}

function sumsByDay(lines: readonly Line[], value: (line: Line) => string): Map<string, string> {
  const days = Map.groupBy(lines, ({ day }) => day)
  return new Map([...days].map(([day, ofDay]) => [day, sumOf(ofDay.map(value))]))
}

/** The total count of a measure. */
export function countOf(lines: readonly Line[], measure: string): number {
  return lines.reduce((sum, line) => (line.measure === measure ? sum + line.n : sum), 0)
}

/** The count and the points for each key of a measure, most points first. */
export function sumsByKey(lines: readonly Line[], measure: string): { key: string; n: number; points: string }[] {
  const keys = Map.groupBy(
    lines.filter((line) => line.measure === measure),
    ({ key }) => key,
  )
  return [...keys]
    .map(([key, ofKey]) => ({
      key,
      n: ofKey.reduce((sum, { n }) => sum + n, 0),
      points: sumOf(ofKey.map(({ points }) => points)),
    }))
    .sort((one, other) => compareExact(other.points, one.points) || other.n - one.n)
}
