/*
 * A points report as one document: `--json` prints it, the text and the table show it. Points and money are strings, because sums over all
 * players may exceed the safe integers.
 */
import { product, type Ratio, ratio, ratioText } from '../../engine/points/arithmetic.ts'
import { roundTo } from '../../engine/points/rounding.ts'
import type { Points } from '../../engine/points/units.ts'
import { type PointsReport, REPORT_LINES, type ReportQuery, SOURCE_LINES } from './report-points.ts'

export type PointsDocument = ReturnType<typeof pointsDocumentOf>

/** Money is exact: a decimal if it terminates, otherwise a fraction; null if a point has no value. */
export function pointsDocumentOf({ from, to, knownAt, closedAt }: ReportQuery, report: PointsReport) {
  const { players, worth, lines, pending, owed, sources, ends, months } = report
  const amounts = (points: Points) => ({
    points: String(points),
    value: worth === undefined ? null : ratioText(product(ratio(points), worth.each)),
  })
  const sum = (all: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    names.reduce((total, name) => total + (all[name] as Points), 0n)
  return {
    from,
    to,
    known_at: knownAt ?? null,
    closed_at: closedAt ?? null,
    players,
    point_value:
      worth === undefined
        ? null
        : {
            each: ratioText(worth.each),
            by: worth.by,
            ...(worth.version === undefined ? {} : { version: worth.version }),
          },
    lines: [
      ...REPORT_LINES.map((line) => ({ line: line as string, ...amounts(lines[line]) })),
      { line: 'closing', ...amounts(sum(lines, REPORT_LINES)) },
    ],
    pending: amounts(pending),
    owed: amounts(owed),
    sources: sources
      .map(({ kind, program, ...parts }) => {
        const { opening, late, given, spent, expired } = parts
        const closing = sum(parts, SOURCE_LINES)
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
