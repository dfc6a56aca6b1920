import { createReadStream } from 'node:fs'
import { findSchema } from '../db/migrate.ts'
import { readWhole } from '../db/read-whole.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { type BackupHead, type OnRows, writeBackupText } from './backup-text.ts'
import { type RestoredBackup, restoreBackup } from './restore.ts'
import { seal, unseal } from './sealed.ts'
import { BACKUP_TABLES } from './tables.ts'
import { fileError, writeWholeFile } from './whole-file.ts'

/**
 * What a backup is made with: `laurel` is the version of this code, `at` a moment before the snapshot (RFC 3339). `locks`: nobody else may write until
 * its end.
 */
export type BackupOptions = Readonly<{ laurel: string; at: string; onRows: OnRows; locks?: boolean }>

const TIMEOUT_MS = 60_000

/** Returns what `use` makes of the text of a backup: every table on one snapshot, while others may write. Errors: as for `readWhole`; those of `use`. */
export async function withBackupText<T>(
  db: Db,
  { laurel, at, onRows, locks = false }: BackupOptions,
  use: (text: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const { version } = await findSchema(db, performance.now() + TIMEOUT_MS)
  const head: BackupHead = { format: 1, laurel, schemaVersion: version, at }
  const lockTables = async (tx: Tx) => void (await tx.query(`lock table ${BACKUP_TABLES.join(', ')} in share mode`))
  return readWhole(db, (tx) => use(writeBackupText(tx, head, onRows)), locks ? lockTables : undefined)
}

/** Writes a backup to a new file. Errors: as for `writeWholeFile` and `withBackupText`. */
export async function writeBackupFile(db: Db, path: string, options: BackupOptions): Promise<void> {
  await writeWholeFile(path, (write) => withBackupText(db, options, (text) => write(seal(text))))
}

/** Restores a file, or standard input, into an empty database. Errors: as for `restoreBackup`; OperatorError if the file cannot be read. */
export async function restoreBackupFile(db: Db, path: string, onRows: (rows: number) => void): Promise<RestoredBackup> {
  return await restoreBackup(db, backupFileText(path), onRows)
}

/** The text of a file, or of standard input. Errors: OperatorError if it cannot be read; those of `unseal`. */
export async function* backupFileText(path: string): AsyncGenerator<string> {
  try {
    yield* unseal(path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 2 ** 20 }))
  } catch (error) {
    throw fileError(path, error)
  }
}
