import assert from 'node:assert/strict'
import type { Level, LevelChange } from './model.ts'

/** The place on the ladder that a number of points reaches. A number below 0 stands on the first level. */
export function levelIndexAt(ladder: readonly Level[], counted: bigint): number {
  let index = 0
  while (index + 1 < ladder.length && ladder[index + 1]!.from <= counted) index += 1
  return index
}

/** The name of the level that a number of points reaches. */
export function levelAt(ladder: readonly Level[], counted: bigint): string {
  return ladder[levelIndexAt(ladder, counted)]!.name
}

/**
 * Which level a player holds before and after an order, and how much is missing to the next one.
 *
 * Units   `counted` and `points` are whole points; `counted` is without this order's
 * Bounds  the ladder ascends from 0 (checked when the program is read); `next` is absent on the top level
 * Source  docs/programs.md
 */
export function levelChange(ladder: readonly Level[], counted: bigint, points: bigint): LevelChange {
  const before = levelIndexAt(ladder, counted)
  const after = levelIndexAt(ladder, counted + points)
  const next = ladder[after + 1]
  assert(ladder[before] !== undefined && ladder[after] !== undefined, 'a ladder has at least one level')
  return {
    before: ladder[before].name,
    after: ladder[after].name,
    upgraded: after > before,
    counted: counted + points,
    ...(next === undefined ? {} : { next: { name: next.name, missing: next.from - (counted + points) } }),
  }
}
