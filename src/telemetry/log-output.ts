import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** Lines that may wait for a reader that has stalled. */
const WAITING_BYTES_MAX = 1024 * 1024

/** How long the end of a process waits for them. */
export const LOG_FLUSH_TIMEOUT_MS = 1_000

/** Errors of a pipe, and of a terminal, whose other end is closed. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO'])

/** Where log lines go. */
export type LogOutput = Readonly<{
  /** Writes a line without waiting for it. */
  write: (line: string) => void
  /** How many lines were dropped since the start. */
  droppedLines: () => number
  /** Waits until what is waiting has been written, at most `timeoutMs`. */
  flush: (timeoutMs: number) => Promise<void>
}>

/**
 * Writes log lines to a stream, normally standard output, and never waits for the reader of a pipe: while more than 1 MiB is waiting, lines are
 * dropped and counted. If the reader is gone, all further lines are dropped. A terminal that is stopped (Ctrl-S) stops the process: Node writes to it
 * synchronously.
 *
 * The stream of Node rather than pino's own destination: for a pipe that is full, the latter blocks the thread, or, if asynchronous, a thread of
 * Node's pool, without which the process cannot end.
 */
export function createLogOutput(stream: Writable): LogOutput {
  let dropped = 0
  let isGone = false
  stream.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    // A line that could not be written, as on a full disk, is lost; the next one may succeed.
    if (READER_GONE.has(code)) isGone = true
    else dropped += 1
  })
  return {
    write: (line) => {
      if (isGone || stream.writableLength > WAITING_BYTES_MAX) dropped += 1
      else stream.write(line)
    },
    droppedLines: () => dropped,
    flush: async (timeoutMs) => {
      if (isGone || stream.writableLength === 0) return
      // An empty write ends behind the lines that wait, or with their error.
      const drained = new Promise<void>((resolve) => stream.write('', () => resolve()))
      await Promise.race([drained, sleep(timeoutMs)])
    },
  }
}
