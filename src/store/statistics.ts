/*
 * Statistics of the ledger: tallies that its own transactions write, folded into days and months (docs/statistics.md).
 */
import type { LedgerTally, Measure } from '../points/ledger/tally-entries.ts'
import type { Day } from '../points/units.ts'
import { type Columns, columnLists, columnParts, copyLines } from './db/columns.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { Tx } from './db/transaction.ts'

export const TALLY_COLUMNS: Columns<LedgerTally> = {
  day: ['date', ({ day }) => day],
  booked: ['date', ({ bookedDay }) => bookedDay],
  measure: ['text', ({ measure }) => measure],
  program: ['bigint', ({ program }) => program],
  key: ['text', ({ key }) => key],
  n: ['bigint', ({ n }) => n],
  points: ['numeric', ({ micros }) => `${micros}e-6`],
}
const parts = columnParts(TALLY_COLUMNS, [])
const insertSql = sqlFile('tallies-insert', parts)
const copySql = sqlFile('tallies-copy', parts)
const foldSql = sqlFile('tallies-fold')
const linesSql = sqlFile('statistics-lines')
const checkSql = sqlFile('statistics-check')

/** As in the ledger. */
const COPY_ROWS_MIN = 20
/** So many tallies are folded at a time: some 100 ms. */
export const FOLD_ROWS_MAX = 20_000

/** Writes what a change of the ledger of many entries adds, in its transaction. */
export async function insertTallies(tx: Tx, tallies: readonly LedgerTally[]): Promise<void> {
  if (tallies.length === 0) return
  if (tallies.length < COPY_ROWS_MIN) await tx.query(insertSql, columnLists(TALLY_COLUMNS, tallies))
  else await tx.copy(copySql, copyLines(TALLY_COLUMNS, tallies))
}

/** Folds tallies into days and months, FOLD_ROWS_MAX at most; none where another process is at it. Answers how many. */
export async function foldTallies(tx: Queryable): Promise<number> {
  return (await tx.query<{ folded: number }>(foldSql, [FOLD_ROWS_MAX]))[0]!.folded
}

/** A line of the statistics that says something else than the entries; numbers are texts, null where there is no such line. */
export type StatisticsDifference = Readonly<{
  line: string
  stored: string | null
  derived: string | null
}>

/** Derives the statistics anew from all entries that have days, in one statement: how many lines differ, and the first `limit` of them. */
export async function checkStatistics(
  tx: Queryable,
  limit: number,
): Promise<Readonly<{ differing: number; differences: readonly StatisticsDifference[] }>> {
  // The limit of requests is not meant for this.
  await tx.query('set local statement_timeout = 0')
  const [found] = await tx.query<{ differing: number; differences: readonly StatisticsDifference[] }>(checkSql, [limit])
  return found!
}

/** Which of its two days a figure stands under: that of the order, or that of the recording. */
export type StatisticsBasis = 'ordered' | 'booked'

/** So many things of a day, and their points; `n` and `points` are texts, `program` is 0 where none decides. */
export type StatisticsLine = Readonly<{
  day: Day
  measure: string
  program: number
  key: string
  n: string
  points: string
}>

/** The lines of some measures from one day to another, in the order of days. */
export async function listStatistics(
  db: Queryable,
  { basis, from, to, measures }: Readonly<{ basis: StatisticsBasis; from: Day; to: Day; measures: readonly Measure[] }>,
): Promise<StatisticsLine[]> {
  return db.query<StatisticsLine>(linesSql, [basis, from, to, measures])
}
