/*
 * The floor of recorded orders: the rows that our service writes for orders and their entries, inserted by one prepared statement for each request.
 */
import { PGlite, protocol } from '@electric-sql/pglite'
import pg from 'pg'
import { ORDERS_PATH, sendAll } from './http.ts'
import type { Round } from './round.ts'
import { anOrder, bodyOf, playerOf } from './samples.ts'
import { type Data, onCopy, start, type Testbed } from './testbed.ts'

export const REQUEST_ORDERS = 100

type Row = readonly (string | null)[]
type Table = Readonly<{ columns: readonly string[]; rows: readonly Row[] }>
type Rows = Readonly<{ orders: Table; entries: Table }>

export type Inserter = Readonly<{
  /** Inserts the rows of the next request. */
  insertRequest: () => Promise<unknown>
  close: () => Promise<void>
}>

/** Opens the database of `data`, which has the schema and no rows. On PostgreSQL it takes as many requests at once as there are connections. */
export async function openInserter({ testbed, records }: Round, data: Data, connections: number): Promise<Inserter> {
  const rows = await writtenRows(testbed)
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
    await database.execProtocol(Buffer.concat([parse({ name: 'orders', text }), sync()]))
    return {
      insertRequest: () =>
        database.execProtocol(Buffer.concat([bind({ statement: 'orders', values: nextValues() }), execute(), sync()])),
      close: () => database.close(),
    }
  }
  const pool = new pg.Pool({ connectionString: data.databaseUrl, max: connections })
  pool.on('error', () => undefined) // The pool ends without waiting for its connections, which break when the database stops.
  return {
    insertRequest: () => pool.query({ name: 'orders', text, values: nextValues() }),
    close: () => pool.end(),
  }
}

/** The rows that the service writes for a request of orders, as texts. */
async function writtenRows(testbed: Testbed): Promise<Rows> {
  const size = { players: REQUEST_ORDERS, products: REQUEST_ORDERS }
  return await onCopy(testbed, await testbed.filled('postgres', size), async (data) => {
    const service = await start(data)
    const orders = Array.from({ length: REQUEST_ORDERS }, (_, index) => anOrder(index, size))
    await sendAll(service, ORDERS_PATH, { bodies: [bodyOf(orders)], connections: 1 })
    await service.stop()
    const client = new pg.Client(data.databaseUrl)
    await client.connect()
    try {
      const read = async (table: string): Promise<Table> => {
        const types = { getTypeParser: () => (value: string) => value }
        const { fields, rows } = await client.query({ text: `select * from ${table}`, rowMode: 'array', types })
        return { columns: fields.map(({ name }) => name), rows: rows as Row[] }
      }
      return { orders: await read('orders'), entries: await read('entries') }
    } finally {
      await client.end()
    }
  })
}

function statementOf({ orders, entries }: Rows): string {
  const insert = (table: string, { columns, rows }: Table, first: number) => {
    const parameters = (row: number) => columns.map((_, column) => `$${first + row * columns.length + column}`)
    return `insert into ${table} (${columns}) values ${rows.map((_, row) => `(${parameters(row)})`)}`
  }
  const firstOfEntries = 1 + orders.columns.length * orders.rows.length
  return `with recorded as (${insert('orders', orders, 1)}) ${insert('entries', entries, firstOfEntries)}`
}

/** The rows turned into those of the orders from number `from` on, each of a different player in turn. */
function valuesOf({ orders, entries }: Rows, from: number, players: number): (string | null)[] {
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
