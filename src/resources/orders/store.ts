/*
 * Recorded orders as shown to people.
 */

import type { Queryable } from '../../database/db/driver.ts'
import type { InstantPage } from '../../database/db/instant-page.ts'
import { type KeyPage, keyPageParams } from '../../database/db/key-page.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { Explanation } from '../../engine/points/explanation.ts'
import type { ReportedNothingReason, RevisionChange } from '../../engine/points/model.ts'

/** An order without its lines, under the database's names. Amounts, quantities and points are exact numbers as strings, moments RFC 3339. */
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
  /** When it was first recorded, and last updated. */
  recorded_at: string
  updated_at: string
  currency: string | null
}>

export type StoredLine = Readonly<{
  sku?: string
  amount?: string
  qty: string
  refunded?: string | Readonly<{ qty: string }>
  attributes?: StoredAttributes
}>

export type StoredAttributes = Readonly<Record<string, unknown>>

/** What the recording of a state changed: an entry of the order's player. `explanation` is null if none was kept. */
export type StoredRevision = Readonly<{
  revision: number
  change: RevisionChange | null
  points: number
  program: number
  recorded_at: string
  explanation: Explanation | null
}>

/** An order with its lines and, where they were asked for, its revisions; its attributes, and the points that it says to redeem, whatever its status, null if none. */
export type WholeOrder = StoredOrder &
  Readonly<{
    points_redeemed: number | null
    attributes: StoredAttributes | null
    lines: readonly StoredLine[]
    revisions: readonly StoredRevision[]
  }>

const REVISIONS_MAX = 500

const pageOfAllSql = sqlFile(import.meta.url, 'orders-of-all-page')
const pageByTimeSql = sqlFile(import.meta.url, 'orders-by-moment-page')
const zeroPointPageSql = sqlFile(import.meta.url, 'zero-point-orders-page')
const pageOfPlayerSql = {
  user_id: sqlFile(import.meta.url, 'orders-of-player-page', { whose: 'user_id' }),
  referrer_id: sqlFile(import.meta.url, 'orders-of-player-page', { whose: 'referrer_id' }),
} as const

/** Selects orders by their player, or by the referrer who gets points for them. */
export type WhoseOrders = Readonly<{ as: keyof typeof pageOfPlayerSql; userId: string }>
const findSql = sqlFile(import.meta.url, 'order-find')
const latestSql = sqlFile(import.meta.url, 'orders-latest')

/** A page of all orders, or of one player's or referrer's, by order id. */
export async function listOrderPage(db: Queryable, page: KeyPage, whose?: WhoseOrders): Promise<StoredOrder[]> {
  const params = keyPageParams(page)
  return whose === undefined
    ? db.query<StoredOrder>(pageOfAllSql, params)
    : db.query<StoredOrder>(pageOfPlayerSql[whose.as], [...params, whose.userId])
}

/** The moments in [`from`, `until`): RFC 3339, `-infinity` or `infinity`. */
export type InstantRange = Readonly<{ from: string; until: string }>

/** A page of the orders within a range of moments, newest first. */
export async function listOrderPageByTime(
  db: Queryable,
  { before, limit }: InstantPage,
  { from, until }: InstantRange,
): Promise<StoredOrder[]> {
  return db.query<StoredOrder>(pageByTimeSql, [before.at, before.id, limit, from, until])
}

/** An order, with the moment that it carried when first recorded. */
export type ZeroPointOrder = StoredOrder & Readonly<{ first_at: string }>

/** A page of the orders that earned no points at their first recording for a given reason, by their moment at the time, newest first. */
export async function listZeroPointOrderPage(
  db: Queryable,
  { before, limit }: InstantPage,
  { from, until }: InstantRange,
  reason: ReportedNothingReason,
): Promise<ZeroPointOrder[]> {
  return db.query<ZeroPointOrder>(zeroPointPageSql, [before.at, before.id, limit, from, until, reason])
}

/** An order with its lines and, explained, its newest 500 revisions; undefined if it was never recorded. */
export async function findStoredOrder(
  db: Queryable,
  orderId: string,
  explain: boolean,
): Promise<WholeOrder | undefined> {
  type Row = Omit<WholeOrder, 'revisions'> & Readonly<{ revisions: string }>
  const [row] = await db.query<Row>(findSql, [orderId, explain ? REVISIONS_MAX : 0])
  return row && { ...row, revisions: JSON.parse(row.revisions) }
}

/** The moments (RFC 3339) of the latest orders of players; those without an order are not there. */
export async function latestOrders(db: Queryable, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ user_id: string; latest: string }>(latestSql, [userIds])
  return new Map(rows.map(({ user_id, latest }) => [user_id, latest]))
}
