import { Type } from 'typebox'
import { type Amount, amountRatio, isLess, subtract, ZERO } from '../arithmetic.ts'
import { fromZero } from './fields.ts'
import type { RuleInput, RuleResult } from './stage.ts'

/** What stands under `at-most:` in a program. */
export const atMostFields = Type.Object(
  { points: fromZero('the most that the rules so far may give together') },
  {
    additionalProperties: false,
    description: 'takes away what the rules so far gave above its points',
    expected: 'points',
  },
)

export type AtMost = Readonly<{ kind: 'at-most'; points: Amount }>

/** Caps the order's sum so far: what lies above it is taken away by a negative line. Source: points.md, "The program". */
export function earnAtMost(rule: AtMost, { soFar }: RuleInput): RuleResult {
  const most = amountRatio(rule.points)
  return {
    points: isLess(most, soFar) ? subtract(most, soFar) : ZERO,
    because: { points: amountRatio(rule.points), of: soFar },
  }
}
