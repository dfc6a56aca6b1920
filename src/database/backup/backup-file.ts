import { copyFileSync, createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError, Unavailable } from '../../errors.ts'
import { assertCurrent, findSchema } from '../db/migrate.ts'
import { useSnapshot } from '../db/shared-snapshot.ts'
import type { Db } from '../db/transaction.ts'
import { syncSync } from '../embedded/directory.ts'
import { type BackupHead, type OnRows, writeBackupText } from './backup-text.ts'
import { type RestoredBackup, restoreBackup } from './restore.ts'
import { seal, unseal } from './sealed.ts'
import { BACKUP_TABLES } from './tables.ts'

/**
 * What a backup is made with: `laurel` is the version of this code, `at` a moment before the snapshot (RFC 3339). `locks`: nobody else may write until
 * its end.
 */
export type BackupOptions = Readonly<{ laurel: string; at: string; onRows: OnRows; locks?: boolean }>

const TIMEOUT_MS = 24 * 3_600_000

/**
 * Calls `use` with the text of a backup: every table on one snapshot, while others may write. Returns its head. Errors: OperatorError if the schema is
 * not the one of this code; Unavailable, also if the connection was lost meanwhile; those of `use`.
 */
export async function withBackupText(
  db: Db,
  { laurel, at, onRows, locks = false }: BackupOptions,
  use: (text: AsyncIterable<string>) => Promise<void>,
): Promise<BackupHead> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  await assertCurrent(db, deadlineAt)
  const { version } = await findSchema(db, deadlineAt)
  const head: BackupHead = { format: 1, laurel, schemaVersion: version, at }
  let isUsed = false
  await db.transaction(async (tx) => {
    if (isUsed) throw new Unavailable('the connection was lost: try again')
    await useSnapshot(tx)
    // Before the first query, which takes the snapshot.
    if (locks) await tx.query(`lock table ${BACKUP_TABLES.join(', ')} in share mode`)
    isUsed = true
    await use(writeBackupText(tx, head, onRows))
  }, deadlineAt)
  return head
}

/**
 * Writes a backup to a new file that only its owner can read. The file appears once it is whole and on the disk. Errors: OperatorError if the file exists
 * or cannot be written; those of `withBackupText`.
 */
export async function writeBackupFile(db: Db, path: string, options: BackupOptions): Promise<BackupHead> {
  const unfinished = `${path}.unfinished`
  try {
    const head = await withBackupText(db, options, (text) =>
      pipeline(Readable.from(seal(text)), createWriteStream(unfinished, { mode: 0o600, flush: true })),
    )
    renameSync(unfinished, path)
    syncSync(dirname(path))
    return head
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished)
    throw fileError(path, error)
  }
}

/**
 * Moves a backup to where it is wanted, also to another disk. It appears there once it is whole and on the disk. Errors: OperatorError if it cannot be
 * written there.
 */
export function moveBackupFile(from: string, to: string): void {
  try {
    moveFile(from, to)
    syncSync(dirname(to))
  } catch (error) {
    throw fileError(to, error)
  }
}

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  const unfinished = `${to}.unfinished`
  try {
    copyFileSync(from, unfinished)
    syncSync(unfinished)
    renameSync(unfinished, to)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Restores a file, or standard input, into an empty database. Errors: as for `restoreBackup`; OperatorError if the file cannot be read. */
export async function restoreBackupFile(db: Db, path: string, onRows: OnRows): Promise<RestoredBackup> {
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

function fileError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : new OperatorError(`${path}: ${reasonOf(code)}`, { cause: error })
}

function reasonOf(code: string | undefined): string {
  if (code === 'ENOSPC') return 'the disk is full'
  return code === 'ENOENT' ? 'there is no such file or directory' : `it cannot be read or written (${code})`
}
