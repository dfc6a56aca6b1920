import { batchQuestions } from '../../database/db/batch-questions.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { HistoryQuestion, WindowQuestion } from '../../engine/points/ledger/snapshot.ts'
import { listWindowSums } from '../../ledger/entries.ts'
import { listHistories } from '../../ledger/histories.ts'
import type { InputMemory } from '../../ledger/input-memory.ts'
import { type OrderQuestion, readSnapshot } from '../../ledger/snapshots.ts'

const LIMITS = { questionsMax: 256, waitingMax: 10_000 } as const

/** The reads of predictions, batched: all those waiting at the same time share one statement. What `memory` knows is not read. */
export function createBatchedReads(
  db: Db,
  memory: InputMemory | undefined,
): Pick<Deps, 'findInputs' | 'findHistories' | 'sumWindows' | 'refusalOfPrediction'> {
  const inputs = batchQuestions(async (questions: readonly OrderQuestion[], deadlineAt) => {
    const read = () => readSnapshot(readerOf(db, deadlineAt, 'prediction'), questions)
    const snapshot = await (memory?.keep(questions, read) ?? read())
    return questions.map(() => snapshot)
  }, LIMITS)
  const sums = batchQuestions(async (questions: readonly (readonly WindowQuestion[])[], deadlineAt) => {
    const found = await listWindowSums(readerOf(db, deadlineAt, 'prediction'), questions.flat())
    return questions.map(() => found)
  }, LIMITS)
  const histories = batchQuestions(async (questions: readonly (readonly HistoryQuestion[])[], deadlineAt) => {
    const found = await listHistories(readerOf(db, deadlineAt, 'prediction'), questions.flat())
    return questions.map(() => found)
  }, LIMITS)
  return {
    findInputs: async (question, deadlineAt) => memory?.find(question) ?? (await inputs.ask(question, deadlineAt)),
    findHistories: histories.ask,
    sumWindows: sums.ask,
    refusalOfPrediction: (deadlineAt, questionIn) => {
      // Those whose inputs are in memory wait for sums alone, if the program has windows.
      const ofSums = sums.refusal(deadlineAt)
      if (ofSums !== undefined) return ofSums
      const refusal = inputs.refusal(deadlineAt)
      const question = refusal && memory && questionIn?.()
      return question !== undefined && memory?.find(question) !== undefined ? undefined : refusal
    },
  }
}
