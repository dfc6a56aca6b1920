/*
 * Test cases of a program: short histories of orders and redemptions, replayed in memory, with the expected result of each step.
 */
import { isZero, type Ratio, ratioText, subtract } from '../points/arithmetic.ts'
import type { OrderRefusal } from '../points/ledger/evaluate-order.ts'
import type { CommandRefusal } from '../points/ledger/redemptions.ts'
import { messageFor } from '../points/message.ts'
import type { Prediction } from '../points/model.ts'
import type { Program } from '../points/program-model.ts'
import { REFERRAL } from '../points/referral.ts'
import { type BalanceSummary, type HistoryStep, type ReplayStep, replayFrom, type World } from './replay.ts'

/**
 * The expected result of a step. Fields that are undefined or absent are not compared. `level` and the fields of `BalanceSummary` are the player's after
 * the step. `points`, `level`, `message`, `earned` and `notApplied` apply to orders only; `refused` expects the step to be refused for that reason.
 */
export type Expected = Readonly<{
  points: bigint | undefined
  level: string | undefined
  message: string | undefined
  balance: bigint | undefined
  available?: bigint
  pending?: bigint
  held?: bigint
  refused?: RefusalKind
  /** By rule, exact. */
  earned: ReadonlyMap<string, Ratio>
  notApplied: readonly string[]
}>

/** A step of a test case. A step without expectations only sets up the steps after it. */
export type TestStep = HistoryStep & Readonly<{ expected?: Expected }>

export type TestCase = Readonly<{ name: string; steps: readonly TestStep[] }>

/** Cases, and the world that they start in. */
export type Cases = World & Readonly<{ cases: readonly TestCase[] }>

export type Mismatch = Readonly<{ what: string; expected: string; actual: string }>

/** The result of a step. A refused step is as expected only if a refusal was expected. */
export type CaseStepResult = ReplayStep & Readonly<{ isAsExpected: boolean; mismatches: readonly Mismatch[] }>

export type CaseResult = Readonly<{ name: string; isAsExpected: boolean; steps: readonly CaseStepResult[] }>

/** Short codes for why a step may be refused; the sentences for people are composed elsewhere. */
export type RefusalKind = (typeof REFUSAL_KINDS)[number]
export const REFUSAL_KINDS = [
  ...['not-enough', 'step', 'least', 'at-most', 'worth', 'when', 'no-redeem', 'hold', 'no-reward'],
  ...[
    'no-redemption',
    'other-content',
    'more-than-held',
    'too-many-parts',
    'used-by-order',
    'is-voided',
    'is-confirmed',
  ],
  ...['other-player', 'unknown-player', 'stale', 'conflict', 'no-program', 'total-decimals', 'discount-decimals'],
  ...['currency', 'other-currency'],
  'too-many-points',
] as const

/** Runs cases under a program. Each starts from the same world and records its steps one after the other. */
export function tryCases(program: Program, { cases, ...world }: Cases): CaseResult[] {
  const replay = replayFrom(program, world)
  return cases.map(({ name, steps }) => {
    const replayed = replay(steps)
    const results = steps.map(({ expected }, index) => resultOf(expected, replayed[index]!, program))
    return { name, isAsExpected: results.every(({ isAsExpected }) => isAsExpected), steps: results }
  })
}

/** The code for a refusal. */
export function kindOfRefusal(refused: OrderRefusal | CommandRefusal): RefusalKind {
  // Nobody is erased in a case.
  if (refused === 'erased') return 'unknown-player'
  return typeof refused === 'string' ? refused : refused.kind
}

/** The rules, and the referral, that gave nothing in any of the cases. */
export function listUntried(program: Program, results: readonly CaseResult[]): string[] {
  const lines = [...program.earn.map(({ name }) => name), ...(program.referral === undefined ? [] : [REFERRAL])]
  const tried = new Set(
    results
      .flatMap(({ steps }) => steps)
      .flatMap((result) => ('prediction' in result ? result.prediction.earned.map(({ rule }) => rule) : [])),
  )
  return lines.filter((line) => !tried.has(line))
}

function resultOf(expected: Expected | undefined, step: ReplayStep, program: Program): CaseStepResult {
  if ('refused' in step && expected?.refused === undefined) return { ...step, isAsExpected: false, mismatches: [] }
  const mismatches = expected === undefined ? [] : compare(expected, step, program)
  return { ...step, isAsExpected: mismatches.length === 0, mismatches }
}

function compare(expected: Expected, step: ReplayStep, { messages }: Program): Mismatch[] {
  const summary = [...compareRefusal(expected, step), ...compareBalance(expected, step)]
  if (!('prediction' in step)) return summary
  const { prediction } = step
  return [
    ...mismatch('points', expected.points, prediction.points),
    ...mismatch('level', expected.level, prediction.level.after),
    ...mismatch('message', expected.message, messageFor(prediction, messages)),
    ...summary,
    ...compareRules(expected, prediction),
  ]
}

function compareRefusal({ refused }: Expected, step: ReplayStep): Mismatch[] {
  if (refused === undefined) return []
  return mismatch('refused', refused, 'refused' in step ? kindOfRefusal(step.refused) : 'nothing')
}

function compareBalance(expected: Expected, { balance, available, pending, held }: BalanceSummary): Mismatch[] {
  return [
    ...mismatch('balance', expected.balance, balance),
    ...mismatch('available', expected.available, available),
    ...mismatch('pending', expected.pending, pending),
    ...mismatch('held', expected.held, held),
  ]
}

function compareRules(expected: Expected, prediction: Prediction): Mismatch[] {
  const earned = new Map(prediction.earned.map(({ rule, points }) => [rule, points]))
  const notApplied = new Set(prediction.notApplied.map(({ rule }) => rule))
  const actualOf = (rule: string): string => {
    const points = earned.get(rule)
    return points !== undefined ? ratioText(points) : notApplied.has(rule) ? 'nothing' : 'no such rule'
  }
  return [
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
