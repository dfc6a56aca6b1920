/*
 * The service's routes, typed by the schemas of their responses.
 */

import { parseSums } from '../../src/json-sums.ts'
import type { SignedIn } from '../../src/resources/sessions/responses.ts'
import type { RouteName, RouteResponse } from '../../src/server/responses.ts'

/** Who is signed in, and what they may do. */
export type Session = SignedIn

export type ApiRequest = Readonly<{
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | undefined>>
  data?: unknown
}>

/** A request that the service refused: its own sentence, and the request id that its log has, too. */
export class Refused extends Error {
  readonly status: number
  readonly path: string | undefined
  readonly body: Readonly<Record<string, unknown>>
  readonly requestId: string
  /** The scope that the caller lacks. */
  readonly missingScope: string | undefined
  constructor(status: number, body: Readonly<{ error?: string; path?: string }>, headers: Headers) {
    super(body.error ?? `the service responded with status ${status}`)
    this.status = status
    this.path = body.path
    this.body = body
    this.requestId = headers.get('x-request-id') ?? ''
    this.missingScope = /error="insufficient_scope", scope="([\w-]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1]
  }
  /** Whether nobody is signed in, or not any more. */
  get isSignedOut(): boolean {
    return this.status === 401 && this.missingScope === undefined
  }
}

/** There was no response: the service is down, or cannot be reached. */
export class Unreachable extends Error {
  constructor() {
    super('no response from the service')
  }
}

/** How long after a click or a key press the page counts as attended. */
const ATTENDED_MS = 60_000
let actedAtMs = performance.now()
for (const event of ['pointerdown', 'keydown'])
  addEventListener(event, () => (actedAtMs = performance.now()), { capture: true, passive: true })

function isAttended(): boolean {
  return performance.now() - actedAtMs < ATTENDED_MS
}

type Listener = () => void
const signedOut = new Set<Listener>()

/** Calls `listener` whenever a response says that nobody is signed in. Returns a function that stops it. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener)
  return () => void signedOut.delete(listener)
}

/** Errors: Refused, Unreachable. */
export async function ask<Name extends RouteName>(
  name: Name,
  request: ApiRequest = {},
  signal?: AbortSignal,
): Promise<RouteResponse<Name>> {
  return (await responseOf(methodOf(name), addressOf(name, request), request.data, signal)) as RouteResponse<Name>
}

/** Signs in with a token or a one-time code, says who is signed in, or signs out. Errors: Refused, Unreachable. */
export async function askSession(
  method: 'GET' | 'POST' | 'DELETE',
  credential?: Readonly<{ token: string } | { code: string }>,
): Promise<Session> {
  return (await responseOf(method, '/api/console/session', credential)) as Session
}

async function responseOf(method: string, address: string, data?: unknown, signal?: AbortSignal): Promise<unknown> {
  const { status, body, headers } = await send(method, address, data, signal)
  if (status === 200) return body
  const refused = new Refused(status, body as { error?: string }, headers)
  if (refused.isSignedOut) for (const listener of signedOut) listener()
  throw refused
}

/** One request, with the header that marks it as sent by our own page. Errors: Unreachable. */
export async function send(
  method: string,
  address: string,
  data?: unknown,
  signal?: AbortSignal,
): Promise<Readonly<{ status: number; body: unknown; headers: Headers }>> {
  const type = data === undefined ? {} : { 'content-type': 'application/json' }
  const options = {
    method,
    // 0 if the page asks by itself: a session that nobody uses expires.
    headers: { accept: 'application/json', 'x-laurel-console': isAttended() ? '1' : '0', ...type },
    ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    ...(signal === undefined ? {} : { signal }),
  }
  try {
    const response = await fetch(address, options)
    const text = await response.text()
    return { status: response.status, body: parsed(text), headers: response.headers }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable()
  }
}

function parsed(text: string): unknown {
  try {
    // Sums beyond 2^53-1 as texts, which exact.ts takes like numbers.
    return parseSums(text, String)
  } catch {
    return {}
  }
}

export function methodOf(name: RouteName): string {
  return name.slice(0, name.indexOf(' '))
}

/** The path of a route with its parameters filled in. */
export function addressOf(name: RouteName, { params = {}, query = {} }: ApiRequest): string {
  const path = name.slice(name.indexOf(' ') + 1)
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  const present = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(present).toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** The same request as a command: `$TOKEN` is the caller's. */
export function curlOf(name: RouteName, request: ApiRequest): string {
  const method = methodOf(name)
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${location.origin}${addressOf(name, request)}`)}`,
    '-H "token: $TOKEN"',
    ...(request.data === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify({ data: request.data }))}`]),
  ]
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
