import { readerOf } from '../../database/db/reader.ts'
import { InvalidInput } from '../../errors.ts'
import { listStatistics, type StatisticsLine, type StatisticsMeasure } from '../../ledger/tallies.ts'
import type { Deps } from '../../shared/deps.ts'
import { readStatisticsRange, type StatisticsRange, type StatisticsRangeQuery } from '../../shared/routes/day-range.ts'
import { type Quality, qualityIn } from './quality.ts'

export type QualifiedLine = StatisticsLine & Readonly<{ quality: Quality }>

/** `asOf` is the moment of the answer: it includes everything recorded before. */
export type Statistics = StatisticsRange & Readonly<{ asOf: string; lines: readonly QualifiedLine[] }>

const LINES_MAX = 20_000

/** The figures of some measures by day, month or span; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function showStatistics(
  deps: Deps,
  measures: readonly StatisticsMeasure[],
  query: StatisticsRangeQuery,
  deadlineAt: number,
): Promise<Statistics> {
  const asOf = deps.now().toISOString()
  const range = readStatisticsRange(deps, query)
  const [lines = []] = await listStatistics(readerOf(deps.db, deadlineAt), [{ ...range, measures }], LINES_MAX + 1)
  if (lines.length > LINES_MAX)
    throw new InvalidInput(
      'query.from',
      `expected a span of at most ${LINES_MAX} lines: ask for fewer days, or per=month`,
    )
  const days = Map.groupBy(lines, ({ day }) => day)
  return { asOf, ...range, lines: [...days.values()].flatMap((ofDay) => withQuality(ofDay)) }
}

function withQuality(lines: readonly StatisticsLine[]): QualifiedLine[] {
  const qualityOf = qualityIn(lines.map(({ measure }) => measure))
  return lines.map((line) => ({ ...line, quality: qualityOf(line.measure) }))
}
