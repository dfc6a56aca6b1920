import { readerOf } from '../../database/db/reader.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { findJob, type StoredJob, type StoredJobResult, selectJobs } from './store.ts'

/** All stored jobs, newest first. Errors: Unavailable. */
export async function listJobs({ db }: Pick<Deps, 'db'>, deadlineAt: number): Promise<StoredJob[]> {
  return selectJobs(readerOf(db, deadlineAt))
}

/** A job with its result. Errors: NotFound, Unavailable. */
export async function showJob({ db }: Pick<Deps, 'db'>, id: string, deadlineAt: number): Promise<StoredJobResult> {
  const job = await findJob(readerOf(db, deadlineAt), id)
  if (job === undefined) throw new NotFound(`there is no job ${shortened(id)}`)
  return job
}
