import type { Invoice, InvoiceLine } from './invoices.ts'
import { makeUp } from './made-up.ts'

/** The service refuses orders with more lines than this. */
export const ORDER_LINES_MAX = 1000

/** A product as the service takes it (specification 2.4). */
export interface ProductRecord {
  product_sku_id: string
  amount: string
}

/** A player as the service takes it (specification 2.3). */
export interface PlayerRecord {
  Name: string
  Email: string
  Phone: string
  Add: string
  DOB: string
  Gender: 'male' | 'female'
  Refercode: string
  State: string
  District: string
  RefBy: string
  Pincode: string
  Country: string
  User_id: string
}

/** A product line as the service takes it; `amount` is the whole line's. */
export interface LineRecord {
  product_sku_id: string
  amount: string
  qty: string
}

/** An order as the service takes it (specification 2.1), with its `ordered_at`. */
export interface OrderRecord {
  name: string
  email: string
  phone: string
  address: string
  products: LineRecord[]
  order_id: string
  total_amount: string
  discount: string
  total_qty: string
  refferral_code: string
  user_id: string
  ordered_at: string
}

/** What one cancellation invoice gives back; quantities and amounts are positive. Not a wire record of the service. */
export interface CancellationRecord {
  invoice: string
  user_id: string
  cancelled_at: string
  lines: LineRecord[]
}

/** What an invoice becomes: an order, a cancellation, or left out for one of four reasons. */
export type Fate = 'order' | 'cancellation' | 'no-customer' | 'adjustment' | 'no-usable-line' | 'too-many-lines'

/**
 * Decides what becomes of an invoice. `C...` is a cancellation; `A...` is an accounting correction (bad debt), not a sale.
 * An order of more than 1,000 lines is left out rather than split: its parts would be orders that nobody placed.
 */
export function fateOf(invoice: Invoice): Fate {
  if (invoice.customer === '') return 'no-customer'
  if (invoice.number.startsWith('A')) return 'adjustment'
  const lines = usableLines(invoice).length
  if (lines === 0) return 'no-usable-line'
  if (isCancellation(invoice)) return 'cancellation'
  return lines > ORDER_LINES_MAX ? 'too-many-lines' : 'order'
}

/** Whether an invoice takes a sale back: its number begins with `C`. */
export function isCancellation(invoice: Invoice): boolean {
  return invoice.number.startsWith('C')
}

/**
 * The lines of an invoice that can be written. A sale's lines have a positive quantity, a cancellation's a negative one;
 * the price is not negative. A price of 0 stays: the customer got the product, for nothing.
 */
export function usableLines(invoice: Invoice): InvoiceLine[] {
  const sign = isCancellation(invoice) ? -1n : 1n
  return invoice.lines.filter((line) => line.quantity * sign > 0n && line.priceE4 >= 0n)
}

/** The sum of the lines that an order carries, in integers of 1/10,000 pound. */
export function sumE4(lines: readonly InvoiceLine[]): bigint {
  return lines.reduce((sum, line) => sum + line.quantity * line.priceE4, 0n)
}

/**
 * One product for each stock code that ever had a price above 0, sorted by code. The price is that of the latest such
 * line, by time and then by place in the file; every line counts, also one without a customer or of a cancellation.
 * Codes are kept as they are: `85123A` and `85123a` are two products.
 */
export function toProducts(invoices: readonly Invoice[]): ProductRecord[] {
  const latest = new Map<string, InvoiceLine>()
  for (const line of invoices.flatMap((invoice) => invoice.lines.filter((each) => each.priceE4 > 0n))) {
    const known = latest.get(line.sku)
    if (known === undefined || isLater(line, known)) latest.set(line.sku, line)
  }
  return [...latest.values()]
    .sort((a, b) => (a.sku < b.sku ? -1 : 1))
    .map((line) => ({ product_sku_id: line.sku, amount: pounds(line.priceE4) }))
}

/**
 * One player for each customer number, sorted by number; also for customers who only ever cancelled. The country is that
 * of the customer's latest invoice, the rest is made up from the number.
 */
export function toPlayers(invoices: readonly Invoice[]): PlayerRecord[] {
  const latest = new Map<string, Invoice>()
  for (const invoice of invoices) {
    const known = latest.get(invoice.customer)
    if (known === undefined || invoice.at >= known.at) latest.set(invoice.customer, invoice)
  }
  latest.delete('')
  return [...latest.values()].sort((a, b) => Number(a.customer) - Number(b.customer)).map(playerOf)
}

function playerOf(invoice: Invoice): PlayerRecord {
  const facts = makeUp(invoice.customer)
  return {
    Name: facts.name,
    Email: facts.email,
    Phone: facts.phone,
    Add: facts.address,
    DOB: facts.birth,
    Gender: facts.gender,
    Refercode: facts.referCode,
    State: facts.state,
    District: facts.district,
    RefBy: '',
    Pincode: facts.pinCode,
    Country: invoice.country,
    User_id: invoice.customer,
  }
}

/**
 * One order for each invoice whose fate is `order`, by time.
 *
 * Rounding  `total_amount` is the exact sum of the lines, rounded down to `decimals` places (0 to 4); lines are exact
 * Bounds    more than 0 decimals need them in the service's program (decision 69)
 */
export function toOrders(invoices: readonly Invoice[], { decimals = 0 } = {}): OrderRecord[] {
  const orders = invoices.filter((invoice) => fateOf(invoice) === 'order')
  return byTime(orders).map((invoice) => orderOf(invoice, usableLines(invoice), decimals))
}

/** The order that an invoice is, with these of its lines. */
export function orderOf(invoice: Invoice, lines: readonly InvoiceLine[], decimals: number): OrderRecord {
  const facts = makeUp(invoice.customer)
  return {
    name: facts.name,
    email: facts.email,
    phone: facts.phone,
    address: facts.address,
    products: lines.map((line) => lineOf(line, 1n)),
    order_id: invoice.number,
    total_amount: roundedDown(sumE4(lines), decimals),
    discount: '0',
    total_qty: String(lines.reduce((sum, line) => sum + line.quantity, 0n)),
    refferral_code: '',
    user_id: invoice.customer,
    ordered_at: invoice.at,
  }
}

/** One record for each invoice whose fate is `cancellation`, by time. */
export function toCancellations(invoices: readonly Invoice[]): CancellationRecord[] {
  const cancellations = invoices.filter((invoice) => fateOf(invoice) === 'cancellation')
  return byTime(cancellations).map((invoice) => ({
    invoice: invoice.number,
    user_id: invoice.customer,
    cancelled_at: invoice.at,
    lines: usableLines(invoice).map((line) => lineOf(line, -1n)),
  }))
}

function lineOf(line: InvoiceLine, sign: 1n | -1n): LineRecord {
  const quantity = line.quantity * sign
  return { product_sku_id: line.sku, amount: pounds(quantity * line.priceE4), qty: String(quantity) }
}

function isLater(line: InvoiceLine, known: InvoiceLine): boolean {
  return line.at === known.at ? line.row > known.row : line.at > known.at
}

/** By the moment of the first line; within a moment as in the file. */
export function byTime(invoices: readonly Invoice[]): Invoice[] {
  return invoices.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

/** Writes an amount of 1/10,000 pound exactly: two decimals, more only where they are needed. */
export function pounds(amountE4: bigint): string {
  return roundedDown(amountE4, 4).replace(/0{1,2}$/, '')
}

/** Writes an amount (not negative) of 1/10,000 pound with a number of decimals from 0 to 4; what is beyond is dropped. */
export function roundedDown(amountE4: bigint, decimals: number): string {
  const digits = String(amountE4).padStart(5, '0')
  const whole = digits.slice(0, -4)
  return decimals === 0 ? whole : `${whole}.${digits.slice(-4).slice(0, decimals)}`
}
