import { Type } from 'typebox'
import { type Amount, amountRatio } from '../arithmetic.ts'
import { aboveZero } from './fields.ts'
import type { RuleResult } from './stage.ts'

/** What stands under `fixed:` in a program. */
export const fixedFields = Type.Object(
  { points: aboveZero('the points, once for the order') },
  { additionalProperties: false, description: 'points once for the order', expected: 'points' },
)

export type Fixed = Readonly<{ kind: 'fixed'; points: Amount }>

/** Points once for the order, however many lines the condition selects. Source: points.md, "The program". */
export function earnFixed(rule: Fixed): RuleResult {
  return { points: amountRatio(rule.points), because: { points: amountRatio(rule.points) } }
}
