/*
 * Merges tallies of subsets of the players into one.
 */
import { add, type Ratio, ratio, ZERO } from '../points/arithmetic.ts'
import { addBalances, addMove, byGain, byLoss, earlier, later, MOVERS_MAX, type Pair, type Tally } from './tally.ts'

/**
 * Merges the tallies of two disjoint sets of players under the same ladders. The result does not depend on how players were divided, except
 * for the order of its maps. Ratios are reduced to lowest terms, so that they do not grow with the number of merges.
 */
export function mergeTally(a: Tally, b: Tally): Tally {
  const firsts = (side: 'winners' | 'losers', compare: typeof byGain) =>
    [...a[side], ...b[side]].sort(compare).slice(0, MOVERS_MAX)
  const moves: Tally['moves'] = new Map()
  for (const tally of [a, b]) for (const [key, move] of tally.moves) addMove(moves, key, move)
  return {
    orders: a.orders + b.orders,
    players: a.players + b.players,
    points: mergePair(a.points, b.points, plus),
    months: mergeMaps(a.months, b.months, { before: 0n, after: 0n, orders: 0 }, (one, other) => ({
      ...mergePair(one, other, plus),
      orders: one.orders + other.orders,
    })),
    rules: mergeMaps(a.rules, b.rules, { before: ZERO, after: ZERO }, (one, other) =>
      mergePair(one, other, addReduced),
    ),
    referral: mergePair(a.referral, b.referral, addReduced),
    rounding: mergePair(a.rounding, b.rounding, addReduced),
    referrer: mergePair(a.referrer, b.referrer, plus),
    balances: mergePair(a.balances, b.balances, addBalances),
    levels: mergePair(a.levels, b.levels, (one, other) => one.map((players, place) => players + other[place]!)),
    moves,
    winners: firsts('winners', byGain),
    losers: firsts('losers', byLoss),
    refused: a.refused + b.refused,
    outOfOrder: a.outOfOrder + b.outOfOrder,
    changedLater: a.changedLater + b.changedLater,
    erased: a.erased + b.erased,
    withoutAttributes: a.withoutAttributes + b.withoutAttributes,
    underCandidate: a.underCandidate + b.underCandidate,
    unlikeLedger: a.unlikeLedger + b.unlikeLedger,
    inDays: mergeMaps(a.inDays, b.inDays, 0, (one, other) => one + other),
    firstAt: earlier(a.firstAt, b.firstAt),
    lastAt: later(a.lastAt, b.lastAt),
  }
}

function mergePair<T>(a: Pair<T>, b: Pair<T>, sum: (a: T, b: T) => T): { before: T; after: T } {
  return { before: sum(a.before, b.before), after: sum(a.after, b.after) }
}

function mergeMaps<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  none: T,
  sum: (a: T, b: T) => T,
): Map<string, T> {
  const all = new Map(a)
  for (const [key, one] of b) all.set(key, sum(a.get(key) ?? none, one))
  return all
}

const plus = (a: bigint, b: bigint) => a + b

function addReduced(a: Ratio, b: Ratio): Ratio {
  const { num, den } = add(a, b)
  return ratio(num, den)
}
