import { grouped, rounded, signed } from '../exact.ts'
import { PlayerLink } from '../pages/players.tsx'
import { Figures } from './figures.tsx'
import { LeftOut } from './left-out.tsx'
import { Section } from './page.tsx'
import { Empty } from './states.tsx'
import { type Column, CsvButton, Table } from './table.tsx'

type Change = Readonly<{ before: string; after: string; difference: string }>

/** The part of `laurel program backtest --json` that is shown. */
export type Backtest = Readonly<{
  orders: number
  players: number
  points: Change & Readonly<{ per_cent: string | null }>
  cost?: (Change & Readonly<{ point_value?: string }>) | null
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
}>

export function BacktestResult({ result }: Readonly<{ result: Backtest }>) {
  const { points, orders, players, months, rules, balances, levels, winners, losers, left_out = [] } = result
  return (
    <>
      <LeftOut of={left_out} />
      <Figures
        figures={[
          {
            name: 'Difference',
            definition: 'The points of all recorded orders under the draft, less those that they earned.',
            value: points.difference,
            kind: 'signed',
            note: points.per_cent === null ? '' : `${signed(points.per_cent)} %`,
          },
          { name: 'As issued', definition: 'The points that the recorded orders give now.', value: points.before },
          { name: 'Under the draft', definition: 'What they would give.', value: points.after },
          {
            name: 'Orders',
            definition: 'Recorded orders that were computed again, in sequence, each with the facts of its recording.',
            value: String(orders),
            note: `of ${grouped(players)} players`,
          },
        ]}
      />
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
              { name: 'spent, not covered', ...balances.not_covered },
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
        <People title="Who would have more" people={winners} />
        <People title="Who would have less" people={losers} />
      </div>
    </>
  )
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
        <Empty title="Nobody" />
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
      <Empty title="Nothing was found">
        <p>That is no proof: the probe tries many orders, not all.</p>
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
