/*
 * How long the service keeps what it has noted: settings of the shop.
 */
import { dayBeforePeriod, PERIOD_PATTERN, readPeriod } from '../points/calendar.ts'
import { Type } from '../points/json-schema.ts'
import type { PlainDate } from '../points/units.ts'
import { type Field, InvalidValue } from './record.ts'

export const FOREVER = 'forever'
export const NEVER_ERASED = 'never'
const DAYS_MIN = 30
const PERIOD = new RegExp(PERIOD_PATTERN)

/** A period of at least 30 days or one month, or `forever`. Shorter ones are refused: nobody would find out in time what is missing. */
export const retention: Field<string> = periodOr(FOREVER)

/** The same for what ends unless there is activity: a period, or `never`. */
export const periodOrNever: Field<string> = periodOr(NEVER_ERASED)

function periodOr(word: string): Field<string> {
  return {
    schema: Type.String({ pattern: `${PERIOD_PATTERN}|^${word}$` }),
    read: (value) => {
      if (value === word) return word
      const period = typeof value === 'string' && PERIOD.test(value) ? readPeriod(value) : { days: 0 }
      if ('days' in period && period.days < DAYS_MIN)
        throw new InvalidValue(`P30D, P1M or longer, like P13M, or ${word}`, value)
      return value as string
    },
  }
}

/** The first day that is still kept; undefined if every day is. `keep` is what `retention` or `periodOrNever` has read. */
export function firstDayKept(keep: string, today: PlainDate): PlainDate | undefined {
  return keep === FOREVER || keep === NEVER_ERASED ? undefined : dayBeforePeriod(today, readPeriod(keep))
}
