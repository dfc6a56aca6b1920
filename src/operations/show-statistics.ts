import { InvalidInput } from '../errors.ts'
import type { Measure } from '../points/ledger/tally-entries.ts'
import { readerOf } from '../store/db/reader.ts'
import { listStatistics, type StatisticsLine } from '../store/statistics.ts'
import type { Deps } from './deps.ts'
import { readSpan, type Span, type SpanQuery } from './statistics/span.ts'

/** `asOf` is the moment of the answer: all that was recorded before is in it. */
export type Statistics = Span & Readonly<{ asOf: string; lines: readonly StatisticsLine[] }>

const LINES_MAX = 20_000

/** The figures of some measures by day, month or span; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function showStatistics(
  deps: Deps,
  measures: readonly Measure[],
  query: SpanQuery,
  deadlineAt: number,
): Promise<Statistics> {
  const asOf = deps.now().toISOString()
  const span = readSpan(deps, query)
  const [lines = []] = await listStatistics(readerOf(deps.db, deadlineAt), [{ ...span, measures }], LINES_MAX + 1)
  if (lines.length > LINES_MAX)
    throw new InvalidInput(
      'query.from',
      `expected a span of at most ${LINES_MAX} lines: ask for fewer days, or per=month`,
    )
  return { asOf, ...span, lines }
}
