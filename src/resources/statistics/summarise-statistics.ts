import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { product, type Ratio, ratio } from '../../engine/points/arithmetic.ts'
import { countsDays, programAt } from '../../engine/points/programs.ts'
import type { SweptPoints } from '../../ledger/account-sweeps.ts'
import {
  findBackfill,
  listStatistics,
  type StatisticsLine,
  type StatisticsMeasure,
  type StatisticsQuestion,
} from '../../ledger/tallies.ts'
import {
  rangeBefore,
  readStatisticsRange,
  type StatisticsRange,
  type StatisticsRangeQuery,
} from '../../routing/day-range.ts'
import { type PointWorth, worthUnder } from '../settings/worth-of-points.ts'
import { type QualifiedEstimate, type Quality, qualityIn, type SweptAccounts, showAccounts } from './service.ts'

/** A number and its points; undefined where a figure has only the other. */
type Sums = Readonly<{ n: bigint | undefined; points: bigint | undefined }>

export type SummaryFigure = Readonly<{ figure: string; quality: Quality; sums: Sums; before: Sums | undefined }>

/** The figures of a range of days; `before` is the range they are compared with. `asOf` as in Statistics. */
export type StatisticsSummary = StatisticsRange &
  Readonly<{
    asOf: string
    before: StatisticsRange | undefined
    /** How many older entries have been counted, out of about how many; undefined once all have. */
    backfill: Readonly<{ counted: number; entries: number }> | undefined
    figures: readonly SummaryFigure[]
    /** What a point, and all outstanding points, are worth now; undefined if no value is set. */
    worth: (PointWorth & Readonly<{ outstanding: Ratio | undefined; currency: string | null }>) | undefined
  }>

type Figure = Readonly<{ measures: readonly StatisticsMeasure[]; key?: string; counts?: 'n' | 'points' }>

/** What happened within the range. */
const EVENTS: Readonly<Record<string, Figure>> = {
  issued: { measures: ['issued'] },
  'taken-back': { measures: ['taken-back'] },
  spent: { measures: ['spent'] },
  adjusted: { measures: ['issued'], key: 'adjustment' },
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
  const [found, backfill, swept] = await Promise.all([
    listStatistics(reader, ranges.flatMap(questionsOf)),
    findBackfill(reader),
    showAccounts(deps, deadlineAt),
  ])
  const figuresOf = (place: number) => [
    ...Object.values(EVENTS).map((figure) => sumsOf(figure, found[2 * place]!)),
    ...Object.values(STANDINGS).map((figure) => sumsOf(figure, found[2 * place + 1]!)),
  ]
  const sums = figuresOf(0)
  const sumsBefore = before === undefined ? [] : figuresOf(1)
  const qualityOf = qualityIn(found.flat().map(({ measure }) => measure))
  const figures = Object.entries({ ...EVENTS, ...STANDINGS }).map(([figure, { measures }], index) => ({
    figure,
    quality: qualityOf(measures[0]!),
    sums: sums[index]!,
    before: sumsBefore[index],
  }))
  const points = countsDays(deps.programs()) ? pointFigures(swept?.points) : bookedFigures(figures)
  const outstanding = points.find(({ figure }) => figure === 'outstanding')!.sums.points
  const worth = worthUnder(programAt(deps.programs(), asOf), deps.shop())
  return {
    ...{ asOf, ...range, before, backfill },
    figures: [...figures, ...points, ...sweptFigures(swept)],
    worth: worth && {
      ...worth,
      outstanding: outstanding === undefined ? undefined : product(ratio(outstanding), worth.each),
      currency: deps.shop()['money.currency'],
    },
  }
}

/** As of the day of the latest sweep, whatever range was asked for: points that expire or become usable by date are in no tally. */
function pointFigures(points: SweptPoints | null | undefined): SummaryFigure[] {
  const sums = (text: string | undefined) => ({ n: undefined, points: text === undefined ? undefined : BigInt(text) })
  return POINT_FIGURES.map((figure) => ({
    ...{ figure, quality: 'exact', sums: sums(points?.[figure]), before: undefined },
  }))
}

/** If balances do not depend on days, everything booked is outstanding. */
function bookedFigures(figures: readonly SummaryFigure[]): SummaryFigure[] {
  const balance = figures.find(({ figure }) => figure === 'balance')!
  const nothing = { n: undefined, points: 0n }
  return POINT_FIGURES.map((figure) =>
    figure === 'outstanding'
      ? { ...balance, figure }
      : { figure, quality: 'exact', sums: nothing, before: balance.before && nothing },
  )
}

/** As of the latest sweep, whatever range was asked for. */
function sweptFigures(swept: SweptAccounts | undefined): SummaryFigure[] {
  const figure = (name: string, estimate: QualifiedEstimate | undefined): SummaryFigure => ({
    figure: name,
    quality: estimate?.quality ?? 'exact',
    sums: { n: estimate === undefined ? undefined : BigInt(estimate.n), points: undefined },
    before: undefined,
  })
  return [figure('active-30', swept?.active30), figure('active-90', swept?.active90)]
}

function questionsOf(range: StatisticsRange): [StatisticsQuestion, StatisticsQuestion] {
  const measuresOf = (figures: typeof EVENTS) => [
    ...new Set(Object.values(figures).flatMap(({ measures }) => measures)),
  ]
  return [
    { ...range, measures: measuresOf(EVENTS) },
    { ...range, basis: 'booked', from: '-infinity', measures: measuresOf(STANDINGS) },
  ]
}

function sumsOf({ measures, key, counts }: Figure, lines: readonly StatisticsLine[]): Sums {
  const counted = lines.filter(
    (line) => measures.some((measure) => measure === line.measure) && (key === undefined || line.key === key),
  )
  const sum = (field: 'n' | 'points') => counted.reduce((total, line) => total + BigInt(line[field]), 0n)
  return { n: counts === 'points' ? undefined : sum('n'), points: counts === 'n' ? undefined : sum('points') }
}
