import assert from 'node:assert/strict'
import type { Queryable } from '../../database/db/driver.ts'
import { takeSnapshot } from '../../database/db/shared-snapshot.ts'
import type { TimeRange } from '../../database/db/time-range.ts'
import type { Db } from '../../database/db/transaction.ts'
import {
  cameTrue,
  type DifferenceReason,
  findDifferenceReasons,
  type PredictedOutcome,
  type RecordedOutcome,
} from '../../engine/points/prediction-difference.ts'
import type { Instant } from '../../engine/points/units.ts'
import { listFirstOutcomes } from '../../ledger/entries.ts'
import { findOrders, listOrders, type OrderSummary } from '../../ledger/recorded-orders.ts'
import { countSampledPredictions, LOWEST_PREDICTION_KEY, listLastPredictions, type PredictionKey } from './store.ts'

/** An order that came out differently from its prediction. */
export type DifferingOrder = Readonly<{
  userId: string
  orderId: string
  /** When it was first recorded, RFC 3339. */
  recordedAt: string
  predicted: Pick<PredictedOutcome, 'points' | 'levelAfter' | 'program'>
  recorded: Pick<RecordedOutcome, 'points' | 'levelAfter' | 'program'>
  /** The points it gave at the moment of the report. */
  pointsNow: bigint
}>

/** Orders that differ for exactly the same set of reasons; the first few as examples. */
export type DifferenceGroup = Readonly<{
  reasons: readonly DifferenceReason[]
  orders: number
  examples: readonly DifferingOrder[]
}>

/**
 * How predictions of recorded orders turned out. `orders` is `noneKept` plus `predicted`; `predicted` is `cameTrue` plus `differed`; the
 * groups add up to `differed`. `changedLater`: how many of those that came true no longer gave the points of their first recording.
 */
export type PredictionReport = Readonly<{
  asOf: Instant
  /** Predictions in the time range: how many are stored, out of how many that were answered. */
  predictions: Readonly<{ kept: number; answered: number }>
  orders: number
  noneKept: number
  predicted: number
  cameTrue: number
  differed: number
  changedLater: number
  groups: readonly DifferenceGroup[]
}>

const PAGE_ORDERS = 1_000
const PAGE_PREDICTIONS = 20_000
const EXAMPLES_MAX = 3
const TIMEOUT_MS = 24 * 3_600_000

/**
 * Compares every order first recorded within a time range with the last stored prediction made before that, and says why they differ
 * (decision 104). What was recorded or predicted after `asOf` (RFC 3339) does not count. Read-only, on one snapshot taken at the start; `onProgress`
 * is called with the numbers of orders and predictions processed. Errors: Unavailable.
 */
export async function reportPredictions(
  db: Db,
  { from, to }: TimeRange,
  asOf: Instant,
  onProgress: (done: { orders: number; predictions: number }) => void,
): Promise<PredictionReport> {
  const end = new Date(Date.parse(asOf) + 1).toISOString()
  const timeRange = { from, to: to === 'infinity' || to > end ? end : to }
  return db.transaction(async (tx) => {
    await takeSnapshot(tx, db)
    return reportWith(tx, timeRange, asOf, onProgress)
  }, performance.now() + TIMEOUT_MS)
}

async function reportWith(
  reader: Queryable,
  timeRange: TimeRange,
  asOf: Instant,
  onProgress: (done: { orders: number; predictions: number }) => void,
): Promise<PredictionReport> {
  const sums = { orders: 0, noneKept: 0, predicted: 0, cameTrue: 0, differed: 0, changedLater: 0 }
  const groups: Groups = new Map()
  let seen = 0
  for (let after = { userId: '', orderId: '' }; ; ) {
    const page = await listOrders(reader, after, PAGE_ORDERS, timeRange)
    const last = page.at(-1)
    if (last === undefined) break
    const inRange = page.filter(({ isInRange }) => isInRange)
    const compared = await compareWithPredictions(reader, inRange, asOf)
    const differed = compared.filter(({ reasons }) => reasons.length > 0)
    sums.orders += inRange.length
    sums.noneKept += inRange.length - compared.length
    sums.predicted += compared.length
    sums.cameTrue += compared.length - differed.length
    sums.differed += differed.length
    sums.changedLater += compared.filter(({ reasons, isChanged }) => isChanged && reasons.length === 0).length
    for (const one of differed) addToGroup(groups, one)
    after = last
    seen += page.length
    onProgress({ orders: seen, predictions: 0 })
  }
  const predictions = await countPredictions(reader, timeRange, (kept) =>
    onProgress({ orders: seen, predictions: kept }),
  )
  return {
    asOf,
    ...sums,
    predictions,
    groups: [...groups.values()].sort((a, b) => b.orders - a.orders || (a.reasons.join() < b.reasons.join() ? -1 : 1)),
  }
}

/** Keyed by their reasons. */
type Groups = Map<string, { reasons: readonly DifferenceReason[]; orders: number; examples: DifferingOrder[] }>

function addToGroup(groups: Groups, { differingOrder, reasons }: ComparedOrder): void {
  const key = reasons.join('+')
  const group = groups.get(key) ?? { reasons, orders: 0, examples: [] }
  groups.set(key, group)
  group.orders += 1
  if (group.examples.length < EXAMPLES_MAX) group.examples.push(differingOrder)
}

/** How many predictions are stored, and how many were answered: each stored one represents a share of its second. */
async function countPredictions(
  db: Queryable,
  timeRange: TimeRange,
  onProgress: (kept: number) => void,
): Promise<PredictionReport['predictions']> {
  let [kept, answered] = [0, 0]
  for (let after: PredictionKey | null = LOWEST_PREDICTION_KEY; after !== null; ) {
    const share = await countSampledPredictions(db, after, PAGE_PREDICTIONS, timeRange)
    kept += share.kept
    answered += share.seen
    after = share.last
    onProgress(kept)
  }
  return { kept, answered: Math.round(answered) }
}

type ComparedOrder = Readonly<{
  differingOrder: DifferingOrder
  reasons: readonly DifferenceReason[]
  /** Whether it no longer gave the points of its first recording. */
  isChanged: boolean
}>

/** The orders that have a prediction, each with the reasons why it differed; none if it came true. */
async function compareWithPredictions(
  db: Queryable,
  orders: readonly OrderSummary[],
  asOf: Instant,
): Promise<ComparedOrder[]> {
  const predictions = await listLastPredictions(
    db,
    orders.map(({ userId, orderId, recordedAt }) => ({ userId, orderId, upTo: recordedAt })),
  )
  const predictedOrders = orders.flatMap((order, index) => {
    const predicted = predictions[index]
    return predicted === undefined ? [] : [{ order, predicted }]
  })
  const firsts = await listFirstOutcomes(
    db,
    predictedOrders.map(({ order }) => order),
    asOf,
  )
  const outcomes = predictedOrders.map((one, index) => {
    const firstOutcome = firsts[index]
    assert(firstOutcome, `order ${one.order.orderId} has no entry of its first recording: laurel ledger verify`)
    return { ...one, ...firstOutcome }
  })
  const differing = outcomes.filter(({ predicted, first }) => !cameTrue(predicted, first))
  const recorded = await findOrders(
    db,
    differing.map(({ order }) => order),
  )
  const reasonsOf = new Map(
    differing.map(({ order, predicted, first }, index) => [
      order,
      findDifferenceReasons(predicted, first, recorded[index]),
    ]),
  )
  return outcomes.map(({ order, predicted, first, pointsThen }) => ({
    differingOrder: {
      userId: order.userId,
      orderId: order.orderId,
      recordedAt: order.recordedAt,
      predicted,
      recorded: first,
      pointsNow: pointsThen,
    },
    reasons: reasonsOf.get(order) ?? [],
    isChanged: pointsThen !== first.points,
  }))
}
