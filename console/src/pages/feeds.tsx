import { useState } from 'react'
import type { Answer } from '../../../src/server/answers.ts'
import { useAnswer } from '../answers.ts'
import { longDay } from '../calendar-days.ts'
import { grouped } from '../exact.ts'
import { isLate, lateAfterMs } from '../late.ts'
import { agoText, gapText } from '../moments.ts'
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
import { useSpan, useUrlState } from '../url-state.ts'

type Feed = Answer<'GET /api/admin/feeds'>['feeds'][number]
type Refusal = Answer<'GET /api/admin/feeds/:noun/refusals'>['refusals'][number]
const NOUNS = { players: 'Players', products: 'Products', orders: 'Orders' } as const
type Noun = keyof typeof NOUNS
const EVERY_MS = 10_000

export function Feeds() {
  const span = useSpan()
  const [nounName, setNoun] = useUrlState('noun')
  const [isUploading, setUploading] = useState(false)
  const days = { query: { from: span.from, to: span.to } }
  const feeds = useAnswer('GET /api/admin/feeds', days, { everyMs: EVERY_MS })
  const noun = (nounName in NOUNS ? nounName : mostRefused(feeds.data?.feeds ?? [])) as Noun
  const refusals = useAnswer(
    'GET /api/admin/feeds/:noun/refusals',
    { ...days, params: { noun } },
    { everyMs: EVERY_MS },
  )
  const nowMs = feeds.data === undefined ? 0 : Date.parse(feeds.data.as_of)
  const columns = feedColumns(nowMs, setNoun)
  return (
    <Page
      title="Sources"
      about="Import activity and refused records."
      actions={
        <>
          <SpanPicker span={span} compares={false} />
          <Guarded scope={noun} onClick={() => setUploading(true)}>
            <Icon name="upload" /> Upload {noun}
          </Guarded>
          <CsvButton name="sources" columns={columns} rows={feeds.data?.feeds} />
          <AsCurl
            requests={[
              { name: 'GET /api/admin/feeds', asked: days },
              { name: 'GET /api/admin/feeds/:noun/refusals', asked: { ...days, params: { noun } } },
            ]}
          />
        </>
      }
    >
      <Failure error={feeds.error} retry={feeds.retry} since={feeds.answeredAtMs} />
      {feeds.data?.feeds.length !== 0 && (
        <Figures figures={figuresOf(feeds.data?.feeds, nowMs)} isStale={feeds.isStale} />
      )}
      {feeds.data?.feeds.length === 0 ? (
        <Empty title="Nothing has been sent yet">
          <p>Each token that sends players, products or orders has a row here. To see one:</p>
          <pre className="code">npx --no laurel import products prices.csv</pre>
        </Empty>
      ) : (
        <Table
          name="Sources"
          columns={columns}
          rows={feeds.data?.feeds}
          keyOf={({ noun, token }) => `${noun} ${token}`}
          isStale={feeds.isStale}
        />
      )}
      <Section
        title="Refused records"
        actions={
          <>
            <Segments name="Record type" choices={NOUNS} value={noun} onChange={setNoun} />
            <CsvButton
              name={`refused-${noun}`}
              columns={refusalColumns(refusals.data?.refusals ?? [])}
              rows={refusals.data?.refusals}
            />
          </>
        }
      >
        <Failure error={refusals.error} retry={refusals.retry} />
        {refusals.data?.refusals.length === 0 ? (
          <Empty title={`No ${noun} were refused in this period`} />
        ) : (
          <Table
            name={`Refused ${noun}`}
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
      {isUploading && <UploadDialog noun={noun} onClose={() => setUploading(false)} />}
    </Page>
  )
}

/** The noun whose refusals are shown first. */
function mostRefused(feeds: readonly Feed[]): Noun {
  const [most] = (Object.keys(NOUNS) as Noun[])
    .map((noun) => ({ noun, refused: sumOf(feeds, (feed) => (feed.noun === noun ? feed.refused : 0)) }))
    .sort((one, other) => other.refused - one.refused)
  return most!.noun
}

function sumOf(feeds: readonly Feed[], of: (feed: Feed) => number): number {
  return feeds.reduce((sum, feed) => sum + of(feed), 0)
}

function figuresOf(feeds: readonly Feed[] | undefined, nowMs: number): Figure[] {
  const sum = (of: (feed: Feed) => number) => feeds && String(sumOf(feeds, of))
  const late = feeds?.filter((feed) => isLate(feed, nowMs) === true).length ?? 0
  const newest = feeds
    ?.flatMap(({ last_good_at }) => last_good_at ?? [])
    .sort()
    .at(-1)
  const taken = feeds && sumOf(feeds, ({ inserted, changed = 0, unchanged = 0 }) => inserted + changed + unchanged)
  const refused = feeds && sumOf(feeds, ({ refused }) => refused)
  return [
    {
      name: 'Sources',
      definition:
        'A source is one token sending one record type. It is overdue after three usual intervals, and at least five minutes.',
      value: feeds && String(feeds.length),
      note: feeds && (late === 0 ? 'none overdue' : <span className="warn">{late} overdue</span>),
    },
    {
      name: 'Last success',
      definition: 'Time of the last request with at least one accepted record.',
      kind: 'text',
      value: feeds && (newest === undefined ? 'never' : agoText(newest, nowMs)),
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
      value: taken === undefined ? undefined : String(taken),
    },
    {
      name: 'Records refused',
      definition: 'Records that could not be accepted. They are skipped; the others in the request are not affected.',
      value: refused === undefined ? undefined : String(refused),
      note: taken === undefined || refused === undefined ? '' : `${percentOf(refused, taken + refused)} % of both`,
    },
  ]
}

function feedColumns(nowMs: number, setNoun: (noun: string) => void): Column<Feed>[] {
  const count = (name: string, of: (feed: Feed) => number): Column<Feed> => ({
    name,
    text: of,
    show: (feed) => (of(feed) === 0 ? <span className="quiet">–</span> : grouped(of(feed))),
    kind: 'number',
  })
  return [
    {
      name: 'Source',
      kind: 'wrap',
      text: ({ noun, token_name, token }) => `${noun} ${token_name ?? token}`,
      show: ({ noun, token_name, token }) => (
        <span className="named">
          <span>{noun}</span>
          <span className="small">from {token_name ?? token}</span>
        </span>
      ),
    },
    {
      name: 'Last success',
      text: ({ last_good_at }) => last_good_at,
      show: (feed) => <Age feed={feed} nowMs={nowMs} />,
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
      show: ({ noun, refused, inserted, updated, skipped }) =>
        refused === 0 ? (
          <span className="quiet">–</span>
        ) : (
          <button type="button" className="link danger" onClick={() => setNoun(noun)}>
            {grouped(refused)}
            <span className="hidden"> {noun}: show why</span>{' '}
            <span className="quiet">{percentOf(refused, inserted + updated + skipped)} %</span>
          </button>
        ),
      kind: 'number',
    },
  ]
}

/** How long a feed has been silent, drawn against the time after which it is late. */
function Age({ feed, nowMs }: Readonly<{ feed: Feed; nowMs: number }>) {
  if (feed.last_good_at === null) return <span className="badge bad">never</span>
  const late = isLate(feed, nowMs)
  const share = Math.min(1, (nowMs - Date.parse(feed.last_good_at)) / lateAfterMs(feed.usual_gap_ms ?? 0))
  return (
    <span className="named">
      <span>
        <Ago at={feed.last_good_at} nowMs={nowMs} /> {late === true && <span className="badge warn">overdue</span>}
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
