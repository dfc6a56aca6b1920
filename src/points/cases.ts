/*
 * Test orders of a program: what was expected of each, and what came. A case is a small history that is recorded as the service records
 * it, in memory.
 */
import { adjust } from './adjustments.ts'
import { isZero, type Ratio, ratioText, subtract } from './arithmetic.ts'
import {
  laidOver,
  layOver,
  NO_ACCOUNT,
  type OrderRefusal,
  type Overlay,
  openOverlay,
  type Profile,
  recordOrders,
  type Snapshot,
} from './ledger.ts'
import { messageFor } from './message.ts'
import type { Catalogue, Prediction, Program, PublishedProgram, SentOrder } from './model.ts'
import { REFERRAL } from './referral.ts'

/** What is expected of an order; what is undefined or not named is not looked at. `level` and `balance` are its player's after it. */
export type Expected = Readonly<{
  points: bigint | undefined
  level: string | undefined
  message: string | undefined
  balance: bigint | undefined
  /** By rule, exact. */
  earned: ReadonlyMap<string, Ratio>
  notApplied: readonly string[]
}>

/** An order without expectations is there for what it leaves behind. */
export type TestOrder = Readonly<{ order: SentOrder; expected?: Expected }>

export type TestCase = Readonly<{ name: string; orders: readonly TestOrder[] }>

/** A player as every case begins with him. `points` he has from elsewhere; `counts`: whether they count for his level. */
export type TestPlayer = Readonly<{
  userId: string
  profile: Profile
  referralCode: string
  points: bigint
  counts: boolean
}>

/** Cases with the world they begin in. `startsAt` (RFC 3339, UTC) is the moment of the players' first points and of orders that name none. */
export type Cases = Readonly<{
  startsAt: string
  catalogue: Catalogue
  players: readonly TestPlayer[]
  cases: readonly TestCase[]
}>

/** One thing that came otherwise than expected. */
export type Otherwise = Readonly<{ what: string; expected: string; came: string }>

/** What became of an order. One that is refused is never as expected. */
export type OrderOutcome = Readonly<{ order: SentOrder }> &
  (Readonly<{ refused: OrderRefusal }> | Readonly<{ prediction: Prediction; otherwise: readonly Otherwise[] }>)

export type CaseOutcome = Readonly<{ name: string; isAsExpected: boolean; orders: readonly OrderOutcome[] }>

/**
 * Tries a program on cases: each begins with the players as written, and records its orders one after the other. What a case
 * says of an order is what the service would say just before it, and record. Exact; nothing is rounded but by the program.
 */
export function tryCases(program: Program, { startsAt, catalogue, players, cases }: Cases): CaseOutcome[] {
  const start = openingOf(players, catalogue, startsAt)
  const published: PublishedProgram = { version: 1, from: '-infinity', program }
  return cases.map(({ name, orders }) => {
    const since = openOverlay()
    const outcomes = orders.map((order) => tryOrder(order, laidOver(start, since), since, published, startsAt))
    return { name, isAsExpected: outcomes.every(isAsExpected), orders: outcomes }
  })
}

/** The lines of an explanation, rules and referral, that gave something in none of the cases. */
export function listUntried(program: Program, outcomes: readonly CaseOutcome[]): string[] {
  const lines = [...program.earn.map(({ name }) => name), ...(program.referral === undefined ? [] : [REFERRAL])]
  const tried = new Set(
    outcomes
      .flatMap(({ orders }) => orders)
      .flatMap((outcome) => ('prediction' in outcome ? outcome.prediction.earned.map(({ rule }) => rule) : [])),
  )
  return lines.filter((line) => !tried.has(line))
}

function isAsExpected(outcome: OrderOutcome): boolean {
  return 'otherwise' in outcome && outcome.otherwise.length === 0
}

/** What is known before the first order. No window sum is stored: all entries of a case are at hand. */
function openingOf(players: readonly TestPlayer[], catalogue: Catalogue, startsAt: string): Snapshot {
  const accounts = new Map(players.map(({ userId }) => [userId, NO_ACCOUNT]))
  const brought = players
    .filter(({ points }) => points !== 0n)
    .map(({ userId, points, counts }) => ({ id: 'start', userId, points, counts, reason: 'brought along' }))
  const start = adjust(brought, { accounts, made: new Map() }, startsAt)
  const bearers = Map.groupBy(
    players.filter(({ referralCode }) => referralCode !== ''),
    ({ referralCode }) => referralCode,
  )
  return {
    profiles: new Map(players.map(({ userId, profile }) => [userId, profile])),
    accounts: new Map([...accounts, ...start.accounts]),
    orders: new Map(),
    catalogue,
    codes: new Map([...bearers].map(([code, bearing]) => [code, bearing.map(({ userId }) => userId)])),
    sums: new Map(),
    entriesOf: Map.groupBy(start.entries, ({ userId }) => userId),
  }
}

/** What became of an order, which is laid over what is known for the next one. */
function tryOrder(
  { order, expected }: TestOrder,
  known: Snapshot,
  since: Overlay,
  published: PublishedProgram,
  startsAt: string,
): OrderOutcome {
  const recording = recordOrders([order], known, [published], startsAt)
  const verdict = recording.verdicts[0]!
  if ('refused' in verdict) return { order, refused: verdict.refused }
  layOver(since, recording)
  const { prediction } = verdict
  if (expected === undefined) return { order, prediction, otherwise: [] }
  const message = messageFor(prediction, published.program.messages)
  const balance = known.accounts.get(order.userId)!.points
  return { order, prediction, otherwise: compare(expected, { prediction, message, balance }) }
}

function compare(
  expected: Expected,
  { prediction, message, balance }: { prediction: Prediction; message: string; balance: bigint },
): Otherwise[] {
  const earned = new Map(prediction.earned.map(({ rule, points }) => [rule, points]))
  const idle = new Set(prediction.notApplied.map(({ rule }) => rule))
  const saidOf = (rule: string): string => {
    const points = earned.get(rule)
    return points !== undefined ? ratioText(points) : idle.has(rule) ? 'nothing' : 'no such rule'
  }
  return [
    ...unlike('points', expected.points, prediction.points),
    ...unlike('level', expected.level, prediction.level.after),
    ...unlike('message', expected.message, message),
    ...unlike('balance', expected.balance, balance),
    ...[...expected.earned]
      .filter(([rule, points]) => !isEqual(points, earned.get(rule)))
      .map(([rule, points]) => ({ what: `earned by ${rule}`, expected: ratioText(points), came: saidOf(rule) })),
    ...expected.notApplied
      .filter((rule) => !idle.has(rule))
      .map((rule) => ({ what: `earned by ${rule}`, expected: 'nothing', came: saidOf(rule) })),
  ]
}

function unlike<T extends string | bigint>(what: string, expected: T | undefined, came: T): Otherwise[] {
  return expected === undefined || expected === came ? [] : [{ what, expected: String(expected), came: String(came) }]
}

function isEqual(a: Ratio, b: Ratio | undefined): boolean {
  return b !== undefined && isZero(subtract(a, b))
}
