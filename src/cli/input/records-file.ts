/*
 * Opens a file of records, or standard input, also as gzip. CSV and NDJSON are streamed, so their size does not matter; JSON is read as a whole.
 */
import { createReadStream, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { OperatorError } from '../../errors.ts'
import { encodingInBytes, FORMATS, formatInName, type ParseCsv, type RecordsSource, recordsOf } from './records-text.ts'

export type RecordsFile = RecordsSource &
  Readonly<{
    /** How much of the file has been read, in per cent, for a progress bar; undefined for standard input. */
    percentRead: () => number | undefined
  }>

/** How to read a file, where its name does not say. */
export type FileFormat = Readonly<{ format?: string; delimiter?: string; encoding?: string }>

/** The name of standard input. */
const STDIN = '-'
/** In the Encoding Standard, latin1 means windows-1252: the two differ only in control characters. */
const ENCODINGS = ['utf-8', 'windows-1252', 'latin1']

const parseCsv: ParseCsv = (text, options) => pipeline(Readable.from(text), parse(options), () => undefined)

/**
 * Finds a file and its format, from its extension (`.csv`, `.tsv`, `.json`, `.ndjson` or `.jsonl`, each with or without `.gz`) or as given;
 * `-` is standard input. Errors: OperatorError.
 */
export function openRecordsFile(path: string, options: FileFormat = {}): RecordsFile {
  const format = formatOf(path, options.format)
  const delimiter = options.delimiter === undefined ? undefined : delimiterOf(options.delimiter)
  const { encoding = 'utf-8' } = options
  if (!ENCODINGS.includes(encoding))
    throw new OperatorError(`--encoding is "${encoding}": expected ${ENCODINGS.join(', ')}`)
  const bytes = path === STDIN ? undefined : sizeOf(path)
  let bytesRead = () => 0
  const open = () => {
    const file = path === STDIN ? process.stdin : createReadStream(path)
    if ('bytesRead' in file) bytesRead = () => file.bytesRead
    return decoded(/\.gz$/i.test(path) ? pipeline(file, createGunzip(), () => undefined) : file, encoding)
  }
  return {
    ...recordsOf(format, open, parseCsv, { name: path === STDIN ? 'standard input' : path, delimiter }),
    percentRead: () => {
      if (bytes === undefined) return undefined
      // Not rounded: 100 % means that all has been read.
      return bytes === 0 ? 100 : Math.floor((100 * bytesRead()) / bytes)
    },
  }
}

function formatOf(path: string, option: string | undefined): string {
  if (option !== undefined && !FORMATS.includes(option))
    throw new OperatorError(`--format is "${option}": expected ${FORMATS.join(', ')}`)
  if (path === STDIN && option === undefined)
    throw new OperatorError('standard input has no file name to tell its format: add --format csv, tsv, json or ndjson')
  const format = option ?? formatInName(path)
  if (format === undefined)
    throw new OperatorError(
      `${path}: expected a name that ends in .csv, .tsv, .json, .ndjson or .jsonl, with or without .gz, or --format`,
    )
  return format
}

function delimiterOf(option: string): string {
  const delimiter = option === 'tab' ? '\t' : option
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter))
    throw new OperatorError(`--delimiter is "${option}": expected one character, or tab`)
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
async function* decoded(content: AsyncIterable<Buffer>, encoding: string): AsyncIterable<string> {
  let decoder: TextDecoder | undefined
  let start = Buffer.alloc(0)
  const decode = (bytes: Buffer, stream: boolean) => {
    decoder ??= new TextDecoder(encodingInBytes(bytes) ?? encoding, { fatal: true })
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
