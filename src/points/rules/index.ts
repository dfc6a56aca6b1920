/*
 * The list of rule kinds. A kind is its fields (what a program may write) and a function that earns.
 */
import type { Catalogue, Earned, Order } from '../model.ts'
import { earnPerAmount, type PerAmount, perAmountFields } from './per-amount.ts'

export type Rule = PerAmount

/** Each kind under the word that a program writes for it. */
export const ruleFields = { 'per-amount': perAmountFields } as const

/** What one rule gives for an order, exact and not rounded. */
export function earn(rule: Rule, order: Order, catalogue: Catalogue): Earned {
  switch (rule.kind) {
    case 'per-amount':
      return earnPerAmount(rule, order, catalogue)
    default:
      return rule.kind satisfies never
  }
}
