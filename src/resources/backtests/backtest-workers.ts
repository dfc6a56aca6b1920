/*
 * The workers that compute the ranges of a backtest: this thread in its own transaction, or threads with a connection each, on the same snapshot.
 */
import { Worker } from 'node:worker_threads'
import type { Queryable } from '../../database/db/driver.ts'
import type { Tally } from '../../engine/whatif/tally.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { BacktestQuestion, BacktestResponse, BacktestStart } from './backtest-messages.ts'
import { type BacktestTask, type Credit, findCredits, tallyPlayers } from './backtest-range.ts'
import type { PlayerRange } from './store.ts'

/** Computes one range at a time. Errors: Unavailable, OperatorError. */
export type BacktestWorker = Readonly<{
  findCredits: (range: PlayerRange) => Promise<Credit[]>
  tallyPlayers: (range: PlayerRange, credits: readonly Credit[]) => Promise<Tally>
  close: () => Promise<unknown>
}>

/**
 * Most objects live only while one order is computed. With these limits V8 collects early instead of growing its heap; the old generation holds
 * the programs, a range's credits, and what one player's window needs.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 } as const

/** A worker in this thread, in the caller's transaction. */
export function inProcessWorker(tx: Queryable, task: BacktestTask): BacktestWorker {
  return {
    findCredits: (range) => findCredits(tx, task, range),
    tallyPlayers: (range, credits) => tallyPlayers(tx, task, range, credits),
    close: async () => undefined,
  }
}

/** A worker in its own thread. The error that ends the thread rejects the pending request and every later one. */
export function openThreadWorker(start: BacktestStart): BacktestWorker {
  const worker = new Worker(new URL('./backtest-thread.ts', import.meta.url), {
    workerData: start,
    resourceLimits: RESOURCE_LIMITS,
  })
  let pending: PromiseWithResolvers<BacktestResponse> | undefined
  let cause = new Error('a thread of the backtest has ended')
  worker.on('message', (response: BacktestResponse) => pending?.resolve(response))
  worker.on('error', (error: Error) => {
    cause = error
  })
  let hasEnded = false
  worker.on('exit', () => {
    hasEnded = true
    pending?.reject(cause)
  })

  async function ask(question: BacktestQuestion): Promise<Exclude<BacktestResponse, { issue: string }>> {
    if (hasEnded) throw cause
    pending = Promise.withResolvers()
    worker.postMessage(question)
    const response = await pending.promise
    if (!('issue' in response)) return response
    throw response.issue === 'Unavailable' ? new Unavailable(response.message) : new OperatorError(response.message)
  }

  return {
    async findCredits(range) {
      const response = await ask({ ask: 'credits', range })
      return 'credits' in response ? response.credits : []
    },
    async tallyPlayers(range, credits) {
      const response = await ask({ ask: 'tally', range, credits })
      if (!('tally' in response)) throw cause
      return response.tally
    },
    close: () => worker.terminate(),
  }
}

/** Distributes tasks among workers: each takes the next one as soon as it is free. Rejects with the first error. */
export async function distribute<T>(
  workers: readonly BacktestWorker[],
  tasks: readonly T[],
  act: (worker: BacktestWorker, task: T, place: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    workers.map(async (worker) => {
      while (next < tasks.length) {
        const place = next++
        await act(worker, tasks[place]!, place)
      }
    }),
  )
}
