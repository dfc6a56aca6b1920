/*
 * Reports the outstanding points of all players, how they changed, and what they are worth; computed player by player (decision 143).
 */

import type { Queryable } from '../../database/db/driver.ts'
import { takeSnapshot } from '../../database/db/shared-snapshot.ts'
import type { Db } from '../../database/db/transaction.ts'
import { timestamp } from '../../engine/ingest/fields.ts'
import { optional, type RecordOf } from '../../engine/ingest/record.ts'
import { pointWorth } from '../../engine/ingest/shop-settings.ts'
import { parseRatio, type Ratio } from '../../engine/points/arithmetic.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { localDay } from '../../engine/points/local-time.ts'
import { balanceOn } from '../../engine/points/lots/balance.ts'
import { breakdownBySource, type SourcedMovement } from '../../engine/points/lots/breakdown.ts'
import type { Entry } from '../../engine/points/model.ts'
import { expiryAssignmentsOf, NEVER } from '../../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import type { Instant, PlainDate, Points } from '../../engine/points/units.ts'
import { InvalidInput } from '../../errors.ts'
import { assertKnownAt } from '../../ledger/assert-known-at.ts'
import type { KindMovement } from '../../ledger/histories.ts'
import { readProgramsKnownAt } from '../programs/stored-programs.ts'
import { findPointValue, type PointValue, pointValueOf } from '../settings/point-value.ts'
import { readShopSettings } from '../settings/service.ts'
import { everyPlayer } from './every-player.ts'
import { assertDayRange, daysFields } from './list-expiring-points.ts'

/** All players are read from one snapshot of the database. */
const TIMEOUT_MS = 24 * 3_600_000
const PLAYERS_PER_REPORT = 500

/** The parameters of a report, under their names on the wire. */
export const reportFields = {
  ...daysFields,
  knownAt: optional('known_at', timestamp, undefined),
  closedAt: optional('closed_at', timestamp, undefined),
  pointValue: optional('point_value', pointWorth, undefined),
}

export type ReportQuery = RecordOf<typeof reportFields>

/** Checks rules about several fields. `path` is the path of the query. Errors: InvalidInput. */
export function assertReportQuery(query: ReportQuery, path: string, now: Date): void {
  const { knownAt, closedAt } = query
  assertDayRange(query, path)
  assertKnownAt(`${path}.known_at`, knownAt, now)
  assertKnownAt(`${path}.closed_at`, closedAt, now)
  if (knownAt !== undefined && closedAt !== undefined && closedAt > knownAt)
    throw new InvalidInput(`${path}.closed_at`, `expected a timestamp not after ${knownAt}, got "${closedAt}"`)
}

/** The lines that lead from the opening to the closing balance, which is their sum. Redeemed and expired points are negative. */
export const REPORT_LINES = ['opening', 'late', 'issued', 'redeemed', 'adjusted', 'reinstated', 'expired'] as const
export type ReportLine = (typeof REPORT_LINES)[number]

/**
 * The same for the points of one kind of entry and program version; the kind `owed` is what was spent beyond the points available. `given` is
 * net of points taken back, `spent` is what redemptions and negative adjustments took.
 */
export type SourceLines = { readonly kind: Entry['kind'] | 'owed'; readonly program: number | null } & Record<
  (typeof SOURCE_LINES)[number],
  Points
>
export const SOURCE_LINES = ['opening', 'late', 'given', 'spent', 'expired'] as const

/** What became of the points earned in a month; `open` points are usable or pending. */
export type MonthBreakdown = Record<'given' | 'spent' | 'expired' | 'open', Points>

/**
 * Points of all players over a range of days, as they are once its last day is over: what could be spent on that day and no longer has expired (decision
 * 143). Outstanding points are usable and pending points less what is owed; `pending` and `owed` are as of the closing. `worth` is what a point is
 * worth at the closing, `worthBefore` at the opening, and `redeemed` how many points were redeemed at which value (decision 143). `players` counts those with entries by then. `ends`: usable and pending points by the last month in which they can be spent
 * (`never` if they do not expire). `months`: a breakdown by month of earning, up to the last day.
 */
export type PointsReport = Readonly<{
  players: number
  worth: PointValue | undefined
  worthBefore: PointValue | undefined
  redeemed: readonly Readonly<{ points: Points; each: Ratio | undefined }>[]
  lines: Readonly<Record<ReportLine, Points>>
  pending: Points
  owed: Points
  sources: readonly Readonly<SourceLines>[]
  ends: ReadonlyMap<string, Points>
  months: ReadonlyMap<string, Readonly<MonthBreakdown>>
}>

/**
 * Reports the points of all players over a range of days. Late entries change earlier days: with `knownAt` a report can be reproduced, and with
 * `closedAt` it opens with what was known then. `onProgress` is called with the number of players done. Errors: Unavailable.
 */
export async function reportPoints(
  db: Db,
  query: ReportQuery,
  onProgress: (players: number) => void,
): Promise<PointsReport> {
  return db.transaction(async (tx) => {
    await takeSnapshot(tx, db)
    return reportWith(tx, query, onProgress)
  }, performance.now() + TIMEOUT_MS)
}

async function reportWith(
  reader: Queryable,
  query: ReportQuery,
  onProgress: (players: number) => void,
): Promise<PointsReport> {
  const { from, to, knownAt, closedAt } = query
  const eve = dayAfter(from, -1)
  const end = dayAfter(to, 1)
  const programs = await readProgramsKnownAt(reader, knownAt)
  const expiryAssignments = expiryAssignmentsOf(programs)
  const sums = emptySums()
  let seen = 0
  const closed = closedAt === undefined ? undefined : await openingsAt(reader, from, closedAt)
  for await (const { movements } of everyPlayer(reader, { after: '', day: to, knownAt: knownAt ?? 'infinity' })) {
    const sourced = movements.map(sourcedOf)
    const opening = breakdownBySource(
      from,
      sourced.filter(({ day }) => day < from),
      expiryAssignments,
    )
    addPlayer(sums, {
      reported: (await closed?.()) ?? opening,
      opening,
      closing: breakdownBySource(end, sourced, expiryAssignments),
    })
    for (const { day, kind, program, given, spent } of movements) {
      if (day < from) continue
      sums.lines[LINE_OF[kind]] += given - spent
      if (kind === 'redemption') sums.redeemed.set(program, (sums.redeemed.get(program) ?? 0n) + given - spent)
    }
    for (const { points, expiresOn } of balanceOn(end, movements, expiryAssignments).lots)
      sums.ends.set(monthOf(expiresOn), (sums.ends.get(monthOf(expiresOn)) ?? 0n) + points)
    if (movements.length > 0) sums.players += 1
    seen += 1
    if (seen % PLAYERS_PER_REPORT === 0) onProgress(seen)
  }
  onProgress(seen)
  const worthOn = await worthsOf(reader, query)
  const programsBefore = closedAt === undefined ? programs : await readProgramsKnownAt(reader, closedAt)
  return {
    ...sums,
    worth: worthOn(programs, to),
    worthBefore: worthOn(programsBefore, eve),
    redeemed: [...sums.redeemed].map(([version, points]) => ({ points, each: paidUnder(programs, version) })),
    sources: inOrder(sums.sources).map(([, lines]) => lines),
    ends: new Map(inOrder(sums.ends)),
    // A month whose points were all taken back has nothing to report.
    months: new Map(inOrder(sums.months).filter(([, month]) => Object.values(month).some((points) => points !== 0n))),
  }
}

/** Yields, player by player, the breakdown as known at `closedAt`. Stays in step with the caller's loop: both read the same snapshot. */
async function openingsAt(reader: Queryable, from: PlainDate, closedAt: Instant): Promise<() => Promise<Breakdowns>> {
  const expiryAssignments = expiryAssignmentsOf(await readProgramsKnownAt(reader, closedAt))
  const players = everyPlayer(reader, { after: '', day: dayAfter(from, -1), knownAt: closedAt })
  return async () => {
    const { value } = await players.next()
    return breakdownBySource(from, (value?.movements ?? []).map(sourcedOf), expiryAssignments)
  }
}

const LINE_OF = {
  order: 'issued',
  referral: 'issued',
  adjustment: 'adjusted',
  redemption: 'redeemed',
  reinstated: 'reinstated',
} as const satisfies Record<Entry['kind'], ReportLine>

type Breakdowns = ReturnType<typeof breakdownBySource>

/** A source is a kind of entry, a program version and the month of earning. */
function sourcedOf(movement: KindMovement): SourcedMovement {
  const { kind, program, day } = movement
  return { ...movement, source: `${kind} ${program ?? ''} ${day.slice(0, 7)}` }
}

type Sums = ReturnType<typeof emptySums>

function emptySums() {
  return {
    players: 0,
    lines: Object.fromEntries(REPORT_LINES.map((line) => [line, 0n])) as Record<ReportLine, Points>,
    ...{ pending: 0n, owed: 0n },
    redeemed: new Map<number | null, Points>(),
    sources: new Map<string, SourceLines>(),
    ends: new Map<string, Points>(),
    months: new Map<string, MonthBreakdown>(),
  }
}

/** Adds a player: the opening as reported at the time and as known now, and the closing. */
function addPlayer(
  sums: Sums,
  { reported, opening, closing }: Readonly<Record<'reported' | 'opening' | 'closing', Breakdowns>>,
): void {
  const { lines } = sums
  const owed = linesOf(sums, 'owed', '')
  for (const [source, { pending, open }] of reported.breakdowns) {
    const ofSource = linesIn(sums, source)
    ofSource.opening += pending + open
    ofSource.late -= pending + open
    lines.opening += pending + open
    lines.late -= pending + open
  }
  for (const [source, { given, pending, open, spent, expired }] of opening.breakdowns) {
    const ofSource = linesIn(sums, source)
    ofSource.late += pending + open
    ofSource.given -= given
    ofSource.spent += spent
    ofSource.expired += expired
    lines.late += pending + open
    lines.expired += expired
  }
  for (const [source, { given, pending, open, spent, expired }] of closing.breakdowns) {
    const ofSource = linesIn(sums, source)
    ofSource.given += given
    ofSource.spent -= spent
    ofSource.expired -= expired
    lines.expired -= expired
    sums.pending += pending
    const month = monthIn(sums, source)
    month.given += given
    month.spent += spent
    month.expired += expired
    month.open += pending + open
  }
  owed.opening -= reported.owed
  owed.late += reported.owed - opening.owed
  owed.spent += opening.owed - closing.owed
  lines.opening -= reported.owed
  lines.late += reported.owed - opening.owed
  sums.owed += closing.owed
}

function linesIn(sums: Sums, source: string): SourceLines {
  const [kind, program] = source.split(' ') as [Entry['kind'], string]
  return linesOf(sums, kind, program)
}

function linesOf({ sources }: Sums, kind: SourceLines['kind'], version: string): SourceLines {
  const key = `${kind} ${version.padStart(19)}`
  const program = version === '' ? null : Number(version)
  const lines = sources.get(key) ?? { kind, program, opening: 0n, late: 0n, given: 0n, spent: 0n, expired: 0n }
  sources.set(key, lines)
  return lines
}

function monthIn({ months }: Sums, source: string): MonthBreakdown {
  const month = source.slice(-'2026-01'.length)
  const breakdown = months.get(month) ?? { given: 0n, spent: 0n, expired: 0n, open: 0n }
  months.set(month, breakdown)
  return breakdown
}

/** The last month in which points that expire on a day can be spent. */
function monthOf(expiresOn: PlainDate): string {
  return expiresOn === NEVER ? 'never' : dayAfter(expiresOn, -1).slice(0, 7)
}

function inOrder<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What a point is worth at the end of a day: the value asked for; otherwise that of the version in effect then; otherwise that of the shop's settings. */
async function worthsOf(
  reader: Queryable,
  { pointValue }: ReportQuery,
): Promise<(programs: readonly PublishedProgram[], day: PlainDate) => PointValue | undefined> {
  const requested = pointValue === undefined ? undefined : parseRatio(pointValue)
  if (requested !== undefined) return () => ({ each: requested, by: 'asked' })
  const shop = await readShopSettings(reader)
  return (programs, day) =>
    findPointValue(
      programs.findLast((one) => !one.withdrawn && firstDayOf(one) <= day),
      shop,
    )
}

/** What a redeemed point paid under a version; undefined where that has no value, or is not known. */
function paidUnder(programs: readonly PublishedProgram[], version: number | null): Ratio | undefined {
  return pointValueOf(programs.find((one) => one.version === version)?.program)
}

function firstDayOf({ from, program }: PublishedProgram): PlainDate {
  return from === '-infinity' ? '' : localDay(from, program.timeZone)
}
