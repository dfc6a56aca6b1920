/*
 * The one writer of the ledger: accounts, orders and entries.
 */

import { COPY_ROWS_MIN, type Columns, columnLists, columnParts, copyLines } from '../database/db/columns.ts'
import type { Queryable } from '../database/db/driver.ts'
import { ConcurrentUpdate, isUniqueViolation } from '../database/db/failures.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { Tx } from '../database/db/transaction.ts'
import { type LedgerChange, redemptionsIn } from '../engine/points/ledger/pending-ledger.ts'
import type { LedgerTally } from '../engine/points/ledger/tally-entries.ts'
import type { Account, Entry, Order, RecordedOrder } from '../engine/points/model.ts'
import { ACCOUNT_COLUMNS } from './accounts.ts'
import { ENTRY_COLUMNS } from './entries.ts'
import { ORDER_COLUMNS } from './recorded-orders.ts'
import { writeRedemptions } from './stored-redemptions.ts'
import { insertTallies, TALLY_COLUMNS } from './tallies.ts'

const OWNER_COLUMNS: Columns<Order> = {
  order_id: ['text', ({ id }) => id],
  user_id: ['text', ({ userId }) => userId],
}
const orderParts = columnParts(ORDER_COLUMNS, ['user_id', 'order_id'])
const ownerParts = columnParts(OWNER_COLUMNS, ['order_id'])
const entryParts = columnParts(ENTRY_COLUMNS, ['user_id', 'seq'])

const lockSql = sqlFile(import.meta.url, 'accounts-lock')
const accountsSql = sqlFile(import.meta.url, 'accounts-write-if-unchanged', columnParts(ACCOUNT_COLUMNS, ['user_id']))
const ownersSql = sqlFile(import.meta.url, 'order-owners-claim', ownerParts)
const ownersCopySql = sqlFile(import.meta.url, 'order-owners-copy', ownerParts)
const ordersSql = sqlFile(import.meta.url, 'orders-write', orderParts)
const ordersCopySql = sqlFile(import.meta.url, 'orders-copy', orderParts)
const tallyParts = columnParts(TALLY_COLUMNS, [], Object.keys(ENTRY_COLUMNS).length + 2)
const entriesSql = sqlFile(import.meta.url, 'entries-insert', {
  ...entryParts,
  tally_columns: tallyParts.columns!,
  tally_lists: tallyParts.lists!,
})
const entriesCopySql = sqlFile(import.meta.url, 'entries-copy', entryParts)

/** An account that a writer needs; with an order and a code, also the accounts of the players whom its referral codes belong to. */
export type AccountToLock = Readonly<{ userId: string; orderId?: string; code?: string }>

/** Locks all accounts that a request may write, in one global order, creating missing ones. Unknown players have none. */
export async function lockAccounts(tx: Queryable, wanted: readonly AccountToLock[]): Promise<void> {
  await tx.query(lockSql, [
    wanted.map(({ userId }) => userId),
    wanted.map(({ orderId = '' }) => orderId),
    wanted.map(({ code = '' }) => code),
  ])
}

/**
 * Writes accounts, orders and redemptions in their new state, the entries that lead there, and what these add to the statistics. `at` is the
 * moment of the request. Errors: ConcurrentUpdate, after which `Db` runs the work again.
 */
export async function writeToLedger(
  tx: Tx,
  change: LedgerChange,
  tallies: readonly LedgerTally[],
  at: string,
): Promise<void> {
  const { accounts, orders, entries } = change
  const redemptions = redemptionsIn(change)
  if (accounts.size > 0) await writeAccounts(tx, accounts)
  if (orders.size > 0) {
    const added = new Set(entries.flatMap(({ order }) => (order?.revision === 1n ? [order.id] : [])))
    const fresh = [...added].map((id) => orders.get(id)!)
    const changed = [...orders.values()].filter(({ order }) => !added.has(order.id))
    await insertOrders(tx, fresh, at)
    await writeOrders(tx, changed, at)
  }
  if (redemptions.length > 0) await writeRedemptions(tx, redemptions, at)
  if (entries.length > 0) await insertEntries(tx, entries, tallies, at)
}

/** Errors: ConcurrentUpdate if an account has changed since it was read. */
async function writeAccounts(tx: Tx, accounts: ReadonlyMap<string, Account>): Promise<void> {
  tx.changes('players', accounts.keys())
  const written = await tx.query(accountsSql, columnLists(ACCOUNT_COLUMNS, [...accounts]))
  if (written.length < accounts.size) throw new ConcurrentUpdate('another request writes to the same account')
}

/** Inserts orders recorded for the first time. Errors: ConcurrentUpdate if another request is recording one of these ids. */
async function insertOrders(tx: Tx, fresh: readonly RecordedOrder[], at: string): Promise<void> {
  await claimOrders(
    tx,
    fresh.map(({ order }) => order).sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  if (fresh.length < COPY_ROWS_MIN) await writeOrders(tx, fresh, at)
  else await tx.copy(ordersCopySql, copyLines(ORDER_COLUMNS, fresh, at, at))
}

/** Claims order ids, sorted, for their players. Errors: ConcurrentUpdate if another request has claimed one. */
async function claimOrders(tx: Tx, orders: readonly Order[]): Promise<void> {
  tx.changes(
    'orders',
    orders.map(({ id }) => id),
  )
  const taken = () => new ConcurrentUpdate('another request records an order of the same id')
  if (orders.length < COPY_ROWS_MIN) {
    if (orders.length === 0) return
    const claimed = await tx.query(ownersSql, columnLists(OWNER_COLUMNS, orders))
    if (claimed.length < orders.length) throw taken()
    return
  }
  try {
    await tx.copy(ownersCopySql, copyLines(OWNER_COLUMNS, orders))
  } catch (error) {
    throw isUniqueViolation(error) ? taken() : error
  }
}

async function writeOrders(tx: Queryable, recorded: readonly RecordedOrder[], at: string): Promise<void> {
  if (recorded.length > 0) await tx.query(ordersSql, [...columnLists(ORDER_COLUMNS, recorded), at])
}

async function insertEntries(
  tx: Tx,
  entries: readonly Entry[],
  tallies: readonly LedgerTally[],
  at: string,
): Promise<void> {
  if (entries.length < COPY_ROWS_MIN) {
    const lists = [...columnLists(ENTRY_COLUMNS, entries), at, ...columnLists(TALLY_COLUMNS, tallies)]
    await tx.query(entriesSql, lists)
    return
  }
  await tx.copy(entriesCopySql, copyLines(ENTRY_COLUMNS, entries, at))
  await insertTallies(tx, tallies)
}
