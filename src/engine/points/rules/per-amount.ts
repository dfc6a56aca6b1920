import { AMOUNT_SCALE, amountRatio, type Ratio } from '../arithmetic.ts'
import { type Base, computeBase } from '../bases.ts'
import { Type } from '../json-schema.ts'
import { floorDivide } from '../rounding.ts'
import type { Amount } from '../units.ts'
import { aboveZero, booleanField, enumField, readAmount, ruleKind } from './rule-kind.ts'

type PerAmount = Readonly<{ kind: 'per-amount'; points: Amount; every: Amount; of: Base; wholeSteps: boolean }>

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
          'the amount that counts: net (after discount; default), total, lines, or catalogue prices',
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
    if (reading.selectsLines && of !== 'lines' && of !== 'catalogue')
      reading.issue('.of', 'expected lines or catalogue, as the condition mentions line')
    return {
      kind: 'per-amount',
      points: readAmount('points', points, { min: 1n }, reading),
      every: readAmount('every', every, { min: 1n }, reading),
      of,
      wholeSteps,
    }
  },
  earn: ({ points, every, of, wholeSteps }, { order, lines, catalogue }) => {
    const amount = computeBase(of, order, lines, catalogue)
    // Assigned one by one: an object literal with a computed key is many times slower (bench/NOTES.md).
    const because: Record<string, Ratio> = {}
    because[of] = amount
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
