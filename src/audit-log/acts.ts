import type { Queryable } from '../database/db/driver.ts'
import type { InstantPage } from '../database/db/instant-page.ts'
import { sqlFile } from '../database/db/sql-file.ts'

/** The audit trail: actions of people that others may ask about later. */
export const ACT_KINDS = [
  'signed-in',
  'session-ended',
  'player-revealed',
  'order-revealed',
  'result-revealed',
  'player-exported',
  'player-erased',
  'player-adjusted',
  'adjustment-undone',
  'balances-imported',
  'token-created',
  'token-rotated',
  'token-revoked',
  'program-published',
  'program-withdrawn',
  'draft-deleted',
  'settings-changed',
  'version-forgotten',
] as const
export type ActKind = (typeof ACT_KINDS)[number]

/** An action by one person on one or more subjects: ids, masked where they would identify someone. `detail` holds no personal data. */
export type NewActs = Readonly<{
  at: string
  by: string
  act: ActKind
  on: readonly Readonly<{ id: string; subject: string; detail: Readonly<Record<string, unknown>> }>[]
}>

/** An act as stored; `by_name` is the token's name, null if the token was never stored; `detail` is JSON. */
export type StoredAct = Readonly<{
  at: string
  act_id: string
  by: string
  by_name: string | null
  act: ActKind
  subject: string
  detail: string
}>

const insertSql = sqlFile(import.meta.url, 'acts-insert')
const tryInsertSql = sqlFile(import.meta.url, 'acts-try-insert')
const pageSql = sqlFile(import.meta.url, 'acts-page')
const deleteSql = sqlFile(import.meta.url, 'acts-delete')
const countSql = sqlFile(import.meta.url, 'acts-count')

/** Writes acts in the same transaction as the changes they describe. */
export async function insertActs(tx: Queryable, { at, by, act, on }: NewActs): Promise<void> {
  await tx.query(insertSql, [
    at,
    on.map(({ id }) => id),
    by,
    act,
    on.map(({ subject }) => subject),
    on.map(({ detail }) => JSON.stringify(detail)),
  ])
}

/**
 * Whether an act is stored; writes nothing. Waits for a transaction that is still storing it: a SELECT would not see it yet, but no other row
 * with its key can be inserted until that transaction has ended.
 */
export async function isActStored(tx: Queryable, { at, id }: Readonly<{ at: string; id: string }>): Promise<boolean> {
  await tx.query('savepoint own_act')
  const inserted = await tx.query(tryInsertSql, [at, id])
  await tx.query('rollback to savepoint own_act')
  return inserted.length === 0
}

/** Restricts acts to the id or name of a token and to a kind; undefined: no restriction. */
export type ActFilter = Readonly<{ by: string | undefined; act: ActKind | undefined }>

/** A page of acts, newest first. */
export async function listActPage(
  db: Queryable,
  { before, limit }: InstantPage,
  { by, act }: ActFilter,
): Promise<StoredAct[]> {
  return db.query<StoredAct>(pageSql, [before.at, before.id, limit, by ?? null, act ?? null])
}

/** Deletes at most `rowsMax` acts from before a moment (RFC 3339), oldest first. Returns how many. */
export async function deleteActs(tx: Queryable, before: string, rowsMax: number): Promise<number> {
  const [done] = await tx.query<{ deleted: number }>(deleteSql, [before, rowsMax])
  return done!.deleted
}

/** How many acts are from before a moment (RFC 3339). */
export async function countActs(db: Queryable, before: string): Promise<number> {
  return (await db.query<{ acts: number }>(countSql, [before]))[0]!.acts
}
