/*
 * Reads of more than memory holds: on one snapshot, a page of a cursor at a time.
 */
import type { Queryable } from './driver.ts'
import { assertCurrent } from './migrate.ts'
import { takeSnapshot } from './shared-snapshot.ts'
import type { Db, Tx } from './transaction.ts'
import { transactionOnce } from './transaction-once.ts'

const TIMEOUT_MS = 24 * 3_600_000

/** About so many characters are made of a page. */
const TEXT_MAX = 2 ** 20
const ROWS_MAX = 8_192
/** Orders may have a thousand lines each. */
const FIRST_ROWS = 64

/**
 * Runs `read` in a transaction on one snapshot, while others may write, unless `lock`, which runs before the first query, keeps them from it. Errors:
 * OperatorError if the schema is not the one of this code; Unavailable, also if the connection was lost while it read; those of `read`.
 */
export async function readWhole<T>(
  db: Db,
  read: (tx: Tx) => Promise<T>,
  lock: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<T> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  await assertCurrent(db, deadlineAt)
  const prepare = (tx: Tx) => takeSnapshot(tx, db, () => lock(tx))
  return transactionOnce(db, { prepare, work: read, lost: 'the connection was lost: try again' }, deadlineAt)
}

/** The rows of a query as text, in parts of about a megabyte. `onRows` is called with how many rows were read so far. */
export async function* textOfRows<Row extends object>(
  tx: Queryable,
  sql: string,
  textOf: (page: readonly Row[]) => string,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  await tx.query(`declare whole_rows no scroll cursor for ${sql}`)
  let rows = 0
  for (let next = FIRST_ROWS; ; ) {
    const page = await tx.query<Row>(`fetch ${next} from whole_rows`)
    if (page.length === 0) break
    const text = textOf(page)
    yield text
    rows += page.length
    onRows(rows)
    if (text.length < TEXT_MAX / 2) next = Math.min(ROWS_MAX, 2 * next)
    else if (text.length > TEXT_MAX) next = Math.max(1, next / 2)
  }
  await tx.query('close whole_rows')
}
