import { Worker } from 'node:worker_threads'
import type { Db } from '../../database/db/transaction.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { JobKind, JobMessage, JobProgress, JobStart } from './job-kind.ts'

/** The outcome of a job. `error` is an internal error, for the log only. */
export type JobOutcome = Readonly<{ result: string } | { issue: string; error?: unknown } | 'stopped'>

export type JobThread = Readonly<{
  progress: () => readonly JobProgress[]
  outcome: Promise<JobOutcome>
  /** Stops it; a thread is terminated immediately. */
  stop: () => Promise<void>
}>

/** The maximum size of a result: it is stored in the database and returned in one piece. */
const RESULT_CHARACTERS_MAX = 8 * 2 ** 20
/** The limits of a backtest's own threads (backtest-workers.ts), plus room to assemble the result. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 768 } as const

/** Starts a job in its own thread, with its own memory limits. The thread opens the database itself. */
export function startJobThread(start: JobStart): JobThread {
  const { promise: outcome, resolve } = Promise.withResolvers<JobOutcome>()
  const worker = new Worker(new URL('./job-thread.ts', import.meta.url), {
    workerData: start,
    resourceLimits: RESOURCE_LIMITS,
  })
  let progress: readonly JobProgress[] = []
  let reported: JobOutcome | undefined
  worker.on('message', (message: JobMessage) => {
    if ('progress' in message) progress = message.progress
    else reported = isTooLarge(message) ? { issue: 'the result is too large to store: use a shorter period' } : message
  })
  worker.on('error', (error) => {
    reported = { issue: 'internal error', error }
  })
  worker.on('exit', () => resolve(reported ?? 'stopped'))
  return {
    progress: () => progress,
    outcome,
    stop: async () => {
      await worker.terminate()
    },
  }
}

function isTooLarge(message: Exclude<JobMessage, { progress: unknown }>): boolean {
  return 'result' in message && message.result.length > RESULT_CHARACTERS_MAX
}

/** Runs a job that writes in this process, on its database: a separate thread could not open the embedded one. */
export function runJobInProcess(kind: JobKind, request: unknown, db: Db, now: string): JobThread {
  let progress: readonly JobProgress[] = []
  let isStopped = false
  const report = (reported: readonly JobProgress[]) => {
    progress = reported
  }
  const context = {
    openDatabase: async () => db,
    server: undefined,
    files: undefined,
    now,
    report,
    isStopped: () => isStopped,
  }
  const outcome = kind.run(request, context).then(
    (result): JobOutcome => (isStopped ? 'stopped' : { result: JSON.stringify(result) }),
    (error: unknown): JobOutcome =>
      error instanceof OperatorError || error instanceof Unavailable
        ? { issue: error.message }
        : { issue: 'internal error', error },
  )
  return {
    progress: () => progress,
    outcome,
    stop: async () => {
      isStopped = true
      await outcome
    },
  }
}
