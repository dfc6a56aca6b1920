/*
 * Checks whether predictions came true: outcomes of first recordings wait here until every replica has written its predictions.
 */

import type { Queryable } from '../../database/db/driver.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { ActivityCounter, OrderOutcome } from '../../deps.ts'
import {
  cameTrue,
  type DifferenceReason,
  findDifferenceReasons,
  type PredictedOutcome,
} from '../../engine/points/prediction-difference.ts'
import { Unavailable } from '../../errors.ts'
import type { ErasureKey } from '../../ledger/erasures.ts'
import { findOrders } from '../../ledger/recorded-orders.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { type DifferedPrediction, insertDiffered } from './differed-predictions.ts'
import { listLastPredictions, type OrderUpTo } from './store.ts'

export type Comparisons = Readonly<{
  /** Queues outcomes for comparison. Never fails and never waits; those that do not fit are counted as not compared. */
  add: (outcomes: readonly OrderOutcome[]) => void
  /** Compares outcomes that have waited long enough, at most 500, with the last stored prediction of each. Errors: those of the database. */
  compareDue: (deadlineAt: number) => Promise<void>
}>

export type ComparisonDeps = Readonly<{
  db: Db
  now: () => Date
  observe: Observe
  count: ActivityCounter['countPredictions']
  erasureKey: ErasureKey
}>

/** The prediction may be in another replica's memory: long enough for its second to end, the next flush to begin, and that to finish. */
export const COMPARE_AFTER_MS = 5_000
export const OUTCOMES_MAX = 10_000
const COMPARED_AT_A_TIME_MAX = 500

type ComparisonVerdict = 'cameTrue' | 'differed' | 'noneKept' | 'notCompared'

/** Starts with an empty queue. */
export function createComparisons({ db, now, observe, count, erasureKey }: ComparisonDeps): Comparisons {
  let waiting: { outcome: OrderOutcome; dueAtMs: number }[] = []

  function observeCounts(counts: Readonly<Partial<Record<ComparisonVerdict, number>>>): void {
    observe({ kind: 'predictions-compared', cameTrue: 0, differed: 0, noneKept: 0, notCompared: 0, ...counts })
  }

  function notCompared(outcomes: readonly OrderOutcome[]): void {
    observeCounts({ notCompared: outcomes.length })
    for (const { program } of outcomes) count({ measure: 'not-compared', program, key: '', n: 1, points: 0n })
  }

  function countCompared(compared: readonly (Compared & { outcome: OrderOutcome })[]): void {
    for (const { verdict, reasons, predicted, outcome } of compared)
      count({
        measure: MEASURES[verdict],
        program: outcome.program,
        key: reasons.join('+'),
        n: 1,
        points: predicted === undefined ? 0n : predicted.points - outcome.points,
      })
  }

  return {
    add: (outcomes) => {
      const dueAtMs = now().getTime() + COMPARE_AFTER_MS
      const accepted = outcomes.slice(0, Math.max(0, OUTCOMES_MAX - waiting.length))
      waiting = waiting.concat(accepted.map((outcome) => ({ outcome, dueAtMs })))
      if (accepted.length < outcomes.length) notCompared(outcomes.slice(accepted.length))
    },
    compareDue: async (deadlineAt) => {
      const nowMs = now().getTime()
      const early = waiting.findIndex(({ dueAtMs }) => dueAtMs > nowMs)
      const due = waiting.slice(0, Math.min(COMPARED_AT_A_TIME_MAX, early < 0 ? waiting.length : early))
      if (due.length === 0) return
      waiting = waiting.slice(due.length)
      const orders = due.map(({ outcome }) => ({ ...outcome, upTo: outcome.recordedAt }))
      try {
        // A transaction uses a connection of its own, so predictions do not wait for it.
        const compared = await db.transaction(async (tx) => {
          const results = await compare(tx, orders)
          await insertDiffered(tx, differedIn(orders, results), erasureKey)
          return results
        }, deadlineAt)
        const verdicts = Map.groupBy(compared, ({ verdict }) => verdict)
        observeCounts(Object.fromEntries([...verdicts].map(([verdict, all]) => [verdict, all.length])))
        countCompared(due.map(({ outcome }, index) => ({ ...compared[index]!, outcome })))
        const differed = Map.groupBy(verdicts.get('differed') ?? [], ({ reasons }) => reasons.join('+'))
        for (const [reasons, all] of differed) observe({ kind: 'predictions-differed', reasons, count: all.length })
      } catch (error) {
        if (error instanceof Unavailable) waiting = due.concat(waiting)
        else notCompared(due.map(({ outcome }) => outcome))
        throw error
      }
    },
  }
}

const MEASURES = {
  cameTrue: 'came-true',
  differed: 'differed',
  noneKept: 'none-kept',
  notCompared: 'not-compared',
} as const satisfies Record<ComparisonVerdict, string>

/** The predictions that did not come true. */
function differedIn(outcomes: readonly OrderOutcome[], compared: readonly Compared[]): DifferedPrediction[] {
  return outcomes.flatMap((outcome, index) => {
    const { verdict, reasons, predicted } = compared[index]!
    if (verdict !== 'differed' || predicted === undefined) return []
    return [
      {
        user_id: outcome.userId,
        order_id: outcome.orderId,
        recorded_at: outcome.recordedAt,
        reasons: reasons.join('+'),
        told_points: Number(predicted.points),
        told_level: predicted.levelAfter,
        told_program: predicted.program,
        recorded_points: Number(outcome.points),
        recorded_level: outcome.levelAfter,
        recorded_program: outcome.program,
      },
    ]
  })
}

type Compared = Readonly<{
  verdict: ComparisonVerdict
  reasons: readonly DifferenceReason[]
  predicted: PredictedOutcome | undefined
}>

async function compare(tx: Queryable, outcomes: readonly (OrderOutcome & OrderUpTo)[]): Promise<Compared[]> {
  const predictions = await listLastPredictions(tx, outcomes)
  const verdicts = outcomes.map((outcome, index) => verdictOn(outcome, predictions[index]))
  const differing = [...outcomes.keys()].filter((index) => verdicts[index] === 'differed')
  const recorded =
    differing.length === 0
      ? []
      : await findOrders(
          tx,
          differing.map((index) => outcomes[index]!),
        )
  const reasonsOf = new Map(
    differing.map((index, place) => [
      index,
      findDifferenceReasons(predictions[index]!, outcomes[index]!, recorded[place]),
    ]),
  )
  return verdicts.map((verdict, index) => ({
    verdict,
    reasons: reasonsOf.get(index) ?? [],
    predicted: predictions[index],
  }))
}

function verdictOn(outcome: OrderOutcome, predicted: PredictedOutcome | undefined): ComparisonVerdict {
  if (predicted === undefined) return 'noneKept'
  return cameTrue(predicted, outcome) ? 'cameTrue' : 'differed'
}
