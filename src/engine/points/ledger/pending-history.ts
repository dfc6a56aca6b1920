/*
 * Entries that are computed but not written, summed by player as the database sums those that are written: so an order costs no more after many others
 * than after few. They are summed when somebody asks for their player, so that programs that look at no history pay nothing.
 */
import { type Movement, toMovement } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import { createTimeline, type Timeline } from '../timeline.ts'
import type { Instant, OrderId, PlainDate, Points, UserId } from '../units.ts'
import type { HistoryQuery, PlayerHistory, WindowQuery } from './snapshot.ts'

/** More than most slices have. A dry run would otherwise keep the explanations of all its orders. */
const RECENT_MAX = 2_000

/** Mutable: entries are added one by one. */
export type PendingEntries = {
  readonly byPlayer: Map<UserId, PlayerEntries>
  /** The players who have recent entries. */
  readonly active: PlayerEntries[]
  recentCount: number
}

/** The entries of one player. */
type PlayerEntries = {
  /** Entries that are not in both sums yet. */
  readonly recent: Entry[]
  movements: MovementSums | undefined
  levelPoints: LevelSums | undefined
}

/** What a player was given and has spent. `included`: how many of the recent entries are among them. */
type MovementSums = {
  included: number
  /** By day, terms and direction. */
  readonly all: Map<string, MovementSum>
  /** The part of each order in `all`, which its own history leaves out. */
  readonly ofOrders: Map<OrderId, Map<string, MovementSum>>
  reinstated: Points
}

/** Entries of one day, terms and direction. A sum of 0 counts too, as long as it has entries: their activity extends expiries that slide. */
type MovementSum = Readonly<{ movement: Movement; isSpent: boolean; entries: number }>

/** A player's points that count for levels; and those of each order, which its own windows leave out. */
type LevelSums = { included: number } & Readonly<{ all: Timeline; ofOrders: Map<OrderId, Map<Instant, Points>> }>

/** No entries yet. */
export function createPendingEntries(): PendingEntries {
  return { byPlayer: new Map(), active: [], recentCount: 0 }
}

/** Adds an entry in place. */
export function addToEntries(pending: PendingEntries, entry: Entry): void {
  let player = pending.byPlayer.get(entry.userId)
  if (player === undefined) {
    player = { recent: [], movements: undefined, levelPoints: undefined }
    pending.byPlayer.set(entry.userId, player)
  }
  if (player.recent.length === 0) pending.active.push(player)
  player.recent.push(entry)
  pending.recentCount += 1
  if (pending.recentCount >= RECENT_MAX) sumAll(pending)
}

/** A history, with the pending entries of its player on top. */
export function withPendingEntries(
  history: PlayerHistory,
  { userId, orderId }: HistoryQuery,
  { byPlayer }: PendingEntries,
): PlayerHistory {
  const player = byPlayer.get(userId)
  if (player === undefined) return history
  const { all, ofOrders, reinstated } = sumMovements(player)
  const ofOrder = ofOrders.get(orderId)
  const others = ofOrder === undefined ? allOf(all) : subtractMovements(all, ofOrder)
  return {
    ...history,
    movements: [...history.movements, ...others],
    reinstated: history.reinstated + reinstated,
    own: ofOrder === undefined ? history.own : withDebits(history.own, ofOrder),
  }
}

/** What pending entries add to the points that count in a window. */
export function pendingLevelPoints({ userId, orderId, from, to }: WindowQuery, { byPlayer }: PendingEntries): Points {
  const player = byPlayer.get(userId)
  if (player === undefined) return 0n
  const { all, ofOrders } = sumLevelPoints(player)
  let sum = all.sum(from, to)
  for (const [at, points] of ofOrders.get(orderId) ?? []) if (from < at && at <= to) sum -= points
  return sum
}

/** Sums all entries, and lets go of them. */
function sumAll(pending: PendingEntries): void {
  for (const player of pending.active) {
    sumMovements(player).included = 0
    sumLevelPoints(player).included = 0
    player.recent.length = 0
  }
  pending.active.length = 0
  pending.recentCount = 0
}

function sumMovements(player: PlayerEntries): MovementSums {
  player.movements ??= { included: 0, all: new Map(), ofOrders: new Map(), reinstated: 0n }
  const sums = player.movements
  for (; sums.included < player.recent.length; sums.included += 1) addMovement(sums, player.recent[sums.included]!)
  return sums
}

function addMovement(sums: MovementSums, entry: Entry): void {
  const { kind, order, points } = entry
  const movement = toMovement(entry)
  const isSpent = movement.spent !== 0n
  const key = `${movement.day} ${movement.usableOn} ${movement.expiresOn} ${movement.slides} ${isSpent}`
  const one = { movement, isSpent, entries: 1 }
  addToSum(sums.all, key, one)
  // Points reinstated to the player remain theirs, and count towards the history of the order too.
  if (kind === 'reinstated') sums.reinstated += points
  else if (order !== undefined)
    addToSum(sums.ofOrders.getOrInsertComputed(order.id, emptyMap<string, MovementSum>), key, one)
}

function sumLevelPoints(player: PlayerEntries): LevelSums {
  player.levelPoints ??= { included: 0, all: createTimeline(), ofOrders: new Map() }
  const sums = player.levelPoints
  for (; sums.included < player.recent.length; sums.included += 1) addLevelPoints(sums, player.recent[sums.included]!)
  return sums
}

function addLevelPoints({ all, ofOrders }: LevelSums, { counts, at, points, order }: Entry): void {
  if (!counts) return
  all.add(at, points)
  if (order === undefined) return
  const ofOrder = ofOrders.getOrInsertComputed(order.id, emptyMap<Instant, Points>)
  ofOrder.set(at, (ofOrder.get(at) ?? 0n) + points)
}

function emptyMap<Key, Value>(): Map<Key, Value> {
  return new Map()
}

function addToSum(sums: Map<string, MovementSum>, key: string, one: MovementSum): void {
  const before = sums.get(key)
  if (before === undefined) {
    sums.set(key, one)
    return
  }
  const [a, b] = [before.movement, one.movement]
  const movement = { ...a, given: a.given + b.given, spent: a.spent + b.spent }
  sums.set(key, { ...one, movement, entries: before.entries + 1 })
}

function allOf(sums: ReadonlyMap<string, MovementSum>): Movement[] {
  return [...sums.values()].map(({ movement }) => movement)
}

/** The entries of `all` without those of `part`. */
function subtractMovements(all: ReadonlyMap<string, MovementSum>, part: ReadonlyMap<string, MovementSum>): Movement[] {
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
function withDebits(stored: PlayerHistory['own'], added: ReadonlyMap<string, MovementSum>): PlayerHistory['own'] {
  const points = new Map<PlainDate, Points>(stored.map((debit) => [debit.day, debit.points]))
  for (const { movement, isSpent } of added.values())
    if (isSpent) points.set(movement.day, (points.get(movement.day) ?? 0n) + movement.spent)
  return [...points].map(([day, sum]) => ({ day, points: sum }))
}
