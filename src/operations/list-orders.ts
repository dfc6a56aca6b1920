import { InvalidInput } from '../errors.ts'
import { key } from '../ingest/fields.ts'
import { optional, readRecord } from '../ingest/record.ts'
import { readerOf } from '../store/db/reader.ts'
import { listOrderPage, type StoredOrder, type WhoseOrders } from '../store/stored-orders.ts'
import type { Deps } from './deps.ts'
import { listPage, type Page, type PageQuery } from './pages.ts'

const playerFilter = {
  userId: optional('user_id', key, undefined),
  referrerId: optional('referrer_id', key, undefined),
}

/**
 * Lists a page of orders by order id, of all players, of `user_id`, or those that give `referrer_id` points. `prefix` is how their ids begin, exactly. An unknown player has none.
 * Errors: InvalidInput, Unavailable.
 */
export async function listRecordedOrders(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery &
    Readonly<{ prefix?: string | undefined; user_id?: string | undefined; referrer_id?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredOrder>> {
  const reader = readerOf(db, deadlineAt)
  const { userId, referrerId } = readRecord(playerFilter, query, 'query')
  if (userId !== undefined && referrerId !== undefined)
    throw new InvalidInput('query.referrer_id', 'expected either user_id or referrer_id')
  const whose = userId === undefined ? referrerOf(referrerId) : ({ as: 'user_id', userId } as const)
  return listPage(
    query,
    ({ order_id }) => order_id,
    (page) => listOrderPage(reader, page, whose),
  )
}

function referrerOf(userId: string | undefined): WhoseOrders | undefined {
  return userId === undefined ? undefined : { as: 'referrer_id', userId }
}
