import type { JobResult } from '../../resources/jobs/kinds/index.ts'
import { csvText } from '../../server/page-formats.ts'
import { escapeControls } from '../../text.ts'
import { provenanceText, table } from './print.ts'

const WORTH_BY = {
  asked: '--point-value',
  program: 'redeem.value of version',
  setting: 'the setting money.point-value',
} as const

const ISSUED_NOTE = `issued: points from orders and referrals of the period, less reversed points.
laurel stats counts all points issued, including by adjustments, and reversed points separately.
`

type PointsResult = JobResult<'points-report'>
type Source = PointsResult['sources'][number]
type Worth = NonNullable<PointsResult['point_value']>

/** A report of points, for people at a terminal. */
export function pointsText(report: PointsResult): string {
  const { from, to, known_at, closed_at, as_of, quality, players, lines, pending, owed, ends } = report
  const { point_value: worth, point_value_before: before } = report
  const provenance = known_at === null ? provenanceText(as_of, quality) : `as known at ${known_at}, ${quality}`
  const opened = closed_at === null ? '' : `, opening as known at ${closed_at}`
  const textOf = ({ each, by, version }: Worth) =>
    `${each} (${[Object.hasOwn(WORTH_BY, by) ? WORTH_BY[by] : by, version].join(' ').trim()})`
  const value = worth === null ? [] : [`a point is worth ${textOf(worth)}`]
  if (worth !== null && before !== undefined && before?.each !== worth.each && lines[0]?.points !== '0')
    value.push(`at the opening it was worth ${before === null ? 'nothing' : textOf(before)}`)
  const head = worth === null ? ['points'] : ['points', 'value']
  const amounts = ({ points, value }: PointsResult['pending']) => (value === null ? [points] : [points, value])
  return [
    [`${players} players, ${from} to ${to}, ${provenance}${opened}`, ...value]
      .map((line) => `${escapeControls(line)}\n`)
      .join(''),
    table(
      ['', ...head],
      [
        ...lines.map((line) => [line.line, ...amounts(line)]),
        ['  of it pending', ...amounts(pending)],
        ['  less owed', ...amounts(owed)],
      ],
      [1, 2],
    ),
    ISSUED_NOTE,
    table(
      ['by kind and version', ...SOURCE_COLUMNS],
      report.sources.map((source) => [sourceName(source), ...SOURCE_COLUMNS.map((name) => source[name])]),
      [1, 2, 3, 4, 5, 6],
    ),
    table(
      ['expires in', ...head],
      ends.map((end) => [end.month, ...amounts(end)]),
      [1, 2],
    ),
    table(
      ['earned in', 'given', 'spent', '', 'expired', '', 'open', ''],
      report.months.map(({ month, given, shares, ...parts }) => [
        ...[month, given],
        ...OUTCOMES.flatMap((outcome) => [parts[outcome], percentText(shares[outcome])]),
      ]),
      [1, 2, 3, 4, 5, 6, 7],
    ),
  ].join('\n')
}

const SOURCE_COLUMNS = ['opening', 'late', 'given', 'spent', 'expired', 'closing'] as const
const OUTCOMES = ['spent', 'expired', 'open'] as const

function sourceName({ kind, program }: Source): string {
  return program === null ? kind : `${kind}, version ${program}`
}

/** `0.4213` as `42.13 %`: the digits are shifted, nothing is computed. */
function percentText(share: string | null): string {
  if (share === null) return ''
  const [, sign, whole, after] = /^(-?)(\d+)\.?(\d*)$/.exec(share)!
  const digits = after!.padEnd(4, '0')
  return `${sign}${BigInt(`${whole}${digits.slice(0, 2)}`)}.${digits.slice(2)} %`
}

const CSV_COLUMNS = ['table', 'month', 'kind', 'program', 'measure', 'points', 'value', 'as_of', 'quality']

/** The same as one table with one figure per line, for a spreadsheet or a pivot table. The opening is as of when the days before were reported. */
export function pointsCsv({ lines, pending, owed, sources, ends, months, ...report }: PointsResult): string {
  const { as_of, closed_at, quality } = report
  const rows: readonly Readonly<{ measure: string }>[] = [
    ...lines.map(({ line, ...amounts }) => ({ table: 'lines', measure: line, ...amounts })),
    { table: 'lines', measure: 'pending', ...pending },
    { table: 'lines', measure: 'owed', ...owed },
    ...sources.flatMap(({ kind, program, ...parts }) =>
      SOURCE_COLUMNS.map((measure) => ({
        ...{ table: 'sources', kind, program, measure, points: parts[measure] },
      })),
    ),
    ...ends.map(({ month, ...amounts }) => ({ table: 'ends', month, measure: 'closing', ...amounts })),
    ...months.flatMap(({ month, given, spent, expired, open }) =>
      Object.entries({ given, spent, expired, open }).map(([measure, points]) => ({
        ...{ table: 'months', month, measure, points },
      })),
    ),
  ]
  const toAsOf = (measure: string) => (measure === 'opening' ? (closed_at ?? as_of) : as_of)
  return csvText(
    CSV_COLUMNS,
    rows.map((row) => ({ ...row, as_of: toAsOf(row.measure), quality })),
  )
}
