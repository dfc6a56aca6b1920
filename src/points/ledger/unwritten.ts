/*
 * What a dry run has computed but nobody writes, summed as the store would sum it, so that a player with many orders costs each of them no more
 * than in a recording.
 */
import type { Moment, Points, UserId } from '../units.ts'
import { addToSums, createEntrySums, type EntrySums, getOrCreate, withEntries } from './entry-sums.ts'
import { addToOverlay, createOverlay, type LedgerChange, type Overlay } from './overlay.ts'
import { type HistoryQuestion, historyKey, type PlayerHistory, type WindowQuestion, windowKey } from './snapshot.ts'

/**
 * The slices computed so far. All states of an order are in one slice, so the questions of later ones ask about none of these orders. Mutable: a
 * dry run adds to it slice by slice.
 */
export type Unwritten = Readonly<{
  /** Without entries. */
  overlay: Overlay
  /** What was given and spent, by player. */
  sums: Map<UserId, EntrySums>
  /** Points that count for levels: by player, then by moment. */
  levelPoints: Map<UserId, Map<Moment, Points>>
}>

/** Nothing computed yet. */
export function createUnwritten(): Unwritten {
  return { overlay: createOverlay(), sums: new Map(), levelPoints: new Map() }
}

/** Adds the change of a slice in place. */
export function addToUnwritten(unwritten: Unwritten, change: LedgerChange): void {
  addToOverlay(unwritten.overlay, { ...change, entries: [] })
  for (const entry of change.entries) {
    const { userId, counts, at, points } = entry
    addToSums(getOrCreate(unwritten.sums, userId, createEntrySums), entry)
    if (counts)
      addPoints(
        getOrCreate(unwritten.levelPoints, userId, () => new Map<Moment, Points>()),
        at,
        points,
      )
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
  const sumUntil = new Map([...asked].map((userId) => [userId, runningSum(levelPoints.get(userId) ?? new Map())]))
  return new Map(
    questions.map((question) => {
      const { userId, from, to } = question
      const until = sumUntil.get(userId)!
      return [windowKey(question), stored.get(windowKey(question))! + until(to) - until(from)]
    }),
  )
}

function addPoints<K>(sums: Map<K, Points>, key: K, points: Points): void {
  sums.set(key, (sums.get(key) ?? 0n) + points)
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
