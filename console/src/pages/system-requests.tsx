import type { RouteResponse } from '../../../src/server/responses.ts'
import { agoText } from '../moments.ts'
import { useOpenApi } from '../open-api.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Figures, percentOf } from '../parts/figures.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Section } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { countColumns, Spread, TimesChart, timesColumns, withinText } from '../parts/times-chart.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'

const EVERY_MS = 10_000

export const SPANS = {
  '1h': { name: 'Hour', long: 'in the last hour', query: { minutes: '60' } },
  '6h': { name: '6 hours', long: 'in the last 6 hours', query: { minutes: '360' } },
  '24h': { name: 'Day', long: 'in the last 24 hours', query: { hours: '24' } },
  '7d': { name: 'Week', long: 'in the last 7 days', query: { hours: '168' } },
} as const
export type Span = keyof typeof SPANS

type Report = RouteResponse<'GET /api/admin/service'>
type Line = Report['routes'][number]

const PERCENTILES =
  'Requests are counted by duration, up to each of 13 bounds. A percentile is shown as its upper bound: “≤ 10 ms” means between the previous bound and 10 ms.'

export function Requests({ span }: Readonly<{ span: Span }>) {
  const [order, setOrder] = useUrlState('order', 'asked')
  const request = { query: SPANS[span].query }
  const { data, error, isStale, retry, answeredAtMs } = useResponse('GET /api/admin/service', request, {
    everyMs: EVERY_MS,
  })
  const columns = columnsOf(data?.bounds_ms ?? [])
  const routes = data && sorted(data.routes, order)
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      <ServiceFigures report={data} isStale={isStale} span={span} />
      {data?.routes.length === 0 ? (
        <Empty title={`No requests ${SPANS[span].long}`}>
          <p>Requests of the shop, the till and this console appear here within a second.</p>
        </Empty>
      ) : (
        <>
          <Section
            title="Request duration"
            actions={
              <>
                <div className="legend">
                  <span>
                    <span className="key" /> the stronger the colour, the more requests
                  </span>
                  {data?.times.some(({ failed }) => failed > 0) && (
                    <span>
                      <span className="key failed" /> some failed
                    </span>
                  )}
                </div>
                <CsvButton name="times" columns={timesColumns(data?.bounds_ms ?? [])} rows={data?.times} />
                <AsCurl requests={[{ name: 'GET /api/admin/service', request }]} />
              </>
            }
          >
            {data === undefined ? (
              <Skeleton width="100%" height="12rem" />
            ) : (
              <TimesChart report={data} isStale={isStale} />
            )}
          </Section>
          <Section
            title="By route"
            actions={
              <>
                <Segments
                  name="Sort by"
                  choices={{ asked: 'Most requests', slow: 'Slowest', failed: 'Most failures' }}
                  value={order === 'slow' || order === 'failed' ? order : 'asked'}
                  onChange={setOrder}
                />
                <CsvButton name="routes" columns={columns} rows={routes} />
              </>
            }
          >
            <Table
              name="Routes"
              columns={columns}
              rows={routes}
              keyOf={({ route }) => route}
              isStale={isStale}
              expected={10}
            />
            <p className="small">{PERCENTILES}</p>
          </Section>
        </>
      )}
    </>
  )
}

function ServiceFigures({
  report,
  isStale,
  span,
}: Readonly<{ report: Report | undefined; isStale: boolean; span: Span }>) {
  const api = useOpenApi()
  const programs = useResponse('GET /api/admin/programs')
  const program = programs.data?.programs.find(({ is_effective }) => is_effective)
  const sum = (of: (line: Line) => number) => report?.routes.reduce((all, line) => all + of(line), 0)
  const [all, failed, refused] = [sum(({ n }) => n), sum(({ failed }) => failed), sum(({ refused }) => refused)]
  const bounds = report?.bounds_ms ?? []
  const state = report?.process
  const room = state?.database_heap ?? state?.heap
  const predictions = report?.routes.filter(({ route }) => route.endsWith('/api/predictions/orders')) ?? []
  const share = (part: number | undefined) =>
    part === undefined || all === undefined ? '' : `${percentOf(part, all)} % of all`
  return (
    <Figures
      isStale={isStale}
      figures={[
        {
          name: 'Requests',
          definition: `Requests answered ${SPANS[span].long}, including those of this console.`,
          value: all === undefined ? undefined : String(all),
          note: SPANS[span].long,
        },
        {
          name: 'Prediction latency',
          definition: `p99 latency of predictions. ${PERCENTILES}`,
          value: report && (predictions.length === 0 ? '–' : withinText(percentileOf(predictions, bounds, 99), bounds)),
          kind: 'text',
          note:
            predictions.length === 0
              ? `none ${SPANS[span].long}`
              : `p99; p50 ${withinText(percentileOf(predictions, bounds, 50), bounds)}`,
        },
        {
          name: 'Failed',
          definition: 'Requests answered with a 5xx other than 503: errors of the service.',
          value: failed === undefined ? undefined : String(failed),
          note: share(failed),
        },
        {
          name: 'Refused',
          definition: 'Requests answered with 429 or 503: too many invalid tokens, overload, or no database.',
          value: refused === undefined ? undefined : String(refused),
          note: share(refused),
        },
        {
          name: 'Memory',
          definition:
            'Memory of the responding process: of the embedded database, which is limited to 2 GiB on any machine, otherwise of the service. Near the limit, reduce the load or move to PostgreSQL.',
          kind: 'text',
          value: room && mebibytes(room.bytes),
          note: room && `${percentOf(room.bytes, room.max_bytes)} % of ${gibibytes(room.max_bytes)}`,
        },
        {
          name: 'Retries',
          definition:
            'Database retries of the responding process since its start, after concurrent writes to the same accounts or lost connections. A few are harmless; many per minute mean concurrent requests for the same players, or an unstable database connection.',
          value: state && String(state.retries),
          note: state && (
            <>
              started <Ago at={state.started_at} />
            </>
          ),
        },
        {
          name: 'Last backup',
          definition: 'When the last backup by `laurel backup` was made. Backups by other tools are not known here.',
          kind: 'text',
          value: report && (report.last_backup_at ? agoText(report.last_backup_at) : 'none'),
          note: report?.last_backup_at && <Moment at={report.last_backup_at} />,
        },
        {
          name: 'Program',
          definition: 'The version of the points program in effect.',
          kind: 'text',
          value: programs.error !== null ? '–' : programs.data && (program === undefined ? 'none' : program.name),
          note: program && (
            <>
              version {program.version}, published <Moment at={program.published_at} />
            </>
          ),
        },
        {
          name: 'Laurel',
          definition: 'The version of the service.',
          kind: 'text',
          value: api.data?.info.version ?? (api.error === null ? undefined : '–'),
        },
      ]}
    />
  )
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1).replace('.0', '')} GiB`
}

function columnsOf(bounds: readonly number[]): Column<Line>[] {
  const [requests, ...others] = countColumns<Line>(bounds)
  return [
    {
      name: 'Route',
      text: ({ route }) => route,
      show: ({ route }) => <RouteText route={route} />,
    },
    requests!,
    {
      name: 'Spread',
      text: ({ counts }) => counts.join(' '),
      show: ({ counts }) => <Spread counts={counts} most={Math.max(...counts)} />,
    },
    ...others,
  ]
}

export function RouteText({ route }: Readonly<{ route: string }>) {
  const [method = '', ...path] = route.split(' ')
  return (
    <code>
      <span className="quiet">{method}</span> {path.join(' ')}
    </code>
  )
}

function sorted(routes: readonly Line[], order: string): Line[] {
  const slowness = ({ p99_ms, p95_ms, p50_ms }: Line) =>
    [p99_ms, p95_ms, p50_ms].map((ms) => ms ?? Number.POSITIVE_INFINITY)
  return [...routes].sort((one, other) => {
    if (order === 'failed')
      return other.failed - one.failed || other.refused - one.refused || other.invalid - one.invalid || other.n - one.n
    if (order !== 'slow') return other.n - one.n
    const [a, b] = [slowness(one), slowness(other)]
    const place = a.findIndex((ms, index) => ms !== b[index])
    return place === -1 ? other.n - one.n : b[place]! > a[place]! ? 1 : -1
  })
}

/** The bound within which this percentage of the requests of all these routes lies; null: longer than every bound. */
function percentileOf(lines: readonly Line[], bounds: readonly number[], percent: number): number | null {
  const all = lines.reduce((sum, { n }) => sum + n, 0)
  let seen = 0
  const place = lines[0]!.counts.findIndex((_, row) => {
    seen += lines.reduce((sum, { counts }) => sum + counts[row]!, 0)
    return seen * 100 >= all * percent
  })
  return bounds[place] ?? null
}
