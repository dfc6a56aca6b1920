/*
 * Recorded orders for people who look at them.
 */
import type { ToldNothingReason } from '../points/model.ts'
import type { Queryable } from './db/driver.ts'
import { type KeyPage, keyPageParams } from './db/key-page.ts'
import type { MomentPage } from './db/moment-page.ts'
import { sqlFile } from './db/sql-file.ts'

/** An order in short, with the database's names. Amounts, quantities and points are exact numbers as texts, moments RFC 3339. */
export type StoredOrder = Readonly<{
  order_id: string
  user_id: string
  status: string
  ordered_at: string
  total: string
  discount: string
  qty: string | null
  line_count: number
  referral_code: string
  subscript_points: boolean
  points: string
  referrer_id: string | null
  referrer_points: string
  program: number
  rev: number
  state_version: number | null
  /** When it was recorded first, and last. */
  recorded_at: string
  updated_at: string
}>

export type StoredLine = Readonly<{ sku?: string; amount?: string; qty: string }>

const pageOfAllSql = sqlFile('orders-of-all-page')
const pageByMomentSql = sqlFile('orders-by-moment-page')
const pageOfNothingSql = sqlFile('orders-of-nothing-page')
const pageOfPlayerSql = {
  user_id: sqlFile('orders-of-player-page', { whose: 'user_id' }),
  referrer_id: sqlFile('orders-of-player-page', { whose: 'referrer_id' }),
} as const

/** The player of orders, or whom they give points for a referral. */
export type WhoseOrders = Readonly<{ as: keyof typeof pageOfPlayerSql; userId: string }>
const findSql = sqlFile('order-find')

/** A page of all orders, or of those of one player, by order id. */
export async function listOrderPage(db: Queryable, page: KeyPage, whose?: WhoseOrders): Promise<StoredOrder[]> {
  const params = keyPageParams(page)
  return whose === undefined
    ? db.query<StoredOrder>(pageOfAllSql, params)
    : db.query<StoredOrder>(pageOfPlayerSql[whose.as], [...params, whose.userId])
}

/** Moments in [from, until), RFC 3339, `-infinity` or `infinity`. */
export type Moments = Readonly<{ from: string; until: string }>

/** A page of the orders of some moments, newest first. */
export async function listOrderPageByMoment(
  db: Queryable,
  { before, limit }: MomentPage,
  { from, until }: Moments,
): Promise<StoredOrder[]> {
  return db.query<StoredOrder>(pageByMomentSql, [before.at, before.id, limit, from, until])
}

/** An order, and the moment that it had when it was first recorded. */
export type OrderOfNothing = StoredOrder & Readonly<{ first_at: string }>

/** A page of the orders that earned nothing for a reason when they were first recorded, by their moment then, newest first. */
export async function listOrderPageOfNothing(
  db: Queryable,
  { before, limit }: MomentPage,
  { from, until }: Moments,
  reason: ToldNothingReason,
): Promise<OrderOfNothing[]> {
  return db.query<OrderOfNothing>(pageOfNothingSql, [before.at, before.id, limit, from, until, reason])
}

/** An order with its lines; undefined for one never recorded. */
export async function findStoredOrder(
  db: Queryable,
  orderId: string,
): Promise<(StoredOrder & { readonly lines: readonly StoredLine[] }) | undefined> {
  const [order] = await db.query<StoredOrder & { readonly lines: readonly StoredLine[] }>(findSql, [orderId])
  return order
}
