/*
 * The result of a measurement: a figure beside its floor (the baseline it is compared with) and its target.
 */

import type { Bound, Target } from './targets.ts'
import type { Database } from './testbed.ts'
import type { Threads } from './threads.ts'

/** One line of the table: our figure beside its floor, if it has one, both measured in the same run. */
export type Figure = Readonly<{
  figure: string
  /** `none`: measured without a database. */
  database: Database | 'none'
  unit: string
  floor: number | null
  ours: number
  ratio: number | null
  /** Of the runs, the smallest and the largest ratio, or value of ours without a floor; null for a single run. */
  spread: readonly [number, number] | null
  /** Of our process; null where it was not measured. */
  threads: Threads | null
  bound: Bound
  must: number | null
  aim: number | null
  met: 'aim' | 'must' | 'no' | null
  note: string
}>

/**
 * Compares a measurement with its target. Where it gives several values, their median counts, and the spread is that of the ratios of the runs, or of
 * our values if there is no floor. `threads` is what our process spent in each run.
 */
export function figureOf(
  target: Target,
  measured: Readonly<{
    database: Figure['database']
    floor?: Values
    ours: Values
    threads?: readonly (Threads | undefined)[]
    note: string
  }>,
): Figure {
  const { database, threads = [], note } = measured
  const [floors, all] = [listOf(measured.floor ?? []), listOf(measured.ours)]
  const ratioOf = (floor: number, ours: number) => (target.lessIsBetter === true ? floor / ours : ours / floor)
  const [floor, ours] = [floors.length === 0 ? null : median(floors), median(all)]
  const ratio = floor === null ? null : ratioOf(floor, ours)
  const compared =
    floor === null ? all : all.flatMap((one, run) => (floors[run] === undefined ? [] : [ratioOf(floors[run], one)]))
  const [must = null, aim = null] = target[database] ?? []
  const value = target.bound.of === 'ours' ? ours : ratio
  return {
    figure: target.figure,
    database,
    unit: target.unit,
    floor,
    ours,
    ratio,
    spread: compared.length < 2 ? null : [Math.min(...compared), Math.max(...compared)],
    threads: medianThreads(threads),
    bound: target.bound,
    must,
    aim,
    met: value === null || must === null ? null : metBy(value, target.bound, must, aim),
    note,
  }
}

type Values = number | readonly number[]

function listOf(values: Values): readonly number[] {
  return typeof values === 'number' ? [values] : values
}

/** Null if there is a run in which they were not measured. */
function medianThreads(runs: readonly (Threads | undefined)[]): Threads | null {
  const known = runs.filter((run) => run !== undefined)
  if (known.length === 0 || known.length < runs.length) return null
  const of = (name: keyof Threads) => median(known.map((run) => run[name]))
  return { each: of('each'), main: of('main'), helpers: of('helpers') }
}

function metBy(value: number, { is }: Bound, must: number, aim: number | null): 'aim' | 'must' | 'no' {
  const reaches = (goal: number) => (is === 'at least' ? value >= goal : value <= goal)
  if (aim !== null && reaches(aim)) return 'aim'
  return reaches(must) ? 'must' : 'no'
}

/** Runs measurements alternately, `runs` times each. Returns all values of each name that they give, in the order of the runs. */
export async function alternate<Name extends string, Value = number>(
  runs: number,
  measurements: readonly (() => Promise<Partial<Record<Name, Value>>>)[],
): Promise<Record<Name, Value[]>> {
  const measured = new Map<string, Value[]>()
  for (let run = 0; run < runs; run += 1) {
    for (const measure of measurements) {
      for (const [name, value] of Object.entries<Value | undefined>(await measure()))
        if (value !== undefined) measured.set(name, [...(measured.get(name) ?? []), value])
    }
  }
  return Object.fromEntries(measured) as Record<Name, Value[]>
}

/** The middle value; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which a share of the values lies, from 0 for the smallest to 1 for the largest; between two values, in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1)
}
