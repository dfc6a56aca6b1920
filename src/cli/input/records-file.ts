/*
 * Reads records from a file or from standard input: CSV with a header line, JSON (a list, or {"data": [...]}) or NDJSON, each also as gzip.
 * CSV and NDJSON are streamed, so their size does not matter; JSON is read as a whole.
 */
import { createReadStream, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { OperatorError } from '../../errors.ts'
import { shown } from '../../ingest/shown.ts'

/** A record of a file, or why there is none. `line` counts from 1: records in JSON, lines of the file in CSV and NDJSON. */
export type FileRecord = Readonly<{ line: number; record: unknown; fault?: string }>

export type RecordsFile = Readonly<{
  /** How much of the file has been read, in per cent, for a progress bar; undefined for standard input. */
  percentRead: () => number | undefined
  /** The records, from the beginning; `onColumns` is called with the header of a CSV file, before the first record. */
  read: (onColumns: (names: readonly string[]) => void) => AsyncIterable<FileRecord>
}>

/** How to read a file, where its name does not say. */
export type FileFormat = Readonly<{ format?: string; delimiter?: string; encoding?: string }>

type Text = AsyncIterable<string>
type OnColumns = (names: readonly string[]) => void

const JSON_LENGTH_MAX = 256 * 1024 * 1024
const RECORD_LENGTH_MAX = 1024 * 1024
/** The name of standard input. */
const STDIN = '-'
const FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'jsonl']
/** In the Encoding Standard, latin1 means windows-1252: the two differ only in control characters. */
const ENCODINGS = ['utf-8', 'windows-1252', 'latin1']

/**
 * Finds a file and its format, from its extension (`.csv`, `.tsv`, `.json`, `.ndjson` or `.jsonl`, each with or without `.gz`) or as given;
 * `-` is standard input. Errors: OperatorError.
 */
export function openRecordsFile(path: string, given: FileFormat = {}): RecordsFile {
  const format = formatOf(path, given.format)
  const delimiter = delimiterOf(given.delimiter ?? (format === 'tsv' ? 'tab' : ','))
  const { encoding = 'utf-8' } = given
  if (!ENCODINGS.includes(encoding))
    throw new OperatorError(`--encoding is "${encoding}": expected ${ENCODINGS.join(', ')}`)
  const bytes = path === STDIN ? undefined : sizeOf(path)
  const readCsv = (content: Text, onColumns: OnColumns) => readTable(content, delimiter, onColumns)
  const readers = { csv: readCsv, tsv: readCsv, json: readJson, ndjson: readNdjson, jsonl: readNdjson }
  let bytesRead = () => 0
  return {
    percentRead: () => {
      if (bytes === undefined) return undefined
      return bytes === 0 ? 100 : Math.floor((100 * bytesRead()) / bytes)
    },
    read: (onColumns) => {
      const file = path === STDIN ? process.stdin : createReadStream(path)
      if ('bytesRead' in file) bytesRead = () => file.bytesRead
      const content = /\.gz$/i.test(path) ? pipeline(file, createGunzip(), () => undefined) : file
      const name = path === STDIN ? 'standard input' : path
      return explained(name, readers[format as keyof typeof readers](decoded(content, encoding), onColumns))
    },
  }
}

function formatOf(path: string, given: string | undefined): string {
  if (given !== undefined && !FORMATS.includes(given))
    throw new OperatorError(`--format is "${given}": expected ${FORMATS.join(', ')}`)
  if (path === STDIN && given === undefined)
    throw new OperatorError('standard input has no file name to tell its format: add --format csv, tsv, json or ndjson')
  const format = given ?? /\.(csv|tsv|json|ndjson|jsonl)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase()
  if (format === undefined)
    throw new OperatorError(
      `${path}: expected a name that ends in .csv, .tsv, .json, .ndjson or .jsonl, with or without .gz, or --format`,
    )
  return format
}

function delimiterOf(given: string): string {
  const delimiter = given === 'tab' ? '\t' : given
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw new OperatorError(`--delimiter is "${given}": expected one character, or tab`)
  return delimiter
}

function sizeOf(path: string): number {
  try {
    const stats = statSync(path)
    if (stats.isFile()) return stats.size
  } catch {
    throw new OperatorError(`${path}: there is no such file`)
  }
  throw new OperatorError(`${path}: this is not a file`)
}

/** The text of a file. Invalid text is refused: otherwise names would be stored with letters missing. */
async function* decoded(content: AsyncIterable<Buffer>, encoding: string): Text {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new OperatorError('expected text in UTF-8; a file of an older program may need --encoding windows-1252')
    }
  }
  for await (const chunk of content) yield decode(chunk)
  yield decode()
}

async function* explained(path: string, records: AsyncIterable<FileRecord>): AsyncIterable<FileRecord> {
  try {
    yield* records
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${path}: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    const [, sign, line] = (code === 'CSV_INVALID_CLOSING_QUOTE' && /got "(.)" at line (\d+)/s.exec(message)) || []
    if (sign !== undefined) throw new OperatorError(`${path}: ${afterQuotes(sign, line!)}`, { cause: error })
    const reason = message.replace(/\s+/g, ' ') // It may quote a cell.
    throw new OperatorError(`${path}: cannot be read (${reason})`, { cause: error })
  }
}

/** Says what follows a cell in quotes: usually the separator of this file. */
function afterQuotes(sign: string, line: string): string {
  const typed = sign === '\t' ? 'tab' : `"${sign}"`
  return /[;\t|,:]/.test(sign)
    ? `line ${line} has ${typed} after a cell in quotes; if that separates its cells, write --delimiter ${typed}`
    : `line ${line} has ${shown(sign)} after a cell in quotes: a quote inside a cell is written twice`
}

type CsvRecord = { info: { lines: number; error?: Error }; record: Record<string, string> }

async function* readTable(content: Text, delimiter: string, onColumns: OnColumns): AsyncIterable<FileRecord> {
  const parser = parse({
    columns: (names: string[]) => {
      // Spreadsheets save empty columns, too.
      const trimmed = names.map((name) => name.trim())
      const named = trimmed.filter((name) => name !== '')
      const twice = named.find((name, index) => named.indexOf(name) !== index)
      if (twice !== undefined) throw new OperatorError(`the first line has the column "${twice}" twice`)
      onColumns(named)
      return trimmed.map((name) => (name === '' ? null : name))
    },
    delimiter,
    info: true,
    skip_empty_lines: true,
    // Spreadsheets save empty rows, too.
    skip_records_with_empty_values: true,
    relax_column_count: true,
    max_record_size: RECORD_LENGTH_MAX,
  })
  // The library counts a line end of two characters inside quotes as two lines.
  let countedTwice = 0
  for await (const row of pipeline(Readable.from(content), parser, () => undefined)) {
    const { info, record } = row as CsvRecord
    const cells = Object.values(record).join()
    countedTwice += occurrences(cells, '\r\n')
    yield {
      line: info.lines - countedTwice - occurrences(cells, '\n'),
      record,
      ...(info.error === undefined ? {} : { fault: 'expected as many cells as in the first line' }),
    }
  }
}

function occurrences(text: string, part: string): number {
  return text.includes(part) ? text.split(part).length - 1 : 0
}

async function* readNdjson(content: Text): AsyncIterable<FileRecord> {
  let line = 0
  for await (const text of linesOf(content)) {
    line += 1
    if (text.trim() !== '') yield { line, ...parsedLine(text) }
  }
}

/** Lines end at a line feed only: readline also breaks at characters that JSON allows inside a string. */
async function* linesOf(content: Text): Text {
  let rest = ''
  for await (const text of content) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    if (rest.length > RECORD_LENGTH_MAX) throw new OperatorError('has a line that is too long for one record')
    yield* lines
  }
  yield rest
}

function parsedLine(text: string): { record: unknown; fault?: string } {
  try {
    return { record: JSON.parse(text) }
  } catch {
    return { record: text, fault: 'expected JSON' }
  }
}

async function* readJson(content: Text): AsyncIterable<FileRecord> {
  const parts: string[] = []
  let length = 0
  for await (const text of content) {
    length += text.length
    if (length > JSON_LENGTH_MAX)
      throw new OperatorError('is too large for JSON in one piece: write it as NDJSON, one record on each line')
    parts.push(text)
  }
  const value = parsedLine(parts.join(''))
  const list = Array.isArray(value.record) ? value.record : (value.record as { data?: unknown } | null)?.data
  if (value.fault !== undefined || !Array.isArray(list))
    throw new OperatorError('expected JSON: a list of records, or an object with a list under data')
  for (const [index, record] of list.entries()) yield { line: index + 1, record }
}
