/*
 * Invariants of every change to the ledger, however it was computed. Checked before anything is written.
 */
import assert from 'node:assert/strict'
import type { Account, Entry, RecordedOrder } from '../model.ts'
import { redeemedBy } from '../redeem-rules.ts'
import { afterPosting, EMPTY_ACCOUNT } from './account.ts'
import type { LedgerChange } from './pending-ledger.ts'
import type { ForeignOrder, Lookup } from './snapshot.ts'

/** The stored accounts and orders that a change was computed from. */
export type LedgerBefore = Readonly<{
  accounts: Lookup<Account>
  orders: Lookup<RecordedOrder | ForeignOrder>
}>

/**
 * Asserts that the entries of a change account for it. For each order they sum to its points less those recorded before: for its player and
 * for its referrer, at each of its moments. For each player they are numbered without gaps, and lead from the account as it was to the
 * account as it is now. The facts of each order are complete. One pass over the change.
 *
 * Errors: AssertionError with a sentence that names the order or the player. It indicates a bug in Laurel, and nothing of the change may be written.
 */
export function assertConsistent({ accounts, orders, entries }: LedgerChange, before: LedgerBefore): void {
  const derived = new Map<string, Account>()
  const unposted = new Map([...orders].map(([id, order]) => [id, findUnposted(order, before.orders.get(id))]))
  for (const entry of entries) {
    const account = derived.get(entry.userId) ?? before.accounts.get(entry.userId) ?? EMPTY_ACCOUNT
    assertNext(entry, account)
    derived.set(entry.userId, afterPosting(account, entry))
    if (entry.order !== undefined) post(entry, entry.order.id, unposted.get(entry.order.id))
  }
  for (const [orderId, sums] of unposted) assertPosted(orderId, sums)
  for (const [orderId, { facts }] of orders)
    if (facts.player.points === undefined) assert.fail(`order ${orderId} has no balance among its facts`)
  for (const [userId, account] of accounts)
    assertSame(userId, account, derived.get(userId) ?? before.accounts.get(userId) ?? EMPTY_ACCOUNT)
  for (const userId of derived.keys())
    if (!accounts.has(userId)) assert.fail(`player ${userId} has new entries, and their account is not written`)
}

function assertNext({ userId, seq, order, adjustment, redemption }: Entry, { entries }: Account): void {
  if (seq === entries + 1n) return
  const other = adjustment === undefined ? `redemption ${redemption?.id}` : `adjustment ${adjustment.id}`
  const cause = order === undefined ? other : `order ${order.id}`
  assert.fail(`${cause}: its entry for ${userId} is number ${seq}, and the one before it is number ${entries}`)
}

/** A sum of points for one player at one moment. An order has few of them, so a list is faster than a map. */
type Sum = { points: bigint } & Readonly<Pick<Entry, 'kind' | 'userId' | 'at'>>

/** The points that the entries must post: what an order gives now, less what it gave before. */
function findUnposted(after: RecordedOrder, before: RecordedOrder | ForeignOrder | undefined): Sum[] {
  const sums: Sum[] = []
  const addOrder = ({ order, points, referrer }: RecordedOrder, sign: 1n | -1n) => {
    const { userId, at } = order
    const redeemed = redeemedBy(order)
    if (redeemed !== 0n) add(sums, { kind: 'redemption', userId, at, points: -sign * redeemed })
    add(sums, { kind: 'order', userId, at, points: sign * points })
    if (referrer !== undefined)
      add(sums, { kind: 'referral', userId: referrer.userId, at, points: sign * referrer.points })
  }
  addOrder(after, 1n)
  if (before !== undefined && 'facts' in before) addOrder(before, -1n)
  return sums
}

function post({ kind, userId, at, points }: Entry, orderId: string, sums: Sum[] | undefined): void {
  if (sums === undefined) assert.fail(`order ${orderId} has a new entry, and is not written`)
  // Reinstated points follow from the day, not from the order.
  if (kind !== 'reinstated') add(sums, { kind, userId, at, points: -points })
}

function add(sums: Sum[], { kind, userId, at, points }: Sum): void {
  const sum = sums.find((one) => one.kind === kind && one.userId === userId && one.at === at)
  if (sum === undefined) sums.push({ kind, userId, at, points })
  else sum.points += points
}

function assertPosted(orderId: string, sums: readonly Sum[]): void {
  for (const { kind, userId, at, points } of sums)
    if (points !== 0n)
      assert.fail(`order ${orderId}: its ${kind} entries for ${userId} at ${at} are off by ${-points} points`)
}

function assertSame(userId: string, account: Account, derived: Account): void {
  for (const sum of ['points', 'levelPoints', 'entries'] as const)
    if (account[sum] !== derived[sum])
      assert.fail(`account of ${userId}: ${sum} ${account[sum]}, and its entries give ${derived[sum]}`)
}
