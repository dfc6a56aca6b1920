import { randomBytes } from 'node:crypto'
import { shown } from '../../engine/ingest/shown.ts'
import { InvalidInput, Unavailable } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import type { JobKind } from './job-kind.ts'
import { findJobKind, JOB_KIND_NAMES } from './kinds/index.ts'
import { countOpenJobs, insertJob, lockJobs, pruneJobs } from './store.ts'

const WAITING_MAX = 10
const KEPT_MAX = 50
const KEPT_DAYS = 7
const DAY_MS = 86_400_000

/** The kind of job requested in `data`. Errors: InvalidInput. */
export function requestedJobKind(data: unknown): JobKind {
  const { kind } = (data ?? {}) as { kind?: unknown }
  const found = typeof kind === 'string' ? findJobKind(kind) : undefined
  if (found === undefined)
    throw new InvalidInput('data.kind', `expected one of ${JOB_KIND_NAMES.join(', ')}, got ${shown(kind)}`)
  return found
}

/**
 * Queues a job, and deletes old results. `data` is unvalidated input; `by` is the id of the caller's token. Returns the job's id.
 * Errors: InvalidInput; Unavailable, also if too many jobs are waiting.
 */
export async function startJob(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<string> {
  const at = now()
  const request = JSON.stringify(requestedJobKind(data).requestIn(data, at))
  const { kind } = data as { kind: string }
  const id = randomBytes(6).toString('hex')
  await db.transaction(async (tx) => {
    await lockJobs(tx)
    // Counted with its own row, which is there already if this runs again after a COMMIT of unknown outcome.
    await insertJob(tx, { id, kind, request, by, at: at.toISOString() })
    const { waiting } = await countOpenJobs(tx)
    if (waiting > WAITING_MAX)
      throw new Unavailable(`${WAITING_MAX} jobs wait already: cancel one, or come again later`, { retryAfterS: 60 })
    await pruneJobs(tx, KEPT_MAX, new Date(at.getTime() - KEPT_DAYS * DAY_MS).toISOString())
  }, deadlineAt)
  return id
}
