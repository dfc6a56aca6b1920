import type { Db } from '../../database/db/transaction.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { JobKind } from './job-kind.ts'
import type { JobProgress } from './job-messages.ts'
import type { JobOutcome, JobThread } from './start-thread.ts'

/** Runs a job that writes in this process, on its database: a separate thread could not open the embedded one. */
export function runJobInProcess(kind: JobKind, request: unknown, db: Db, now: string): JobThread {
  let progress: readonly JobProgress[] = []
  let isStopped = false
  const report = (reported: readonly JobProgress[]) => {
    progress = reported
  }
  const context = { openDatabase: async () => db, server: undefined, now, report, isStopped: () => isStopped }
  const outcome = kind.run(request, context).then(
    (found): JobOutcome => (isStopped ? 'stopped' : { result: JSON.stringify(found) }),
    (error: unknown): JobOutcome =>
      error instanceof OperatorError || error instanceof Unavailable
        ? { fault: error.message }
        : { fault: 'internal error', error },
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
