/*
 * What a kind of rule is made of. Each kind is one such object in a file of its own; index.ts lists them.
 */
import type { Static, TSchema } from 'typebox'
import { parseAmount, type Ratio } from '../arithmetic.ts'
import type { Because, Catalogue, Earned, Line, PaidOrder } from '../model.ts'
import type { Amount } from '../units.ts'

/** What a rule has before it when its turn comes. `lines` are those that its condition selected, else all. */
export type RuleInput = Readonly<{
  order: PaidOrder
  lines: readonly Line[]
  catalogue: Catalogue
  earned: readonly Earned[]
  soFar: Ratio
}>

/** What a rule gives, exact and not rounded, and why. */
export type RuleResult = Readonly<{ points: Ratio; because: Because }>

/** What reading a rule knows besides its fields: whether its condition selects lines, and the names of the rules before it. */
export type RuleReading = Readonly<{
  selectsLines: boolean
  earlier: ReadonlySet<string>
  /** Notes a fault at a field, like `.every`; the empty text is the rule's kind itself. */
  fault: (field: string, expected: string) => void
}>

/** A kind of rule. `Terms` is what a rule of this kind does, with exact numbers. */
export type RuleKind<Kind extends string, Fields extends TSchema, Terms> = Readonly<{
  /** The word that a program writes. */
  kind: Kind
  /** What may stand under that word. */
  fields: Fields
  /** Reads fields whose shape was checked. What no shape can say is noted as a fault, and the terms are then not used. */
  read: (written: Static<Fields>, reading: RuleReading) => Terms
  /** What a rule gives for an order, exact and not rounded. */
  earn: (terms: Terms, input: RuleInput) => RuleResult
}>

/** Says which types the parts of a kind share; changes nothing. */
export function ruleKind<const Kind extends string, Fields extends TSchema, Terms extends Readonly<{ kind: Kind }>>(
  kind: RuleKind<Kind, Fields, Terms>,
): RuleKind<Kind, Fields, Terms> {
  return kind
}

/** Reads a number of a rule; one with more than four decimals, or below `min`, is a fault. */
export function readAmount(
  field: string,
  value: number | string,
  { min }: { min: 0n | 1n },
  { fault }: RuleReading,
): Amount {
  const amount = parseAmount(String(value))
  if (amount === undefined || amount < min)
    fault(`.${field}`, `a number ${min === 0n ? 'from' : 'above'} 0 with at most four decimals`)
  return amount ?? 0n
}

/** Notes a fault where a condition selects lines for a rule that is about the whole order. */
export function refuseLines({ selectsLines, fault }: RuleReading): void {
  if (selectsLines) fault('', 'a condition that does not mention line: this rule is about the whole order')
}
