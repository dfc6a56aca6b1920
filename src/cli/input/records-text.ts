/*
 * The records of a text: CSV with a header line, JSON (a list, or {"data": [...]}) or NDJSON. The command and the console read files with this code, so that a
 * file means the same in both. Nothing in it is of Node: each gives it its own build of csv-parse.
 */
import type { OptionsWithColumns } from 'csv-parse'
import { shown } from '../../engine/ingest/shown.ts'
import { OperatorError } from '../../errors.ts'
import { stripApostrophes } from './spreadsheet-apostrophes.ts'

/** A record of a file, or why there is none. `line` counts from 1: records in JSON, lines of the file in CSV and NDJSON. */
export type FileRecord = Readonly<{ line: number; record: unknown; issue?: string }>

export type RecordsSource = Readonly<{
  /** Whether it has rows under a header, rather than records with their own names. */
  isTable: boolean
  /**
   * The records, from the beginning; `onColumns` is called with the header of a CSV file, before the first record. In the columns `ofIds`, an apostrophe
   * before a digit belongs to the value. Errors: OperatorError.
   */
  read: (onColumns: OnColumns, ofIds?: readonly string[]) => AsyncIterable<FileRecord>
}>

/** A text in pieces, or in one. */
type Text = AsyncIterable<string> | Iterable<string>

/** Reads a text with csv-parse. */
export type ParseCsv = (text: AsyncIterable<string>, options: CsvOptions) => AsyncIterable<FileRecord>

type CsvOptions = OptionsWithColumns<FileRecord, CsvRow>
type OnColumns = (names: readonly string[]) => void

export const FORMATS = ['csv', 'tsv', 'json', 'ndjson', 'jsonl']
const JSON_LENGTH_MAX = 256 * 1024 * 1024
const RECORD_LENGTH_MAX = 1024 * 1024
/** How much of a table is looked at to find its separator, in characters: more than any first line. */
const BEGINNING_LENGTH = 64 * 1024
const TAB = '\t'
/** The first line `sep=;`, which spreadsheets understand and do not show. */
const NAMED_SEPARATOR = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i
/** Cells in quotes, whatever separates them. */
const QUOTED_CELL = /(^|[,;\t|\r\n])"(?:[^"]+|"")*"?/g
const MISQUOTED = 'expected a separator after a cell in quotes: a quote inside such a cell is written twice'

/** The format that the name of a file tells, with or without `.gz`. */
export function formatInName(name: string): string | undefined {
  return /\.(csv|tsv|json|ndjson|jsonl)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase()
}

/** The encoding that the first bytes of a file name, as those of "Unicode text" of spreadsheets do. */
export function encodingInBytes([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/**
 * The records of a text in one of FORMATS. `open` begins it anew; `name` is put before errors. Without a `delimiter`, the first line of a table tells it: `sep=;`,
 * or the comma (in `tsv` the tab) or, if it has none outside quotes, a semicolon, tab or bar.
 */
export function recordsOf(
  format: string,
  open: () => Text,
  parseCsv: ParseCsv,
  { name, delimiter }: Readonly<{ name?: string; delimiter?: string | undefined }> = {},
): RecordsSource {
  const isTable = format === 'csv' || format === 'tsv'
  return {
    isTable,
    read: (onColumns, ofIds = []) => {
      const text = open()
      const records = isTable
        ? readTable(() => beginTable(text, format === 'tsv' ? TAB : ',', delimiter), parseCsv, onColumns, ofIds)
        : format === 'json'
          ? readJson(text)
          : readNdjson(text)
      return explained(records, name === undefined ? '' : `${name}: `)
    },
  }
}

async function* explained(records: AsyncIterable<FileRecord>, opening: string): AsyncIterable<FileRecord> {
  try {
    yield* records
  } catch (error) {
    const { message } = error as Error
    // The library's reason may quote a cell.
    const reason = error instanceof OperatorError ? message : `cannot be read (${message.replace(/\s+/g, ' ')})`
    throw new OperatorError(`${opening}${reason}`, { cause: error })
  }
}

/** A table from the names of its columns on. */
type Table = Readonly<{ delimiter: string; linesBefore: number; lineEnds: string[]; text: AsyncIterable<string> }>

async function beginTable(content: Text, usual: string, delimiterOption: string | undefined): Promise<Table> {
  const parts = each(content)
  let start = ''
  let beginning = beginningOf(start)
  // No further than the names: what is read ahead is not imported if the file cannot be read to its end.
  while (start.length < BEGINNING_LENGTH && beginning.end === undefined) {
    const part = await parts.next()
    if (part.done === true) break
    start += part.value
    beginning = beginningOf(start)
  }
  const { line, named, names, end } = beginning
  const likely = [usual, ';', TAB, '|'].find((sign) => names.includes(sign))
  async function* text() {
    yield start.slice(line.length)
    yield* parts
  }
  return {
    delimiter: delimiterOption ?? named ?? likely ?? usual,
    linesBefore: line === '' ? 0 : 1,
    // The first line may have been written by another program. Otherwise the library finds them.
    lineEnds: end === '\n' ? ['\r\n', '\n'] : [],
    text: text(),
  }
}

/** The line that names the separator, the line of names without what is in quotes, and its end if that is there. */
function beginningOf(start: string) {
  const [line = '', named] = NAMED_SEPARATOR.exec(start) ?? []
  const lines = start
    .slice(line.length, BEGINNING_LENGTH)
    .replace(QUOTED_CELL, '$1"')
    .split(/(\r\n?|\n)/)
  const [names = '', end] = lines.slice(lines.findIndex((text) => text.trim() !== ''))
  return { line, named, names, end }
}

async function* each(content: Text): AsyncGenerator<string, void> {
  yield* content
}

/** A row as the library gives it; `raw` is as the file has it, perhaps with line ends around it. */
type CsvRow = { raw: string; record: Record<string, string> }

/** A cell that begins with a quote, and what comes after the quote that ends it; undefined if none does. */
type Misquoted = Readonly<{ start: number; after?: { place: number; sign: string } }>

async function* readTable(
  begin: () => Promise<Table>,
  parseCsv: ParseCsv,
  onColumns: OnColumns,
  ofIds: readonly string[],
): AsyncIterable<FileRecord> {
  const { delimiter, linesBefore, lineEnds, text } = await begin()
  let width = 0
  // Inside quotes, the library counts a line end of two characters as two lines.
  let countedTwice = 0
  const options: CsvOptions = {
    columns: (names) => {
      // Spreadsheets save empty columns, too.
      const trimmed = names.map((name) => name.trim())
      const named = trimmed.filter((name) => name !== '')
      const [sign] = named.flatMap((name) => /^"[^"]*"([^"])/.exec(name)?.[1] ?? [])
      if (sign !== undefined) throw new OperatorError(afterQuotes(sign, linesBefore + 1))
      const twice = named.find((name, index) => named.indexOf(name) !== index)
      if (twice !== undefined) throw new OperatorError(`the first line has the column "${twice}" twice`)
      onColumns(named)
      width = names.length
      countedTwice = occurrences(names.join(), /\r\n/g)
      return trimmed.map((name) => (name === '' ? null : name))
    },
    delimiter,
    record_delimiter: lineEnds,
    raw: true,
    skip_empty_lines: true,
    // Spreadsheets save empty rows, too.
    skip_records_with_empty_values: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: RECORD_LENGTH_MAX,
    // Called before the library goes on, and so before it fails at a later row.
    on_record: ({ raw, record }, { lines, error }) => {
      const row = raw.replace(/^[\r\n]+|[\r\n]+$/g, '')
      const line = linesBefore + lines - countedTwice - occurrences(row, /[\r\n]/g)
      countedTwice += occurrences(row, /\r\n/g)
      // Set where a row has more or fewer cells than the first line.
      const cells = error?.record as readonly string[] | undefined
      const isShort = cells !== undefined && cells.length < width
      const issue = quotingIssue(row, line, delimiter, isShort) ?? issueOf(cells, width)
      stripApostrophes(record, ofIds)
      return { line, record, ...(issue === undefined ? {} : { issue }) }
    },
  }
  try {
    yield* parseCsv(text, options)
  } catch (error) {
    const { raw, lines } = error as Readonly<{ raw?: string; lines: number }>
    const row = raw?.replace(/^[\r\n]+/, '')
    const open = row === undefined ? undefined : findMisquoted(row, delimiter)
    if (open === undefined || open.after !== undefined) throw error
    const [before, cell] = [row!.slice(0, open.start), row!.slice(open.start)]
    // A line end at the very end is not counted yet.
    const counted = occurrences(cell.slice(0, -1), /[\r\n]/g)
    const line = linesBefore + lines - countedTwice - occurrences(before, /\r\n/g) - counted
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
function quotingIssue(row: string, line: number, delimiter: string, isShort: boolean): string | undefined {
  const misquoted = row.includes('"') ? findMisquoted(row, delimiter) : undefined
  if (misquoted?.after === undefined) return undefined
  const hasLineEnd = /[\r\n]/.test(row.slice(misquoted.start))
  if (delimiter === TAB && !hasLineEnd) return undefined
  if (!hasLineEnd && !isShort) return MISQUOTED
  const lineAt = (place: number) => line + occurrences(row.slice(0, place), /\r\n?|\n/g)
  throw new OperatorError(afterQuotes(misquoted.after.sign, lineAt(misquoted.after.place), lineAt(misquoted.start)))
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

/** What is wrong with the number of cells in a row. Some programs end each row with one more separator than the first line. */
function issueOf(cells: readonly string[] | undefined, width: number): string | undefined {
  if (cells === undefined) return undefined
  const isEnded = cells.length > width && cells.slice(width).every((cell) => cell.trim() === '')
  return isEnded ? undefined : 'expected as many cells as in the first line'
}

function occurrences(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0
}

async function* readNdjson(content: Text): AsyncIterable<FileRecord> {
  let line = 0
  for await (const text of splitLines(content)) {
    line += 1
    if (text.trim() !== '') yield { line, ...parsedLine(text) }
  }
}

/** Lines end at a line feed only: readline also breaks at characters that JSON allows inside a string. */
async function* splitLines(content: Text): AsyncIterable<string> {
  let rest = ''
  for await (const text of content) {
    const lines = (rest + text).split('\n')
    if (lines.some(({ length }) => length > RECORD_LENGTH_MAX))
      throw new OperatorError('has a line that is too long for one record')
    rest = lines.pop()!
    yield* lines
  }
  yield rest
}

function parsedLine(text: string): { record: unknown; issue?: string } {
  try {
    return { record: JSON.parse(text) }
  } catch {
    return { record: text, issue: 'invalid JSON' }
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
  if (value.issue !== undefined || !Array.isArray(list))
    throw new OperatorError('expected a JSON array of records, or an object with an array under data')
  for (const [index, record] of list.entries()) yield { line: index + 1, record }
}
