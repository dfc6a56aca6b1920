import type { Columns } from '../database/db/columns.ts'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { EMPTY_ACCOUNT } from '../engine/points/ledger/account.ts'
import type { Account } from '../engine/points/model.ts'

const findSql = sqlFile(import.meta.url, 'accounts-find')

/** An account as statements return it (ledger/account.fragment.sql). */
export type AccountJson = readonly [
  points: string,
  counted: string,
  orders: string,
  entries: string,
  firstOrderId: string | null,
  rev: string,
]

/** The account in a statement's row. */
export function accountOf([points, counted, orders, entries, firstOrderId, rev]: AccountJson): Account {
  return {
    points: BigInt(points),
    levelPoints: BigInt(counted),
    orders: BigInt(orders),
    entries: BigInt(entries),
    ...(firstOrderId === null ? {} : { firstOrderId }),
    rev: BigInt(rev),
  }
}

/** An account is written with the next revision. */
export const ACCOUNT_COLUMNS: Columns<readonly [userId: string, account: Account]> = {
  user_id: ['text', ([userId]) => userId],
  points: ['bigint', ([, { points }]) => points],
  counted: ['bigint', ([, { levelPoints }]) => levelPoints],
  orders: ['bigint', ([, { orders }]) => orders],
  entries: ['bigint', ([, { entries }]) => entries],
  first_order_id: ['text', ([, { firstOrderId }]) => firstOrderId],
  rev: ['bigint', ([, { rev }]) => rev + 1n],
}

/** A known player with their account. */
export type PlayerAccount = Readonly<{ userId: string; name: string; isErased: boolean; account: Account }>

/** The accounts of those of these players who are known; a player without entries has an empty account. */
export async function listAccounts(db: Queryable, userIds: readonly string[]): Promise<PlayerAccount[]> {
  type Row = Readonly<{ user_id: string; name: string; is_erased: boolean; account: AccountJson | null }>
  const rows = await db.query<Row>(findSql, [userIds])
  return rows.map(({ user_id: userId, name, is_erased: isErased, account }) => ({
    userId,
    name,
    isErased,
    account: account === null ? EMPTY_ACCOUNT : accountOf(account),
  }))
}
