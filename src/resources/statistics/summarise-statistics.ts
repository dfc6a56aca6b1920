import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { product, type Ratio, ratio } from '../../engine/points/arithmetic.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { programAt, startOfProgramDay } from '../../engine/points/programs.ts'
import { type AccountTotals, findTotals } from '../../ledger/account-figures.ts'
import {
  findBackfill,
  listStatistics,
  type StatisticsLine,
  type StatisticsMeasure,
  type StatisticsQuery,
} from '../../ledger/tallies.ts'
import {
  rangeBefore,
  readStatisticsRange,
  type StatisticsRange,
  type StatisticsRangeQuery,
} from '../../routing/day-range.ts'
import { findPointValue, type PointValue } from '../settings/point-value.ts'
import { type Quality, qualityIn } from './service.ts'

/** A number and its points; undefined where a figure has only the other. */
type Sums = Readonly<{ n: bigint | undefined; points: bigint | undefined }>

/** `asOf`: the figure is as of this moment (RFC 3339). */
export type SummaryFigure = Readonly<{
  figure: string
  asOf: string
  quality: Quality
  sums: Sums
  before: Sums | undefined
}>

/** The figures of a range of days; `before` is the range they are compared with. `asOf` as in Statistics. */
export type StatisticsSummary = StatisticsRange &
  Readonly<{
    asOf: string
    before: StatisticsRange | undefined
    /** How many older entries have been counted, out of about how many; undefined once all have. */
    backfill: Readonly<{ counted: number; entries: number }> | undefined
    figures: readonly SummaryFigure[]
    /** What a point is worth now, and what all outstanding points are worth then; undefined if no value is set. */
    worth:
      | (PointValue &
          Pick<SummaryFigure, 'asOf' | 'quality'> &
          Readonly<{ outstanding: Ratio | undefined; currency: string | null }>)
      | undefined
  }>

type Figure = Readonly<{ measures: readonly StatisticsMeasure[]; key?: string; counts?: 'n' | 'points' }>

/** What happened within the range. */
const EVENTS: Readonly<Record<string, Figure>> = {
  issued: { measures: ['issued'] },
  'taken-back': { measures: ['taken-back'] },
  spent: { measures: ['spent'] },
  // Only adjustments above 0: kept for those who read it (decision 219).
  adjusted: { measures: ['issued'], key: 'adjustment' },
  'adjusted-net': { measures: ['issued', 'spent'], key: 'adjustment' },
  orders: { measures: ['orders'] },
  revisions: { measures: ['revisions'], counts: 'n' },
  nothing: { measures: ['nothing'], counts: 'n' },
  asked: { measures: ['asked-kept', 'asked-left-out', 'asked-dropped'], counts: 'n' },
  'came-true': { measures: ['came-true'], counts: 'n' },
  differed: { measures: ['differed'] },
  'not-compared': { measures: ['not-compared'], counts: 'n' },
}
/** Balances at the end of the range: the sum of everything until then. */
const STANDINGS: Readonly<Record<string, Figure>> = {
  balance: { measures: ['balance'], counts: 'points' },
  debts: { measures: ['debts'], counts: 'points' },
}

const POINT_FIGURES = ['outstanding', 'pending', 'held', 'expired'] as const

/** The figures of a range of days, with `compare` also those of the same weekdays before; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function summariseStatistics(
  deps: Deps,
  { compare, ...query }: StatisticsRangeQuery & Readonly<{ compare: boolean }>,
  deadlineAt: number,
): Promise<StatisticsSummary> {
  const asOf = deps.now().toISOString()
  const range = readStatisticsRange(deps, { ...query, per: 'span' })
  const before = compare ? rangeBefore(range) : undefined
  const ranges = before === undefined ? [range] : [range, before]
  const reader = readerOf(deps.db, deadlineAt)
  const [linesByQuery, backfill, totals] = await Promise.all([
    listStatistics(reader, ranges.flatMap(buildQueries)),
    findBackfill(reader),
    findTotals(reader, deps.programs(), asOf),
  ])
  const figuresOf = (place: number) => [
    ...Object.values(EVENTS).map((figure) => sumsOf(figure, linesByQuery[2 * place]!)),
    ...Object.values(STANDINGS).map((figure) => sumsOf(figure, linesByQuery[2 * place + 1]!)),
  ]
  const sums = figuresOf(0)
  const sumsBefore = before === undefined ? [] : figuresOf(1)
  const qualityOf = qualityIn(linesByQuery.flat().map(({ measure }) => measure))
  const endOfRange = startOfProgramDay(deps.programs(), dayAfter(range.to, 1))
  const figures = Object.entries({ ...EVENTS, ...STANDINGS }).map(([figure, { measures }], index) => ({
    figure,
    asOf: figure in STANDINGS && endOfRange < asOf ? endOfRange : asOf,
    quality: qualityOf(measures[0]!),
    sums: sums[index]!,
    before: sumsBefore[index],
  }))
  const present = figuresOfAccounts(totals, asOf)
  const outstanding = present.find(({ figure }) => figure === 'outstanding')!
  const published = programAt(deps.programs(), asOf)
  const worth = findPointValue(published, deps.shop())
  return {
    ...{ asOf, ...range, before, backfill },
    figures: [...figures, ...present],
    worth: worth && {
      ...worth,
      ...{ asOf: outstanding.asOf, quality: outstanding.quality },
      outstanding:
        outstanding.sums.points === undefined ? undefined : product(ratio(outstanding.sums.points), worth.each),
      currency: published?.program.money.currency ?? deps.shop()['money.currency'],
    },
  }
}

/** As accounts are now, whatever range was asked for: points that expire or become usable by date are in no tally. */
function figuresOfAccounts(totals: AccountTotals | undefined, asOf: string): SummaryFigure[] {
  const figure = (name: string, sums: Sums): SummaryFigure => ({
    ...{ figure: name, asOf: totals?.at ?? asOf, quality: totals?.quality ?? 'swept', sums, before: undefined },
  })
  return [
    ...POINT_FIGURES.map((name) => figure(name, { n: undefined, points: totals && BigInt(totals[name]) })),
    figure('active-30', { n: totals && BigInt(totals.active_30), points: undefined }),
    figure('active-90', { n: totals && BigInt(totals.active_90), points: undefined }),
  ]
}

function buildQueries(range: StatisticsRange): [StatisticsQuery, StatisticsQuery] {
  const measuresOf = (figures: typeof EVENTS) => [
    ...new Set(Object.values(figures).flatMap(({ measures }) => measures)),
  ]
  return [
    { ...range, measures: measuresOf(EVENTS) },
    { ...range, basis: 'posted', from: '-infinity', measures: measuresOf(STANDINGS) },
  ]
}

function sumsOf({ measures, key, counts }: Figure, lines: readonly StatisticsLine[]): Sums {
  const counted = lines.filter(
    (line) => measures.some((measure) => measure === line.measure) && (key === undefined || line.key === key),
  )
  const sum = (field: 'n' | 'points') => counted.reduce((total, line) => total + BigInt(line[field]), 0n)
  return { n: counts === 'points' ? undefined : sum('n'), points: counts === 'n' ? undefined : sum('points') }
}
