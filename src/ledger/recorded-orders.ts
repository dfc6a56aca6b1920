/*
 * Recorded orders: state and facts are stored as JSON, with exact numbers as strings.
 */

import type { Columns } from '../database/db/columns.ts'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { TimeRange } from '../database/db/time-range.ts'
import type { Tx } from '../database/db/transaction.ts'
import { AMOUNT_DIGITS, AMOUNT_SCALE, amountText } from '../engine/points/arithmetic.ts'
import { attributeSetOf, valuesOfSet } from '../engine/points/attributes.ts'
import type {
  Catalogue,
  CodeOwner,
  EvaluationInputs,
  Line,
  Order,
  OrderStatus,
  RecordedOrder,
} from '../engine/points/model.ts'
import type { Amount, AttributeSet, OrderId, UserId } from '../engine/points/units.ts'
import { type AttributeSets, digestOfSet, findAttributeSets } from './attribute-sets.ts'

const pageSql = sqlFile(import.meta.url, 'orders-page')
const findSql = sqlFile(import.meta.url, 'orders-find')
const lastFromSql = sqlFile(import.meta.url, 'orders-last-from')
/** Ids on a page: some 10 ms of the embedded database. */
const IDS_PAGE = 5_000
const idsSql = sqlFile(import.meta.url, 'order-ids')
const forgetVersionSql = sqlFile(import.meta.url, 'orders-forget-version')

export const ORDER_COLUMNS: Columns<RecordedOrder> = {
  user_id: ['text', ({ order }) => order.userId],
  order_id: ['text', ({ order }) => order.id],
  ordered_at: ['timestamptz', ({ order }) => order.at],
  state: ['json', ({ order }) => stateJson(order)],
  program_version: ['bigint', ({ facts }) => facts.program],
  facts: ['json', ({ facts }) => factsJson(facts)],
  points: ['bigint', ({ points }) => points],
  referrer_id: ['text', ({ referrer }) => referrer?.userId],
  referrer_points: ['bigint', ({ referrer }) => referrer?.points ?? 0n],
  rev: ['bigint', ({ rev }) => rev],
  state_version: ['bigint', ({ stateVersion }) => stateVersion],
  first_digests: ['json', ({ first }) => first && JSON.stringify(first)],
}

export type OrderKey = Readonly<{ userId: UserId; orderId: OrderId }>

/** A recorded order in brief: when it was first recorded (RFC 3339), and whether that is in the time range. */
export type OrderSummary = OrderKey & Readonly<{ recordedAt: string; isInRange: boolean }>

/** The next `limit` orders after one, by player and order id. */
export async function listOrders(
  db: Queryable,
  after: OrderKey,
  limit: number,
  range: TimeRange,
): Promise<OrderSummary[]> {
  type Row = Readonly<{ user_id: string; order_id: string; recorded_at: string; in_range: boolean }>
  const rows = await db.query<Row>(pageSql, [after.userId, after.orderId, limit, range.from, range.to])
  return rows.map(({ user_id, order_id, recorded_at, in_range }) => ({
    userId: user_id,
    orderId: order_id,
    recordedAt: recorded_at,
    isInRange: in_range,
  }))
}

/** Orders in their current state, in the order given; undefined for one that is not recorded. */
export async function findOrders(db: Queryable, orders: readonly OrderKey[]): Promise<(RecordedOrder | undefined)[]> {
  const rows = await db.query<{ place: number; recorded: OrderRow }>(findSql, [
    orders.map(({ userId }) => userId),
    orders.map(({ orderId }) => orderId),
  ])
  const sets = await findSetsOf(
    db,
    rows.map(({ recorded }) => recorded),
  )
  const byPlace = new Map(rows.map(({ place, recorded }) => [place, recorded]))
  return orders.map(({ userId, orderId }, index) => {
    const row = byPlace.get(index + 1)
    return row && toRecordedOrder(orderId, userId, row, sets)
  })
}

/** The latest recorded order at or after a moment (RFC 3339, `-infinity` for all). */
export async function findLastOrderFrom(
  db: Queryable,
  from: string,
): Promise<{ order_id: string; ordered_at: string } | undefined> {
  const [last] = await db.query<{ order_id: string; ordered_at: string }>(lastFromSql, [from])
  return last
}

/** The ids of all orders, a page after the other. */
export async function* listOrderIds(db: Queryable): AsyncGenerator<readonly OrderId[]> {
  for (let after: OrderId = ''; ; ) {
    const page = await db.query<{ order_id: OrderId }>(idsSql, [after, IDS_PAGE])
    yield page.map(({ order_id }) => order_id)
    if (page.length < IDS_PAGE) return
    after = page.at(-1)!.order_id
  }
}

/** Clears the version of an order's state. Whether it had one; undefined if there is no such order. */
export async function forgetOrderVersion(
  tx: Pick<Tx, 'query' | 'changes'>,
  orderId: OrderId,
): Promise<boolean | undefined> {
  const [order] = await tx.query<{ user_id: UserId; had_version: boolean }>(forgetVersionSql, [orderId])
  if (order !== undefined) tx.changes('players', [order.user_id])
  return order?.had_version
}

type AttributesJson = Readonly<Record<string, unknown>>

type StateJson = Readonly<{
  status: OrderStatus
  total: string
  discount: string
  qty?: string
  referral_code: string
  subscript_points: boolean
  fulfilled_at?: string
  points_redeemed?: string
  redemption_id?: string
  currency?: string
  attributes?: AttributesJson
  lines: readonly Readonly<{
    sku?: string
    amount?: string
    qty: string
    refunded?: string | Readonly<{ qty: string }>
    attributes?: AttributesJson
  }>[]
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
    participates?: false
    attributes?: AttributesJson
  }>
  /** null: unknown at the first recording. */
  prices: Readonly<Record<string, string | null>>
  codes: Readonly<Record<string, CodeOwner>>
  /** Digests, by product. */
  attributes?: Readonly<Record<string, string>>
  statistics_by?: string
  rounds_first_days?: true
  erased?: true
}>

/** A recorded order as statements return it (ledger/recorded-order.fragment.sql). */
export type OrderRow = Readonly<{
  at: string
  state: StateJson
  facts: FactsJson
  program: number
  points: string
  referrer_id: string | null
  referrer_points: string
  rev: string
  state_version: number | null
  recorded_at: string
  first: Readonly<{ order: string; prices: string }> | null
}>

/** A `StateJson`: what is undefined is left out. */
function stateJson(order: Order): string {
  return JSON.stringify({
    status: order.status,
    total: amountText(order.total),
    discount: amountText(order.discount),
    qty: order.qty === undefined ? undefined : amountText(order.qty),
    referral_code: order.referralCode,
    subscript_points: order.subscriptPoints,
    fulfilled_at: order.fulfilledAt,
    points_redeemed: order.pointsRedeemed === undefined ? undefined : String(order.pointsRedeemed),
    redemption_id: order.redemptionId,
    currency: order.currency,
    attributes: order.attributes && valuesOfSet(order.attributes),
    lines: order.lines.map(({ sku, amount, qty, refunded, attributes }) => ({
      sku,
      amount: amount === undefined ? undefined : amountText(amount),
      qty: amountText(qty),
      refunded: refundedJson(refunded),
      attributes: attributes && valuesOfSet(attributes),
    })),
  })
}

function refundedJson(refunded: Line['refunded']): StateJson['lines'][number]['refunded'] {
  if (refunded === undefined) return undefined
  return typeof refunded === 'bigint' ? amountText(refunded) : { qty: amountText(refunded.qty) }
}

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
    ...(state.fulfilled_at === undefined ? {} : { fulfilledAt: state.fulfilled_at }),
    ...(state.points_redeemed === undefined ? {} : { pointsRedeemed: BigInt(state.points_redeemed) }),
    ...(state.redemption_id === undefined ? {} : { redemptionId: state.redemption_id }),
    ...(state.currency === undefined ? {} : { currency: state.currency }),
    ...(state.attributes === undefined ? {} : { attributes: attributeSetOf(state.attributes) }),
    lines: state.lines.map(lineOf),
  }
}

function lineOf({ sku, amount, qty, refunded, attributes }: StateJson['lines'][number]): Line {
  return {
    ...(sku === undefined ? {} : { sku }),
    ...(amount === undefined ? {} : { amount: amountOf(amount) }),
    qty: amountOf(qty),
    ...(refunded === undefined
      ? {}
      : { refunded: typeof refunded === 'string' ? amountOf(refunded) : { qty: amountOf(refunded.qty) } }),
    ...(attributes === undefined ? {} : { attributes: attributeSetOf(attributes) }),
  }
}

function factsJson(inputs: EvaluationInputs): string {
  const { player, prices, codes, attributes, statisticsBy, roundsFirstDays, erased } = inputs
  const { known, region: state, district, country, gender, dateOfBirth, participates } = player
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
    ...(participates === undefined ? {} : { participates }),
    ...(player.attributes === undefined ? {} : { attributes: valuesOfSet(player.attributes) }),
  }
  // Building an object with ever new keys costs several times as much as building its JSON text.
  const items: string[] = []
  for (const [sku, price] of prices)
    items.push(`${JSON.stringify(sku)}:${price === undefined ? 'null' : `"${amountText(price)}"`}`)
  const named = codes.size === 0 ? '{}' : JSON.stringify(Object.fromEntries(codes))
  const digests = attributes === undefined ? '' : `,"attributes":${digestsJson(attributes)}`
  const by = statisticsBy === undefined ? '' : `,"statistics_by":${JSON.stringify(statisticsBy)}`
  const flags = `${roundsFirstDays ? ',"rounds_first_days":true' : ''}${erased ? ',"erased":true' : ''}`
  return `{"player":${JSON.stringify(facts)},"prices":{${items.join(',')}},"codes":${named}${digests}${by}${flags}}`
}

function digestsJson(attributes: ReadonlyMap<string, AttributeSet>): string {
  return JSON.stringify(Object.fromEntries([...attributes].map(([sku, set]) => [sku, digestOfSet(set)])))
}

/** The attributes of products that the facts in these rows name. */
export async function findSetsOf(db: Queryable, rows: readonly Pick<OrderRow, 'facts'>[]): Promise<AttributeSets> {
  const digests = new Set<string>()
  for (const { facts } of rows)
    if (facts.attributes !== undefined) for (const digest of Object.values(facts.attributes)) digests.add(digest)
  return findAttributeSets(db, digests)
}

/** The facts in a row: what the order was first recorded with. `sets` are those that they name. */
export function factsOf(
  { facts, program }: Pick<OrderRow, 'facts' | 'program'>,
  sets: AttributeSets,
): EvaluationInputs {
  const { date_of_birth: dateOfBirth, points, counted, orders, state, attributes, ...texts } = facts.player
  return {
    program,
    player: {
      ...texts,
      region: state,
      points: BigInt(points),
      levelPoints: BigInt(counted),
      orders: BigInt(orders),
      ...(dateOfBirth === undefined ? {} : { dateOfBirth }),
      ...(attributes === undefined ? {} : { attributes: attributeSetOf(attributes) }),
    },
    prices: pricesOf(facts.prices),
    codes: new Map(Object.entries(facts.codes)),
    ...(facts.attributes === undefined ? {} : { attributes: attributesIn(facts.attributes, sets) }),
    ...(facts.statistics_by === undefined ? {} : { statisticsBy: facts.statistics_by }),
    ...(facts.rounds_first_days ? { roundsFirstDays: true } : {}),
    ...(facts.erased ? { erased: true } : {}),
  }
}

function attributesIn(
  digests: Readonly<Record<string, string>>,
  sets: AttributeSets,
): ReadonlyMap<string, AttributeSet> {
  return new Map(Object.entries(digests).map(([sku, digest]) => [sku, sets.get(digest)!]))
}

function pricesOf(json: FactsJson['prices']): Catalogue {
  const prices = new Map<string, Amount | undefined>()
  for (const [sku, price] of Object.entries(json)) prices.set(sku, price === null ? undefined : amountOf(price))
  return prices
}

/** The complete recorded order in a row. `sets` are those that its facts name. */
export function toRecordedOrder(id: string, userId: string, row: OrderRow, sets: AttributeSets): RecordedOrder {
  return {
    order: orderOf(id, userId, row),
    facts: factsOf(row, sets),
    points: BigInt(row.points),
    ...(row.referrer_id === null ? {} : { referrer: { userId: row.referrer_id, points: BigInt(row.referrer_points) } }),
    ...(row.first === null ? {} : { first: row.first }),
    rev: BigInt(row.rev),
    ...(row.state_version === null ? {} : { stateVersion: row.state_version }),
    recordedAt: row.recorded_at,
  }
}

/** Amounts of up to this many digits stay exact as a number even when scaled by 10,000. */
const EXACT_DIGITS = 11

/** Parses what `amountText` wrote; no validation needed, as the amount was validated before it was written. */
function amountOf(text: string): Amount {
  const point = text.indexOf('.')
  if (point === -1)
    // Creating a BigInt from a number costs half as much as from a string.
    return text.length > EXACT_DIGITS ? BigInt(text) * AMOUNT_SCALE : BigInt(Number(text) * Number(AMOUNT_SCALE))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(AMOUNT_DIGITS, '0'))
}
