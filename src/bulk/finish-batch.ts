import type { Deps } from '../deps.ts'
import { type BatchOutcome, summarise, type UpsertSummary } from './summary.ts'

/** Reports a request's outcome to log, metrics and statistics, and returns its summary. `startedAt` is in milliseconds of `performance.now()`. */
export function finishBatch(
  { observe, activity }: Pick<Deps, 'observe' | 'activity'>,
  outcome: BatchOutcome,
  startedAt: number,
): UpsertSummary {
  const summary = summarise(outcome)
  const { noun, by, dryRun, accepted, rejected } = outcome
  observe({ kind: 'batch-upserted', noun, dryRun, ...summary.counts, durationMs: performance.now() - startedAt })
  if (!dryRun) activity.countBatch({ noun, by, counts: summary.counts, rejected, isGood: accepted.length > 0 })
  return summary
}
