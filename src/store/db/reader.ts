import type { Queryable } from './driver.ts'
import type { Db } from './transaction.ts'
import type { TurnKind } from './turns.ts'

/** A place for statements that find rows by their keys, each by itself in a turn of `kind`, until `deadlineAt` (milliseconds of `performance.now()`). */
export function readerOf(db: Db, deadlineAt: number, kind: TurnKind = 'read'): Queryable {
  return { query: (sql, params = []) => db.read(sql, params, deadlineAt, kind) }
}

const PAGE_TIMEOUT_MS = 60_000

/** The same for statements that go through whole tables, a page at a time: each page has a minute. */
export function pageReaderOf(db: Db): Queryable {
  return {
    query: (sql, params = []) => db.transaction((tx) => tx.query(sql, params), performance.now() + PAGE_TIMEOUT_MS),
  }
}
