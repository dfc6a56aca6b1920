/*
 * What every bulk story begins and ends with: a list read a slice at a time, so that others get their turn in between, and a summary.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type Accepted, type RecordKind, type Refused, readBatch } from '../ingest/batch.ts'
import type { Deps } from './deps.ts'
import { type Outcome, summarise, type UpsertSummary } from './upsert-summary.ts'

/** About 25 ms of the embedded database, on which a slice is a transaction, so that predictions pass between two (decision 43). */
const SLICE_RECORDS = 1_000
/** Records read without looking at the clock, and how long without a pause: an order may have a thousand lines. */
const READ_RECORDS = 25
const READ_MS = 10

export async function readAll<A extends Accepted<unknown>>(
  list: readonly unknown[],
  kind: RecordKind<A>,
): Promise<{ accepted: A[]; refused: Refused[] }> {
  const accepted: A[] = []
  const refused: Refused[] = []
  let pausedAt = performance.now()
  for (let from = 0; from < list.length; from += READ_RECORDS) {
    if (performance.now() - pausedAt > READ_MS) {
      await yieldToOthers()
      pausedAt = performance.now()
    }
    const read = readBatch(list, kind, from, Math.min(from + READ_RECORDS, list.length))
    accepted.push(...read.accepted)
    refused.push(...read.refused)
  }
  return { accepted, refused }
}

/**
 * Cuts records into slices of at most 1,000 together; one that weighs more is a slice of its own. A record weighs 1 unless it is
 * said otherwise.
 */
export function slicesOf<T>(records: readonly T[], weightOf: (record: T) => number = () => 1): T[][] {
  const slices: T[][] = []
  let left = 0
  for (const record of records) {
    const weight = weightOf(record)
    if (weight > left || slices.length === 0) {
      slices.push([])
      left = SLICE_RECORDS
    }
    slices.at(-1)!.push(record)
    left -= weight
  }
  return slices
}

/** The summary of a request that began at `startedAt` (milliseconds of `performance.now()`); it is told to the log and the metrics. */
export function conclude({ observe }: Pick<Deps, 'observe'>, outcome: Outcome, startedAt: number): UpsertSummary {
  const summary = summarise(outcome)
  const { noun, dryRun } = outcome
  observe({ kind: 'batch-upserted', noun, dryRun, ...summary.counts, durationMs: performance.now() - startedAt })
  return summary
}
