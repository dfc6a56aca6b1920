import type { OrderReader } from '../ingest/order.ts'
import type { PublishedProgram } from '../points/model.ts'
import type { PredictionInputs, PredictionQuestion } from '../store/prediction-inputs.ts'
import type { Db } from '../store/transaction.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { PredictionLog } from './kept-predictions.ts'

/** What the stories need from the world. Made once by `cli/service.ts`; tests make their own. */
export type Deps = Readonly<{
  db: Db
  now: () => Date
  observe: Observe
  readOrder: OrderReader
  findInputs: (question: PredictionQuestion, deadlineAt: number) => Promise<PredictionInputs>
  /** Every published version, from memory; `refreshPrograms` of the service keeps them up to date. */
  programs: () => readonly PublishedProgram[]
  predictions: PredictionLog
  batchRecordsMax: number
}>
