/*
 * Sweeps over all accounts, for figures that tallies cannot provide (docs/statistics.md).
 */

import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { Points, UserId } from '../engine/points/units.ts'
import { beginTotals } from './account-figures.ts'

/** Figures for one page of accounts; sums are strings. `levels` counts by position in the ladder, from 1; `last` is null for an empty page. */
export type SweptPage = Readonly<{
  players: number
  balance: string
  debts: string
  sampled: number
  levels: Readonly<Record<string, number>>
  top: readonly (readonly [userId: UserId, points: string])[]
  last: UserId | null
}>

/** A sweep as stored; `at` is RFC 3339. `levels`, in ladder order, covers all accounts or only the sampled ones (`of_all`). */
export type AccountSweep = Omit<SweptPage, 'levels' | 'last' | 'top'> &
  Readonly<{
    at: string
    levels: readonly Readonly<{ level: string; players: number }>[]
    of_all: boolean
    top: SweptPage['top'] | null
  }>

/** One in `oneOf` accounts is sampled: its entries since `pointsSince` are examined if only recent points count for levels. */
export type SweepQuery = Readonly<{
  levelsFrom: readonly Points[]
  pointsSince: string | undefined
  at: string
  oneOf: number
  topMax: number
}>

const claimSql = sqlFile(import.meta.url, 'background-work-claim')
const sizeSql = sqlFile(import.meta.url, 'account-sweeps-size')
const pageSql = sqlFile(import.meta.url, 'account-sweeps-page')
const lockSql = sqlFile(import.meta.url, 'account-sweeps-lock')
const presentSql = sqlFile(import.meta.url, 'account-sweeps-present')
const insertSql = sqlFile(import.meta.url, 'account-sweeps-insert')
const lastSql = sqlFile(import.meta.url, 'account-sweeps-last')

/** Claims work that is due. Whether it is ours: no process has claimed it since `since` (RFC 3339, like `at`). */
export async function claimWork(tx: Queryable, work: string, at: string, since: string): Promise<boolean> {
  return (await tx.query(claimSql, [work, at, since])).length === 1
}

/** Roughly how many accounts there are, and when a sweep last examined all of them (RFC 3339; null: never). */
export async function estimateAccounts(db: Queryable): Promise<Readonly<{ players: number; all_at: string | null }>> {
  return (await db.query<{ players: number; all_at: string | null }>(sizeSql))[0]!
}

/** Figures for the next `limit` accounts after a user id. */
export async function sweepPage(
  db: Queryable,
  after: UserId,
  limit: number,
  { levelsFrom, pointsSince, at, oneOf, topMax }: SweepQuery,
): Promise<SweptPage> {
  const [page] = await db.query<SweptPage>(pageSql, [after, limit, levelsFrom, pointsSince ?? null, at, oneOf, topMax])
  return page!
}

/** Stores a sweep without players whose ID was replaced meanwhile, replacing earlier ones of the same hour, and deletes those before `keptSince` (RFC 3339). */
export async function insertSweep(tx: Queryable, sweep: AccountSweep, keptSince: string): Promise<void> {
  const { at, players, balance, debts, sampled, levels, of_all, top } = sweep
  const sums = [players, balance, debts, sampled]
  // Without totals there would be no row to lock.
  await beginTotals(tx)
  await tx.query(lockSql)
  const ids = top?.map(([userId]) => userId) ?? []
  const present = new Set((await tx.query<{ user_id: UserId }>(presentSql, [ids])).map(({ user_id }) => user_id))
  const largest = JSON.stringify(top?.filter(([userId]) => present.has(userId)) ?? null)
  await tx.query(insertSql, [at, ...sums, JSON.stringify(levels), of_all, largest, keptSince])
}

/** The latest sweep; undefined if there has been none. */
export async function findLastSweep(db: Queryable): Promise<AccountSweep | undefined> {
  return (await db.query<AccountSweep>(lastSql))[0]
}
