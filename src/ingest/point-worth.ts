import { parseRatio } from '../points/arithmetic.ts'
import { Type } from '../points/json-schema.ts'
import { type Field, Misfit } from './record.ts'

const WORTH = /^\d{1,15}(\.\d{1,9})?$/

/** Digits, perhaps with decimals, so that every cost is exact. */
export const pointWorth: Field<string> = {
  schema: Type.String({ pattern: WORTH.source }),
  read: (value) => {
    if (typeof value === 'string' && WORTH.test(value) && parseRatio(value) !== undefined) return value
    throw new Misfit('what a point is worth as a text, like 0.01', value)
  },
}
