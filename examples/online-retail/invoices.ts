import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'

/** The columns of the data, in their order. */
export const COLUMNS = [
  'InvoiceNo',
  'StockCode',
  'Description',
  'Quantity',
  'InvoiceDate',
  'UnitPrice',
  'CustomerID',
  'Country',
] as const

/** One line of an invoice. `priceE4` is the unit price in integers of 1/10,000 pound (25500n is 2.55). */
export interface InvoiceLine {
  readonly sku: string
  readonly quantity: bigint
  readonly priceE4: bigint
  /** RFC 3339, UTC. A few invoices were typed over the turn of a minute, so a line has its own moment. */
  readonly at: string
  /** Position in the file, from 1 (the heading is line 0): it settles which of two lines of one minute came later. */
  readonly row: number
}

/** All lines with one InvoiceNo, in the order of the file. `customer` is '' where the data names none. */
export interface Invoice {
  readonly number: string
  readonly customer: string
  readonly country: string
  /** The moment of the first line. */
  readonly at: string
  readonly lines: readonly InvoiceLine[]
}

/** Opens a CSV file as a stream; a name that ends in `.gz` is decompressed on the way. */
export function openCsv(path: string): Readable {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  const plain = createGunzip()
  // Without this, a file that cannot be opened would leave the reader waiting forever.
  file.on('error', (error) => plain.destroy(error))
  return file.pipe(plain)
}

/**
 * Reads the whole CSV and groups its lines by InvoiceNo, in the order in which the invoices begin.
 *
 * Units     prices become integers of 1/10,000 pound, customers lose their `.0`, moments are read as UTC
 * Bounds    held in memory, without descriptions: 300 MB for the 320,000 lines of nine months
 * Errors    a heading or a line that cannot be understood ends the reading, with its number
 */
export async function readInvoices(csv: Readable): Promise<Invoice[]> {
  const invoices = new Map<string, Invoice & { lines: InvoiceLine[] }>()
  await pipeline(csv, parse({ bom: true }), async (records: AsyncIterable<string[]>) => {
    let row = 0
    for await (const fields of records) {
      if (row === 0) checkHeading(fields)
      else addLine(invoices, fields, row)
      row += 1
    }
    if (row === 0) throw new Error('the file is empty: a heading and lines are expected')
  })
  return [...invoices.values()]
}

function checkHeading(fields: readonly string[]): void {
  if (fields.join() === COLUMNS.join()) return
  throw new Error(`the heading is "${fields.join()}", expected "${COLUMNS.join()}"`)
}

function addLine(invoices: Map<string, Invoice & { lines: InvoiceLine[] }>, fields: string[], row: number): void {
  const [number = '', sku = '', , quantity = '', date = '', price = '', customerId = '', country = ''] = fields
  if (number === '' || sku === '') throw new Error(`line ${row}: InvoiceNo and StockCode must not be empty`)
  const at = readMoment(date, row)
  const customer = readCustomer(customerId, row)
  let invoice = invoices.get(number)
  if (invoice === undefined) {
    invoice = { number, customer, country, at, lines: [] }
    invoices.set(number, invoice)
  }
  if (invoice.customer !== customer) throw new Error(`line ${row}: invoice ${number} names a second customer`)
  invoice.lines.push({ sku, quantity: readWhole(quantity, row), priceE4: readPrice(price, row), at, row })
}

function readWhole(text: string, row: number): bigint {
  if (!/^-?\d{1,15}$/.test(text)) throw new Error(`line ${row}: Quantity "${text}" is not an integer`)
  return BigInt(text)
}

function readPrice(text: string, row: number): bigint {
  const parts = /^(-?)(\d{1,15})(?:\.(\d{1,4}))?$/.exec(text)
  if (parts === null) throw new Error(`line ${row}: UnitPrice "${text}" is not a number with up to 4 decimal places`)
  const [, sign = '', whole = '', fraction = ''] = parts
  return BigInt(`${sign}${whole}${fraction.padEnd(4, '0')}`)
}

function readMoment(text: string, row: number): string {
  const moment = `${text.replace(' ', 'T')}Z`
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(moment) : Number.NaN
  // Formatting the result again catches dates that Date.parse rolls over, such as the 31st of a month of 30 days.
  if (Number.isNaN(time) || new Date(time).toISOString() !== moment.replace('Z', '.000Z')) {
    throw new Error(`line ${row}: InvoiceDate "${text}" is not a timestamp YYYY-MM-DD HH:MM:SS`)
  }
  return moment
}

function readCustomer(text: string, row: number): string {
  if (!/^(\d+(\.0)?)?$/.test(text)) throw new Error(`line ${row}: CustomerID "${text}" is not a number`)
  return text.replace(/\.0$/, '')
}
