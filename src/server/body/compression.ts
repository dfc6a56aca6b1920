/*
 * gzip in both directions: for bodies that arrive, and for answers long enough to be worth it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Shorter answers are sent as they are, such as most predictions and summaries of upserts. */
const RESPONSE_BYTES_MIN = 1_024
const gzipped = promisify(gzip)
const INFLATED_CHUNK_BYTES = 64 * 1024

/** An element of `Accept-Encoding` that accepts the coding: not with `q=0`. */
const FORMS = {
  br: /^\s*br\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/,
  gzip: /^\s*(?:x-)?gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/,
} as const

/** Whether the body of a request comes in a coding that we read: identity or gzip. */
export function isReadable({ 'content-encoding': sent }: IncomingHttpHeaders): boolean {
  return ['', 'identity', 'gzip'].includes(negotiateEncoding(sent))
}

/** Whether the body of a request is compressed. */
export function isGzip({ 'content-encoding': sent }: IncomingHttpHeaders): boolean {
  return negotiateEncoding(sent) === 'gzip'
}

/** The body of a request, decompressed while it arrives. The stream fails if the body is not gzip, or ends early. */
export function inflated(request: IncomingMessage): Readable {
  return request.pipe(createGunzip({ chunkSize: INFLATED_CHUNK_BYTES }))
}

/** Whether the client of a request accepts answers in a coding. */
export function takesCoding({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders, coding: 'br' | 'gzip'): boolean {
  const codings = String(accepted).toLowerCase().split(',')
  return codings.some((one) => FORMS[coding].test(one))
}

/** Says that a response depends on the codings that its client accepts. CORS may have set `Vary`, too. */
export function varyByCoding(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '))
}

/** Whether a response depends on the codings that its client accepts. */
export function isLong(payload: unknown): payload is string {
  return typeof payload === 'string' && payload.length >= RESPONSE_BYTES_MIN
}

/** A long response, compressed if the client that sent these headers accepts gzip; undefined if it does not. */
export async function compressedFor(headers: IncomingHttpHeaders, payload: string): Promise<Buffer | undefined> {
  // What cannot be compressed is sent as it is.
  return takesCoding(headers, 'gzip') ? await gzipped(payload).catch(() => undefined) : undefined
}

/** Passes a response to `done`, compressed if it is long and its client accepts gzip. */
export function compressResponse(
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  if (!isLong(payload)) {
    done(null, payload)
    return
  }
  varyByCoding(reply)
  void compressedFor(reply.request.headers, payload).then((bytes) => {
    if (bytes !== undefined) reply.header('content-encoding', 'gzip')
    done(null, bytes ?? payload)
  })
}

function negotiateEncoding(sent: string | undefined): string {
  const coding = (sent ?? '').trim().toLowerCase()
  return coding === 'x-gzip' ? 'gzip' : coding
}
