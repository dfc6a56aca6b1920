import type { Deps } from '../../shared/deps.ts'
import { cancelStoredJob } from './store.ts'

/** Cancels a job: a waiting one at once, a running one within a second; one that has ended stays as it is. Errors: Unavailable. */
export async function cancelJob({ db, now }: Pick<Deps, 'db' | 'now'>, id: string, deadlineAt: number): Promise<void> {
  await db.transaction((tx) => cancelStoredJob(tx, id, now().toISOString()), deadlineAt)
}
