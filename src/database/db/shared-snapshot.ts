/*
 * Long reads on one consistent snapshot of the database, shared by as many transactions as needed.
 */
import type { Queryable } from './driver.ts'
import { IS_CLUSTER } from './is-cluster.ts'

/** Makes the transaction read-only on one snapshot: the database as it is now, or the one that another transaction has exported. */
export async function useSnapshot(tx: Queryable, shared?: ExportedSnapshot): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only')
  // The timeouts for requests do not apply: all orders may have to be sorted, and the session is idle while a page is being processed.
  await tx.query('set local statement_timeout = 0')
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  if (shared !== undefined) await tx.query(`set transaction snapshot '${shared}'`)
}

/** The id that PostgreSQL gives an exported snapshot. */
export type ExportedSnapshot = string

/**
 * Exports this transaction's snapshot to other sessions for as long as the transaction lasts; it may be idle. PostgreSQL only. Undefined on a cluster
 * (Citus): what is exported is the snapshot of the coordinator, and other sessions would see other rows on the other servers.
 */
export async function exportSnapshot(tx: Queryable): Promise<ExportedSnapshot | undefined> {
  const [row] = await tx.query<{ name: ExportedSnapshot | null }>(
    `select case when not exists (${IS_CLUSTER}) then pg_export_snapshot() end as name`,
  )
  return row!.name ?? undefined
}
