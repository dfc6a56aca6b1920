/*
 * The time that passes before a step of a case.
 */
import { PERIOD_PATTERN, readPeriod } from '../../points/calendar.ts'
import { Type } from '../../points/json-schema.ts'
import type { Wait } from '../../whatif/replay.ts'
import { type Field, InvalidValue } from '../record.ts'

const CLOCK_PATTERN = '^PT[1-9][0-9]{0,3}[MH]$'

export const waitField: Field<Wait> = {
  schema: Type.Union([Type.String({ pattern: PERIOD_PATTERN }), Type.String({ pattern: CLOCK_PATTERN })]),
  read: (value) => {
    const text = typeof value === 'string' ? value : ''
    if (new RegExp(PERIOD_PATTERN).test(text)) return readPeriod(text)
    if (!new RegExp(CLOCK_PATTERN).test(text)) throw new InvalidValue('a time like PT20M, P14D, P12M or P1Y', value)
    return { minutes: Number(text.slice(2, -1)) * (text.endsWith('H') ? 60 : 1) }
  },
}

/** The wait as text that `waitField` reads: P14D, P12M, PT20M. */
export function waitText(wait: Wait): string {
  if ('minutes' in wait) return `PT${wait.minutes}M`
  return 'days' in wait ? `P${wait.days}D` : `P${wait.months}M`
}
