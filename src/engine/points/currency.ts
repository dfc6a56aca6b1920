/*
 * Orders in other currencies than the program's.
 */
import type { Line, Order } from './model.ts'
import type { Program } from './program-model.ts'
import { roundTo } from './rounding.ts'
import type { Amount } from './units.ts'

/** Rates have up to eight decimals: they are integers of 1/100,000,000. */
export const RATE_DIGITS = 8
const RATE_SCALE = 10n ** BigInt(RATE_DIGITS)

let codes: ReadonlySet<string> | undefined

/** Whether this is a currency of ISO 4217. */
export function isCurrency(code: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf('currency'))
  return codes.has(code)
}

/** Whether the program can count an order in this currency: it names none, or that one, or a rate for it; an order that names none is in the program's. */
export function takesCurrency(
  currency: string | undefined,
  { currency: programCurrency, rates }: Program['money'],
): boolean {
  return (
    currency === undefined ||
    programCurrency === undefined ||
    currency === programCurrency ||
    rates?.has(currency) === true
  )
}

/** The currencies that the program can count, its own first. */
export function currenciesOf({ currency, rates }: Program['money']): readonly string[] {
  return currency === undefined ? [] : [currency, ...(rates?.keys() ?? [])]
}

/**
 * The order with its amounts in the program's currency; the order itself where that is its currency, or where there is no rate. Each amount is multiplied by the
 * rate exactly, and rounded half up to 1/10,000.
 */
export function inProgramCurrency(order: Order, { currency: programCurrency, rates }: Program['money']): Order {
  const { currency } = order
  if (currency === undefined || programCurrency === undefined || currency === programCurrency) return order
  const rate = rates?.get(currency)
  if (rate === undefined) return order
  const converted = (amount: Amount): Amount => roundTo({ num: amount * rate, den: RATE_SCALE }, 'half-up')
  return {
    ...order,
    lines: order.lines.map((line) => lineWith(line, converted)),
    total: converted(order.total),
    discount: converted(order.discount),
  }
}

function lineWith(line: Line, converted: (amount: Amount) => Amount): Line {
  const { amount, refunded } = line
  return {
    ...line,
    ...(amount === undefined ? {} : { amount: converted(amount) }),
    ...(typeof refunded === 'bigint' ? { refunded: converted(refunded) } : {}),
  }
}
