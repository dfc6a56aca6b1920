/*
 * Whether predictions come true: outcomes of recorded orders wait here until every replica has written what it predicted.
 */
import { Unavailable } from '../../errors.ts'
import {
  cameTrue,
  type DeviationReason,
  deviationReasons,
  type PredictedOutcome,
  type RecordedOutcome,
} from '../../points/deviation.ts'
import type { OrderId, UserId } from '../../points/units.ts'
import type { Queryable } from '../../store/db/driver.ts'
import type { Db } from '../../store/db/transaction.ts'
import { type DifferedPrediction, insertDiffered } from '../../store/differed-predictions.ts'
import { findOrders } from '../../store/orders.ts'
import { listLastPredictions, type OrderSpan } from '../../store/predictions.ts'
import type { Observe } from '../../telemetry/observation.ts'
import type { Activity } from '../activity/activity.ts'

/** What an order came to when it was recorded. */
export type OrderOutcome = RecordedOutcome &
  Readonly<{
    userId: UserId
    orderId: OrderId
    /** RFC 3339; predictions up to it were about an earlier state of the order. Undefined: there is none. */
    recordedBefore: string | undefined
    /** RFC 3339; predictions after it are about a later state of the order. */
    recordedAt: string
  }>

export type Comparisons = Readonly<{
  /** Notes outcomes for later. Never fails, never waits; what does not fit is counted as not compared. */
  add: (outcomes: readonly OrderOutcome[]) => void
  /** Compares those that have waited long enough, at most 500 of them, with the last prediction kept of each. Errors: those of the database. */
  compareDue: (deadlineAt: number) => Promise<void>
}>

export type ComparisonDeps = Readonly<{
  db: Db
  now: () => Date
  observe: Observe
  count: Activity['countPredictions']
}>

/** The prediction may lie in another replica: until its second is over, a flush begins, and that is done. */
export const COMPARE_AFTER_MS = 5_000
export const OUTCOMES_MAX = 10_000
const COMPARED_AT_A_TIME_MAX = 500

type ComparisonVerdict = 'cameTrue' | 'differed' | 'noneKept' | 'notCompared'

/** Comparisons of which none waits yet. */
export function createComparisons({ db, now, observe, count }: ComparisonDeps): Comparisons {
  let waiting: { outcome: OrderOutcome; dueAtMs: number }[] = []

  function observeCounts(counts: Readonly<Partial<Record<ComparisonVerdict, number>>>): void {
    observe({ kind: 'predictions-compared', cameTrue: 0, differed: 0, noneKept: 0, notCompared: 0, ...counts })
  }

  function notCompared(outcomes: readonly OrderOutcome[]): void {
    observeCounts({ notCompared: outcomes.length })
    observe({ kind: 'promises-compared', outcome: 'not-compared', count: outcomes.filter(isFirst).length })
    for (const { program } of outcomes.filter(isFirst))
      count({ measure: 'not-compared', program, key: '', n: 1, points: 0n })
  }

  /** A promise is what was told before the order was recorded first. */
  function countPromises(compared: readonly (Compared & { outcome: OrderOutcome })[]): void {
    const promises = compared.filter(({ outcome }) => isFirst(outcome))
    for (const [verdict, { length: count }] of Map.groupBy(promises, ({ verdict }) => verdict))
      observe({ kind: 'promises-compared', outcome: MEASURES[verdict], count })
    for (const { verdict, reasons, told, outcome } of promises)
      count({
        measure: MEASURES[verdict],
        program: outcome.program,
        key: reasons.join('+'),
        n: 1,
        points: told === undefined ? 0n : told.points - outcome.points,
      })
  }

  return {
    add: (outcomes) => {
      const dueAtMs = now().getTime() + COMPARE_AFTER_MS
      const taken = outcomes.slice(0, Math.max(0, OUTCOMES_MAX - waiting.length))
      waiting = waiting.concat(taken.map((outcome) => ({ outcome, dueAtMs })))
      if (taken.length < outcomes.length) notCompared(outcomes.slice(taken.length))
    },
    compareDue: async (deadlineAt) => {
      const nowMs = now().getTime()
      const early = waiting.findIndex(({ dueAtMs }) => dueAtMs > nowMs)
      const due = waiting.slice(0, Math.min(COMPARED_AT_A_TIME_MAX, early < 0 ? waiting.length : early))
      if (due.length === 0) return
      waiting = waiting.slice(due.length)
      const orders = due.map(({ outcome }) => ({ ...outcome, after: outcome.recordedBefore, upTo: outcome.recordedAt }))
      try {
        // A transaction has a connection of its own, so predictions do not wait for it.
        const compared = await db.transaction(async (tx) => {
          const found = await compare(tx, orders)
          await insertDiffered(tx, differedIn(orders, found))
          return found
        }, deadlineAt)
        const verdicts = Map.groupBy(compared, ({ verdict }) => verdict)
        observeCounts(Object.fromEntries([...verdicts].map(([verdict, all]) => [verdict, all.length])))
        countPromises(due.map(({ outcome }, index) => ({ ...compared[index]!, outcome })))
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

/** Promises that were not kept. */
function differedIn(outcomes: readonly OrderOutcome[], compared: readonly Compared[]): DifferedPrediction[] {
  return outcomes.flatMap((outcome, index) => {
    const { verdict, reasons, told } = compared[index]!
    if (verdict !== 'differed' || told === undefined || !isFirst(outcome)) return []
    return [
      {
        user_id: outcome.userId,
        order_id: outcome.orderId,
        recorded_at: outcome.recordedAt,
        reasons: reasons.join('+'),
        told_points: Number(told.points),
        told_level: told.levelAfter,
        told_program: told.program,
        recorded_points: Number(outcome.points),
        recorded_level: outcome.levelAfter,
        recorded_program: outcome.program,
      },
    ]
  })
}

function isFirst({ rev }: OrderOutcome): boolean {
  return rev === 1n
}

type Compared = Readonly<{
  verdict: ComparisonVerdict
  reasons: readonly DeviationReason[]
  told: PredictedOutcome | undefined
}>

async function compare(tx: Queryable, outcomes: readonly (OrderOutcome & OrderSpan)[]): Promise<Compared[]> {
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
    differing.map((index, place) => [index, deviationReasons(predictions[index]!, outcomes[index]!, recorded[place])]),
  )
  return verdicts.map((verdict, index) => ({
    verdict,
    reasons: reasonsOf.get(index) ?? [],
    told: predictions[index],
  }))
}

function verdictOn(outcome: OrderOutcome, predicted: PredictedOutcome | undefined): ComparisonVerdict {
  if (predicted === undefined) return 'noneKept'
  return cameTrue(predicted, outcome) ? 'cameTrue' : 'differed'
}
