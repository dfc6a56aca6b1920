/*
 * The floor of recorded orders: the rows that our service wrote for orders and their entries on 2026-11-27, inserted into tables of the floor's own by
 * one prepared statement for each request.
 */
import { PGlite, protocol } from '@electric-sql/pglite'
import pg from 'pg'
import { runOnce } from '../test/support/postgres-server.ts'
import { FLOOR_TABLES } from './floor-tables.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, playerOf } from './samples.ts'
import type { Data, Size } from './testbed.ts'

export const REQUEST_ORDERS = 100

type Row = Readonly<Record<string, string>>
type Table = Readonly<{ columns: readonly string[]; rows: readonly (readonly string[])[] }>
type Rows = Readonly<{ orders: Table; entries: Table }>

export type Inserter = Readonly<{
  /** Inserts the rows of the next request. */
  insertRequest: () => Promise<unknown>
  close: () => Promise<void>
}>

/** Makes the floor's tables in the database of `data` and opens it. On PostgreSQL it takes as many requests at once as there are connections. */
export async function openInserter({ records }: Round, data: Data, connections: number): Promise<Inserter> {
  const size = sizeOf(records)
  const rows = rowsOf(size)
  const text = statementOf(rows)
  let sent = 0
  const nextValues = () => {
    const from = sent
    sent += REQUEST_ORDERS
    return valuesOf(rows, from, records)
  }
  if (data.databaseUrl === undefined) {
    const { parse, bind, execute, sync } = protocol.serialize
    const database = await PGlite.create(`${data.directory}/pglite`)
    await database.exec(FLOOR_TABLES)
    await database.execProtocol(Buffer.concat([parse({ name: 'orders', text }), sync()]))
    return {
      insertRequest: () =>
        database.execProtocol(Buffer.concat([bind({ statement: 'orders', values: nextValues() }), execute(), sync()])),
      close: () => database.close(),
    }
  }
  await runOnce(data.databaseUrl, FLOOR_TABLES)
  const pool = new pg.Pool({ connectionString: data.databaseUrl, max: connections })
  pool.on('error', () => undefined) // The pool ends without waiting for its connections, which break when the database stops.
  return {
    insertRequest: () => pool.query({ name: 'orders', text, values: nextValues() }),
    close: () => pool.end(),
  }
}

function statementOf({ orders, entries }: Rows): string {
  const insert = (table: string, { columns, rows }: Table, first: number) => {
    const parameters = (row: number) => columns.map((_, column) => `$${first + row * columns.length + column}`)
    return `insert into own.${table} (${columns}) values ${rows.map((_, row) => `(${parameters(row)})`)}`
  }
  const firstOfEntries = 1 + orders.columns.length * orders.rows.length
  return `with recorded as (${insert('orders', orders, 1)}) ${insert('entries', entries, firstOfEntries)}`
}

/** The rows turned into those of the orders from number `from` on, each of a different player in turn. */
function valuesOf({ orders, entries }: Rows, from: number, players: number): string[] {
  const values = ({ columns, rows }: Table) =>
    rows.flatMap((row, index) => {
      const number = from + index
      const own: Record<string, string> = {
        user_id: playerOf(number, players),
        order_id: `order-${number}`,
        seq: String(Math.floor(number / players) + 1),
      }
      return row.map((value, column) => own[columns[column]!] ?? value)
    })
  return [...values(orders), ...values(entries)]
}

/** The rows of a request. They are made once: the floor shares its processor time with the maker of its rows. */
function rowsOf(size: Size): Rows {
  const tableOf = (row: (index: number, size: Size) => Row): Table => {
    const rows = Array.from({ length: REQUEST_ORDERS }, (_, index) => row(index, size))
    return { columns: Object.keys(rows[0]!), rows: rows.map((row) => Object.values(row)) }
  }
  return { orders: tableOf(orderRow), entries: tableOf(entryRow) }
}

/** Columns that are null are left out. */
function orderRow(index: number, size: Size): Row {
  const { order_id, total_amount: total, discount, total_qty: qty, products } = anOrder(index, size)
  const lines = products.map(({ product_sku_id: sku, amount, qty }) => ({ sku, amount, qty }))
  const prices = Object.fromEntries(lines.map(({ sku, amount }) => [sku, String(Number(amount) / 2)]))
  return {
    user_id: playerOf(index, size.players),
    order_id,
    ordered_at: MOMENT,
    state: JSON.stringify({
      ...{ status: 'placed', total, discount, qty, referral_code: '', subscript_points: false, lines },
    }),
    program_version: '1',
    facts: JSON.stringify({ player: FACTS, prices, codes: {} }),
    points: '120',
    referrer_points: '0',
    rev: '1',
    recorded_at: MOMENT,
    updated_at: MOMENT,
  }
}

function entryRow(index: number, { players }: Size): Row {
  return {
    user_id: playerOf(index, players),
    seq: String(Math.floor(index / players) + 1),
    kind: 'order',
    points: '120',
    counts: 't',
    order_id: `order-${index}`,
    revision: '1',
    program_version: '1',
    at: MOMENT,
    explanation: EXPLANATION,
    recorded_at: MOMENT,
    day: '2026-11-27',
    booked_day: '2026-11-27',
    change: 'placed',
    by: '88331cdbbe26',
  }
}

const MOMENT = '2026-11-27 00:00:02.449+00'
const FACTS = {
  ...{ known: true, state: 'Kerala', district: 'Ernakulam', country: 'India', gender: 'male' },
  ...{ points: '0', counted: '0', orders: '0', date_of_birth: '1957-10-02' },
}
const EXPLANATION = JSON.stringify({
  earned: [{ rule: 'base', points: '120', because: { net: '1200', points: '1', every: '10' } }],
  not_applied: [],
  rounding: '0',
  level: {
    ...{ before: 'Bronze', after: 'Bronze', upgraded: false, counted: 120 },
    next: { name: 'Silver', missing: 380 },
  },
  notes: [],
  program: { version: 1, name: 'Starter' },
})
