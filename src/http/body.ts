/*
 * Reads the body of a request: bounded in bytes, time and nesting, strict in its encoding (decisions 4 and 6).
 */
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { InvalidInput, TooLarge } from '../errors.ts'
import { NESTING_MAX, scanNesting, startNesting, VALUES_MAX } from '../ingest/nesting.ts'
import { TooSlow } from './errors.ts'
import type { BodyLimits } from './route.ts'

/** What is still read, and thrown away, of a body that is too large, so that its sender gets to read the answer. */
const DRAIN_BYTES_MAX = 16 * 1024 * 1024
const RATE_CHECK_MS = 1_000
/** A sender may be slower than the minimum at first. */
const RATE_GRACE_MS = 10_000

/** The value in a JSON body; undefined for an empty one. Errors: InvalidInput and TooLarge with path `body`, TooSlow. */
export async function readJsonBody(stream: Readable, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBytes(stream, limits)
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw new InvalidInput('body', 'expected UTF-8')
  const text = bytes.toString('utf8')
  if (text.startsWith('\ufeff')) throw new InvalidInput('body', 'expected JSON without a byte order mark before it')
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidInput('body', 'expected JSON, and this cannot be read as JSON')
  }
}

async function readBytes(stream: Readable, limits: BodyLimits): Promise<Buffer> {
  const chunks: Buffer[] = []
  const nesting = startNesting()
  let length = 0
  const stopWatching = watchPace(stream, limits, () => length)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > limits.bytesMax + DRAIN_BYTES_MAX) break
      if (length > limits.bytesMax || nesting.deepest > NESTING_MAX || nesting.values > VALUES_MAX) continue
      scanNesting(nesting, chunk.length, (index) => chunk[index]!)
      chunks.push(chunk)
    }
  } finally {
    stopWatching()
  }
  if (length > limits.bytesMax)
    throw new TooLarge('body', `expected at most ${limits.bytesMax} bytes: send the records in several requests`)
  if (nesting.values > VALUES_MAX) {
    throw new TooLarge('body', `expected at most ${VALUES_MAX} values: send the records in several requests`)
  }
  if (nesting.deepest > NESTING_MAX)
    throw new InvalidInput('body', `expected lists and objects nested at most ${NESTING_MAX} levels deep`)
  return Buffer.concat(chunks, length)
}

/** Breaks off a body that takes too long in all, or comes too slowly. Answers how to stop watching. */
function watchPace(stream: Readable, { timeoutMs, bytesPerSecondMin }: BodyLimits, received: () => number): () => void {
  const startedAt = performance.now()
  const timer = setInterval(
    () => {
      const passedMs = performance.now() - startedAt
      const tooSlow = passedMs > RATE_GRACE_MS && (received() / passedMs) * 1_000 < bytesPerSecondMin
      if (passedMs > timeoutMs || tooSlow)
        stream.destroy(new TooSlow('the body of the request took too long to arrive'))
    },
    Math.min(RATE_CHECK_MS, timeoutMs),
  )
  return () => clearInterval(timer)
}
