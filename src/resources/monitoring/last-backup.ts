import { findLastBackup } from '../../database/backup/last-backup.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'

/** How soon the metrics show a backup. */
export const LAST_BACKUP_MS = 30_000
const TIMEOUT_MS = 10_000

/** Reports to the metrics when the last backup was made. Errors: Unavailable. */
export async function reportLastBackup({ db, observe }: Pick<Deps, 'db' | 'observe'>): Promise<void> {
  const at = await findLastBackup(readerOf(db, performance.now() + TIMEOUT_MS))
  if (at !== undefined) observe({ kind: 'backup-found', at })
}
