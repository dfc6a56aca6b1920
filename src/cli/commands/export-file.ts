import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { withExportText, writeExportFile } from '../../resources/exports/export-records.ts'
import { ALL, EXPORT_FORMATS, EXPORT_NOUNS, type ExportFormat, type ExportNoun } from '../../resources/exports/nouns.ts'
import { count } from '../../text.ts'
import { withDatabase } from '../database.ts'
import { assertNewFile, megabytes, STANDARD_OUTPUT, takeJobFile } from '../output/new-file.ts'
import { noteLine, printChunks, printJson, printLine } from '../output/print.ts'
import { countingRows } from '../output/progress.ts'
import { runAsJob } from '../run-as-job.ts'

type Export = Readonly<{ noun: ExportNoun | typeof ALL; format: ExportFormat }>
type Exported = Readonly<{ at: string; rows: number }>

/** `laurel export`: all records of a noun as one file, while the service runs. Errors: OperatorError if the file exists or cannot be written. */
export async function exportFile(
  noun: string,
  path: string,
  { format, json }: Readonly<{ format?: string; json?: true }>,
): Promise<void> {
  const isFile = path !== STANDARD_OUTPUT
  if (!isFile && json) throw new OperatorError('--json needs a file')
  const byName = extname(path) === '.csv' ? 'csv' : 'ndjson'
  const request = {
    noun: oneIn([...EXPORT_NOUNS, ALL], noun),
    format: oneIn(EXPORT_FORMATS, format ?? byName, '--format: '),
  }
  if (request.noun === ALL && request.format === 'csv') throw new OperatorError('everything is exported as NDJSON only')
  assertNewFile(path)
  const { at, rows } = await countingRows(
    async (onRows) => (await exportOfService(path, request, onRows)) ?? (await exportDirectly(path, request, onRows)),
  )
  if (!isFile) return noteLine`${count(rows, 'record')}, as of ${at}`
  const bytes = statSync(path).size
  if (json) return printJson({ file: path, at, rows, bytes })
  printLine`${path}: ${count(rows, 'record')}, ${megabytes(bytes)}, as of ${at}`
}

function oneIn<Name extends string>(names: readonly Name[], name: string, option = ''): Name {
  const match = names.find((one) => one === name)
  if (match === undefined) throw new OperatorError(`${option}expected one of ${names.join(', ')}, got "${name}"`)
  return match
}

/** The service that holds the embedded database writes the file, from a copy; undefined if there is none. */
async function exportOfService(
  path: string,
  request: Export,
  onRows: (rows: number) => void,
): Promise<Exported | undefined> {
  const result = await runAsJob('export', request, (progress) => onRows(progress('rows').done))
  if (result === undefined) return undefined
  const { file, at, rows } = result
  await takeJobFile(file, path)
  return { at, rows }
}

async function exportDirectly(path: string, request: Export, onProgress: (rows: number) => void): Promise<Exported> {
  let rows = 0
  const at = new Date().toISOString()
  const onRows = (done: number) => {
    rows = done
    onProgress(done)
  }
  const options = { ...request, onRows }
  await withDatabase((db) =>
    path === STANDARD_OUTPUT ? withExportText(db, options, printChunks) : writeExportFile(db, path, options),
  )
  return { at, rows }
}
