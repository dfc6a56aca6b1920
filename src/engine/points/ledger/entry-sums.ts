/*
 * A player's entries that are not written yet, summed as the store sums those that are: so an order costs no more after many others than after few.
 */
import { type Movement, movementOf } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import type { Day, OrderId, Points } from '../units.ts'
import { type Overlay, withUnwrittenRedemptions } from './overlay.ts'
import type { HistoryQuestion, PlayerHistory } from './snapshot.ts'

/** Entries of one day, terms and direction. A sum of 0 counts too, as long as it has entries: their activity extends expiries that slide. */
type MovementSum = Readonly<{ movement: Movement; isSpent: boolean; entries: number }>

/** The entries of one player. Mutable: they are added one by one. */
export type EntrySums = {
  /** By day, terms and direction. */
  readonly movements: Map<string, MovementSum>
  /** The part of each order in `movements`, which its own history leaves out. */
  readonly ofOrders: Map<OrderId, Map<string, MovementSum>>
  reinstated: Points
}

/** Nothing yet. */
export function createEntrySums(): EntrySums {
  return { movements: new Map(), ofOrders: new Map(), reinstated: 0n }
}

/** Adds an entry in place. */
export function addToSums(sums: EntrySums, entry: Entry): void {
  const { kind, order, points } = entry
  addMovement(sums.movements, entry)
  // Points reinstated to the player remain theirs, and count towards the history of the order too.
  if (kind === 'reinstated') sums.reinstated += points
  else if (order !== undefined) addMovement(sums.ofOrders.getOrInsertComputed(order.id, noMovements), entry)
}

/** The points that entries reinstate. */
export function sumReinstated(entries: readonly Entry[]): Points {
  return entries.reduce((sum, { kind, points }) => (kind === 'reinstated' ? sum + points : sum), 0n)
}

/** A stored history, with the player's entries and the redemptions that are not written yet on top. */
export function withEntries(
  stored: PlayerHistory,
  question: HistoryQuestion,
  { movements, ofOrders, reinstated }: EntrySums,
  overlay: Pick<Overlay, 'redemptions'>,
): PlayerHistory {
  const own = ofOrders.get(question.orderId)
  return {
    movements: [...stored.movements, ...(own === undefined ? allOf(movements) : differenceOf(movements, own))],
    reinstated: stored.reinstated + reinstated,
    own: own === undefined ? stored.own : withDebits(stored.own, own),
    redemptions: withUnwrittenRedemptions(stored, question, overlay),
  }
}

function noMovements(): Map<string, MovementSum> {
  return new Map()
}

function allOf(sums: ReadonlyMap<string, MovementSum>): Movement[] {
  return [...sums.values()].map(({ movement }) => movement)
}

/** The entries of `all` without those of `part`. */
function differenceOf(all: ReadonlyMap<string, MovementSum>, part: ReadonlyMap<string, MovementSum>): Movement[] {
  return [...all].flatMap(([key, { movement, entries }]) => {
    const less = part.get(key)
    if (less === undefined) return [movement]
    const { given, spent } = less.movement
    return entries === less.entries
      ? []
      : [{ ...movement, given: movement.given - given, spent: movement.spent - spent }]
  })
}

/** What an order has spent by day, with more of its own entries; 0 on a day on which all of it was given back. */
function withDebits(stored: PlayerHistory['own'], own: ReadonlyMap<string, MovementSum>): PlayerHistory['own'] {
  const points = new Map<Day, Points>(stored.map((debit) => [debit.day, debit.points]))
  for (const { movement, isSpent } of own.values())
    if (isSpent) points.set(movement.day, (points.get(movement.day) ?? 0n) + movement.spent)
  return [...points].map(([day, sum]) => ({ day, points: sum }))
}

function addMovement(sums: Map<string, MovementSum>, entry: Entry): void {
  const movement = movementOf(entry)
  const { day, usableOn, expiresOn, slides, given, spent } = movement
  const isSpent = spent !== 0n
  const key = `${day} ${usableOn} ${expiresOn} ${slides} ${isSpent}`
  const before = sums.get(key)
  if (before === undefined) sums.set(key, { movement, isSpent, entries: 1 })
  else {
    const sum = { ...movement, given: before.movement.given + given, spent: before.movement.spent + spent }
    sums.set(key, { movement: sum, isSpent, entries: before.entries + 1 })
  }
}
