import { statSync } from 'node:fs'
import project from '../../../package.json' with { type: 'json' }
import { withBackupText, writeBackupFile } from '../../database/backup/backup-file.ts'
import { noteBackup } from '../../database/backup/last-backup.ts'
import { seal } from '../../database/backup/sealed.ts'
import type { Db } from '../../database/db/transaction.ts'
import { OperatorError } from '../../errors.ts'
import { lowerPriority } from '../../low-priority.ts'
import { count } from '../../text.ts'
import { withDatabase } from '../database.ts'
import { assertNewFile, megabytes, STANDARD_OUTPUT, takeJobFile } from '../output/new-file.ts'
import { noteLine, printChunks, printJson, printLine } from '../output/print.ts'
import { countingRows } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'
import { drillRestore } from './restore-database.ts'

type Backup = Readonly<{ at: string; rows: number }>

const NOTE_TIMEOUT_MS = 10_000

/** `laurel backup`: everything in the database as one file, while the service runs. Errors: OperatorError if the file exists or cannot be written. */
export async function backupDatabase(
  path: string,
  { verify, json }: Readonly<{ verify?: true; json?: true }>,
): Promise<void> {
  const isFile = path !== STANDARD_OUTPUT
  if (!isFile && (verify || json)) throw new OperatorError('--verify and --json need a file')
  assertNewFile(path)
  const { at, rows } = await countingRows(
    async (onRows) => (await backupOfService(path, onRows)) ?? (await backupDirectly(path, onRows)),
  )
  if (!isFile) return noteLine`${count(rows, 'row')}, as of ${at}`
  const verified = verify ? await drillRestore(path) : undefined
  const bytes = statSync(path).size
  if (json) return printJson({ file: path, at, rows, bytes, ...(verified && { verified }) })
  printLine`${path}: ${count(rows, 'row')}, ${megabytes(bytes)}, as of ${at}`
  if (verified) printLine`restored and verified: ${verified.text}`
}

/** The service that holds the embedded database writes the file, from a copy; undefined if there is none. */
async function backupOfService(path: string, onRows: (rows: number) => void): Promise<Backup | undefined> {
  const result = await runAsJob('backup', {}, (progress) => onRows(progress('rows').done))
  if (result === undefined) return undefined
  const { file, at, tables } = result
  await takeJobFile(file, path)
  return { at, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

async function backupDirectly(path: string, onProgress: (rows: number) => void): Promise<Backup> {
  lowerPriority('job')
  let rows = 0
  const at = new Date().toISOString()
  const onRows = (done: number) => {
    rows = done
    onProgress(done)
  }
  const options = { laurel: project.version, at, onRows }
  await withDatabase(async (db) => {
    if (path === STANDARD_OUTPUT) await withBackupText(db, options, (text) => printChunks(seal(text)))
    else await writeBackupFile(db, path, options)
    await note(db, at)
  })
  return { at, rows }
}

/** The file is there, whether or not the database learns of it: it may be read-only. */
async function note(db: Db, at: string): Promise<void> {
  await db.transaction((tx) => noteBackup(tx, at), performance.now() + NOTE_TIMEOUT_MS).catch(() => undefined)
}
