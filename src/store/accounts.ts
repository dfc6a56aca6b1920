import { EMPTY_ACCOUNT } from '../points/ledger/account.ts'
import type { Account } from '../points/model.ts'
import { type AccountRow, accountOf } from './account-rows.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

const findSql = sqlFile('accounts-find')
const pageSql = sqlFile('entries-page')

/** An entry as stored. Points and numbers are texts, `explanation` is JSON. */
export type StoredEntry = Readonly<{
  seq: string
  kind: string
  points: string
  counts: boolean
  order_id: string | null
  revision: string | null
  program: number | null
  at: string
  adjustment_id: string | null
  reason: string | null
  explanation: string | null
}>

/** A player who was sent, with their account. */
export type PlayerAccount = Readonly<{ userId: string; name: string; account: Account }>

/** The accounts of those of these players who were ever sent; one without entries is empty. */
export async function listAccounts(db: Queryable, userIds: readonly string[]): Promise<PlayerAccount[]> {
  const rows = await db.query<{ user_id: string; name: string; facts: AccountRow | null }>(findSql, [userIds])
  return rows.map(({ user_id: userId, name, facts }) => ({
    userId,
    name,
    account: facts === null ? EMPTY_ACCOUNT : accountOf(facts),
  }))
}

/** At most `limit` entries of a player below the sequence `before`, newest first. */
export async function listEntries(
  db: Queryable,
  userId: string,
  { before, limit }: { before: bigint; limit: number },
): Promise<StoredEntry[]> {
  return db.query<StoredEntry>(pageSql, [userId, String(before), limit])
}
