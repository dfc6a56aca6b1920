import type { Measure } from '../points/ledger/tally-entries.ts'
import { readerOf } from '../store/db/reader.ts'
import { listStatistics, type StatisticsLine, type StatisticsQuestion } from '../store/statistics.ts'
import type { Deps } from './deps.ts'
import { readSpan, type Span, type SpanQuery, spanBefore } from './statistics/span.ts'

/** How many, and their points; undefined where only the other is counted. */
type Sums = Readonly<{ n: bigint | undefined; points: bigint | undefined }>

export type SummaryFigure = Readonly<{ figure: string; sums: Sums; before: Sums | undefined }>

/** The figures of a span; `before` is the one that they are compared with. `asOf` as in Statistics. */
export type StatisticsSummary = Span &
  Readonly<{ asOf: string; before: Span | undefined; figures: readonly SummaryFigure[] }>

type Figure = Readonly<{ measure: Measure; key?: string; counts?: 'n' | 'points' }>

/** What happened within the span. */
const EVENTS: Readonly<Record<string, Figure>> = {
  issued: { measure: 'issued' },
  'taken-back': { measure: 'taken-back' },
  spent: { measure: 'spent' },
  adjusted: { measure: 'issued', key: 'adjustment' },
  orders: { measure: 'orders' },
  revisions: { measure: 'revisions', counts: 'n' },
  nothing: { measure: 'nothing', counts: 'n' },
}
/** What stood at its end: the sum of all that happened until then. */
const STANDINGS: Readonly<Record<string, Figure>> = {
  balance: { measure: 'balance', counts: 'points' },
  debts: { measure: 'debts', counts: 'points' },
}

/** The figures of a span, and with `compare` those of the same weekdays before; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function summariseStatistics(
  deps: Deps,
  query: SpanQuery,
  compare: boolean,
  deadlineAt: number,
): Promise<StatisticsSummary> {
  const asOf = deps.now().toISOString()
  const span = readSpan(deps, { ...query, per: 'span' })
  const before = compare ? spanBefore(span) : undefined
  const spans = before === undefined ? [span] : [span, before]
  const found = await listStatistics(readerOf(deps.db, deadlineAt), spans.flatMap(questionsOf))
  const figuresOf = (place: number) => [
    ...Object.values(EVENTS).map((figure) => sumsOf(figure, found[2 * place]!)),
    ...Object.values(STANDINGS).map((figure) => sumsOf(figure, found[2 * place + 1]!)),
  ]
  const sums = figuresOf(0)
  const sumsBefore = before === undefined ? [] : figuresOf(1)
  const figures = [...Object.keys(EVENTS), ...Object.keys(STANDINGS)].map((figure, index) => ({
    figure,
    sums: sums[index]!,
    before: sumsBefore[index],
  }))
  return { asOf, ...span, before, figures }
}

function questionsOf(span: Span): [StatisticsQuestion, StatisticsQuestion] {
  const measuresOf = (figures: typeof EVENTS) => [...new Set(Object.values(figures).map(({ measure }) => measure))]
  return [
    { ...span, measures: measuresOf(EVENTS) },
    { ...span, basis: 'booked', from: '-infinity', measures: measuresOf(STANDINGS) },
  ]
}

function sumsOf({ measure, key, counts }: Figure, lines: readonly StatisticsLine[]): Sums {
  const counted = lines.filter((line) => line.measure === measure && (key === undefined || line.key === key))
  const sum = (field: 'n' | 'points') => counted.reduce((total, line) => total + BigInt(line[field]), 0n)
  return { n: counts === 'points' ? undefined : sum('n'), points: counts === 'n' ? undefined : sum('points') }
}
