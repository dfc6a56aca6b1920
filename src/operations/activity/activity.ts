/*
 * What the service does beside the ledger, counted in memory and added each second: what is predicted and comes true, what feeds send, which
 * products nobody has sent, how long requests take (docs/statistics.md). A kill loses the last second; what the database refuses to take is lost too.
 */
import { Unavailable } from '../../errors.ts'
import type { RejectedRecord } from '../../ingest/batch.ts'
import type { PublishedProgram } from '../../points/program-model.ts'
import { bookedDayAt } from '../../points/programs.ts'
import type { OrderId, Sku } from '../../points/units.ts'
import {
  addFeedCounts,
  addServiceTimes,
  deleteOldActivity,
  type FeedCount,
  type FeedUse,
  noteFeedUses,
} from '../../store/activity.ts'
import type { Db } from '../../store/db/transaction.ts'
import { insertTallies, type PREDICTION_MEASURES } from '../../store/statistics.ts'
import { addUnknownProducts, deleteUnknownProducts, type UnknownProduct } from '../../store/unknown-products.ts'
import type { Noun } from '../../telemetry/observation.ts'
import type { UpsertCounts } from '../batches/summary.ts'
import { createSerialQueue } from '../queues/serial-queue.ts'
import { refusalKind } from './refusal-kind.ts'
import { type CountedAnswer, createServiceTimes } from './service-times.ts'
import { createTotals } from './totals.ts'

/** `program` is the version that an order was recorded under, 0 where none is meant; `points` are those told less those recorded. */
export type PredictionCount = Readonly<{
  measure: (typeof PREDICTION_MEASURES)[number]
  program: number
  key: string
  n: number
  points: bigint
}>

/** A request of an upsert that was carried out. */
export type CountedBatch = Readonly<{
  noun: Noun
  by: string
  counts: UpsertCounts
  rejected: readonly RejectedRecord[]
  /** Whether one of its records, at least, was not refused. */
  isGood: boolean
}>

/** Counting takes microseconds; it never fails and never waits. */
export type Activity = Readonly<{
  countPredictions: (counted: PredictionCount) => void
  countBatch: (batch: CountedBatch) => void
  countAnswer: (answer: CountedAnswer) => void
  /** Products that the catalogue does not know, each once, of a prediction or of the first recording of an order. */
  countUnknownProducts: (skus: readonly Sku[], recordedIn?: OrderId) => void
  /** Adds what was counted to what is stored. To be called every ACTIVITY_MS, and at the end. Errors: those of the database. */
  flush: () => Promise<void>
  /** Deletes what is too old. Errors: those of the database. */
  sweep: () => Promise<void>
}>

export const ACTIVITY_MS = 1_000
export const ACTIVITY_SWEEP_MS = 3_600_000

const TIMEOUT_MS = 2_000
const MICROS = 1_000_000n
const DAY_MS = 86_400_000
const KEPT_DAYS = { minutes: 3, hours: 90, days: 400, unknown: 90 } as const
const LINES_MAX = 10_000
/** Of a request so many refusals are looked at: some milliseconds. */
const REFUSALS_MAX = 5_000
/** New in a second, and kept in all; where there are as many, a sweep makes room for newer ones. A shop without a catalogue knows none. */
const UNKNOWN_MAX = { aSecond: 200, kept: 5_000, afterSweep: 4_000 } as const

type ActivityDeps = Readonly<{ db: Db; now: () => Date; programs: () => readonly PublishedProgram[] }>

/** Nothing counted yet. It has no timers: whoever opens it calls `flush` and `sweep`. */
export function openActivity({ db, now, programs }: ActivityDeps): Activity {
  const predictions = createTotals<PredictionCount>(
    ({ measure, program, key }) => `${measure} ${program} ${key}`,
    (one, other) => ({ ...one, n: one.n + other.n, points: one.points + other.points }),
    LINES_MAX,
  )
  const feeds = createTotals<Omit<FeedCount, 'day'>>(
    ({ noun, tokenId, measure, field, kind }) => [noun, tokenId, measure, field, kind].join('\t'),
    (one, other) => ({ ...one, n: one.n + other.n }),
    LINES_MAX,
  )
  const uses = createTotals<FeedUse>(
    ({ noun, tokenId }) => `${noun} ${tokenId}`,
    (one, other) => (one.lastGoodAt > other.lastGoodAt ? one : other),
    LINES_MAX,
  )
  const unknown = createTotals<UnknownProduct>(
    ({ sku }) => sku,
    (one, other) => ({
      sku: one.sku,
      orders: one.orders + other.orders,
      predictions: one.predictions + other.predictions,
      lastNamedAt: one.lastNamedAt > other.lastNamedAt ? one.lastNamedAt : other.lastNamedAt,
      orderId: other.orderId ?? one.orderId,
    }),
    UNKNOWN_MAX.aSecond,
  )
  const times = createServiceTimes(LINES_MAX)
  const flushes = createSerialQueue()

  async function flush(): Promise<void> {
    const taken = {
      predictions: predictions.take(),
      feeds: feeds.take(),
      uses: uses.take(),
      unknown: unknown.take(),
      minutes: times.take(),
    }
    if (Object.values(taken).every(({ length }) => length === 0)) return
    const day = bookedDayAt(programs(), now().toISOString())
    try {
      await db.transaction(async (tx) => {
        await insertTallies(
          tx,
          taken.predictions.map(({ points, ...line }) => ({
            ...line,
            day,
            bookedDay: day,
            micros: points * MICROS,
          })),
        )
        await addFeedCounts(
          tx,
          taken.feeds.map((line) => ({ ...line, day })),
        )
        await noteFeedUses(tx, taken.uses)
        await addUnknownProducts(tx, taken.unknown, UNKNOWN_MAX.kept)
        await addServiceTimes(tx, taken.minutes)
      }, performance.now() + TIMEOUT_MS)
    } catch (error) {
      if (error instanceof Unavailable) {
        taken.predictions.forEach(predictions.add)
        taken.feeds.forEach(feeds.add)
        taken.uses.forEach(uses.add)
        taken.unknown.forEach(unknown.add)
        taken.minutes.forEach(times.putBack)
      }
      throw error
    }
  }

  return {
    countPredictions: (counted) => {
      if (counted.n > 0) predictions.add(counted)
    },
    countBatch: ({ noun, by: tokenId, counts, rejected, isGood }) => {
      const add = (measure: FeedCount['measure'], n: number, field = '', kind = '') => {
        if (n > 0) feeds.add({ noun, tokenId, measure, field, kind, n })
      }
      add('requests', 1)
      for (const measure of ['inserted', 'updated', 'skipped'] as const) add(measure, counts[measure])
      for (const refused of rejected.slice(0, REFUSALS_MAX)) {
        const { field, kind } = refusalKind(refused)
        add('refused', 1, field, kind)
      }
      add('refused', rejected.length - REFUSALS_MAX, '', 'not looked at: too many in a request')
      if (isGood) uses.add({ noun, tokenId, lastGoodAt: now().toISOString() })
    },
    countAnswer: (answer) => times.add(answer, now().getTime()),
    countUnknownProducts: (skus, orderId) => {
      if (skus.length === 0) return
      const lastNamedAt = now().toISOString()
      const [orders, predictions] = orderId === undefined ? [0, 1] : [1, 0]
      for (const sku of skus) unknown.add({ sku, orders, predictions, lastNamedAt, orderId })
    },
    // One at a time: when it is done, what was counted before is written.
    flush: () => flushes(flush),
    sweep: async () => {
      const before = (days: number) => new Date(now().getTime() - days * DAY_MS).toISOString()
      const { minutes, hours, days } = KEPT_DAYS
      await db.transaction(async (tx) => {
        await deleteOldActivity(tx, {
          minutes: before(minutes),
          hours: before(hours),
          days: before(days).slice(0, 10),
        })
        await deleteUnknownProducts(tx, before(KEPT_DAYS.unknown), UNKNOWN_MAX.afterSweep)
      }, performance.now() + TIMEOUT_MS)
    },
  }
}
