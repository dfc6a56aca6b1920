import type { Db, Tx } from './transaction.ts'

/** Rows deleted at a time: about 25 ms of the embedded database, which blocks everyone else. */
export const DELETED_AT_ONCE = 500
const DELETE_FOR_MS = 2_000
const SLICE_TIMEOUT_MS = 2_000

/**
 * Deletes rows in slices, each in a transaction of its own, until none is left or two seconds have passed; the next pass goes on. `deleteSlice` deletes
 * at most `rowsMax` rows and returns how many it has deleted. Errors: Unavailable; what earlier slices have deleted stays deleted.
 */
export async function deleteInSlices(
  db: Pick<Db, 'transaction'>,
  deleteSlice: (tx: Tx, rowsMax: number) => Promise<number>,
): Promise<void> {
  const endAt = performance.now() + DELETE_FOR_MS
  let deleted = DELETED_AT_ONCE
  while (deleted === DELETED_AT_ONCE && performance.now() < endAt)
    deleted = await db.transaction((tx) => deleteSlice(tx, DELETED_AT_ONCE), performance.now() + SLICE_TIMEOUT_MS)
}
