import type { Unavailable } from '../errors.ts'
import type { ShopSettings } from '../ingest/shop-settings.ts'
import type { HistoryQuestion, PlayerHistory, Snapshot, WindowQuestion } from '../points/ledger/snapshot.ts'
import type { PublishedProgram } from '../points/program-model.ts'
import type { Db } from '../store/db/transaction.ts'
import type { OrderQuestion } from '../store/snapshots.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { Vitals } from '../telemetry/vitals.ts'
import type { Activity } from './activity/activity.ts'
import type { PredictionLog } from './predictions/prediction-log.ts'
import type { PlayerQueue } from './queues/player-queue.ts'
import type { SerialQueue } from './queues/serial-queue.ts'
import type { RowReader } from './workers/row-reader.ts'

/** What the operations need from outside. Made once by `cli/serve/service.ts`; tests make their own. */
export type Deps = Readonly<{
  db: Db
  now: () => Date
  observe: Observe
  /** What a prediction needs to know, asked together with what others ask at the same time; `findHistories` and `sumWindows` likewise. */
  findInputs: (question: OrderQuestion, deadlineAt: number) => Promise<Snapshot>
  findHistories: (
    questions: readonly HistoryQuestion[],
    deadlineAt: number,
  ) => Promise<ReadonlyMap<string, PlayerHistory>>
  sumWindows: (questions: readonly WindowQuestion[], deadlineAt: number) => Promise<ReadonlyMap<string, bigint>>
  /** What to refuse a prediction with where so many wait that another would hardly be answered by `deadlineAt`. */
  refusalOfPrediction: (deadlineAt: number) => Unavailable | undefined
  /** Every published version, from memory (programs/program-cache.ts). */
  programs: () => readonly PublishedProgram[]
  /** The settings of the shop, from memory (settings/shop-cache.ts). */
  shop: () => ShopSettings
  predictions: PredictionLog
  activity: Activity
  vitals: () => Vitals
  /** Players and products in bulk, read in a thread of their own. */
  rows: RowReader
  /** In which requests read orders and adjustments on this thread, one at a time. */
  readingQueue: SerialQueue
  /** In which requests that change the accounts of the same players wait for each other. */
  playerQueue: PlayerQueue
}>
