import { Type } from 'typebox'
import { type Amount, amountRatio, product, sumAmounts } from '../arithmetic.ts'
import { aboveZero } from './fields.ts'
import type { RuleInput, RuleResult } from './stage.ts'

/** What stands under `per-unit:` in a program. */
export const perUnitFields = Type.Object(
  { points: aboveZero('the points for each unit') },
  { additionalProperties: false, description: 'points for each unit of the lines', expected: 'points' },
)

export type PerUnit = Readonly<{ kind: 'per-unit'; points: Amount }>

/**
 * Points for each unit of the lines that the condition selects; without a condition of all lines.
 * Quantities may have decimals, and count in proportion. Source: points.md, "The program".
 */
export function earnPerUnit(rule: PerUnit, { lines }: RuleInput): RuleResult {
  const units = sumAmounts(lines.map(({ qty }) => qty))
  return {
    points: product(amountRatio(units), amountRatio(rule.points)),
    because: { units: amountRatio(units), points: amountRatio(rule.points) },
  }
}
