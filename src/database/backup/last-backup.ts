import type { Queryable } from '../db/driver.ts'
import { sqlFile } from '../db/sql-file.ts'

const noteSql = sqlFile(import.meta.url, 'last-backup-note')
const findSql = sqlFile(import.meta.url, 'last-backup-find')

/** Stores of which moment (RFC 3339) the last backup is; an earlier one changes nothing. */
export async function noteBackup(tx: Queryable, at: string): Promise<void> {
  await tx.query(noteSql, [at])
}

/** The moment of the last backup, RFC 3339; undefined if there was none. */
export async function findLastBackup(db: Queryable): Promise<string | undefined> {
  return (await db.query<{ at: string }>(findSql))[0]?.at
}
