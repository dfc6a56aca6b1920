/*
 * Test orders of a program: what was expected of each, and what came. A case is a small history that is recorded as the service records
 * it, in memory.
 */
import { isZero, type Ratio, ratioText, subtract } from '../points/arithmetic.ts'
import type { OrderRefusal } from '../points/ledger/evaluate.ts'
import { messageFor } from '../points/message.ts'
import type { Prediction, SentOrder } from '../points/model.ts'
import type { Program } from '../points/program-model.ts'
import { REFERRAL } from '../points/referral.ts'
import { type ReplayStep, replayFrom, type World } from './replay.ts'

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

/** Cases with the world they begin in. */
export type Cases = World & Readonly<{ cases: readonly TestCase[] }>

/** One thing that came otherwise than expected. */
export type Mismatch = Readonly<{ what: string; expected: string; came: string }>

/** What became of an order. One that is refused is never as expected. */
export type CaseOrderResult = Readonly<{ order: SentOrder }> &
  (Readonly<{ refused: OrderRefusal }> | Readonly<{ prediction: Prediction; otherwise: readonly Mismatch[] }>)

export type CaseResult = Readonly<{ name: string; isAsExpected: boolean; orders: readonly CaseOrderResult[] }>

/**
 * Tries a program on cases: each begins with the players as written, and records its orders one after the other. What a case
 * says of an order is what the service would say just before it, and record. Exact; nothing is rounded but by the program.
 */
export function tryCases(program: Program, { cases, ...world }: Cases): CaseResult[] {
  const play = replayFrom(program, world)
  return cases.map(({ name, orders }) => {
    const steps = play(orders.map(({ order }) => order))
    const outcomes = orders.map((order, index) => outcomeOf(order, steps[index]!, program))
    return { name, isAsExpected: outcomes.every(isAsExpected), orders: outcomes }
  })
}

/** The lines of an explanation, rules and referral, that gave something in none of the cases. */
export function listUntried(program: Program, outcomes: readonly CaseResult[]): string[] {
  const lines = [...program.earn.map(({ name }) => name), ...(program.referral === undefined ? [] : [REFERRAL])]
  const tried = new Set(
    outcomes
      .flatMap(({ orders }) => orders)
      .flatMap((outcome) => ('prediction' in outcome ? outcome.prediction.earned.map(({ rule }) => rule) : [])),
  )
  return lines.filter((line) => !tried.has(line))
}

function isAsExpected(outcome: CaseOrderResult): boolean {
  return 'otherwise' in outcome && outcome.otherwise.length === 0
}

/** What came of an order, held against what was expected of it. */
function outcomeOf({ expected }: TestOrder, step: ReplayStep, { messages }: Program): CaseOrderResult {
  if ('refused' in step) return step
  const { order, prediction, balance } = step
  if (expected === undefined) return { order, prediction, otherwise: [] }
  return {
    order,
    prediction,
    otherwise: compare(expected, { prediction, message: messageFor(prediction, messages), balance }),
  }
}

function compare(
  expected: Expected,
  { prediction, message, balance }: { prediction: Prediction; message: string; balance: bigint },
): Mismatch[] {
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

function unlike<T extends string | bigint>(what: string, expected: T | undefined, came: T): Mismatch[] {
  return expected === undefined || expected === came ? [] : [{ what, expected: String(expected), came: String(came) }]
}

function isEqual(a: Ratio, b: Ratio | undefined): boolean {
  return b !== undefined && isZero(subtract(a, b))
}
