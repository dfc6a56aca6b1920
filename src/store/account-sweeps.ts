/*
 * Sweeps through all accounts: what no tally can know (docs/statistics.md).
 */
import type { Day, Points, UserId } from '../points/units.ts'
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

/** What all players together can spend, what they cannot yet, what is held, and what has ended, at the end of a day; points are texts. */
export type SweptPoints = Readonly<{
  day: Day
  outstanding: string
  pending: string
  held: string
  expired: string
}>

/** A sweep as stored; `at` is RFC 3339. `points` is null where not all accounts were looked at closely. `levels` are of all accounts or of those sampled, in the order of the ladder. */
export type AccountSweep = Omit<SweptPage, 'levels' | 'last' | 'top'> &
  Readonly<{
    at: string
    levels: readonly Readonly<{ level: string; players: number }>[]
    of_all: boolean
    top: SweptPage['top'] | null
    points: SweptPoints | null
  }>

/** The last sweep; its points are those of the last one that has some, and began `at`. */
export type LastSweep = Omit<AccountSweep, 'points'> &
  Readonly<{ points: (SweptPoints & Readonly<{ at: string }>) | null }>

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
const settledSql = sqlFile('account-sweeps-settled')

/** Whether work that is due is ours: nobody has claimed it since a moment (RFC 3339, as `at`). */
export async function claimWork(tx: Queryable, work: string, at: string, since: string): Promise<boolean> {
  return (await tx.query(claimSql, [work, at, since])).length === 1
}

/** About how many accounts there are, and when a sweep looked at all of them closely last (RFC 3339; null: never). */
export async function estimateAccounts(db: Queryable): Promise<Readonly<{ players: number; all_at: string | null }>> {
  return (await db.query<{ players: number; all_at: string | null }>(sizeSql))[0]!
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

/** Keeps a sweep as that of its hour, and deletes those from before a moment (RFC 3339). */
export async function insertSweep(tx: Queryable, sweep: AccountSweep, keptSince: string): Promise<void> {
  const { at, players, balance, debts, sampled, active_30, active_90, levels, of_all, top, points } = sweep
  const sums = [players, balance, debts, sampled, active_30, active_90]
  const ofPoints = [points?.day, points?.outstanding, points?.pending, points?.held, points?.expired]
  await tx.query(insertSql, [
    ...[at, ...sums, JSON.stringify(levels), of_all, JSON.stringify(top)],
    ...ofPoints.map((one) => one ?? null),
    keptSince,
  ])
}

/** The last sweep; undefined where there was none yet. */
export async function findLastSweep(db: Queryable): Promise<LastSweep | undefined> {
  return (await db.query<LastSweep>(lastSql))[0]
}

/** The points of the last sweep that looked at all accounts closely; undefined where anything was recorded since: then they may differ by now. */
export async function findSettledPoints(db: Queryable): Promise<(SweptPoints & Readonly<{ at: string }>) | undefined> {
  return (await db.query<SweptPoints & Readonly<{ at: string }>>(settledSql))[0]
}
