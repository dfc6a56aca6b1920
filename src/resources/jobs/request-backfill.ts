import { readerOf } from '../../database/db/reader.ts'
import { findBackfill } from '../../ledger/tallies.ts'
import type { Deps } from '../../shared/deps.ts'
import { startJob } from './service.ts'
import { findLastJob } from './store.ts'

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
  if (isDue) await startJob(deps, { kind: 'backfill' }, 'service', deadlineAt)
}
