import { Type } from 'typebox'
import { type Amount, amountRatio, amountText, floorDivide, type Ratio, ratio, ratioText } from '../arithmetic.ts'
import { type Base, baseOf } from '../bases.ts'
import type { Catalogue, Earned, Order } from '../model.ts'
import { aboveZero, oneOf, yesNo } from './fields.ts'

/** What stands under `per-amount:` in a program. */
export const perAmountFields = Type.Object(
  {
    points: aboveZero('the points for each step'),
    every: aboveZero('the size of a step, in main units of money'),
    of: Type.Optional(oneOf(['net', 'total', 'lines', 'catalogue'])),
    'whole-steps': Type.Optional(yesNo('whether only whole steps count')),
  },
  { additionalProperties: false, expected: 'points, every, of and whole-steps' },
)

export type PerAmount = Readonly<{
  kind: 'per-amount'
  name: string
  points: Amount
  every: Amount
  of: Base
  wholeSteps: boolean
}>

/**
 * Points for money spent: `points` for every `every` of the amount that `of` names.
 *
 * Units     `points` and `every` are integers of 1/10,000; the answer is exact
 * Rounding  none: 1,234 at 1 for every 10 is 123.4; with `wholeSteps` only whole steps count, which gives 123
 * Bounds    `points` and `every` are above 0, checked when the program is read
 * Source    docs/programs.md
 */
export function earnPerAmount(rule: PerAmount, order: Order, catalogue: Catalogue): Earned {
  const amount = baseOf(rule.of, order, catalogue)
  const steps = stepsOf(amount, amountRatio(rule.every))
  const counted = rule.wholeSteps ? ratio(floorDivide(steps.num, steps.den)) : steps
  const each = amountRatio(rule.points)
  return {
    rule: rule.name,
    points: ratio(counted.num * each.num, counted.den * each.den),
    because: {
      [rule.of]: ratioText(amount),
      points: amountText(rule.points),
      every: amountText(rule.every),
    },
  }
}

function stepsOf(amount: Ratio, every: Ratio): Ratio {
  return ratio(amount.num * every.den, amount.den * every.num)
}
