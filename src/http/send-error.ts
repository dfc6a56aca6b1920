import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Observe } from '../telemetry/observation.ts'
import { hasBody } from './body.ts'
import { type ErrorReply, replyFor, statusOfClientError } from './errors.ts'

/** Answers a request with what `replyFor` makes of a thrown value; a fault of ours is observed. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, observe: Observe): void {
  const answer = replyFor(error)
  // The rest of a body that nobody reads would keep the connection for as long as its sender likes.
  const leftUnread = hasBody(request.raw) && !request.raw.complete
  if (answer.ours) observe({ kind: 'request-failed', requestId: request.id, error })
  reply
    .code(answer.status)
    .headers({
      'x-request-id': request.id,
      'cache-control': 'no-store',
      ...answer.headers,
      ...(leftUnread ? { connection: 'close' } : {}),
    })
    .send(answer.body)
}

/** Answers what is not even HTTP, in the same shape; there is no request and no reply to do it with. */
export function answerBrokenRequest(error: Error, socket: Socket): void {
  if (!socket.writable) return
  const { status, phrase, error: text } = statusOfClientError(error)
  const body = JSON.stringify(status === 400 ? { path: 'request', error: text } : { error: text })
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
}

const UNMET_EXPECTATION = {
  status: 417,
  body: { path: 'header.expect', error: 'expected 100-continue or no such header' },
} satisfies ErrorReply

/** Answers a request with an `Expect` other than 100-continue (RFC 9110, 10.1.1): the only one there is. Its body is not waited for. */
export function refuseExpectation(_: IncomingMessage, response: ServerResponse): void {
  const { status, body } = UNMET_EXPECTATION
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': JSON.stringify(body).length,
      connection: 'close',
    })
    .end(JSON.stringify(body))
}
