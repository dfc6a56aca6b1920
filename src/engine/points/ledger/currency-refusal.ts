import { currenciesOf, takesCurrency } from '../currency.ts'
import type { Order } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'

/** The program cannot count the order's currency, or the order is recorded in another one. `accepted` are those that it may be in. */
export type CurrencyRefusal = Readonly<{ kind: 'currency' | 'other-currency'; accepted: readonly string[] }>

/** Why the currency of an order is refused; undefined if it is accepted, or where none is sent. The program is the order's version. */
export function refusalOfCurrency(
  { currency }: Pick<Order, 'currency'>,
  recorded: Order | undefined,
  { program: { money } }: PublishedProgram,
): CurrencyRefusal | undefined {
  if (currency === undefined) return undefined
  if (recorded?.currency !== undefined && recorded.currency !== currency)
    return { kind: 'other-currency', accepted: [recorded.currency] }
  return takesCurrency(currency, money) ? undefined : { kind: 'currency', accepted: currenciesOf(money) }
}
