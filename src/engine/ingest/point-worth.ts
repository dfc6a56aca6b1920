import { parseRatio } from '../points/arithmetic.ts'
import { Type } from '../points/json-schema.ts'
import { type Field, InvalidValue } from './record.ts'

const WORTH = /^\d{1,15}(\.\d{1,9})?$/

/** What a point is worth: a decimal as text, so that every cost is exact. */
export const pointWorth: Field<string> = {
  schema: Type.String({ pattern: WORTH.source }),
  read: (value) => {
    if (typeof value === 'string' && WORTH.test(value) && parseRatio(value) !== undefined) return value
    throw new InvalidValue('what a point is worth as a text, like 0.01', value)
  },
}
