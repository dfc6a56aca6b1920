import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job as it is listed. Moments are RFC 3339; `progress` is JSON. */
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

/** With what it found, as JSON. */
export type StoredJobResult = StoredJob & Readonly<{ result: string | null }>

export type NewJob = Readonly<{ id: string; kind: string; request: string; by: string; at: string }>

/** A job that a process has taken. */
export type ClaimedJob = Readonly<{ job_id: string; kind: string; request: string }>

/** How far a job has come. `snapshotAt` and `pauseMs` are of the copy that it reads. */
export type JobBeat = Readonly<{ progress: string; snapshotAt: string | undefined; pauseMs: number | undefined }>

export type JobEnding = Readonly<{
  state: 'done' | 'failed' | 'cancelled' | 'interrupted'
  at: string
  progress: string
  error?: string
  result?: string
}>

const insertSql = sqlFile('jobs-insert')
const listSql = sqlFile('jobs-list')
const findSql = sqlFile('jobs-find')
const openSql = sqlFile('jobs-open')
const lastOfKindSql = sqlFile('jobs-last-of-kind')
const claimSql = sqlFile('jobs-claim')
const beatSql = sqlFile('jobs-beat')
const endSql = sqlFile('jobs-end')
const cancelSql = sqlFile('jobs-cancel')
const interruptSql = sqlFile('jobs-interrupt')
const pruneSql = sqlFile('jobs-prune')

/** Adds a job that waits; `request` is JSON. */
export async function insertJob(tx: Queryable, { id, kind, request, by, at }: NewJob): Promise<void> {
  await tx.query(insertSql, [id, kind, request, by, at])
}

/** Every job that is kept, newest first. */
export async function selectJobs(db: Queryable): Promise<StoredJob[]> {
  return db.query<StoredJob>(listSql)
}

/** A job with its result; undefined where it is not kept. */
export async function findJob(db: Queryable, id: string): Promise<StoredJobResult | undefined> {
  return (await db.query<StoredJobResult>(findSql, [id]))[0]
}

/** How many jobs wait, and how many run. */
export async function countOpenJobs(db: Queryable): Promise<Readonly<{ waiting: number; running: number }>> {
  return (await db.query<{ waiting: number; running: number }>(openSql))[0]!
}

/** How the job of a kind that was asked for last stands; `ended_at` is RFC 3339. Undefined where none is kept. */
export async function findLastJob(
  db: Queryable,
  kind: string,
): Promise<Pick<StoredJob, 'state' | 'ended_at'> | undefined> {
  return (await db.query<Pick<StoredJob, 'state' | 'ended_at'>>(lastOfKindSql, [kind]))[0]
}

/** Lets no other transaction begin a job until this one has ended. */
export async function lockJobs(tx: Queryable): Promise<void> {
  await tx.query('lock table jobs in share row exclusive mode')
}

/** Takes the next job for a process; undefined while one runs or none waits. */
export async function claimJob(tx: Queryable, runner: string, at: string): Promise<ClaimedJob | undefined> {
  return (await tx.query<ClaimedJob>(claimSql, [runner, at]))[0]
}

/** Notes how far a job has come. Answers whether it is to end: somebody has cancelled it, or it is not this process's any more. */
export async function beatJob(
  tx: Queryable,
  id: string,
  runner: string,
  beat: JobBeat,
): Promise<'go-on' | 'cancelled'> {
  const { progress, snapshotAt = null, pauseMs = null } = beat
  const [mine] = await tx.query<{ is_cancelled: boolean }>(beatSql, [id, runner, progress, snapshotAt, pauseMs])
  return mine?.is_cancelled === false ? 'go-on' : 'cancelled'
}

/** Ends the job that `runner` runs; nothing happens where it is no longer its own. */
export async function endJob(tx: Queryable, id: string, runner: string, ending: JobEnding): Promise<void> {
  const { state, at, progress, error = null, result = null } = ending
  await tx.query(endSql, [id, runner, state, at, progress, error, result])
}

/** Ends a job that waits, and tells the process of one that runs. */
export async function cancelStoredJob(tx: Queryable, id: string, at: string): Promise<void> {
  await tx.query(cancelSql, [id, at])
}

/** Marks jobs whose process has not been heard of for so long; undefined: every one that runs. Answers how many. */
export async function interruptJobs(tx: Queryable, at: string, silentS: number | undefined): Promise<number> {
  return (await tx.query(interruptSql, [at, silentS ?? null])).length
}

/** Deletes ended jobs but the newest ones, and those that ended before a moment. */
export async function pruneJobs(tx: Queryable, keep: number, from: string): Promise<void> {
  await tx.query(pruneSql, [keep, from])
}
