import { NO_ACCOUNT } from '../points/ledger.ts'
import type { Account } from '../points/model.ts'
import { type AccountRow, accountOf } from './account-row.ts'
import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

const findSql = sqlFile('account-find')
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

/** A player's name and account; undefined if he was never sent. */
export async function findAccount(
  db: Queryable,
  userId: string,
): Promise<{ name: string; account: Account } | undefined> {
  const [row] = await db.query<{ name: string; facts: AccountRow | null }>(findSql, [userId])
  return row && { name: row.name, account: row.facts === null ? NO_ACCOUNT : accountOf(row.facts) }
}

/** At most `limit` entries of a player below the sequence `before`, newest first. */
export async function listEntries(
  db: Queryable,
  userId: string,
  { before, limit }: { before: bigint; limit: number },
): Promise<StoredEntry[]> {
  return db.query<StoredEntry>(pageSql, [userId, String(before), limit])
}
