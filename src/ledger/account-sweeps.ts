/*
 * Sweeps over all accounts, for figures that tallies cannot provide (docs/statistics.md).
 */

import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { Day, Points, UserId } from '../engine/points/units.ts'

/** Figures for one page of accounts; sums are strings. `levels` counts by position in the ladder, from 1; `last` is null for an empty page. */
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

/** Points of all players at the end of a day: spendable, pending, held and expired; as strings. */
export type SweptPoints = Readonly<{
  day: Day
  outstanding: string
  pending: string
  held: string
  expired: string
}>

/**
 * A sweep as stored; `at` is RFC 3339. `points` is null if only a sample of the accounts was examined. `levels`, in ladder order, covers
 * all accounts or only the sampled ones (`of_all`).
 */
export type AccountSweep = Omit<SweptPage, 'levels' | 'last' | 'top'> &
  Readonly<{
    at: string
    levels: readonly Readonly<{ level: string; players: number }>[]
    of_all: boolean
    top: SweptPage['top'] | null
    points: SweptPoints | null
  }>

/** The latest sweep; its `points` come from the latest sweep that has them, which began at `points.at`. */
export type LastSweep = Omit<AccountSweep, 'points'> &
  Readonly<{ points: (SweptPoints & Readonly<{ at: string }>) | null }>

/** One in `oneOf` accounts is sampled: its orders are examined, and its entries since `pointsSince` if only recent points count for levels. */
export type SweepQuestion = Readonly<{
  levelsFrom: readonly Points[]
  pointsSince: string | undefined
  at: string
  oneOf: number
  activeSince: readonly [string, string]
  topMax: number
}>

const claimSql = sqlFile(import.meta.url, 'background-work-claim')
const sizeSql = sqlFile(import.meta.url, 'account-sweeps-size')
const pageSql = sqlFile(import.meta.url, 'account-sweeps-page')
const insertSql = sqlFile(import.meta.url, 'account-sweeps-insert')
const lastSql = sqlFile(import.meta.url, 'account-sweeps-last')
const settledSql = sqlFile(import.meta.url, 'account-sweeps-settled')

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

/** Stores a sweep, replacing earlier ones of the same hour, and deletes those before `keptSince` (RFC 3339). */
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

/** The latest sweep; undefined if there has been none. */
export async function findLastSweep(db: Queryable): Promise<LastSweep | undefined> {
  return (await db.query<LastSweep>(lastSql))[0]
}

/** The points of the latest sweep that examined all accounts; undefined if anything has been recorded since, as they may have changed. */
export async function findSettledPoints(db: Queryable): Promise<(SweptPoints & Readonly<{ at: string }>) | undefined> {
  return (await db.query<SweptPoints & Readonly<{ at: string }>>(settledSql))[0]
}
