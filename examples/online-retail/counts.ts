import type { Invoice } from './invoices.ts'
import { type Fate, fateOf, isCancellation, sumE4, toProducts, usableLines } from './records.ts'

/** Invoices and their lines. */
export interface Share {
  invoices: number
  lines: number
}

/** What the data contains, and what becomes of it. Every invoice has exactly one fate; see `countInvoices`. */
export interface Counts {
  lines: number
  invoices: number
  firstAt: string
  lastAt: string
  customers: number
  customersWithoutOrder: number
  customersOfSeveralCountries: number
  products: number
  productsWithoutPrice: number
  cancellations: number
  linesWithoutCustomer: number
  linesOfPriceZero: number
  linesOfNegativePrice: number
  /** Lines that take something back without being a cancellation (stock corrections). */
  linesOfNegativeQuantity: number
  fates: Record<Fate, Share>
  /** Lines of written orders and cancellations that were left out of them. */
  linesDropped: number
  orderLinesFree: number
  longestOrder: number
  /** The exact sum of all written orders, in 1/10,000 pound, and what is left of it in whole pounds per order. */
  ordersE4: bigint
  ordersWholePounds: bigint
}

/** Counts what the data contains and what the conversion does with it. Every invoice has exactly one fate. */
export function countInvoices(invoices: readonly Invoice[]): Counts {
  const lines = invoices.flatMap((invoice) => invoice.lines)
  const named = invoices.filter((invoice) => invoice.customer !== '')
  const orders = invoices.filter((invoice) => fateOf(invoice) === 'order')
  const orderLines = orders.map(usableLines)
  const written = invoices.filter((invoice) => ['order', 'cancellation'].includes(fateOf(invoice)))
  const customers = new Set(named.map((invoice) => invoice.customer))
  const products = new Set(lines.map((line) => line.sku)).size
  const sums = orderLines.map(sumE4)
  const moments = lines.map((line) => line.at).sort()
  return {
    lines: lines.length,
    invoices: invoices.length,
    firstAt: moments.at(0) ?? '',
    lastAt: moments.at(-1) ?? '',
    customers: customers.size,
    customersWithoutOrder: customers.difference(new Set(orders.map((invoice) => invoice.customer))).size,
    customersOfSeveralCountries: countSeveralCountries(named),
    products,
    productsWithoutPrice: products - toProducts(invoices).length,
    cancellations: invoices.filter(isCancellation).length,
    linesWithoutCustomer: lines.length - sum(named.map((invoice) => invoice.lines.length)),
    linesOfPriceZero: lines.filter((line) => line.priceE4 === 0n).length,
    linesOfNegativePrice: lines.filter((line) => line.priceE4 < 0n).length,
    linesOfNegativeQuantity: sum(
      invoices.map((each) => (isCancellation(each) ? 0 : each.lines.filter((line) => line.quantity < 0n).length)),
    ),
    fates: shareOut(invoices),
    linesDropped: sum(written.map((invoice) => invoice.lines.length - usableLines(invoice).length)),
    orderLinesFree: orderLines.flat().filter((line) => line.priceE4 === 0n).length,
    longestOrder: orderLines.reduce((longest, each) => Math.max(longest, each.length), 0),
    ordersE4: sums.reduce((total, each) => total + each, 0n),
    ordersWholePounds: sums.reduce((total, each) => total + each / 10_000n, 0n),
  }
}

function shareOut(invoices: readonly Invoice[]): Record<Fate, Share> {
  const none = (): Share => ({ invoices: 0, lines: 0 })
  const fates: Record<Fate, Share> = {
    order: none(),
    cancellation: none(),
    'no-customer': none(),
    adjustment: none(),
    'no-usable-line': none(),
    'too-many-lines': none(),
  }
  for (const invoice of invoices) {
    const share = fates[fateOf(invoice)]
    share.invoices += 1
    share.lines += invoice.lines.length
  }
  return fates
}

function countSeveralCountries(named: readonly Invoice[]): number {
  const pairs = new Set(named.map((invoice) => `${invoice.customer}/${invoice.country}`))
  const customers = new Map<string, number>()
  for (const pair of pairs) {
    const [customer = ''] = pair.split('/')
    customers.set(customer, (customers.get(customer) ?? 0) + 1)
  }
  return [...customers.values()].filter((countries) => countries > 1).length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
