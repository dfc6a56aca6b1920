/*
 * The fields that rules are made of. `expected` is the sentence a person reads when the field does not fit.
 */
import { type TUnsafe, Type } from 'typebox'
import { type Amount, parseAmount } from '../arithmetic.ts'

const DECIMAL = '^\\d{1,15}(\\.\\d{1,4})?$'

/** A number above 0 with up to four decimals, bare or in quotes. */
export function aboveZero(meaning: string) {
  return Type.Union(
    [Type.Number({ exclusiveMinimum: 0, maximum: 999_999_999_999_999 }), Type.String({ pattern: DECIMAL })],
    {
      description: `${meaning}: above 0, up to four decimals`,
      expected: 'a number above 0 with at most four decimals',
    },
  )
}

export function yesNo(meaning: string) {
  return Type.Boolean({ description: meaning, expected: 'true or false' })
}

export function oneOf<const Names extends readonly string[]>(names: Names): TUnsafe<Names[number]> {
  return Type.Unsafe<Names[number]>(
    Type.Enum([...names], { description: `one of ${names.join(', ')}`, expected: `one of ${names.join(', ')}` }),
  )
}

/** The amount that a checked `aboveZero` value stands for; undefined for 0 or more than four decimals. */
export function readAboveZero(value: number | string): Amount | undefined {
  const amount = parseAmount(String(value))
  return amount === undefined || amount === 0n ? undefined : amount
}
