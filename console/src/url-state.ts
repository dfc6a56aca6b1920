/*
 * The span of days that a page shows, kept in its URL so that it can be sent to a colleague.
 */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import {
  addDays,
  type CalendarDay,
  calendarDay,
  countDays,
  type Days,
  daysOfMonth,
  monthName,
  shortDay,
} from './calendar-days.ts'
import { today } from './moments.ts'
import { useZone } from './zone.ts'

export const SPANS = { '7d': 'Last 7 days', '30d': 'Last 30 days', '90d': 'Last 90 days' } as const
export const SPAN = '30d'
/** Longer spans are drawn by week. */
export const WEEKLY_FROM = 62
/** The most days that the statistics allow. */
export const DAYS_MAX = 400

/** One parameter of the URL; absent means `fallback`. Others stay, and no history entry is added. */
export function useUrlState(name: string, fallback = ''): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams()
  const set = useCallback(
    (value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === fallback) next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      ),
    [name, fallback, setSearch],
  )
  return [search.get(name) ?? fallback, set]
}

/** Sets several parameters of the URL at once; empty ones are removed. */
export function useSetUrl(): (values: Readonly<Record<string, string>>) => void {
  const [, setSearch] = useSearchParams()
  return useCallback(
    (values) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(values))
            if (value === '') next.delete(name)
            else next.set(name, value)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
}

export type Span = Days &
  Readonly<{
    key: string
    name: string
    set: (key: string) => void
    /** The same weekdays of whole weeks before; undefined if nothing is compared. */
    before: Days | undefined
    isCompared: boolean
    setCompared: (on: boolean) => void
  }>

export function useSpan(): Span {
  const zone = useZone()
  const [key, set] = useUrlState('span', SPAN)
  const [compare, setCompare] = useUrlState('compare', 'on')
  return useMemo(() => {
    const days = daysOf(key, today(zone))
    return {
      ...days,
      key,
      name: nameOf(key, days),
      set,
      before: compare === 'on' ? weeksBefore(days) : undefined,
      isCompared: compare === 'on',
      setCompared: (on: boolean) => setCompare(on ? 'on' : 'off'),
    }
  }, [zone, key, set, compare, setCompare])
}

/** The days that a key means: `30d`, a month like `2026-05`, or two days like `2026-05-01..2026-05-20`. Anything else means 30 days. */
export function daysOf(key: string, now: CalendarDay): Days {
  const month = daysOfMonth(key)
  if (month !== undefined) return month
  const [from, to] = key.split('..').map(calendarDay)
  if (from !== undefined && to !== undefined && from <= to && countDays({ from, to }) <= DAYS_MAX) return { from, to }
  const count = key in SPANS ? Number.parseInt(key, 10) : Number.parseInt(SPAN, 10)
  return { from: addDays(now, 1 - count), to: now }
}

function nameOf(key: string, { from, to }: Days): string {
  if (key in SPANS) return SPANS[key as keyof typeof SPANS]
  if (daysOfMonth(key) !== undefined) return monthName(key)
  return key.includes('..') ? `${shortDay(from)} – ${shortDay(to)}` : SPANS[SPAN]
}

/** The same days as many whole weeks earlier as the span needs, so that a Monday is compared with a Monday. */
export function weeksBefore(days: Days): Days {
  const shift = weekShift(days)
  return { from: addDays(days.from, -shift), to: addDays(days.to, -shift) }
}

export function weekShift(days: Days): number {
  return Math.ceil(countDays(days) / 7) * 7
}
