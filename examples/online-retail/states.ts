import type { Invoice, InvoiceLine } from './invoices.ts'
import { byTime, fateOf, type OrderRecord, orderOf, usableLines } from './records.ts'

/** A state of an order as the shop would send it at a moment: new, reduced, or cancelled. */
export interface OrderState {
  readonly at: string
  readonly why: 'placed' | 'reduced' | 'cancelled'
  readonly order: OrderRecord & { readonly status?: 'cancelled' }
}

/** What became of the lines of all cancellations. */
export interface Matches {
  lines: number
  /** Of them: found in full, in part, not at all. */
  full: number
  part: number
  none: number
}

/** An order with what is left of it. */
interface Open {
  readonly invoice: Invoice
  lines: InvoiceLine[]
}

/**
 * Every state that the shop's orders went through, in the order of time.
 *
 * A cancellation names no order. Each of its lines takes its quantity back from the customer's latest order before it that still has this
 * product at this price, then from the one before, and so on. An order with less in it is sent again as it is now; one of which nothing is
 * left is sent as it was last, cancelled. What is found in no order was bought before the data begins, or never: it changes nothing.
 *
 * Rounding  as `toOrders`
 */
export function toStates(
  invoices: readonly Invoice[],
  { decimals = 0 } = {},
): { states: OrderState[]; matches: Matches } {
  const orders = new Map<string, Open[]>()
  const matches = { lines: 0, full: 0, part: 0, none: 0 }
  const states = byTime(invoices).flatMap((invoice): OrderState[] => {
    const fate = fateOf(invoice)
    const own = orders.get(invoice.customer) ?? []
    if (fate === 'order') {
      const lines = usableLines(invoice)
      orders.set(invoice.customer, [...own, { invoice, lines }])
      return [{ at: invoice.at, why: 'placed', order: orderOf(invoice, lines, decimals) }]
    }
    if (fate !== 'cancellation') return []
    return takeBack(invoice, own, matches).map(({ order, before }) =>
      order.lines.length > 0
        ? { at: invoice.at, why: 'reduced', order: orderOf(order.invoice, order.lines, decimals) }
        : {
            at: invoice.at,
            why: 'cancelled',
            order: { ...orderOf(order.invoice, before, decimals), status: 'cancelled' },
          },
    )
  })
  return { states, matches }
}

/** The orders that a cancellation changes, oldest first, with their lines before it. */
function takeBack(
  cancellation: Invoice,
  orders: readonly Open[],
  matches: Matches,
): { order: Open; before: readonly InvoiceLine[] }[] {
  const before = new Map<Open, readonly InvoiceLine[]>()
  for (const { sku, priceE4, quantity } of usableLines(cancellation)) {
    let left = -quantity
    for (const order of orders.toReversed()) {
      order.lines = order.lines.flatMap((line) => {
        if (line.sku !== sku || line.priceE4 !== priceE4 || left === 0n) return [line]
        if (!before.has(order)) before.set(order, order.lines)
        const taken = left < line.quantity ? left : line.quantity
        left -= taken
        return taken === line.quantity ? [] : [{ ...line, quantity: line.quantity - taken }]
      })
    }
    matches.lines += 1
    matches[left === 0n ? 'full' : left < -quantity ? 'part' : 'none'] += 1
  }
  return orders.flatMap((order) => (before.has(order) ? [{ order, before: before.get(order)! }] : []))
}
