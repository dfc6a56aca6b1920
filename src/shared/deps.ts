import type { ShopSettings } from '../engine/ingest/shop-settings.ts'
import type { Snapshot } from '../engine/points/ledger/snapshot.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import type { Unavailable } from '../errors.ts'
import type { LedgerDeps } from '../ledger/ledger-deps.ts'
import type { OrderQuestion } from '../ledger/snapshots.ts'
import type { Vitals } from '../telemetry/vitals.ts'
import type { RowReader } from './bulk/row-reader.ts'
import type { ActivityCounter, PredictionKeeper } from './counting.ts'
import type { SerialQueue } from './serial-queue.ts'

/** The dependencies of the operations. Created once by `cli/serve/service.ts`; tests create their own. */
export type Deps = LedgerDeps &
  Readonly<{
    now: () => Date
    /** Reads the inputs of a prediction, batched with concurrent ones. */
    findInputs: (question: OrderQuestion, deadlineAt: number) => Promise<Snapshot>
    /** The error with which to refuse a prediction if too many are waiting to answer another by `deadlineAt`; otherwise undefined. */
    refusalOfPrediction: (deadlineAt: number) => Unavailable | undefined
    /** All published versions, from memory (resources/programs/stored-programs.ts). */
    programs: () => readonly PublishedProgram[]
    /** The settings of the shop, from memory (resources/settings/service.ts). */
    shop: () => ShopSettings
    predictions: PredictionKeeper
    activity: ActivityCounter
    vitals: () => Vitals
    /** Reads players and products in bulk, in a separate thread. */
    rows: RowReader
    /** Lets requests read orders and adjustments on this thread, one at a time. */
    readingQueue: SerialQueue
  }>
