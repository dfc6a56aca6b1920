/*
 * A pending ledger: changes that are computed but not written. It lies on what is stored, or on another one: stored <- the earlier slices of a dry
 * run <- this slice. Orders (working-ledger.ts), adjustments (adjust.ts), dry runs (ledger/preview-slices.ts) and replayed histories
 * (whatif/replay.ts) read through it, so that each sees what those before it would have written. (Pending points are something else: they are
 * given, and not usable yet.)
 */
import type { Account, Entry, RecordedOrder, Redemption } from '../model.ts'
import type { OrderId, UserId } from '../units.ts'
import {
  addToEntries,
  createPendingEntries,
  type PendingEntries,
  pendingLevelPoints,
  withPendingEntries,
} from './pending-history.ts'
import type { HistoryQuery, Lookup, PlayerHistory, Snapshot } from './snapshot.ts'

/** What is written: the final state of changed accounts, orders and redemptions, and the new entries. */
export type LedgerChange = Readonly<{
  accounts: ReadonlyMap<UserId, Account>
  orders: ReadonlyMap<OrderId, RecordedOrder>
  /** By player and id. */
  redemptions?: ReadonlyMap<UserId, ReadonlyMap<string, Redemption>>
  entries: readonly Entry[]
}>

/** Mutable: changes are added in place, and the views on it see them. */
export type PendingLedger = Readonly<{
  accounts: Map<UserId, Account>
  orders: Map<OrderId, RecordedOrder>
  /** By player and id. */
  redemptions: Map<UserId, Map<string, Redemption>>
  /** The entries of adjustments, by `adjustmentKey`. */
  adjustments: Map<string, Entry>
  /** All entries, summed. */
  entries: PendingEntries
}>

/** The redemptions of a change, those of one player together. */
export function redemptionsIn({ redemptions }: Pick<LedgerChange, 'redemptions'>): Redemption[] {
  return [...(redemptions?.values() ?? [])].flatMap((ofPlayer) => [...ofPlayer.values()])
}

/** A key for an adjustment: its id is only unique within its player. */
export function adjustmentKey(userId: UserId, id: string): string {
  return JSON.stringify([userId, id])
}

/** No changes yet. */
export function createPendingLedger(): PendingLedger {
  return {
    accounts: new Map(),
    orders: new Map(),
    redemptions: new Map(),
    adjustments: new Map(),
    entries: createPendingEntries(),
  }
}

/** Adds a change in place. */
export function addPendingChange(pending: PendingLedger, change: LedgerChange): void {
  for (const [userId, account] of change.accounts) pending.accounts.set(userId, account)
  for (const [orderId, order] of change.orders) pending.orders.set(orderId, order)
  for (const redemption of redemptionsIn(change)) addPendingRedemption(pending, redemption)
  for (const entry of change.entries) addPendingEntry(pending, entry)
}

/** Adds the new state of a redemption in place. */
export function addPendingRedemption({ redemptions }: PendingLedger, redemption: Redemption): void {
  const { userId, id } = redemption
  redemptions.getOrInsertComputed(userId, () => new Map<string, Redemption>()).set(id, redemption)
}

/** Adds an entry in place. The account that it changes is added beside it. */
export function addPendingEntry({ adjustments, entries }: PendingLedger, entry: Entry): void {
  const { userId, adjustment } = entry
  if (adjustment !== undefined) adjustments.set(adjustmentKey(userId, adjustment.id), entry)
  addToEntries(entries, entry)
}

/** The snapshot as if the changes were written, including those that are added later. An answer that it has not read stays unknown. */
export function withPending(stored: Snapshot, pending: PendingLedger): Snapshot {
  return {
    ...stored,
    accounts: layeredLookup(pending.accounts, stored.accounts),
    orders: layeredLookup(pending.orders, stored.orders),
    levelPointsIn: (query) => {
      const points = stored.levelPointsIn(query)
      return points === undefined ? undefined : points + pendingLevelPoints(query, pending.entries)
    },
    history: (query) => {
      const history = stored.history(query)
      return history === undefined ? undefined : withPendingHistory(history, query, pending)
    },
  }
}

/** A stored history, with the pending entries and redemptions of its player on top. */
export function withPendingHistory(
  stored: PlayerHistory,
  query: HistoryQuery,
  { entries, redemptions }: PendingLedger,
): PlayerHistory {
  const history = withPendingEntries(stored, query, entries)
  const changed = redemptions.get(query.userId)
  if (changed === undefined) return history
  const kept = history.redemptions.filter(({ id }) => !changed.has(id))
  const relevant = [...changed.values()].filter(({ id, state }) => state === 'held' || id === query.redemptionId)
  return { ...history, redemptions: [...kept, ...relevant] }
}

/** A lookup that asks `top` first, then `base`. */
export function layeredLookup<T>(top: Lookup<T>, base: Lookup<T>): Lookup<T> {
  return { get: (key) => top.get(key) ?? base.get(key), has: (key) => top.has(key) || base.has(key) }
}
