/*
 * Orders as the store keeps them: state and facts as JSON, exact numbers as texts.
 */
import { AMOUNT_DIGITS, AMOUNT_SCALE, amountText } from '../points/arithmetic.ts'
import type { Catalogue, CodeOwner, Facts, Line, Order, OrderStatus, RecordedOrder } from '../points/model.ts'
import type { Amount } from '../points/units.ts'

type StateJson = Readonly<{
  status: OrderStatus
  total: string
  discount: string
  qty?: string
  referral_code: string
  subscript_points: boolean
  lines: readonly Readonly<{ sku?: string; amount?: string; qty: string }>[]
}>

type FactsJson = Readonly<{
  player: Readonly<{
    known: boolean
    points: string
    counted: string
    orders: string
    state: string
    district: string
    country: string
    gender: string
    date_of_birth?: string
  }>
  /** null: unknown then. */
  prices: Readonly<Record<string, string | null>>
  codes: Readonly<Record<string, CodeOwner>>
}>

/** An order as a statement answers it. */
export type OrderRow = Readonly<{
  at: string
  state: StateJson
  facts: FactsJson
  program: number
  points: string
  referrer_id: string | null
  referrer_points: string
  rev: string
  recorded_at: string
  first: Readonly<{ order: string; prices: string }> | null
}>

export function stateJson(order: Order): string {
  const state: StateJson = {
    status: order.status,
    total: amountText(order.total),
    discount: amountText(order.discount),
    ...(order.qty === undefined ? {} : { qty: amountText(order.qty) }),
    referral_code: order.referralCode,
    subscript_points: order.subscriptPoints,
    lines: order.lines.map(({ sku, amount, qty }) => ({
      ...(sku === undefined ? {} : { sku }),
      ...(amount === undefined ? {} : { amount: amountText(amount) }),
      qty: amountText(qty),
    })),
  }
  return JSON.stringify(state)
}

/** The order that a row holds. */
export function orderOf(id: string, userId: string, { at, state }: Pick<OrderRow, 'at' | 'state'>): Order {
  return {
    id,
    userId,
    at,
    status: state.status,
    total: amountOf(state.total),
    discount: amountOf(state.discount),
    ...(state.qty === undefined ? {} : { qty: amountOf(state.qty) }),
    referralCode: state.referral_code,
    subscriptPoints: state.subscript_points,
    lines: state.lines.map(lineOf),
  }
}

function lineOf({ sku, amount, qty }: StateJson['lines'][number]): Line {
  return {
    ...(sku === undefined ? {} : { sku }),
    ...(amount === undefined ? {} : { amount: amountOf(amount) }),
    qty: amountOf(qty),
  }
}

export function factsJson({ player, prices, codes }: Facts): string {
  const { known, region: state, district, country, gender, dateOfBirth } = player
  const facts: FactsJson['player'] = {
    known,
    state,
    district,
    country,
    gender,
    points: String(player.points),
    counted: String(player.levelPoints),
    orders: String(player.orders),
    ...(dateOfBirth === undefined ? {} : { date_of_birth: dateOfBirth }),
  }
  // An object whose keys are ever new ones costs several times its text.
  const items: string[] = []
  for (const [sku, price] of prices)
    items.push(`${JSON.stringify(sku)}:${price === undefined ? 'null' : `"${amountText(price)}"`}`)
  const named = codes.size === 0 ? '{}' : JSON.stringify(Object.fromEntries(codes))
  return `{"player":${JSON.stringify(facts)},"prices":{${items.join(',')}},"codes":${named}}`
}

/** What a row says that the order was first recorded with. */
export function factsOf({ facts, program }: Pick<OrderRow, 'facts' | 'program'>): Facts {
  const { date_of_birth: dateOfBirth, points, counted, orders, state, ...texts } = facts.player
  return {
    program,
    player: {
      ...texts,
      region: state,
      points: BigInt(points),
      levelPoints: BigInt(counted),
      orders: BigInt(orders),
      ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
    },
    prices: pricesOf(facts.prices),
    codes: new Map(Object.entries(facts.codes)),
  }
}

function pricesOf(written: FactsJson['prices']): Catalogue {
  const prices = new Map<string, Amount | undefined>()
  for (const [sku, price] of Object.entries(written)) prices.set(sku, price === null ? undefined : amountOf(price))
  return prices
}

/** The whole of an order as a statement answers it. */
export function recordedOf(id: string, userId: string, row: OrderRow): RecordedOrder {
  return {
    order: orderOf(id, userId, row),
    facts: factsOf(row),
    points: BigInt(row.points),
    ...(row.referrer_id === null ? {} : { referrer: { userId: row.referrer_id, points: BigInt(row.referrer_points) } }),
    ...(row.first === null ? {} : { first: row.first }),
    rev: BigInt(row.rev),
    recordedAt: row.recorded_at,
  }
}

/** Digits that a number holds exactly, scaled by 10,000, too. */
const EXACT_DIGITS = 11

/** The amount that `amountText` wrote; what wrote it had read it once already. */
function amountOf(text: string): Amount {
  const point = text.indexOf('.')
  if (point === -1)
    // A big integer made of a number costs half of one made of a text.
    return text.length > EXACT_DIGITS ? BigInt(text) * AMOUNT_SCALE : BigInt(Number(text) * Number(AMOUNT_SCALE))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(AMOUNT_DIGITS, '0'))
}
