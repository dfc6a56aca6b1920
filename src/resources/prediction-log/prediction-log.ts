/*
 * Stores predictions for statistics, outside the requests: a sample of each second is kept in memory and written by the next flush
 * (docs/decisions/0104-stored-predictions.md).
 */
import { randomUUID } from 'node:crypto'
import { createSerialQueue } from '../../bulk/serial-queue.ts'
import { deleteInSlices } from '../../database/db/delete-in-slices.ts'
import type { AnsweredPrediction, PredictionKeeper } from '../../deps.ts'
import { digestsOf } from '../../engine/points/digests.ts'
import { Unavailable } from '../../errors.ts'
import { type ComparisonDeps, createComparisons } from './comparisons.ts'
import { deleteDiffered } from './differed-predictions.ts'
import { deletePredictions, insertPredictions, type KeptPrediction } from './store.ts'

export type PredictionLog = PredictionKeeper &
  Readonly<{
    /** Writes predictions, and compares outcomes that have waited long enough. Call it every FLUSH_MS. Errors: those of the database. */
    flush: () => Promise<void>
    /** Deletes old predictions. Call it every SWEEP_MS. Errors: those of the database. */
    sweep: () => Promise<void>
    /** Writes what is left, within a second. Nothing may be added afterwards. */
    close: () => Promise<void>
  }>

type LogDeps = ComparisonDeps &
  Readonly<{
    /** Retention in days. 0: nothing is stored, and stored predictions are deleted. */
    keptDays: number
    /** Returns numbers in [0, 1). */
    random?: () => number
  }>

export const FLUSH_MS = 1_000
export const SWEEP_MS = 60_000
/** With more predictions than this in a second, a random sample is stored; its share is used to scale counts up. */
export const SAMPLE_MAX = 200
/** While the database is unavailable, the samples of the last 50 busy seconds are held in memory. */
export const UNWRITTEN_MAX = 50 * SAMPLE_MAX
/** Rows written at a time: about 25 ms of the embedded database, which blocks everyone else. */
const SLICE_MAX = 500
const STEP_TIMEOUT_MS = 2_000
const CLOSE_TIMEOUT_MS = 1_000
const DAY_MS = 86_400_000

/** Opens an empty log. It has no timers: the caller calls `flush` and `sweep`. */
export function openPredictionLog({ keptDays, random = Math.random, ...deps }: LogDeps): PredictionLog {
  const { db, now, observe, count, erasureKey } = deps
  const seconds = createSampler(random)
  const comparisons = createComparisons(deps)
  const flushes = createSerialQueue()
  /** Outcomes of predictions not yet reported to `observe`. */
  const counts = { kept: 0, leftOut: 0, dropped: 0 }
  let unwritten: KeptPrediction[] = []

  function countRequests(outcome: 'kept' | 'left-out' | 'dropped', tokenId: string, n: number): void {
    count({ measure: `asked-${outcome}`, program: 0, key: tokenId, n, points: 0n })
  }

  function countRows(outcome: 'kept' | 'dropped', rows: readonly KeptPrediction[]): void {
    counts[outcome] += rows.length
    for (const { tokenId } of rows) countRequests(outcome, tokenId, 1)
  }

  function keepWaiting(rows: KeptPrediction[]): void {
    countRows('dropped', rows.slice(0, -UNWRITTEN_MAX))
    unwritten = rows.slice(-UNWRITTEN_MAX)
  }

  function endSecond(at?: Date): void {
    const ended = seconds.end(at)
    if (ended === undefined) return
    for (const [tokenId, leftOut] of ended.leftOut) {
      counts.leftOut += leftOut
      countRequests('left-out', tokenId, leftOut)
    }
    keepWaiting(unwritten.concat(ended.sample))
  }

  async function write(deadlineAt: number): Promise<void> {
    const rows = unwritten.slice(0, SLICE_MAX)
    unwritten = unwritten.slice(SLICE_MAX)
    try {
      if (rows.length > 0) await db.transaction((tx) => insertPredictions(tx, rows, erasureKey), deadlineAt)
      countRows('kept', rows)
    } catch (error) {
      // Rows that the database rejects for any other reason would be rejected again.
      if (error instanceof Unavailable) keepWaiting(rows.concat(unwritten))
      else countRows('dropped', rows)
      throw error
    } finally {
      if (counts.kept + counts.leftOut + counts.dropped > 0) observe({ kind: 'predictions-kept', ...counts })
      Object.assign(counts, { kept: 0, leftOut: 0, dropped: 0 })
    }
  }

  async function flush(): Promise<void> {
    endSecond(now())
    await write(performance.now() + STEP_TIMEOUT_MS)
    // Predictions held back by an outage may include the last one of an order to compare.
    if (unwritten.length === 0) await comparisons.compareDue(performance.now() + STEP_TIMEOUT_MS)
  }

  return {
    keep: (answered) => {
      if (keptDays === 0) return
      const at = now()
      endSecond(at)
      seconds.note(answered, at)
    },
    compare: (outcomes) => {
      if (keptDays > 0) comparisons.add(outcomes)
    },
    // One at a time: a call returns only once those before it have written what they took.
    flush: () => flushes(flush),
    flushAll: () =>
      flushes(async () => {
        endSecond()
        do await flush()
        while (unwritten.length > 0)
      }),
    sweep: async () => {
      const before = new Date(now().getTime() - keptDays * DAY_MS).toISOString()
      await db.transaction((tx) => deleteDiffered(tx, before, SLICE_MAX), performance.now() + STEP_TIMEOUT_MS)
      await deleteInSlices(db, (tx, rowsMax) => deletePredictions(tx, before, rowsMax))
    },
    close: async () => {
      const deadlineAt = performance.now() + CLOSE_TIMEOUT_MS
      endSecond()
      try {
        while (unwritten.length > 0) await write(deadlineAt)
      } catch (error) {
        // The service stops regardless.
        observe({ kind: 'prediction-log-failed', step: 'close', error })
      }
    },
  }
}

/** A prediction from a second that is not over: how many it represents is not known yet. */
type UnweightedPrediction = Omit<KeptPrediction, 'kept' | 'seen'>

/** Samples the current second of the clock: keeps at most SAMPLE_MAX of its predictions, and counts all of them. */
function createSampler(random: () => number) {
  const begin = (second: number) => ({
    second,
    seen: 0,
    /** How many each token requested. */
    byToken: new Map<string, number>(),
    sample: [] as UnweightedPrediction[],
  })
  let current = begin(0)
  return {
    /** Ends the current second, unless `at` is within it. */
    end: (at?: Date): { sample: KeptPrediction[]; leftOut: ReadonlyMap<string, number> } | undefined => {
      const second = at === undefined ? 0 : Math.floor(at.getTime() / 1_000)
      if (second === current.second) return undefined
      const { sample, seen, byToken: leftOut } = current
      current = begin(second)
      for (const { tokenId } of sample) leftOut.set(tokenId, leftOut.get(tokenId)! - 1)
      const share = { kept: sample.length, seen }
      return { sample: sample.map((one) => ({ ...one, ...share })), leftOut }
    },
    note: (answered: AnsweredPrediction, at: Date): void => {
      current.seen += 1
      current.byToken.set(answered.tokenId, (current.byToken.get(answered.tokenId) ?? 0) + 1)
      // Reservoir sampling: every prediction of the second has the same chance to stay, however many there are.
      const place = current.seen <= SAMPLE_MAX ? current.seen - 1 : Math.floor(random() * current.seen)
      if (place < SAMPLE_MAX) current.sample[place] = noted(answered, at)
    },
  }
}

function noted(
  { tokenId, order, player, prices, attributes, prediction, durationMs }: AnsweredPrediction,
  at: Date,
): UnweightedPrediction {
  const digests = digestsOf(order, player, prices, attributes)
  return {
    id: randomUUID(),
    userId: order.userId,
    orderId: order.id,
    predictedAt: at.toISOString(),
    tokenId,
    points: prediction.points,
    referred: prediction.referrer !== undefined,
    levelBefore: prediction.level.before,
    levelAfter: prediction.level.after,
    programVersion: prediction.program.version,
    orderDigest: digests.order,
    playerDigest: digests.player,
    pricesDigest: digests.prices,
    durationUs: Math.round(durationMs * 1_000),
    orderedAt: order.at,
  }
}
