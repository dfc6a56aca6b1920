/*
 * Local days and wall clocks of IANA time zones. A lookup through `Intl` takes microseconds, so the offset of each zone is cached for every UTC day
 * on which it does not change.
 */
import { dayAfter } from './calendar.ts'
import type { Instant, PlainDate } from './units.ts'

export const UTC = 'UTC'
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
const ZERO = 48
/** Days cached for each zone (ten years), and zones cached: programs name few, the conditions of tests many. */
const [DAYS_MAX, ZONES_MAX] = [3_660, 100]

/** A wall-clock time: the day, and the whole minutes since its midnight. */
export type LocalTime = Readonly<{ day: PlainDate; minute: number }>

/** Whether this runtime knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The local day of a moment. The zone must satisfy `isTimeZone` (decision 80). */
export function localDay(at: Instant, zone: string): PlainDate {
  return zone === UTC ? at.slice(0, 10) : localTime(at, zone).day
}

/** The wall-clock time of a moment. The zone must satisfy `isTimeZone`. */
export function localTime(at: Instant, zone: string): LocalTime {
  const { day, before, after, offset } = dayOf(at, zone)
  const local = timeOfDay(at) + (offset ?? offsetAt(at, zone))
  const [shown, time] = local < 0 ? [before, local + DAY_MS] : local >= DAY_MS ? [after, local - DAY_MS] : [day, local]
  return { day: shown, minute: Math.floor(time / MINUTE_MS) }
}

/** The first moment at which the zone's clock shows this time; a moment next to the gap if the clock skips it. `minute` may be 1,440 (midnight). */
export function clockToInstant({ day, minute }: LocalTime, zone: string): Instant {
  const clock = Date.parse(day) + minute * MINUTE_MS
  const utcMsBy = (guess: number) => clock - offsetAt(new Date(guess).toISOString(), zone)
  const first = new Date(utcMsBy(clock - DAY_MS)).toISOString()
  const shown = localTime(first, zone)
  const isShown = shown.day === day && shown.minute === minute
  return isShown ? first : new Date(utcMsBy(clock + DAY_MS)).toISOString()
}

/** The first moment of a day: midnight, or the end of the gap where the zone skips midnight. */
export function startOfDay(day: PlainDate, zone: string): Instant {
  const at = clockToInstant({ day, minute: 0 }, zone)
  const shown = localTime(at, zone)
  if (shown.day >= day) return at
  return new Date(Date.parse(at) + DAY_MS - shown.minute * MINUTE_MS).toISOString()
}

/** Whether a text is a calendar day, YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}

/** The moment `ms` milliseconds later; earlier if negative. */
export function instantAfter(instant: Instant, ms: number): Instant {
  return new Date(Date.parse(instant) + ms).toISOString()
}

/** The day of the week; 0 is Sunday. */
export function weekdayOf(day: PlainDate): number {
  return new Date(day).getUTCDay()
}

/** A UTC day and its neighbours. `offset` is in milliseconds; undefined where it changes within the day. */
type UtcDay = Readonly<{ day: PlainDate; before: PlainDate; after: PlainDate; offset: number | undefined }>
type Zone = Readonly<{ format: Intl.DateTimeFormat; days: Map<PlainDate, UtcDay> }>

const zones = new Map<string, Zone>()

function dayOf(at: Instant, name: string): UtcDay {
  const { format, days } = zones.get(name) ?? addZone(name)
  const day = at.slice(0, 10)
  const cached = days.get(day)
  if (cached !== undefined) return cached
  if (days.size >= DAYS_MAX) days.clear()
  const start = Date.parse(day)
  const [first, last] = [askOffset(start, format), askOffset(start + DAY_MS - 1, format)]
  const utcDay = { day, before: dayAfter(day, -1), after: dayAfter(day, 1), offset: first === last ? first : undefined }
  days.set(day, utcDay)
  return utcDay
}

function offsetAt(at: Instant, name: string): number {
  return askOffset(Date.parse(at), (zones.get(name) ?? addZone(name)).format)
}

function addZone(name: string): Zone {
  if (zones.size >= ZONES_MAX) zones.clear()
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  const zone: Zone = { format, days: new Map() }
  zones.set(name, zone)
  return zone
}

/** Milliseconds since midnight UTC. The digits of a moment are at fixed positions. */
function timeOfDay(at: Instant): number {
  const digits = (place: number) => (at.charCodeAt(place) - ZERO) * 10 + at.charCodeAt(place + 1) - ZERO
  const thousandths = digits(20) * 10 + at.charCodeAt(22) - ZERO
  return ((digits(11) * 60 + digits(14)) * 60 + digits(17)) * 1_000 + thousandths
}

/** Parses `GMT`, `GMT+05:30` and, for local mean time before standard zones, `GMT+05:21:10`. */
function askOffset(utc: number, format: Intl.DateTimeFormat): number {
  const text = format.formatToParts(utc).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes, seconds = '0'] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)!
  if (sign === undefined) return 0
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}
