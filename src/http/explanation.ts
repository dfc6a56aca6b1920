import { ratioText } from '../points/arithmetic.ts'
import type { Because, Prediction } from '../points/model.ts'

/** A prediction's reasons in the shape of the wire: exact numbers as text, whole points as numbers (docs/api.md). */
export function explanationOf({ earned, notApplied, rounding, level, notes, program }: Prediction) {
  return {
    earned: earned.map(({ rule, points, because }) => ({ rule, points: ratioText(points), because: textsOf(because) })),
    not_applied: notApplied,
    rounding: ratioText(rounding),
    level: {
      before: level.before,
      after: level.after,
      upgraded: level.upgraded,
      counted: Number(level.counted),
      next: level.next === undefined ? null : { name: level.next.name, missing: Number(level.next.missing) },
    },
    notes,
    program,
  }
}

function textsOf(because: Because): Record<string, string> {
  return Object.fromEntries(Object.entries(because).map(([name, value]) => [name, ratioText(value)]))
}
