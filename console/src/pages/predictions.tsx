import { countDays, shortDay } from '../calendar-days.ts'
import { grouped, signed, sumOf } from '../exact.ts'
import { today } from '../moments.ts'
import { BarSection } from '../parts/bars.tsx'
import { columnsOf, DayChart, Legend } from '../parts/chart.tsx'
import { AsCurl } from '../parts/copy.tsx'
import { Figures, percentOf } from '../parts/figures.tsx'
import { toProvenance } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { SpanPicker } from '../parts/span-picker.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { useMay } from '../session.tsx'
import { countOf, type Line, pointsByDay, pointsByWeek, sumsByKey } from '../statistics.ts'
import { useSpan, useUrlState, WEEKLY_FROM } from '../url-state.ts'
import { DIFFERED_WORDS } from '../words.ts'
import { useZone } from '../zone.ts'

const EVERY_MS = 10_000
const SERIES = {
  asked: { name: 'Requests', measures: ['asked-kept', 'asked-left-out', 'asked-dropped'] },
  true: { name: 'Came true', measures: ['came-true'] },
  differed: { name: 'Differed', measures: ['differed'] },
} as const
type Series = keyof typeof SERIES

export function Predictions() {
  const span = useSpan()
  const zone = useZone()
  const [chosen, choose] = useUrlState('show', 'asked')
  const series = (chosen in SERIES ? chosen : 'asked') as Series
  const request = { query: { from: span.from, to: span.to } }
  const name = 'GET /api/admin/statistics/predictions'
  const now = useResponse(name, request, { everyMs: EVERY_MS })
  const before = useResponse(name, { query: { ...span.before } }, { when: span.before !== undefined })
  const lines = now.data?.lines
  const linesBefore = span.before === undefined ? undefined : before.data?.lines
  const measures: readonly string[] = SERIES[series].measures
  const ofSeries = (all: readonly Line[]) => all.filter(({ measure }) => measures.includes(measure))
  const points =
    lines && pointsByDay(span, ofSeries(lines), span.before && ofSeries(linesBefore ?? []), ({ n }) => String(n))
  const shown = points && (countDays(span) > WEEKLY_FROM ? pointsByWeek(points) : points)
  return (
    <Page
      title="Predictions"
      about="Prediction accuracy. Requests count by their date, comparisons by posting date."
      actions={<SpanPicker span={span} />}
    >
      <Failure error={now.error} retry={now.retry} since={now.answeredAtMs} />
      <AccuracyFigures lines={lines} before={linesBefore} isStale={now.isStale} series={series} choose={choose} />
      {lines?.length === 0 ? (
        <Empty title="No predictions in this period">
          <p>
            The shop requests predictions before orders are placed. Request one, or choose another period. With{' '}
            <code>PREDICTIONS_RETENTION_DAYS=0</code> none are counted.
          </p>
        </Empty>
      ) : (
        <>
          <Section
            title={SERIES[series].name}
            actions={
              <>
                <Legend
                  value={span.name}
                  before={
                    span.before && `${shortDay(span.before.from)} – ${shortDay(span.before.to)}, the same weekdays`
                  }
                />
                <CsvButton name={`predictions-${series}`} columns={columnsOf('predictions')} rows={shown} />
                <AsCurl requests={[{ name, request }]} />
              </>
            }
          >
            {shown === undefined ? (
              <Skeleton width="100%" height="15rem" />
            ) : (
              <DayChart
                name={SERIES[series].name}
                unit={series === 'asked' ? 'predictions' : 'orders'}
                points={shown}
                isStale={now.isStale}
                openDay={today(zone)}
              />
            )}
          </Section>
          <div className="columns">
            <WhatDiffered lines={lines} isStale={now.isStale} />
            <ByToken lines={lines} isStale={now.isStale} />
          </div>
        </>
      )}
    </Page>
  )
}

function AccuracyFigures({
  lines,
  before,
  isStale,
  series,
  choose,
}: Readonly<{
  lines: readonly Line[] | undefined
  before: readonly Line[] | undefined
  isStale: boolean
  series: Series
  choose: (series: string) => void
}>) {
  const of = (all: readonly Line[] | undefined) => {
    if (all === undefined) return undefined
    const [kept, leftOut, dropped] = SERIES.asked.measures.map((measure) => countOf(all, measure))
    const [came, differed] = [countOf(all, 'came-true'), countOf(all, 'differed')]
    const [none, not] = [countOf(all, 'none-kept'), countOf(all, 'not-compared')]
    return {
      requests: kept! + leftOut! + dropped!,
      kept: kept!,
      came,
      differed,
      compared: came + differed,
      recorded: came + differed + none + not,
      not,
      // Of a sample if any of the counts is.
      provenance: toProvenance(all.find(({ quality }) => quality === 'sampled') ?? all[0] ?? {}),
      predictedLessRecorded: sumOf(all.filter(({ measure }) => measure === 'differed').map(({ points }) => points)),
    }
  }
  const [now, then] = [of(lines), of(before)]
  const text = (n: number | undefined) => (n === undefined ? undefined : String(n))
  const chosen = (key: Series) => ({ isChosen: series === key, onChoose: () => choose(key) })
  return (
    <Figures
      isStale={isStale}
      figures={[
        {
          name: 'Requests',
          definition: 'Predictions that were answered, whether they were stored, left out of the sample or dropped.',
          value: text(now?.requests),
          before: text(then?.requests),
          ...chosen('asked'),
        },
        {
          name: 'Prediction accuracy',
          definition: 'Orders recorded as predicted, as a share of all orders with a stored prediction.',
          value: now && (now.compared === 0 ? '–' : percentOf(now.came, now.compared)),
          before: then && then.compared > 0 ? percentOf(then.came, then.compared) : undefined,
          kind: 'percent',
          provenance: now?.provenance,
          ...chosen('true'),
        },
        {
          name: 'Differed',
          definition: 'Orders recorded differently from their last prediction.',
          value: text(now?.differed),
          before: text(then?.differed),
          provenance: now?.provenance,
          ...chosen('differed'),
        },
        {
          name: 'Predicted − recorded',
          definition:
            'Points predicted less points recorded, over all orders that differed. Above 0: customers received less than predicted.',
          value: now?.predictedLessRecorded,
          note: now && now.differed > 0 ? `over ${grouped(now.differed)} orders` : '',
        },
        {
          name: 'Predicted orders',
          definition: 'Recorded orders with a stored prediction, as a share of all recorded orders.',
          value: now && (now.recorded === 0 ? '–' : percentOf(now.compared, now.recorded)),
          kind: 'percent',
          note: now && now.not > 0 ? `${grouped(now.not)} recorded too soon to compare` : '',
        },
      ]}
    />
  )
}

function WhatDiffered({ lines, isStale }: Readonly<{ lines: readonly Line[] | undefined; isStale: boolean }>) {
  const reasons = lines && sumsByKey(lines, 'differed').sort((one, other) => other.n - one.n)
  return (
    <BarSection
      title="Differences"
      of="Between prediction and recording"
      unit="Orders"
      more="Predicted less recorded"
      empty={{ title: 'Every order was recorded as predicted' }}
      isStale={isStale}
      bars={reasons?.map(({ key, n, points }) => {
        const words = key
          .split('+')
          .map((one) => DIFFERED_WORDS[one] ?? one)
          .join(' and ')
        return { key, name: words, nameText: words, value: n, more: `${signed(points)} points predicted` }
      })}
    />
  )
}

type OfToken = Readonly<{ token: string; name: string; kept: number; leftOut: number; dropped: number }>

const TOKEN_COLUMNS: Column<OfToken>[] = [
  { name: 'Token', text: ({ name }) => name },
  { name: 'Stored', text: ({ kept }) => kept, show: ({ kept }) => grouped(kept), kind: 'number' },
  { name: 'Left out', text: ({ leftOut }) => leftOut, show: ({ leftOut }) => grouped(leftOut), kind: 'number' },
  { name: 'Dropped', text: ({ dropped }) => dropped, show: ({ dropped }) => grouped(dropped), kind: 'number' },
]

function ByToken({ lines, isStale }: Readonly<{ lines: readonly Line[] | undefined; isStale: boolean }>) {
  const mayNames = useMay('admin')
  const tokens = useResponse('GET /api/admin/tokens', {}, { when: mayNames })
  const rows =
    lines &&
    [
      ...Map.groupBy(
        lines.filter(({ measure }) => measure.startsWith('asked-')),
        ({ key }) => key,
      ),
    ].map(
      ([token, ofToken]): OfToken => ({
        token,
        name: tokens.data?.tokens.find(({ id }) => id === token)?.name ?? token,
        kept: countOf(ofToken, 'asked-kept'),
        leftOut: countOf(ofToken, 'asked-left-out'),
        dropped: countOf(ofToken, 'asked-dropped'),
      }),
    )
  return (
    <Section
      title="Requests by token"
      actions={<CsvButton name="predictions-by-token" columns={TOKEN_COLUMNS} rows={rows} />}
    >
      <Table
        name="Requests by token"
        columns={TOKEN_COLUMNS}
        rows={rows}
        keyOf={({ token }) => token}
        isStale={isStale}
        expected={2}
      />
    </Section>
  )
}
