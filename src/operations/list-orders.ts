import { InvalidInput } from '../errors.ts'
import { key } from '../ingest/fields.ts'
import { optional, readRecord } from '../ingest/record.ts'
import { dayAfter } from '../points/local-time.ts'
import type { PublishedProgram } from '../points/program-model.ts'
import { momentOfDay } from '../points/programs.ts'
import { readerOf } from '../store/db/reader.ts'
import { listOrderPage, listOrderPageByMoment, type StoredOrder, type WhoseOrders } from '../store/stored-orders.ts'
import type { Deps } from './deps.ts'
import { listPage, listPageByMoment, type Page, type PageQuery } from './pages.ts'
import { readDay } from './statistics/span.ts'

const playerFilter = {
  userId: optional('user_id', key, undefined),
  referrerId: optional('referrer_id', key, undefined),
}

type OrderFilter = Readonly<Partial<Record<'prefix' | 'user_id' | 'referrer_id' | 'from' | 'to', string | undefined>>>

/**
 * Lists a page of orders by order id, of all players, of `user_id`, or those that give `referrer_id` points. `prefix` is how their ids begin, exactly. An unknown player has none.
 * Where `from` or `to` is given, those of these days, newest first. Errors: InvalidInput, Unavailable.
 */
export async function listRecordedOrders(
  { db, programs }: Pick<Deps, 'db' | 'programs'>,
  query: PageQuery & OrderFilter,
  deadlineAt: number,
): Promise<Page<StoredOrder>> {
  const reader = readerOf(db, deadlineAt)
  const days = readDays(programs(), query)
  if (days !== undefined)
    return listPageByMoment(
      query,
      ({ ordered_at: at, order_id: id }) => ({ at, id }),
      (page) => listOrderPageByMoment(reader, page, days),
    )
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

/** The moments of some days, in the time zone of the program; undefined where none is asked for. */
function readDays(programs: readonly PublishedProgram[], query: OrderFilter) {
  const [from, to] = [readDay('from', query.from), readDay('to', query.to)]
  if (from === undefined && to === undefined) return undefined
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidInput('query.from', `expected a day up to ${to}, got ${from}`)
  for (const other of ['prefix', 'user_id', 'referrer_id'] as const)
    if (query[other] !== undefined) throw new InvalidInput(`query.${other}`, 'expected either days or this')
  return {
    from: from === undefined ? '-infinity' : momentOfDay(programs, from),
    until: to === undefined ? 'infinity' : momentOfDay(programs, dayAfter(to, 1)),
  }
}

function referrerOf(userId: string | undefined): WhoseOrders | undefined {
  return userId === undefined ? undefined : { as: 'referrer_id', userId }
}
