import { Type } from 'typebox'
import { AMOUNT_SCALE, type Amount, amountRatio, floorDivide, type Ratio } from '../arithmetic.ts'
import { type Base, baseOf } from '../bases.ts'
import { aboveZero, booleanField, enumField } from './fields.ts'
import type { RuleInput, RuleResult } from './stage.ts'

/** What stands under `per-amount:` in a program. */
export const perAmountFields = Type.Object(
  {
    points: aboveZero('the points for each step'),
    every: aboveZero('the size of a step, in main units of money'),
    of: Type.Optional(
      enumField(
        ['net', 'total', 'lines', 'catalogue'],
        'the amount that counts: net (after discount, where absent), total, lines, or catalogue prices',
      ),
    ),
    'whole-steps': Type.Optional(booleanField('whether only whole steps count; false where absent')),
  },
  {
    additionalProperties: false,
    description: 'points for money: so many for every so much of an amount',
    expected: 'points, every, of and whole-steps',
  },
)

export type PerAmount = Readonly<{ kind: 'per-amount'; points: Amount; every: Amount; of: Base; wholeSteps: boolean }>

/**
 * Points for money spent: `points` for every `every` of the amount that `of` names.
 *
 * Units     `points` and `every` are integers of 1/10,000; the answer is exact
 * Rounding  none: 1,234 at 1 for every 10 is 123.4; with `wholeSteps` only whole steps count, which gives 123
 * Bounds    `points` and `every` are above 0, checked when the program is read
 * Source    docs/programs.md
 */
export function earnPerAmount(rule: PerAmount, { order, lines, catalogue }: RuleInput): RuleResult {
  const amount = baseOf(rule.of, order, lines, catalogue)
  // Named one after the other: a literal with a computed name is many times as slow (bench/NOTES.md).
  const because: Record<string, Ratio> = {}
  because[rule.of] = amount
  because.points = amountRatio(rule.points)
  because.every = amountRatio(rule.every)
  return {
    points: rule.wholeSteps
      ? amountRatio(floorDivide(amount.num * AMOUNT_SCALE, amount.den * rule.every) * rule.points)
      : { num: amount.num * rule.points, den: amount.den * rule.every },
    because,
  }
}
