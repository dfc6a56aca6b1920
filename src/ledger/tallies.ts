/*
 * Statistics of the ledger: tallies written by the ledger's own transactions, folded into days and months (docs/statistics.md).
 */

import { COPY_ROWS_MIN, type Columns, columnLists, columnParts, copyLines } from '../database/db/columns.ts'
import type { Queryable, WriteStep } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { compareValues } from '../engine/points/arithmetic.ts'
import { dayAfter } from '../engine/points/calendar.ts'
import { LEDGER_MEASURES, type LedgerMeasure, type LedgerTally } from '../engine/points/ledger/tally-entries.ts'
import type { PlainDate } from '../engine/points/units.ts'

/** Counted outside the ledger: predictions asked for, by token, and how those of first recordings turned out; see docs/statistics.md. */
export const PREDICTION_MEASURES = [
  'asked-kept',
  'asked-left-out',
  'asked-dropped',
  'came-true',
  'differed',
  'none-kept',
  'not-compared',
] as const
export type StatisticsMeasure = LedgerMeasure | (typeof PREDICTION_MEASURES)[number]

/** A count of events with their points in millionths (`micros`). */
export type StatisticsTally = Omit<LedgerTally, 'measure'> & Readonly<{ measure: StatisticsMeasure }>

export const TALLY_COLUMNS: Columns<StatisticsTally> = {
  day: ['date', ({ day }) => day],
  booked: ['date', ({ bookedDay: postingDate }) => postingDate],
  measure: ['text', ({ measure }) => measure],
  program: ['bigint', ({ program }) => program],
  key: ['text', ({ key }) => key],
  n: ['bigint', ({ n }) => n],
  points: ['numeric', ({ micros }) => `${micros}e-6`],
}
const parts = columnParts(TALLY_COLUMNS, [])
const insertSql = sqlFile(import.meta.url, 'tallies-insert', parts)
const copySql = sqlFile(import.meta.url, 'tallies-copy', parts)
const foldSql = sqlFile(import.meta.url, 'tallies-fold')
const linesSql = sqlFile(import.meta.url, 'statistics-lines')
const backfillSql = sqlFile(import.meta.url, 'statistics-backfill-page')
const deriveSql = sqlFile(import.meta.url, 'statistics-derive')
const findBackfillSql = sqlFile(import.meta.url, 'statistics-backfill-find')
const checkSql = sqlFile(import.meta.url, 'statistics-check')

/** How many tallies are folded at a time: about 100 ms of work. */
export const FOLD_ROWS_MAX = 20_000

/** The steps that write what a ledger change adds to the statistics, in the same transaction. */
export function tallySteps(tallies: readonly StatisticsTally[]): WriteStep[] {
  if (tallies.length === 0) return []
  if (tallies.length < COPY_ROWS_MIN) return [{ sql: insertSql, params: columnLists(TALLY_COLUMNS, tallies) }]
  return [{ sql: copySql, rows: copyLines(TALLY_COLUMNS, tallies) }]
}

/** Folds at most FOLD_ROWS_MAX tallies into days and months; none while another process is folding. Returns how many. */
export async function foldTallies(tx: Queryable): Promise<number> {
  return (await tx.query<{ folded: number }>(foldSql, [FOLD_ROWS_MAX]))[0]!.folded
}

/**
 * Counts the next entries recorded before entries had days, `entriesMax` at most. Returns how many have been counted so far, out of about how
 * many, and whether all are done; undefined if there is nothing to do or another process is doing it.
 */
export async function backfillStatistics(
  tx: Queryable,
  entriesMax: number,
): Promise<Readonly<{ counted: number; entries: number; done: boolean }> | undefined> {
  return (await tx.query<{ counted: number; entries: number; done: boolean }>(backfillSql, [entriesMax]))[0]
}

/** Counts all entries in statistics that count none yet, in one statement. */
export async function deriveStatistics(tx: Queryable): Promise<void> {
  await tx.query(deriveSql)
}

/** How many older entries have been counted, out of about how many; undefined once all have. */
export async function findBackfill(db: Queryable): Promise<Readonly<{ counted: number; entries: number }> | undefined> {
  return (await db.query<{ counted: number; entries: number }>(findBackfillSql))[0]
}

/** A line of the statistics that disagrees with the entries; null if one side has no such line. */
export type StatisticsDifference = Readonly<{
  line: string
  stored: string | null
  derived: string | null
}>

/** Derives the statistics again from all counted entries, in one statement: how many lines differ, and the first `limit` of them. */
export async function checkStatistics(
  tx: Queryable,
  limit: number,
): Promise<Readonly<{ differing: number; differences: readonly StatisticsDifference[] }>> {
  // The timeout for requests does not apply.
  await tx.query('set local statement_timeout = 0')
  const [comparison] = await tx.query<{ differing: number; differences: readonly StatisticsDifference[] }>(checkSql, [
    limit,
    LEDGER_MEASURES,
  ])
  return comparison!
}

/**
 * Which of its two days a figure is reported under: the day of the order, or that of its recording, of which `booked` is the former name (decision 219).
 */
export type StatisticsBasis = 'ordered' | 'posted' | 'booked'

/** The period that a line sums over. */
export type StatisticsPeriod = 'day' | 'month' | 'span'

/** Asks for some measures over the days from `from` to `to`, inclusive. Queries asked together are answered as of one moment. */
export type StatisticsQuery = Readonly<{
  basis: StatisticsBasis
  per: StatisticsPeriod
  from: PlainDate | '-infinity'
  to: PlainDate
  measures: readonly StatisticsMeasure[]
}>

/**
 * A count for a period, and its points; `n` and `points` are strings, `program` is 0 where none applies. `day` is the first day of the
 * period; for a span, its `from`.
 */
export type StatisticsLine = Readonly<{
  day: PlainDate
  measure: string
  program: number
  key: string
  n: string
  points: string
}>

/** The lines for each query, in the order given, sorted by day, measure, program and key; at most `linesMax` lines in total, if given. */
export async function listStatistics(
  db: Queryable,
  queries: readonly StatisticsQuery[],
  linesMax?: number,
): Promise<StatisticsLine[][]> {
  const placedQueries = queries.map((query, place) => ({
    ...query,
    // As it is stored.
    basis: query.basis === 'posted' ? 'booked' : query.basis,
    place,
    ...monthsWithin(query),
  }))
  const rows = await db.query<StatisticsLine & { place: number }>(linesSql, [
    JSON.stringify(placedQueries),
    linesMax ?? null,
  ])
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return queries.map((_, place) => (byPlace.get(place) ?? []).map(({ place: _, ...line }) => line).sort(inOrder))
}

function inOrder(one: StatisticsLine, other: StatisticsLine): number {
  return (
    compareValues(one.day, other.day) ||
    compareValues(one.measure, other.measure) ||
    compareValues(one.program, other.program) ||
    compareValues(one.key, other.key)
  )
}

/** Where a range's whole months begin, and where the days after them begin; both are `from` if it has no whole month or is asked for by day. */
function monthsWithin({ per, from, to }: StatisticsQuery): { months: PlainDate; rest: PlainDate } {
  const months = from === '-infinity' || from.endsWith('-01') ? from : monthAfter(from)
  const rest = `${dayAfter(to, 1).slice(0, 7)}-01`
  return per === 'day' || (months !== '-infinity' && months >= rest) ? { months: from, rest: from } : { months, rest }
}

function monthAfter(day: PlainDate): PlainDate {
  return `${dayAfter(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`
}
