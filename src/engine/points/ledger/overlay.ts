/*
 * Changes that are computed but not yet written, layered on a snapshot, so that later orders of a batch see the effects of earlier ones.
 */
import type { Account, Entry, RecordedOrder, Redemption } from '../model.ts'
import type { HistoryQuestion, Lookup, PlayerHistory, Snapshot } from './snapshot.ts'

/** What the store writes: the final state of changed accounts, orders and redemptions, and the new entries. */
export type LedgerChange = Readonly<{
  accounts: ReadonlyMap<string, Account>
  orders: ReadonlyMap<string, RecordedOrder>
  /** By `redemptionKey`. */
  redemptions?: ReadonlyMap<string, Redemption>
  entries: readonly Entry[]
}>

/** Changes by key. Mutable: a batch adds to them slice by slice. */
export type Overlay = Readonly<{
  accounts: Map<string, Account>
  orders: Map<string, RecordedOrder>
  redemptions: Map<string, Redemption>
  entriesOf: Map<string, Entry[]>
}>

export function createOverlay(): Overlay {
  return { accounts: new Map(), orders: new Map(), redemptions: new Map(), entriesOf: new Map() }
}

/** A copy to which other changes can be added. */
export function copyOverlay({ accounts, orders, redemptions, entriesOf }: Overlay): Overlay {
  return {
    accounts: new Map(accounts),
    orders: new Map(orders),
    redemptions: new Map(redemptions),
    entriesOf: new Map([...entriesOf].map(([userId, entries]) => [userId, [...entries]])),
  }
}

/** A key for a redemption: its id is only unique within its player. */
export function redemptionKey({ userId, id }: Pick<Redemption, 'userId' | 'id'>): string {
  return JSON.stringify([userId, id])
}

/** Adds a change to an overlay in place. */
export function addToOverlay(overlay: Overlay, change: LedgerChange): void {
  for (const [userId, account] of change.accounts) overlay.accounts.set(userId, account)
  for (const [orderId, order] of change.orders) overlay.orders.set(orderId, order)
  for (const [key, redemption] of change.redemptions ?? []) overlay.redemptions.set(key, redemption)
  for (const entry of change.entries) addEntry(overlay, entry)
}

/** Adds an entry to an overlay in place. */
export function addEntry({ entriesOf }: Overlay, entry: Entry): void {
  const earlier = entriesOf.get(entry.userId)
  if (earlier === undefined) entriesOf.set(entry.userId, [entry])
  else earlier.push(entry)
}

/** A live view of the snapshot with the overlay on top: later additions to the overlay are visible through it. */
export function withOverlay(stored: Snapshot, overlay: Overlay): Snapshot {
  return {
    ...stored,
    accounts: layeredLookup(overlay.accounts, stored.accounts),
    orders: layeredLookup(overlay.orders, stored.orders),
    entriesOf: {
      get: (userId) => [...(stored.entriesOf.get(userId) ?? []), ...(overlay.entriesOf.get(userId) ?? [])],
      has: (userId) => stored.entriesOf.has(userId) || overlay.entriesOf.has(userId),
    },
  }
}

/** The redemptions that a history question asks for: the stored ones, with those of the overlay on top. */
export function withUnwrittenRedemptions(
  stored: Pick<PlayerHistory, 'redemptions'>,
  { userId, redemptionId }: HistoryQuestion,
  { redemptions }: Pick<Overlay, 'redemptions'>,
): Redemption[] {
  const isAsked = (one: Redemption) => one.userId === userId && (one.state === 'held' || one.id === redemptionId)
  const kept = stored.redemptions.filter((one) => !redemptions.has(redemptionKey(one)))
  return [...kept, ...[...redemptions.values()].filter(isAsked)]
}

/** A lookup that asks `top` first, then `base`. */
export function layeredLookup<T>(top: Lookup<T>, base: Lookup<T>): Lookup<T> {
  return { get: (key) => top.get(key) ?? base.get(key), has: (key) => top.has(key) || base.has(key) }
}
