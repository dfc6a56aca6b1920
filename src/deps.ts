/*
 * What the operations of all resources are given, and what they report to whatever counts and keeps beside the ledger: they know these functions,
 * and not who offers them.
 */

import type { FairQueue } from './bulk/fair-queue.ts'
import type { RowReader } from './bulk/row-reader.ts'
import type { SerialQueue } from './bulk/serial-queue.ts'
import type { CountedBatch } from './bulk/summary.ts'
import type { Handles } from './engine/ingest/handles.ts'
import type { ShopSettings } from './engine/ingest/shop-settings.ts'
import type { Snapshot } from './engine/points/ledger/snapshot.ts'
import type { Order, Player, Prediction } from './engine/points/model.ts'
import type { RecordedOutcome } from './engine/points/prediction-difference.ts'
import type { Amount, AttributeSet, OrderId, Sku, UserId } from './engine/points/units.ts'
import type { Unavailable } from './errors.ts'
import type { LedgerDeps } from './ledger/ledger-deps.ts'
import type { OrderQuery } from './ledger/snapshots.ts'
import type { PREDICTION_MEASURES } from './ledger/tallies.ts'
import type { ProcessMetrics } from './telemetry/process-metrics.ts'

/** The dependencies of the operations. Created once by `cli/serve/service.ts`; tests create their own. */
export type Deps = LedgerDeps &
  Readonly<{
    now: () => Date
    /** Reads the inputs of a prediction, batched with concurrent ones. */
    findInputs: (query: OrderQuery, deadlineAt: number) => Promise<Snapshot>
    /**
     * The error with which to refuse a prediction if too many are waiting to answer another by `deadlineAt`, and what it asks for is not in memory;
     * otherwise undefined. `queryIn` is only asked if too many are waiting; absent, or undefined: the query is not known yet.
     */
    refusalOfPrediction: (deadlineAt: number, queryIn?: () => OrderQuery | undefined) => Unavailable | undefined
    /** The settings of the shop, from memory (resources/settings/service.ts). */
    shop: () => ShopSettings
    predictions: PredictionKeeper
    activity: ActivityCounter
    processMetrics: () => ProcessMetrics
    /** Reads players and products in bulk, in a separate thread. */
    rows: RowReader
    /** Lets requests read orders and adjustments on this thread, one at a time. */
    readingQueue: SerialQueue
    /** Work that is done in threads beside the service (routing/side-thread.ts), one piece at a time. */
    sideQueue: FairQueue
    /** What callers without the scope `support` see in place of players' ids. */
    handles: Handles
  }>

/** An answered prediction with its inputs. */
export type AnsweredPrediction = Readonly<{
  /** The public id of the caller's token. */
  tokenId: string
  order: Order
  player: Player
  prices: ReadonlyMap<string, Amount | undefined>
  /** Of products; undefined where none had any. */
  attributes?: ReadonlyMap<string, AttributeSet> | undefined
  prediction: Prediction
  durationMs: number
}>

/** The outcome of recording an order. */
export type OrderOutcome = RecordedOutcome &
  Readonly<{
    userId: UserId
    orderId: OrderId
    /** RFC 3339; predictions after that concern a later state of the order. */
    recordedAt: string
  }>

/** Keeps predictions, and learns later whether they came true. */
export type PredictionKeeper = Readonly<{
  /** Adds an answered prediction. Takes microseconds; never fails and never waits. */
  keep: (answered: AnsweredPrediction) => void
  /** Adds outcomes of first recordings, after their COMMIT: a later flush compares each with its last stored prediction. As cheap as `keep`. */
  compare: (outcomes: readonly OrderOutcome[]) => void
  /** Writes everything answered until now, also of the current second, which counts as two seconds then. Errors: those of the database. */
  flushAll: () => Promise<void>
}>

/** `program` is the version that the order was recorded under, 0 if none applies; `points` are predicted less recorded points. */
export type PredictionCount = Readonly<{
  measure: (typeof PREDICTION_MEASURES)[number]
  program: number
  key: string
  n: number
  points: bigint
}>

/** Counting takes microseconds, never fails and never waits. */
export type ActivityCounter = Readonly<{
  countPredictions: (counted: PredictionCount) => void
  countBatch: (batch: CountedBatch) => void
  /** Counts products missing from the catalogue, each once, for a prediction or for an order's first recording. */
  countUnknownProducts: (skus: readonly Sku[], recordedIn?: OrderId) => void
}>
