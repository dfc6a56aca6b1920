import { AMOUNT_SCALE, amountRatio, type Ratio } from '../arithmetic.ts'
import { type Base, computeBase } from '../bases.ts'
import { Type } from '../json-schema.ts'
import { shareOfNet } from '../line-money.ts'
import { floorDivide } from '../rounding.ts'
import type { Amount } from '../units.ts'
import { aboveZero, booleanField, enumField, readAmount, ruleKind } from './rule-kind.ts'

/** `shares`: of the net, only the share of the lines that its condition selects. */
type PerAmount = Readonly<{
  kind: 'per-amount'
  points: Amount
  every: Amount
  of: Base
  wholeSteps: boolean
  shares?: true
}>

/**
 * Points for money spent: `points` for each `every` of the amount `of`, in proportion: 1,234 at 1 for every 10 gives 123.4.
 * With `wholeSteps` only whole steps count, which gives 123. Source: docs/programs.md
 */
export const perAmount = ruleKind({
  kind: 'per-amount',
  fields: Type.Object(
    {
      points: aboveZero('the points for each step'),
      every: aboveZero('the size of a step, in main units of money'),
      of: Type.Optional(
        enumField(
          ['net', 'total', 'lines', 'catalogue'],
          'the amount that counts: net (after discount and refunds; default; of selected lines their share), total, lines, or catalogue prices',
        ),
      ),
      'whole-steps': Type.Optional(booleanField('if true, only whole steps count; default: false')),
    },
    {
      additionalProperties: false,
      description: 'points for money spent: a number of points for each step of an amount',
      expected: 'points, every, of and whole-steps',
    },
  ),
  read: ({ points, every, of = 'net', 'whole-steps': wholeSteps = false }, reading): PerAmount => {
    if (reading.selectsLines && of === 'total')
      reading.issue('.of', 'expected net, lines or catalogue, as the condition mentions line')
    return {
      kind: 'per-amount',
      points: readAmount('points', points, { min: 1n }, reading),
      every: readAmount('every', every, { min: 1n }, reading),
      of,
      wholeSteps,
      ...(reading.selectsLines && of === 'net' ? { shares: true } : {}),
    }
  },
  earn: ({ points, every, of, wholeSteps, shares }, { order, lines, catalogue }) => {
    // Assigned one by one: an object literal with a computed key is many times slower (bench/NOTES.md).
    const because: Record<string, Ratio> = {}
    let amount: Ratio
    if (shares) {
      const money = shareOfNet(order, lines, catalogue)
      amount = money.share
      because.net = money.net
      because.chosen = money.chosen
      because.all = money.all
    } else {
      amount = computeBase(of, order, lines, catalogue)
      because[of] = amount
    }
    because.points = amountRatio(points)
    because.every = amountRatio(every)
    return {
      points: wholeSteps
        ? amountRatio(floorDivide(amount.num * AMOUNT_SCALE, amount.den * every) * points)
        : { num: amount.num * points, den: amount.den * every },
      because,
    }
  },
})
