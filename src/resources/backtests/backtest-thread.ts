/*
 * A thread of a backtest: receives ranges of players, returns their credits and tallies. It has its own connection, and reads the snapshot of
 * the thread that started it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { useSnapshot } from '../../database/db/shared-snapshot.ts'
import { createDb } from '../../database/db/transaction.ts'
import { openPostgres } from '../../database/postgres/driver.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { BacktestQuestion, BacktestResponse, BacktestStart } from './backtest-messages.ts'
import { type BacktestTask, DEADLINE_MS, findCredits, readTask, tallyPlayers } from './backtest-range.ts'

const port = parentPort!
const { server, snapshot, request } = workerData as BacktestStart
const db = createDb(await openPostgres(server.url, { ...server, poolMax: 1 }))
/** Read with the first question, and kept for the lifetime of the thread. */
let task: BacktestTask | undefined

async function response(question: BacktestQuestion): Promise<BacktestResponse> {
  try {
    return await db.transaction(async (tx): Promise<BacktestResponse> => {
      await useSnapshot(tx, snapshot)
      task ??= await readTask(tx, request)
      return question.ask === 'credits'
        ? { credits: await findCredits(tx, task, question.range) }
        : { tally: await tallyPlayers(tx, task, question.range, question.credits) }
    }, performance.now() + DEADLINE_MS)
  } catch (error) {
    if (error instanceof Unavailable) return { issue: 'Unavailable', message: error.message }
    if (error instanceof OperatorError) return { issue: 'OperatorError', message: error.message }
    throw error
  }
}

port.on('message', async (question: BacktestQuestion) => port.postMessage(await response(question)))
