/*
 * The sums of a backtest, and the few players that changed most. Tallies of different players are merged into one.
 */
import { add, isZero, type Ratio, ratio, subtract, ZERO } from '../points/arithmetic.ts'
import { levelIndexAt } from '../points/levels.ts'
import type { Order, Prediction, RecordedOrder } from '../points/model.ts'
import type { Level } from '../points/program-model.ts'
import { REFERRAL } from '../points/referral.ts'

/** The same thing as it was, and as it would have been. */
export type Pair<T> = Readonly<{ before: T; after: T }>

/** A rule by its name; `referral` is what friends get, `referrer` what those who referred them get. The last two have no rule's name. */
export type Source = Readonly<{ kind: 'rule'; name: string } | { kind: 'referral' | 'rounding' | 'referrer' }>

export type SourceChange = Pair<Ratio> & Readonly<{ source: Source }>

/** An order that earns otherwise, and what makes it so. */
export type OrderChange = Pair<bigint> & Readonly<{ orderId: string; at: string; sources: readonly SourceChange[] }>

/** A player who gets more or less. `referrals` is the part for having referred others; `orders` are those that changed most. */
export type PlayerChange = Readonly<{
  userId: string
  change: bigint
  referrals: bigint
  ordersChanged: number
  orders: readonly OrderChange[]
}>

/** Players who hold another level; `userIds` are the first of them, in order. */
export type LevelMove = Readonly<{ from: string; to: string; players: number; userIds: readonly string[] }>

type Sums<T> = { before: T; after: T }

/** What a backtest adds up to. Points by month and by source each add up to `points`. */
export type Tally = {
  orders: number
  /** With orders in the span. */
  players: number
  /** All points issued: those of orders and those for having referred somebody. */
  points: Sums<bigint>
  /** By calendar month, UTC (`2027-01`), of the orders' moments. */
  months: Map<string, Sums<bigint> & { orders: number }>
  rules: Map<string, Sums<Ratio>>
  referral: Sums<Ratio>
  rounding: Sums<Ratio>
  referrer: Sums<bigint>
  /** Players by the place of their level on the ladder. */
  levels: Sums<number[]>
  /** By the places of both levels. */
  moves: Map<string, { from: string; to: string; players: number; userIds: string[] }>
  winners: PlayerChange[]
  losers: PlayerChange[]
  /** Orders that the candidate refuses, as they would earn more than 2^53-1 points; they count 0. */
  refused: number
  /** Orders that were recorded before one of an earlier moment of their player: what that one met is taken as it was. */
  outOfOrder: number
  /** Orders that were changed, and after which their player has later ones: these meet what is left of them. */
  changedLater: number
  /** Orders whose program does not give what the ledger holds: the ledger is damaged. */
  unlikeLedger: number
}

const MOVERS_MAX = 10
const IDS_OF_MOVE_MAX = 5

/** Sums that begin with nothing, and how orders and players are added; levels are told by the ladders. */
export function createTally(ladders: Pair<readonly Level[]>) {
  const sums: Tally = {
    orders: 0,
    players: 0,
    points: { before: 0n, after: 0n },
    months: new Map(),
    rules: new Map(),
    referral: { before: ZERO, after: ZERO },
    rounding: { before: ZERO, after: ZERO },
    referrer: { before: 0n, after: 0n },
    levels: { before: ladders.before.map(() => 0), after: ladders.after.map(() => 0) },
    moves: new Map(),
    winners: [],
    losers: [],
    refused: 0,
    outOfOrder: 0,
    changedLater: 0,
    unlikeLedger: 0,
  }

  function addSources(side: 'before' | 'after', { earned, rounding }: Prediction): void {
    for (const { rule, points } of earned) {
      const sum = rule === REFERRAL ? sums.referral : ratiosOf(sums.rules, rule)
      sum[side] = add(sum[side], points)
    }
    if (!isZero(rounding)) sums.rounding[side] = add(sums.rounding[side], rounding)
  }

  return {
    sums: sums as Readonly<Tally>,

    /** Adds an order: what the ledger holds of it, what its program says of that, and what the candidate says; undefined: it refuses. */
    addOrder(
      { order, points, referrer }: Pick<RecordedOrder, 'order' | 'points' | 'referrer'>,
      before: Prediction,
      after: Prediction | undefined,
    ): void {
      const given = { before: referrer?.points ?? 0n, after: after?.referrer?.points ?? 0n }
      const all = { before: points + given.before, after: (after?.points ?? 0n) + given.after }
      const month = monthOf(sums.months, order.at)
      sums.orders += 1
      month.orders += 1
      for (const side of ['before', 'after'] as const) {
        sums.points[side] += all[side]
        month[side] += all[side]
        sums.referrer[side] += given[side]
      }
      addSources('before', before)
      if (after === undefined) sums.refused += 1
      else addSources('after', after)
      if (before.points !== points) sums.unlikeLedger += 1
    },

    /** Notes how the order before this one of a player, or this one, makes the outcome less than exact. */
    addInexact({ isOutOfOrder, isAfterChanged }: Readonly<{ isOutOfOrder: boolean; isAfterChanged: boolean }>): void {
      if (isOutOfOrder) sums.outOfOrder += 1
      if (isAfterChanged) sums.changedLater += 1
    },

    /** Adds a player after all orders; `counted` is what counts for the level. */
    addPlayer(change: PlayerChange, hasOrders: boolean, counted: Pair<bigint>): void {
      if (hasOrders) sums.players += 1
      const before = levelIndexAt(ladders.before, counted.before)
      const after = levelIndexAt(ladders.after, counted.after)
      sums.levels.before[before]! += 1
      sums.levels.after[after]! += 1
      const [from, to] = [ladders.before[before]!.name, ladders.after[after]!.name]
      if (from !== to) addMove(sums.moves, `${before} ${after}`, { from, to, players: 1, userIds: [change.userId] })
      if (change.change > 0n) keepFirst(sums.winners, change, byGain, MOVERS_MAX)
      if (change.change < 0n) keepFirst(sums.losers, change, byLoss, MOVERS_MAX)
    },
  }
}

/**
 * The tally of two different sets of players together, under the same ladders. However players are divided, the outcome is the same but for the order of
 * its maps; ratios are in lowest terms, so that they do not grow with the parts.
 */
export function mergeTally(a: Tally, b: Tally): Tally {
  const firsts = (side: 'winners' | 'losers', compare: typeof byGain) =>
    [...a[side], ...b[side]].sort(compare).slice(0, MOVERS_MAX)
  const moves: Tally['moves'] = new Map()
  for (const tally of [a, b]) for (const [key, move] of tally.moves) addMove(moves, key, move)
  return {
    orders: a.orders + b.orders,
    players: a.players + b.players,
    points: both(a.points, b.points, plus),
    months: together(a.months, b.months, { before: 0n, after: 0n, orders: 0 }, (one, other) => ({
      ...both(one, other, plus),
      orders: one.orders + other.orders,
    })),
    rules: together(a.rules, b.rules, { before: ZERO, after: ZERO }, (one, other) => both(one, other, addReduced)),
    referral: both(a.referral, b.referral, addReduced),
    rounding: both(a.rounding, b.rounding, addReduced),
    referrer: both(a.referrer, b.referrer, plus),
    levels: both(a.levels, b.levels, (one, other) => one.map((players, place) => players + other[place]!)),
    moves,
    winners: firsts('winners', byGain),
    losers: firsts('losers', byLoss),
    refused: a.refused + b.refused,
    outOfOrder: a.outOfOrder + b.outOfOrder,
    changedLater: a.changedLater + b.changedLater,
    unlikeLedger: a.unlikeLedger + b.unlikeLedger,
  }
}

function both<T>(a: Sums<T>, b: Sums<T>, sum: (a: T, b: T) => T): Sums<T> {
  return { before: sum(a.before, b.before), after: sum(a.after, b.after) }
}

function together<T>(
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

/** What makes an order earn otherwise: rules, referral and rounding that differ, in the order of the candidate's rules. */
export function orderChange(
  { id: orderId, at }: Order,
  points: Pair<bigint>,
  before: Prediction,
  after: Prediction | undefined,
): OrderChange {
  const rules = new Map<string, Sums<Ratio>>()
  for (const { rule, points } of after?.earned ?? []) ratiosOf(rules, rule).after = points
  for (const { rule, points } of before.earned) ratiosOf(rules, rule).before = points
  const sources: SourceChange[] = [...rules].map(([name, sum]) => ({
    source: name === REFERRAL ? { kind: 'referral' } : { kind: 'rule', name },
    ...sum,
  }))
  const rounding = { before: before.rounding, after: after?.rounding ?? ZERO }
  const all: SourceChange[] = [...sources, { source: { kind: 'rounding' }, ...rounding }]
  return { orderId, at, ...points, sources: all.filter((one) => !isZero(subtract(one.after, one.before))) }
}

const byGain = (a: PlayerChange, b: PlayerChange) => inOrder(b.change, a.change) || inOrder(a.userId, b.userId)
const byLoss = (a: PlayerChange, b: PlayerChange) => inOrder(a.change, b.change) || inOrder(a.userId, b.userId)

function inOrder<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Keeps the first ones, in order. */
function keepFirst<T>(kept: T[], one: T, compare: (a: T, b: T) => number, max: number): void {
  if (kept.length === max && compare(one, kept.at(-1)!) > 0) return
  kept.push(one)
  kept.sort(compare)
  if (kept.length > max) kept.pop()
}

function ratiosOf(rules: Map<string, Sums<Ratio>>, rule: string): Sums<Ratio> {
  const known = rules.get(rule)
  if (known !== undefined) return known
  const sum = { before: ZERO, after: ZERO }
  rules.set(rule, sum)
  return sum
}

function monthOf(months: Tally['months'], at: string): Sums<bigint> & { orders: number } {
  const name = at.slice(0, 7)
  const known = months.get(name)
  if (known !== undefined) return known
  const month = { orders: 0, before: 0n, after: 0n }
  months.set(name, month)
  return month
}

function addMove(moves: Tally['moves'], key: string, { from, to, players, userIds }: LevelMove): void {
  const move = moves.get(key) ?? { from, to, players: 0, userIds: [] }
  moves.set(key, move)
  move.players += players
  for (const userId of userIds) keepFirst(move.userIds, userId, inOrder, IDS_OF_MOVE_MAX)
}
