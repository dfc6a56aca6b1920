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
import { stripApostrophes } from './spreadsheet-apostrophes.ts'

/** A record of a file, or why there is none. `line` counts from 1: records in JSON, lines of the file in CSV and NDJSON. */
export type FileRecord = Readonly<{ line: number; record: unknown; fault?: string }>

export type RecordsFile = Readonly<{
  /** Whether it has rows under a header, rather than records with their own names. */
  isTable: boolean
  /** How much of the file has been read, in per cent, for a progress bar; undefined for standard input. */
  percentRead: () => number | undefined
  /**
   * The records, from the beginning; `onColumns` is called with the header of a CSV file, before the first record. In the columns `ofIds`, an apostrophe
   * before a digit belongs to the value.
   */
  read: (onColumns: (names: readonly string[]) => void, ofIds?: readonly string[]) => AsyncIterable<FileRecord>
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
/** The length of `"sep=;"` with its line end. */
const NAMED_DELIMITER_MAX = 9
const MISQUOTED = 'expected a separator after a cell in quotes: a quote inside such a cell is written twice'

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
  const readCsv = async function* (content: Text, onColumns: OnColumns, ofIds: readonly string[]) {
    const { named, rest } = await namedDelimiter(content)
    yield* readTable(rest, isGiven ? delimiter : (named ?? delimiter), onColumns, ofIds, named === undefined ? 0 : 1)
  }
  const readers = { csv: readCsv, tsv: readCsv, json: readJson, ndjson: readNdjson, jsonl: readNdjson }
  let bytesRead = () => 0
  return {
    isTable: format === 'csv' || format === 'tsv',
    percentRead: () => {
      if (bytes === undefined) return undefined
      return bytes === 0 ? 100 : Math.floor((100 * bytesRead()) / bytes)
    },
    read: (onColumns, ofIds = []) => {
      const file = path === STDIN ? process.stdin : createReadStream(path)
      if ('bytesRead' in file) bytesRead = () => file.bytesRead
      const content = /\.gz$/i.test(path) ? pipeline(file, createGunzip(), () => undefined) : file
      const name = path === STDIN ? 'standard input' : path
      return explained(name, readers[format as keyof typeof readers](decoded(content, encoding), onColumns, ofIds))
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
    throw new OperatorError(`${path}: file not found`)
  }
  throw new OperatorError(`${path}: not a file`)
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
    const { message } = error as Error
    const reason = message.replace(/\s+/g, ' ') // It may quote a cell.
    throw new OperatorError(`${path}: cannot be read (${reason})`, { cause: error })
  }
}

type CsvRow = {
  info: { lines: number; error?: Error & { record?: unknown } }
  /** The row as the file has it, perhaps with line ends around it. */
  raw: string
  record: Record<string, string>
}

/** A cell that begins with a quote, and what comes after the quote that ends it; undefined if none does. */
type Misquoted = Readonly<{ start: number; after?: { place: number; sign: string } }>

async function* readTable(
  content: Text,
  delimiter: string,
  onColumns: OnColumns,
  ofIds: readonly string[],
  linesBefore: number,
): AsyncIterable<FileRecord> {
  let width = 0
  // The library counts a line end of two characters inside quotes as two lines.
  let countedTwice = 0
  const parser = parse({
    columns: (names: string[]) => {
      // Spreadsheets save empty columns, too.
      const trimmed = names.map((name) => name.trim())
      const named = trimmed.filter((name) => name !== '')
      const [sign] = named.flatMap((name) => /^"[^"]*"([^"])/.exec(name)?.[1] ?? [])
      if (sign !== undefined) throw new OperatorError(afterQuotes(sign, linesBefore + 1))
      const twice = named.find((name, index) => named.indexOf(name) !== index)
      if (twice !== undefined) throw new OperatorError(`the first line has the column "${twice}" twice`)
      onColumns(named)
      width = names.length
      return trimmed.map((name) => (name === '' ? null : name))
    },
    delimiter,
    info: true,
    raw: true,
    skip_empty_lines: true,
    // Spreadsheets save empty rows, too.
    skip_records_with_empty_values: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: RECORD_LENGTH_MAX,
    // Called before the library goes on, and so before it fails at a later row.
    on_record: ({ info, raw, record }: CsvRow): FileRecord => {
      const row = raw.replace(/^[\r\n]+|[\r\n]+$/g, '')
      countedTwice += occurrences(row, '\r\n')
      const line = linesBefore + info.lines - countedTwice - occurrences(row, '\n')
      const isShort = Array.isArray(info.error?.record) && info.error.record.length < width
      const fault = quotingFault(row, line, delimiter, isShort) ?? faultOf(info.error, width)
      stripApostrophes(record, ofIds)
      return { line, record, ...(fault === undefined ? {} : { fault }) }
    },
  })
  try {
    yield* pipeline(Readable.from(content), parser, () => undefined) as AsyncIterable<FileRecord>
  } catch (error) {
    const { raw, lines } = error as Readonly<{ raw?: string; lines: number }>
    const row = raw?.replace(/^[\r\n]+/, '')
    const open = row === undefined ? undefined : findMisquoted(row, delimiter)
    if (open === undefined || open.after !== undefined) throw error
    const [before, cell] = [row!.slice(0, open.start), row!.slice(open.start)]
    // A line end at the very end is not counted yet.
    const counted = (cell.slice(0, -1).match(/[\r\n]/g) ?? []).length
    const line = linesBefore + lines - countedTwice - occurrences(before, '\r\n') - counted
    throw new OperatorError(
      `unclosed quote on line ${line}: close it, or, if it belongs to the cell, write the cell in quotes and that quote twice`,
      { cause: error },
    )
  }
}

/**
 * Why a row cannot be used as its quotes are. Between tabs, many programs write a quote as it is.
 * Errors: OperatorError if nobody can tell where the row ends: it has a line end after such a quote, or too few cells (`isShort`).
 */
function quotingFault(row: string, line: number, delimiter: string, isShort: boolean): string | undefined {
  const found = row.includes('"') ? findMisquoted(row, delimiter) : undefined
  if (found?.after === undefined) return undefined
  const hasLineEnd = /[\r\n]/.test(row.slice(found.start))
  if (delimiter === TAB && !hasLineEnd) return undefined
  if (!hasLineEnd && !isShort) return MISQUOTED
  const lineAt = (place: number) => line + occurrences(row.slice(0, place), '\n')
  throw new OperatorError(afterQuotes(found.after.sign, lineAt(found.after.place), lineAt(found.start)))
}

/** The first cell whose quotes are not those of RFC 4180. A quote inside a cell that does not begin with one belongs to the cell. */
function findMisquoted(row: string, delimiter: string): Misquoted | undefined {
  for (let start = 0, end: number; start <= row.length; start = end + 1) {
    const [quoted, closing] = /^"(?:[^"]+|"")*("?)/.exec(row.slice(start)) ?? ['', '"']
    if (closing === '') return { start }
    const place = start + quoted.length
    if (quoted !== '' && place < row.length && row[place] !== delimiter)
      return { start, after: { place, sign: row[place]! } }
    end = row.indexOf(delimiter, place)
    if (end === -1) return undefined
  }
  return undefined
}

/** Says what follows a cell in quotes: usually the separator of this file. */
function afterQuotes(sign: string, line: number, beginsOn = line): string {
  const typed = sign === '\t' ? 'tab' : `"${sign}"`
  if (/[;\t|,:]/.test(sign))
    return `line ${line} has ${typed} after a cell in quotes; if that separates its cells, write --delimiter ${typed}`
  const begins = beginsOn === line ? '' : ` that begins on line ${beginsOn}`
  return `line ${line} has ${shown(sign)} after a cell in quotes${begins}: a quote inside such a cell is written twice`
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
function faultOf(error: CsvRow['info']['error'], width: number): string | undefined {
  if (error === undefined) return undefined
  const surplus = Array.isArray(error.record) && error.record.length > width ? error.record.slice(width) : ['?']
  return surplus.every((cell) => String(cell).trim() === '') ? undefined : 'expected as many cells as in the first line'
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
    return { record: text, fault: 'invalid JSON' }
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
    throw new OperatorError('expected a JSON array of records, or an object with an array under data')
  for (const [index, record] of list.entries()) yield { line: index + 1, record }
}
