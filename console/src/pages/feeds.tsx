import { useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { longDay } from '../calendar-days.ts'
import { grouped } from '../exact.ts'
import { agoText, gapText } from '../moments.ts'
import { isOverdue, overdueAfterMs } from '../overdue-sources.ts'
import { AsCurl } from '../parts/copy.tsx'
import { type Figure, Figures, percentOf } from '../parts/figures.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { SpanPicker } from '../parts/span-picker.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { UploadDialog } from '../parts/upload-dialog.tsx'
import { useResponse } from '../responses.ts'
import { useSpan, useUrlState } from '../url-state.ts'

type Source = RouteResponse<'GET /api/admin/sources'>['sources'][number]
type Refusal = RouteResponse<'GET /api/admin/sources/:record_type/refusals'>['refusals'][number]
const RECORD_TYPES = { players: 'Players', products: 'Products', orders: 'Orders' } as const
type RecordType = keyof typeof RECORD_TYPES
const EVERY_MS = 10_000

export function Feeds() {
  const span = useSpan()
  const [recordTypeName, setRecordType] = useUrlState('noun')
  const [isUploading, setUploading] = useState(false)
  const days = { query: { from: span.from, to: span.to } }
  const sources = useResponse('GET /api/admin/sources', days, { everyMs: EVERY_MS })
  const recordType = (
    recordTypeName in RECORD_TYPES ? recordTypeName : mostRefused(sources.data?.sources ?? [])
  ) as RecordType
  const ofNoun = { ...days, params: { record_type: recordType } }
  const refusals = useResponse('GET /api/admin/sources/:record_type/refusals', ofNoun, { everyMs: EVERY_MS })
  const nowMs = sources.data === undefined ? 0 : Date.parse(sources.data.as_of)
  const columns = sourceColumns(nowMs, setRecordType)
  return (
    <Page
      title="Sources"
      about="Import activity and refused records."
      actions={
        <>
          <SpanPicker span={span} compares={false} />
          <Guarded scope={recordType} onClick={() => setUploading(true)}>
            <Icon name="upload" /> Upload {recordType}
          </Guarded>
          <CsvButton name="sources" columns={columns} rows={sources.data?.sources} />
          <AsCurl
            requests={[
              { name: 'GET /api/admin/sources', request: days },
              { name: 'GET /api/admin/sources/:record_type/refusals', request: ofNoun },
            ]}
          />
        </>
      }
    >
      <Failure error={sources.error} retry={sources.retry} since={sources.answeredAtMs} />
      {sources.data?.sources.length !== 0 && (
        <Figures figures={figuresOf(sources.data?.sources, nowMs)} isStale={sources.isStale} />
      )}
      {sources.data?.sources.length === 0 ? (
        <Empty title="Nothing has been sent yet">
          <p>Each token that sends players, products or orders has a row here. To see one:</p>
          <pre className="code">npx --no laurel import products prices.csv</pre>
        </Empty>
      ) : (
        <Table
          name="Sources"
          columns={columns}
          rows={sources.data?.sources}
          keyOf={({ record_type, token }) => `${record_type} ${token}`}
          isStale={sources.isStale}
        />
      )}
      <Section
        title="Refused records"
        actions={
          <>
            <Segments name="Record type" choices={RECORD_TYPES} value={recordType} onChange={setRecordType} />
            <CsvButton
              name={`refused-${recordType}`}
              columns={refusalColumns(refusals.data?.refusals ?? [])}
              rows={refusals.data?.refusals}
            />
          </>
        }
      >
        <Failure error={refusals.error} retry={refusals.retry} />
        {refusals.data?.refusals.length === 0 ? (
          <Empty title={`No ${recordType} were refused in this period`} />
        ) : (
          <Table
            name={`Refused ${recordType}`}
            className="bars"
            columns={refusalColumns(refusals.data?.refusals ?? [])}
            rows={refusals.data?.refusals}
            keyOf={({ field, kind }) => `${field} ${kind}`}
            isStale={refusals.isStale}
            expected={3}
          />
        )}
        <p className="small">By field and reason, without the values, which may be personal data.</p>
      </Section>
      {isUploading && <UploadDialog recordType={recordType} onClose={() => setUploading(false)} />}
    </Page>
  )
}

/** The record type whose refusals are shown first. */
function mostRefused(sources: readonly Source[]): RecordType {
  const [most] = (Object.keys(RECORD_TYPES) as RecordType[])
    .map((recordType) => ({
      noun: recordType,
      refused: sumOf(sources, (source) => (source.record_type === recordType ? source.refused : 0)),
    }))
    .sort((one, other) => other.refused - one.refused)
  return most!.noun
}

function sumOf(sources: readonly Source[], of: (source: Source) => number): number {
  return sources.reduce((sum, source) => sum + of(source), 0)
}

function figuresOf(sources: readonly Source[] | undefined, nowMs: number): Figure[] {
  const sum = (of: (source: Source) => number) => sources && String(sumOf(sources, of))
  const late = sources?.filter((source) => isOverdue(source, nowMs) === true).length ?? 0
  const newest = sources
    ?.flatMap(({ last_good_at }) => last_good_at ?? [])
    .sort()
    .at(-1)
  const accepted =
    sources && sumOf(sources, ({ inserted, changed = 0, unchanged = 0 }) => inserted + changed + unchanged)
  const refused = sources && sumOf(sources, ({ refused }) => refused)
  return [
    {
      name: 'Sources',
      definition:
        'A source is one token sending one record type. It is overdue after three usual intervals, and at least five minutes.',
      value: sources && String(sources.length),
      note: sources && (late === 0 ? 'none overdue' : <span className="warn">{late} overdue</span>),
    },
    {
      name: 'Last success',
      definition: 'Time of the last request with at least one accepted record.',
      kind: 'text',
      value: sources && (newest === undefined ? 'never' : agoText(newest, nowMs)),
      note: newest && <Moment at={newest} />,
    },
    {
      name: 'Requests',
      definition: 'Requests processed in this period, without dry runs.',
      value: sum(({ requests }) => requests),
    },
    {
      name: 'Records accepted',
      definition: 'New, changed and unchanged records.',
      value: accepted === undefined ? undefined : String(accepted),
    },
    {
      name: 'Records refused',
      definition: 'Records that could not be accepted. They are skipped; the others in the request are not affected.',
      value: refused === undefined ? undefined : String(refused),
      note:
        accepted === undefined || refused === undefined ? '' : `${percentOf(refused, accepted + refused)} % of both`,
    },
  ]
}

function sourceColumns(nowMs: number, setRecordType: (recordType: string) => void): Column<Source>[] {
  const count = (name: string, of: (source: Source) => number): Column<Source> => ({
    name,
    text: of,
    show: (source) => (of(source) === 0 ? <span className="quiet">–</span> : grouped(of(source))),
    kind: 'number',
  })
  return [
    {
      name: 'Source',
      kind: 'wrap',
      text: ({ record_type, token_name, token }) => `${record_type} ${token_name ?? token}`,
      show: ({ record_type, token_name, token }) => (
        <span className="named">
          <span>{record_type}</span>
          <span className="small">from {token_name ?? token}</span>
        </span>
      ),
    },
    {
      name: 'Last success',
      text: ({ last_good_at }) => last_good_at,
      show: (source) => <Age source={source} nowMs={nowMs} />,
    },
    {
      name: 'Usual interval',
      text: ({ usual_gap_ms }) => usual_gap_ms,
      show: ({ usual_gap_ms }) =>
        usual_gap_ms === null ? <span className="quiet">not known yet</span> : gapText(usual_gap_ms),
    },
    count('Requests', ({ requests }) => requests),
    count('New', ({ inserted }) => inserted),
    count('Changed', ({ changed = 0 }) => changed),
    count('Unchanged', ({ unchanged = 0 }) => unchanged),
    {
      name: 'Refused',
      text: ({ refused }) => refused,
      show: ({ record_type, refused, inserted, updated, skipped }) =>
        refused === 0 ? (
          <span className="quiet">–</span>
        ) : (
          <button type="button" className="link danger" onClick={() => setRecordType(record_type)}>
            {grouped(refused)}
            <span className="hidden"> {record_type}: show why</span>{' '}
            <span className="quiet">{percentOf(refused, inserted + updated + skipped)} %</span>
          </button>
        ),
      kind: 'number',
    },
  ]
}

/** How long a source has been silent, drawn against the time after which it is late. */
function Age({ source, nowMs }: Readonly<{ source: Source; nowMs: number }>) {
  if (source.last_good_at === null) return <span className="badge bad">never</span>
  const late = isOverdue(source, nowMs)
  const share = Math.min(1, (nowMs - Date.parse(source.last_good_at)) / overdueAfterMs(source.usual_gap_ms ?? 0))
  return (
    <span className="named">
      <span>
        <Ago at={source.last_good_at} nowMs={nowMs} /> {late === true && <span className="badge warn">overdue</span>}
      </span>
      {late !== undefined && (
        <span className={`progress ${late ? 'late' : ''}`} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </span>
  )
}

function refusalColumns(refusals: readonly Refusal[]): Column<Refusal>[] {
  const most = Math.max(1, ...refusals.map(({ n }) => n))
  const all = refusals.reduce((sum, { n }) => sum + n, 0)
  return [
    {
      name: 'Field',
      text: ({ field }) => field || 'the record itself',
      show: ({ field, n }) => (
        <>
          {field === '' ? 'the record itself' : <code>{field}</code>}
          <span className="bar" style={{ width: `${(n / most) * 100}%` }} />
        </>
      ),
    },
    { name: 'Expected', text: ({ kind }) => kind, kind: 'wrap' },
    {
      name: 'Records',
      text: ({ n }) => n,
      show: ({ n }) => (
        <>
          {grouped(n)} <span className="quiet">{percentOf(n, all)} %</span>
        </>
      ),
      kind: 'number',
    },
    { name: 'First', text: ({ first_day }) => first_day, show: ({ first_day }) => longDay(first_day) },
    { name: 'Last', text: ({ last_day }) => last_day, show: ({ last_day }) => longDay(last_day) },
  ]
}
