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
import { jobFilesIn, tidyJobFiles } from './job-files.ts'
import type { DatabaseLocation } from './job-kind.ts'
import { findJobKind } from './kinds/index.ts'
import { repeat } from './repeat.ts'
import {
  heartbeatOf,
  nextState,
  type OwnJob,
  type PreparingState,
  type RunnerEvent,
  type RunnerState,
  toJobEnding,
} from './runner-state.ts'
import { type JobOutcome, runJobInProcess, startJobThread } from './start-thread.ts'
import { claimJob, countOpenJobs, endJob, interruptJobs, lockJobs, recordHeartbeat } from './store.ts'

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
  const queue = createSerialQueue()
  const copy = 'directory' in place ? join(place.directory, 'job-snapshot') : undefined
  const files = 'directory' in place ? jobFilesIn(place.directory) : undefined
  let state: RunnerState = { name: 'starting' }
  /** Beside the states, because it may begin in each of them; then no step begins any more. */
  let isClosing = false
  /** The run of the latest job; it never rejects. */
  let ended = Promise.resolve()

  const apply = (event: RunnerEvent) => {
    state = nextState(state, event)
    return state
  }
  const currentJob = () => ('own' in state ? state.own : undefined)
  const failed = (error: unknown, job = currentJob()?.job) =>
    observe({ kind: 'job-failed', jobId: job?.job_id, job: job?.kind, error })
  const nowText = () => now().toISOString()
  const soon = () => performance.now() + TIMEOUT_MS

  /** Looks once for what there is to do: for a job of ours, or for a job. Steps run one after the other. */
  async function step(): Promise<void> {
    if (isClosing) return
    if ('own' in state) return beat(state.own)
    // No other process uses this directory.
    if (state.name === 'starting') await Promise.all([copy, files].map(remove))
    const open = await countOpenJobs(readerOf(db, soon()))
    // If no other process can write, a running job belongs to a process that is gone; unless it is the one of our own claim.
    if (open.running > 0 && state.name !== 'claiming')
      await db.transaction((tx) => interruptJobs(tx, nowText(), db.hasOtherWriters ? SILENT_S : undefined), soon())
    apply({ name: 'looked' })
    if (open.waiting > 0 || state.name === 'claiming') await claimNext()
  }

  /** Claims the next job, and begins it without waiting for its end. */
  async function claimNext(): Promise<void> {
    const claiming = apply({ name: 'claim', newId: randomUUID() })
    if (claiming.name !== 'claiming') return
    const job = await db.transaction(async (tx) => {
      await lockJobs(tx)
      return claimJob(tx, claiming.claimId, nowText())
    }, soon())
    const preparing = apply({ name: 'claimed', job, now: nowText() })
    if (preparing.name === 'preparing') ended = run(preparing).catch((error) => failed(error, job))
  }

  async function beat(own: OwnJob): Promise<void> {
    const response = await db.transaction((tx) => recordHeartbeat(tx, own.job, heartbeatOf(own)), soon())
    if (response !== 'running') await stop(response === 'cancelled' ? 'cancelled' : 'interrupted')
  }

  /** Stops our job, whether it is running or its database is being copied. */
  async function stop(as: 'cancelled' | 'interrupted'): Promise<void> {
    const before = state
    apply({ name: 'stop', as })
    if (before.name === 'preparing') before.copying.abort()
    if (before.name === 'running') await before.thread.stop()
  }

  async function run(preparing: PreparingState): Promise<void> {
    try {
      apply({ name: 'ended', outcome: await outcomeOf(preparing) })
      await remove(copy).catch(failed)
      await storeEnd(currentJob()!)
    } finally {
      apply({ name: 'over' })
      if (!isClosing) wake()
    }
  }

  async function outcomeOf(preparing: PreparingState): Promise<JobOutcome> {
    const { job, now } = preparing.own
    const isStopped = () => state.name === 'stopping'
    try {
      const request = JSON.parse(job.request) as unknown
      const kind = findJobKind(job.kind)
      // On PostgreSQL a newer version may have queued it.
      if (kind === undefined) return { issue: `unknown job kind ${job.kind} in this version` }
      const from = kind.worksOn === 'snapshot' ? await snapshotFor(preparing) : place
      if (files !== undefined) tidyJobFiles(files)
      if (isClosing || isStopped()) return 'stopped'
      const thread =
        kind.worksOn === 'service'
          ? runJobInProcess(kind, request, db, now)
          : startJobThread({ kind: job.kind, request, now, place: from, files })
      apply({ name: 'begun', thread })
      return await thread.outcome
    } catch (error) {
      if (isStopped()) return 'stopped'
      const isForCaller = error instanceof OperatorError || error instanceof Unavailable
      return isForCaller ? { issue: error.message } : { issue: 'internal error', error }
    }
  }

  /** Where the job reads. The embedded database is copied for it, which briefly blocks everyone else. */
  async function snapshotFor({ copying }: PreparingState): Promise<DatabaseLocation> {
    // Predictions made a moment ago must be in the snapshot.
    await predictions.flushAll()
    if (copy === undefined) {
      apply({ name: 'snapshot-made', snapshot: { at: nowText() } })
      return place
    }
    const pauseMs = await db.copyTo(copy, performance.now() + COPY_TIMEOUT_MS, copying.signal)
    apply({ name: 'snapshot-made', snapshot: { at: nowText(), pauseMs: Math.round(pauseMs) } })
    return { directory: copy }
  }

  /** Stores the end of our job: its result, or why it has none. */
  async function storeEnd(own: OwnJob): Promise<void> {
    if (state.name === 'storing' && 'error' in state.outcome) failed(state.outcome.error)
    const { job, snapshot } = own
    const ending = { ...toJobEnding(state), at: nowText() }
    // The result may be an hour's work, and the job is ours for as long as we may be silent.
    const deadlineAt = isClosing ? soon() : performance.now() + SILENT_S * 1_000
    const isStored = await db.transaction(async (tx) => {
      // A short job may end before its first heartbeat.
      await recordHeartbeat(tx, job, heartbeatOf(own))
      if (ending.state === 'done') await findJobKind(job.kind)?.noteDone?.(tx, snapshot?.at ?? ending.at)
      return endJob(tx, job, ending)
    }, deadlineAt)
    const endedAs = isStored ? ending.state : 'interrupted'
    observe({ kind: 'job-ended', jobId: job.job_id, job: job.kind, state: endedAs, pauseMs: snapshot?.pauseMs })
  }

  const wake = () => void queue(step).catch(failed)
  const stopSteps = repeat(() => queue(step), BEAT_MS, failed)
  return {
    wake,
    close: async () => {
      isClosing = true
      // First, because a step may be waiting for the copy.
      await stop('interrupted')
      await stopSteps()
      // A step that `wake` began may be claiming a job.
      await queue(async () => undefined)
      await stop('interrupted')
      await ended
    },
  }
}

async function remove(directory: string | undefined): Promise<void> {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 3 })
}
