/*
 * Browsers that are signed in to the console: which cookie they hold, and when it counts.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { InvalidInput } from '../errors.ts'
import type { ConsoleSession, SessionCache } from '../resources/sessions/cache.ts'

/** Identifies whose browser sent a request. */
export type Sessions = Readonly<{
  /** The session of a request; `wrong` if we do not know its cookie, undefined if it has none that counts. */
  find: (request: FastifyRequest) => ConsoleSession | 'wrong' | undefined
}>

type Cookie = Readonly<{ name: string; attributes: string }>

/** Only this host gets it back, only over HTTPS, and no script reads it. */
const SECURE: Cookie = { name: '__Host-laurel', attributes: 'Secure; HttpOnly; SameSite=Strict; Path=/' }
/** For plain HTTP on the browser's own machine. Not Secure: Safari would drop it there (WebKit bug 281149). */
const LOOPBACK: Cookie = { name: 'laurel-console', attributes: 'HttpOnly; SameSite=Strict; Path=/' }
const LOOPBACK_NAME = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i

const COOKIE_VALUE = /^[\w-]{43}$/

/**
 * A cookie counts only in requests from our own pages (decision 131): they carry a header that other origins may not send without a
 * preflight, and the browser says where they come from, or names the origin.
 */
export function createSessions(cache: SessionCache, isServedTo: (request: IncomingMessage) => boolean): Sessions {
  return {
    find: (request) => {
      if (!isServedTo(request.raw) || !isOfOwnPage(request)) return undefined
      const sent = cookieIn(request)
      if (sent === undefined) return undefined
      const isUse = request.headers['x-laurel-console'] === '1'
      return (COOKIE_VALUE.test(sent) ? cache.find(sent, isUse) : undefined) ?? 'wrong'
    },
  }
}

/** Whether a page of the console sent this request: with `x-laurel-console: 1` on behalf of a person, or `0` by itself. */
export function isOfOwnPage(request: FastifyRequest): boolean {
  const { headers, method } = request
  const mark = headers['x-laurel-console']
  if (mark !== '1' && mark !== '0') return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  // Browsers from before 2023 do not say where a request comes from.
  return method === 'GET' || method === 'HEAD' || headers.origin === `${request.protocol}://${request.host}`
}

/** Errors: InvalidInput if a cookie would travel in the clear. */
export function assertMaySignIn(request: FastifyRequest): void {
  if (cookieOf(request) === undefined)
    throw new InvalidInput(
      'url',
      'HTTPS required for the cookie: use https:// (a TLS proxy must send X-Forwarded-Proto and be in TRUSTED_PROXIES) or http://127.0.0.1 locally',
    )
}

/** The header that gives a browser its session. */
export function cookieFor(request: FastifyRequest, value: string): string {
  const { name, attributes } = cookieOf(request)!
  return `${name}=${value}; ${attributes}`
}

/** The header that removes it. */
export function noCookieFor(request: FastifyRequest): string {
  const { name, attributes } = cookieOf(request) ?? LOOPBACK
  return `${name}=; ${attributes}; Max-Age=0`
}

/** The browser's name as people know it, from its user agent. */
export function browserOf({ 'user-agent': agent = '' }: IncomingMessage['headers']): string {
  const names = [
    [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
    [/\bOPR\//, 'Opera'],
    [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
    [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
    [/\bSafari\//, 'Safari'],
  ] as const
  return names.find(([pattern]) => pattern.test(agent))?.[1] ?? 'other'
}

function cookieOf({ protocol, hostname }: FastifyRequest): Cookie | undefined {
  if (protocol === 'https') return SECURE
  return LOOPBACK_NAME.test(hostname) ? LOOPBACK : undefined
}

function cookieIn(request: FastifyRequest): string | undefined {
  const cookie = cookieOf(request)
  if (cookie === undefined) return undefined
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${cookie.name}=`))?.slice(cookie.name.length + 1)
}
