/*
 * The money of single lines: refunds, and the share of an order's net that belongs to the lines that a condition chooses.
 */
import { AMOUNT_SCALE, amountRatio, type Ratio, sumAmounts, ZERO } from './arithmetic.ts'
import { computeNet, orderedAmount } from './bases.ts'
import type { Catalogue, Line, Order, PaidOrder } from './model.ts'
import { roundTo } from './rounding.ts'
import type { Amount, LineAmount } from './units.ts'

const LINE_SCALE = AMOUNT_SCALE * AMOUNT_SCALE

/** The order with what was refunded of all its lines; the order itself where nothing was. Refunds of quantities are rounded to 1/10,000. */
export function withRefunds<One extends Order>(order: One, catalogue: Catalogue): One & Pick<PaidOrder, 'refunded'> {
  if (!order.lines.some(({ refunded }) => refunded !== undefined)) return order
  const ordered = orderedSum(order.lines, catalogue)
  const refunded = sumAmounts(order.lines.map((line) => refundOf(line, order, ordered, catalogue)))
  return { ...order, refunded }
}

/** What was given back for a line, in money: of a quantity, its part of what was paid for the line after the discount. */
function refundOf(line: Line, order: Order, ordered: LineAmount, catalogue: Catalogue): Amount {
  const { refunded, qty } = line
  if (refunded === undefined) return 0n
  if (typeof refunded === 'bigint') return refunded
  const divisor = ordered * qty
  if (divisor === 0n) return 0n
  const paid = computeNet({ total: order.total, discount: order.discount })
  return roundTo({ num: paid * orderedAmount(line, catalogue) * refunded.qty, den: divisor }, 'half-up')
}

/** The units of a line that were not refunded. An amount refunded leaves the units. */
export function keptUnits({ qty, refunded }: Line): Amount {
  return refunded === undefined || typeof refunded === 'bigint' ? qty : qty - refunded.qty
}

/** The money of chosen lines, exact, in main units: their `share` of `net`, as `chosen` is to `all`. */
export type ChosenMoney = Readonly<{ share: Ratio; net: Ratio; chosen: Ratio; all: Ratio }>

/**
 * The share of an order's net that belongs to these of its lines: in proportion to their amounts as ordered, less the part of each that was refunded.
 *
 * Units     main units of money
 * Rounding  none: the shares of choices that cover every line once add up to the net exactly
 * Bounds    from 0 to the net; 0 where no line has an amount
 * Source    docs/program-reference.md
 */
export function shareOfNet(order: PaidOrder, lines: readonly Line[], catalogue: Catalogue): ChosenMoney {
  const net = amountRatio(computeNet(order))
  const left = leftOfLines(order, catalogue)
  const chosen = left(lines)
  const all = lines === order.lines ? chosen : left(order.lines)
  const share = all.num === 0n ? ZERO : { num: net.num * chosen.num * all.den, den: net.den * chosen.den * all.num }
  return { share, net, chosen, all }
}

/** Sums what is left of lines of an order, as amounts before the discount. */
function leftOfLines(order: PaidOrder, catalogue: Catalogue): (lines: readonly Line[]) => Ratio {
  if (order.refunded === undefined) return (lines) => orderedMoney(lines, catalogue)
  const ordered = orderedSum(order.lines, catalogue)
  const paid = computeNet({ total: order.total, discount: order.discount })
  // Where nothing was paid there is nothing to share.
  if (paid === 0n) return () => ZERO
  const leftOf = (line: Line): bigint => {
    if (isReturned(line)) return 0n
    const left = orderedAmount(line, catalogue) * paid - refundOf(line, order, ordered, catalogue) * ordered
    return left > 0n ? left : 0n
  }
  // All lines have the denominator of the order's shares, so that none is rounded.
  return (lines) => ({ num: lines.reduce((sum, line) => sum + leftOf(line), 0n), den: paid * LINE_SCALE })
}

/** Whether all units of a line were refunded: nothing of it is left, though its refund was rounded. */
function isReturned({ qty, refunded }: Line): boolean {
  return typeof refunded === 'object' && refunded.qty > 0n && refunded.qty === qty
}

function orderedSum(lines: readonly Line[], catalogue: Catalogue): LineAmount {
  return lines.reduce((sum, line) => sum + orderedAmount(line, catalogue), 0n)
}

/** The amounts of lines as ordered, before discount and refunds, in main units. */
export function orderedMoney(lines: readonly Line[], catalogue: Catalogue): Ratio {
  return { num: orderedSum(lines, catalogue), den: LINE_SCALE }
}
