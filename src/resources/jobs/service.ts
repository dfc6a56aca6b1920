/*
 * What can be done with jobs; job-runner.ts runs them.
 */
import { randomBytes } from 'node:crypto'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { shortened, shown } from '../../engine/ingest/shown.ts'
import { InvalidInput, NotFound, TooManyRequests, Unavailable } from '../../errors.ts'
import { findBackfill } from '../../ledger/tallies.ts'
import type { Scope } from '../../scopes.ts'
import type { JobKind } from './job-kind.ts'
import { findJobKind } from './kinds/index.ts'
import { JOB_KIND_NAMES } from './kinds/names.ts'
import {
  cancelStoredJob,
  countWaitingJobs,
  findJob,
  findLastJob,
  insertJob,
  lockJobs,
  pruneJobs,
  type StoredJob,
  type StoredJobResult,
  selectJobs,
} from './store.ts'

const WAITING_MAX = 10
/** Nobody may fill the queue for everybody. */
const WAITING_OF_TOKEN_MAX = 4
const KEPT_MAX = 50
const KEPT_DAYS = 7
const DAY_MS = 86_400_000

/** The kind of job requested in `data`. Errors: InvalidInput. */
export function requestedJobKind(data: unknown): JobKind {
  const { kind } = (data ?? {}) as { kind?: unknown }
  const jobKind = typeof kind === 'string' ? findJobKind(kind) : undefined
  if (jobKind === undefined)
    throw new InvalidInput('data.kind', `expected one of ${JOB_KIND_NAMES.join(', ')}, got ${shown(kind)}`)
  return jobKind
}

/** A job that is asked for; `request` is JSON. */
export type RequestedJob = Readonly<{ kind: string; request: string }>

/** The job requested in `data`, which is unvalidated input, at a moment by a caller with these scopes. Errors: InvalidInput. */
export function readRequestedJob(data: unknown, at: Date, scopes: ReadonlySet<Scope>): RequestedJob {
  const request = JSON.stringify(requestedJobKind(data).requestIn(data, at, { scopes }))
  return { kind: (data as { kind: string }).kind, request }
}

/**
 * Queues a job, and deletes old results. `by` is the id of the caller's token. Returns the job's id.
 * Errors: TooManyRequests if too many jobs of the token are waiting; Unavailable, also if too many are waiting in all.
 */
export async function startJob(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { kind, request }: RequestedJob,
  by: string,
  deadlineAt: number,
): Promise<string> {
  const at = now()
  const id = randomBytes(6).toString('hex')
  await db.transaction(async (tx) => {
    await lockJobs(tx)
    // Counted with its own row, which is there already if this runs again after a COMMIT of unknown outcome.
    await insertJob(tx, { id, kind, request, by, at: at.toISOString() })
    const { waiting, ofToken } = await countWaitingJobs(tx, by)
    if (ofToken > WAITING_OF_TOKEN_MAX)
      throw new TooManyRequests(
        `job queue of this token is full (${WAITING_OF_TOKEN_MAX}): cancel one or retry later`,
        60,
      )
    if (waiting > WAITING_MAX)
      throw new Unavailable(`job queue is full (${WAITING_MAX}): cancel one or retry later`, { retryAfterS: 60 })
    await pruneJobs(tx, KEPT_MAX, new Date(at.getTime() - KEPT_DAYS * DAY_MS).toISOString())
  }, deadlineAt)
  return id
}

/** All stored jobs, newest first. Errors: Unavailable. */
export async function listJobs({ db }: Pick<Deps, 'db'>, deadlineAt: number): Promise<StoredJob[]> {
  return selectJobs(readerOf(db, deadlineAt))
}

/** A job with its result. Errors: NotFound, Unavailable. */
export async function showJob({ db }: Pick<Deps, 'db'>, id: string, deadlineAt: number): Promise<StoredJobResult> {
  const job = await findJob(readerOf(db, deadlineAt), id)
  if (job === undefined) throw new NotFound(`job ${shortened(id)} not found`)
  return job
}

/** Cancels a job: a waiting one at once, a running one within a second; one that has ended stays as it is. Errors: Unavailable. */
export async function cancelJob({ db, now }: Pick<Deps, 'db' | 'now'>, id: string, deadlineAt: number): Promise<void> {
  await db.transaction((tx) => cancelStoredJob(tx, id, now().toISOString()), deadlineAt)
}

/** How often a service checks whether there are entries left to count that no job is counting. */
export const BACKFILL_CHECK_MS = 5_000

const TIMEOUT_MS = 10_000
const AGAIN_AFTER_MS = 3_600_000

/**
 * Queues the job that counts older entries, if there are any left; not while one is queued or running, not after somebody has cancelled it, and
 * only an hour after a failure. Errors: Unavailable.
 */
export async function requestBackfill(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  const reader = readerOf(deps.db, deadlineAt)
  if ((await findBackfill(reader)) === undefined) return
  const last = await findLastJob(reader, 'backfill')
  const againFrom = new Date(deps.now().getTime() - AGAIN_AFTER_MS).toISOString()
  const isDue =
    last === undefined ||
    last.state === 'interrupted' ||
    last.state === 'done' ||
    (last.state === 'failed' && last.ended_at! < againFrom)
  if (isDue) await startJob(deps, readRequestedJob({ kind: 'backfill' }, deps.now(), new Set()), 'service', deadlineAt)
}
