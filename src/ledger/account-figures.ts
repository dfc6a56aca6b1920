/*
 * What each account adds to the figures of all accounts, their sums, and which accounts have changed since (decision 207).
 */
import { type Columns, columnLists, columnParts } from '../database/db/columns.ts'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { dayAfter } from '../engine/points/calendar.ts'
import { startOfDay, UTC } from '../engine/points/local-time.ts'
import { balanceAsOf, nextChangeOf } from '../engine/points/lots/balance.ts'
import { expiryAssignmentsOf } from '../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import { postingDateAt, programAt } from '../engine/points/programs.ts'
import type { Instant, PlainDate, Points, UserId } from '../engine/points/units.ts'
import { type AccountHistory, listAccountHistories, listAccountIds } from './histories.ts'

/** What an account adds to the totals: `outstanding` is what can be spent, including what is held, and 0 below 0. */
export type PointFigures = Readonly<{ outstanding: Points; pending: Points; held: Points; expired: Points }>

/** The figures of an account, the day of its latest order, and when the figures change unless anything is recorded; undefined: never. */
type AccountFigures = PointFigures &
  Readonly<{ userId: UserId; orderedOn: PlainDate | undefined; dueAt: Instant | undefined }>

/**
 * The sums of all accounts, as texts. `exact`: as they are `at` this moment; `swept`: each account was counted as it was then, or later. `active_30`
 * and `active_90` are players whose latest order is on one of so many days, of which the day of `at` is the last.
 */
export type AccountTotals = Readonly<
  { at: Instant; quality: 'exact' | 'swept'; day: PlainDate; active_30: number; active_90: number } & Record<
    keyof PointFigures,
    string
  >
>

/** How far all accounts have been scanned. `basis` is that of the last complete scan, null before it; `scanned_to` is null if none is in progress. */
export type Scan = Readonly<{
  basis: string | null
  scan_basis: string | null
  scanned_to: UserId | null
  scanned_on: PlainDate | null
}>

type TotalsRow = Readonly<Record<keyof PointFigures, string>> &
  Readonly<{
    basis: string | null
    as_of: Instant
    changes: number
    changed_since: Instant | null
    due_since: Instant | null
    activity: readonly (readonly [PlainDate, number])[]
  }>

/** Up to so many changes that are not counted yet, the oldest of them is looked for; it dates the totals better than the last pass does. */
const CHANGES_SEEN = 1_000

const FIGURE_COLUMNS: Columns<AccountFigures> = {
  user_id: ['text', ({ userId }) => userId],
  outstanding: ['bigint', ({ outstanding }) => outstanding],
  pending: ['bigint', ({ pending }) => pending],
  held: ['bigint', ({ held }) => held],
  expired: ['bigint', ({ expired }) => expired],
  ordered_on: ['date', ({ orderedOn }) => orderedOn],
  due_at: ['timestamptz', ({ dueAt }) => dueAt],
}

const workSql = sqlFile(import.meta.url, 'account-totals-work')
const beginSql = sqlFile(import.meta.url, 'account-totals-begin')
const lockSql = sqlFile(import.meta.url, 'account-totals-lock')
const takeSql = sqlFile(import.meta.url, 'account-changes-take')
const dueSql = sqlFile(import.meta.url, 'account-figures-due')
const writeSql = sqlFile(import.meta.url, 'account-figures-write', columnParts(FIGURE_COLUMNS, ['user_id']))
const scanSql = sqlFile(import.meta.url, 'account-totals-scan')
const caughtUpSql = sqlFile(import.meta.url, 'account-totals-caught-up')
const findSql = sqlFile(import.meta.url, 'account-totals-find')

/** What of the versions decides about the figures of accounts, as a text: if it differs, all accounts are to be counted anew. */
export function basisOf(programs: readonly PublishedProgram[], at: Instant): string {
  const zones = programs.filter(({ withdrawn }) => !withdrawn).map(({ from, program }) => [from, program.timeZone])
  const changes = zones.filter(([, zone], place) => place === 0 || zones[place - 1]![1] !== zone)
  return JSON.stringify([programAt(programs, at)?.program.timeZone ?? UTC, changes, expiryAssignmentsOf(programs)])
}

type Work = Scan & Readonly<{ is_changed: boolean; is_due: boolean }>

/** What is to be counted at a moment; undefined if accounts have never been counted. */
export async function findWork(db: Queryable, at: Instant): Promise<Work | undefined> {
  return (await db.query<Work>(workSql, [at]))[0]
}

/** Begins the totals, unless they have been. */
export async function beginTotals(tx: Queryable): Promise<void> {
  await tx.query(beginSql)
}

/** The totals while they are locked. `is_first`: there are no figures yet. `now` is the database's clock. */
type LockedTotals = Scan & Readonly<{ is_first: boolean; now: string }>

/** Locks the totals until the transaction ends. Undefined if another process has locked them. */
export async function lockTotals(tx: Queryable): Promise<LockedTotals | undefined> {
  return (await tx.query<LockedTotals>(lockSql))[0]
}

/** How many changes are looked at for each account that is taken: some accounts change often. */
const CHANGES_EACH = 10

/** Takes the changes of up to `limit` accounts noted up to a moment of the database. `isAll`: no such change is left. */
export async function takeChanges(
  tx: Queryable,
  until: string,
  limit: number,
): Promise<Readonly<{ userIds: readonly UserId[]; isAll: boolean }>> {
  type Row = Readonly<{ user_ids: UserId[]; is_all: boolean }>
  const { user_ids: userIds, is_all: isAll } = (await tx.query<Row>(takeSql, [until, limit, CHANGES_EACH * limit]))[0]!
  return { userIds, isAll }
}

/** Up to `limit` accounts whose figures have changed by themselves by a moment. */
export async function listDue(tx: Queryable, at: Instant, limit: number): Promise<UserId[]> {
  return (await tx.query<{ user_id: UserId }>(dueSql, [at, limit])).map(({ user_id }) => user_id)
}

/** Counts these accounts as they are at a moment. */
export async function countAccounts(
  tx: Queryable,
  userIds: readonly UserId[],
  programs: readonly PublishedProgram[],
  at: Instant,
): Promise<void> {
  if (userIds.length === 0) return
  const histories = await listAccountHistories(tx, userIds, at)
  await tx.query(writeSql, columnLists(FIGURE_COLUMNS, figuresOf(histories, programs, at)))
}

/** Notes how far a scan of all accounts has come; null: to the end. */
export async function noteScan(tx: Queryable, basis: string, scannedTo: UserId | null, day: PlainDate): Promise<void> {
  await tx.query(scanSql, [basis, scannedTo, day])
}

/** Notes that every account has been counted as it was at a moment, or later. */
export async function noteCaughtUp(tx: Queryable, at: Instant): Promise<void> {
  await tx.query(caughtUpSql, [at])
}

/**
 * The totals as of `requestedAt`, which is now or else that of the last pass, or of as late a moment before as they are known for; undefined until all
 * accounts have been counted.
 */
export async function findTotals(
  db: Queryable,
  programs: readonly PublishedProgram[],
  requestedAt?: Instant,
): Promise<AccountTotals | undefined> {
  const [row] = await db.query<TotalsRow>(findSql, [requestedAt ?? null, CHANGES_SEEN])
  if (row === undefined) return undefined
  const { outstanding, pending, held, expired, activity } = row
  const { at, quality } = resolveTime(row, programs, requestedAt ?? row.as_of)
  const day = postingDateAt(programs, at)
  const activeOn = (days: number) =>
    activity.filter(([on]) => on > dayAfter(day, -days)).reduce((sum, [, players]) => sum + players, 0)
  return {
    ...{ at, quality, day, active_30: activeOn(30), active_90: activeOn(90) },
    ...{ outstanding, pending, held, expired },
  }
}

function resolveTime(
  { basis, as_of, changes, changed_since, due_since }: TotalsRow,
  programs: readonly PublishedProgram[],
  requestedAt: Instant,
): Pick<AccountTotals, 'at' | 'quality'> {
  if (basis !== basisOf(programs, requestedAt) || changes === CHANGES_SEEN) return { at: as_of, quality: 'swept' }
  const since = [changed_since, due_since].filter((one) => one !== null)
  if (since.length === 0) return { at: requestedAt, quality: 'exact' }
  const first = [...since, requestedAt].reduce((a, b) => (a < b ? a : b))
  return { at: first > as_of ? first : as_of, quality: 'swept' }
}

const SUM_PAGE = 100

/** The sums of all accounts, as they show them at a moment, counted anew a page at a time. */
export async function sumAccounts(
  reader: Queryable,
  programs: readonly PublishedProgram[],
  at: Instant,
): Promise<PointFigures> {
  const sums = { outstanding: 0n, pending: 0n, held: 0n, expired: 0n }
  for (let after: UserId = ''; ; ) {
    const userIds = await listAccountIds(reader, after, SUM_PAGE)
    if (userIds.length === 0) return sums
    for (const one of figuresOf(await listAccountHistories(reader, userIds, at), programs, at)) {
      sums.outstanding += one.outstanding
      sums.pending += one.pending
      sums.held += one.held
      sums.expired += one.expired
    }
    after = userIds.at(-1)!
  }
}

/** The figures of these accounts at the end of a moment's day under the program in effect then. */
function figuresOf(
  histories: readonly AccountHistory[],
  programs: readonly PublishedProgram[],
  at: Instant,
): AccountFigures[] {
  const day = postingDateAt(programs, at)
  const zone = programAt(programs, at)?.program.timeZone ?? UTC
  const expiryAssignments = expiryAssignmentsOf(programs)
  // The zone is asked once for each day: that takes longer than an account, and many accounts change on the same days.
  const starts = new Map<PlainDate, Instant>()
  const startOf = (day: PlainDate) => starts.getOrInsertComputed(day, () => startOfDay(day, zone))
  return histories.map(({ userId, movements, held, lapsesAt, orderedAt }) => {
    const balance = balanceAsOf(day, movements, expiryAssignments)
    const available = balance.available + held
    const changesOn = nextChangeOf(balance, day, expiryAssignments)
    const changesAt = changesOn === undefined ? undefined : startOf(changesOn)
    return {
      userId,
      outstanding: available > 0n ? available : 0n,
      pending: balance.pending,
      held,
      expired: balance.expired,
      orderedOn: orderedAt === undefined ? undefined : postingDateAt(programs, orderedAt),
      dueAt: lapsesAt !== undefined && (changesAt === undefined || lapsesAt < changesAt) ? lapsesAt : changesAt,
    }
  })
}
