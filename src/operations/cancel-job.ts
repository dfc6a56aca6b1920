import { cancelStoredJob } from '../store/jobs.ts'
import type { Deps } from './deps.ts'

/** Ends a job that waits, and has the one that runs ended within a second; one that has ended stays as it is. Errors: Unavailable. */
export async function cancelJob({ db, now }: Pick<Deps, 'db' | 'now'>, id: string, deadlineAt: number): Promise<void> {
  await db.transaction((tx) => cancelStoredJob(tx, id, now().toISOString()), deadlineAt)
}
