import type { FailureKind, Retry } from './failures.ts'

const DELAY_MS_MAX = 3_200

/**
 * Exponential backoff with full jitter for one piece of work. Called after each failure: how often this kind has failed, and after how
 * many milliseconds to try again; undefined where the rule is spent, or the deadline (milliseconds of `performance.now()`) comes first.
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
