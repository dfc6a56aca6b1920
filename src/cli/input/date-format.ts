import { InvalidValue } from '../../engine/ingest/record.ts'
import { OperatorError } from '../../errors.ts'
import { nearestZoneHint } from './nearest-time-zone.ts'

/** Reads dates as a file writes them. Errors: InvalidValue, with a sentence of its own where day and month may have changed places. */
export type DateReader = Readonly<{
  /** A date in the format of the wire: DD-MM-YYYY. */
  readDate: (value: unknown) => string
  /** A date, with or without a time and a zone after it, as a moment. Without a time it is the start of the day. */
  readInstant: (value: unknown) => string
  /** The zone in which moments were read that name none; undefined as long as there was none. */
  assumedZone: () => string | undefined
}>

const PATTERNS: Readonly<Record<string, string>> = {
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  YYYY: '(?<year>\\d{4})',
}
const MONTHS = 12
const CLOCK =
  '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:\\.\\d+)?)?(?:\\s*(?<half>[AaPp])\\.?[Mm]\\.?)?'
const TIME = `(?:[T, ]+${CLOCK})?\\s*(?<zone>Z|UTC|[+-]\\d{2}:?\\d{2})?`

/**
 * A reader of dates like `DD/MM/YYYY`: DD or D, MM or M, YYYY, and separators between them. Moments without a zone are read in `timeZone`.
 * Errors: OperatorError for an invalid format or zone.
 */
export function dateReader(format: string, timeZone: string): DateReader {
  const date = patternOf(format)
  const [dates, instants] = [new RegExp(`^${date}$`), new RegExp(`^${date}${TIME}$`)]
  checkZone(timeZone)
  let assumed: string | undefined
  const matched = (pattern: RegExp, value: unknown): Readonly<Record<string, string | undefined>> => {
    const groups = typeof value === 'string' ? pattern.exec(value.trim())?.groups : undefined
    if (groups === undefined) throw new InvalidValue(`a date ${format}`, value)
    if (Number(groups.month) > MONTHS && Number(groups.day) <= MONTHS)
      throw new InvalidValue(`a date ${format} with a month up to ${MONTHS}`, value)
    return groups
  }
  return {
    readDate: (value) => {
      const { day, month, year } = matched(dates, value)
      const [dd, mm] = [day!.padStart(2, '0'), month!.padStart(2, '0')]
      try {
        Temporal.PlainDate.from(`${year}-${mm}-${dd}`)
      } catch {
        throw new InvalidValue(`a date ${format} that exists`, value)
      }
      return `${dd}-${mm}-${year}`
    },
    readInstant: (value) => {
      const { day, month, year, hour = '0', half, minute = '00', second = '00', zone } = matched(instants, value)
      const on = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
      try {
        const local = `${on}T${String(hourOfDay(Number(hour), half)).padStart(2, '0')}:${minute}:${second}`
        if (zone !== undefined) return Temporal.Instant.from(`${local}${offset(zone)}`).toString()
        const instant = toInstant(timeZone, local)
        assumed = timeZone
        return instant
      } catch {
        throw new InvalidValue(`a date ${format} that exists`, value)
      }
    },
    assumedZone: () => assumed,
  }
}

/** 0 to 23, of an hour on a clock of 24 hours, or of 12 if the half of the day is named. Errors: RangeError for an hour that a clock of 12 lacks. */
function hourOfDay(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) throw new RangeError(`no clock of 12 hours shows ${hour}`)
  return (hour % 12) + (/p/i.test(half) ? 12 : 0)
}

function patternOf(format: string): string {
  const parts = format.split(/(D+|M+|Y+)/)
  const tokens = parts.filter((part) => /^[DMY]/.test(part))
  if (tokens.includes('YY'))
    throw new OperatorError(`--date-format is "${format}": two digits do not say which century, expected YYYY`)
  const isComplete = ['D', 'M', 'Y'].every((letter) => tokens.filter((one) => one.startsWith(letter)).length === 1)
  const hasValidTokens = tokens.every((one) => Object.hasOwn(PATTERNS, one))
  if (!isComplete || !hasValidTokens || parts.some((part) => /[^DMY./\- ,]/.test(part)))
    throw new OperatorError(`--date-format is "${format}": expected DD or D, MM or M, and YYYY, like DD/MM/YYYY`)
  return parts.map((part) => PATTERNS[part] ?? part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('')
}

function checkZone(timeZone: string): void {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone)
  } catch {
    throw new OperatorError(
      `--time-zone is "${timeZone}": expected a name like Europe/Berlin, or UTC${nearestZoneHint(timeZone)}`,
    )
  }
}

/** Of an hour that a clock change repeats, the first is meant; a time that it skips is moved forward. */
function toInstant(timeZone: string, local: string): string {
  return Temporal.PlainDateTime.from(local)
    .toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    .toInstant()
    .toString()
}

function offset(zone: string): string {
  return zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')
}
