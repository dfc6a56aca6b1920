import assert from 'node:assert/strict'
import type { LevelChange } from './model.ts'
import type { Level, LevelCounts } from './program-model.ts'
import type { Instant, Points } from './units.ts'

/** The index of the level that a number of points reaches. Points below 0 are at the first level. */
export function levelIndexAt(ladder: readonly Level[], levelPoints: Points): number {
  let index = 0
  while (index + 1 < ladder.length && ladder[index + 1]!.from <= levelPoints) index += 1
  return index
}

/** The name of the level that a number of points reaches. */
export function levelAt(ladder: readonly Level[], levelPoints: Points): string {
  return ladder[levelIndexAt(ladder, levelPoints)]!.name
}

/**
 * The levels before and after an order, and the points still missing for the next level; `next` is absent at the top level.
 *
 * Units   whole points; `levelPoints` excludes this order, `recorded` is what the order has earned so far
 * Source  docs/programs.md
 */
export function levelChange(
  ladder: readonly Level[],
  levelPoints: Points,
  points: Points,
  recorded: bigint = 0n,
): LevelChange {
  const before = levelIndexAt(ladder, levelPoints)
  const after = levelIndexAt(ladder, levelPoints + points)
  const next = ladder[after + 1]
  assert(ladder[before] !== undefined && ladder[after] !== undefined, 'a ladder has at least one level')
  return {
    before: ladder[before].name,
    after: ladder[after].name,
    upgraded: after > before,
    lowered: after < levelIndexAt(ladder, levelPoints + recorded),
    levelPoints: levelPoints + points,
    ...(next === undefined ? {} : { next: { name: next.name, missing: next.from - (levelPoints + points) } }),
  }
}

/** The exclusive start of the window of points that count at a moment (RFC 3339, UTC). Undefined where all points ever earned count. */
export function windowStart(counts: LevelCounts, at: Instant): string | undefined {
  return counts === 'lifetime' ? undefined : monthsBefore(at, counts.windowMonths)
}

/** The same time of day, that many calendar months earlier, UTC; on the last day of the month where it has no such day. */
function monthsBefore(at: Instant, months: number): string {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.toISOString()
}
