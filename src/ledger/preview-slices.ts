import type { Queryable } from '../database/db/driver.ts'
import { readerOf } from '../database/db/reader.ts'
import type { Db } from '../database/db/transaction.ts'
import { addPendingChange, type PendingLedger } from '../engine/points/ledger/pending-ledger.ts'
import type { ComputedSlice } from './write-slices.ts'

/**
 * A dry run: computes slice after slice like `writeSlices`, and writes nothing. The change of each slice is added to `pending`,
 * which `compute` layers over the stored data for the next one. Errors: Unavailable.
 */
export async function previewSlices<T, Verdict>(
  db: Db,
  slices: readonly (readonly T[])[],
  compute: (db: Queryable, slice: readonly T[]) => Promise<ComputedSlice<Verdict>>,
  pending: PendingLedger,
  deadlineAt: number,
): Promise<Verdict[]> {
  const reader = readerOf(db, deadlineAt)
  const all: Verdict[] = []
  for (const slice of slices) {
    const { change, verdicts } = await compute(reader, slice)
    addPendingChange(pending, change)
    all.push(...verdicts)
  }
  return all
}
