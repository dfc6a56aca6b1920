import type { Deps } from '../deps.ts'
import { type BatchOutcome, summarise, type UpsertSummary } from './summary.ts'

/** Tells log and metrics what became of a request, and answers its summary. `startedAt` is in milliseconds of `performance.now()`. */
export function finishBatch(
  { observe }: Pick<Deps, 'observe'>,
  outcome: BatchOutcome,
  startedAt: number,
): UpsertSummary {
  const summary = summarise(outcome)
  const { noun, dryRun } = outcome
  observe({ kind: 'batch-upserted', noun, dryRun, ...summary.counts, durationMs: performance.now() - startedAt })
  return summary
}
