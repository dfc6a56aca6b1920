import type { Db } from '../database/db/transaction.ts'
import type { HistoryQuery, PlayerHistory, WindowQuery } from '../engine/points/ledger/snapshot.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import type { Observe } from '../telemetry/observation.ts'
import type { ErasureKey } from './erasures.ts'
import type { PlayerQueue } from './player-queue.ts'

/** What the ledger needs of a service, to preview and to write. */
export type LedgerDeps = Readonly<{
  db: Db
  observe: Observe
  /** All published versions, from memory (resources/programs/stored-programs.ts). */
  programs: () => readonly PublishedProgram[]
  /** Reads histories of points, batched with concurrent queries; `sumWindows` likewise. */
  findHistories: (queries: readonly HistoryQuery[], deadlineAt: number) => Promise<ReadonlyMap<string, PlayerHistory>>
  sumWindows: (queries: readonly WindowQuery[], deadlineAt: number) => Promise<ReadonlyMap<string, bigint>>
  /** Serialises requests that change the accounts of the same players. */
  playerQueue: PlayerQueue
  erasureKey: ErasureKey
}>
