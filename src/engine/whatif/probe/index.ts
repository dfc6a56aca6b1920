/*
 * Searches a program for counterexamples: orders that earn what no shop would mean to give. The same program and seed always give the same
 * result: the search is bounded by counts, never by a clock.
 */
import fc from 'fast-check'
import type { Program } from '../../points/program-model.ts'
import { kindOfRefusal, type TestCase, type TestStep } from '../cases.ts'
import { type ReplayStep, replayFrom, type World } from '../replay.ts'
import { circle } from './circle.ts'
import { forNothing } from './for-nothing.ts'
import { gift } from './gift.ts'
import { loop } from './loop.ts'
import { perpetual } from './perpetual.ts'
import type { Counterexample, ProgramProperty } from './property.ts'
import { returning } from './returning.ts'
import { type SearchSpace, searchSpaceOf } from './search-space.ts'
import { spendingMore } from './spending-more.ts'
import { splitting } from './splitting.ts'
import { withoutBound } from './without-bound.ts'

const searches = {
  splitting: searchFor(splitting),
  returning: searchFor(returning),
  'spending-more': searchFor(spendingMore),
  circle: searchFor(circle),
  'for-nothing': searchFor(forNothing),
  'without-bound': searchFor(withoutBound),
  perpetual: searchFor(perpetual),
  loop: searchFor(loop),
  gift: searchFor(gift),
} as const

export type ProbeKind = keyof typeof searches

/** Every kind of counterexample, in the order in which the probe searches for them. */
export const PROBE_KINDS = Object.keys(searches) as readonly ProbeKind[]

/** The smallest counterexample found, with what its orders earn. */
export type Finding = Readonly<{
  kind: ProbeKind
  promise: string
  title: string
  because: readonly string[]
  world: World
  histories: readonly Readonly<{ name: string; steps: readonly ReplayStep[] }>[]
}>

export const PROBE_RUNS = 4_000
/** The minimum, for programs that are expensive to compute. */
const RUNS_MIN = 150
/** The cost of a program above which the number of runs is reduced. A rule costs 1, and so do every 20 characters of a condition. */
const COST = { usual: 60, characters: 20 }

/**
 * Searches for one kind of counterexample. Undefined if none is found, which proves nothing.
 *
 * Bounds  up to `runs` runs, fewer for a program with very many rules, long conditions, or pending periods or expiry; then fast-check shrinks
 *         what it found
 * Source  docs/decisions/0108-probe.md
 */
export function findCounterexample(
  kind: ProbeKind,
  program: Program,
  seed: number,
  runs = PROBE_RUNS,
): Finding | undefined {
  const { promise, search } = searches[kind]
  const counterexample = search(searchSpaceOf(program), seed, runsFor(program, runs))
  if (counterexample === undefined) return undefined
  const { histories, ...rest } = counterexample
  const replay = replayFrom(program, counterexample.world)
  return { kind, promise, ...rest, histories: histories.map(({ name, steps }) => ({ name, steps: replay(steps) })) }
}

/** A finding as test cases that pass for as long as the program has the flaw. */
export function casesOf({ histories }: Finding): TestCase[] {
  return histories.map(({ name, steps }) => ({ name, steps: steps.map(testStepOf) }))
}

/** The available points are only asserted where they differ from the balance. */
function testStepOf(step: ReplayStep): TestStep {
  const { balance, available, pending, held } = step
  const waits = step.wait === undefined ? {} : { wait: step.wait }
  const nothing = { points: undefined, level: undefined, message: undefined, earned: new Map(), notApplied: [] }
  const spendable = available === balance && held === 0n ? {} : { available, pending, held }
  const summary = { balance, ...spendable }
  const input = 'order' in step ? { order: step.order } : { userId: step.userId, redeem: step.redeem }
  if ('refused' in step)
    return { ...input, ...waits, expected: { ...nothing, ...summary, refused: kindOfRefusal(step.refused) } }
  if ('redemption' in step) return { ...input, ...waits, expected: { ...nothing, ...summary } }
  const { points, level, earned: lines } = step.prediction
  const earned = new Map(lines.map((line) => [line.rule, line.points]))
  return { ...input, ...waits, expected: { ...nothing, points, level: level.after, ...summary, earned } }
}

/** The slowdown where balances depend on the day, as they are then recomputed for each order. */
const FOLD_COST = 2

function runsFor({ earn, points }: Program, most: number): number {
  const cost = earn.reduce((sum, { when }) => sum + 1 + (when?.source.length ?? 0) / COST.characters, 0)
  const runs = Math.min(most, (most * COST.usual) / cost)
  return Math.max(Math.min(most, RUNS_MIN), Math.floor(points === undefined ? runs : runs / FOLD_COST))
}

/** Hides a property's sample type, so that all properties fit in one table. */
function searchFor<Sample>({ promise, applies, areFew, samples, counterexample }: ProgramProperty<Sample>) {
  const search = (space: SearchSpace, seed: number, numRuns: number): Counterexample | undefined => {
    if (applies?.(space) === false) return undefined
    const property = fc.property(samples(space), (sample) => counterexample(sample, space) === undefined)
    const failure = fc.check(property, { seed, numRuns, ignoreEqualValues: areFew === true }).counterexample
    return failure === null ? undefined : counterexample(failure[0], space)
  }
  return { promise, search }
}
