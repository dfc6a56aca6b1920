import type { JobOutcome, JobThread } from './start-thread.ts'
import type { ClaimedJob, JobEnding, JobHeartbeat } from './store.ts'

/** A job that this process runs. */
export type RunningJob = {
  readonly job: ClaimedJob
  /** When it began, RFC 3339. */
  readonly now: string
  /** Aborts the copy of the database that is made for it. */
  readonly copying: AbortController
  /** Undefined until the copy is made. */
  thread: JobThread | undefined
  snapshot: Readonly<{ at: string; pauseMs?: number }> | undefined
  isCancelled: boolean
}

/** Stops a job, whether it is running or its database is being copied. */
export async function stopJob({ copying, thread }: RunningJob): Promise<void> {
  copying.abort()
  await thread?.stop()
}

/** What a job's process reports of it. */
export function heartbeatOf({ thread, snapshot }: RunningJob): JobHeartbeat {
  const progress = JSON.stringify(thread?.progress() ?? [])
  return { progress, snapshotAt: snapshot?.at, pauseMs: snapshot?.pauseMs }
}

/** How a job ends after this outcome: one that was stopped was either cancelled, or its process is ending, or it was taken away from it. */
export function endingOf(outcome: JobOutcome, isCancelled: boolean): Pick<JobEnding, 'state' | 'result' | 'error'> {
  if (outcome === 'stopped') return { state: isCancelled ? 'cancelled' : 'interrupted' }
  return 'result' in outcome ? { state: 'done', result: outcome.result } : { state: 'failed', error: outcome.fault }
}
