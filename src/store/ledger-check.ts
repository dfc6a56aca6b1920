/*
 * The ledger looked at from the other side: every sum and every order derived anew from what it is made of, a page at a time.
 */
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { OrderRow } from './orders.ts'

const accountsSql = sqlFile('ledger-check-accounts')
const ordersSql = sqlFile('ledger-check-orders')
const ownersSql = sqlFile('ledger-check-owners')

/** A sum that is stored beside the same derived from the entries; values are texts by name. */
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

/** The accounts of the next players after `after`, in the order of their ids, compared with their entries. */
export async function checkAccounts(db: Queryable, after: string, limit: number): Promise<AccountsPage> {
  const [page] = await db.query<AccountsPage>(accountsSql, [after, limit])
  return page!
}

/** An order as a statement answers it, with its owner, the first order of its player, and the terms of its points. */
export type OrderToCheck = Readonly<{
  user_id: string
  order_id: string
  owner_id: string | null
  first_order_id: string | null
  recorded: OrderRow
  /** Of its entries that come to something; each is null where they have none. */
  terms: readonly (readonly [usableOn: string | null, expiresOn: string | null, slides: boolean | null])[]
}>

/** The next orders after one, in the order of players and order ids. */
export async function listOrdersToCheck(
  db: Queryable,
  after: Readonly<{ userId: string; orderId: string }>,
  limit: number,
): Promise<OrderToCheck[]> {
  return db.query<OrderToCheck>(ordersSql, [after.userId, after.orderId, limit])
}

/** At most `limit` order ids that have an owner and no order. */
export async function listOwnersWithoutOrder(db: Queryable, limit: number): Promise<string[]> {
  return (await db.query<{ order_id: string }>(ownersSql, [limit])).map(({ order_id }) => order_id)
}
