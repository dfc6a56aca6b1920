/*
 * Lists of values to try.
 */
import { compareValues } from '../../points/arithmetic.ts'
import type { Amount } from '../../points/units.ts'

export function unique<T>(all: readonly T[]): T[] {
  return [...new Set(all)]
}

/** The distinct amounts, in ascending order. */
export function ascending(amounts: readonly Amount[]): Amount[] {
  return unique(amounts).sort(compareValues)
}

/** At most `max` elements, spread evenly over the list, including the first and the last. */
export function thinned<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all]
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * (all.length - 1)) / (max - 1))]!)
}

/** An element of a non-empty list; an index beyond its end wraps around. */
export function elementAt<T>(list: readonly T[], index: number): T {
  return list[index % list.length]!
}
