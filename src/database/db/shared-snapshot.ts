/*
 * Long reads on one consistent snapshot of the database, shared by as many transactions as needed.
 */
import type { Queryable } from './driver.ts'
import type { Db } from './transaction.ts'
import { transactionOnce } from './transaction-once.ts'

/** What everyone writes one of whose changes lie on several servers, in the order in which most lock it: whoever meets a deadlock runs again. */
const WRITTEN = 'account_totals, players, products, accounts, order_owners'
/** Each server takes its snapshot with the first statement that reaches it. */
const openAllSql = 'select (select max(user_id) from accounts), (select max(order_id) from order_owners)'
const WRITERS_TIMEOUT_MS = 60_000

/**
 * Makes the transaction read-only on one snapshot: the database as it is now. `lock` runs before the first query. The servers of a cluster take their
 * snapshots one after the other: meanwhile, over a second connection, no change begins, and those that have begun are over. Errors: Unavailable, also if
 * they take too long, or one of the connections is lost.
 */
export async function takeSnapshot(
  tx: Queryable,
  db: Pick<Db, 'isCluster' | 'transaction'>,
  lock: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  await useSnapshot(tx)
  await lock()
  if (!db.isCluster()) return
  const prepare = async (writers: Queryable) => {
    await writers.query(`lock table ${WRITTEN} in share mode`)
  }
  // Not to be run again: it is part of another transaction, in which servers keep the snapshots that they have.
  const work = () =>
    tx.query(openAllSql).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
  const lost = 'the connection was lost: try again'
  const failed = await transactionOnce(db, { prepare, work, lost }, performance.now() + WRITERS_TIMEOUT_MS)
  if (failed !== undefined) throw failed.error
}

/** Makes the transaction read-only on one snapshot, by default that of its first query, or the one that another transaction has exported. */
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
 * Exports this transaction's snapshot to other sessions for as long as the transaction lasts; it may be idle. PostgreSQL only, and not on a cluster: what
 * is exported is the snapshot of the coordinator, and other sessions would see other rows on the other servers.
 */
export async function exportSnapshot(tx: Queryable): Promise<ExportedSnapshot> {
  return (await tx.query<{ name: ExportedSnapshot }>('select pg_export_snapshot() as name'))[0]!.name
}
