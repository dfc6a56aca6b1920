/*
 * Looks for counter-examples in a program: orders that earn what no shop means to give. Pure: the same program and seed give the same answer.
 * How much is tried is bounded by counts, never by a clock, so that the answer does not depend on the machine.
 */
import fc from 'fast-check'
import type { Program } from '../../points/program-model.ts'
import type { TestCase } from '../cases.ts'
import { type ReplayStep, replayFrom, type World } from '../replay.ts'
import { circle } from './circle.ts'
import { forNothing } from './for-nothing.ts'
import type { Evidence, Kind } from './kind.ts'
import { returning } from './returning.ts'
import { type Shop, shopOf } from './shop.ts'
import { spendingMore } from './spending-more.ts'
import { splitting } from './splitting.ts'
import { withoutBound } from './without-bound.ts'

const kinds = {
  splitting: looking(splitting),
  returning: looking(returning),
  'spending-more': looking(spendingMore),
  circle: looking(circle),
  'for-nothing': looking(forNothing),
  'without-bound': looking(withoutBound),
} as const

export type KindName = keyof typeof kinds

/** Every kind of counter-example, in the order in which they are looked for. */
export const KINDS = Object.keys(kinds) as readonly KindName[]

/** A counter-example, the smallest that was found, and what its orders earn one after the other. */
export type Finding = Readonly<{
  kind: KindName
  promise: string
  title: string
  because: readonly string[]
  world: World
  histories: readonly Readonly<{ name: string; steps: readonly ReplayStep[] }>[]
}>

const RUNS = { min: 150, max: 4_000 }
/** How much a program may cost to compute before less is tried: one rule, and 20 characters of a condition, count 1. */
const WEIGHT = { usual: 60, characters: 20 }

/**
 * Looks for one kind of counter-example. Undefined where none was found, which is no proof.
 *
 * Bounds  up to 4,000 examples, fewer of a program with very many or long conditions; then the library shrinks what it found
 * Source  docs/decisions/0108-probing-programs.md
 */
export function lookFor(kind: KindName, program: Program, seed: number): Finding | undefined {
  const { promise, look } = kinds[kind]
  const evidence = look(shopOf(program), seed, runsFor(program))
  if (evidence === undefined) return undefined
  const { histories, ...rest } = evidence
  const play = replayFrom(program, evidence.world)
  return { kind, promise, ...rest, histories: histories.map(({ name, orders }) => ({ name, steps: play(orders) })) }
}

/** A finding as cases that come as expected while the hole is there. */
export function casesOf({ histories }: Finding): TestCase[] {
  return histories.map(({ name, steps }) => ({
    name,
    orders: steps.map((step) => {
      if ('refused' in step) return { order: step.order }
      const { order, prediction, balance } = step
      const earned = new Map(prediction.earned.map(({ rule, points }) => [rule, points]))
      const { points, level } = prediction
      return {
        order,
        expected: { points, level: level.after, balance, earned, message: undefined, notApplied: [] },
      }
    }),
  }))
}

function runsFor({ earn }: Program): number {
  const weight = earn.reduce((sum, { when }) => sum + 1 + (when?.source.length ?? 0) / WEIGHT.characters, 0)
  return Math.max(RUNS.min, Math.min(RUNS.max, Math.floor((RUNS.max * WEIGHT.usual) / weight)))
}

function looking<Gene>({ promise, genes, judge }: Kind<Gene>) {
  const look = (shop: Shop, seed: number, numRuns: number): Evidence | undefined => {
    const property = fc.property(genes(shop), (gene) => judge(gene, shop) === undefined)
    const { counterexample } = fc.check(property, { seed, numRuns })
    return counterexample === null ? undefined : judge(counterexample[0], shop)
  }
  return { promise, look }
}
