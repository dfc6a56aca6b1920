/*
 * Runs waiting jobs, one at a time across all processes of a database (docs/decisions/0125-jobs.md).
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSerialQueue } from '../../bulk/serial-queue.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { DatabaseLocation } from './job-kind.ts'
import { findJobKind } from './kinds/index.ts'
import { repeat } from './repeat.ts'
import { type JobOutcome, type JobThread, runJobInProcess, startJobThread } from './start-thread.ts'
import {
  type ClaimedJob,
  claimJob,
  countOpenJobs,
  endJob,
  interruptJobs,
  type JobEnding,
  type JobHeartbeat,
  lockJobs,
  recordHeartbeat,
} from './store.ts'

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

export type JobRunner = Readonly<{
  /** Checks at once for work, and whether the running job was cancelled. */
  wake: () => void
  /** Stops; a running job is interrupted. */
  close: () => Promise<void>
}>

const BEAT_MS = 1_000
const TIMEOUT_MS = 10_000
/** A process that has sent no heartbeat for this long is dead, or cannot reach its database. */
const SILENT_S = 30
const COPY_TIMEOUT_MS = 10 * 60_000

/** `place` is the location of the database: its server, or its data directory. */
export function openJobRunner(
  { db, now, observe, predictions }: Pick<Deps, 'db' | 'now' | 'observe' | 'predictions'>,
  place: DatabaseLocation,
): JobRunner {
  const inTurn = createSerialQueue()
  const copy = 'directory' in place ? join(place.directory, 'job-snapshot') : undefined
  /** A claim that has not been answered: it may have succeeded. */
  let claimId: string | undefined
  let running: RunningJob | undefined
  let ended: Promise<void> | undefined
  let isClosed = false
  // A killed process may have left its copy behind; no other process uses this directory.
  let isFirst = true

  const failed = (error: unknown, job = running?.job) =>
    observe({ kind: 'job-failed', jobId: job?.job_id, job: job?.kind, error })
  const moment = () => now().toISOString()
  const soon = () => performance.now() + TIMEOUT_MS

  async function step(): Promise<void> {
    if (isClosed) return
    if (running !== undefined) return beat(running)
    if (isFirst) await removeCopy()
    const open = await countOpenJobs(readerOf(db, soon()))
    // If no other process can write, a running job belongs to a process that is gone; unless it is the one of our own claim.
    if (open.running > 0 && claimId === undefined)
      await db.transaction((tx) => interruptJobs(tx, moment(), db.hasOtherWriters ? SILENT_S : undefined), soon())
    isFirst = false
    if (open.waiting === 0 && claimId === undefined) return
    const job = await claimNext()
    if (job === undefined) return
    running = {
      ...{ job, now: moment(), copying: new AbortController() },
      ...{ thread: undefined, snapshot: undefined, isCancelled: false },
    }
    ended = run(running).catch((error) => failed(error, job))
  }

  /** Claims the next job. A claim is repeated until it is answered, but never afterwards: a job whose end cannot be stored must not begin again. */
  async function claimNext(): Promise<ClaimedJob | undefined> {
    claimId ??= randomUUID()
    const id = claimId
    const job = await db.transaction(async (tx) => {
      await lockJobs(tx)
      return claimJob(tx, id, moment())
    }, soon())
    claimId = undefined
    return job
  }

  async function beat(current: RunningJob): Promise<void> {
    const answer = await db.transaction((tx) => recordHeartbeat(tx, current.job, heartbeatOf(current)), soon())
    if (answer === 'running') return
    if (answer === 'cancelled') current.isCancelled = true
    await stopJob(current)
  }

  async function run(current: RunningJob): Promise<void> {
    try {
      const outcome = await outcomeOf(current)
      await removeCopy().catch(failed)
      await finish(current, outcome)
    } finally {
      running = undefined
      ended = undefined
      if (!isClosed) wake()
    }
  }

  async function outcomeOf(current: RunningJob): Promise<JobOutcome> {
    const { job, copying } = current
    try {
      const request = JSON.parse(job.request) as unknown
      const kind = findJobKind(job.kind)
      // On PostgreSQL a newer version may have queued it.
      if (kind === undefined) return { fault: `this version knows no job of the kind ${job.kind}` }
      const from = kind.worksOn === 'snapshot' ? await snapshotFor(current) : place
      if (isClosed || copying.signal.aborted) return 'stopped'
      current.thread =
        kind.worksOn === 'service'
          ? runJobInProcess(kind, request, db, current.now)
          : startJobThread({ kind: job.kind, request, now: current.now, place: from })
      return await current.thread.outcome
    } catch (error) {
      if (copying.signal.aborted) return 'stopped'
      const isForCaller = error instanceof OperatorError || error instanceof Unavailable
      return isForCaller ? { fault: error.message } : { fault: 'internal error', error }
    }
  }

  /** Where the job reads. The embedded database is copied for it, which briefly blocks everyone else. */
  async function snapshotFor(current: RunningJob): Promise<DatabaseLocation> {
    // Predictions made a moment ago must be in the snapshot.
    await predictions.flushAll()
    if (copy === undefined) {
      current.snapshot = { at: moment() }
      return place
    }
    const pauseMs = await db.copyTo(copy, performance.now() + COPY_TIMEOUT_MS, current.copying.signal)
    current.snapshot = { at: moment(), pauseMs: Math.round(pauseMs) }
    return { directory: copy }
  }

  async function finish(current: RunningJob, outcome: JobOutcome): Promise<void> {
    if (outcome !== 'stopped' && 'error' in outcome) failed(outcome.error)
    const { job, snapshot } = current
    const ending = { ...endingOf(outcome, current.isCancelled), at: moment() }
    // The result may be an hour's work, and the job is ours for as long as we may be silent.
    const deadlineAt = isClosed ? soon() : performance.now() + SILENT_S * 1_000
    const isStored = await db.transaction(async (tx) => {
      // A short job may end before its first heartbeat.
      await recordHeartbeat(tx, job, heartbeatOf(current))
      return endJob(tx, job, ending)
    }, deadlineAt)
    const state = isStored ? ending.state : 'interrupted'
    observe({ kind: 'job-ended', jobId: job.job_id, job: job.kind, state, pauseMs: snapshot?.pauseMs })
  }

  async function removeCopy(): Promise<void> {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true, maxRetries: 3 })
  }

  const wake = () => void inTurn(step).catch(failed)
  const stopSteps = repeat(() => inTurn(step), BEAT_MS, failed)
  return {
    wake,
    close: async () => {
      isClosed = true
      // First, because a step may be waiting for the copy.
      if (running !== undefined) await stopJob(running)
      await stopSteps()
      // A step that `wake` began may be claiming a job.
      await inTurn(async () => undefined)
      if (running !== undefined) await stopJob(running)
      await ended
    },
  }
}
