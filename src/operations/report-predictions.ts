import assert from 'node:assert/strict'
import {
  cameTrue,
  DEVIATION_REASONS,
  type DeviationReason,
  deviationReasons,
  type PredictedOutcome,
  type RecordedOutcome,
} from '../points/deviation.ts'
import type { Queryable } from '../store/db/driver.ts'
import { pageReaderOf } from '../store/db/reader.ts'
import type { TimeRange } from '../store/db/time-range.ts'
import type { Db } from '../store/db/transaction.ts'
import { listFirstOutcomes } from '../store/entries.ts'
import { findOrders, listOrders, type OrderInShort } from '../store/orders.ts'
import { countShares, FIRST_PREDICTION, listLastPredictions, type PredictionKey } from '../store/predictions.ts'

/** An order that came to something else than was predicted. */
export type DeviatingOrder = Readonly<{
  userId: string
  orderId: string
  /** When it was recorded first, RFC 3339. */
  recordedAt: string
  told: Pick<PredictedOutcome, 'points' | 'levelAfter' | 'program'>
  recorded: Pick<RecordedOutcome, 'points' | 'levelAfter' | 'program'>
  /** What it gives now. */
  pointsNow: bigint
}>

/** Orders whose deviation has the same reasons, all of them; the first few as examples. */
export type DeviationGroup = Readonly<{
  reasons: readonly DeviationReason[]
  orders: number
  examples: readonly DeviatingOrder[]
}>

/**
 * How predictions of recorded orders came out. `orders` is `noneKept` and `predicted`; `predicted` is `cameTrue` and `differed`; the
 * groups add up to `differed`. `equalAtFirst`: those that were equal when they were recorded first, `changedLater` of them are no more.
 */
export type PredictionReport = Readonly<{
  /** Predictions of the span: how many are kept, of how many that were answered. */
  predictions: Readonly<{ kept: number; answered: number }>
  orders: number
  noneKept: number
  predicted: number
  cameTrue: number
  differed: number
  equalAtFirst: number
  changedLater: number
  groups: readonly DeviationGroup[]
}>

const PAGE_ORDERS = 1_000
const PAGE_PREDICTIONS = 20_000
const EXAMPLES_MAX = 3

/**
 * Holds what is recorded of every order that was recorded first within a span against the last prediction kept from before, and tells
 * why it differs (decision 109). Reads only, a page at a time; `tell` hears how many orders and predictions are looked at.
 * Errors: Unavailable.
 */
export async function reportPredictions(
  db: Db,
  span: TimeRange,
  tell: (done: { orders: number; predictions: number }) => void,
): Promise<PredictionReport> {
  let looked = 0
  const reader = pageReaderOf(db)
  const sums = { orders: 0, noneKept: 0, predicted: 0, cameTrue: 0, differed: 0, equalAtFirst: 0, changedLater: 0 }
  const groups = new Map<string, { reasons: readonly DeviationReason[]; orders: number; examples: DeviatingOrder[] }>()
  for (let after = { userId: '', orderId: '' }; ; ) {
    const page = await listOrders(reader, after, PAGE_ORDERS, span)
    const last = page.at(-1)
    if (last === undefined) break
    const inSpan = page.filter(({ isInSpan }) => isInSpan)
    const seen = await lookAt(reader, inSpan)
    sums.orders += inSpan.length
    sums.noneKept += inSpan.length - seen.length
    sums.predicted += seen.length
    for (const { deviating, reasons, isEqualAtFirst } of seen) {
      if (isEqualAtFirst) sums.equalAtFirst += 1
      if (reasons.length === 0) {
        sums.cameTrue += 1
        continue
      }
      sums.differed += 1
      if (isEqualAtFirst) sums.changedLater += 1
      const key = reasons.join('+')
      const group = groups.get(key) ?? { reasons, orders: 0, examples: [] }
      groups.set(key, group)
      group.orders += 1
      if (group.examples.length < EXAMPLES_MAX) group.examples.push(deviating)
    }
    after = last
    looked += page.length
    tell({ orders: looked, predictions: 0 })
  }
  const predictions = { kept: 0, answered: 0 }
  for (let after: PredictionKey | null = FIRST_PREDICTION; after !== null; ) {
    const share = await countShares(reader, after, PAGE_PREDICTIONS, span)
    predictions.kept += share.kept
    predictions.answered += share.seen
    after = share.last
    tell({ orders: looked, predictions: predictions.kept })
  }
  return {
    ...sums,
    predictions: { ...predictions, answered: Math.round(predictions.answered) },
    groups: [...groups.values()].sort((a, b) => b.orders - a.orders || (a.reasons.join() < b.reasons.join() ? -1 : 1)),
  }
}

type Looked = Readonly<{ deviating: DeviatingOrder; reasons: readonly DeviationReason[]; isEqualAtFirst: boolean }>

/** Those of some orders that have a prediction, each with the reasons why it came out otherwise: none where it came true. */
async function lookAt(db: Queryable, orders: readonly OrderInShort[]): Promise<Looked[]> {
  const last = await listLastPredictions(
    db,
    orders.map(({ userId, orderId, recordedAt }) => ({ userId, orderId, after: undefined, upTo: recordedAt })),
  )
  const told = orders.flatMap((order, index) => (last[index] === undefined ? [] : [{ order, told: last[index] }]))
  const firsts = await listFirstOutcomes(
    db,
    told.map(({ order }) => order),
  )
  const pairs = told.map((one, index) => {
    const first = firsts[index]
    assert(first, `order ${one.order.orderId} has no entry of its first recording: laurel ledger verify`)
    return { ...one, first }
  })
  const differing = pairs.filter(({ told, first }) => !cameTrue(told, first))
  const recorded = await findOrders(
    db,
    differing.map(({ order }) => order),
  )
  const because = new Map(
    differing.map(({ order, told, first }, index) => [order, deviationReasons(told, first, recorded[index])]),
  )
  return pairs.map(({ order, told, first }) => {
    const reasons = new Set(because.get(order))
    const isEqualAtFirst = reasons.size === 0
    if (order.points !== first.points) reasons.add('order')
    return {
      deviating: {
        userId: order.userId,
        orderId: order.orderId,
        recordedAt: order.recordedAt,
        told,
        recorded: first,
        pointsNow: order.points,
      },
      reasons: DEVIATION_REASONS.filter((reason) => reasons.has(reason)),
      isEqualAtFirst,
    }
  })
}
