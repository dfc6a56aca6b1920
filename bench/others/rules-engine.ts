/*
 * The ten rules of bench/engine.ts for `json-rules-engine`.
 */
import { Engine, type RuleProperties } from 'json-rules-engine'

const when = (name: string, fact: string, operator: string, value: unknown, ...more: [string, string, unknown][]) => ({
  conditions: {
    all: [[fact, operator, value] as const, ...more].map(([fact, operator, value]) => ({ fact, operator, value })),
  },
  event: { type: name },
})

/** The same ten rules: one without a condition gets a condition that always holds, because this engine requires one. It computes no points. */
const RULES: RuleProperties[] = [
  when('base', 'net', 'greaterThanInclusive', 0),
  when('hundreds', 'total', 'greaterThanInclusive', 0),
  when('units', 'qty', 'greaterThanInclusive', 0),
  when('listed', 'total', 'greaterThanInclusive', 0),
  when('tea', 'skus', 'someFact:startsWith', 'TEA-'),
  when('dear', 'amounts', 'someFact:greaterThan', 500),
  when('basket', 'net', 'greaterThanInclusive', 1000, ['qty', 'greaterThanInclusive', 6]),
  when('gold', 'level', 'in', ['Gold', 'Platinum']),
  when('young', 'age', 'lessThan', 30, ['country', 'equal', 'India']),
  when('ceiling', 'net', 'greaterThanInclusive', 0),
]

export function tenRules(): Engine {
  const engine = new Engine(RULES)
  engine.addOperator('startsWith', (text: string, start: string) => text.startsWith(start))
  return engine
}
