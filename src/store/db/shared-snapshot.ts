/*
 * Long reading on one state of the database, however many transactions do it.
 */
import type { Queryable } from './driver.ts'

/** Makes the transaction one that sees the database as it is now until its end, or as a transaction that shares its moment does; it cannot write. */
export async function useSnapshot(tx: Queryable, shared?: ExportedSnapshot): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only')
  // The limits of requests are not meant for this: all orders may have to be sorted, and a page is computed while the next one waits.
  await tx.query('set local statement_timeout = 0')
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  if (shared !== undefined) await tx.query(`set transaction snapshot '${shared}'`)
}

/** The name that PostgreSQL gives what a transaction sees. */
export type ExportedSnapshot = string

/** Lets other sessions see what this transaction sees, for as long as it lasts; it may be idle meanwhile. PostgreSQL only. */
export async function exportSnapshot(tx: Queryable): Promise<ExportedSnapshot> {
  return (await tx.query<{ name: ExportedSnapshot }>('select pg_export_snapshot() as name'))[0]!.name
}
