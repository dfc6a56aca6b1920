import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  type WriteStream,
} from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { isSkippedEntry } from '../input/import-records.ts'

export type SkippedFile = Readonly<{
  /** Sets the file of an earlier run aside. Called only once the service has accepted something of this one. */
  begin: () => void
  add: (entry: object) => void
  /** Waits until the stream has drained, so that a slow disk does not fill up memory. */
  drained: () => Promise<void>
  close: () => Promise<void>
  /** Where the file of an earlier run is now, if it was set aside. */
  setAside: () => string | undefined
}>

/** Where skipped records go, and where a file of an earlier run is kept, if there is one to be set aside. */
export type SkippedPaths = Readonly<{ path: string; earlier: string | undefined }>

const FIRST_LINE_MAX = 16 * 1024 * 1024

/**
 * Checks, before anything is sent, that skipped records can be written to `path`. A dry run writes beside a file that exists, which may have
 * been corrected by hand and not imported yet. Errors: OperatorError, also if a file would be replaced that no import has written.
 */
export function findSkippedPaths(path: string, source: string, dryRun: boolean): SkippedPaths {
  assertReplaceable(path, source)
  if (!isFilled(path)) return { path, earlier: undefined }
  const other = besides(path, dryRun ? 'dry-run' : 'earlier')
  assertReplaceable(other, source)
  return dryRun ? { path: other, earlier: undefined } : { path, earlier: other }
}

/** `a.skipped.ndjson` becomes `a.skipped.earlier.ndjson`, which can be imported as well. */
function besides(path: string, word: string): string {
  return path.replace(/(\.ndjson)?$/, `.${word}$1`)
}

function isFilled(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size > 0
}

function assertReplaceable(path: string, source: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  try {
    // A device such as /dev/null is written to, and nothing is created beside it.
    if (stats === undefined || stats.isFile()) accessSync(dirname(path), constants.W_OK)
    if (stats !== undefined) accessSync(path, constants.W_OK)
  } catch (error) {
    throw new OperatorError(`cannot write the skipped records to ${path} (${(error as Error).message})`)
  }
  if (stats?.isDirectory() === true)
    throw new OperatorError(`cannot write the skipped records to ${path} (it is a directory)`)
  if (stats !== undefined && existsSync(source) && realpathSync(path) === realpathSync(source))
    throw new OperatorError(`${path} is the file to import: the skipped records need another one`)
  if (isFilled(path) && !isEntry(firstLineOf(path)))
    throw new OperatorError(`${path} exists and has no skipped records in it: name another file with --skipped`)
}

function isEntry(line: string): boolean {
  try {
    return isSkippedEntry(JSON.parse(line) ?? {})
  } catch {
    return false
  }
}

/** The first line of a file, without what exceeds any entry. */
function firstLineOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const parts: Buffer[] = []
    for (let length = 0; length < FIRST_LINE_MAX; ) {
      const part = Buffer.alloc(64 * 1024)
      const read = readSync(file, part)
      const end = part.subarray(0, read).indexOf('\n')
      parts.push(part.subarray(0, end < 0 ? read : end))
      if (read === 0 || end >= 0) break
      length += read
    }
    return Buffer.concat(parts).toString()
  } finally {
    closeSync(file)
  }
}

/**
 * A file of NDJSON for records that were skipped. It exists only if there is something in it.
 * Errors: OperatorError, from `close`.
 */
export function openSkippedFile({ path, earlier }: SkippedPaths): SkippedFile {
  let hasBegun = false
  let stream: WriteStream | undefined
  let failure: Error | undefined
  function begin(): void {
    if (!hasBegun && earlier !== undefined) renameSync(path, earlier)
    hasBegun = true
  }
  return {
    begin,
    setAside: () => (hasBegun ? earlier : undefined),
    add: (entry) => {
      begin()
      if (stream === undefined) {
        stream = createWriteStream(path, { mode: 0o600 }) // Skipped players are personal data, too.
        stream.on('error', (error) => {
          failure = error
        })
      }
      stream.write(`${JSON.stringify(entry)}\n`)
    },
    drained: async () => {
      const file = stream
      // A file that cannot be written is closed and never drains: `close` says why.
      if (file === undefined || file.destroyed || !file.writableNeedDrain) return
      await new Promise<void>((resolve) => {
        const done = () => {
          file.off('drain', done).off('close', done)
          resolve()
        }
        file.on('drain', done).on('close', done)
      })
    },
    close: async () => {
      if (stream === undefined) return
      await new Promise<void>((resolve) => stream!.end(resolve))
      if (failure !== undefined)
        throw new OperatorError(`cannot write the skipped records to ${path} (${failure.message})`)
    },
  }
}
