import { ratioText } from './arithmetic.ts'
import type { Because, NotApplied, Prediction } from './model.ts'
import { REFERRAL } from './referral.ts'

export type Explanation = ReturnType<typeof explanationOf>

/**
 * A prediction's explanation as the API and the ledger show it: exact numbers as text, whole points as JSON numbers.
 * Whole numbers are always safe integers: an order that would exceed them is refused. Source: docs/api.md.
 */
export function explanationOf({
  earned,
  notApplied,
  rounding,
  level,
  notes,
  nothing,
  statisticsBy,
  program,
}: Prediction) {
  return {
    earned: earned.map(({ rule, points, because }) => ({ rule, points: ratioText(points), because: textsOf(because) })),
    not_applied: notApplied,
    rounding: ratioText(rounding),
    level: {
      before: level.before,
      after: level.after,
      upgraded: level.upgraded,
      counted: Number(level.levelPoints),
      next: level.next === undefined ? null : { name: level.next.name, missing: Number(level.next.missing) },
    },
    notes,
    ...(nothing === undefined ? {} : { nothing }),
    ...(statisticsBy === undefined ? {} : { statistics_by: statisticsBy }),
    program,
  }
}

/** Whether a referral code counted, according to a stored explanation. Explanations of earlier releases are understood too (decision 110). */
export function isReferred({ earned, not_applied }: Pick<Explanation, 'earned' | 'not_applied'>): boolean {
  return earned.some(({ rule }) => rule === REFERRAL) || not_applied.some(countedForNothing)
}

function countedForNothing({ rule, kind, why }: NotApplied): boolean {
  if (rule !== REFERRAL) return false
  // Explanations stored before `kind` was introduced have only the sentence.
  return kind === undefined ? why === 'it comes to 0 points for this order' : kind === 'gives-nothing'
}

function textsOf(because: Because): Record<string, string> {
  return Object.fromEntries(Object.entries(because).map(([name, value]) => [name, ratioText(value)]))
}
