import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job as listed. Moments are RFC 3339; `progress` is JSON. */
export type StoredJob = Readonly<{
  job_id: string
  kind: string
  state: JobState
  asked_by: string
  asked_at: string
  began_at: string | null
  ended_at: string | null
  snapshot_at: string | null
  pause_ms: number | null
  progress: string
  error: string | null
}>

/** A job with its result, as JSON. */
export type StoredJobResult = StoredJob & Readonly<{ result: string | null }>

export type NewJob = Readonly<{ id: string; kind: string; request: string; by: string; at: string }>

/** A job that a process has claimed; `runner` is the id of its claim. */
export type ClaimedJob = Readonly<{ job_id: string; kind: string; request: string; runner: string }>

/** The progress of a running job. `snapshotAt` and `pauseMs` describe the copy of the database that it reads. */
export type JobHeartbeat = Readonly<{ progress: string; snapshotAt: string | undefined; pauseMs: number | undefined }>

export type JobEnding = Readonly<{
  state: 'done' | 'failed' | 'cancelled' | 'interrupted'
  at: string
  error?: string
  result?: string
}>

const insertSql = sqlFile(import.meta.url, 'jobs-insert')
const listSql = sqlFile(import.meta.url, 'jobs-list')
const findSql = sqlFile(import.meta.url, 'jobs-find')
const waitingSql = sqlFile(import.meta.url, 'jobs-waiting')
const openSql = sqlFile(import.meta.url, 'jobs-open')
const lastOfKindSql = sqlFile(import.meta.url, 'jobs-last-of-kind')
const claimSql = sqlFile(import.meta.url, 'jobs-claim')
const heartbeatSql = sqlFile(import.meta.url, 'jobs-heartbeat')
const endSql = sqlFile(import.meta.url, 'jobs-end')
const cancelSql = sqlFile(import.meta.url, 'jobs-cancel')
const interruptSql = sqlFile(import.meta.url, 'jobs-interrupt')
const pruneSql = sqlFile(import.meta.url, 'jobs-prune')

/** Queues a job; `request` is JSON. */
export async function insertJob(tx: Queryable, { id, kind, request, by, at }: NewJob): Promise<void> {
  await tx.query(insertSql, [id, kind, request, by, at])
}

/** All stored jobs, newest first. */
export async function selectJobs(db: Queryable): Promise<StoredJob[]> {
  return db.query<StoredJob>(listSql)
}

/** A job with its result; undefined if it is not stored. */
export async function findJob(db: Queryable, id: string): Promise<StoredJobResult | undefined> {
  return (await db.query<StoredJobResult>(findSql, [id]))[0]
}

/** How many jobs are waiting, and how many are running. */
export async function countOpenJobs(db: Queryable): Promise<Readonly<{ waiting: number; running: number }>> {
  return (await db.query<{ waiting: number; running: number }>(openSql))[0]!
}

/** How many jobs wait, and how many of them the token `by` has asked for. */
export async function countWaitingJobs(
  db: Queryable,
  by: string,
): Promise<Readonly<{ waiting: number; ofToken: number }>> {
  return (await db.query<{ waiting: number; ofToken: number }>(waitingSql, [by]))[0]!
}

/** The state of the most recently requested job of a kind; `ended_at` is RFC 3339. Undefined if none is stored. */
export async function findLastJob(
  db: Queryable,
  kind: string,
): Promise<Pick<StoredJob, 'state' | 'ended_at'> | undefined> {
  return (await db.query<Pick<StoredJob, 'state' | 'ended_at'>>(lastOfKindSql, [kind]))[0]
}

/** Prevents other transactions from writing jobs until this one ends. */
export async function lockJobs(tx: Queryable): Promise<void> {
  await tx.query('lock table jobs in share row exclusive mode')
}

/** Claims the next job; undefined if one is running or none is waiting. Another call with the same `claim` (any unique id) returns the same job. */
export async function claimJob(tx: Queryable, claim: string, at: string): Promise<ClaimedJob | undefined> {
  return (await tx.query<ClaimedJob>(claimSql, [claim, at]))[0]
}

/**
 * Records a job's progress, and that its process is alive. Returns `cancelled` if someone has cancelled it, and `lost` if it no longer belongs to
 * its claim: it has ended, or another process has marked it as interrupted.
 */
export async function recordHeartbeat(
  tx: Queryable,
  { job_id, runner }: ClaimedJob,
  heartbeat: JobHeartbeat,
): Promise<'running' | 'cancelled' | 'lost'> {
  const { progress, snapshotAt = null, pauseMs = null } = heartbeat
  const params = [job_id, runner, progress, snapshotAt, pauseMs]
  const [row] = await tx.query<{ is_cancelled: boolean }>(heartbeatSql, params)
  if (row === undefined) return 'lost'
  return row.is_cancelled ? 'cancelled' : 'running'
}

/** Ends a job. Returns false, and does nothing, if it no longer belongs to its claim: another process has marked it as interrupted. */
export async function endJob(tx: Queryable, { job_id, runner }: ClaimedJob, ending: JobEnding): Promise<boolean> {
  const { state, at, error = null, result = null } = ending
  return (await tx.query(endSql, [job_id, runner, state, at, error, result])).length > 0
}

/** Cancels a job: ends it if it is waiting, flags it for its process if it is running. */
export async function cancelStoredJob(tx: Queryable, id: string, at: string): Promise<void> {
  await tx.query(cancelSql, [id, at])
}

/** Marks running jobs as interrupted if their process has been silent for `silentS` seconds; undefined: all running jobs. Returns how many. */
export async function interruptJobs(tx: Queryable, at: string, silentS: number | undefined): Promise<number> {
  return (await tx.query(interruptSql, [at, silentS ?? null])).length
}

/** Deletes ended jobs except the newest `keep`, and any that ended before `from` (RFC 3339). */
export async function pruneJobs(tx: Queryable, keep: number, from: string): Promise<void> {
  await tx.query(pruneSql, [keep, from])
}
