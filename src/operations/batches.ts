/*
 * What every bulk story begins and ends with: a list read a slice at a time, so that others get their turn in between, and a summary.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type Place, type RecordKind, type Refused, readOne, type SentRecords } from '../ingest/batch.ts'
import type { Deps } from './deps.ts'
import { type Outcome, summarise, type UpsertSummary } from './upsert-summary.ts'

/** About 25 ms of the embedded database, on which a slice is a transaction, so that predictions pass between two (decision 43). */
const SLICE_RECORDS = 1_000
/** Records read without looking at the clock, and how long without a pause: an order may have a thousand lines. */
const READ_RECORDS = 25
const READ_MS = 10

/** Reads the records of a request, clean ones and refused ones. Errors: those of reading what was sent. */
export async function readAll<A extends Place>(
  sent: SentRecords,
  kind: RecordKind<A>,
): Promise<{ accepted: A[]; refused: Refused[] }> {
  const accepted: A[] = []
  const refused: Refused[] = []
  let pausedAt = performance.now()
  let position = 0
  for (const records of sent) {
    for (const record of records) {
      if (position % READ_RECORDS === 0 && performance.now() - pausedAt > READ_MS) {
        await yieldToOthers()
        pausedAt = performance.now()
      }
      const read = readOne(record, kind, position)
      if ('accepted' in read) accepted.push(read.accepted)
      else refused.push(read.refused)
      position += 1
    }
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
