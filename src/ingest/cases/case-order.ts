/*
 * An order of a case, and what is expected of it. The order is read by the reader of the wire.
 */

import { InvalidInput } from '../../errors.ts'
import { parseRatio, type Ratio } from '../../points/arithmetic.ts'
import { PERIOD_PATTERN, type Period, readPeriod } from '../../points/calendar.ts'
import { Type } from '../../points/json-schema.ts'
import type { Expected, TestOrder } from '../../whatif/cases.ts'
import { signedWhole, someText, type WrittenAmount, writtenAmount } from '../fields.ts'
import { lineFields, orderFields, readOrder, tooManyDecimals } from '../order.ts'
import { type Field, Misfit, optional, required } from '../record.ts'
import { shown } from '../shown.ts'
import type { FileFault } from '../yaml-text.ts'
import { attempt, isNamedValues, type NamedValues, namedValues, readEvery, someOf } from './every-fault.ts'

/** The player of an order that names none. */
export const SOMEBODY = 'somebody'
/** Cases may lie in the future: no moment is too late for them. */
export const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z')
/** As many as a program may have. */
const RULES_MAX = 200

/** The fields of an order where it leaves them out. */
const DEFAULTS: NamedValues = {
  name: 'A customer',
  email: 'customer@example.com',
  products: [],
  total_amount: 0,
  discount: 0,
  refferral_code: '',
  user_id: SOMEBODY,
}

const exactPoints: Field<Ratio> = {
  schema: Type.String(),
  read: (value) => {
    // A bare number with more digits may be read as another one.
    const text = typeof value === 'number' && String(value).length <= 15 ? String(value) : value
    const points = typeof text === 'string' ? parseRatio(text) : undefined
    if (points === undefined) throw new Misfit('exact points like 12, "123.4" or "10/3"', value)
    return points
  },
}

const period: Field<Period> = {
  schema: Type.String({ pattern: PERIOD_PATTERN }),
  read: (value) => {
    if (typeof value !== 'string' || !new RegExp(PERIOD_PATTERN).test(value))
      throw new Misfit('a time like P14D, P12M or P1Y', value)
    return readPeriod(value)
  },
}

const expectedFields = {
  points: optional('points', signedWhole, undefined),
  level: optional('level', someText, undefined),
  message: optional('message', someText, undefined),
  balance: optional('balance', signedWhole, undefined),
  available: optional('available', signedWhole, undefined),
  pending: optional('pending', signedWhole, undefined),
  earned: optional('earned', namedValues(RULES_MAX), {}),
  notApplied: optional('not_applied', someOf('rules', RULES_MAX), []),
}

/** Makes a reader of the orders of a file; `players` are those that it names, `decimals` is how many digits amounts may have after the point. */
export function testOrderReader(decimals: number, players: ReadonlySet<string>) {
  const fields = {
    ...orderFields,
    total: required(orderFields.total.wire, amountUpTo(decimals)),
    discount: required(orderFields.discount.wire, amountUpTo(decimals)),
  }
  /**
   * Reads the orders of one case; every fault is added to `faults`. An order that is sent again keeps what it said before, unless it says
   * otherwise now. One without `order_id` is named by its place: order-1 is the first.
   */
  return function readTestOrders(list: readonly unknown[], path: string, faults: FileFault[]): TestOrder[] {
    const sent = new Map<unknown, NamedValues>()
    return list.flatMap((written, index) => {
      const at = `${path}[${index}]`
      if (!isNamedValues(written)) {
        faults.push({ path: at, error: `expected an order, got ${shown(written)}` })
        return []
      }
      const before = faults.length
      const { player, expect, wait, ...own } = withoutNulls(written)
      if (player !== undefined && own.user_id !== undefined)
        faults.push({ path: `${at}.player`, error: 'expected player or user_id, not both' })
      const id = own.order_id ?? `order-${index + 1}`
      const named = player === undefined ? {} : { user_id: player }
      const order: NamedValues = { ...DEFAULTS, ...sent.get(id), ...own, ...named, order_id: id }
      readEvery(fields, withReadableLines(order, at, faults), at, faults)
      if (typeof order.user_id === 'string' && !players.has(order.user_id))
        faults.push({
          path: `${at}.${player === undefined ? 'user_id' : 'player'}`,
          error: `expected a player of this file, got ${shown(order.user_id)}`,
        })
      const waits = wait === undefined ? {} : { wait: attempt(`${at}.wait`, faults, () => period.read(wait))! }
      const expected = expect === undefined ? {} : { expected: readExpected(expect, `${at}.expect`, faults) }
      if (faults.length > before) return []
      sent.set(id, order)
      const { decimals: _, ...read } = readOrder(order, at, END_OF_TIME)
      return [{ order: read, ...waits, ...expected }]
    })
  }
}

function amountUpTo(decimalsMax: number): Field<WrittenAmount> {
  return {
    schema: writtenAmount.schema,
    read: (value) => {
      const written = writtenAmount.read(value)
      if (written.decimals > decimalsMax) throw new InvalidInput('', tooManyDecimals(written.amount, written.decimals))
      return written
    },
  }
}

/** An order without its lines where these have faults, each of which is added to `faults`. */
function withReadableLines(order: NamedValues, path: string, faults: FileFault[]): NamedValues {
  if (!Array.isArray(order.products)) return order
  const before = faults.length
  order.products.forEach((line, index) => {
    readEvery(lineFields, line, `${path}.products[${index}]`, faults)
  })
  return faults.length > before ? { ...order, products: [] } : order
}

function readExpected(written: unknown, path: string, faults: FileFault[]): Expected {
  const before = faults.length
  const read = readEvery(expectedFields, written, path, faults)
  const earned = Object.entries(read?.earned ?? {}).map(
    ([rule, value]) => [rule, attempt(`${path}.earned.${rule}`, faults, () => exactPoints.read(value))!] as const,
  )
  const notApplied = (read?.notApplied ?? []).map(
    (rule, index) => attempt(`${path}.not_applied[${index}]`, faults, () => someText.read(rule))!,
  )
  const { points, level, message, balance, available, pending } = read ?? {}
  const plain = {
    ...{ points, level, message, balance },
    ...(available === undefined ? {} : { available }),
    ...(pending === undefined ? {} : { pending }),
  }
  const isEmpty = earned.length + notApplied.length === 0 && Object.values(plain).every((value) => value === undefined)
  if (isEmpty && faults.length === before) {
    const names = Object.values(expectedFields).map(({ wire }) => wire)
    faults.push({ path, error: `expected at least one of ${names.join(', ')}` })
  }
  return { ...plain, earned: new Map(earned), notApplied }
}

/** A name without a value is the same as its absence. */
function withoutNulls(written: NamedValues): NamedValues {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null && value !== undefined))
}
