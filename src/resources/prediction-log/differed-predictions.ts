import { type Columns, columnLists, columnParts } from '../../database/db/columns.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import { type ErasureKey, replaceableIds } from '../../ledger/erasures.ts'

/** An order whose first recording came out differently from its prediction; `recorded_at` is RFC 3339, `reasons` are joined by `+`. */
export type DifferedPrediction = Readonly<{
  user_id: string
  order_id: string
  recorded_at: string
  reasons: string
  told_points: number
  told_level: string
  told_program: number
  recorded_points: number
  recorded_level: string
  recorded_program: number
}>

const COLUMNS: Columns<DifferedPrediction> = {
  user_id: ['text', ({ user_id }) => user_id],
  order_id: ['text', ({ order_id }) => order_id],
  recorded_at: ['timestamptz', ({ recorded_at }) => recorded_at],
  reasons: ['text', ({ reasons }) => reasons],
  told_points: ['bigint', ({ told_points }) => told_points],
  told_level: ['text', ({ told_level }) => told_level],
  told_program: ['bigint', ({ told_program }) => told_program],
  recorded_points: ['bigint', ({ recorded_points }) => recorded_points],
  recorded_level: ['text', ({ recorded_level }) => recorded_level],
  recorded_program: ['bigint', ({ recorded_program }) => recorded_program],
}
const insertSql = sqlFile(import.meta.url, 'differed-predictions-insert', columnParts(COLUMNS, [], 3))
const listSql = sqlFile(import.meta.url, 'differed-predictions-list')
const deleteSql = sqlFile(import.meta.url, 'differed-predictions-delete')

/** Stores predictions that differed; those already stored are left unchanged, those of erased players left out. */
export async function insertDiffered(
  tx: Queryable,
  differed: readonly DifferedPrediction[],
  erasureKey: ErasureKey,
): Promise<void> {
  if (differed.length === 0) return
  const replaceable = replaceableIds(
    erasureKey,
    differed.map(({ user_id }) => user_id),
  )
  await tx.query(insertSql, [...replaceable, ...columnLists(COLUMNS, differed)])
}

/** Up to `limit` predictions that differed, most recently recorded first. */
export async function listDiffered(db: Queryable, limit: number): Promise<DifferedPrediction[]> {
  return db.query<DifferedPrediction>(listSql, [limit])
}

/** Deletes at most `rowsMax` from before a moment (RFC 3339), oldest first. */
export async function deleteDiffered(tx: Queryable, before: string, rowsMax: number): Promise<void> {
  await tx.query(deleteSql, [before, rowsMax])
}
