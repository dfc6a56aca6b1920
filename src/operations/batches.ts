/*
 * What every bulk story begins with: a list read a slice at a time, so that others get their turn in between.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type Accepted, type RecordKind, type Refused, readBatch } from '../ingest/batch.ts'

/**
 * Records in one slice: read without a break, and one transaction on the embedded database.
 * About 25 ms of its time, so that predictions pass between two slices (decision 43).
 */
const SLICE_RECORDS = 1_000

export async function readAll<A extends Accepted<unknown>>(
  list: readonly unknown[],
  kind: RecordKind<A>,
): Promise<{ accepted: A[]; refused: Refused[] }> {
  const accepted: A[] = []
  const refused: Refused[] = []
  for (let from = 0; from < list.length; from += SLICE_RECORDS) {
    if (from > 0) await yieldToOthers()
    const read = readBatch(list, kind, from, Math.min(from + SLICE_RECORDS, list.length))
    accepted.push(...read.accepted)
    refused.push(...read.refused)
  }
  return { accepted, refused }
}

export function slicesOf<T>(records: readonly T[], size = SLICE_RECORDS): T[][] {
  return Array.from({ length: Math.ceil(records.length / size) }, (_, index) =>
    records.slice(index * size, (index + 1) * size),
  )
}
