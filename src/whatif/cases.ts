/*
 * Test cases of a program: histories of a few orders, replayed in memory, with what is expected of each order.
 */
import { isZero, type Ratio, ratioText, subtract } from '../points/arithmetic.ts'
import { dayAfterPeriod, type Period } from '../points/calendar.ts'
import type { OrderRefusal } from '../points/ledger/evaluate.ts'
import { messageFor } from '../points/message.ts'
import type { Prediction, SentOrder } from '../points/model.ts'
import type { Program } from '../points/program-model.ts'
import { REFERRAL } from '../points/referral.ts'
import type { Moment } from '../points/units.ts'
import { type ReplayStep, replayFrom, type World } from './replay.ts'

/** What is expected of an order. What is undefined or not named is not compared. `level`, `balance`, `available` and `pending` are its player's after it. */
export type Expected = Readonly<{
  points: bigint | undefined
  level: string | undefined
  message: string | undefined
  balance: bigint | undefined
  available?: bigint
  pending?: bigint
  /** By rule, exact. */
  earned: ReadonlyMap<string, Ratio>
  notApplied: readonly string[]
}>

/** An order without expectations prepares those after it. It arrives so much later than the one before it as `wait` says. */
export type TestOrder = Readonly<{ order: SentOrder; wait?: Period; expected?: Expected }>

export type TestCase = Readonly<{ name: string; orders: readonly TestOrder[] }>

/** Cases with the world they begin in. */
export type Cases = World & Readonly<{ cases: readonly TestCase[] }>

export type Mismatch = Readonly<{ what: string; expected: string; actual: string }>

/** The result of an order. One that is refused is never as expected. */
export type CaseOrderResult = Readonly<{ order: SentOrder }> &
  (Readonly<{ refused: OrderRefusal }> | Readonly<{ prediction: Prediction; mismatches: readonly Mismatch[] }>)

export type CaseResult = Readonly<{ name: string; isAsExpected: boolean; orders: readonly CaseOrderResult[] }>

/** Runs cases under a program. Each begins with the same world and records its orders one after the other. */
export function tryCases(program: Program, { cases, ...world }: Cases): CaseResult[] {
  const replay = replayFrom(program, world)
  return cases.map(({ name, orders }) => {
    const steps = replay(
      orders.map(({ order }) => order),
      arrivalsOf(orders, world.startsAt),
    )
    const results = orders.map((order, index) => resultOf(order, steps[index]!, program))
    return { name, isAsExpected: results.every(isAsExpected), orders: results }
  })
}

/** The rules, and the referral, that gave something in none of the cases. */
export function listUntried(program: Program, results: readonly CaseResult[]): string[] {
  const lines = [...program.earn.map(({ name }) => name), ...(program.referral === undefined ? [] : [REFERRAL])]
  const tried = new Set(
    results
      .flatMap(({ orders }) => orders)
      .flatMap((result) => ('prediction' in result ? result.prediction.earned.map(({ rule }) => rule) : [])),
  )
  return lines.filter((line) => !tried.has(line))
}

type Recorded = Extract<ReplayStep, { balance: bigint }>

/** The clock of a case: it stands where no order waits. */
function arrivalsOf(orders: readonly TestOrder[], startsAt: Moment): Moment[] {
  let now = startsAt
  return orders.map(({ wait }) => {
    if (wait !== undefined) now = `${dayAfterPeriod(now.slice(0, 10), wait)}${now.slice(10)}`
    return now
  })
}

function isAsExpected(result: CaseOrderResult): boolean {
  return 'mismatches' in result && result.mismatches.length === 0
}

function resultOf({ expected }: TestOrder, step: ReplayStep, { messages }: Program): CaseOrderResult {
  if ('refused' in step) return step
  const { order, prediction } = step
  if (expected === undefined) return { order, prediction, mismatches: [] }
  return {
    order,
    prediction,
    mismatches: compare(expected, { ...step, message: messageFor(prediction, messages) }),
  }
}

function compare(
  expected: Expected,
  { prediction, message, balance, available, pending }: Omit<Recorded, 'order'> & Readonly<{ message: string }>,
): Mismatch[] {
  const earned = new Map(prediction.earned.map(({ rule, points }) => [rule, points]))
  const notApplied = new Set(prediction.notApplied.map(({ rule }) => rule))
  const actualOf = (rule: string): string => {
    const points = earned.get(rule)
    return points !== undefined ? ratioText(points) : notApplied.has(rule) ? 'nothing' : 'no such rule'
  }
  return [
    ...mismatch('points', expected.points, prediction.points),
    ...mismatch('level', expected.level, prediction.level.after),
    ...mismatch('message', expected.message, message),
    ...mismatch('balance', expected.balance, balance),
    ...mismatch('available', expected.available, available),
    ...mismatch('pending', expected.pending, pending),
    ...[...expected.earned]
      .filter(([rule, points]) => !isEqual(points, earned.get(rule)))
      .map(([rule, points]) => ({ what: `earned by ${rule}`, expected: ratioText(points), actual: actualOf(rule) })),
    ...expected.notApplied
      .filter((rule) => !notApplied.has(rule))
      .map((rule) => ({ what: `earned by ${rule}`, expected: 'nothing', actual: actualOf(rule) })),
  ]
}

function mismatch<T extends string | bigint>(what: string, expected: T | undefined, actual: T): Mismatch[] {
  return expected === undefined || expected === actual
    ? []
    : [{ what, expected: String(expected), actual: String(actual) }]
}

function isEqual(a: Ratio, b: Ratio | undefined): boolean {
  return b !== undefined && isZero(subtract(a, b))
}
