/*
 * The ledger while a batch is computed: a snapshot, with what the batch has recorded so far on top.
 */
import type { Account, Entry, RecordedOrder, Redemption } from '../model.ts'
import type { Points } from '../units.ts'
import { accountFitsWire, afterPosting, EMPTY_ACCOUNT } from './account.ts'
import { pendingLevelPoints } from './pending-history.ts'
import {
  addPendingEntry,
  addPendingRedemption,
  createPendingLedger,
  layeredLookup,
  withPendingHistory,
} from './pending-ledger.ts'
import type { Posting } from './postings.ts'
import {
  EMPTY_HISTORY,
  type HistoryQuery,
  historyKey,
  type PlayerHistory,
  type Snapshot,
  type SnapshotQuery,
  type WindowQuery,
  windowKey,
} from './snapshot.ts'

export type WorkingLedger = ReturnType<typeof createWorkingLedger>

/** A ledger that has not recorded anything yet. The snapshot is never modified. */
export function createWorkingLedger(stored: Snapshot) {
  const pending = createPendingLedger()
  const accounts = layeredLookup(pending.accounts, stored.accounts)
  const orders = layeredLookup(pending.orders, stored.orders)
  const entries: Entry[] = []
  const missing: SnapshotQuery[] = []
  const isMissing = new Set<string>()
  const ask = (query: SnapshotQuery, key: string) => {
    if (isMissing.has(key)) return
    isMissing.add(key)
    missing.push(query)
  }
  const account = (userId: string): Account => accounts.get(userId) ?? EMPTY_ACCOUNT
  return {
    /** What has been recorded so far. `missing` lists the queries that the snapshot could not answer, each once. */
    changes: {
      accounts: pending.accounts,
      orders: pending.orders,
      redemptions: pending.redemptions,
      entries,
      missing,
    },
    account,
    profile: (userId: string) => stored.profiles.get(userId),
    isPlayer: (userId: string) => stored.profiles.has(userId),
    isErased: (userId: string) => stored.erased?.has(userId) === true,
    order: (orderId: string) => orders.get(orderId),
    price: (sku: string) => stored.catalogue.get(sku),
    attributes: (sku: string) => stored.attributes?.get(sku),
    playersWithCode: (code: string) => stored.codes.get(code) ?? [],

    /** Answers a window query. If the snapshot lacks the stored part, the query is added to `missing`, and that part counts as 0. */
    levelPointsIn(query: WindowQuery): Points {
      const points = stored.levelPointsIn(query)
      if (points === undefined) ask(query, windowKey(query))
      return (points ?? 0n) + pendingLevelPoints(query, pending.entries)
    },

    /** Answers a history query. If the snapshot lacks the stored part, the query is added to `missing`, and that part counts as empty. */
    history(query: HistoryQuery): PlayerHistory {
      const history = stored.history(query)
      if (history === undefined) ask(query, historyKey(query))
      return withPendingHistory(history ?? EMPTY_HISTORY, query, pending)
    },

    /** Whether all accounts stay within the wire's bounds once everything is posted. */
    canPost: (postings: readonly Posting[]): boolean =>
      postings.every(({ userId }) => {
        const ofPlayer = postings.filter((posting) => posting.userId === userId)
        return accountFitsWire(ofPlayer.reduce(afterPosting, account(userId)))
      }),

    /** Accepts a higher version of the recorded state. The account is written too, so that concurrent writes conflict. */
    raiseVersion(recorded: RecordedOrder): void {
      const { id, userId } = recorded.order
      pending.orders.set(id, recorded)
      pending.accounts.set(userId, account(userId))
    },

    write(recorded: RecordedOrder, postings: readonly Omit<Entry, 'seq'>[], redemptions: readonly Redemption[]): void {
      for (const redemption of redemptions) addPendingRedemption(pending, redemption)
      const { id, userId, status } = recorded.order
      const before = account(userId)
      pending.orders.set(id, recorded)
      pending.accounts.set(userId, {
        ...before,
        orders: before.orders + (recorded.rev === 1n ? 1n : 0n),
        ...(before.firstOrderId === undefined && status === 'placed' ? { firstOrderId: id } : {}),
      })
      for (const posting of postings) {
        const after = afterPosting(account(posting.userId), posting)
        const entry: Entry = { ...posting, seq: after.entries }
        pending.accounts.set(posting.userId, after)
        entries.push(entry)
        addPendingEntry(pending, entry)
      }
    },
  }
}
