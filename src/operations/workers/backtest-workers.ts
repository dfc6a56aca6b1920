/*
 * Who computes the ranges of a backtest: this thread on its own transaction, or threads with a connection each, on what that transaction sees.
 */
import { Worker } from 'node:worker_threads'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { ExportedSnapshot, PlayerRange } from '../../store/backtest.ts'
import type { Queryable } from '../../store/db/driver.ts'
import type { PostgresOptions } from '../../store/postgres/driver.ts'
import type { Tally } from '../../whatif/tally.ts'
import { type BacktestRequest, type BacktestTask, type Credit, findCredits, tallyPlayers } from './backtest-range.ts'

/** Computes one range at a time. */
export type BacktestWorker = Readonly<{
  findCredits: (range: PlayerRange) => Promise<Credit[]>
  tallyPlayers: (range: PlayerRange, credits: readonly Credit[]) => Promise<Tally>
  close: () => Promise<unknown>
}>

/** A PostgreSQL server, and how a connection behaves, as plain data. */
export type ServerConnection = Readonly<{ url: string }> & Omit<PostgresOptions, 'poolMax'>

/** What a thread is started with. */
export type BacktestStart = Readonly<{ place: ServerConnection; moment: ExportedSnapshot; wish: BacktestRequest }>

export type BacktestQuestion = Readonly<
  { range: PlayerRange } & ({ ask: 'credits' } | { ask: 'tally'; credits: readonly Credit[] })
>

/** `fault` is one that a person hears as it is; of any other the thread dies. */
export type BacktestAnswer = Readonly<
  { credits: Credit[] } | { tally: Tally } | { fault: 'Unavailable' | 'OperatorError'; message: string }
>

/**
 * What a thread makes lives as long as an order. With these limits the engine collects early instead of taking memory that it could do
 * without; the old generation holds the programs, a range's credits, and what one player's window needs.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 } as const

export function inProcessWorker(tx: Queryable, task: BacktestTask): BacktestWorker {
  return {
    findCredits: (range) => findCredits(tx, task, range),
    tallyPlayers: (range, credits) => tallyPlayers(tx, task, range, credits),
    close: async () => undefined,
  }
}

/** A thread of its own. What it dies of is what its question is answered with. Errors: Unavailable, OperatorError. */
export function openThreadWorker(start: BacktestStart): BacktestWorker {
  const worker = new Worker(new URL('./backtest-thread.ts', import.meta.url), {
    workerData: start,
    resourceLimits: RESOURCE_LIMITS,
  })
  let asked: PromiseWithResolvers<BacktestAnswer> | undefined
  let cause = new Error('a thread of the backtest has ended')
  worker.on('message', (answer: BacktestAnswer) => asked?.resolve(answer))
  worker.on('error', (error: Error) => {
    cause = error
  })
  let isOver = false
  worker.on('exit', () => {
    isOver = true
    asked?.reject(cause)
  })

  async function ask(question: BacktestQuestion): Promise<Exclude<BacktestAnswer, { fault: string }>> {
    if (isOver) throw cause
    asked = Promise.withResolvers()
    worker.postMessage(question)
    const answer = await asked.promise
    if (!('fault' in answer)) return answer
    throw answer.fault === 'Unavailable' ? new Unavailable(answer.message) : new OperatorError(answer.message)
  }

  return {
    async findCredits(range) {
      const answer = await ask({ ask: 'credits', range })
      return 'credits' in answer ? answer.credits : []
    },
    async tallyPlayers(range, credits) {
      const answer = await ask({ ask: 'tally', range, credits })
      if (!('tally' in answer)) throw cause
      return answer.tally
    },
    close: () => worker.terminate(),
  }
}

/** Lets every hand take the next piece of work as soon as it is free. The first error ends it. */
export async function distribute<T>(
  hands: readonly BacktestWorker[],
  pieces: readonly T[],
  act: (hand: BacktestWorker, piece: T, place: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    hands.map(async (hand) => {
      while (next < pieces.length) {
        const place = next++
        await act(hand, pieces[place]!, place)
      }
    }),
  )
}
