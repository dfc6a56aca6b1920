/*
 * The parts of a kind of rule. Each kind is an object of this type in a file of its own; index.ts lists them. Its fields are made of those at the end,
 * where `expected` is what a person reads when a value does not match.
 */

import type { Static, TSchema, TUnsafe } from 'typebox'
import { parseAmount, type Ratio } from '../arithmetic.ts'
import type { ReportIssue } from '../issue.ts'
import { Type } from '../json-schema.ts'
import type { Because, Catalogue, Earned, Line, PaidOrder } from '../model.ts'
import type { Amount } from '../units.ts'

/** What a rule is applied to. `lines` are those that its condition selected, else all of `order.lines`. */
export type RuleInput = Readonly<{
  order: PaidOrder
  lines: readonly Line[]
  catalogue: Catalogue
  earned: readonly Earned[]
  soFar: Ratio
}>

/** What a rule gives, exact and not rounded, and why. */
export type RuleResult = Readonly<{ points: Ratio; because: Because }>

/** The context in which a rule is read: whether its condition selects lines, and the names of the rules before it, undefined where they cannot be read. */
export type RuleReading = Readonly<{
  selectsLines: boolean
  earlier: readonly (string | undefined)[]
  /** Reports an issue at a field, like `.every`, or at the rule's kind itself if the text is empty. */
  issue: ReportIssue
}>

/** A kind of rule. `Terms` holds what a rule of this kind does, in exact numbers. */
export type RuleKind<Kind extends string, Fields extends TSchema, Terms> = Readonly<{
  /** The key that programs use. */
  kind: Kind
  /** The schema of its fields. */
  fields: Fields
  /** Reads fields whose shape has been checked. Reports as issues what a schema cannot express; the terms must then not be used. */
  read: (fields: Static<Fields>, reading: RuleReading) => Terms
  /** What a rule gives for an order, exact and not rounded. */
  earn: (terms: Terms, input: RuleInput) => RuleResult
}>

/** Ties the types of a kind's parts together; returns its argument. */
export function ruleKind<const Kind extends string, Fields extends TSchema, Terms extends Readonly<{ kind: Kind }>>(
  kind: RuleKind<Kind, Fields, Terms>,
): RuleKind<Kind, Fields, Terms> {
  return kind
}

/** Reads a number of a rule. More than four decimals, or a value below `min`, is an issue. */
export function readAmount(
  field: string,
  value: number | string,
  { min }: { min: 0n | 1n },
  { issue }: Pick<RuleReading, 'issue'>,
): Amount {
  const amount = parseAmount(String(value))
  if (amount === undefined || amount < min) issue(`.${field}`, `expected ${min === 0n ? FROM_ZERO : ABOVE_ZERO}`)
  return amount ?? 0n
}

/** Reports an issue if a condition selects lines for a rule that applies to the whole order. */
export function refuseLines({ selectsLines, issue }: RuleReading): void {
  if (selectsLines) issue('', 'expected a condition without line: this rule applies to the whole order')
}

const DECIMAL = '^\\d{1,15}(\\.\\d{1,4})?$'
const FROM_ZERO = 'a non-negative number with at most 4 decimal places'
const ABOVE_ZERO = 'a number greater than 0 with at most 4 decimal places'

/** A number above 0 with up to four decimals, bare or in quotes. */
export function aboveZero(meaning: string) {
  return Type.Union(
    [Type.Number({ exclusiveMinimum: 0, maximum: 999_999_999_999_999 }), Type.String({ pattern: DECIMAL })],
    {
      description: `${meaning}: greater than 0, up to 4 decimal places`,
      expected: ABOVE_ZERO,
    },
  )
}

/** A number from 0 with up to four decimals, bare or in quotes. */
export function fromZero(meaning: string) {
  return Type.Union([Type.Number({ minimum: 0, maximum: 999_999_999_999_999 }), Type.String({ pattern: DECIMAL })], {
    description: `${meaning}: non-negative, up to 4 decimal places`,
    expected: FROM_ZERO,
  })
}

/** A factor from 0, as text: JSON and YAML do not guarantee an exact 1.1. */
export const factorText = Type.String({
  pattern: DECIMAL,
  description: 'a non-negative factor in quotes, up to 4 decimal places',
  expected: `${FROM_ZERO}, in quotes, like "1.5"`,
})

/** Names of earlier rules. */
export const ruleNames = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 200,
  description: 'names of earlier rules; default: all so far',
  expected: 'an array of names of earlier rules',
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
