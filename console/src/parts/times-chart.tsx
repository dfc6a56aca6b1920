import type { RouteResponse } from '../../../src/server/responses.ts'
import { grouped } from '../exact.ts'
import { clockText, dateText, minuteOfDay } from '../moments.ts'
import { useZone } from '../zone.ts'
import { ChartFrame, useReading, useWidth } from './chart-frame.tsx'
import { Moment } from './moment.tsx'
import { type Column, Table } from './table.tsx'

type Report = RouteResponse<'GET /api/admin/service'>
export type Times = Omit<Report['times'][number], 'at'>

/** A minute or an hour; `times` is undefined if there were no requests. */
type Slot = Readonly<{ at: string; times: Times | undefined }>

const SLOT_MS = { minute: 60_000, hour: 3_600_000 } as const
const ROW_PX = 18
const ROWS_MIN = 6
const MARGIN = { left: 52, right: 4, top: 12, bottom: 24 }
const LABEL_PX = 48
/** Labels are at round times of the day, this many minutes apart. */
const LABEL_MINUTES = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440]
const TIP_PX = 200
/** Keeps a single request among thousands visible. */
const FAINTEST = 0.15

/**
 * How long requests took: a column for each minute or hour, a row for each bound, the stronger the colour the more requests. Only what
 * is known is drawn; no percentile is interpolated within a row. Arrow keys read the columns; the same numbers are in a table below.
 */
export function TimesChart({ report, isStale }: Readonly<{ report: Report; isStale?: boolean }>) {
  const [host, width] = useWidth()
  const zone = useZone()
  const slots = slotsOf(report)
  const reading = useReading(slots.length)
  const { at } = reading
  const bounds = report.bounds_ms
  const highest = Math.max(-1, ...report.times.map(({ counts }) => counts.findLastIndex((count) => count > 0)))
  const rows = Math.min(bounds.length + 1, Math.max(ROWS_MIN, highest + 1))
  const most = Math.max(1, ...report.times.flatMap(({ counts }) => counts))
  const height = MARGIN.top + rows * ROW_PX + MARGIN.bottom
  const step = Math.max(0, width - MARGIN.left - MARGIN.right) / slots.length
  const x = (index: number) => MARGIN.left + index * step
  const y = (row: number) => MARGIN.top + (rows - 1 - row) * ROW_PX
  const minutes = LABEL_MINUTES.find((many) => ((many * 60_000) / SLOT_MS[report.per]) * step >= LABEL_PX) ?? 1_440
  const shown = at === undefined ? undefined : slots[at]

  return (
    <ChartFrame
      {...{ host, width, height, isStale, reading }}
      label={`Request duration, by ${report.per}. Arrow keys read the ${report.per}s.`}
      indexAt={(px) => Math.floor((px - MARGIN.left) / step)}
      announcement={shown === undefined ? '' : sentenceOf(shown, bounds, zone)}
      tip={shown !== undefined && <Tip slot={shown} bounds={bounds} left={tipLeft(x(at!) + step / 2, width)} />}
      table={<Table name="Times" columns={timesColumns(bounds)} rows={report.times} keyOf={({ at }) => at} />}
    >
      {Array.from({ length: rows }, (_, row) => (
        <g key={row}>
          <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(row) + ROW_PX} y2={y(row) + ROW_PX} />
          <text x={MARGIN.left - 8} y={y(row) + ROW_PX / 2 + 4} textAnchor="end">
            {boundText(bounds[row], bounds)}
          </text>
        </g>
      ))}
      {slots.flatMap(({ at: startsAt, times }, index) =>
        (times?.counts ?? []).map((count, row) =>
          count === 0 ? null : (
            <rect
              key={`${startsAt} ${bounds[row]}`}
              className="value"
              x={x(index) + gapOf(step)}
              width={Math.max(1, step - 2 * gapOf(step))}
              y={y(row) + 1}
              height={ROW_PX - 2}
              rx={Math.min(2, step / 4)}
              opacity={FAINTEST + (1 - FAINTEST) * Math.sqrt(count / most)}
            />
          ),
        ),
      )}
      {slots.map(({ at: startsAt, times }, index) =>
        times === undefined || times.failed === 0 ? null : (
          <circle key={startsAt} className="failed" cx={x(index) + step / 2} cy={MARGIN.top - 6} r={3} />
        ),
      )}
      {shown !== undefined && (
        <rect className="cursor" x={x(at!)} width={Math.max(1, step)} y={MARGIN.top} height={rows * ROW_PX} />
      )}
      {slots.map(({ at: startsAt }, index) =>
        minuteOfDay(startsAt, zone) % minutes === 0 && x(index) + LABEL_PX / 2 < width ? (
          <text key={startsAt} x={x(index) + step / 2} y={height - 6} textAnchor="middle">
            {minuteOfDay(startsAt, zone) === 0 ? dateText(startsAt, zone) : clockText(startsAt, false, zone)}
          </text>
        ) : null,
      )}
    </ChartFrame>
  )
}

function Tip({ slot: { at, times }, bounds, left }: Readonly<{ slot: Slot; bounds: readonly number[]; left: number }>) {
  const zone = useZone()
  return (
    <div className="tip" aria-hidden="true" style={{ left }}>
      <strong>{clockText(at, true, zone)}</strong>
      {times === undefined ? (
        'no requests'
      ) : (
        <dl>
          <dt>Requests</dt>
          <dd>{grouped(times.n)}</dd>
          <dt>p50</dt>
          <dd>{withinText(times.p50_ms, bounds)}</dd>
          <dt>p95</dt>
          <dd>{withinText(times.p95_ms, bounds)}</dd>
          <dt>p99</dt>
          <dd>{withinText(times.p99_ms, bounds)}</dd>
          {times.failed > 0 && (
            <>
              <dt className="bad">Failed</dt>
              <dd className="bad">{grouped(times.failed)}</dd>
            </>
          )}
        </dl>
      )}
    </div>
  )
}

/** How the durations of one route are distributed, without numbers: they are shown beside it. */
export function Spread({ counts, most }: Readonly<{ counts: readonly number[]; most: number }>) {
  return (
    <svg className="spread" width={counts.length * 6} height={20} aria-hidden="true" focusable="false">
      {counts.map((count, row) => {
        const height = count === 0 ? 0 : Math.max(2, Math.sqrt(count / Math.max(1, most)) * 18)
        return (
          <g key={row}>
            <rect className="none" x={row * 6} y={19} width={5} height={1} />
            <rect className="value" x={row * 6} y={19 - height} width={5} height={height} rx={1} />
          </g>
        )
      })}
    </svg>
  )
}

export function timesColumns(bounds: readonly number[]): Column<Report['times'][number]>[] {
  return [
    { name: 'From', text: ({ at }) => at, show: ({ at }) => <Moment at={at} /> },
    ...countColumns<Report['times'][number]>(bounds),
  ]
}

/** The columns that all tables of times share. */
export function countColumns<Line extends Times>(bounds: readonly number[]): Column<Line>[] {
  const within = (name: string, of: (line: Line) => number | null): Column<Line> => ({
    name,
    text: (line) => of(line),
    show: (line) => withinText(of(line), bounds),
    kind: 'number',
  })
  const bad = (name: string, of: (line: Line) => number): Column<Line> => ({
    name,
    text: (line) => of(line),
    show: (line) => (of(line) === 0 ? <span className="quiet">–</span> : grouped(of(line))),
    kind: 'number',
  })
  return [
    { name: 'Requests', text: ({ n }) => n, show: ({ n }) => grouped(n), kind: 'number' },
    within('p50', ({ p50_ms }) => p50_ms),
    within('p95', ({ p95_ms }) => p95_ms),
    within('p99', ({ p99_ms }) => p99_ms),
    bad('4xx', ({ invalid }) => invalid),
    bad('429, 503', ({ refused }) => refused),
    {
      ...bad('Failed', ({ failed }) => failed),
      show: ({ failed }) =>
        failed === 0 ? <span className="quiet">–</span> : <span className="bad">{grouped(failed)}</span>,
    },
  ]
}

/** "≤ 10 ms"; null means longer than every bound. */
export function withinText(ms: number | null, bounds: readonly number[]): string {
  return ms === null ? `> ${msText(bounds.at(-1)!)}` : `≤ ${msText(ms)}`
}

function boundText(ms: number | undefined, bounds: readonly number[]): string {
  return ms === undefined ? `> ${msText(bounds.at(-1)!)}` : msText(ms)
}

function msText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`
}

function sentenceOf({ at, times }: Slot, bounds: readonly number[], zone: string): string {
  const time = clockText(at, true, zone)
  if (times === undefined) return `${time}: no requests`
  const { n, p50_ms, p95_ms, p99_ms, failed } = times
  const within = [p50_ms, p95_ms, p99_ms].map((ms) => withinText(ms, bounds))
  return `${time}: ${grouped(n)} requests; p50 ${within[0]}, p95 ${within[1]}, p99 ${within[2]}; ${grouped(failed)} failed`
}

function slotsOf({ since, as_of, per, times }: Report): Slot[] {
  const byTime = new Map(times.map((line) => [Date.parse(line.at), line]))
  const [from, to, ms] = [Date.parse(since), Date.parse(as_of), SLOT_MS[per]]
  return Array.from({ length: Math.floor((to - from) / ms) + 1 }, (_, index) => ({
    at: new Date(from + index * ms).toISOString(),
    times: byTime.get(from + index * ms),
  }))
}

function gapOf(step: number): number {
  return step > 6 ? 1 : 0
}

function tipLeft(middle: number, room: number): number {
  return middle + 12 + TIP_PX > room ? Math.max(0, middle - TIP_PX - 12) : middle + 12
}
