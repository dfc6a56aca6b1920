/*
 * Moments, shown in a time zone. A moment is never shown as a calendar day, nor a calendar day as a moment.
 */
import { type CalendarDay, calendarDay } from './calendar-days.ts'

type Zone = string | undefined

const MINUTE = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const FORMATS = {
  minute: MINUTE,
  clock: CLOCK,
  second: { ...CLOCK, second: '2-digit' },
  dayAndClock: { ...CLOCK, day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short' },
  offset: { ...MINUTE, timeZoneName: 'short' },
  wall: { ...CLOCK, day: '2-digit', month: '2-digit', year: 'numeric', hourCycle: 'h23' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
const DAY_MS = 86_400_000

const made = new Map<string, Intl.DateTimeFormat>()

/** Making a format takes much longer than using it. Without a zone: this browser's own. */
function formatOf(name: keyof typeof FORMATS, zone: Zone): Intl.DateTimeFormat {
  const key = `${name} ${zone}`
  const cached = made.get(key)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat('en-GB', {
    ...FORMATS[name],
    ...(zone === undefined ? {} : { timeZone: zone }),
  })
  made.set(key, format)
  return format
}

function shown(name: keyof typeof FORMATS, timestamp: string, zone: Zone): string {
  const at = calendarDay(timestamp) === undefined ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(at) ? timestamp : formatOf(name, zone).format(at)
}

/** "5 May 2026, 14:03". Here and below, what is no moment is shown as it is. */
export function timestampText(timestamp: string, zone: string): string {
  return shown('minute', timestamp, zone)
}

/** The moment on this browser's clock, "5 May 2026, 14:03 your time"; undefined where that shows the same. */
export function browserTimeText(timestamp: string, zone: string): string | undefined {
  const inBrowser = shown('minute', timestamp, undefined)
  return inBrowser === timestampText(timestamp, zone) ? undefined : `${inBrowser} your time`
}

/** "14:03:11" */
export function timeText(atMs: number, zone: string): string {
  return formatOf('second', zone).format(atMs)
}

/** "14:03", or "5 May, 14:03". */
export function clockText(timestamp: string, withDay: boolean, zone: string): string {
  return shown(withDay ? 'dayAndClock' : 'clock', timestamp, zone)
}

/** "5 May": where the midnight of a time axis is. */
export function dateText(timestamp: string, zone: string): string {
  return shown('date', timestamp, zone)
}

/** The minutes since midnight on the clock of a zone. */
export function minuteOfDay(timestamp: string, zone: string): number {
  const wall = wallClock(Date.parse(timestamp), zone)
  return Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14))
}

/** The current day. */
export function today(zone: string, nowMs = Date.now()): CalendarDay {
  return calendarDay(wallClock(nowMs, zone).slice(0, 10))!
}

/** What a clock in the zone shows: "2026-05-05T14:03". */
export function wallClock(atMs: number, zone: string): string {
  const parts = formatOf('wall', zone).formatToParts(atMs)
  const of = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)!.value
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`
}

/**
 * The moments, in UTC, at which a clock in the zone shows `wall`, like "2026-05-05T14:03": one; none where the clock is put forward over it; two where
 * it is put back over it. Undefined if `wall` is no time, or its year has more than four digits.
 */
export function instantsOnClock(wall: string, zone: string): string[] | undefined {
  const [day = '', clock = ''] = wall.split('T')
  if (calendarDay(day) === undefined || !/^([01]\d|2[0-3]):[0-5]\d$/.test(clock)) return undefined
  const asUtc = Date.parse(`${wall}Z`)
  const offsets = [-DAY_MS, DAY_MS].map((apart) => Date.parse(`${wallClock(asUtc + apart, zone)}Z`) - asUtc - apart)
  return [...new Set(offsets)]
    .map((offset) => asUtc - offset)
    .filter((at) => wallClock(at, zone) === wall)
    .sort((one, other) => one - other)
    .map((at) => new Date(at).toISOString())
}

/** "5 May 2026, 14:03 BST": tells a time from the same one an hour later, when clocks are put back. */
export function timestampWithOffset(timestamp: string, zone: string): string {
  return shown('offset', timestamp, zone)
}

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const

/** "3 minutes ago" */
export function agoText(timestamp: string, nowMs = Date.now()): string {
  const at = Date.parse(timestamp)
  if (Number.isNaN(at)) return timestamp
  let amount = (at - nowMs) / 1_000
  for (const [unit, many] of STEPS) {
    if (Math.abs(amount) < many) return ago.format(Math.round(amount), unit)
    amount /= many
  }
  return ago.format(Math.round(amount), 'year')
}

/** "42 min", "3 h": how long something usually takes. */
export function gapText(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`
  if (minutes < 90) return `${Math.round(minutes)} min`
  const hours = minutes / 60
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}
