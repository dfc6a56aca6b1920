/*
 * The ledger looked at from the other side: every sum and every order derived anew from what it is made of, a page at a time.
 */
import type { RecordedOrder } from '../points/model.ts'
import type { Queryable } from './db.ts'
import { type OrderRow, recordedOf } from './order-json.ts'
import { sqlFile } from './sql-file.ts'

const accountsSql = sqlFile('ledger-check-accounts')
const ordersSql = sqlFile('ledger-check-orders')
const ownersSql = sqlFile('ledger-check-owners')

/** A sum that is stored beside the same derived from the entries; values are texts by name. */
export type SumDifference = Readonly<{
  what: 'account' | 'order' | 'referral'
  user_id: string
  order_id?: string
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

/** An order as stored, with what must agree with it: its owner, the first order of its player, and the sums of its entries. */
export type CheckedOrder = Readonly<{
  recorded: RecordedOrder
  ownerId: string | undefined
  firstOrderId: string | undefined
  given: bigint | undefined
  givenToReferrer: bigint | undefined
}>

type Row = Readonly<{
  user_id: string
  order_id: string
  owner_id: string | null
  first_order_id: string | null
  facts: OrderRow
  given: string | null
  given_to_referrer: string | null
}>

/** The next orders after one, in the order of players and order ids. */
export async function listOrdersToCheck(
  db: Queryable,
  after: Readonly<{ userId: string; orderId: string }>,
  limit: number,
): Promise<CheckedOrder[]> {
  const rows = await db.query<Row>(ordersSql, [after.userId, after.orderId, limit])
  return rows.map((row) => ({
    recorded: recordedOf(row.order_id, row.user_id, row.facts),
    ownerId: row.owner_id ?? undefined,
    firstOrderId: row.first_order_id ?? undefined,
    given: row.given === null ? undefined : BigInt(row.given),
    givenToReferrer: row.given_to_referrer === null ? undefined : BigInt(row.given_to_referrer),
  }))
}

/** At most `limit` order ids that have an owner and no order. */
export async function listOwnersWithoutOrder(db: Queryable, limit: number): Promise<string[]> {
  return (await db.query<{ order_id: string }>(ownersSql, [limit])).map(({ order_id }) => order_id)
}
