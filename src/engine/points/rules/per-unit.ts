import { amountRatio, product, sumAmounts } from '../arithmetic.ts'
import { Type } from '../json-schema.ts'
import { keptUnits } from '../line-money.ts'
import type { Amount } from '../units.ts'
import { aboveZero, readAmount, ruleKind } from './rule-kind.ts'

type PerUnit = Readonly<{ kind: 'per-unit'; points: Amount }>

/**
 * Points for each unit of the lines that the condition selects, or of all lines where there is none.
 * Fractional quantities count in proportion, and refunded ones do not. Source: docs/programs.md
 */
export const perUnit = ruleKind({
  kind: 'per-unit',
  fields: Type.Object(
    { points: aboveZero('the points for each unit') },
    { additionalProperties: false, description: 'points for each unit of the lines', expected: 'points' },
  ),
  read: ({ points }, reading): PerUnit => ({
    kind: 'per-unit',
    points: readAmount('points', points, { min: 1n }, reading),
  }),
  earn: ({ points }, { lines }) => {
    const units = amountRatio(sumAmounts(lines.map(keptUnits)))
    return { points: product(units, amountRatio(points)), because: { units, points: amountRatio(points) } }
  },
})
