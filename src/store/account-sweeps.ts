/*
 * Sweeps through all accounts: what no tally can know (docs/statistics.md).
 */
import type { Points, UserId } from '../points/units.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

/** Of the accounts of a page; sums are texts. `levels` counts by the place in the ladder, from 1; `last` is null for an empty page. */
export type SweptPage = Readonly<{
  players: number
  balance: string
  debts: string
  sampled: number
  active_30: number
  active_90: number
  levels: Readonly<Record<string, number>>
  top: readonly (readonly [userId: UserId, points: string])[]
  last: UserId | null
}>

/** A sweep as stored; `at` is RFC 3339. `levels` are of all accounts or of those sampled, in the order of the ladder. */
export type AccountSweep = Omit<SweptPage, 'levels' | 'last' | 'top'> &
  Readonly<{
    at: string
    levels: readonly Readonly<{ level: string; players: number }>[]
    of_all: boolean
    top: SweptPage['top'] | null
  }>

/** Of so many accounts one is looked at closely: for its orders, and for its entries since `pointsSince`, where not all points count. */
export type SweepQuestion = Readonly<{
  levelsFrom: readonly Points[]
  pointsSince: string | undefined
  at: string
  oneOf: number
  activeSince: readonly [string, string]
  topMax: number
}>

const claimSql = sqlFile('background-work-claim')
const sizeSql = sqlFile('account-sweeps-size')
const pageSql = sqlFile('account-sweeps-page')
const insertSql = sqlFile('account-sweeps-insert')
const lastSql = sqlFile('account-sweeps-last')

/** Whether work that is due is ours: nobody has claimed it since a moment (RFC 3339, as `at`). */
export async function claimWork(tx: Queryable, work: string, at: string, since: string): Promise<boolean> {
  return (await tx.query(claimSql, [work, at, since])).length === 1
}

/** About how many accounts there are. */
export async function estimateAccounts(db: Queryable): Promise<number> {
  return (await db.query<{ players: number }>(sizeSql))[0]!.players
}

/** The next `limit` accounts after a user id. */
export async function sweepPage(
  db: Queryable,
  after: UserId,
  limit: number,
  { levelsFrom, pointsSince, at, oneOf, activeSince, topMax }: SweepQuestion,
): Promise<SweptPage> {
  const [page] = await db.query<SweptPage>(pageSql, [
    after,
    limit,
    levelsFrom,
    pointsSince ?? null,
    at,
    oneOf,
    ...activeSince,
    topMax,
  ])
  return page!
}

/** Keeps a sweep, and deletes those from before a moment (RFC 3339). */
export async function insertSweep(tx: Queryable, sweep: AccountSweep, keptSince: string): Promise<void> {
  const { at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top } = sweep
  const sums = [players, balance, debts, sampled, active_30, active_90]
  await tx.query(insertSql, [at, ...sums, JSON.stringify(levels), of_all, JSON.stringify(top), keptSince])
}

/** The last sweep; undefined where there was none yet. */
export async function findLastSweep(db: Queryable): Promise<AccountSweep | undefined> {
  return (await db.query<AccountSweep>(lastSql))[0]
}
