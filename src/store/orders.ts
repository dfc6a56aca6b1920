/*
 * Recorded orders looked at from behind: which there are, what each came to first, and what it is now.
 */
import type { RecordedOutcome } from '../points/deviation.ts'
import { type Explanation, isReferred } from '../points/explanation.ts'
import type { RecordedOrder } from '../points/model.ts'
import type { Moment, OrderId, Points, UserId } from '../points/units.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { TimeRange } from './db/time-range.ts'
import { type OrderRow, recordedOf } from './order-rows.ts'

const pageSql = sqlFile('orders-page')
const firstSql = sqlFile('entries-first')
const findSql = sqlFile('orders-find')

export type OrderKey = Readonly<{ userId: UserId; orderId: OrderId }>

/** A recorded order in short: when it was recorded first (RFC 3339), whether in the span, and what it gives now. */
export type OrderInShort = OrderKey & Readonly<{ recordedAt: string; isInSpan: boolean; points: Points }>

/** The next orders after one, in the order of players and order ids. */
export async function listOrders(
  db: Queryable,
  after: OrderKey,
  limit: number,
  span: TimeRange,
): Promise<OrderInShort[]> {
  type Row = Readonly<{ user_id: string; order_id: string; recorded_at: string; in_span: boolean; points: string }>
  const rows = await db.query<Row>(pageSql, [after.userId, after.orderId, limit, span.from, span.to])
  return rows.map(({ user_id, order_id, recorded_at, in_span, points }) => ({
    userId: user_id,
    orderId: order_id,
    recordedAt: recorded_at,
    isInSpan: in_span,
    points: BigInt(points),
  }))
}

/** What the first recording of each came to, in the order of asking; undefined where the ledger knows none. */
export async function listFirstOutcomes(
  db: Queryable,
  orders: readonly OrderKey[],
): Promise<(RecordedOutcome | undefined)[]> {
  type Row = Readonly<{ place: number; at: Moment; points: string; program: number; explanation: string }>
  const rows = await db.query<Row>(firstSql, columnsOf(orders))
  const found = new Map(
    rows.map(({ place, at, points, program, explanation }) => [
      place,
      outcomeOf({ at, points: BigInt(points), program }, JSON.parse(explanation)),
    ]),
  )
  return orders.map((_, index) => found.get(index + 1))
}

function outcomeOf(
  first: Pick<RecordedOutcome, 'at' | 'points' | 'program'>,
  explanation: Explanation,
): RecordedOutcome {
  const { level } = explanation
  return {
    ...first,
    rev: 1n,
    levelAfter: level.after,
    levelPoints: BigInt(level.counted) - first.points,
    referred: isReferred(explanation),
  }
}

/** Orders as they are recorded now, in the order of asking; undefined where one is not recorded. */
export async function findOrders(db: Queryable, orders: readonly OrderKey[]): Promise<(RecordedOrder | undefined)[]> {
  const rows = await db.query<{ place: number; facts: OrderRow }>(findSql, columnsOf(orders))
  const found = new Map(rows.map(({ place, facts }) => [place, facts]))
  return orders.map(({ userId, orderId }, index) => {
    const row = found.get(index + 1)
    return row && recordedOf(orderId, userId, row)
  })
}

function columnsOf(orders: readonly OrderKey[]): [string[], string[]] {
  return [orders.map(({ userId }) => userId), orders.map(({ orderId }) => orderId)]
}
