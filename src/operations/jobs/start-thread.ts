import { Worker } from 'node:worker_threads'
import type { JobMessage, JobProgress, JobStart } from './job-messages.ts'

/** How a job came out. `error` is a fault of ours, for the log; nobody is told more than that there was one. */
export type JobOutcome = Readonly<{ result: string } | { fault: string; error?: unknown } | 'stopped'>

export type JobThread = Readonly<{
  /** How far it has come. */
  progress: () => readonly JobProgress[]
  outcome: Promise<JobOutcome>
  /** Ends it where it stands. */
  stop: () => Promise<void>
}>

/** What a result may have at most: it is kept in the database, and answered whole. */
const RESULT_CHARACTERS_MAX = 8 * 2 ** 20
/** As a backtest's own threads have (backtest-workers.ts), and room for what a job puts together at its end. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 768 } as const

/** Starts a job in a thread of its own, with memory of its own. The thread opens the database itself. */
export function startJobThread(start: JobStart): JobThread {
  const { promise: outcome, resolve } = Promise.withResolvers<JobOutcome>()
  const worker = new Worker(new URL('./job-thread.ts', import.meta.url), {
    workerData: start,
    resourceLimits: RESOURCE_LIMITS,
  })
  let progress: readonly JobProgress[] = []
  let told: JobOutcome | undefined
  worker.on('message', (message: JobMessage) => {
    if ('progress' in message) progress = message.progress
    else told = isTooLarge(message) ? { fault: 'the result is too large to be kept: ask for a shorter time' } : message
  })
  worker.on('error', (error) => {
    told = { fault: 'internal error', error }
  })
  worker.on('exit', () => resolve(told ?? 'stopped'))
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
