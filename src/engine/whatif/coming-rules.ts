/*
 * Rules whose days are still to come, moved onto past days, so that a backtest has orders for them. Pure.
 */
import { dayAfter } from '../points/calendar.ts'
import type { Program } from '../points/program-model.ts'
import type { Rule } from '../points/rules/index.ts'
import type { PlainDate } from '../points/units.ts'

const DAY_MS = 86_400_000
/** Of a rule without an end, a week is looked at. */
const OPEN_DAYS = 7

/** The first and the last of some days, both included. */
export type DaySpan = Readonly<{ from: PlainDate; until: PlainDate }>

/** The names of the rules that begin after `today`. */
export function comingRules({ earn }: Program, today: PlainDate): ReadonlySet<string> {
  return new Set(earn.filter(({ during }) => during?.from !== undefined && during.from > today).map(({ name }) => name))
}

/** The program with the days of these rules whole weeks earlier, so that they fall on the same weekdays. */
export function movedEarlier(program: Program, rules: ReadonlySet<string>, weeks: number): Program {
  const moved = (rule: Rule): Rule => {
    const { from, until } = rule.during ?? {}
    if (!rules.has(rule.name)) return rule
    const days = {
      ...(from === undefined ? {} : { from: dayAfter(from, -7 * weeks) }),
      ...(until === undefined ? {} : { until: dayAfter(until, -7 * weeks) }),
    }
    return { ...rule, during: { ...rule.during, ...days } }
  }
  return { ...program, earn: program.earn.map(moved) }
}

/** All days of these rules together; undefined if there are none. A rule without an end counts for a week. */
export function daysOfRules({ earn }: Program, rules: ReadonlySet<string>): DaySpan | undefined {
  const spans = earn.flatMap(({ name, during }): DaySpan[] => {
    if (!rules.has(name) || during?.from === undefined) return []
    return [{ from: during.from, until: during.until ?? dayAfter(during.from, OPEN_DAYS - 1) }]
  })
  if (spans.length === 0) return undefined
  const sorted = (of: (span: DaySpan) => PlainDate) => spans.map(of).sort()
  return { from: sorted(({ from }) => from)[0]!, until: sorted(({ until }) => until).at(-1)! }
}

/** The fewest whole weeks, at least one, by which `days` have to be earlier to lie in the days `covered`; undefined if they cannot. */
export function weeksInto(covered: DaySpan, days: DaySpan): number | undefined {
  const excess = (Date.parse(days.until) - Date.parse(covered.until)) / DAY_MS
  const weeks = Math.max(1, Math.ceil(excess / 7))
  return dayAfter(days.from, -7 * weeks) < covered.from ? undefined : weeks
}
