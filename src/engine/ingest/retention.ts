/*
 * How long the service keeps what it has noted: settings of the shop.
 */
import { dayBeforePeriod, PERIOD_PATTERN, readPeriod } from '../points/calendar.ts'
import { Type } from '../points/json-schema.ts'
import type { PlainDate } from '../points/units.ts'
import { type Field, InvalidValue } from './record.ts'

export const FOREVER = 'forever'
const DAYS_MIN = 30
const PERIOD = new RegExp(PERIOD_PATTERN)

/** A period of at least 30 days or one month, or `forever`. Shorter ones are refused: nobody would find out in time what is missing. */
export const retention: Field<string> = {
  schema: Type.String({ pattern: `${PERIOD_PATTERN}|^${FOREVER}$` }),
  read: (value) => {
    if (value === FOREVER) return FOREVER
    const period = typeof value === 'string' && PERIOD.test(value) ? readPeriod(value) : { days: 0 }
    if ('days' in period && period.days < DAYS_MIN)
      throw new InvalidValue('P30D, P1M or longer, like P13M, or forever', value)
    return value as string
  },
}

/** The first day that is still kept; undefined if every day is. `keep` is what `retention` has read. */
export function firstDayKept(keep: string, today: PlainDate): PlainDate | undefined {
  return keep === FOREVER ? undefined : dayBeforePeriod(today, readPeriod(keep))
}
