import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { key } from '../../engine/ingest/fields.ts'
import { withIdIn } from '../../engine/ingest/handles.ts'
import { optional, readRecord } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { REPORTED_NOTHING_REASONS } from '../../engine/points/model.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { startOfProgramDay } from '../../engine/points/programs.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { readDay, readOneOf } from '../../routing/day-range.ts'
import { listPage, listPageByTime, type Page, type PageQuery } from '../../routing/pages.ts'
import {
  findStoredOrder,
  type InstantRange,
  listOrderPage,
  listOrderPageByTime,
  listZeroPointOrderPage,
  type StoredOrder,
  type WholeOrder,
  type WhoseOrders,
  type ZeroPointOrder,
} from './store.ts'

const playerFilter = {
  userId: optional('user_id', key, undefined),
  referrerId: optional('referrer_id', key, undefined),
}

const KEY_FILTERS = ['prefix', 'user_id', 'referrer_id'] as const

type OrderFilter = Readonly<
  Partial<Record<(typeof KEY_FILTERS)[number] | 'from' | 'to' | 'nothing', string | undefined>>
>

/**
 * Lists a page of orders by order id: all, those of `user_id`, or those that give `referrer_id` points; `prefix` is how their ids begin, case
 * included. An unknown player has none; a handle stands for its player. With `from` or `to`, lists the orders of these days instead, newest
 * first; with `nothing`, only those whose first recording earned no points for that reason. Errors: InvalidInput, Unavailable.
 */
export async function listRecordedOrders(
  { db, programs, handles }: Pick<Deps, 'db' | 'programs' | 'handles'>,
  query: PageQuery & OrderFilter,
  deadlineAt: number,
): Promise<Page<StoredOrder>> {
  const reader = readerOf(db, deadlineAt)
  if (query.from !== undefined || query.to !== undefined || query.nothing !== undefined)
    return listByTime(reader, query, readInstantRange(programs(), query))
  const filter = withIdIn(withIdIn(query, 'user_id', handles), 'referrer_id', handles)
  const { userId, referrerId } = readRecord(playerFilter, filter, 'query')
  if (userId !== undefined && referrerId !== undefined)
    throw new InvalidInput('query.referrer_id', 'user_id and referrer_id cannot be combined')
  const whose = ownerIn({ userId, referrerId })
  return listPage(
    query,
    ({ order_id }) => order_id,
    (page) => listOrderPage(reader, page, whose),
  )
}

async function listByTime(
  reader: Queryable,
  query: PageQuery & OrderFilter,
  range: InstantRange,
): Promise<Page<StoredOrder>> {
  for (const other of KEY_FILTERS)
    if (query[other] !== undefined)
      throw new InvalidInput(`query.${other}`, 'cannot be combined with from, to or nothing')
  if (query.nothing === undefined)
    return listPageByTime(
      query,
      ({ ordered_at: at, order_id: id }) => ({ at, id }),
      (page) => listOrderPageByTime(reader, page, range),
    )
  const reason = readOneOf('nothing', REPORTED_NOTHING_REASONS, query.nothing)
  const { rows, after } = await listPageByTime(
    query,
    ({ first_at: at, order_id: id }: ZeroPointOrder) => ({ at, id }),
    (page) => listZeroPointOrderPage(reader, page, range, reason),
  )
  return { rows: rows.map(({ first_at: _, ...order }) => order), after }
}

/** The moments covered by the days asked for, in the program's time zone; all if none are given. */
function readInstantRange(programs: readonly PublishedProgram[], query: OrderFilter): InstantRange {
  const [from, to] = [readDay('from', query.from), readDay('to', query.to)]
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidInput('query.from', `expected a date up to ${to}, got ${from}`)
  return {
    from: from === undefined ? '-infinity' : startOfProgramDay(programs, from),
    until: to === undefined ? 'infinity' : startOfProgramDay(programs, dayAfter(to, 1)),
  }
}

function ownerIn({
  userId,
  referrerId,
}: Readonly<Record<'userId' | 'referrerId', string | undefined>>): WhoseOrders | undefined {
  if (userId !== undefined) return { as: 'user_id', userId }
  return referrerId === undefined ? undefined : { as: 'referrer_id', userId: referrerId }
}

/** An order as recorded, with its lines; if it is to be explained, with its revisions. Errors: NotFound if it was never recorded; Unavailable. */
export async function showOrder(
  { db }: Pick<Deps, 'db'>,
  orderId: string,
  explain: boolean,
  deadlineAt: number,
): Promise<WholeOrder> {
  const order = await findStoredOrder(readerOf(db, deadlineAt), orderId, explain)
  if (order === undefined) throw new NotFound(`order ${shortened(orderId)} not found`)
  return order
}
