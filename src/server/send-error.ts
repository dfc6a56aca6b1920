import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Unauthorized, Unavailable } from '../errors.ts'
import { DISCARDED_BODY, UNANNOUNCED_BODY } from '../routing/body-limits.ts'
import type { Observe } from '../telemetry/observation.ts'
import { hasBody, isFramed } from './body/body.ts'
import { type ErrorReply, replyFor, statusOfClientError, TooSlow } from './error-replies.ts'
import { JSON_TYPE, jsonText } from './page-formats.ts'

/** Answers a request with what `replyFor` makes of a thrown value, and observes it. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, observe: Observe): void {
  const response = replyFor(error)
  observeError(error, request.id, observe)
  if (error instanceof Unauthorized && error.missing !== undefined)
    observe({ kind: 'scope-refused', requestId: request.id, address: request.ip, ...error.missing })
  const text = jsonText(response.body)
  reply.code(response.status).headers({ 'cache-control': 'no-store', 'content-type': JSON_TYPE, ...response.headers })
  // A sender who was too slow is not waited for again.
  const isMoreToCome = hasBody(request.raw) && !request.raw.complete && !(error instanceof TooSlow)
  const { takesBody } = request.routeOptions.config as { takesBody?: boolean }
  const isUnannounced = takesBody === true && !isFramed(request.raw)
  if (!isMoreToCome && !isUnannounced) {
    reply.send(text)
    return
  }
  const responseBefore = isUnannounced ? responseBeforeUnannounced : responseBeforeRest
  reply
    .headers({ connection: 'close', 'content-length': Buffer.byteLength(text) })
    .send(Readable.from(responseBefore(text, request.raw)))
}

/** Observes a fault of ours, and one of the database. */
export function observeError(error: unknown, requestId: string, observe: Observe): void {
  if (replyFor(error).ours) observe({ kind: 'request-failed', requestId, error })
  if (error instanceof Unavailable && error.cause !== undefined)
    observe({ kind: 'database-failed', requestId, error: error.cause })
}

/**
 * Yields a response, and ends when the rest of its request has been read and discarded: closing the connection while its client is still
 * sending would lose the response. Beyond `DISCARDED_BODY` it gives up on the sender (decision 74).
 */
async function* responseBeforeRest(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text
  const { promise: isOver, resolve: stop } = Promise.withResolvers<void>()
  let bytes = 0
  const onData = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARDED_BODY.bytesMax) stop()
  }
  const timer = setTimeout(stop, DISCARDED_BODY.timeoutMs)
  request.on('data', onData).once('close', stop).once('end', stop)
  request.resume()
  try {
    if (!request.complete && !request.destroyed) await isOver
  } finally {
    clearTimeout(timer)
    request.off('data', onData).pause()
  }
}

/**
 * Yields the last response of a connection, and ends a moment later. What arrives meanwhile is read: a body that was not announced comes right
 * behind its request, and closing the connection with bytes unread would lose the response.
 */
async function* responseBeforeUnannounced(text: string, { socket }: IncomingMessage): AsyncGenerator<string> {
  yield text
  await once(socket, 'close', { signal: AbortSignal.timeout(UNANNOUNCED_BODY.timeoutMs) }).catch(() => undefined)
}

/** Answers bytes that are not HTTP, in the same shape; there is no request and no reply to do it with. */
export function respondToBrokenRequest(error: Error, socket: Socket): void {
  if (!socket.writable) return
  const { status, phrase, error: text } = statusOfClientError(error)
  const { headers, body } = lastResponse(status === 400 ? { path: 'request', error: text } : { error: text })
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${head.join('')}\r\n${body}`)
}

const UNMET_EXPECTATION = {
  status: 417,
  body: { path: 'header.expect', error: 'expected 100-continue or no such header' },
} satisfies ErrorReply

/** Answers a request with an `Expect` other than 100-continue, the only one there is (RFC 9110, 10.1.1). Its body is not awaited. */
export function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = lastResponse(UNMET_EXPECTATION.body)
  response.writeHead(UNMET_EXPECTATION.status, headers).end(body)
}

/** A response that bypasses the framework, and closes its connection. */
function lastResponse(value: ErrorReply['body']) {
  const body = jsonText(value)
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'x-request-id': randomUUID(),
    connection: 'close',
  }
  return { headers, body }
}
