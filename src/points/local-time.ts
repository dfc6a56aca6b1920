/*
 * Local days and wall clocks of IANA time zones. Asking the machine's calendar takes microseconds: each zone remembers its offset for every day
 * of UTC that has only one.
 */
import type { Day, Moment } from './units.ts'

export const UTC = 'UTC'
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
/** Days remembered for a zone, ten years; and zones: programs name few, and conditions of tests many. */
const [DAYS_MAX, ZONES_MAX] = [3_660, 100]

/** A wall clock: the day, and the whole minutes since its midnight. */
export type LocalTime = Readonly<{ day: Day; minute: number }>

/** Whether the machine knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The day of a moment in a zone that `isTimeZone` (decision 80). */
export function localDay(at: Moment, zone: string): Day {
  return zone === UTC ? at.slice(0, 10) : localTime(at, zone).day
}

/** The wall clock of a moment in a zone that `isTimeZone`. */
export function localTime(at: Moment, zone: string): LocalTime {
  const utc = Date.parse(at)
  const local = utc + (zone === UTC ? 0 : offsetAt(utc, zone))
  const clock = new Date(local).toISOString()
  return { day: clock.slice(0, 10), minute: Number(clock.slice(11, 13)) * 60 + Number(clock.slice(14, 16)) }
}

/** The first moment at which the zone's clock shows this time; where it skips it, one beside the gap. */
export function momentOf({ day, minute }: LocalTime, zone: string): Moment {
  const clock = Date.parse(day) + minute * MINUTE_MS
  const before = clock - offsetAt(clock - DAY_MS, zone)
  const isShown = before + offsetAt(before, zone) === clock
  return new Date(isShown ? before : clock - offsetAt(clock + DAY_MS, zone)).toISOString()
}

/** The day so many days later, or earlier. */
export function dayAfter(day: Day, days: number): Day {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(day).getUTCDay()
}

/** `offsets`: in milliseconds, by day of UTC since 1970; undefined where it changes within the day. */
type Zone = Readonly<{ format: Intl.DateTimeFormat; offsets: Map<number, number | undefined> }>

const zones = new Map<string, Zone>()

function offsetAt(utc: number, name: string): number {
  const { format, offsets } = zones.get(name) ?? addZone(name)
  const day = Math.floor(utc / DAY_MS)
  if (!offsets.has(day)) {
    if (offsets.size >= DAYS_MAX) offsets.clear()
    const [first, last] = [askOffset(day * DAY_MS, format), askOffset((day + 1) * DAY_MS - 1, format)]
    offsets.set(day, first === last ? first : undefined)
  }
  return offsets.get(day) ?? askOffset(utc, format)
}

function addZone(name: string): Zone {
  if (zones.size >= ZONES_MAX) zones.clear()
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  const zone: Zone = { format, offsets: new Map() }
  zones.set(name, zone)
  return zone
}

/** `GMT`, `GMT+05:30`, and before there were zones `GMT+05:21:10`. */
function askOffset(utc: number, format: Intl.DateTimeFormat): number {
  const text = format.formatToParts(utc).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes, seconds = '0'] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)!
  if (sign === undefined) return 0
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}
