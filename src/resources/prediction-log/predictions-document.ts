/*
 * A predictions report as one document: `--json` prints it, the text shows it with its figures formatted for people.
 */
import { DIFFERENCE_REASONS, type DifferenceReason } from '../../engine/points/prediction-difference.ts'
import type { DifferingOrder, PredictionReport } from './report-predictions.ts'

export type PredictionsDocument = ReturnType<typeof predictionsDocumentOf>

/** `equal_at_first` is a former name of `came_true`. `by_reasons` has each order once, under its combination of reasons; `by_reason` counts it under each of them. Predictions are kept in memory for a moment, or only a sample of them (decision 207). */
export function predictionsDocumentOf(report: PredictionReport) {
  const { asOf, orders, noneKept, predicted, cameTrue, differed, changedLater, predictions, groups } = report
  return {
    as_of: asOf,
    quality: predictions.kept < predictions.answered ? ('sampled' as const) : ('counted' as const),
    predictions,
    orders,
    none_kept: noneKept,
    predicted,
    came_true: cameTrue,
    differed,
    equal_at_first: cameTrue,
    changed_later: changedLater,
    by_reason: ordersByReason(report),
    by_reasons: groups.map(({ reasons, orders, examples }) => ({ reasons, orders, examples: examples.map(exampleOf) })),
  }
}

/** How many orders each reason applies to; one order may have several. */
function ordersByReason({ groups }: PredictionReport): Readonly<Record<DifferenceReason, number>> {
  const counts = DIFFERENCE_REASONS.map((reason) => {
    const having = groups.filter(({ reasons }) => reasons.includes(reason))
    return [reason, having.reduce((sum, { orders }) => sum + orders, 0)] as const
  })
  return Object.fromEntries(counts) as Record<DifferenceReason, number>
}

function exampleOf({ userId, orderId, recordedAt, predicted, recorded, pointsNow }: DifferingOrder) {
  return {
    order_id: orderId,
    user_id: userId,
    recorded_at: recordedAt,
    predicted: outcomeOf(predicted),
    recorded: outcomeOf(recorded),
    points_now: Number(pointsNow),
  }
}

/** Points are whole numbers within 2^53-1 (decision 20). */
function outcomeOf({ points, levelAfter, program }: DifferingOrder['predicted']) {
  return { points: Number(points), level: levelAfter, program }
}

/** A readable name for each reason. */
export const REASON_NAMES: Readonly<Record<DifferenceReason, string>> = {
  program: 'another program',
  player: 'other player facts',
  price: 'other price',
  referral: 'referral',
  order: 'changed order',
  moment: 'another time',
  'not-known': 'not known',
  unexplained: 'unexplained',
}

/** The readable names of several reasons: `another program and other price`. A newer service may have others, which stand for themselves. */
export function reasonNames(reasons: readonly DifferenceReason[]): string {
  return reasons.map((reason) => (Object.hasOwn(REASON_NAMES, reason) ? REASON_NAMES[reason] : reason)).join(' and ')
}

/** `66.7 %`, rounded half up; empty if the whole is 0. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : `${(Math.round((part * 1_000) / whole) / 10).toFixed(1)} %`
}
