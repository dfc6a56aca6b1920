import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { restoreBackupFile } from '../../database/backup/backup-file.ts'
import type { RestoredBackup } from '../../database/backup/restore.ts'
import type { Db } from '../../database/db/transaction.ts'
import { count } from '../../text.ts'
import { withNewDatabase } from '../database.ts'
import { printJson, printLine } from '../output/print.ts'
import { showRows } from '../output/progress.ts'
import { type Verified, verifyDatabase } from './ledger-verify.ts'

type RestoreOptions = Readonly<{ verify?: true; drill?: true; json?: true }>

/** `laurel restore`: fills an empty database with a backup. Errors: OperatorError if it is not empty, or the file is damaged; CommandFailed. */
export async function restoreDatabase(path: string, { verify, drill, json }: RestoreOptions): Promise<void> {
  if (drill) {
    const { backup, ...verified } = await drillRestore(path)
    if (json) return printJson({ as_of: backup.head.at, rows: backup.rows, verified: verified.document })
    printLine`${count(backup.rows, 'row')} as of ${backup.head.at}: restored, verified and deleted again`
    return printLine`${verified.text}`
  }
  const config = readConfig()
  const { backup, verified } = await withNewDatabase(config, async (db) => ({
    backup: await restored(db, path),
    verified: verify ? await verifyDatabase(db) : undefined,
  }))
  const { head, rows } = backup
  if (json) return printJson({ as_of: head.at, rows, ...(verified && { verified: verified.document }) })
  printLine`restored: ${count(rows, 'row')}, as of ${head.at}`
  if (verified) printLine`${verified.text}`
  printLine`tokens that were revoked since then are valid again: see laurel token list`
}

/** Restores a backup into a temporary database, verifies its ledger, and deletes it. Errors: OperatorError; CommandFailed with the differences. */
export async function drillRestore(path: string): Promise<Verified & Readonly<{ backup: RestoredBackup }>> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-drill-'))
  try {
    const config = { ...readConfig(), databaseUrl: undefined, dataDirectory: directory }
    return await withNewDatabase(config, async (db) => {
      const backup = await restored(db, path)
      return { backup, ...(await verifyDatabase(db)) }
    })
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function restored(db: Db, path: string): Promise<RestoredBackup> {
  const progress = showRows()
  return restoreBackupFile(db, path, progress.ofTable).finally(progress.stop)
}
