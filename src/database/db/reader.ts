import type { Queryable } from './driver.ts'
import type { SessionUse } from './session-queue.ts'
import type { Db } from './transaction.ts'

/** Runs lookups by key, each outside a transaction and in its own turn of `kind`, until `deadlineAt` (milliseconds of `performance.now()`). */
export function readerOf(db: Db, deadlineAt: number, kind: SessionUse = 'read'): Queryable {
  return { query: (sql, params = []) => db.read(sql, params, deadlineAt, kind) }
}

const PAGE_TIMEOUT_MS = 60_000

/** The same for scans of whole tables, a page at a time: each page has a minute, and runs in its own transaction. */
export function pageReaderOf(db: Db): Queryable {
  return {
    query: (sql, params = []) => db.transaction((tx) => tx.query(sql, params), performance.now() + PAGE_TIMEOUT_MS),
  }
}
