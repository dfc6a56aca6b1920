import { AMOUNT_SCALE, amountRatio, type Ratio } from './arithmetic.ts'
import type { Catalogue, Line, PaidOrder } from './model.ts'
import type { Amount, LineAmount } from './units.ts'

/** Which amount of an order a rule is based on. Source: docs/programs.md */
export type Base = 'net' | 'total' | 'lines' | 'catalogue'

/** The amount less the discount, what points paid and what was refunded, never below 0 (decisions 20 and 139). */
export function computeNet({
  total,
  discount,
  paid = 0n,
  refunded = 0n,
}: Pick<PaidOrder, 'total' | 'discount' | 'paid' | 'refunded'>): Amount {
  const net = total - discount - paid - refunded
  return net > 0n ? net : 0n
}

/**
 * The amount of an order that a rule is based on, exact, in main units.
 *
 * `lines` takes each line's own amount, else price x qty; `catalogue` takes price x qty, else the line's own amount. A line with
 * neither counts as 0 (decision 21). Price x qty is not rounded.
 */
export function computeBase(base: Base, order: PaidOrder, lines: readonly Line[], catalogue: Catalogue): Ratio {
  switch (base) {
    case 'net':
      return amountRatio(computeNet(order))
    case 'total':
      return amountRatio(order.total)
    case 'lines':
      return sumOf(lines, (line) => sentAmount(line) ?? catalogueAmount(line, catalogue))
    case 'catalogue':
      return sumOf(lines, (line) => catalogueAmount(line, catalogue) ?? sentAmount(line))
    default:
      return base satisfies never
  }
}

/** Price x qty of a line, in 1/100,000,000; undefined where the price is unknown. */
export function catalogueAmount(line: Line, catalogue: Catalogue): LineAmount | undefined {
  const price = line.sku === undefined ? undefined : catalogue.get(line.sku)
  return price === undefined ? undefined : price * line.qty
}

/** A line's own amount, in 1/100,000,000 like `catalogueAmount`. */
export function sentAmount(line: Line): LineAmount | undefined {
  return line.amount === undefined ? undefined : line.amount * AMOUNT_SCALE
}

/** A line's amount as it was ordered: its own, else by the catalogue, else 0. */
export function orderedAmount(line: Line, catalogue: Catalogue): LineAmount {
  return sentAmount(line) ?? catalogueAmount(line, catalogue) ?? 0n
}

function sumOf(lines: readonly Line[], amountOf: (line: Line) => LineAmount | undefined): Ratio {
  const sum = lines.reduce((total, line) => total + (amountOf(line) ?? 0n), 0n)
  return { num: sum, den: AMOUNT_SCALE * AMOUNT_SCALE }
}
