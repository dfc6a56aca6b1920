import type { Db } from '../database/db/transaction.ts'
import type { ShopSettings } from '../engine/ingest/shop-settings.ts'
import type { HistoryQuestion, PlayerHistory, Snapshot, WindowQuestion } from '../engine/points/ledger/snapshot.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import type { Unavailable } from '../errors.ts'
import type { PlayerQueue } from '../ledger/player-queue.ts'
import type { OrderQuestion } from '../ledger/snapshots.ts'
import type { Activity } from '../resources/activity/activity.ts'
import type { PredictionLog } from '../resources/predictions/prediction-log.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { Vitals } from '../telemetry/vitals.ts'
import type { RowReader } from './bulk/row-reader.ts'
import type { SerialQueue } from './serial-queue.ts'

/** The dependencies of the operations. Created once by `cli/serve/service.ts`; tests create their own. */
export type Deps = Readonly<{
  db: Db
  now: () => Date
  observe: Observe
  /** Reads the inputs of a prediction, batched with concurrent ones; `findHistories` and `sumWindows` likewise. */
  findInputs: (question: OrderQuestion, deadlineAt: number) => Promise<Snapshot>
  findHistories: (
    questions: readonly HistoryQuestion[],
    deadlineAt: number,
  ) => Promise<ReadonlyMap<string, PlayerHistory>>
  sumWindows: (questions: readonly WindowQuestion[], deadlineAt: number) => Promise<ReadonlyMap<string, bigint>>
  /** The error with which to refuse a prediction if too many are waiting to answer another by `deadlineAt`; otherwise undefined. */
  refusalOfPrediction: (deadlineAt: number) => Unavailable | undefined
  /** All published versions, from memory (resources/programs/program-cache.ts). */
  programs: () => readonly PublishedProgram[]
  /** The settings of the shop, from memory (resources/settings/shop-cache.ts). */
  shop: () => ShopSettings
  predictions: PredictionLog
  activity: Activity
  vitals: () => Vitals
  /** Reads players and products in bulk, in a separate thread. */
  rows: RowReader
  /** Lets requests read orders and adjustments on this thread, one at a time. */
  readingQueue: SerialQueue
  /** Serialises requests that change the accounts of the same players. */
  playerQueue: PlayerQueue
}>
