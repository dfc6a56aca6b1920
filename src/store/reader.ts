import type { Queryable } from './db.ts'
import type { Db } from './transaction.ts'

/** A place for statements that find rows by their keys, each by itself, until `deadlineAt` (milliseconds of `performance.now()`). */
export function readerOf(db: Db, deadlineAt: number): Queryable {
  return { query: (sql, params = []) => db.read(sql, params, deadlineAt) }
}

/** The same for statements that go through whole tables, a page at a time. */
export function pageReaderOf(db: Db, deadlineAt: number): Queryable {
  return { query: (sql, params = []) => db.transaction((tx) => tx.query(sql, params), deadlineAt) }
}
