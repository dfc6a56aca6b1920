import { key } from '../ingest/fields.ts'
import { optional, readRecord } from '../ingest/record.ts'
import { readerOf } from '../store/db/reader.ts'
import { listOrderPage, type StoredOrder } from '../store/stored-orders.ts'
import type { Deps } from './deps.ts'
import { listPage, type Page, type PageQuery } from './pages.ts'

const playerFilter = { userId: optional('user_id', key, undefined) }

/**
 * Lists a page of orders by order id, of all players or of `user_id`. `prefix` is how their ids begin, exactly. An unknown player has none.
 * Errors: InvalidInput, Unavailable.
 */
export async function listRecordedOrders(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery & Readonly<{ prefix?: string | undefined; user_id?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredOrder>> {
  const reader = readerOf(db, deadlineAt)
  const { userId } = readRecord(playerFilter, query, 'query')
  return listPage(
    query,
    ({ order_id }) => order_id,
    (page) => listOrderPage(reader, page, userId),
  )
}
