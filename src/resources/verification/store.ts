/*
 * Checks of the ledger: every stored sum and every order is derived again from its source, a page at a time.
 */
import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { OrderRow } from '../../ledger/recorded-orders.ts'

const accountsSql = sqlFile(import.meta.url, 'ledger-check-accounts')
const ordersSql = sqlFile(import.meta.url, 'ledger-check-orders')
const ownersSql = sqlFile(import.meta.url, 'ledger-check-owners')

/** A stored sum that differs from the one derived from the entries; values are strings by name. */
export type SumDifference = Readonly<{
  what: 'account' | 'order' | 'referral' | 'redemption'
  user_id: string
  order_id?: string
  redemption_id?: string
  at?: string
  stored: Readonly<Record<string, string | null>>
  derived: Readonly<Record<string, string | null>>
}>

export type AccountsPage = Readonly<{
  players: number
  entries: string
  last: string | null
  differences: readonly SumDifference[]
}>

/** Compares the accounts of the next `limit` players after `after`, by id, with their entries. */
export async function checkAccounts(db: Queryable, after: string, limit: number): Promise<AccountsPage> {
  const [page] = await db.query<AccountsPage>(accountsSql, [after, limit])
  return page!
}

/** An order as stored, with its owner, its player's first order, and the terms of its points. */
export type OrderToCheck = Readonly<{
  user_id: string
  order_id: string
  owner_id: string | null
  first_order_id: string | null
  recorded: OrderRow
  /** The distinct terms of its entries whose sum is not 0; null if the entries have none. */
  terms: readonly (readonly [usableOn: string | null, expiresOn: string | null, slides: boolean | null])[]
}>

/** The next `limit` orders after one, by player and order id. */
export async function listOrdersToCheck(
  db: Queryable,
  after: Readonly<{ userId: string; orderId: string }>,
  limit: number,
): Promise<OrderToCheck[]> {
  return db.query<OrderToCheck>(ordersSql, [after.userId, after.orderId, limit])
}

/** At most `limit` order ids that have an owner but no order. */
export async function listOwnersWithoutOrder(db: Queryable, limit: number): Promise<string[]> {
  return (await db.query<{ order_id: string }>(ownersSql, [limit])).map(({ order_id }) => order_id)
}
