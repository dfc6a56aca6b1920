import { useState } from 'react'
import type { Answer } from '../../../src/http/routes/answers.ts'
import { useAnswer } from '../answers.ts'
import { grouped } from '../exact.ts'
import { isLate } from '../late.ts'
import { agoText, gapText, momentText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { SpanPicker } from '../parts/span-picker.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { UploadDialog } from '../parts/upload-dialog.tsx'
import { longDay, useSpan, useUrlState } from '../url-state.ts'

type Feed = Answer<'GET /api/admin/feeds'>['feeds'][number]
type Refusal = Answer<'GET /api/admin/feeds/:noun/refusals'>['refusals'][number]
const NOUNS = { players: 'Players', products: 'Products', orders: 'Orders' } as const
type Noun = keyof typeof NOUNS
const EVERY_MS = 10_000
export function Feeds() {
  const span = useSpan()
  const [nounName, setNoun] = useUrlState('noun', 'players')
  const noun = (nounName in NOUNS ? nounName : 'players') as Noun
  const [isUploading, setUploading] = useState(false)
  const days = { query: { from: span.from, to: span.to } }
  const feeds = useAnswer('GET /api/admin/feeds', days, { everyMs: EVERY_MS })
  const refusals = useAnswer(
    'GET /api/admin/feeds/:noun/refusals',
    { ...days, params: { noun } },
    { everyMs: EVERY_MS },
  )
  const nowMs = feeds.data === undefined ? 0 : Date.parse(feeds.data.as_of)
  const columns = feedColumns(nowMs)
  return (
    <Page
      title="Feeds"
      about="Does data arrive, and what is refused?"
      actions={
        <>
          <SpanPicker span={span} compares={false} />
          <Guarded scope={noun} onClick={() => setUploading(true)}>
            <Icon name="file" /> Upload {noun}
          </Guarded>
          <CsvButton name="feeds" columns={columns} rows={feeds.data?.feeds} />
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
      {feeds.data?.feeds.length === 0 ? (
        <Empty title="Nothing has been sent yet">
          <p>Each token that sends players, products or orders has a row here. To see one:</p>
          <pre className="code">npx laurel import products prices.csv</pre>
        </Empty>
      ) : (
        <Table
          name="Feeds"
          columns={columns}
          rows={feeds.data?.feeds}
          keyOf={({ noun, token }) => `${noun} ${token}`}
          isStale={feeds.isStale}
        />
      )}
      <Section
        title="What is refused"
        actions={
          <>
            <Segments name="Of what" choices={NOUNS} value={noun} onChange={setNoun} />
            <CsvButton name={`refused-${noun}`} columns={REFUSAL_COLUMNS} rows={refusals.data?.refusals} />
          </>
        }
      >
        <Failure error={refusals.error} retry={refusals.retry} />
        {refusals.data?.refusals.length === 0 ? (
          <Empty title={`No ${noun} were refused in these days`} />
        ) : (
          <Table
            name={`Refused ${noun}`}
            columns={REFUSAL_COLUMNS}
            rows={refusals.data?.refusals}
            keyOf={({ field, kind }) => `${field} ${kind}`}
            isStale={refusals.isStale}
            expected={3}
          />
        )}
        <p className="small">By field and reason, without what was sent: it may be personal.</p>
      </Section>
      {isUploading && <UploadDialog noun={noun} onClose={() => setUploading(false)} />}
    </Page>
  )
}

function feedColumns(nowMs: number): Column<Feed>[] {
  const count = (name: string, of: (feed: Feed) => number): Column<Feed> => ({
    name,
    text: of,
    show: (feed) => grouped(of(feed)),
    kind: 'number',
  })
  return [
    { name: 'What', text: ({ noun }) => noun },
    { name: 'From', text: ({ token_name, token }) => token_name ?? token, kind: 'wrap' },
    {
      name: 'Last good',
      text: ({ last_good_at }) => last_good_at,
      show: (feed) =>
        feed.last_good_at === null ? (
          <span className="badge bad">never</span>
        ) : (
          <span title={momentText(feed.last_good_at)}>
            {agoText(feed.last_good_at, nowMs)}{' '}
            {isLate(feed, nowMs) === true && <span className="badge warn">late</span>}
          </span>
        ),
    },
    {
      name: 'Usually every',
      text: ({ usual_gap_ms }) => usual_gap_ms,
      show: ({ usual_gap_ms }) =>
        usual_gap_ms === null ? <span className="quiet">not known yet</span> : gapText(usual_gap_ms),
    },
    count('Requests', ({ requests }) => requests),
    count('New', ({ inserted }) => inserted),
    count('Known', ({ updated }) => updated),
    count('Skipped', ({ skipped }) => skipped),
    {
      name: 'Refused',
      text: ({ refused }) => refused,
      show: ({ refused }) => (refused === 0 ? '0' : <span className="bad">{grouped(refused)}</span>),
      kind: 'number',
    },
  ]
}

const REFUSAL_COLUMNS: Column<Refusal>[] = [
  {
    name: 'Field',
    text: ({ field }) => field || 'the record itself',
    show: ({ field }) => (field === '' ? 'the record itself' : <code>{field}</code>),
  },
  { name: 'Expected', text: ({ kind }) => kind, kind: 'wrap' },
  { name: 'Records', text: ({ n }) => n, show: ({ n }) => grouped(n), kind: 'number' },
  { name: 'First', text: ({ first_day }) => first_day, show: ({ first_day }) => longDay(first_day) },
  { name: 'Last', text: ({ last_day }) => last_day, show: ({ last_day }) => longDay(last_day) },
]
