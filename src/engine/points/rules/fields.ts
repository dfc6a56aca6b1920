/*
 * The fields of rules. `expected` is what a person reads when a value does not match.
 */
import type { TUnsafe } from 'typebox'
import { Type } from '../json-schema.ts'

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

/** A number from 0 with up to four decimals, bare or in quotes. */
export function fromZero(meaning: string) {
  return Type.Union([Type.Number({ minimum: 0, maximum: 999_999_999_999_999 }), Type.String({ pattern: DECIMAL })], {
    description: `${meaning}: from 0, up to four decimals`,
    expected: 'a number from 0 with at most four decimals',
  })
}

/** A factor from 0, as text: JSON and YAML do not guarantee an exact 1.1. */
export const factorText = Type.String({
  pattern: DECIMAL,
  description: 'a factor from 0, in quotes, up to four decimals',
  expected: 'a number from 0 with at most four decimals, in quotes, like "1.5"',
})

/** Names of earlier rules. */
export const ruleNames = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 200,
  description: 'names of earlier rules; all so far where absent',
  expected: 'a list of names of earlier rules',
})

/** True or false. */
export function booleanField(meaning: string) {
  return Type.Boolean({ description: meaning, expected: 'true or false' })
}

/** One of a list of words. */
export function enumField<const Names extends readonly string[]>(
  names: Names,
  description: string,
): TUnsafe<Names[number]> {
  return Type.Unsafe<Names[number]>(Type.Enum([...names], { description, expected: `one of ${names.join(', ')}` }))
}
