/*
 * Statistics of the ledger: tallies that its own transactions write, folded into days and months (docs/statistics.md).
 */
import { LEDGER_MEASURES, type LedgerMeasure, type LedgerTally } from '../points/ledger/tally-entries.ts'
import { dayAfter } from '../points/local-time.ts'
import type { Day } from '../points/units.ts'
import { COPY_ROWS_MIN, type Columns, columnLists, columnParts, copyLines } from './db/columns.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { Tx } from './db/transaction.ts'

/** Counted beside the ledger: predictions asked for (token), and promises of first recordings; see docs/statistics.md. */
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

/** So many things; `micros` are their points in millionths. */
export type StatisticsTally = Omit<LedgerTally, 'measure'> & Readonly<{ measure: StatisticsMeasure }>

export const TALLY_COLUMNS: Columns<StatisticsTally> = {
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
const backfillSql = sqlFile('statistics-backfill-page')
const findBackfillSql = sqlFile('statistics-backfill-find')
const checkSql = sqlFile('statistics-check')

/** So many tallies are folded at a time: some 100 ms. */
export const FOLD_ROWS_MAX = 20_000

/** Writes what a transaction adds to the statistics: that of a change of the ledger. */
export async function insertTallies(tx: Tx, tallies: readonly StatisticsTally[]): Promise<void> {
  if (tallies.length === 0) return
  if (tallies.length < COPY_ROWS_MIN) await tx.query(insertSql, columnLists(TALLY_COLUMNS, tallies))
  else await tx.copy(copySql, copyLines(TALLY_COLUMNS, tallies))
}

/** Folds tallies into days and months, FOLD_ROWS_MAX at most; none where another process is at it. Answers how many. */
export async function foldTallies(tx: Queryable): Promise<number> {
  return (await tx.query<{ folded: number }>(foldSql, [FOLD_ROWS_MAX]))[0]!.folded
}

/**
 * Counts the next entries from before days were kept, `entriesMax` at most. Answers how many are counted, of about how many, and whether none is left; undefined where
 * there is nothing to do, or another process does it.
 */
export async function backfillStatistics(
  tx: Queryable,
  entriesMax: number,
): Promise<Readonly<{ counted: number; entries: number; done: boolean }> | undefined> {
  return (await tx.query<{ counted: number; entries: number; done: boolean }>(backfillSql, [entriesMax]))[0]
}

/** How many entries from before are counted, of about how many entries; undefined where all are. */
export async function findBackfill(db: Queryable): Promise<Readonly<{ counted: number; entries: number }> | undefined> {
  return (await db.query<{ counted: number; entries: number }>(findBackfillSql))[0]
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
  const [found] = await tx.query<{ differing: number; differences: readonly StatisticsDifference[] }>(checkSql, [
    limit,
    LEDGER_MEASURES,
  ])
  return found!
}

/** Which of its two days a figure stands under: that of the order, or that of the recording. */
export type StatisticsBasis = 'ordered' | 'booked'

/** What a line adds up. */
export type StatisticsPeriod = 'day' | 'month' | 'span'

/** Some measures of the days from `from` to `to`; what is asked for at once is answered as of one moment. */
export type StatisticsQuestion = Readonly<{
  basis: StatisticsBasis
  per: StatisticsPeriod
  from: Day | '-infinity'
  to: Day
  measures: readonly StatisticsMeasure[]
}>

/**
 * So many things of a period, and their points; `n` and `points` are texts, `program` is 0 where none decides. `day` is the first one of the
 * period, for a span its `from`.
 */
export type StatisticsLine = Readonly<{
  day: Day
  measure: string
  program: number
  key: string
  n: string
  points: string
}>

/** The lines of each question, in the order of asking, each in the order of days; at most `linesMax` of all, if given. */
export async function listStatistics(
  db: Queryable,
  questions: readonly StatisticsQuestion[],
  linesMax?: number,
): Promise<StatisticsLine[][]> {
  const asked = questions.map((question, place) => ({ ...question, place, ...monthsWithin(question) }))
  const rows = await db.query<StatisticsLine & { place: number }>(linesSql, [JSON.stringify(asked), linesMax ?? null])
  const found = Map.groupBy(rows, ({ place }) => place)
  return questions.map((_, place) => (found.get(place) ?? []).map(({ place: _, ...line }) => line))
}

/** Where the whole months of a span begin, and where its last days: the same day where there is none, or days are asked for. */
function monthsWithin({ per, from, to }: StatisticsQuestion): { months: Day; rest: Day } {
  const months = from === '-infinity' || from.endsWith('-01') ? from : monthAfter(from)
  const rest = `${dayAfter(to, 1).slice(0, 7)}-01`
  return per === 'day' || (months !== '-infinity' && months >= rest) ? { months: from, rest: from } : { months, rest }
}

function monthAfter(day: Day): Day {
  return `${dayAfter(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`
}
