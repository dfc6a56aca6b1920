/*
 * What a dry run has computed but nobody writes, summed as the store would sum it, so that a player with many orders costs each of them no more
 * than in a recording.
 */
import { type Movement, movementOf } from '../lots.ts'
import type { Moment, Points, UserId } from '../units.ts'
import { addToOverlay, createOverlay, type LedgerChange, type Overlay, withUnwrittenRedemptions } from './overlay.ts'
import { type HistoryQuestion, historyKey, type PlayerHistory, type WindowQuestion, windowKey } from './snapshot.ts'

/**
 * The slices computed so far. All states of an order are in one slice, so the questions of later ones ask about none of these orders. Mutable: a
 * dry run adds to it slice by slice.
 */
export type Unwritten = Readonly<{
  /** Without entries. */
  overlay: Overlay
  /** By player, then by day and terms. */
  movements: Map<UserId, Map<string, Movement>>
  /** Points that have been reinstated, by player. */
  reinstated: Map<UserId, Points>
  /** Points that count for levels: by player, then by moment. */
  levelPoints: Map<UserId, Map<Moment, Points>>
}>

/** Nothing computed yet. */
export function createUnwritten(): Unwritten {
  return { overlay: createOverlay(), movements: new Map(), reinstated: new Map(), levelPoints: new Map() }
}

/** Adds the change of a slice in place. */
export function addToUnwritten(unwritten: Unwritten, change: LedgerChange): void {
  addToOverlay(unwritten.overlay, { ...change, entries: [] })
  for (const entry of change.entries) {
    const { userId, kind, counts, at, points } = entry
    addMovement(innerMap(unwritten.movements, userId), movementOf(entry))
    if (kind === 'reinstated') addPoints(unwritten.reinstated, userId, points)
    if (counts) addPoints(innerMap(unwritten.levelPoints, userId), at, points)
  }
}

/** Stored histories, with what is unwritten added. */
export function withUnwrittenHistories(
  stored: ReadonlyMap<string, PlayerHistory>,
  questions: readonly HistoryQuestion[],
  { overlay, movements, reinstated }: Unwritten,
): ReadonlyMap<string, PlayerHistory> {
  return new Map(
    questions.map((question) => {
      const history = stored.get(historyKey(question))!
      const more = movements.get(question.userId)?.values() ?? []
      return [
        historyKey(question),
        {
          ...history,
          movements: [...history.movements, ...more],
          reinstated: history.reinstated + (reinstated.get(question.userId) ?? 0n),
          redemptions: withUnwrittenRedemptions(history, question, overlay),
        },
      ]
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

function addMovement(sums: Map<string, Movement>, movement: Movement): void {
  const { day, usableOn, expiresOn, slides, given, spent } = movement
  const key = `${day} ${usableOn} ${expiresOn} ${slides} ${spent === 0n}`
  const before = sums.get(key)
  sums.set(
    key,
    before === undefined ? movement : { ...before, given: before.given + given, spent: before.spent + spent },
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

function innerMap<K, V>(outer: Map<UserId, Map<K, V>>, userId: UserId): Map<K, V> {
  const known = outer.get(userId)
  if (known !== undefined) return known
  const created = new Map<K, V>()
  outer.set(userId, created)
  return created
}
