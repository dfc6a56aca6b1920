import { createReadStream } from 'node:fs'
import { readConfig } from '../../config.ts'
import { fileError } from '../../database/backup/whole-file.ts'
import { OperatorError } from '../../errors.ts'
import { importAll } from '../../resources/exports/import-all.ts'
import { count } from '../../text.ts'
import { withNewDatabase } from '../database.ts'
import { printJson, printLine } from '../output/print.ts'
import { countingRows } from '../output/progress.ts'

/** `laurel import all`: fills an empty database from `laurel export all`. Errors: as for `importAll`; OperatorError for other options. */
export async function importEverything(
  path: string,
  { json, ...others }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const isSet = (value: unknown) => !Array.isArray(value) || value.length > 0
  if (Object.values(others).some(isSet)) throw new OperatorError('import all takes no option but --json')
  try {
    const records = await countingRows((onRows) =>
      withNewDatabase(readConfig(), (db) => importAll(db, textOf(path), onRows)),
    )
    if (json) return printJson({ records })
    printLine`${count(records, 'record')} imported, and the ledger verified: start the service, which makes a new token`
  } catch (error) {
    throw fileError(path, error)
  }
}

/** Opens the file once it is read: an error of a stream that nobody listens to yet would end the process. */
async function* textOf(path: string): AsyncGenerator<string> {
  const bytes = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 2 ** 20 })
  yield* bytes.setEncoding('utf8') as AsyncIterable<string>
}
