/*
 * What a dry run has computed but nobody writes, summed as the store would sum it, so that a player with many orders costs each of them no more
 * than in a recording.
 */
import type { Entry } from '../model.ts'
import type { Moment, OrderId, Points, UserId } from '../units.ts'
import { addToSums, createEntrySums, type EntrySums, withEntries } from './entry-sums.ts'
import { addToOverlay, createOverlay, type LedgerChange, type Overlay } from './overlay.ts'
import { type HistoryQuestion, historyKey, type PlayerHistory, type WindowQuestion, windowKey } from './snapshot.ts'

/** The slices computed so far. Mutable: a dry run adds to it slice by slice. */
export type Unwritten = Readonly<{
  /** Without entries. */
  overlay: Overlay
  /** What was given and spent, by player. */
  sums: Map<UserId, EntrySums>
  /** Points that count for levels, by player. */
  levelPoints: Map<UserId, LevelPoints>
}>

/** By moment; and those of each order, which its own windows leave out. */
type LevelPoints = Readonly<{ all: Map<Moment, Points>; ofOrders: Map<OrderId, Map<Moment, Points>> }>

/** Nothing computed yet. */
export function createUnwritten(): Unwritten {
  return { overlay: createOverlay(), sums: new Map(), levelPoints: new Map() }
}

/** Adds the change of a slice in place. */
export function addToUnwritten(unwritten: Unwritten, change: LedgerChange): void {
  addToOverlay(unwritten.overlay, { ...change, entries: [] })
  for (const entry of change.entries) {
    addToSums(unwritten.sums.getOrInsertComputed(entry.userId, createEntrySums), entry)
    if (entry.counts) addLevelPoints(unwritten.levelPoints.getOrInsertComputed(entry.userId, noLevelPoints), entry)
  }
}

/** Stored histories, with what is unwritten added. */
export function withUnwrittenHistories(
  stored: ReadonlyMap<string, PlayerHistory>,
  questions: readonly HistoryQuestion[],
  { overlay, sums }: Unwritten,
): ReadonlyMap<string, PlayerHistory> {
  return new Map(
    questions.map((question) => {
      const key = historyKey(question)
      const more = sums.get(question.userId) ?? createEntrySums()
      return [key, withEntries(stored.get(key)!, question, more, overlay)]
    }),
  )
}

/** Stored sums of level points, with what is unwritten added. */
export function withUnwrittenSums(
  stored: ReadonlyMap<string, Points>,
  questions: readonly WindowQuestion[],
  { levelPoints }: Unwritten,
): ReadonlyMap<string, Points> {
  const asked = new Set(questions.map(({ userId }) => userId))
  const known = new Map([...asked].map((userId) => [userId, levelPoints.get(userId) ?? noLevelPoints()]))
  const sumUntil = new Map([...known].map(([userId, { all }]) => [userId, runningSum(all)]))
  return new Map(
    questions.map((question) => {
      const { userId, orderId, from, to } = question
      const [until, own] = [sumUntil.get(userId)!, runningSum(known.get(userId)!.ofOrders.get(orderId) ?? new Map())]
      const sum = until(to) - until(from) - (own(to) - own(from))
      return [windowKey(question), stored.get(windowKey(question))! + sum]
    }),
  )
}

function noLevelPoints(): LevelPoints {
  return { all: new Map(), ofOrders: new Map() }
}

function addLevelPoints({ all, ofOrders }: LevelPoints, { at, points, order }: Entry): void {
  addPoints(all, at, points)
  if (order !== undefined) addPoints(ofOrders.getOrInsertComputed(order.id, newSums), at, points)
}

function newSums(): Map<Moment, Points> {
  return new Map()
}

function addPoints(sums: Map<Moment, Points>, at: Moment, points: Points): void {
  sums.set(at, (sums.get(at) ?? 0n) + points)
}

/** The sum of points up to and including a moment, found by bisection. */
function runningSum(points: ReadonlyMap<Moment, Points>): (until: Moment) => Points {
  const moments = [...points.keys()].sort()
  let sum = 0n
  const sums = moments.map((at) => {
    sum += points.get(at)!
    return sum
  })
  return (until) => {
    let [low, high] = [0, moments.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (moments[middle]! <= until) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0n : sums[low - 1]!
  }
}
