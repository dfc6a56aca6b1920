/*
 * The list of rule kinds: for each, what a program may write under its word, and what it earns.
 */
import type { Condition } from '../condition.ts'
import { type AtMost, atMostFields, earnAtMost } from './at-most.ts'
import { earnFixed, type Fixed, fixedFields } from './fixed.ts'
import { earnMultiply, type Multiply, multiplyFields } from './multiply.ts'
import { earnPerAmount, type PerAmount, perAmountFields } from './per-amount.ts'
import { earnPerUnit, type PerUnit, perUnitFields } from './per-unit.ts'
import type { RuleInput, RuleResult } from './stage.ts'

/** What a rule does. */
export type RuleTerms = PerAmount | PerUnit | Fixed | Multiply | AtMost

/** A rule of a program: its name in every explanation, and when it applies. */
export type Rule = RuleTerms & Readonly<{ name: string; when?: Condition }>

/** Each kind under the word that a program writes for it. */
export const ruleFields = {
  'per-amount': perAmountFields,
  'per-unit': perUnitFields,
  fixed: fixedFields,
  multiply: multiplyFields,
  'at-most': atMostFields,
} as const

export type RuleKind = keyof typeof ruleFields

/** What one rule gives for an order, exact and not rounded. */
export function earn(rule: Rule, stage: RuleInput): RuleResult {
  switch (rule.kind) {
    case 'per-amount':
      return earnPerAmount(rule, stage)
    case 'per-unit':
      return earnPerUnit(rule, stage)
    case 'fixed':
      return earnFixed(rule)
    case 'multiply':
      return earnMultiply(rule, stage)
    case 'at-most':
      return earnAtMost(rule, stage)
    default:
      return rule satisfies never
  }
}
