/**
 * What a transaction changes of the inputs of predictions, by key. Players: with their accounts, recorded orders and redemptions. Orders: ids that it
 * records for the first time.
 */
export type Changes = Readonly<Record<ChangedKind, ReadonlySet<string>>>

/** The kinds of inputs. */
export type ChangedKind = 'players' | 'products' | 'orders'

/** Changes to which more can be added. */
export type GrowingChanges = Readonly<Record<ChangedKind, Set<string>>>

/** No changes. */
export function noChanges(): GrowingChanges {
  return { players: new Set(), products: new Set(), orders: new Set() }
}
