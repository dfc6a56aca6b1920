import type { Queryable } from '../database/db/driver.ts'
import { readerOf } from '../database/db/reader.ts'
import type { Db } from '../database/db/transaction.ts'
import type { LedgerChange } from '../engine/points/ledger/overlay.ts'
import type { ComputedSlice } from './write-slices.ts'

/**
 * A dry run: computes slice after slice like `writeSlices`, and writes nothing. `keep` is called with the change of each slice, so that
 * `compute` can layer it over the stored data for the next one. Errors: Unavailable.
 */
export async function previewSlices<T, Verdict>(
  db: Db,
  slices: readonly (readonly T[])[],
  compute: (db: Queryable, slice: readonly T[]) => Promise<ComputedSlice<Verdict>>,
  keep: (change: LedgerChange) => void,
  deadlineAt: number,
): Promise<Verdict[]> {
  const reader = readerOf(db, deadlineAt)
  const all: Verdict[] = []
  for (const slice of slices) {
    const { change, verdicts } = await compute(reader, slice)
    keep(change)
    all.push(...verdicts)
  }
  return all
}
