import { readerOf } from '../../store/db/reader.ts'
import { findLastJob } from '../../store/jobs.ts'
import { findBackfill } from '../../store/statistics.ts'
import type { Deps } from '../deps.ts'
import { startJob } from '../start-job.ts'

/** How often a service looks whether there are entries to count that nobody counts. */
export const BACKFILL_LOOK_MS = 5_000

const TIMEOUT_MS = 10_000
const AGAIN_AFTER_MS = 3_600_000

/**
 * Asks for the job that counts them, where there are some: not where one is under way or somebody has cancelled it, and after one that failed an
 * hour later. Errors: Unavailable.
 */
export async function askForBackfill(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
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
  if (isDue) await startJob(deps, { kind: 'backfill' }, 'service', deadlineAt)
}
