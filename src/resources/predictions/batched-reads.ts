import { batchQueries } from '../../database/db/batch-queries.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { HistoryQuery, WindowQuery } from '../../engine/points/ledger/snapshot.ts'
import { listWindowSums } from '../../ledger/entries.ts'
import { listHistories } from '../../ledger/histories.ts'
import type { InputMemory } from '../../ledger/input-memory.ts'
import { type OrderQuery, readSnapshot } from '../../ledger/snapshots.ts'

const LIMITS = { queriesMax: 256, waitingMax: 10_000 } as const

/** The reads of predictions, batched: all those waiting at the same time share one statement. What `memory` knows is not read. */
export function createBatchedReads(
  db: Db,
  memory: InputMemory | undefined,
): Pick<Deps, 'findInputs' | 'findHistories' | 'sumWindows' | 'refusalOfPrediction'> {
  const inputs = batchQueries(async (queries: readonly OrderQuery[], deadlineAt) => {
    const read = () => readSnapshot(readerOf(db, deadlineAt, 'prediction'), queries)
    const snapshot = await (memory?.keep(queries, read) ?? read())
    return queries.map(() => snapshot)
  }, LIMITS)
  const sums = batchQueries(async (queries: readonly (readonly WindowQuery[])[], deadlineAt) => {
    const byWindow = await listWindowSums(readerOf(db, deadlineAt, 'prediction'), queries.flat())
    return queries.map(() => byWindow)
  }, LIMITS)
  const histories = batchQueries(async (queries: readonly (readonly HistoryQuery[])[], deadlineAt) => {
    const byQuery = await listHistories(readerOf(db, deadlineAt, 'prediction'), queries.flat())
    return queries.map(() => byQuery)
  }, LIMITS)
  return {
    findInputs: async (query, deadlineAt) => memory?.find(query) ?? (await inputs.ask(query, deadlineAt)),
    findHistories: histories.ask,
    sumWindows: sums.ask,
    refusalOfPrediction: (deadlineAt, queryIn) => {
      // Those whose inputs are in memory wait for sums alone, if the program has windows.
      const ofSums = sums.refusal(deadlineAt)
      if (ofSums !== undefined) return ofSums
      const refusal = inputs.refusal(deadlineAt)
      const query = refusal && memory && queryIn?.()
      return query !== undefined && memory?.find(query) !== undefined ? undefined : refusal
    },
  }
}
