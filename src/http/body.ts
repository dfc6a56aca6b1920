/*
 * Reads the body of a request: bounded in bytes, time and nesting, strict in its encoding (decisions 4 and 6).
 */
import type { IncomingMessage } from 'node:http'
import { InvalidInput, TooLarge, Unavailable } from '../errors.ts'
import type { SentRecords } from '../ingest/batch.ts'
import { NESTING_MAX, type Nesting, scanNesting, startNesting, VALUES_MAX, WIDTH_MAX } from '../ingest/nesting.ts'
import { type SentPiece, valueIn } from '../ingest/pieces.ts'
import { createByteBuffer } from './bytes.ts'
import { ClientGone, TooSlow } from './errors.ts'
import { createListCutter } from './list-body.ts'
import type { BodyLimits } from './route.ts'

/** What is still read, and thrown away, of a body that is too large, so that its sender gets to read the answer. */
const DRAIN_BYTES_MAX = 16 * 1024 * 1024
/** Values that go to another thread at a time: they are copied. */
const PIECE_RECORDS = 200
const RATE_CHECK_MS = 1_000
/** A sender may be slower than the minimum at first. */
const RATE_GRACE_MS = 10_000

/** Asks whether so many bytes more may be held in memory. */
export type Hold = (bytes: number) => boolean

/**
 * The value in a JSON body; undefined for an empty one.
 * Errors: InvalidInput and TooLarge with path `body` or `data`, TooSlow, ClientGone, and Unavailable where `hold` refuses.
 */
export async function readJsonBody(stream: IncomingMessage, limits: BodyLimits, hold: Hold): Promise<unknown> {
  const bytes = createByteBuffer()
  await readBytes(stream, limits, hold, bytes.add)
  return valueIn(bytes.take())
}

/**
 * A list of records, to be read while its bytes arrive; `ended` is when all are there. `listOf` knows the records of a body that has
 * another form. Errors, in `ended` and for whoever reads: the same, and those of `listOf`; what is no JSON within the list, whoever reads
 * finds out.
 */
export function readListBody(
  stream: IncomingMessage,
  limits: BodyLimits,
  hold: Hold,
  listOf: (value: unknown) => readonly unknown[],
): { records: SentRecords; ended: Promise<void> } {
  const arrival = createArrival()
  const cutter = createListCutter(arrival.add)
  const ended = readBytes(stream, limits, hold, cutter.add).then(() => {
    const other = cutter.end()
    if (other === undefined) return
    const records = listOf(other.value)
    for (let at = 0; at < records.length; at += PIECE_RECORDS) arrival.add(records.slice(at, at + PIECE_RECORDS))
  })
  ended.then(arrival.end, arrival.fail)
  return { records: arrival.records, ended }
}

/** Pieces on their way from whom they arrive at to whoever reads them. */
function createArrival() {
  let waiting: SentPiece[] = []
  let state: 'open' | 'ended' | { failure: unknown } = 'open'
  let changed = Promise.withResolvers<void>()

  function tell(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  const records: SentRecords = {
    more: async () => {
      while (state === 'open' && waiting.length === 0) await changed.promise
      if (typeof state === 'object') throw state.failure
      return waiting.length > 0
    },
    take: (piecesMax) => {
      const taken = waiting.slice(0, piecesMax)
      waiting = waiting.slice(piecesMax)
      return taken
    },
  }
  return {
    records,
    add: (piece: SentPiece) => {
      waiting.push(piece)
      tell()
    },
    end: () => {
      state = 'ended'
      tell()
    },
    fail: (failure: unknown) => {
      state = { failure }
      waiting = []
      tell()
    },
  }
}

/** Hands on the bytes of a body as they arrive; resolves to how many there were. */
function readBytes(
  stream: IncomingMessage,
  limits: BodyLimits,
  hold: Hold,
  handOn: (chunk: Buffer, nesting: Nesting) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const nesting = startNesting()
  let length = 0
  let refusal: Error | undefined
  let isOver = false
  let stopWatch = (): void => undefined
  // Most bodies come together with their head, and are whole by then.
  process.nextTick(() => {
    if (isOver || stream.complete) return
    stopWatch = watchPace(
      limits,
      () => length,
      (tooSlow) => giveUp(tooSlow),
    )
  })

  function over(): void {
    isOver = true
    stopWatch()
  }

  function take(chunk: Buffer): void {
    length += chunk.length
    if (refusal === undefined) {
      scanNesting(nesting, chunk)
      refusal = refusalOf(length, nesting, limits) ?? (hold(chunk.length) ? undefined : tooBusy())
      if (refusal === undefined) handOn(chunk, nesting)
    }
    if (refusal !== undefined && length > limits.bytesMax + DRAIN_BYTES_MAX) giveUp(refusal)
  }

  function giveUp(error: Error): void {
    over()
    // Not destroyed: that would take the socket with it, and the answer.
    stream.pause()
    reject(error)
  }

  function end(): void {
    over()
    if (refusal !== undefined) reject(refusal)
    else resolve(length)
  }

  function leave(cause: Error): void {
    over()
    reject(new ClientGone('the body ended before it was whole', { cause }))
  }

  stream.on('data', take).on('end', end).on('error', leave)
  return promise
}

function refusalOf(
  length: number,
  { deepest, values, records, widest }: Nesting,
  { bytesMax, recordsMax }: BodyLimits,
): Error | undefined {
  if (length > bytesMax) return new TooLarge('body', `expected at most ${bytesMax} bytes`)
  if (deepest > NESTING_MAX)
    return new InvalidInput('body', `expected lists and objects nested at most ${NESTING_MAX} levels deep`)
  if (recordsMax !== undefined && records > recordsMax) {
    return new TooLarge('data', `expected at most ${recordsMax} records in one request: send them in several`)
  }
  if (values > VALUES_MAX)
    return new TooLarge('body', `expected at most ${VALUES_MAX} values: send the records in several requests`)
  if (widest > WIDTH_MAX)
    return new TooLarge('body', `expected at most ${WIDTH_MAX} elements in a list or fields in an object`)
  return undefined
}

function tooBusy(): Unavailable {
  return new Unavailable('too many large requests at the same time', { retryAfterS: 5 })
}

/** Notices a body that takes too long in all, or comes too slowly. Answers how to stop watching. */
function watchPace(
  { timeoutMs, bytesPerSecondMin, graceMs = RATE_GRACE_MS }: BodyLimits,
  received: () => number,
  onTooSlow: (error: TooSlow) => void,
): () => void {
  const startedAt = performance.now()
  const check = () => {
    const passedMs = performance.now() - startedAt
    const isSlow = passedMs > graceMs && (received() / passedMs) * 1_000 < bytesPerSecondMin
    if (passedMs > timeoutMs || isSlow) onTooSlow(new TooSlow('the body of the request took too long to arrive'))
  }
  const timer = setInterval(check, Math.min(RATE_CHECK_MS, timeoutMs, graceMs))
  return () => clearInterval(timer)
}
