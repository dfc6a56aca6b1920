/*
 * What a job runner is doing, as plain data, and how it gets from one state to the next. job-runner.ts does the work.
 *
 *   starting -> idle -> claiming -> preparing -> running -> storing -> idle
 *                ^         |            |           |                   ^
 *                '---------'            '-----------'----> stopping ----'
 */
import type { JobProgress } from './job-kind.ts'
import type { JobOutcome, JobThread } from './start-thread.ts'
import type { ClaimedJob, JobEnding, JobHeartbeat } from './store.ts'

/** A job that this process has claimed, and what it reports of it. */
export type OwnJob = Readonly<{
  job: ClaimedJob
  /** When it began, RFC 3339. */
  now: string
  progress: () => readonly JobProgress[]
  /** What it reads; absent until that exists, and for a job that reads no snapshot. */
  snapshot?: JobSnapshot
}>

/** The moment of a snapshot, RFC 3339, and for how long everyone waited for it; absent if nobody did. */
export type JobSnapshot = Readonly<{ at: string; pauseMs?: number }>

export type PreparingState = Readonly<{ name: 'preparing'; own: OwnJob; copying: AbortController }>

export type RunnerState = Readonly<
  /** Nothing has been read from the database yet. A killed process may have left its copy behind. */
  | { name: 'starting' }
  /** It has no job, and looks for one. */
  | { name: 'idle' }
  /** A claim has not been answered: it may have succeeded, so it is repeated under the same id until it is answered. */
  | { name: 'claiming'; claimId: string }
  /** It has a job that has not begun; the database may be being copied for it, which `copying` aborts. */
  | PreparingState
  /** The job computes. */
  | { name: 'running'; own: OwnJob; thread: JobThread }
  /** The job is to stop, or has stopped, without a result. */
  | { name: 'stopping'; own: OwnJob; as: 'cancelled' | 'interrupted' }
  /** The job has a result or has failed, which is to be stored. */
  | { name: 'storing'; own: OwnJob; outcome: Exclude<JobOutcome, 'stopped'> }
>

export type RunnerEvent = Readonly<
  /** The database has been read, and the jobs of dead processes have been interrupted. */
  | { name: 'looked' }
  /** A job is about to be claimed; `newId` is for a new claim. */
  | { name: 'claim'; newId: string }
  /** The claim was answered: with a job, or with none. */
  | { name: 'claimed'; job: ClaimedJob | undefined; now: string }
  | { name: 'snapshot-made'; snapshot: JobSnapshot }
  | { name: 'begun'; thread: JobThread }
  /** Somebody has cancelled the job; or this process is closing, or has lost the job to another one. */
  | { name: 'stop'; as: 'cancelled' | 'interrupted' }
  | { name: 'ended'; outcome: JobOutcome }
  /** Its end was stored, or could not be. It must not begin again in either case. */
  | { name: 'over' }
>

/** The state after an event. An event that comes too late, such as a cancellation of a job that has ended, changes nothing. */
export function nextState(state: RunnerState, event: RunnerEvent): RunnerState {
  switch (event.name) {
    case 'looked':
      return state.name === 'starting' ? { name: 'idle' } : state
    case 'claim':
      return state.name === 'idle' ? { name: 'claiming', claimId: event.newId } : state
    case 'claimed':
      return state.name === 'claiming' ? afterClaim(event.job, event.now) : state
    case 'snapshot-made':
      // Even if the job was stopped meanwhile: everyone has waited for its copy, and is told for how long.
      return 'own' in state ? { ...state, own: { ...state.own, snapshot: event.snapshot } } : state
    case 'begun':
      return state.name === 'preparing' ? afterBegin(state.own, event.thread) : state
    case 'stop':
      return afterStop(state, event.as)
    case 'ended':
      return 'own' in state ? afterEnd(state, event.outcome) : state
    case 'over':
      return 'own' in state ? { name: 'idle' } : state
  }
}

function afterClaim(job: ClaimedJob | undefined, now: string): RunnerState {
  if (job === undefined) return { name: 'idle' }
  return { name: 'preparing', own: { job, now, progress: () => [] }, copying: new AbortController() }
}

function afterBegin(own: OwnJob, thread: JobThread): RunnerState {
  return { name: 'running', own: { ...own, progress: thread.progress }, thread }
}

function afterStop(state: RunnerState, as: 'cancelled' | 'interrupted'): RunnerState {
  if (state.name === 'preparing' || state.name === 'running') return { name: 'stopping', own: state.own, as }
  // A process that is closing may still learn that somebody has cancelled its job.
  return state.name === 'stopping' && as === 'cancelled' ? { ...state, as } : state
}

/** A result that came before the job was stopped counts. */
function afterEnd(state: Extract<RunnerState, { own: OwnJob }>, outcome: JobOutcome): RunnerState {
  if (outcome !== 'stopped') return { name: 'storing', own: state.own, outcome }
  // A thread may also end by itself, without a result.
  return afterStop(state, 'interrupted')
}

/** How to store the end of a job that has ended. */
export function toJobEnding(state: RunnerState): Pick<JobEnding, 'state' | 'result' | 'error'> {
  if (state.name !== 'storing') return { state: state.name === 'stopping' ? state.as : 'interrupted' }
  const { outcome } = state
  return 'result' in outcome ? { state: 'done', result: outcome.result } : { state: 'failed', error: outcome.issue }
}

/** What a job's process reports of it. */
export function heartbeatOf({ progress, snapshot }: OwnJob): JobHeartbeat {
  return { progress: JSON.stringify(progress()), snapshotAt: snapshot?.at, pauseMs: snapshot?.pauseMs }
}
