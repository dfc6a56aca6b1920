import { explanationOf } from '../points/explanation.ts'
import type { Account, Entry, RecordedOrder } from '../points/model.ts'
import type { Queryable } from './db.ts'
import { factsJson, stateJson } from './order-json.ts'
import { sqlFile } from './sql-file.ts'

const lockSql = sqlFile('accounts-lock')
const accountsSql = sqlFile('accounts-write')
const ownersSql = sqlFile('order-owners-claim')
const ordersSql = sqlFile('orders-write')
const entriesSql = sqlFile('entries-insert')
const lastFromSql = sqlFile('orders-last-from')

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
  tx: Queryable,
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
    await claimOrders(tx, orders, entries)
    await writeOrders(tx, [...orders.values()], at)
  }
  if (entries.length > 0) await insertEntries(tx, entries, at)
}

/** Writes accounts as they are afterwards. Errors: MovedOn where one is no longer as it was read. */
async function writeAccounts(tx: Queryable, accounts: ReadonlyMap<string, Account>): Promise<void> {
  const all = [...accounts.values()]
  const written = await tx.query(accountsSql, [
    [...accounts.keys()],
    all.map(({ points }) => String(points)),
    all.map(({ counted }) => String(counted)),
    all.map(({ orders }) => String(orders)),
    all.map(({ entries }) => String(entries)),
    all.map(({ firstOrderId }) => firstOrderId ?? null),
    all.map(({ rev }) => String(rev + 1n)),
  ])
  if (written.length < all.length) throw new MovedOn('another request writes to the same account')
}

/** Makes the ids of orders that are recorded for the first time their players' own. Errors: MovedOn where another player was quicker. */
async function claimOrders(
  tx: Queryable,
  orders: ReadonlyMap<string, RecordedOrder>,
  entries: readonly Entry[],
): Promise<void> {
  const added = new Set(entries.flatMap(({ order }) => (order?.revision === 1n ? [order.id] : [])))
  const owners = [...added].map((id) => orders.get(id)!.order.userId)
  const claimed = await tx.query(ownersSql, [[...added], owners])
  if (claimed.length < added.size) throw new MovedOn('another request records an order of the same id')
}

async function writeOrders(tx: Queryable, recorded: readonly RecordedOrder[], at: string): Promise<void> {
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
    at,
  ])
}

async function insertEntries(tx: Queryable, entries: readonly Entry[], at: string): Promise<void> {
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
    entries.map(({ order }) =>
      order?.prediction === undefined ? null : JSON.stringify(explanationOf(order.prediction)),
    ),
    at,
  ])
}

/** Of the recorded orders at or after a moment (RFC 3339, `-infinity` for all) the one that lies latest. */
export async function findLastOrderFrom(
  db: Queryable,
  moment: string,
): Promise<{ order_id: string; ordered_at: string } | undefined> {
  const [found] = await db.query<{ order_id: string; ordered_at: string }>(lastFromSql, [moment])
  return found
}
