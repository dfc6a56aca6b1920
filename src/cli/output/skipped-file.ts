import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { OperatorError } from '../../errors.ts'

export type SkippedFile = Readonly<{
  /** Removes the file of an earlier run. Called only once the service has accepted something of this one. */
  begin: () => void
  add: (entry: object) => void
  /** Waits until the stream has drained, so that a slow disk does not fill up memory. */
  drained: () => Promise<void>
  close: () => Promise<void>
}>

/**
 * A file of NDJSON for records that were skipped. It exists only if there is something in it.
 * Errors: OperatorError, from `close`.
 */
export function openSkippedFile(path: string): SkippedFile {
  let hasBegun = false
  let stream: WriteStream | undefined
  let failure: Error | undefined
  function begin(): void {
    if (!hasBegun && stream === undefined) rmSync(path, { force: true })
    hasBegun = true
  }
  return {
    begin,
    add: (entry) => {
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
