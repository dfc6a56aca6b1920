/*
 * Activity outside the ledger, counted in memory and flushed every second: predictions and whether they came true, what feeds send, products
 * missing from the catalogue, request durations (docs/statistics.md). A crash loses the last second; counts that the database rejects are lost.
 */

import { createSerialQueue } from '../../bulk/serial-queue.ts'
import type { CountedBatch } from '../../bulk/summary.ts'
import { deleteInSlices } from '../../database/db/delete-in-slices.ts'
import type { Db, Tx } from '../../database/db/transaction.ts'
import type { ActivityCounter, PredictionCount } from '../../deps.ts'
import type { RejectedRecord, RejectionReason } from '../../engine/ingest/batch.ts'
import { firstDayKept } from '../../engine/ingest/retention.ts'
import type { ShopSettings } from '../../engine/ingest/shop-settings.ts'
import { MICROS_PER_POINT } from '../../engine/points/ledger/tally-entries.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { postingDateAt } from '../../engine/points/programs.ts'
import type { PlainDate } from '../../engine/points/units.ts'
import { Unavailable } from '../../errors.ts'
import { tallySteps } from '../../ledger/tallies.ts'
import { type CountedResponse, createServiceTimes } from './service-times.ts'
import {
  addFeedCounts,
  addServiceTimes,
  deleteFeedDays,
  deleteServiceTimes,
  type FeedCount,
  type FeedUse,
  noteFeedUses,
} from './store.ts'
import { addUnknownProducts, deleteUnknownProducts, type UnknownProduct } from './unknown-products.ts'

export type Activity = ActivityCounter &
  Readonly<{
    countResponse: (response: CountedResponse) => void
    /** Adds the counts to the stored ones. Call it every ACTIVITY_MS, and at the end. Errors: those of the database. */
    flush: () => Promise<void>
    /** Deletes counts that are too old. Errors: those of the database. */
    sweep: () => Promise<void>
  }>

export const ACTIVITY_MS = 1_000
export const ACTIVITY_SWEEP_MS = 3_600_000

const TIMEOUT_MS = 2_000
const DAY_MS = 86_400_000
const KEPT_DAYS = { minutes: 3, hours: 90, unknown: 90 } as const
const LINES_MAX = 10_000
/** Refusals classified per request: a few milliseconds. */
const REFUSALS_MAX = 5_000
const REFUSAL_LENGTH_MAX = 100
/** Limits per second and in total; once full, a sweep makes room for newer ones. In a shop without a catalogue every product is unknown. */
const UNKNOWN_MAX = { aSecond: 200, kept: 5_000, afterSweep: 4_000 } as const

type ActivityDeps = Readonly<{
  db: Db
  now: () => Date
  programs: () => readonly PublishedProgram[]
  shop: () => ShopSettings
}>

/** Starts with empty counts. It has no timers: the caller calls `flush` and `sweep`. */
export function createActivity({ db, now, programs, shop }: ActivityDeps): Activity {
  const counts = createCounts()
  const flushes = createSerialQueue()

  async function flush(): Promise<void> {
    const drained = takeCounts(counts)
    if (Object.values(drained).every(({ length }) => length === 0)) return
    const day = postingDateAt(programs(), now().toISOString())
    try {
      await db.transaction((tx) => addCounts(tx, drained, day), performance.now() + TIMEOUT_MS)
    } catch (error) {
      if (error instanceof Unavailable) putCountsBack(counts, drained)
      throw error
    }
  }

  return {
    countPredictions: (counted) => {
      if (counted.n > 0) counts.predictions.add(counted)
    },
    countBatch: (batch) => {
      for (const line of feedLinesOf(batch)) counts.feeds.add(line)
      const { noun, by: tokenId, isGood } = batch
      if (isGood) counts.uses.add({ noun, tokenId, lastGoodAt: now().toISOString() })
    },
    countResponse: (response) => counts.times.add(response, now().getTime()),
    countUnknownProducts: (skus, orderId) => {
      if (skus.length === 0) return
      const lastNamedAt = now().toISOString()
      const [orders, predictions] = orderId === undefined ? [0, 1] : [1, 0]
      for (const sku of skus) counts.unknown.add({ sku, orders, predictions, lastNamedAt, orderId })
    },
    // One at a time: once a call returns, everything counted before it has been written.
    flush: () => flushes(flush),
    sweep: async () => {
      const before = (days: number) => new Date(now().getTime() - days * DAY_MS).toISOString()
      const { minutes, hours } = KEPT_DAYS
      await db.transaction(async (tx) => {
        await deleteServiceTimes(tx, { minutes: before(minutes), hours: before(hours) })
        await deleteUnknownProducts(tx, before(KEPT_DAYS.unknown), UNKNOWN_MAX.afterSweep)
      }, performance.now() + TIMEOUT_MS)
      const first = firstDayKept(shop()['sources.keep'], now().toISOString().slice(0, 10))
      if (first !== undefined) await deleteInSlices(db, (tx, rowsMax) => deleteFeedDays(tx, first, rowsMax))
    },
  }
}

type FeedLine = Omit<FeedCount, 'day'>
type Counts = ReturnType<typeof createCounts>
type TakenCounts = ReturnType<typeof takeCounts>

function createCounts() {
  return {
    predictions: createTotals<PredictionCount>(
      ({ measure, program, key }) => `${measure} ${program} ${key}`,
      (one, other) => ({ ...one, n: one.n + other.n, points: one.points + other.points }),
      LINES_MAX,
    ),
    feeds: createTotals<FeedLine>(
      ({ noun, tokenId, measure, field, kind }) => [noun, tokenId, measure, field, kind].join('\t'),
      (one, other) => ({ ...one, n: one.n + other.n }),
      LINES_MAX,
    ),
    uses: createTotals<FeedUse>(
      ({ noun, tokenId }) => `${noun} ${tokenId}`,
      (one, other) => (one.lastGoodAt > other.lastGoodAt ? one : other),
      LINES_MAX,
    ),
    unknown: createTotals<UnknownProduct>(
      ({ sku }) => sku,
      (one, other) => ({
        sku: one.sku,
        orders: one.orders + other.orders,
        predictions: one.predictions + other.predictions,
        lastNamedAt: one.lastNamedAt > other.lastNamedAt ? one.lastNamedAt : other.lastNamedAt,
        orderId: other.orderId ?? one.orderId,
      }),
      UNKNOWN_MAX.aSecond,
    ),
    times: createServiceTimes(LINES_MAX),
  }
}

function takeCounts({ predictions, feeds, uses, unknown, times }: Counts) {
  return {
    predictions: predictions.take(),
    feeds: feeds.take(),
    uses: uses.take(),
    unknown: unknown.take(),
    minutes: times.take(),
  }
}

function putCountsBack(counts: Counts, drained: TakenCounts): void {
  drained.predictions.forEach(counts.predictions.add)
  drained.feeds.forEach(counts.feeds.add)
  drained.uses.forEach(counts.uses.add)
  drained.unknown.forEach(counts.unknown.add)
  drained.minutes.forEach(counts.times.putBack)
}

async function addCounts(
  tx: Tx,
  { predictions, feeds, uses, unknown, minutes }: TakenCounts,
  day: PlainDate,
): Promise<void> {
  const tallies = predictions.map(({ points, ...line }) => ({
    ...line,
    day,
    bookedDay: day,
    micros: points * MICROS_PER_POINT,
  }))
  await tx.batch(tallySteps(tallies))
  const feedCounts = feeds.map((line) => ({ ...line, day }))
  await addFeedCounts(tx, feedCounts)
  await noteFeedUses(tx, uses)
  await addUnknownProducts(tx, unknown, UNKNOWN_MAX.kept)
  await addServiceTimes(tx, minutes)
}

function feedLinesOf({ noun, by: tokenId, counts, unchanged, rejected }: CountedBatch): FeedLine[] {
  const line = (measure: FeedCount['measure'], n: number, field = '', kind = ''): FeedLine => {
    return { noun, tokenId, measure, field, kind, n }
  }
  return [
    line('requests', 1),
    line('inserted', counts.inserted),
    line('updated', counts.updated),
    line('skipped', counts.skipped),
    // The other unchanged ones are those skipped and not refused.
    line('updated-unchanged', unchanged - (counts.skipped - rejected.length)),
    ...rejected.slice(0, REFUSALS_MAX).map((record) => {
      const { field, kind } = refusalKind(record)
      return line('refused', 1, field, kind)
    }),
    line('refused', rejected.length - REFUSALS_MAX, '', 'not looked at: too many in a request'),
  ].filter(({ n }) => n > 0)
}

/** The field and kind of a refusal, without any of the values sent: `DOB` and `a date that exists, DD-MM-YYYY`. */
export function refusalKind(record: Pick<RejectedRecord, 'path'> & RejectionReason): { field: string; kind: string } {
  // Unknown fields are not read, so this name is one of ours.
  const field = record.path.replace(/^data\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '')
  return {
    field: field.slice(0, REFUSAL_LENGTH_MAX),
    kind: (record.verdict ?? record.kind).slice(0, REFUSAL_LENGTH_MAX),
  }
}

/** Lines summed by key until they are written. */
export type Totals<Line> = Readonly<{
  add: (line: Line) => void
  /** Removes and returns all lines. */
  take: () => Line[]
}>

/** Starts empty; holds at most `linesMax` lines, further ones are not counted. */
export function createTotals<Line>(
  keyOf: (line: Line) => string,
  sumOf: (one: Line, other: Line) => Line,
  linesMax: number,
): Totals<Line> {
  let lines = new Map<string, Line>()
  return {
    add: (line) => {
      const key = keyOf(line)
      const existing = lines.get(key)
      if (existing !== undefined) lines.set(key, sumOf(existing, line))
      else if (lines.size < linesMax) lines.set(key, line)
    },
    take: () => {
      const drained = [...lines.values()]
      lines = new Map()
      return drained
    },
  }
}
