/*
 * What each line of an order brings: what the order would earn without it.
 */
import { AMOUNT_DIGITS } from './arithmetic.ts'
import { withProductAttributes } from './attributes.ts'
import { orderedAmount } from './bases.ts'
import { inProgramCurrency } from './currency.ts'
import type { Evaluation } from './ledger/evaluate-order.ts'
import type { Order } from './model.ts'
import { predict } from './predict.ts'
import { roundTo } from './rounding.ts'
import { countsShareOfNet } from './rules/index.ts'
import type { Amount, LineAmount, Points } from './units.ts'

/** Longer orders would take too long: as many predictions as lines, each of as many lines. */
const LINES_MAX = 50

/** An order without one of its lines: its amount and discount then, and what it earns. */
export type WithoutLine = Readonly<{ line: number; total: Amount; discount: Amount; points: Points }>

/**
 * What a placed order of up to 50 lines would earn without each of them, where its program counts shares of net; undefined elsewhere. Each number is that
 * of the order sent without the line: the line's part of amount and discount, by line amounts, is taken off, rounded to the program's decimals.
 */
export function withoutEachLine({
  order,
  facts,
  published,
  context,
}: Pick<Evaluation, 'order' | 'facts' | 'published' | 'context'>): readonly WithoutLine[] | undefined {
  const { program } = published
  const isShown = order.status === 'placed' && order.lines.length <= LINES_MAX && program.earn.some(countsShareOfNet)
  if (!isShown) return undefined
  const unit = 10n ** BigInt(AMOUNT_DIGITS - program.money.decimals)
  const { lines } = inProgramCurrency(order, program.money)
  const amounts = lines.map((line) => orderedAmount(line, facts.prices))
  return order.lines.map((_, line) => {
    const without = orderWithout(order, line, amounts, unit)
    const seen = withProductAttributes(without, facts, program)
    const { points } = predict(seen, facts.player, facts.prices, published, context)
    return { line, total: without.total, discount: without.discount, points }
  })
}

/** The order without a line, whose parts of total and discount are multiples of `unit`. `amounts` are those of the lines. */
export function orderWithout(order: Order, index: number, amounts: readonly LineAmount[], unit: Amount): Order {
  const { lines, total, discount, qty } = order
  const line = lines[index]!
  const all = amounts.reduce((sum, amount) => sum + amount, 0n)
  const part = (amount: Amount): Amount => {
    if (all === 0n) return amount
    return amount - roundTo({ num: amount * amounts[index]!, den: all * unit }, 'half-up') * unit
  }
  return {
    ...order,
    lines: lines.filter((_, other) => other !== index),
    total: atLeast0(part(total)),
    discount: atLeast0(part(discount)),
    ...(qty === undefined ? {} : { qty: atLeast0(qty - line.qty) }),
  }
}

function atLeast0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}
