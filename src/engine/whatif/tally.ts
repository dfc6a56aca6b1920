/*
 * The sums of a backtest, and the players who would gain or lose most.
 */
import { add, compareValues, isZero, type Ratio, subtract, ZERO } from '../points/arithmetic.ts'
import { levelIndexAt } from '../points/levels.ts'
import type { Order, Prediction, RecordedOrder } from '../points/model.ts'
import type { Level } from '../points/program-model.ts'
import { REFERRAL } from '../points/referral.ts'

/** A value as it was, and as it would have been under the candidate. */
export type Pair<T> = Readonly<{ before: T; after: T }>

/** Where points come from. `referral` is what referred players get, `referrer` what the players who referred them get. */
export type Source = Readonly<{ kind: 'rule'; name: string } | { kind: 'referral' | 'rounding' | 'referrer' }>

export type SourceChange = Pair<Ratio> & Readonly<{ source: Source }>

/** An order that would earn a different number of points, and what makes the difference. */
export type OrderChange = Pair<bigint> & Readonly<{ orderId: string; at: string; sources: readonly SourceChange[] }>

/** A player who would get more or fewer points. `referrals` is the part for having referred others; `orders` are those that differ most. */
export type PlayerChange = Readonly<{
  userId: string
  change: bigint
  referrals: bigint
  ordersChanged: number
  orders: readonly OrderChange[]
}>

/** Players who would have a different level; `userIds` are the first of them, in order. */
export type LevelMove = Readonly<{ from: string; to: string; players: number; userIds: readonly string[] }>

type Sums<T> = { before: T; after: T }

/**
 * Balances: `outstanding` can be spent, `owed` was spent or taken back beyond the balance. `outstanding + pending + expired - owed` is everything
 * issued less everything spent. `notCovered` is spending that the balance did not cover at the time; `spendsNotCovered` counts it, once for each day
 * of a player.
 */
export type BalanceSums = Readonly<{
  outstanding: bigint
  pending: bigint
  expired: bigint
  owed: bigint
  notCovered: bigint
  spendsNotCovered: number
}>

/** The sums of a backtest. Points by month and by source each add up to `points`. */
export type Tally = {
  orders: number
  /** Those with orders in the time range. */
  players: number
  /** All points issued, for orders and to referrers. */
  points: Sums<bigint>
  /** By calendar month, UTC (`2027-01`), of the orders' moments. */
  months: Map<string, Sums<bigint> & { orders: number }>
  rules: Map<string, Sums<Ratio>>
  referral: Sums<Ratio>
  rounding: Sums<Ratio>
  referrer: Sums<bigint>
  /** All 0 where no program has pending periods, expiry or redemption. */
  balances: Sums<BalanceSums>
  /** Players by the index of their level on the ladder. */
  levels: Sums<number[]>
  /** By the indices of both levels. */
  moves: Map<string, { from: string; to: string; players: number; userIds: string[] }>
  winners: PlayerChange[]
  losers: PlayerChange[]
  /** Orders that the candidate would refuse, as they would earn more than 2^53-1 points or are in a currency without a rate; they count as 0. */
  refused: number
  /** Orders recorded after an order of the same player with a later moment. The facts of both are taken as recorded. */
  outOfOrder: number
  /** Changed orders followed by other orders of the same player, which are computed with the changed order's final state. */
  changedLater: number
  /** Of players who were erased: they are not computed anew, and count as they are. */
  erased: number
  /** Orders with a product that has an attribute of the candidate now, and lacked it when the order was recorded. */
  withoutAttributes: number
  /** Orders recorded under a version with the candidate's text. */
  underCandidate: number
  /** Orders that, under their own program, do not earn what the ledger holds: the ledger is damaged. */
  unlikeLedger: number
  /** Orders in the days and hours of each of the candidate's rules that has a first or a last day. */
  inDays: Map<string, number>
  /** The first and the last moment of an order. */
  firstAt: string | undefined
  lastAt: string | undefined
}

/** The number of winners, and of losers, that are kept. */
export const MOVERS_MAX = 10
const IDS_OF_MOVE_MAX = 5

/** An empty tally, with functions that add orders and players to it. */
export function createTally(ladders: Pair<readonly Level[]>) {
  const sums = emptyTally(ladders)

  function addSources(side: 'before' | 'after', { earned, rounding }: Prediction): void {
    for (const { rule, points } of earned) {
      const sum = rule === REFERRAL ? sums.referral : ratiosOf(sums.rules, rule)
      sum[side] = add(sum[side], points)
    }
    if (!isZero(rounding)) sums.rounding[side] = add(sums.rounding[side], rounding)
  }

  return {
    sums: sums as Readonly<Tally>,

    /** Adds an order: as the ledger holds it, as its own program computes it, and as the candidate does (undefined if the candidate refuses it); and whether those are the same program. */
    addOrder(
      { order, points, referrer }: Pick<RecordedOrder, 'order' | 'points' | 'referrer'>,
      before: Prediction,
      after: Prediction | undefined,
      isUnderCandidate: boolean,
    ): void {
      const referrerPoints = { before: referrer?.points ?? 0n, after: after?.referrer?.points ?? 0n }
      const all = { before: points + referrerPoints.before, after: (after?.points ?? 0n) + referrerPoints.after }
      const month = monthOf(sums.months, order.at)
      sums.orders += 1
      month.orders += 1
      for (const side of ['before', 'after'] as const) {
        sums.points[side] += all[side]
        month[side] += all[side]
        sums.referrer[side] += referrerPoints[side]
      }
      addSources('before', before)
      if (after === undefined) sums.refused += 1
      else addSources('after', after)
      if (isUnderCandidate) sums.underCandidate += 1
      if (before.points !== points) sums.unlikeLedger += 1
    },

    /** Counts an order that cannot be computed anew. */
    addErased(): void {
      sums.erased += 1
    },

    /** Counts an order whose products lacked attributes that they have now. */
    addWithoutAttributes(): void {
      sums.withoutAttributes += 1
    },

    /** Counts an order of this moment for each of these rules, in whose days it lies. */
    addOrderTime(at: string, rules: readonly string[]): void {
      sums.firstAt = earlier(sums.firstAt, at)
      sums.lastAt = later(sums.lastAt, at)
      for (const rule of rules) sums.inDays.set(rule, (sums.inDays.get(rule) ?? 0) + 1)
    },

    /** Counts what makes the result inexact, for an order or the one before it. */
    addInexact({ isOutOfOrder, isAfterChanged }: Readonly<{ isOutOfOrder: boolean; isAfterChanged: boolean }>): void {
      if (isOutOfOrder) sums.outOfOrder += 1
      if (isAfterChanged) sums.changedLater += 1
    },

    /** Adds a player's balances. */
    addBalances(balances: Pair<BalanceSums>): void {
      for (const side of ['before', 'after'] as const)
        sums.balances[side] = addBalances(sums.balances[side], balances[side])
    },

    /** Adds a player after all of their orders. */
    addPlayer(change: PlayerChange, hasOrders: boolean, levelPoints: Pair<bigint>): void {
      if (hasOrders) sums.players += 1
      const before = levelIndexAt(ladders.before, levelPoints.before)
      const after = levelIndexAt(ladders.after, levelPoints.after)
      sums.levels.before[before]! += 1
      sums.levels.after[after]! += 1
      const [from, to] = [ladders.before[before]!.name, ladders.after[after]!.name]
      if (from !== to) addMove(sums.moves, `${before} ${after}`, { from, to, players: 1, userIds: [change.userId] })
      if (change.change > 0n) keepFirst(sums.winners, change, byGain, MOVERS_MAX)
      if (change.change < 0n) keepFirst(sums.losers, change, byLoss, MOVERS_MAX)
    },
  }
}

function emptyTally({ before, after }: Pair<readonly Level[]>): Tally {
  return {
    orders: 0,
    players: 0,
    points: { before: 0n, after: 0n },
    months: new Map(),
    rules: new Map(),
    referral: { before: ZERO, after: ZERO },
    rounding: { before: ZERO, after: ZERO },
    referrer: { before: 0n, after: 0n },
    balances: { before: NO_BALANCES, after: NO_BALANCES },
    levels: { before: before.map(() => 0), after: after.map(() => 0) },
    moves: new Map(),
    winners: [],
    losers: [],
    refused: 0,
    outOfOrder: 0,
    changedLater: 0,
    erased: 0,
    withoutAttributes: 0,
    underCandidate: 0,
    unlikeLedger: 0,
    inDays: new Map(),
    firstAt: undefined,
    lastAt: undefined,
  }
}

const NO_BALANCES: BalanceSums = {
  outstanding: 0n,
  pending: 0n,
  expired: 0n,
  owed: 0n,
  notCovered: 0n,
  spendsNotCovered: 0,
}

export function addBalances(a: BalanceSums, b: BalanceSums): BalanceSums {
  return {
    outstanding: a.outstanding + b.outstanding,
    pending: a.pending + b.pending,
    expired: a.expired + b.expired,
    owed: a.owed + b.owed,
    notCovered: a.notCovered + b.notCovered,
    spendsNotCovered: a.spendsNotCovered + b.spendsNotCovered,
  }
}

/** The difference that the candidate makes to an order: the rules, referral and rounding that differ, in the order of the candidate's rules. */
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

/** Sorts winners by gain, then by id. */
export const byGain = (a: PlayerChange, b: PlayerChange) =>
  compareValues(b.change, a.change) || compareValues(a.userId, b.userId)
/** Sorts losers by loss, then by id. */
export const byLoss = (a: PlayerChange, b: PlayerChange) =>
  compareValues(a.change, b.change) || compareValues(a.userId, b.userId)

/** Inserts an element into a sorted list in place, and keeps the first `max`. */
function keepFirst<T>(kept: T[], one: T, compare: (a: T, b: T) => number, max: number): void {
  if (kept.length === max && compare(one, kept.at(-1)!) > 0) return
  kept.push(one)
  kept.sort(compare)
  if (kept.length > max) kept.pop()
}

function ratiosOf(rules: Map<string, Sums<Ratio>>, rule: string): Sums<Ratio> {
  const existing = rules.get(rule)
  if (existing !== undefined) return existing
  const sum = { before: ZERO, after: ZERO }
  rules.set(rule, sum)
  return sum
}

function monthOf(months: Tally['months'], at: string): Sums<bigint> & { orders: number } {
  const name = at.slice(0, 7)
  const existing = months.get(name)
  if (existing !== undefined) return existing
  const month = { orders: 0, before: 0n, after: 0n }
  months.set(name, month)
  return month
}

export function earlier(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}

export function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/** Adds players to a move in place. */
export function addMove(moves: Tally['moves'], key: string, { from, to, players, userIds }: LevelMove): void {
  const move = moves.get(key) ?? { from, to, players: 0, userIds: [] }
  moves.set(key, move)
  move.players += players
  for (const userId of userIds) keepFirst(move.userIds, userId, compareValues, IDS_OF_MOVE_MAX)
}
