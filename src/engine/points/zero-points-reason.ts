/*
 * Why an order earns nothing.
 */
import type { Ratio } from './arithmetic.ts'
import { catalogueAmount, computeNet, sentAmount } from './bases.ts'
import type { Catalogue, Earned, PaidOrder, Player, ZeroPointsReason } from './model.ts'
import type { Program } from './program-model.ts'
import { roundTo } from './rounding.ts'
import { countsShareOfNet } from './rules/index.ts'

/** The outcome of the rules. `selected` counts those that their conditions, days and hours did not exclude. */
type RulesApplied = Readonly<{ earned: readonly Earned[]; soFar: Ratio; selected: number }>

/** Why an order of 0 points earns nothing: the first reason that applies. Source: docs/statistics.md */
export function computeZeroPointsReason(
  order: PaidOrder,
  { participates }: Pick<Player, 'participates'>,
  catalogue: Catalogue,
  { earn, rounding }: Program,
  { earned, soFar, selected }: RulesApplied,
): ZeroPointsReason {
  if (order.status !== 'placed') return 'not-placed'
  if (participates === false) return 'not-participating'
  if (computeNet(order) === 0n) return 'nothing-paid'
  const countsLines = earn.some(
    (rule) => rule.kind === 'per-amount' && (rule.of === 'lines' || rule.of === 'catalogue' || countsShareOfNet(rule)),
  )
  const hasUnpriced = order.lines.some(
    (line) => sentAmount(line) === undefined && catalogueAmount(line, catalogue) === undefined,
  )
  if (countsLines && hasUnpriced) return 'no-price'
  if (selected === 0) return 'no-rule-applies'
  const ceilings = new Set(earn.filter(({ kind }) => kind === 'at-most').map(({ name }) => name))
  if (earned.some(({ rule }) => ceilings.has(rule)) && soFar.num <= 0n) return 'ceiling'
  if (soFar.num > 0n && roundTo(soFar, rounding) <= 0n) return 'rounded-away'
  return 'other'
}
