/*
 * Reads an order of a case, with the same reader as orders on the wire.
 */

import { InvalidInput } from '../../../errors.ts'
import type { Issue } from '../../points/issue.ts'
import type { SentOrder } from '../../points/model.ts'
import { decimalAmount, type WrittenAmount } from '../fields.ts'
import { lineFields, orderFields, readOrder, tooManyDecimals } from '../order.ts'
import { type Field, required } from '../record.ts'
import { type NamedValues, readEvery } from './collect-issues.ts'

/** The player of an order that names none. */
export const DEFAULT_PLAYER_ID = 'somebody'
/** Cases may lie in the future, so no moment is too late for them. */
export const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z')
/** Defaults for the fields that an order of a case leaves out. */
const DEFAULTS: NamedValues = {
  name: 'A customer',
  email: 'customer@example.com',
  products: [],
  total_amount: 0,
  discount: 0,
  refferral_code: '',
  user_id: DEFAULT_PLAYER_ID,
}

/** Returns a reader for an order of a case; `decimals` is how many decimals amounts may have. */
export function testOrderReader(decimals: number) {
  const fields = {
    ...orderFields,
    total: required(orderFields.total.wire, amountUpTo(decimals)),
    discount: required(orderFields.discount.wire, amountUpTo(decimals)),
  }
  /** Reads an order, applying the defaults. Every issue is added to `issues`; undefined if there is any. */
  return function readTestOrder(values: NamedValues, path: string, issues: Issue[]): SentOrder | undefined {
    const before = issues.length
    const order: NamedValues = { ...DEFAULTS, ...values }
    readEvery(fields, withReadableLines(order, path, issues), path, issues)
    if (issues.length > before) return undefined
    const { decimals: _, ...read } = readOrder(order, path, END_OF_TIME)
    return read
  }
}

function amountUpTo(decimalsMax: number): Field<WrittenAmount> {
  return {
    schema: decimalAmount.schema,
    read: (value) => {
      const parsed = decimalAmount.read(value)
      if (parsed.decimals > decimalsMax) throw new InvalidInput('', tooManyDecimals(parsed.amount, parsed.decimals))
      return parsed
    },
  }
}

/** The order, without its lines if any of them has issues. Every issue is added to `issues`. */
function withReadableLines(order: NamedValues, path: string, issues: Issue[]): NamedValues {
  if (!Array.isArray(order.products)) return order
  const before = issues.length
  order.products.forEach((line, index) => {
    readEvery(lineFields, line, `${path}.products[${index}]`, issues)
  })
  return issues.length > before ? { ...order, products: [] } : order
}
