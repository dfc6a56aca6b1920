import type { Queryable } from './db.ts'
import type { Db } from './transaction.ts'

/** A place for statements that only read, each by itself, until `deadlineAt` (milliseconds of `performance.now()`). */
export function readerOf(db: Db, deadlineAt: number): Queryable {
  return { query: (sql, params = []) => db.read(sql, params, deadlineAt) }
}
