import { Type } from 'typebox'
import { AMOUNT_SCALE, type Amount, amountRatio, product, sum } from '../arithmetic.ts'
import { factorText, ruleNames } from './fields.ts'
import type { RuleInput, RuleResult } from './stage.ts'

/** What stands under `multiply:` in a program. */
export const multiplyFields = Type.Object(
  { by: factorText, rules: Type.Optional(ruleNames) },
  {
    additionalProperties: false,
    description: 'makes what earlier rules gave so many times as much',
    expected: 'by and rules',
  },
)

/** `rules` are earlier ones; absent: all so far. */
export type Multiply = Readonly<{ kind: 'multiply'; by: Amount; rules?: readonly string[] }>

/**
 * Makes what earlier rules gave `by` times as much: adds `by - 1` of it, which below 1 is a negative line.
 * Units: `by` is an integer of 1/10,000, at least 0. Source: points.md, "The program".
 */
export function earnMultiply(rule: Multiply, { earned, soFar }: RuleInput): RuleResult {
  const { rules } = rule
  const of =
    rules === undefined ? soFar : sum(earned.filter((one) => rules.includes(one.rule)).map(({ points }) => points))
  return {
    points: product(of, amountRatio(rule.by - AMOUNT_SCALE)),
    because: { by: amountRatio(rule.by), of: of },
  }
}
