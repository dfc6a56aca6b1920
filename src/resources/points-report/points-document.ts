/*
 * A points report as one document: `--json` prints it, the text and the table show it. Points and money are strings, because sums over all
 * players may exceed the safe integers.
 */
import type { Db } from '../../database/db/transaction.ts'
import { product, type Ratio, ratio, ratioText, subtract, sum, ZERO } from '../../engine/points/arithmetic.ts'
import { roundTo } from '../../engine/points/rounding.ts'
import type { Instant, Points } from '../../engine/points/units.ts'
import type { PointValue } from '../settings/point-value.ts'
import { type PointsReport, REPORT_LINES, type ReportQuery, reportPoints, SOURCE_LINES } from './report-points.ts'

export type PointsDocument = ReturnType<typeof pointsDocumentOf>

/**
 * The report as of `now`, or of `knownAt`: what is recorded after that, while the database is opened or copied, does not count. `now` is a moment
 * (RFC 3339) that is not after the call. Otherwise like `reportPoints`.
 */
export async function reportPointsAsOf(
  now: Instant,
  db: Db,
  query: ReportQuery,
  onProgress: (players: number) => void,
): Promise<PointsDocument> {
  const asOf = query.knownAt ?? now
  return pointsDocumentOf(query, await reportPoints(db, { ...query, knownAt: asOf }, onProgress), asOf)
}

/**
 * Money is exact: a decimal if it terminates, otherwise a fraction; null if a point has no value. The opening has the value that the closing of the day
 * before had, redeemed points what they paid, everything else the value at the closing; `value-change` is what is left between them (decision 143).
 */
function pointsDocumentOf({ from, to, knownAt, closedAt }: ReportQuery, report: PointsReport, asOf: Instant) {
  const { players, worth, worthBefore, redeemed, lines, pending, owed, sources, ends, months } = report
  const moneyOf = (points: Points, each = worth?.each ?? ZERO) => product(ratio(points), each)
  const withValue = (points: Points, value: Ratio) => ({
    points: String(points),
    value: worth === undefined ? null : ratioText(value),
  })
  const amounts = (points: Points) => withValue(points, moneyOf(points))
  const sumOf = (all: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    names.reduce((total, name) => total + (all[name] as Points), 0n)
  const closing = sumOf(lines, REPORT_LINES)
  const valueOfLine = (line: (typeof REPORT_LINES)[number]): Ratio => {
    if (line === 'opening') return moneyOf(lines.opening, worthBefore?.each ?? ZERO)
    if (line === 'redeemed') return sum(redeemed.map(({ points, each }) => moneyOf(points, each)))
    return moneyOf(lines[line])
  }
  const change = subtract(moneyOf(closing), sum(REPORT_LINES.map(valueOfLine)))
  return {
    from,
    to,
    known_at: knownAt ?? null,
    closed_at: closedAt ?? null,
    as_of: asOf,
    quality: 'exact' as const,
    players,
    point_value: worthText(worth),
    point_value_before: worthText(worthBefore),
    lines: [
      ...REPORT_LINES.map((line) => ({ line: line as string, ...withValue(lines[line], valueOfLine(line)) })),
      { line: 'value-change', ...withValue(0n, change) },
      { line: 'closing', ...amounts(closing) },
    ],
    pending: amounts(pending),
    owed: amounts(owed),
    sources: sources
      .map(({ kind, program, ...parts }) => {
        const { opening, late, given, spent, expired } = parts
        const closing = sumOf(parts, SOURCE_LINES)
        return { kind, program, ...textsOf({ opening, late, given, spent, expired, closing }) }
      })
      .filter(({ kind: _, program: __, ...parts }) => Object.values(parts).some((points) => points !== '0')),
    ends: [...ends].map(([month, points]) => ({ month, ...amounts(points) })),
    months: [...months].map(([month, { given, spent, expired, open }]) => ({
      month,
      ...textsOf({ given, spent, expired, open }),
      shares: { spent: shareText(spent, given), expired: shareText(expired, given), open: shareText(open, given) },
    })),
  }
}

function worthText(worth: PointValue | undefined) {
  if (worth === undefined) return null
  const { each, by, version } = worth
  return { each: ratioText(each), by, ...(version === undefined ? {} : { version }) }
}

function textsOf<Name extends string>(all: Readonly<Record<Name, Points>>): Record<Name, string> {
  return Object.fromEntries(Object.entries<Points>(all).map(([name, points]) => [name, String(points)])) as Record<
    Name,
    string
  >
}

/** A share from 0 to 1, rounded half up to four decimals; null if there was nothing. */
function shareText(part: Points, whole: Points): string | null {
  if (whole === 0n) return null
  const tenThousandths: Ratio = { num: part * 10_000n, den: whole }
  return ratioText(ratio(roundTo(tenThousandths, 'half-up'), 10_000n))
}
