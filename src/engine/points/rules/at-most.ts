import { amountRatio, isLess, subtract, ZERO } from '../arithmetic.ts'
import { Type } from '../json-schema.ts'
import type { Amount } from '../units.ts'
import { fromZero, readAmount, refuseLines, ruleKind } from './rule-kind.ts'

type AtMost = Readonly<{ kind: 'at-most'; points: Amount }>

/** Caps the sum of the order so far: a negative line takes away the excess. Source: docs/programs.md */
export const atMost = ruleKind({
  kind: 'at-most',
  fields: Type.Object(
    { points: fromZero('maximum of the sum of the rules so far') },
    {
      additionalProperties: false,
      description: 'caps the sum of the rules so far',
      expected: 'points',
    },
  ),
  read: ({ points }, reading): AtMost => {
    refuseLines(reading)
    return { kind: 'at-most', points: readAmount('points', points, { min: 0n }, reading) }
  },
  earn: ({ points }, { soFar }) => {
    const most = amountRatio(points)
    return {
      points: isLess(most, soFar) ? subtract(most, soFar) : ZERO,
      because: { points: most, of: soFar },
    }
  },
})
