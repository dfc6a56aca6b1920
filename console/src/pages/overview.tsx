import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { countDays, type Days, shortDay } from '../calendar-days.ts'
import { grouped, isZero, negated, rounded, sumOf } from '../exact.ts'
import { gapText, today } from '../moments.ts'
import { isOverdue } from '../overdue-sources.ts'
import { BarSection } from '../parts/bars.tsx'
import { columnsOf, DayChart, Legend } from '../parts/chart.tsx'
import { AsCurl } from '../parts/copy.tsx'
import { type Figure, Figures, percentOf } from '../parts/figures.tsx'
import { Icon } from '../parts/icon.tsx'
import { AsOf, toProvenance } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { SpanPicker } from '../parts/span-picker.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { CsvButton } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { type Line, pointsByDay, pointsByWeek, sumsByKey } from '../statistics.ts'
import { useSpan, useUrlState, WEEKLY_FROM } from '../url-state.ts'
import { LINE_WORDS, NOTHING_WORDS } from '../words.ts'
import { useZone } from '../zone.ts'

const EVERY_MS = 10_000

/** What the chart shows, one figure at a time. */
const SERIES = {
  issued: { name: 'Points issued', unit: 'points', route: 'points', value: (line: Line) => line.points },
  'taken-back': { name: 'Reversed', unit: 'points', route: 'points', value: (line: Line) => negated(line.points) },
  spent: { name: 'Spent', unit: 'points', route: 'points', value: (line: Line) => negated(line.points) },
  orders: { name: 'Orders', unit: 'orders', route: 'orders', value: (line: Line) => String(line.n) },
  nothing: { name: 'Zero-point orders', unit: 'orders', route: 'orders', value: (line: Line) => String(line.n) },
} as const
type Series = keyof typeof SERIES

export function Overview() {
  const span = useSpan()
  const zone = useZone()
  const [chosenBasis, setBasis] = useUrlState('basis', 'ordered')
  const basis = chosenBasis === 'ordered' ? 'ordered' : 'posted'
  const [chosen, choose] = useUrlState('show', 'issued')
  const series = (chosen in SERIES ? chosen : 'issued') as Series
  const { name, unit, route, value } = SERIES[series]

  const range = { from: span.from, to: span.to, basis }
  const summaryRequest = { query: { ...range, compare: String(span.isCompared) } }
  const summary = useResponse('GET /api/admin/statistics/summary', summaryRequest, { everyMs: EVERY_MS })
  const daysName = `GET /api/admin/statistics/${route}` as const
  const now = useResponse(daysName, { query: range }, { everyMs: EVERY_MS })
  const before = useResponse(daysName, { query: { ...range, ...span.before } }, { when: span.before !== undefined })
  const ofSpan = { query: { ...range, per: 'span' } }
  const rules = useResponse('GET /api/admin/statistics/rules', ofSpan, { everyMs: EVERY_MS })
  const levels = useResponse('GET /api/admin/statistics/levels', ofSpan, { everyMs: EVERY_MS })
  const orders = useResponse('GET /api/admin/statistics/orders', ofSpan, { everyMs: EVERY_MS })

  const ofSeries = (lines: readonly Line[] | undefined) => lines?.filter(({ measure }) => measure === series)
  const points =
    now.data === undefined
      ? undefined
      : pointsByDay(span, ofSeries(now.data.lines)!, span.before && (ofSeries(before.data?.lines) ?? []), value)
  const [per, setPer] = useUrlState('per', countDays(span) > WEEKLY_FROM ? 'week' : 'day')
  const shown = points && (per === 'week' ? pointsByWeek(points) : points)
  const happened = summary.data?.figures.filter(({ figure }) => EVENTS.includes(figure))
  const isEmpty = happened?.every(({ n }) => n === 0) === true

  return (
    <Page
      title="Overview"
      actions={
        <>
          <Segments
            name="Date basis"
            choices={{ ordered: 'Order date', posted: 'Posting date' }}
            value={basis}
            onChange={setBasis}
          />
          <SpanPicker span={span} />
        </>
      }
    >
      <Failure error={summary.error} retry={summary.retry} since={summary.answeredAtMs} />
      {/* The figures are fetched first. */}
      {summary.data !== undefined && <Alerts />}
      <SummaryFigures
        figures={summary.data?.figures}
        asOf={summary.data?.as_of}
        worth={summary.data?.worth ?? null}
        isStale={summary.isStale}
        series={series}
        choose={choose}
        isCompared={span.isCompared}
      />
      {isEmpty ? (
        <Empty title="No activity in this period">
          <p>
            Orders sent by the shop appear here within a second. Choose another period, send some, or import existing
            ones:
          </p>
          <pre className="code">npx --no laurel import orders orders.csv</pre>
        </Empty>
      ) : (
        <>
          <Section
            title={name}
            actions={
              <>
                <Legend value={span.name} before={span.before && `${spanText(span.before)}, the same weekdays`} />
                <CsvButton name={`${series}-by-day`} columns={columnsOf(unit)} rows={shown} />
                <Segments
                  name="Interval"
                  choices={{ day: 'Day', week: 'Week' }}
                  value={per === 'week' ? 'week' : 'day'}
                  onChange={setPer}
                />
                <AsCurl requests={[{ name: daysName, request: { query: range } }]} />
              </>
            }
          >
            <Failure error={now.error} retry={now.retry} since={now.answeredAtMs} />
            {shown === undefined ? (
              <Skeleton width="100%" height="15rem" />
            ) : (
              <DayChart
                name={name}
                unit={unit}
                points={shown}
                isStale={now.isStale || before.isStale}
                openDay={today(zone)}
              />
            )}
          </Section>
          <div className="columns">
            <Rules lines={rules.data?.lines} isStale={rules.isStale} />
            <Levels levels={levels.data} isStale={levels.isStale} />
            <Nothing lines={orders.data?.lines} isStale={orders.isStale} days={basis === 'posted' ? undefined : span} />
          </div>
        </>
      )}
    </Page>
  )
}

/** The figures of what happened in the span. */
const EVENTS = ['issued', 'taken-back', 'spent', 'orders', 'revisions', 'asked']

type Worth = RouteResponse<'GET /api/admin/statistics/summary'>['worth']

/** "= EUR 40.26", to hundredths; the exact value is in the title. */
function WorthText({ worth }: Readonly<{ worth: Worth }>) {
  if (worth?.outstanding == null) return null
  const by = worth.version === null ? 'the setting money.point-value' : `version ${worth.version}`
  return (
    <span title={`${worth.outstanding}: ${worth.each} a point, by ${by}`}>
      = {worth.currency === null ? '' : `${worth.currency} `}
      {grouped(inHundredths(worth.outstanding))}
    </span>
  )
}

/** With both decimals, as money is written. */
function inHundredths(exact: string): string {
  const [whole = '', decimals = ''] = rounded(exact).split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}

function SummaryFigures({
  figures,
  asOf,
  worth,
  isStale,
  series,
  choose,
  isCompared,
}: Readonly<{
  figures: readonly SummaryFigure[] | undefined
  asOf: string | undefined
  worth: Worth
  isStale: boolean
  series: Series
  choose: (series: string) => void
  isCompared: boolean
}>) {
  const of = (name: string) => figures?.find(({ figure }) => figure === name)
  const chosen = (key: Series) => ({ isChosen: series === key, onChoose: () => choose(key) })
  const withProvenance = (name: string): Pick<Figure, 'provenance'> => ({
    provenance: toProvenance(of(name) ?? {}, asOf),
  })
  const pointsOf = (name: string, turned = false): Pick<Figure, 'value' | 'before' | 'provenance'> => {
    const figure = of(name)
    const text = (points: string | null | undefined) => (points == null ? undefined : turned ? negated(points) : points)
    return {
      value: text(figure?.points),
      before: isCompared ? text(figure?.points_before) : undefined,
      ...withProvenance(name),
    }
  }
  const countOf = (name: string): Pick<Figure, 'value' | 'before' | 'provenance'> => {
    const figure = of(name)
    const text = (n: number | null | undefined) => (n == null ? undefined : String(n))
    return { value: text(figure?.n), before: isCompared ? text(figure?.n_before) : undefined, ...withProvenance(name) }
  }
  const [nothing, orders] = [of('nothing'), of('orders')]
  const shareOf = (part: number | null | undefined, all: number | null | undefined) =>
    part == null || all == null ? undefined : percentOf(part, all)
  return (
    <Figures
      isStale={isStale}
      figures={[
        {
          name: 'Points issued',
          definition: 'Ledger entries above 0 of orders, referrals and adjustments, without refunds of redemptions.',
          ...pointsOf('issued'),
          ...chosen('issued'),
        },
        {
          name: 'Reversed',
          definition: 'Entries of orders and referrals below 0, after orders were changed, cancelled or returned.',
          ...pointsOf('taken-back', true),
          ...chosen('taken-back'),
        },
        {
          name: 'Spent',
          definition: 'Redemptions, less refunds, and adjustments below 0.',
          ...pointsOf('spent', true),
          ...chosen('spent'),
        },
        {
          name: 'Owed',
          definition:
            'Points all players can spend now, including holds, whatever period is shown. Below: their value now, by redeem.value of the program in effect, else money.point-value; points pending; and the time of the figure.',
          ...pointsOf('outstanding'),
          value: figures && (of('outstanding')?.points ?? '–'),
          ...owedNote(worth, of('pending')?.points ?? '0', of('outstanding'), asOf),
        },
        {
          name: 'Orders',
          definition: 'Orders that were recorded for the first time.',
          ...countOf('orders'),
          ...chosen('orders'),
        },
        {
          name: 'Zero-point orders',
          definition: 'Orders first recorded with 0 points, as a share of all orders first recorded.',
          value: shareOf(nothing?.n, orders?.n),
          before: isCompared ? shareOf(nothing?.n_before, orders?.n_before) : undefined,
          kind: 'percent',
          ...withProvenance('nothing'),
          ...chosen('nothing'),
        },
        {
          name: 'Prediction accuracy',
          definition:
            'Orders recorded as predicted, as a share of all orders with a stored prediction, by posting date.',
          value: figures && (accuracyText(figures, 'n') ?? '–'),
          before: isCompared && figures !== undefined ? accuracyText(figures, 'n_before') : undefined,
          kind: 'percent',
          ...withProvenance('came-true'),
        },
      ]}
    />
  )
}

/** What is owed in money, what cannot be spent yet, and for when that is known: all three are counted together. */
function owedNote(
  worth: Worth,
  pending: string,
  outstanding: SummaryFigure | undefined,
  asOf: string | undefined,
): Pick<Figure, 'note'> {
  const provenance = toProvenance(outstanding ?? {}, asOf)
  if (provenance === undefined) return {}
  const isPending = !isZero(pending)
  return {
    note: (
      <>
        <WorthText worth={worth} />
        {isPending && `${worth?.outstanding == null ? '' : ', '}and ${grouped(pending)} pending`}
        {worth?.outstanding == null && !isPending ? '' : ', '}
        <AsOf {...provenance} />
      </>
    ),
  }
}

/** Undefined if nothing was compared. */
function accuracyText(figures: readonly SummaryFigure[], field: 'n' | 'n_before'): string | undefined {
  const of = (name: string) => figures.find(({ figure }) => figure === name)?.[field] ?? 0
  const compared = of('came-true') + of('differed')
  return compared === 0 ? undefined : percentOf(of('came-true'), compared)
}

type SummaryFigure = RouteResponse<'GET /api/admin/statistics/summary'>['figures'][number]

function Rules({ lines, isStale }: Readonly<{ lines: readonly Line[] | undefined; isStale: boolean }>) {
  const bars = lines && [
    ...sumsByKey(lines, 'rule').map(({ key, n, points }) => ({ key: `rule ${key}`, nameText: key, n, points })),
    ...Object.entries(LINE_WORDS).flatMap(([measure, nameText]) => {
      const ofMeasure = lines.filter((line) => line.measure === measure)
      const points = sumOf(ofMeasure.map((line) => line.points))
      return points === '0' ? [] : [{ key: measure, nameText, n: ofMeasure.length, points }]
    }),
  ]
  return (
    <BarSection
      title="Points by rule"
      of="Rule"
      unit="Points"
      empty={{ title: 'No points by rule in this period' }}
      isStale={isStale}
      bars={bars?.map(({ key, nameText, points }) => ({
        key,
        name: key.startsWith('rule ') ? nameText : <span className="quiet">{nameText}</span>,
        nameText,
        value: points,
        more: undefined,
      }))}
    />
  )
}

type LevelResponse = RouteResponse<'GET /api/admin/statistics/levels'>

function Levels({ levels, isStale }: Readonly<{ levels: LevelResponse | undefined; isStale: boolean }>) {
  const all = levels?.levels.reduce((sum, { n }) => sum + n, 0) ?? 0
  // All levels are counted in one sweep.
  const provenance = toProvenance(levels?.levels[0] ?? {}, levels?.as_of)
  const moved = levels?.moves.reduce((sum, { n }) => sum + n, 0) ?? 0
  return (
    <BarSection
      title="Players by level"
      of="Level"
      unit="Players"
      more="Share or range"
      empty={{ title: 'Not counted yet', about: 'Players are counted when the service starts, and every hour.' }}
      isStale={isStale}
      bars={levels?.levels.map(({ level, n, low, high }) => ({
        key: level,
        name: level,
        nameText: level,
        value: n,
        more: low === high ? `${percentOf(n, all)} %` : `${grouped(low)} – ${grouped(high)}`,
      }))}
    >
      {levels !== undefined && (
        <p className="small">
          {grouped(moved)} {moved === 1 ? 'order' : 'orders'} in this period led to another level.
          {provenance !== undefined && (
            <>
              {' '}
              Players are <AsOf {...provenance} />.
            </>
          )}
        </p>
      )}
    </BarSection>
  )
}

/** What needs attention. */
function Alerts() {
  const sources = useResponse('GET /api/admin/sources', {}, { everyMs: EVERY_MS })
  const service = useResponse('GET /api/admin/service', { query: { minutes: '60' } }, { everyMs: EVERY_MS })
  const nowMs = sources.data === undefined ? 0 : Date.parse(sources.data.as_of)
  const late = sources.data?.sources.filter((source) => isOverdue(source, nowMs) === true) ?? []
  const failed = service.data?.routes.reduce((sum, route) => sum + route.failed, 0) ?? 0
  if (late.length === 0 && failed === 0) return null
  return (
    <div className="notices">
      {late.map(({ record_type, token, token_name, last_good_at, usual_gap_ms }) => (
        <p key={`${record_type} ${token}`} className="notice warn">
          <span className="warn">
            <Icon name="alert" />
          </span>
          <span>
            No {record_type} from {token_name ?? token} for {gapText(nowMs - Date.parse(last_good_at!))}; usual
            interval: {gapText(usual_gap_ms!)}.
          </span>
          <Link href="/feeds">Sources</Link>
        </p>
      ))}
      {failed > 0 && (
        <p className="notice bad">
          <span className="bad">
            <Icon name="alert" />
          </span>
          <span>{grouped(failed)} requests failed in the last hour.</span>
          <Link href="/system">System</Link>
        </p>
      )}
    </div>
  )
}

/** Each reason links to its orders, if `days` are days of orders. */
function Nothing({
  lines,
  isStale,
  days,
}: Readonly<{ lines: readonly Line[] | undefined; isStale: boolean; days: Days | undefined }>) {
  const reasons = lines && sumsByKey(lines, 'nothing').sort((one, other) => other.n - one.n)
  const all = reasons?.reduce((sum, { n }) => sum + n, 0) ?? 0
  return (
    <BarSection
      title="Zero-point reasons"
      of="Reason"
      unit="Orders"
      more="Share"
      empty={{ title: 'Every order earned points' }}
      isStale={isStale}
      bars={reasons?.map(({ key, n }) => {
        const words = NOTHING_WORDS[key] ?? key
        return {
          key,
          name:
            days === undefined ? (
              words
            ) : (
              <Link href={`/orders?${new URLSearchParams({ nothing: key, from: days.from, to: days.to })}`}>
                {words}
              </Link>
            ),
          nameText: words,
          value: n,
          more: `${percentOf(n, all)} %`,
        }
      })}
    />
  )
}

function spanText({ from, to }: Days): string {
  return `${shortDay(from)} – ${shortDay(to)}`
}
