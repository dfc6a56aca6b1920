import type { Db } from '../database/db/transaction.ts'
import type { HistoryQuestion, PlayerHistory, WindowQuestion } from '../engine/points/ledger/snapshot.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { PlayerQueue } from './player-queue.ts'

/** What the ledger needs of a service, to preview and to write. */
export type LedgerDeps = Readonly<{
  db: Db
  observe: Observe
  /** Reads histories of points, batched with concurrent questions; `sumWindows` likewise. */
  findHistories: (
    questions: readonly HistoryQuestion[],
    deadlineAt: number,
  ) => Promise<ReadonlyMap<string, PlayerHistory>>
  sumWindows: (questions: readonly WindowQuestion[], deadlineAt: number) => Promise<ReadonlyMap<string, bigint>>
  /** Serialises requests that change the accounts of the same players. */
  playerQueue: PlayerQueue
}>
