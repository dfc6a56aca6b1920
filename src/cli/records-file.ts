/*
 * Reads records from a file: CSV with the wire's names in its first line, JSON (a list, or {"data": [...]}) or NDJSON; gzip too.
 * CSV and NDJSON stream, so that their size does not matter; JSON is read whole.
 */
import { createReadStream, type ReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { OperatorError } from '../errors.ts'

/** A record of a file, or why there is none in its place. `line` counts records from 1, for CSV and NDJSON the lines of the file. */
export type FileRecord = Readonly<{ line: number; record: unknown; fault?: string }>

export type RecordsFile = Readonly<{
  bytes: number
  /** How many bytes of the file have been read: for a progress bar. */
  bytesRead: () => number
  records: AsyncIterable<FileRecord>
}>

const JSON_BYTES_MAX = 256 * 1024 * 1024

/** Opens a file by its ending: `.csv`, `.json`, `.ndjson` or `.jsonl`, each with or without `.gz`. Errors: OperatorError. */
export function openRecordsFile(path: string): RecordsFile {
  const format = /\.(csv|json|ndjson|jsonl)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase()
  if (format === undefined)
    throw new OperatorError(`${path}: expected a name that ends in .csv, .json, .ndjson or .jsonl, with or without .gz`)
  const bytes = sizeOf(path)
  const file = createReadStream(path)
  const content = /\.gz$/i.test(path) ? unzipped(file) : file
  const readers = { csv: readCsv, json: readJson, ndjson: readNdjson, jsonl: readNdjson }
  return {
    bytes,
    bytesRead: () => file.bytesRead,
    records: explained(path, readers[format as keyof typeof readers](content)),
  }
}

function sizeOf(path: string): number {
  try {
    const stats = statSync(path)
    if (stats.isFile()) return stats.size
  } catch {
    throw new OperatorError(`${path}: there is no such file`)
  }
  throw new OperatorError(`${path}: this is no file`)
}

function unzipped(file: ReadStream): Readable {
  const gunzip = createGunzip()
  file.on('error', (error) => gunzip.destroy(error))
  return file.pipe(gunzip)
}

async function* explained(path: string, records: AsyncIterable<FileRecord>): AsyncIterable<FileRecord> {
  try {
    yield* records
  } catch (error) {
    if (error instanceof OperatorError) throw new OperatorError(`${path}: ${error.message}`)
    throw new OperatorError(`${path}: cannot be read (${(error as Error).message})`, { cause: error })
  }
}

async function* readCsv(content: Readable): AsyncIterable<FileRecord> {
  const parser = content.pipe(
    parse({
      bom: true,
      columns: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: 1024 * 1024,
    }),
  )
  content.on('error', (error) => parser.destroy(error))
  for await (const { info, record } of parser as AsyncIterable<{
    info: { lines: number; error?: Error }
    record: Record<string, string>
  }>) {
    yield {
      line: info.lines,
      record,
      ...(info.error === undefined ? {} : { fault: 'expected as many cells as the first line has' }),
    }
  }
}

async function* readNdjson(content: Readable): AsyncIterable<FileRecord> {
  const lines = createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })
  content.on('error', (error) => lines.emit('error', error))
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() !== '') yield { line, ...parsedLine(text) }
  }
}

function parsedLine(text: string): { record: unknown; fault?: string } {
  try {
    return { record: JSON.parse(text) }
  } catch {
    return { record: text, fault: 'expected JSON' }
  }
}

async function* readJson(content: Readable): AsyncIterable<FileRecord> {
  let bytes = 0
  content.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > JSON_BYTES_MAX)
      content.destroy(
        new OperatorError('is too large for JSON in one piece, write it as NDJSON: one record on each line'),
      )
  })
  const value = parsedLine((await text(content)).replace(/^\ufeff/, ''))
  const list = Array.isArray(value.record) ? value.record : (value.record as { data?: unknown } | null)?.data
  if (value.fault !== undefined || !Array.isArray(list))
    throw new OperatorError('expected JSON: a list of records, or an object with a list under data')
  for (const [index, record] of list.entries()) yield { line: index + 1, record }
}
