/*
 * The one writer of the ledger: accounts, orders and entries.
 */

import { COPY_ROWS_MIN, type Columns, columnLists, columnParts, copyLines } from '../database/db/columns.ts'
import type { Queryable, WriteStep } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { ClaimingStep, Tx } from '../database/db/transaction.ts'
import { type LedgerChange, redemptionsIn } from '../engine/points/ledger/pending-ledger.ts'
import type { LedgerTally } from '../engine/points/ledger/tally-entries.ts'
import type { Account, Entry, Order, RecordedOrder } from '../engine/points/model.ts'
import type { UserId } from '../engine/points/units.ts'
import { ACCOUNT_COLUMNS } from './accounts.ts'
import { ENTRY_COLUMNS } from './entries.ts'
import { addedMovements, type KeptMovements } from './kept-movements.ts'
import { ORDER_COLUMNS } from './recorded-orders.ts'
import { redemptionStep } from './stored-redemptions.ts'
import { TALLY_COLUMNS, tallySteps } from './tallies.ts'

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

/** Locks all accounts that a request may write, in one global order, creating missing ones, which it returns. Unknown players have none. */
export async function lockAccounts(tx: Queryable, wanted: readonly AccountToLock[]): Promise<UserId[]> {
  const created = await tx.query<{ user_id: UserId }>(lockSql, [
    wanted.map(({ userId }) => userId),
    wanted.map(({ orderId = '' }) => orderId),
    wanted.map(({ code = '' }) => code),
  ])
  return created.map(({ user_id }) => user_id)
}

/**
 * Writes accounts, orders and redemptions in their new state, the entries that lead there, and what these add to the statistics. `at` is the
 * moment of the request; `guards` are steps that come last; `keepsMovements`: accounts keep what their balances are computed from.
 * Errors: ConcurrentUpdate, after which `Db` runs the work again.
 */
export async function writeToLedger(
  tx: Tx,
  change: LedgerChange,
  tallies: readonly LedgerTally[],
  {
    at,
    keepsMovements,
    guards = [],
  }: Readonly<{ at: string; keepsMovements: boolean; guards?: readonly ClaimingStep[] }>,
): Promise<void> {
  const { accounts, orders, entries } = change
  const redemptions = redemptionsIn(change)
  const added = new Set(entries.flatMap(({ order }) => (order?.revision === 1n ? [order.id] : [])))
  const fresh = [...added].map((id) => orders.get(id)!)
  const changed = [...orders.values()].filter(({ order }) => !added.has(order.id))
  tx.changes('players', accounts.keys())
  tx.changes('orders', added)
  await tx.batch([
    ...(accounts.size > 0 ? [accountsStep(accounts, keepsMovements ? addedMovements(entries) : undefined)] : []),
    ...(fresh.length > 0 ? freshSteps(fresh, at) : []),
    ...(changed.length > 0 ? [ordersStep(changed, at)] : []),
    ...(redemptions.length > 0 ? [redemptionStep(redemptions, at)] : []),
    ...(entries.length > 0 ? entrySteps(entries, tallies, at) : []),
    ...(accounts.size > 0 ? guards : []),
  ])
}

/** Fails if an account has changed since it was read. `added` are movements by player; without it accounts keep none. */
function accountsStep(
  accounts: ReadonlyMap<UserId, Account>,
  added: ReadonlyMap<UserId, KeptMovements> | undefined,
): ClaimingStep {
  const claim = { rows: accounts.size, lost: 'another request writes to the same account' }
  const movements = [...accounts.keys()].map((userId) => added && (added.get(userId) ?? ''))
  return { sql: accountsSql, params: [...columnLists(ACCOUNT_COLUMNS, [...accounts]), movements], claim }
}

/** Claims the ids of orders recorded for the first time for their players, and inserts them. Fails if another request is recording one of them. */
function freshSteps(fresh: readonly RecordedOrder[], at: string): ClaimingStep[] {
  // Sorted, so that requests never deadlock.
  const orders = fresh.map(({ order }) => order).sort((a, b) => (a.id < b.id ? -1 : 1))
  const claim = { rows: orders.length, lost: 'another request records an order of the same id' }
  if (fresh.length < COPY_ROWS_MIN)
    return [{ sql: ownersSql, params: columnLists(OWNER_COLUMNS, orders), claim }, ordersStep(fresh, at)]
  return [
    { sql: ownersCopySql, rows: copyLines(OWNER_COLUMNS, orders), claim },
    { sql: ordersCopySql, rows: copyLines(ORDER_COLUMNS, fresh, at, at) },
  ]
}

function ordersStep(recorded: readonly RecordedOrder[], at: string): WriteStep {
  return { sql: ordersSql, params: [...columnLists(ORDER_COLUMNS, recorded), at] }
}

function entrySteps(entries: readonly Entry[], tallies: readonly LedgerTally[], at: string): WriteStep[] {
  if (entries.length < COPY_ROWS_MIN)
    return [
      { sql: entriesSql, params: [...columnLists(ENTRY_COLUMNS, entries), at, ...columnLists(TALLY_COLUMNS, tallies)] },
    ]
  return [{ sql: entriesCopySql, rows: copyLines(ENTRY_COLUMNS, entries, at) }, ...tallySteps(tallies)]
}
