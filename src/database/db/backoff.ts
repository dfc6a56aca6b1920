import type { FailureKind, Retry } from './failures.ts'

const DELAY_MS_MAX = 3_200

/**
 * Exponential backoff with full jitter for one piece of work. Call the returned function after each failure: it returns how often this kind
 * has failed and how many milliseconds to wait before the next attempt, or undefined once the rule is exhausted or the deadline
 * (milliseconds of `performance.now()`) would pass first.
 */
export function createBackoff(
  deadlineAt: number,
): (kind: FailureKind, rule: Retry) => { failures: number; delayMs: number } | undefined {
  const past = new Map<FailureKind, { failures: number; firstAt: number }>()
  return (kind, rule) => {
    const now = performance.now()
    const { failures, firstAt } = past.get(kind) ?? { failures: 0, firstAt: now }
    past.set(kind, { failures: failures + 1, firstAt })
    const delayMs = Math.random() * Math.min(DELAY_MS_MAX, rule.firstMs * 2 ** failures)
    const againAt = now + delayMs
    if (failures >= rule.times || againAt > firstAt + rule.withinMs || againAt >= deadlineAt) return undefined
    return { failures: failures + 1, delayMs }
  }
}
