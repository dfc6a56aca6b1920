import { escaped } from '../ingest/row.ts'
import { explanationOf } from '../points/explanation.ts'
import type { Account, Entry, Order, RecordedOrder } from '../points/model.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { Tx } from './db/transaction.ts'
import { factsJson, stateJson } from './order-rows.ts'

const lockSql = sqlFile('accounts-lock')
const accountsSql = sqlFile('accounts-write')
const ownersSql = sqlFile('order-owners-claim')
const ownersCopySql = sqlFile('order-owners-copy')
const ordersSql = sqlFile('orders-write')
const ordersCopySql = sqlFile('orders-copy')
const entriesSql = sqlFile('entries-insert')
const entriesCopySql = sqlFile('entries-copy')
const lastFromSql = sqlFile('orders-last-from')

/** From so many rows on COPY is faster than lists as parameters (bench/NOTES.md). */
const COPY_ROWS_MIN = 20
const COPY_NULL = '\\N'
const UNIQUE_VIOLATION = '23505'

/**
 * Another request has written what this one builds on, after it was read. Its SQLSTATE is that of a failed serialisation: the
 * transaction is run again (failures.ts).
 */
class MovedOn extends Error {
  readonly code = '40001'
}

/** Whose account a writer wants: with an order, also those of the players whom its referral codes stand for. */
export type AccountWanted = Readonly<{ userId: string; orderId?: string; code?: string }>

/** Takes the accounts that a request may write, all at once and in one order for everybody. Unknown players have none. */
export async function lockAccounts(tx: Queryable, wanted: readonly AccountWanted[]): Promise<void> {
  await tx.query(lockSql, [
    wanted.map(({ userId }) => userId),
    wanted.map(({ orderId = '' }) => orderId),
    wanted.map(({ code = '' }) => code),
  ])
}

/**
 * Writes accounts and orders as they are afterwards, and the entries that led there; `at` is the moment of the request.
 * Errors: MovedOn, which `Db` meets by running the work again.
 */
export async function writeToLedger(
  tx: Tx,
  {
    accounts,
    orders,
    entries,
  }: Readonly<{
    accounts: ReadonlyMap<string, Account>
    orders: ReadonlyMap<string, RecordedOrder>
    entries: readonly Entry[]
  }>,
  at: string,
): Promise<void> {
  if (accounts.size > 0) await writeAccounts(tx, accounts)
  if (orders.size > 0) {
    const added = new Set(entries.flatMap(({ order }) => (order?.revision === 1n ? [order.id] : [])))
    const [fresh, changed] = [
      [...added].map((id) => orders.get(id)!),
      [...orders.values()].filter(({ order }) => !added.has(order.id)),
    ]
    await insertOrders(tx, fresh, at)
    await writeOrders(tx, changed, at)
  }
  if (entries.length > 0) await insertEntries(tx, entries, at)
}

/** Writes accounts as they are afterwards. Errors: MovedOn where one is no longer as it was read. */
async function writeAccounts(tx: Queryable, accounts: ReadonlyMap<string, Account>): Promise<void> {
  const all = [...accounts.values()]
  const written = await tx.query(accountsSql, [
    [...accounts.keys()],
    all.map(({ points }) => String(points)),
    all.map(({ levelPoints }) => String(levelPoints)),
    all.map(({ orders }) => String(orders)),
    all.map(({ entries }) => String(entries)),
    all.map(({ firstOrderId }) => firstOrderId ?? null),
    all.map(({ rev }) => String(rev + 1n)),
  ])
  if (written.length < all.length) throw new MovedOn('another request writes to the same account')
}

/** Inserts orders that are recorded for the first time. Errors: MovedOn where somebody was quicker with the same id. */
async function insertOrders(tx: Tx, fresh: readonly RecordedOrder[], at: string): Promise<void> {
  await claimOrders(
    tx,
    fresh.map(({ order }) => order).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  if (fresh.length < COPY_ROWS_MIN) await writeOrders(tx, fresh, at)
  else await tx.copy(ordersCopySql, fresh.map((recorded) => orderLine(recorded, at)).join(''))
}

/** Makes ids of orders, sorted, their players' own. Errors: MovedOn where another player was quicker. */
async function claimOrders(tx: Tx, orders: readonly Order[]): Promise<void> {
  const taken = () => new MovedOn('another request records an order of the same id')
  if (orders.length < COPY_ROWS_MIN) {
    if (orders.length === 0) return
    const claimed = await tx.query(ownersSql, [orders.map(({ id }) => id), orders.map(({ userId }) => userId)])
    if (claimed.length < orders.length) throw taken()
    return
  }
  try {
    await tx.copy(ownersCopySql, orders.map(({ id, userId }) => `${escaped(id)}\t${escaped(userId)}\n`).join(''))
  } catch (error) {
    throw (error as { code?: unknown }).code === UNIQUE_VIOLATION ? taken() : error
  }
}

async function writeOrders(tx: Queryable, recorded: readonly RecordedOrder[], at: string): Promise<void> {
  if (recorded.length === 0) return
  await tx.query(ordersSql, [
    recorded.map(({ order }) => order.userId),
    recorded.map(({ order }) => order.id),
    recorded.map(({ order }) => order.at),
    recorded.map(({ order }) => stateJson(order)),
    recorded.map(({ facts }) => facts.program),
    recorded.map(({ facts }) => factsJson(facts)),
    recorded.map(({ points }) => String(points)),
    recorded.map(({ referrer }) => referrer?.userId ?? null),
    recorded.map(({ referrer }) => String(referrer?.points ?? 0n)),
    recorded.map(({ rev }) => String(rev)),
    recorded.map(({ first }) => (first === undefined ? null : JSON.stringify(first))),
    at,
  ])
}

function orderLine({ order, facts, points, referrer, rev, first }: RecordedOrder, at: string): string {
  const { userId, id } = order
  const given = referrer === undefined ? `${COPY_NULL}\t0` : `${escaped(referrer.userId)}\t${referrer.points}`
  const digests = first === undefined ? COPY_NULL : JSON.stringify(first)
  const [state, known] = [escaped(stateJson(order)), escaped(factsJson(facts))]
  return `${escaped(userId)}\t${escaped(id)}\t${order.at}\t${state}\t${facts.program}\t${known}\t${points}\t${given}\t${rev}\t${at}\t${at}\t${digests}\n`
}

async function insertEntries(tx: Tx, entries: readonly Entry[], at: string): Promise<void> {
  if (entries.length >= COPY_ROWS_MIN) {
    await tx.copy(entriesCopySql, entries.map((entry) => entryLine(entry, at)).join(''))
    return
  }
  await tx.query(entriesSql, [
    entries.map(({ userId }) => userId),
    entries.map(({ seq }) => String(seq)),
    entries.map(({ kind }) => kind),
    entries.map(({ points }) => String(points)),
    entries.map(({ counts }) => counts),
    entries.map((entry) => entry.at),
    entries.map(({ order }) => order?.id ?? null),
    entries.map(({ order }) => (order === undefined ? null : String(order.revision))),
    entries.map(({ order }) => order?.program ?? null),
    entries.map(({ adjustment }) => adjustment?.id ?? null),
    entries.map(({ adjustment }) => adjustment?.reason ?? null),
    entries.map((entry) => explanationJson(entry) ?? null),
    at,
  ])
}

function entryLine(entry: Entry, at: string): string {
  const { userId, seq, kind, points, counts, order, adjustment } = entry
  const cause =
    order === undefined
      ? `${COPY_NULL}\t${COPY_NULL}\t${COPY_NULL}`
      : `${escaped(order.id)}\t${order.revision}\t${order.program}`
  const made =
    adjustment === undefined ? `${COPY_NULL}\t${COPY_NULL}` : `${escaped(adjustment.id)}\t${escaped(adjustment.reason)}`
  const explanation = explanationJson(entry)
  const why = explanation === undefined ? COPY_NULL : escaped(explanation)
  return `${escaped(userId)}\t${seq}\t${kind}\t${points}\t${counts}\t${entry.at}\t${cause}\t${made}\t${why}\t${at}\n`
}

function explanationJson({ order }: Entry): string | undefined {
  return order?.prediction === undefined ? undefined : JSON.stringify(explanationOf(order.prediction))
}

/** Of the recorded orders at or after a moment (RFC 3339, `-infinity` for all) the one that lies latest. */
export async function findLastOrderFrom(
  db: Queryable,
  moment: string,
): Promise<{ order_id: string; ordered_at: string } | undefined> {
  const [found] = await db.query<{ order_id: string; ordered_at: string }>(lastFromSql, [moment])
  return found
}
