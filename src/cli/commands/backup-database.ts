import { createReadStream, existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import project from '../../../package.json' with { type: 'json' }
import { readConfig } from '../../config.ts'
import { moveBackupFile, withBackupText, writeBackupFile } from '../../database/backup/backup-file.ts'
import { noteBackup } from '../../database/backup/last-backup.ts'
import { seal } from '../../database/backup/sealed.ts'
import type { Db } from '../../database/db/transaction.ts'
import { OperatorError } from '../../errors.ts'
import { jobFilesIn } from '../../resources/jobs/job-runner.ts'
import { count } from '../../text.ts'
import { withDatabase } from '../database.ts'
import { noteLine, printJson, printLine } from '../output/print.ts'
import { showRows } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'
import { drillRestore } from './restore-database.ts'

type Backup = Readonly<{ at: string; rows: number }>

const NOTE_TIMEOUT_MS = 10_000
const STANDARD_OUTPUT = '-'

/** `laurel backup`: everything in the database as one file, while the service runs. Errors: OperatorError if the file exists or cannot be written. */
export async function backupDatabase(
  path: string,
  { verify, json }: Readonly<{ verify?: true; json?: true }>,
): Promise<void> {
  const isFile = path !== STANDARD_OUTPUT
  if (!isFile && (verify || json)) throw new OperatorError('--verify and --json need a file')
  if (isFile && existsSync(path)) throw new OperatorError(`${path} exists: choose another name`)
  const { at, rows } = await backup(path)
  if (!isFile) return noteLine`${count(rows, 'row')}, as of ${at}`
  const verified = verify ? await drillRestore(path) : undefined
  const bytes = statSync(path).size
  if (json) return printJson({ file: path, at, rows, bytes, ...(verified && { verified }) })
  printLine`${path}: ${count(rows, 'row')}, ${megabytes(bytes)}, as of ${at}`
  if (verified) printLine`restored and verified: ${verified.text}`
}

async function backup(path: string): Promise<Backup> {
  const progress = showRows()
  try {
    return (await backupOfService(path, progress.total)) ?? (await backupDirectly(path, progress.ofTable))
  } finally {
    progress.stop()
  }
}

/** The service that holds the embedded database writes the file, from a copy; undefined if there is none. */
async function backupOfService(path: string, onRows: (rows: number) => void): Promise<Backup | undefined> {
  const result = await runAsJob('backup', {}, (progress) => onRows(progress('rows').done))
  if (result === undefined) return undefined
  const { file, at, tables } = result
  const written = join(jobFilesIn(readConfig().dataDirectory), file)
  if (path === STANDARD_OUTPUT) await pipeline(createReadStream(written), process.stdout)
  else moveBackupFile(written, path)
  rmSync(written, { force: true })
  return { at, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

async function backupDirectly(path: string, onTable: (table: string, rows: number) => void): Promise<Backup> {
  const rows = new Map<string, number>()
  const at = new Date().toISOString()
  const onRows = (table: string, done: number) => {
    rows.set(table, done)
    onTable(table, done)
  }
  const options = { laurel: project.version, at, onRows }
  await withDatabase(async (db) => {
    if (path === STANDARD_OUTPUT)
      await withBackupText(db, options, (text) => pipeline(Readable.from(seal(text)), process.stdout))
    else await writeBackupFile(db, path, options)
    await note(db, at)
  })
  return { at, rows: [...rows.values()].reduce((sum, one) => sum + one, 0) }
}

/** The file is there, whether or not the database learns of it: it may be read-only. */
async function note(db: Db, at: string): Promise<void> {
  await db.transaction((tx) => noteBackup(tx, at), performance.now() + NOTE_TIMEOUT_MS).catch(() => undefined)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
