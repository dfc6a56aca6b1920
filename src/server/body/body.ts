/*
 * Reads the body of a request: bounded in bytes, time and nesting, strict about its encoding (decisions 4 and 6).
 */
import type { IncomingMessage } from 'node:http'
import type { SentRecords } from '../../engine/ingest/batch.ts'
import { type Nesting, scanNesting, startNesting } from '../../engine/ingest/nesting.ts'
import { valueIn } from '../../engine/ingest/sent-json.ts'
import { ClientGone, InvalidInput, TooLarge, TooManyRequests, Unavailable } from '../../errors.ts'
import { BODY_FORM, BODY_MEMORY, BODY_PACE, type BodyLimits } from '../../routing/body-limits.ts'
import { TooSlow } from '../error-replies.ts'
import { createArrivingRecords } from './arriving-records.ts'
import type { BodyReservation, MemoryRefusal } from './body-budget.ts'
import { createByteBuffer } from './byte-buffer.ts'
import { inflated, isGzip } from './compression.ts'
import { createListCutter } from './list-body.ts'

/** Values that go to another thread at once: they are copied. */
const CHUNK_RECORDS = 200

const NOT_GZIP = 'expected a gzip-compressed body, as in Content-Encoding'

/** Whether a request says where its body ends, if only that it is empty. Without that, bytes behind it are read as the next request. */
export function isFramed({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * The value in a JSON body; undefined for an empty one.
 * Errors: InvalidInput and TooLarge with path `body` or `data`, TooSlow, ClientGone, and
 * Unavailable or TooManyRequests if `reservation` gets no memory.
 */
export async function readJsonBody(
  stream: IncomingMessage,
  limits: BodyLimits,
  reservation: BodyReservation,
): Promise<unknown> {
  const bytes = createByteBuffer()
  await readBytes(stream, limits, reservation, bytes.add)
  return valueIn(bytes.take())
}

/**
 * A list of records that can be read while its bytes arrive; `ended` resolves when all have arrived. `listIn` finds the records in a body
 * that does not begin like `{"data": [ ... ]}`. Errors, in `ended` and for the reader: as above, and those of `listIn`; invalid JSON within
 * the list is left for the reader to find.
 */
export function readListBody(
  stream: IncomingMessage,
  limits: BodyLimits,
  reservation: BodyReservation,
  listIn: (body: unknown) => readonly unknown[],
): { records: SentRecords; ended: Promise<void> } {
  const arriving = createArrivingRecords()
  const cutter = createListCutter(arriving.add)
  const ended = readBytes(stream, limits, reservation, cutter.add).then(() => {
    const other = cutter.end()
    if (other === undefined) return
    const records = listIn(other.value)
    for (let at = 0; at < records.length; at += CHUNK_RECORDS) arriving.add(records.slice(at, at + CHUNK_RECORDS))
  })
  ended.then(arriving.end, arriving.fail)
  return { records: arriving.records, ended }
}

/** Passes on the bytes of a body as they arrive, decompressed; resolves to how many there were. */
function readBytes(
  request: IncomingMessage,
  limits: BodyLimits,
  reservation: BodyReservation,
  onChunk: (chunk: Buffer, nesting: Nesting) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const nesting = startNesting()
  let length = 0
  let isOver = false
  let stopWatch = (): void => undefined
  // An empty body is no gzip stream: whoever needs a body says that there is none.
  const isCompressed = isGzip(request.headers) && hasBody(request)
  const announced = Number(request.headers['content-length'] ?? 0)
  // Nothing is reserved for a body that announces too much: it is refused once it exceeds the limit. The size of a compressed body is unknown.
  const isAnnounced = !isCompressed && announced > 0 && announced <= limits.bytesMax
  const stream = isCompressed ? inflated(request) : request

  function stop(): void {
    isOver = true
    stopWatch()
    if (!isCompressed) return
    request.unpipe()
    stream.destroy()
  }

  function onData(chunk: Buffer): void {
    length += chunk.length
    scanNesting(nesting, chunk)
    let refusal = checkBodyLimits(length, nesting, limits)
    if (refusal === undefined) {
      const reserved = reservation.arrived(length)
      if (reserved !== true) refusal = noMemory(reserved)
    }
    if (refusal === undefined) onChunk(chunk, nesting)
    else giveUp(refusal)
  }

  /** Whoever answers discards the rest of the body (decision 74). */
  function giveUp(error: Error): void {
    stop()
    stream.off('data', onData).off('end', onEnd)
    // Destroying it would destroy the socket, and lose the response.
    request.pause()
    reject(error)
  }

  function onEnd(): void {
    stop()
    resolve(length)
  }

  function onError(cause: Error): void {
    stop()
    reject(new ClientGone('incomplete request body', { cause }))
  }

  function begin(reserved: true | MemoryRefusal): void {
    if (reserved !== true) {
      giveUp(noMemory(reserved))
      return
    }
    stream.on('data', onData).on('end', onEnd)
    // Most bodies arrive together with their headers, and are complete by then; at the next tick they are not yet.
    setImmediate(() => {
      if (isOver || request.complete) return
      stopWatch = watchPace(limits, () => length, reservation.shrinkTo, giveUp)
    })
  }

  request.on('error', onError)
  if (isCompressed) stream.on('error', () => giveUp(new InvalidInput('body', NOT_GZIP)))
  const reserving = isAnnounced ? reservation.announced(announced) : true
  if (reserving === true) begin(true)
  else void reserving.then(begin)
  return promise
}

/** Checks a body that has arrived whole. Errors: InvalidInput and TooLarge, as above. */
export function assertWithin(bytes: Uint8Array, limits: BodyLimits): void {
  const nesting = startNesting()
  scanNesting(nesting, bytes)
  const refusal = checkBodyLimits(bytes.length, nesting, limits)
  if (refusal !== undefined) throw refusal
}

function checkBodyLimits(
  length: number,
  { deepest, values, records, widest }: Nesting,
  { bytesMax, recordsMax }: BodyLimits,
): Error | undefined {
  const { nestingMax, valuesMax, widthMax } = BODY_FORM
  if (length > bytesMax) return new TooLarge('body', `expected at most ${bytesMax} bytes`)
  if (deepest > nestingMax)
    return new InvalidInput('body', `expected arrays and objects nested at most ${nestingMax} levels deep`)
  // Counted within the list, whatever the form of the rest of the body: the only place that enforces the limit on records.
  if (recordsMax !== undefined && records > recordsMax) {
    return new TooLarge('data', `expected at most ${recordsMax} records per request: split the batch`)
  }
  if (values > valuesMax) return new TooLarge('body', `expected at most ${valuesMax} values: split the batch`)
  if (widest > widthMax)
    return new TooLarge('body', `expected at most ${widthMax} elements in an array or fields in an object`)
  return undefined
}

function noMemory(refusal: MemoryRefusal): Error {
  return refusal === 'all'
    ? new Unavailable('too many large requests at the same time', { retryAfterS: 5 })
    : new TooManyRequests('too many large requests at the same time with this token or from this address', 5)
}

/**
 * Watches for a body that takes too long in total, or arrives too slowly, and releases the memory that it will not need soon. Returns a function
 * that stops watching.
 */
function watchPace(
  { timeoutMs, bytesPerSecondMin, graceMs = BODY_PACE.graceMs }: BodyLimits,
  received: () => number,
  shrinkTo: (bytes: number) => void,
  onTooSlow: (error: TooSlow) => void,
): () => void {
  const startedAt = performance.now()
  let last = { at: startedAt, bytes: received() }
  const check = () => {
    const now = performance.now()
    const passedMs = now - startedAt
    const aheadBytes = ((received() - last.bytes) / (now - last.at)) * 1_000 * BODY_MEMORY.aheadS
    last = { at: now, bytes: received() }
    shrinkTo(last.bytes + Math.ceil(aheadBytes))
    const isSlow = passedMs > graceMs && (received() / passedMs) * 1_000 < bytesPerSecondMin
    if (passedMs > timeoutMs || isSlow) onTooSlow(new TooSlow('timed out reading the request body'))
  }
  const timer = setInterval(check, Math.min(BODY_PACE.checkMs, timeoutMs, graceMs))
  return () => clearInterval(timer)
}
