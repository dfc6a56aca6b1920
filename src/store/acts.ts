import type { Queryable } from './db/driver.ts'
import type { MomentPage } from './db/moment-page.ts'
import { sqlFile } from './db/sql-file.ts'

/** What people do that others may ask about later. */
export const ACT_KINDS = [
  'signed-in',
  'session-ended',
  'player-revealed',
  'order-revealed',
  'player-adjusted',
  'adjustment-undone',
  'balances-imported',
  'token-created',
  'token-rotated',
  'token-revoked',
  'program-published',
  'program-withdrawn',
  'settings-changed',
  'version-forgotten',
] as const
export type ActKind = (typeof ACT_KINDS)[number]

/** Something that a person did, on one or several things: ids, masked where they tell who somebody is. `detail` has no personal data. */
export type NewActs = Readonly<{
  at: string
  by: string
  act: ActKind
  on: readonly Readonly<{ id: string; subject: string; detail: Readonly<Record<string, unknown>> }>[]
}>

/** An act as stored; `by_name` is the name of the token, null for one that was never stored; `detail` is JSON. */
export type StoredAct = Readonly<{
  at: string
  act_id: string
  by: string
  by_name: string | null
  act: ActKind
  subject: string
  detail: string
}>

const insertSql = sqlFile('acts-insert')
const pageSql = sqlFile('acts-page')

/** Writes acts within the transaction that does what they tell. */
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

/** Whose acts, by the id or the name of their token, and of which kind; absent: whoever's, whichever. */
export type WhichActs = Readonly<{ by: string | undefined; act: ActKind | undefined }>

/** A page of acts, newest first. */
export async function listActPage(
  db: Queryable,
  { before, limit }: MomentPage,
  { by, act }: WhichActs,
): Promise<StoredAct[]> {
  return db.query<StoredAct>(pageSql, [before.at, before.id, limit, by ?? null, act ?? null])
}
