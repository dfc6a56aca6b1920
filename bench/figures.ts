/*
 * The result of a measurement: a figure beside its floor (the baseline it is compared with) and its target.
 */

import type { Bound, Target } from './targets.ts'
import type { Database } from './testbed.ts'

/** One line of the table: our figure beside its floor, if it has one, both measured in the same run. */
export type Figure = Readonly<{
  figure: string
  /** `none`: measured without a database. */
  database: Database | 'none'
  unit: string
  floor: number | null
  ours: number
  ratio: number | null
  bound: Bound
  must: number | null
  aim: number | null
  met: 'aim' | 'must' | 'no' | null
  note: string
}>

/** Compares a measurement with its target. */
export function figureOf(
  target: Target,
  measured: Readonly<{ database: Figure['database']; floor?: number; ours: number; note: string }>,
): Figure {
  const { database, floor = null, ours, note } = measured
  const ratio = floor === null ? null : target.lessIsBetter === true ? floor / ours : ours / floor
  const [must = null, aim = null] = target[database] ?? []
  const value = target.bound.of === 'ours' ? ours : ratio
  return {
    figure: target.figure,
    database,
    unit: target.unit,
    floor,
    ours,
    ratio,
    bound: target.bound,
    must,
    aim,
    met: value === null || must === null ? null : metBy(value, target.bound, must, aim),
    note,
  }
}

function metBy(value: number, { is }: Bound, must: number, aim: number | null): 'aim' | 'must' | 'no' {
  const reaches = (goal: number) => (is === 'at least' ? value >= goal : value <= goal)
  if (aim !== null && reaches(aim)) return 'aim'
  return reaches(must) ? 'must' : 'no'
}

/** Runs measurements alternately, `runs` times each. Returns the median of each number that they give. */
export async function alternate<Name extends string>(
  runs: number,
  measurements: readonly (() => Promise<Partial<Record<Name, number>>>)[],
): Promise<Record<Name, number>> {
  const measured = new Map<string, number[]>()
  for (let run = 0; run < runs; run += 1) {
    for (const measure of measurements) {
      for (const [name, value] of Object.entries<number | undefined>(await measure()))
        if (value !== undefined) measured.set(name, [...(measured.get(name) ?? []), value])
    }
  }
  return Object.fromEntries([...measured].map(([name, values]) => [name, median(values)])) as Record<Name, number>
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
