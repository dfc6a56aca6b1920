import { calendarDayText } from '../calendar-days.ts'
import { grouped, rounded, signed } from '../exact.ts'
import { PlayerLink } from '../pages/players.tsx'
import { Figures } from './figures.tsx'
import { Guarded } from './guarded.tsx'
import { LeftOut } from './left-out.tsx'
import { Section } from './page.tsx'
import { Empty } from './states.tsx'
import { type Column, CsvButton, Table } from './table.tsx'

type Change = Readonly<{ before: string; after: string; difference: string }>

/** Days of a program's rule, both included; null: without a bound. */
type Days = Readonly<{ from: string | null; until: string | null }>

/** The part of `laurel program backtest --json` that is shown. */
export type Backtest = Readonly<{
  orders: number
  players: number
  points: Change & Readonly<{ per_cent: string | null }>
  cost?: (Change & Readonly<{ point_value?: string }>) | null
  /** Absent in results from before they were computed. */
  campaigns?: readonly (Days & Readonly<{ rule: string; orders: number; weeks_earlier: number }>)[]
  past_days?: (Days & Readonly<{ weeks_earlier: number }>) | null
  months: readonly (Change & Readonly<{ month: string; orders: number }>)[]
  rules: readonly (Change & Readonly<{ kind: string; rule: string }>)[]
  balances?: Readonly<Record<'outstanding' | 'pending' | 'expired' | 'owed' | 'not_covered', Change>>
  levels: Readonly<{
    before: readonly Readonly<{ name: string; players: number }>[]
    after: readonly Readonly<{ name: string; players: number }>[]
  }>
  winners: readonly Readonly<{ user_id: string; difference: string; orders_changed: number }>[]
  losers: readonly Readonly<{ user_id: string; difference: string; orders_changed: number }>[]
  /** Absent in results that earlier versions kept. */
  left_out?: readonly string[]
  attributes?: 'recorded' | 'now'
  without_attributes?: number
}>

/** `rerun` computes it again with other data; absent: it cannot be. */
export function BacktestResult({
  result,
  rerun,
}: Readonly<{ result: Backtest; rerun?: ((more: object) => void) | undefined }>) {
  const { points, orders, players, months, rules, balances, levels, winners, losers, left_out = [] } = result
  return (
    <>
      <LeftOut of={left_out} />
      <Figures
        figures={[
          {
            name: 'Difference',
            definition: 'Points of all recorded orders under the draft, less their recorded points.',
            value: isWithoutOrders(result) ? '–' : points.difference,
            kind: 'signed',
            note: isWithoutOrders(result)
              ? 'applied to no order'
              : points.per_cent === null
                ? ''
                : `${signed(points.per_cent)} %`,
          },
          { name: 'As issued', definition: 'Points of the recorded orders now.', value: points.before },
          { name: 'Under the draft', definition: 'Points of the same orders under the draft.', value: points.after },
          {
            name: 'Orders',
            definition: 'Recorded orders, recomputed in sequence, each with the inputs of its recording.',
            value: String(orders),
            note: `of ${grouped(players)} players`,
          },
        ]}
      />
      <Campaigns result={result} rerun={rerun} />
      <WithoutAttributes result={result} rerun={rerun} />
      <div className="columns wide">
        <Changes
          title="By month"
          first="Month"
          rows={months.map(({ month, ...change }) => ({ name: month, ...change }))}
        />
        <Changes title="By rule" first="Rule" rows={rules.map(({ rule, ...change }) => ({ name: rule, ...change }))} />
        {balances !== undefined && (
          <Changes
            title="Balances"
            first="Points"
            rows={[
              { name: 'outstanding', ...balances.outstanding },
              { name: 'pending', ...balances.pending },
              { name: 'expired', ...balances.expired },
              { name: 'owed', ...balances.owed },
              { name: 'overspent', ...balances.not_covered },
            ]}
          />
        )}
        <Changes
          title="Players by level"
          first="Level"
          rows={[...new Set([...levels.before, ...levels.after].map(({ name }) => name))].map((name) => {
            const of = (all: Backtest['levels']['before']) => all.find((level) => level.name === name)?.players ?? 0
            const [before, after] = [of(levels.before), of(levels.after)]
            return { name, before: String(before), after: String(after), difference: String(after - before) }
          })}
        />
        <People title="Players who would gain" people={winners} />
        <People title="Players who would lose" people={losers} />
      </div>
    </>
  )
}

/** Whether there was nothing to compare: no order at all, or nothing differs and a rule's days have none. */
function isWithoutOrders({ orders, points, campaigns = [] }: Backtest): boolean {
  return orders === 0 || (points.difference === '0' && campaigns.some((campaign) => campaign.orders === 0))
}

/** Rules of certain days: how many orders lie there, and where rules still to come could be tried. */
function Campaigns({
  result: { orders, campaigns = [], past_days: past = null },
  rerun,
}: Readonly<{ result: Backtest; rerun: ((more: object) => void) | undefined }>) {
  if (orders === 0) return <p className="notice warn">No recorded order could be compared.</p>
  return (
    <>
      {campaigns
        .filter((campaign) => campaign.orders === 0 || campaign.weeks_earlier > 0)
        .map(({ rule, orders: applied, weeks_earlier: weeks, ...days }) => (
          <p key={rule} className={`notice ${applied === 0 ? 'warn' : ''}`}>
            <span>
              <strong>{rule}</strong>
              {weeks > 0 && `, moved ${weeks === 1 ? 'a week' : `${grouped(weeks)} weeks`} earlier,`}
              {applied === 0
                ? ` applied to 0 of ${grouped(orders)} orders: none lies in ${daysText(days)}.`
                : ` has ${grouped(applied)} of ${grouped(orders)} orders in ${daysText(days)}.`}
            </span>
          </p>
        ))}
      {past !== null && rerun !== undefined && (
        <div className="actions">
          <Guarded scope="program" onClick={() => rerun({ weeks_earlier: past.weeks_earlier })}>
            Test on past dates
          </Guarded>
          <span className="quiet">{daysText(past)}</span>
        </div>
      )}
    </>
  )
}

/** Orders whose products have attributes of the draft by now, but lacked them then. */
function WithoutAttributes({
  result: { attributes, without_attributes: orders = 0 },
  rerun,
}: Readonly<{ result: Backtest; rerun: ((more: object) => void) | undefined }>) {
  if (orders === 0) return null
  const what = `${orders === 1 ? '1 order' : `${grouped(orders)} orders`} had products without attributes of this draft that the catalogue has now: computed`
  if (attributes === 'now') return <p className="notice">{what} with those of today’s catalogue.</p>
  return (
    <>
      <p className="notice warn">{what} without them.</p>
      {rerun !== undefined && (
        <div className="actions">
          <Guarded scope="program" onClick={() => rerun({ attributes: 'now' })}>
            Use today’s attributes
          </Guarded>
        </div>
      )}
    </>
  )
}

function daysText({ from, until }: Days): string {
  if (until === null) return `the days from ${calendarDayText(from!)} on`
  return from === null
    ? `the days up to ${calendarDayText(until)}`
    : `${calendarDayText(from)} to ${calendarDayText(until)}`
}

type NamedChange = Change & Readonly<{ name: string }>

function Changes({ title, first, rows }: Readonly<{ title: string; first: string; rows: readonly NamedChange[] }>) {
  const amount = (name: string, of: (row: NamedChange) => string, isSigned = false): Column<NamedChange> => ({
    name,
    text: of,
    show: (row) => (isSigned ? signed(rounded(of(row))) : grouped(rounded(of(row)))),
    kind: 'number',
  })
  const columns: Column<NamedChange>[] = [
    { name: first, text: ({ name }) => name, kind: 'wrap' },
    amount('Issued', ({ before }) => before),
    amount('Draft', ({ after }) => after),
    amount('Difference', ({ difference }) => difference, true),
  ]
  return (
    <Section title={title} actions={<CsvButton name={title} columns={columns} rows={rows} />}>
      <Table name={title} columns={columns} rows={rows} keyOf={({ name }, index) => `${name} ${index}`} />
    </Section>
  )
}

type Person = Backtest['winners'][number]

const PERSON_COLUMNS: Column<Person>[] = [
  { name: 'Player', text: ({ user_id }) => user_id, show: ({ user_id }) => <PlayerLink id={user_id} /> },
  { name: 'Orders', text: ({ orders_changed }) => orders_changed, kind: 'number' },
  {
    name: 'Points',
    text: ({ difference }) => difference,
    show: ({ difference }) => signed(difference),
    kind: 'number',
  },
]

function People({ title, people }: Readonly<{ title: string; people: readonly Person[] }>) {
  return (
    <Section title={title} actions={<CsvButton name={title} columns={PERSON_COLUMNS} rows={people} />}>
      {people.length === 0 ? (
        <Empty title="No players" />
      ) : (
        <Table
          name={title}
          columns={PERSON_COLUMNS}
          rows={people}
          keyOf={({ user_id }, index) => `${user_id} ${index}`}
        />
      )}
    </Section>
  )
}

/** The part of `laurel program probe --json` that is shown. */
export type Probe = Readonly<{
  findings: readonly Readonly<{
    kind: string
    promise: string
    title: string
    because: readonly string[]
    histories: readonly Readonly<{
      name: string
      orders: readonly Readonly<{
        order_id: string
        player: string
        status: string
        total_amount: number
        points: number
        balance: number
      }>[]
    }>[]
  }>[]
}>

type ProbeOrder = Probe['findings'][number]['histories'][number]['orders'][number]

const ORDER_COLUMNS: Column<ProbeOrder>[] = [
  { name: 'Order', text: ({ order_id }) => order_id },
  { name: 'Player', text: ({ player }) => player },
  { name: 'State', text: ({ status }) => status },
  { name: 'Total', text: ({ total_amount }) => total_amount, kind: 'number' },
  { name: 'Points', text: ({ points }) => points, kind: 'number' },
  { name: 'Balance', text: ({ balance }) => balance, kind: 'number' },
]

export function ProbeResult({ result }: Readonly<{ result: Probe }>) {
  if (result.findings.length === 0)
    return (
      <Empty title="No loopholes found">
        <p>This is no proof: the probe tests many orders, not all.</p>
      </Empty>
    )
  return result.findings.map(({ kind, title, promise, because, histories }) => (
    <Section key={`${kind} ${title}`} title={<span className="bad">{title}</span>}>
      <p>{promise}</p>
      {because.map((reason) => (
        <p key={reason} className="quiet">
          {reason}
        </p>
      ))}
      <div className="columns wide">
        {histories.map(({ name, orders }) => (
          <div key={name}>
            <h3>{name}</h3>
            <Table
              name={`${title} ${name}`}
              columns={ORDER_COLUMNS}
              rows={orders}
              keyOf={({ order_id }, index) => `${order_id} ${index}`}
            />
          </div>
        ))}
      </div>
    </Section>
  ))
}
