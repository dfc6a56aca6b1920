/*
 * Reads records from a file or from standard input: CSV with a header line, JSON (a list, or {"data": [...]}) or NDJSON, each also as gzip.
 * CSV and NDJSON are streamed, so their size does not matter; JSON is read as a whole.
 */
import { createReadStream, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { shown } from '../../engine/ingest/shown.ts'
import { OperatorError } from '../../errors.ts'

/** A record of a file, or why there is none. `line` counts from 1: records in JSON, lines of the file in CSV and NDJSON. */
export type FileRecord = Readonly<{ line: number; record: unknown; fault?: string }>

export type RecordsFile = Readonly<{
  /** Whether it has rows under a header, rather than records with their own names. */
  isTable: boolean
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
const TAB = '\t'
const APOSTROPHE = 39
/** The length of `"sep=;"` with its line end. */
const NAMED_DELIMITER_MAX = 9
const TORN_OPEN = 'expected a quote at the end of a cell that begins with one'

/**
 * Finds a file and its format, from its extension (`.csv`, `.tsv`, `.json`, `.ndjson` or `.jsonl`, each with or without `.gz`) or as given;
 * `-` is standard input. Errors: OperatorError.
 */
export function openRecordsFile(path: string, given: FileFormat = {}): RecordsFile {
  const format = formatOf(path, given.format)
  const delimiter = delimiterOf(given.delimiter ?? (format === 'tsv' ? 'tab' : ','))
  const isGiven = given.delimiter !== undefined
  const { encoding = 'utf-8' } = given
  if (!ENCODINGS.includes(encoding))
    throw new OperatorError(`--encoding is "${encoding}": expected ${ENCODINGS.join(', ')}`)
  const bytes = path === STDIN ? undefined : sizeOf(path)
  const readCsv = async function* (content: Text, onColumns: OnColumns) {
    const { named, rest } = await namedDelimiter(content)
    const skipped = named === undefined ? 0 : 1
    for await (const record of readTable(rest, isGiven ? delimiter : (named ?? delimiter), onColumns))
      yield { ...record, line: record.line + skipped }
  }
  const readers = { csv: readCsv, tsv: readCsv, json: readJson, ndjson: readNdjson, jsonl: readNdjson }
  let bytesRead = () => 0
  return {
    isTable: format === 'csv' || format === 'tsv',
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
async function* decoded(content: AsyncIterable<Buffer>, given: string): Text {
  let decoder: TextDecoder | undefined
  let start = Buffer.alloc(0)
  const decode = (bytes: Buffer, stream: boolean) => {
    decoder ??= new TextDecoder(markedEncoding(bytes) ?? given, { fatal: true })
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      if (decoder.encoding.startsWith('utf-16'))
        throw new OperatorError('expected text in UTF-16, as its first bytes say: save it as CSV UTF-8')
      throw new OperatorError('expected text in UTF-8; a file of an older program may need --encoding windows-1252')
    }
  }
  for await (const chunk of content) {
    start = Buffer.concat([start, chunk])
    // The first two bytes say whether it is UTF-16.
    if (decoder === undefined && start.length < 2) continue
    yield decode(start, true)
    start = Buffer.alloc(0)
  }
  yield decode(start, false)
}

/** The encoding that the first bytes of a file name, as those of "Unicode text" of spreadsheets do. */
function markedEncoding(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

async function* explained(path: string, records: AsyncIterable<FileRecord>): AsyncIterable<FileRecord> {
  try {
    yield* records
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${path}: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    const [, sign, line] = (code === 'CSV_INVALID_CLOSING_QUOTE' && /got "(.)" at line (\d+)/s.exec(message)) || []
    if (sign !== undefined) throw new OperatorError(`${path}: ${afterQuotes(sign, line!)}`, { cause: error })
    const [, at] = (code === 'INVALID_OPENING_QUOTE' && /at line (\d+)/.exec(message)) || []
    if (at !== undefined) throw new OperatorError(`${path}: ${quoteInside(at)}`, { cause: error })
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

function quoteInside(line: string): string {
  return `line ${line} has a quote inside a cell: put the cell in quotes and write the quote twice, as in "6"" cup", or save the file separated by tabs`
}

type CsvRecord = { info: { lines: number; error?: Error & { record?: unknown } }; record: Record<string, string> }

async function* readTable(content: Text, delimiter: string, onColumns: OnColumns): AsyncIterable<FileRecord> {
  let width = 0
  const parser = parse({
    columns: (names: string[]) => {
      // Spreadsheets save empty columns, too.
      const trimmed = names.map((name) => name.trim())
      const named = trimmed.filter((name) => name !== '')
      const twice = named.find((name, index) => named.indexOf(name) !== index)
      if (twice !== undefined) throw new OperatorError(`the first line has the column "${twice}" twice`)
      onColumns(named)
      width = names.length
      return trimmed.map((name) => (name === '' ? null : name))
    },
    delimiter,
    info: true,
    skip_empty_lines: true,
    // Spreadsheets save empty rows, too.
    skip_records_with_empty_values: true,
    relax_column_count: true,
    // Between tabs, many programs write a quote as it is.
    relax_quotes: delimiter === TAB,
    max_record_size: RECORD_LENGTH_MAX,
  })
  // The library counts a line end of two characters inside quotes as two lines.
  let countedTwice = 0
  for await (const row of pipeline(Readable.from(content), parser, () => undefined)) {
    const { info, record } = row as CsvRecord
    stripApostrophes(record)
    const values = Object.values(record)
    const cells = values.join()
    countedTwice += occurrences(cells, '\r\n')
    const fault = faultOf(info.error, width) ?? (values.some(isTornOpen) ? TORN_OPEN : undefined)
    yield {
      line: info.lines - countedTwice - occurrences(cells, '\n'),
      record,
      ...(fault === undefined ? {} : { fault }),
    }
  }
}

/** Takes away the apostrophe that keeps a spreadsheet from reading a phone number or a text as a formula: `'+1503...`. */
function stripApostrophes(record: Record<string, string>): void {
  for (const [column, cell] of Object.entries(record))
    if (cell.charCodeAt(0) === APOSTROPHE && /^'[-+=@]/.test(cell)) record[column] = cell.slice(1)
}

/** The separator in a first line such as `sep=;`, which spreadsheets understand and do not show, and the text after that line. */
async function namedDelimiter(content: Text): Promise<{ named: string | undefined; rest: Text }> {
  const parts = content[Symbol.asyncIterator]()
  let start = ''
  while (start.length < NAMED_DELIMITER_MAX) {
    const part = await parts.next()
    if (part.done === true) break
    start += part.value
  }
  const [line = '', named] = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i.exec(start) ?? []
  async function* rest() {
    yield start.slice(line.length)
    yield* { [Symbol.asyncIterator]: () => parts }
  }
  return { named, rest: rest() }
}

/** What is wrong with the number of cells in a row. Some programs end each row with one more separator than the first line. */
function faultOf(error: CsvRecord['info']['error'], width: number): string | undefined {
  if (error === undefined) return undefined
  const surplus = Array.isArray(error.record) && error.record.length > width ? error.record.slice(width) : ['?']
  return surplus.every((cell) => String(cell).trim() === '') ? undefined : 'expected as many cells as in the first line'
}

/** Whether a cell begins with a quote that nothing closed, and so has swallowed the next row. */
function isTornOpen(cell: string): boolean {
  return cell.startsWith('"') && cell.includes('\n')
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
