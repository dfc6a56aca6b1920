import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A program being written. Moments are RFC 3339; `based_on` is the version that it started from. */
export type ListedDraft = Readonly<{
  id: string
  name: string
  based_on: number | null
  revision: number
  created_at: string
  created_by: string
  changed_at: string
  changed_by: string
}>

/** A draft with its source and its test orders, which may be empty. */
export type StoredDraft = ListedDraft & Readonly<{ source: string; cases: string }>

export const DRAFTS_MAX = 100

const listSql = sqlFile(import.meta.url, 'drafts-list')
const findSql = sqlFile(import.meta.url, 'drafts-find')
const lockSql = sqlFile(import.meta.url, 'drafts-lock')
const insertSql = sqlFile(import.meta.url, 'drafts-insert')
const updateSql = sqlFile(import.meta.url, 'drafts-update')
const deleteSql = sqlFile(import.meta.url, 'drafts-delete')

/** All drafts without their texts, most recently changed first. */
export async function selectDrafts(db: Queryable): Promise<ListedDraft[]> {
  return db.query<ListedDraft>(listSql)
}

/** A draft with its texts; undefined if there is none. */
export async function findDraft(db: Queryable, id: string): Promise<StoredDraft | undefined> {
  const [draft] = await db.query<StoredDraft>(findSql, [id])
  return draft
}

/** A draft without its texts, locked until the transaction ends; undefined if there is none. */
export async function lockDraft(tx: Queryable, id: string): Promise<ListedDraft | undefined> {
  const [draft] = await tx.query<ListedDraft>(lockSql, [id])
  return draft
}

type DraftTexts = Readonly<{ name: string; source: string; cases: string }>

/** Inserts a draft. Whether there was room for another one. */
export async function insertDraft(
  tx: Queryable,
  id: string,
  { name, source, cases }: DraftTexts,
  { basedOn, at, by }: Readonly<{ basedOn: number | undefined; at: string; by: string }>,
): Promise<boolean> {
  const rows = await tx.query(insertSql, [id, name, source, cases, basedOn ?? null, at, by, DRAFTS_MAX])
  return rows.length === 1
}

/** Updates a draft and increments its revision. Whether it was still at the given revision; if not, nothing is written. */
export async function updateDraft(
  tx: Queryable,
  { id, revision }: Readonly<{ id: string; revision: number }>,
  { name, source, cases }: DraftTexts,
  { at, by }: Readonly<{ at: string; by: string }>,
): Promise<boolean> {
  return (await tx.query(updateSql, [id, revision, name, source, cases, at, by])).length === 1
}

/** Deletes a draft. Whether it existed. */
export async function deleteDraft(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(deleteSql, [id])).length === 1
}
