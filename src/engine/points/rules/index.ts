/*
 * The kinds of rules, in the order in which documents and issues list them. A new kind is a file of its own and an entry here.
 */
import type { Condition } from '../condition.ts'
import type { RuleSchedule } from '../rule-schedule.ts'
import type { Amount } from '../units.ts'
import { atMost } from './at-most.ts'
import { fixed } from './fixed.ts'
import { multiply } from './multiply.ts'
import { perAmount } from './per-amount.ts'
import { perUnit } from './per-unit.ts'
import type { RuleInput, RuleResult } from './rule-kind.ts'

export const RULE_KINDS = [perAmount, perUnit, fixed, multiply, atMost] as const

export type AnyRuleKind = (typeof RULE_KINDS)[number]

/** What a rule does. */
export type RuleTerms = ReturnType<AnyRuleKind['read']>

/** A rule of a program: its name in every explanation, and when it applies. `least` is a minimum on the share of net of the lines that it selects. */
export type Rule = RuleTerms & Readonly<{ name: string; when?: Condition; during?: RuleSchedule; least?: Amount }>

/** Whether what a rule gives depends on the selected lines' share of net. */
export function countsShareOfNet(rule: Rule): boolean {
  const { when, least } = rule
  if (when === undefined) return false
  return (rule.kind === 'per-amount' && rule.shares === true) || least !== undefined || when.testChosen !== undefined
}

type Earn = (rule: Rule, input: RuleInput) => RuleResult

// The types cannot relate a rule to its kind; the key does.
const earnByKind = new Map<string, Earn>(RULE_KINDS.map(({ kind, earn }) => [kind, earn as Earn]))

/** What one rule gives for an order, exact and not rounded. */
export function earn(rule: Rule, input: RuleInput): RuleResult {
  return earnByKind.get(rule.kind)!(rule, input)
}
