import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { InvalidInput } from '../../errors.ts'
import { findLastSweep } from '../../ledger/account-sweeps.ts'
import { listStatistics, type StatisticsLine, type StatisticsMeasure } from '../../ledger/tallies.ts'
import { readStatisticsRange, type StatisticsRange, type StatisticsRangeQuery } from '../../routing/day-range.ts'

/**
 * The quality of a figure (decision 207). exact: derived from all that is recorded at its moment. swept: each account was counted at that moment or
 * later. sampled: not everything was examined. counted: counted in memory, so that a crash loses a second or two.
 */
export type Quality = 'exact' | 'swept' | 'sampled' | 'counted'

const ASKED = ['asked-kept', 'asked-left-out', 'asked-dropped']
const COMPARISONS = ['came-true', 'differed', 'none-kept', 'not-compared']
/** If any of these occurred, only part of the comparisons were examined. */
const MISSING = ['asked-left-out', 'asked-dropped', 'not-compared']

/** The quality of each measure in a period, given the measures that have a line in it. */
export function qualityIn(measures: readonly string[]): (measure: string) => Quality {
  const ofComparisons = measures.some((measure) => MISSING.includes(measure)) ? 'sampled' : 'counted'
  return (measure) => (COMPARISONS.includes(measure) ? ofComparisons : ASKED.includes(measure) ? 'counted' : 'exact')
}

/** An estimate from a sample, with a 95 % confidence interval from `low` to `high`. */
export type Estimate = Readonly<{ n: number; low: number; high: number }>

/** Standard deviations that cover 95 % of a normal distribution. */
const DEVIATIONS = 1.96

/** Extrapolates `counted` of `sampled` to `all`; exact if all were examined. */
export function estimateOf(counted: number, sampled: number, all: number): Estimate {
  if (sampled >= all || sampled === 0) return { n: counted, low: counted, high: counted }
  const share = counted / sampled
  const margin = DEVIATIONS * Math.sqrt((share * (1 - share)) / sampled)
  const of = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * all)
  return { n: of(share), low: Math.max(counted, of(share - margin)), high: of(share + margin) }
}

export type QualifiedLine = StatisticsLine & Readonly<{ quality: Quality }>

/** `asOf` is the moment of the response: it includes everything recorded before. */
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
    throw new InvalidInput('query.from', `more than ${LINES_MAX} rows: use a shorter range or per=month`)
  const days = Map.groupBy(lines, ({ day }) => day)
  return { asOf, ...range, lines: [...days.values()].flatMap((ofDay) => withQuality(ofDay)) }
}

function withQuality(lines: readonly StatisticsLine[]): QualifiedLine[] {
  const qualityOf = qualityIn(lines.map(({ measure }) => measure))
  return lines.map((line) => ({ ...line, quality: qualityOf(line.measure) }))
}

export type QualifiedEstimate = Estimate & Readonly<{ at: string; quality: Quality }>

/** Accounts as of the latest sweep, which began `at`. Levels are in ladder order, points are strings. */
export type SweptAccounts = Readonly<{
  at: string
  players: number
  balance: string
  debts: string
  levels: readonly (QualifiedEstimate & Readonly<{ level: string }>)[]
  top: readonly Readonly<{ userId: string; points: string }>[]
}>

/** The results of the latest sweep; undefined if there has been none. Errors: Unavailable. */
export async function showAccounts(deps: Deps, deadlineAt: number): Promise<SweptAccounts | undefined> {
  const sweep = await findLastSweep(readerOf(deps.db, deadlineAt))
  if (sweep === undefined) return undefined
  const { at, players, balance, debts, sampled, levels, of_all, top } = sweep
  const estimate = (counted: number): QualifiedEstimate => {
    const seen = of_all ? players : sampled
    return { ...estimateOf(counted, seen, players), at, quality: seen < players ? 'sampled' : 'swept' }
  }
  return {
    at,
    players,
    balance,
    debts,
    levels: levels.map(({ level, players: counted }) => ({ level, ...estimate(counted) })),
    top: (top ?? []).map(([userId, points]) => ({ userId, points })),
  }
}
