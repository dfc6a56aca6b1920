/*
 * The one place where a thrown value becomes a status and a body (specification 7; decision 4).
 */
import {
  ClientGone,
  Conflict,
  InvalidInput,
  NotFound,
  NotRedeemable,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
} from '../errors.ts'
import { jsonSum } from '../json-sums.ts'

/** The body of a request did not arrive in time (408). */
export class TooSlow extends Error {}

/** The path is known, the method is not (405). */
export class MethodNotAllowed extends Error {
  readonly allow: readonly string[]
  constructor(method: string, allow: readonly string[]) {
    super(`${method} not allowed, use ${allow.join(', ')}`)
    this.allow = allow
  }
}

export type ErrorReply = Readonly<{
  status: number
  /** `theirs`: the state that somebody else has changed since the caller read it. `available`: the points that can be spent. */
  body: Readonly<{ path?: string; error: string; theirs?: unknown; available?: number }>
  headers?: Readonly<Record<string, string>>
  /** Whether the fault is ours: its cause belongs in the log. */
  ours?: true
}>

/** Errors that Fastify itself may throw before a route runs, by code. */
const FRAMEWORK_ERRORS: Readonly<Record<string, ErrorReply>> = {
  FST_ERR_BAD_URL: { status: 400, body: { path: 'url', error: 'invalid percent-encoding in the path' } },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, body: { error: 'URL too long' } },
}

/** The response for a thrown value. Anything that is not listed here is a fault of ours, and its cause is never sent. */
export function replyFor(thrown: unknown): ErrorReply {
  if (thrown instanceof TooLarge) return { status: 413, body: { path: thrown.path, error: thrown.message } }
  if (thrown instanceof InvalidInput) return { status: 400, body: { path: thrown.path, error: thrown.message } }
  if (thrown instanceof Unauthorized)
    return { status: 401, body: { error: thrown.message }, headers: { 'www-authenticate': challengeOf(thrown) } }
  if (thrown instanceof NotFound) return { status: 404, body: { error: thrown.message } }
  if (thrown instanceof Conflict)
    return { status: 409, body: { path: thrown.path, error: thrown.message, theirs: thrown.theirs } }
  if (thrown instanceof NotRedeemable) return { status: 409, body: unredeemed(thrown) }
  if (thrown instanceof MethodNotAllowed)
    return { status: 405, body: { error: thrown.message }, headers: { allow: thrown.allow.join(', ') } }
  // The rest of the body is not read, so the connection cannot carry another request.
  if (thrown instanceof TooSlow)
    return { status: 408, body: { error: thrown.message }, headers: { connection: 'close' } }
  if (thrown instanceof ClientGone) return { status: 400, body: { path: 'body', error: thrown.message } }
  if (thrown instanceof TooManyRequests)
    return { status: 429, body: { error: thrown.message }, headers: { 'retry-after': String(thrown.retryAfterS) } }
  if (thrown instanceof Unavailable)
    return { status: 503, body: { error: thrown.message }, headers: { 'retry-after': String(thrown.retryAfterS) } }
  const framework = FRAMEWORK_ERRORS[codeOf(thrown)]
  return framework ?? { status: 500, body: { error: 'internal error' }, ours: true }
}

function unredeemed({ path, message, available }: NotRedeemable): ErrorReply['body'] {
  return { path, error: message, available: jsonSum(available) }
}

/** The challenge of a 401 (RFC 6750, 3): it names a missing scope, but says nothing about an invalid token (decision 67). */
function challengeOf({ missing }: Unauthorized): string {
  return missing === undefined ? 'Bearer' : `Bearer error="insufficient_scope", scope="${missing.scope}"`
}

/** Whether this is what Fastify throws when no handler takes a request. */
export function isNotFound(thrown: unknown): boolean {
  return codeOf(thrown) === 'FST_ERR_NOT_FOUND'
}

/** The statuses of requests that are not even HTTP, by the code of the parser's error. */
export function statusOfClientError(error: unknown): { status: number; phrase: string; error: string } {
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, phrase: 'Request Header Fields Too Large', error: 'the headers are too large' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, phrase: 'Request Timeout', error: 'timed out reading the request' }
    default:
      return { status: 400, phrase: 'Bad Request', error: `this is not an HTTP/1.1 request${hintOf(error)}` }
  }
}

/** A body that was sent without its length is parsed as the next request. */
function hintOf(error: unknown): string {
  const { rawPacket, bytesParsed } = error as { rawPacket?: Buffer; bytesParsed?: number }
  const rest = rawPacket?.subarray(bytesParsed).toString('latin1') ?? ''
  return /^\s*[{[]/.test(rest) ? ', but looks like the body of one: send its length in Content-Length' : ''
}

function codeOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : ''
}
