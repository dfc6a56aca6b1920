import { amountRatio } from '../arithmetic.ts'
import { Type } from '../json-schema.ts'
import type { Amount } from '../units.ts'
import { aboveZero, readAmount, ruleKind } from './rule-kind.ts'

type Fixed = Readonly<{ kind: 'fixed'; points: Amount }>

/** Points once per order, however many lines the condition selects. Source: docs/programs.md */
export const fixed = ruleKind({
  kind: 'fixed',
  fields: Type.Object(
    { points: aboveZero('the points, once for the order') },
    { additionalProperties: false, description: 'points once for the order', expected: 'points' },
  ),
  read: ({ points }, reading): Fixed => ({ kind: 'fixed', points: readAmount('points', points, { min: 1n }, reading) }),
  earn: ({ points }) => ({ points: amountRatio(points), because: { points: amountRatio(points) } }),
})
