import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../../src/http/routes/answers.ts'
import { useAnswer } from '../answers.ts'
import { grouped } from '../exact.ts'
import { momentText } from '../moments.ts'
import { openApi } from '../open-api.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Figures, percentOf } from '../parts/figures.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { TimeChart } from '../parts/time-chart.tsx'
import { useUrlState } from '../url-state.ts'

type Service = Answer<'GET /api/admin/service'>
type RouteTimes = Service['routes'][number]
type Setting = Answer<'GET /api/admin/settings'>['settings'][number]

const SPANS = { '60': 'Hour', '1440': 'Day', hours: 'Month' } as const
type SpanKey = keyof typeof SPANS
const MONTH_HOURS = '720'
const EVERY_MS = 10_000
const PREDICTION = /^(?:GET|POST|QUERY) \/api\/predictions\/orders$/

export function System() {
  const [key, setKey] = useUrlState('last', '60')
  const span = (key in SPANS ? key : '60') as SpanKey
  const asked = { query: span === 'hours' ? { hours: MONTH_HOURS } : { minutes: span } }
  const { data, error, isStale, retry, answeredAtMs } = useAnswer('GET /api/admin/service', asked, {
    everyMs: EVERY_MS,
  })
  const settings = useAnswer('GET /api/admin/settings')
  const description = useQuery({ queryKey: ['openapi'], queryFn: openApi, staleTime: Number.POSITIVE_INFINITY })
  return (
    <Page
      title="System"
      about={`Is it fast, and is it well?${description.data === undefined ? '' : ` Laurel ${description.data.info.version}.`}`}
      actions={
        <>
          <Segments name="How far back" choices={SPANS} value={span} onChange={setKey} />
          <CsvButton name="routes" columns={ROUTE_COLUMNS} rows={data?.routes} />
          <AsCurl requests={[{ name: 'GET /api/admin/service', asked }]} />
        </>
      }
    >
      <Failure error={error} retry={retry} since={answeredAtMs} />
      <ServiceFigures service={data} isStale={isStale} />
      {data !== undefined && (
        <Section title={`Requests each ${data.per}`}>
          <TimeChart
            name="Requests"
            per={data.per}
            from={data.since}
            to={data.as_of}
            times={data.times}
            isStale={isStale}
          />
        </Section>
      )}
      <Section title="By route">
        {data?.routes.length === 0 ? (
          <Empty title="No requests were answered in this time" />
        ) : (
          <Table
            name="By route"
            columns={ROUTE_COLUMNS}
            rows={data?.routes}
            keyOf={({ route }) => route}
            isStale={isStale}
          />
        )}
      </Section>
      <Section
        title="Settings of the shop"
        actions={<CsvButton name="settings" columns={SETTING_COLUMNS} rows={settings.data?.settings} />}
      >
        <Failure error={settings.error} retry={settings.retry} />
        <Table name="Settings" columns={SETTING_COLUMNS} rows={settings.data?.settings} keyOf={({ key }) => key} />
      </Section>
    </Page>
  )
}

function ServiceFigures({ service, isStale }: Readonly<{ service: Service | undefined; isStale: boolean }>) {
  const routes = service?.routes
  const sum = (of: (route: RouteTimes) => number) => routes?.reduce((total, route) => total + of(route), 0)
  const [all, failed, refused, invalid] = [
    sum((r) => r.n),
    sum((r) => r.failed),
    sum((r) => r.refused),
    sum((r) => r.invalid),
  ]
  const predictions = routes?.filter(({ route }) => PREDICTION.test(route))
  const slowest = predictions === undefined ? undefined : predictions.toSorted((one, other) => other.n - one.n)[0]
  const share = (part: number | undefined) =>
    part === undefined || all === undefined ? undefined : percentOf(part, all)
  return (
    <Figures
      isStale={isStale}
      figures={[
        {
          name: 'Requests',
          definition: 'Requests that were answered, whatever the answer was.',
          value: all === undefined ? undefined : String(all),
        },
        {
          name: 'Predictions, p99',
          definition:
            'The time within which 99 of 100 predictions were answered, to the next bound of the counts: of the way of asking that is used most.',
          value: routes === undefined ? undefined : slowest === undefined ? '–' : msText(slowest.p99_ms),
          kind: 'text',
          note: slowest === undefined ? 'none were asked' : `half within ${msText(slowest.p50_ms)}`,
        },
        {
          name: 'Failed',
          definition: 'Answers that say that the fault is the service: 5xx, but 503.',
          value: share(failed),
          kind: 'percent',
          note: failed === undefined ? '' : `${grouped(failed)} requests`,
        },
        {
          name: 'Refused',
          definition: 'Answers that ask to come back later, 429 and 503: too many at a time, or the database is away.',
          value: share(refused),
          kind: 'percent',
          note: refused === undefined ? '' : `${grouped(refused)} requests`,
        },
        {
          name: 'Not valid',
          definition: 'Answers that say that the fault is the caller: 4xx, but 429.',
          value: share(invalid),
          kind: 'percent',
          note: invalid === undefined ? '' : `${grouped(invalid)} requests`,
        },
      ]}
    />
  )
}

const ROUTE_COLUMNS: Column<RouteTimes>[] = [
  { name: 'Route', text: ({ route }) => route, show: ({ route }) => <code>{route}</code> },
  { name: 'Requests', text: ({ n }) => n, show: ({ n }) => grouped(n), kind: 'number' },
  { name: 'Half within', text: ({ p50_ms }) => p50_ms, show: ({ p50_ms }) => msText(p50_ms), kind: 'number' },
  { name: 'p95', text: ({ p95_ms }) => p95_ms, show: ({ p95_ms }) => msText(p95_ms), kind: 'number' },
  { name: 'p99', text: ({ p99_ms }) => p99_ms, show: ({ p99_ms }) => msText(p99_ms), kind: 'number' },
  { name: 'Not valid', text: ({ invalid }) => invalid, show: ({ invalid }) => grouped(invalid), kind: 'number' },
  { name: 'Refused', text: ({ refused }) => refused, show: ({ refused }) => grouped(refused), kind: 'number' },
  {
    name: 'Failed',
    text: ({ failed }) => failed,
    show: ({ failed }) => (failed === 0 ? '0' : <span className="bad">{grouped(failed)}</span>),
    kind: 'number',
  },
]

const SETTING_COLUMNS: Column<Setting>[] = [
  { name: 'Setting', text: ({ key }) => key, show: ({ key }) => <code>{key}</code> },
  { name: 'Value', text: ({ value }) => valueText(value), kind: 'wrap' },
  { name: 'About', text: ({ about }) => about, kind: 'wrap' },
  {
    name: 'Changed',
    text: ({ changed_at }) => changed_at,
    show: ({ changed_at }) =>
      changed_at === null ? <span className="quiet">the default</span> : momentText(changed_at),
  },
]

function valueText(value: Setting['value']): string {
  if (value === null) return '–'
  return typeof value === 'string' ? value : value.join(', ')
}

function msText(ms: number | null): string {
  if (ms === null) return '> 10 s'
  return ms < 1_000 ? `${grouped(ms)} ms` : `${grouped(ms / 1_000)} s`
}
