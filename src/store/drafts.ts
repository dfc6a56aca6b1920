import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

/** A program that somebody writes. Moments are RFC 3339; `based_on` is the version that it was begun from. */
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

/** The same with its text, and that of its test orders, which may be empty. */
export type StoredDraft = ListedDraft & Readonly<{ source: string; cases: string }>

export const DRAFTS_MAX = 100

const listSql = sqlFile('drafts-list')
const findSql = sqlFile('drafts-find')
const insertSql = sqlFile('drafts-insert')
const updateSql = sqlFile('drafts-update')
const deleteSql = sqlFile('drafts-delete')

/** Every draft without its texts, last changed first. */
export async function selectDrafts(db: Queryable): Promise<ListedDraft[]> {
  return db.query<ListedDraft>(listSql)
}

/** A draft with its texts; undefined where there is none. */
export async function findDraft(db: Queryable, id: string): Promise<StoredDraft | undefined> {
  const [found] = await db.query<StoredDraft>(findSql, [id])
  return found
}

type DraftTexts = Readonly<{ name: string; source: string; cases: string }>

/** Whether there was room for another draft. */
export async function insertDraft(
  tx: Queryable,
  id: string,
  { name, source, cases }: DraftTexts,
  { basedOn, at, by }: Readonly<{ basedOn: number | undefined; at: string; by: string }>,
): Promise<boolean> {
  const written = await tx.query(insertSql, [id, name, source, cases, basedOn ?? null, at, by, DRAFTS_MAX])
  return written.length === 1
}

/** Whether the draft was still at that revision; it has the next one from now on. */
export async function updateDraft(
  tx: Queryable,
  { id, revision }: Readonly<{ id: string; revision: number }>,
  { name, source, cases }: DraftTexts,
  { at, by }: Readonly<{ at: string; by: string }>,
): Promise<boolean> {
  return (await tx.query(updateSql, [id, revision, name, source, cases, at, by])).length === 1
}

/** Whether there was such a draft. */
export async function deleteDraft(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(deleteSql, [id])).length === 1
}
