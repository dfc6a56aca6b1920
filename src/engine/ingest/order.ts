import type { TUnion } from 'typebox'
import { InvalidInput, TooLarge } from '../../errors.ts'
import { AMOUNT_SCALE, amountText } from '../points/arithmetic.ts'
import { NO_ATTRIBUTES } from '../points/attributes.ts'
import { Type } from '../points/json-schema.ts'
import { type Line, ORDER_LINES_MAX, type Refund, type SentOrder } from '../points/model.ts'
import type { Amount } from '../points/units.ts'
import { attributesField } from './attributes.ts'
import type { Accepted, RecordKind } from './batch.ts'
import { currencyCode } from './currency-code.ts'
import {
  boolean,
  decimal,
  decimalAmount,
  email,
  key,
  nonBlankKey,
  nonEmptyText,
  oneOf,
  phoneText,
  stateVersion,
  text,
  timestamp,
  wholeAmount,
  wholePoints,
} from './fields.ts'
import { NESTING_MAX, nestingOf } from './nesting.ts'
import {
  compileReader,
  type Field,
  InvalidValue,
  optional,
  type RecordOf,
  type RecordWords,
  readRecord,
  required,
  schemaOf,
} from './record.ts'
import { expected } from './shown.ts'

/** The most lines in all orders of a request together. */
export const REQUEST_LINES_MAX = 250_000
const FUTURE_MAX_MS = 5 * 60 * 1_000

const refundedQty = { qty: required('qty', decimal) }

/** What was given back for a line: an amount, or a quantity of it. */
const refund: Field<Refund> = {
  schema: Type.Union([
    ...(decimal.schema as TUnion).anyOf,
    schemaOf(refundedQty, {
      title: 'RefundedQuantity',
      description: 'A quantity of the line, at what was paid for it after the discount',
      fields: { qty: 'at most the qty of the line' },
    }),
  ]),
  read: (value) =>
    typeof value === 'object' && !Array.isArray(value) ? readRecord(refundedQty, value, '') : decimal.read(value),
}

/** The most bytes of the attributes of an order, and of a line. */
const [ORDER_ATTRIBUTES_MAX, LINE_ATTRIBUTES_MAX] = [2_048, 200]

/** The fields of a product line (specification 2.1; decision 21). */
export const lineFields = {
  sku: optional('product_sku_id', key, undefined),
  amount: optional('amount', decimal, undefined),
  qty: optional('qty', decimal, AMOUNT_SCALE),
  refunded: optional('refunded', refund, undefined),
  attributes: optional('attributes', attributesField(LINE_ATTRIBUTES_MAX), undefined),
}

export const LINE_WORDS: RecordWords<typeof lineFields> = {
  title: 'Line',
  description: 'A product line of an order',
  fields: {
    sku: 'product ID; products outside the catalogue count with their own amount',
    amount: 'amount of the whole line; default: the catalogue price times qty',
    qty: 'quantity; default: 1',
    attributes: 'what rules may ask about the line, such as its category; see attributes',
    refunded: 'what was refunded of the line so far: an amount, at most its own, or { qty }; default: nothing',
  },
}

const readLineFields = compileReader(lineFields)

const linesSchema = Type.Array(schemaOf(lineFields, LINE_WORDS), { maxItems: ORDER_LINES_MAX })

/** A list of lines, or the JSON of one as text (decision 21). */
const lines: Field<Line[]> = {
  schema: Type.Union([
    linesSchema,
    Type.String({
      contentMediaType: 'application/json',
      contentSchema: linesSchema,
      description: 'the JSON of an array',
    }),
  ]),
  read: (value) => {
    const list = typeof value === 'string' ? parsed(value) : value
    if (!Array.isArray(list)) throw new InvalidValue('an array of product lines', value)
    if (list.length > ORDER_LINES_MAX) throw new InvalidValue(`at most ${ORDER_LINES_MAX} product lines`, list.length)
    return list.map(readLine)
  },
}

/**
 * The fields of an order (specification 2.1), plus our own: `status`, `ordered_at` (decision 30), `state_version` (decision 71) and those of
 * redemption (decision 139). Contact data is validated, as the contract requires, but not used.
 */
export const orderFields = {
  name: required('name', nonEmptyText),
  email: required('email', email),
  phone: optional('phone', phoneText, undefined),
  address: optional('address', text, undefined),
  lines: required('products', lines),
  id: required('order_id', key),
  total: required('total_amount', decimalAmount),
  discount: required('discount', decimalAmount),
  qty: optional('total_qty', wholeAmount, undefined),
  referralCode: required('refferral_code', text),
  userId: required('user_id', key),
  subscriptPoints: optional('subscript_points', boolean, false),
  status: optional('status', oneOf(['placed', 'cancelled', 'returned']), 'placed' as const),
  orderedAt: optional('ordered_at', timestamp, undefined),
  stateVersion: optional('state_version', stateVersion, undefined),
  fulfilledAt: optional('fulfilled_at', timestamp, undefined),
  pointsRedeemed: optional('points_redeemed', wholePoints, undefined),
  redemptionId: optional('redemption_id', nonBlankKey, undefined),
  currency: optional('currency', currencyCode, undefined),
  attributes: optional('attributes', attributesField(ORDER_ATTRIBUTES_MAX), undefined),
}

export const ORDER_WORDS: RecordWords<typeof orderFields> = {
  title: 'Order',
  description: 'The state of an order. Contact data is validated but not used',
  fields: {
    name: 'name of the customer',
    email: 'e-mail address of the customer',
    phone: 'phone number of the customer: a string or a non-negative integer',
    address: 'address, as free text',
    lines: 'product lines: an array, or its JSON as a string',
    id: 'order ID, exact and case-sensitive',
    total:
      'amount of the order before the discount, with as many decimal places as the program allows; as a string from 16 digits on',
    discount: 'discount on the order; if it exceeds total_amount, the net amount is 0',
    qty: 'total quantity of all lines',
    referralCode: 'referral code used for the order; may be empty',
    userId: 'player ID; predictions treat an unknown player as new, recording requires a known one',
    subscriptPoints: 'flag of the shop; no effect unless the program uses it',
    status: 'default: placed; cancelled and returned orders earn nothing',
    orderedAt: 'time of the order, from 1900 to 5 minutes ahead; default: the recorded time, else now',
    stateVersion: 'version set by the sender, increased with each change; older versions are skipped',
    fulfilledAt:
      'when the order became final (paid, delivered, past returns); default: as recorded, else not yet. Points can stay pending until then',
    pointsRedeemed:
      'points that pay part of the order, as its program allows; default: as recorded, else none. 0 refunds them',
    redemptionId: 'hold of this player to take the points from; default: as recorded, else none',
    attributes: 'what rules may ask about the order, such as its channel; default: as recorded. {} removes them',
    currency:
      "ISO 4217 code like EUR; default: as recorded, else the program's. Another one is refused, unless the program has a rate for it",
  },
}

const readOrderFields = compileReader(orderFields)

/**
 * Reads an order as it was sent; `path` is its path, `now` the moment of its arrival.
 *
 * Returns  the order in our names and units; its moment is `ordered_at`, if sent
 * Errors   InvalidInput for the first invalid field, in the order of the specification
 * Source   decisions 8, 9, 20, 21, 23, 30, 31, 69 and 71
 */
export function readOrder(data: unknown, path: string, now: Date): SentOrder {
  return orderOf(readOrderFields(data, path), path, now)
}

/** The fields of a simulated order, which needs only a player and an amount. No recorded order should have the default id. */
export const simulatedOrderFields = {
  ...orderFields,
  name: optional('name', nonEmptyText, ''),
  email: optional('email', email, ''),
  lines: optional('products', lines, []),
  id: optional('order_id', key, 'simulated: this order was never placed'),
  discount: optional('discount', decimalAmount, { amount: 0n as Amount, decimals: 0 }),
  referralCode: optional('refferral_code', text, ''),
} as const

/** Reads a simulated order, like `readOrder`. */
export function readSimulatedOrder(data: unknown, path: string, now: Date): SentOrder {
  return orderOf(readRecord(simulatedOrderFields, data, path), path, now)
}

function orderOf(record: RecordOf<typeof orderFields>, path: string, now: Date): SentOrder {
  const { id, userId, lines, total, discount, referralCode, subscriptPoints, status } = record
  const { orderedAt, qty, stateVersion, fulfilledAt, pointsRedeemed, redemptionId, currency, attributes } = record
  refuseFuture(orderedAt, `${path}.ordered_at`, now)
  // A cancelled or returned order gives all back, whatever it names.
  if (status === 'placed' && redemptionId !== undefined && pointsRedeemed === undefined)
    refuse(`${path}.points_redeemed`, expected('points_redeemed with redemption_id'))
  refuseFuture(fulfilledAt, `${path}.fulfilled_at`, now)
  return {
    ...{ id, userId, lines, total: total.amount, discount: discount.amount, referralCode, subscriptPoints, status },
    ...(qty === undefined ? {} : { qty }),
    ...(orderedAt === undefined ? {} : { at: orderedAt }),
    ...(stateVersion === undefined ? {} : { stateVersion }),
    ...(fulfilledAt === undefined ? {} : { fulfilledAt }),
    ...(pointsRedeemed === undefined ? {} : { pointsRedeemed }),
    ...(redemptionId === undefined ? {} : { redemptionId }),
    ...(currency === undefined ? {} : { currency }),
    ...(attributes === undefined ? {} : { attributes }),
    ...(total.decimals + discount.decimals === 0
      ? {}
      : { decimals: { total: total.decimals, discount: discount.decimals } }),
  }
}

function refuseFuture(instant: string | undefined, path: string, now: Date): void {
  if (instant !== undefined && Date.parse(instant) > now.getTime() + FUTURE_MAX_MS)
    refuse(path, expected('a timestamp at most 5 minutes ahead', `"${instant}"`))
}

function refuse(path: string, { error, kind }: ReturnType<typeof expected>): never {
  throw new InvalidInput(path, error, kind)
}

/** What an amount with more decimals than its program allows is counted under. */
export const FEWER_DECIMALS = "no more decimal places than the program's money.decimals"

/**
 * The error for an amount with more decimals than its program allows (decision 69). It suggests at least two, as hardly any currency has one: a
 * spreadsheet's 24.5 means 24.50.
 */
export function tooManyDecimals(amount: Amount, decimals = 0): string {
  const [whole, after = ''] = amountText(amount).split('.')
  const formatted = `${whole}.${after.padEnd(decimals, '0')}`
  return `expected ${FEWER_DECIMALS}, got ${formatted}: publish a program with money: { decimals: ${Math.max(2, decimals)} }`
}

/** How the orders of a request are read. Errors besides those of a record: TooLarge for too many lines in total. */
export function orderKind(now: Date): RecordKind<Accepted<SentOrder>> {
  let linesRead = 0
  return {
    wireKey: 'order_id',
    keyField: key,
    accept: (data, path, position) => {
      const record = readOrder(data, path, now)
      linesRead += record.lines.length
      if (linesRead > REQUEST_LINES_MAX)
        throw new TooLarge('data', `expected at most ${REQUEST_LINES_MAX} product lines per request: split the batch`)
      return { position, key: record.id, record }
    },
  }
}

function parsed(json: string): unknown {
  if (nestingOf(json) > NESTING_MAX) throw new InvalidValue(`JSON of at most ${NESTING_MAX} levels`, json)
  try {
    return JSON.parse(json)
  } catch {
    throw new InvalidValue('an array of product lines, or its JSON as a string', json)
  }
}

function readLine(value: unknown, index: number): Line {
  const { sku, amount, qty, refunded, attributes } = readLineFields(value, `[${index}]`)
  const plain = { ...(sku === undefined ? {} : { sku }), ...(amount === undefined ? {} : { amount }), qty }
  const line = attributes === undefined || attributes === NO_ATTRIBUTES ? plain : { ...plain, attributes }
  if (refunded === undefined) return line
  refuseLargerRefund(refunded, line, `[${index}].refunded`)
  return { ...line, refunded }
}

/** Without an amount of its own, a line costs what the catalogue says, which is not known here. */
function refuseLargerRefund(refunded: Refund, { amount, qty }: Line, path: string): void {
  if (typeof refunded !== 'bigint') {
    if (refunded.qty > qty)
      refuse(`${path}.qty`, expected(`at most the qty of the line, ${amountText(qty)}`, amountText(refunded.qty)))
  } else if (amount === undefined)
    refuse(path, expected('the amount of the line beside it, or { qty }', amountText(refunded)))
  else if (refunded > amount)
    refuse(path, expected(`at most the amount of the line, ${amountText(amount)}`, amountText(refunded)))
}
