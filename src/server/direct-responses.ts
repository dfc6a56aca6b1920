/*
 * Answers the usual requests of a route that is asked thousands of times a second without the framework, which takes a third of the time of a prediction.
 * Those that have arrived together are answered together: then they share a statement, and wake their clients once. Whatever is unusual about a request
 * leaves it to the framework, as it came. Both ways share their checks, and answer alike (test/contract/direct-responses.test.ts).
 */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { valueIn } from '../engine/ingest/sent-json.ts'
import { BODY_MEMORY } from '../routing/body-limits.ts'
import type { Route, SingleRoute } from '../routing/route.ts'
import type { Caller, Scope } from '../scopes.ts'
import type { Observe } from '../telemetry/observation.ts'
import { assertWithin } from './body/body.ts'
import type { ReservationFor } from './body/body-budget.ts'
import { compressedFor, isLong } from './body/compression.ts'
import { dataOf } from './body/envelope.ts'
import type { Connections } from './connections/connections.ts'
import { replyFor } from './error-replies.ts'
import { jsonText } from './page-formats.ts'
import { observeError } from './send-error.ts'
import { sendPlain } from './send-plain.ts'
import { traceparentIn } from './traceparent.ts'

type DirectResponses = Readonly<{
  routes: readonly Route[]
  callerWith: (request: IncomingMessage, scopes: readonly Scope[]) => Caller | undefined
  requestIdOf: (request: IncomingMessage) => string
  reservationFor: ReservationFor
  connections: Connections
  trustedProxies: readonly string[]
  corsOrigins: readonly string[]
  observe: Observe
}>

type DirectRoute = SingleRoute & Required<Pick<SingleRoute, 'body' | 'isDirect'>>
/** What is asked by an address: a route with its flags. */
type Asked = Readonly<{ route: DirectRoute; flags: Readonly<Record<string, boolean>> }>
type Arrived = Asked &
  Readonly<{ request: IncomingMessage; response: ServerResponse; handle: RequestListener; arrivedAt: number }>

const OK = 200
const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8', 'application/json;charset=utf-8'])

/** The same listener, which gets only what is unusual. */
export function respondDirectly({
  routes,
  callerWith,
  requestIdOf,
  reservationFor,
  connections,
  trustedProxies,
  corsOrigins,
  observe,
}: DirectResponses): (handle: RequestListener) => RequestListener {
  const routeByAddress = addressesOf(routes)
  let waiting: Arrived[] = []

  function responseWaiting(): void {
    const arrived = waiting
    waiting = []
    for (const one of arrived) void reply(one)
  }

  async function reply(arrived: Arrived): Promise<void> {
    const { route, request, response, handle, arrivedAt } = arrived
    if (response.destroyed) return
    const caller = callerWith(request, route.scopes)
    const bytes = request.readableLength
    const isWhole = request.complete && bytes === Number(request.headers['content-length'])
    if (caller === undefined || !isWhole || bytes === 0) return handle(request, response)
    const client = { token: caller.tokenId, address: request.socket.remoteAddress ?? '' }
    if (reservationFor(response, client).arrived(bytes) !== true) return handle(request, response)
    const requestId = requestIdOf(request)
    const { status, payload, headers } = await responseOf(arrived, caller, requestId)
    if (response.destroyed) return
    const closing = connections.closesWith(response) ? { connection: 'close' } : {}
    connections.sending(payload.length)
    response.once('finish', () => {
      const durationMs = performance.now() - arrivedAt
      observe({
        kind: 'request-answered',
        requestId,
        method: request.method!,
        route: route.path,
        status,
        durationMs,
        tokenId: caller.tokenId,
        traceparent: traceparentIn(request.headers),
      })
    })
    sendPlain(response, {
      status,
      payload,
      headers: { ...route.headers, 'x-request-id': requestId, ...headers, ...closing },
    })
  }

  async function responseOf({ route, flags, request, response }: Arrived, caller: Caller, requestId: string) {
    const isAbandoned = () => response.destroyed || request.socket.destroyed
    try {
      const body: Buffer = request.read(request.readableLength)
      assertWithin(body, route.body)
      const data = dataOf(valueIn(body), route.methods)
      const deadlineAt = performance.now() + route.timeoutMs
      const text = jsonText(
        await route.handle({ caller, flags, texts: {}, params: {}, requestId, isAbandoned, data, deadlineAt }),
      )
      if (!isLong(text)) return { status: OK, payload: text, headers: {} }
      const bytes = await compressedFor(request.headers, text)
      const coding = bytes === undefined ? {} : { 'content-encoding': 'gzip' }
      return { status: OK, payload: bytes ?? text, headers: { vary: 'accept-encoding', ...coding } }
    } catch (error) {
      observeError(error, requestId, observe)
      const { status, body, headers = {} } = replyFor(error)
      return { status, payload: jsonText(body), headers }
    }
  }

  function isUsual(headers: IncomingHttpHeaders): boolean {
    return (
      JSON_TYPES.has(headers['content-type'] ?? '') &&
      Number(headers['content-length']) <= BODY_MEMORY.smallBytesMax &&
      headers['content-encoding'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      (trustedProxies.length === 0 || headers['x-forwarded-for'] === undefined)
    )
  }

  return (handle) => {
    // For the pages of other origins, the framework adds headers to every response.
    if (corsOrigins.length > 0) return handle
    return (request, response) => {
      const { url = '', method = '', headers } = request
      const match = routeByAddress.get(url)
      if (match === undefined || !match.route.methods.includes(method) || !isUsual(headers))
        return handle(request, response)
      if (waiting.length === 0) setImmediate(responseWaiting)
      waiting.push({ ...match, request, response, handle, arrivedAt: performance.now() })
    }
  }
}

/** What is asked by the usual addresses of direct routes: the path alone, or with one flag. */
function addressesOf(routes: readonly Route[]): ReadonlyMap<string, Asked> {
  const addresses = new Map<string, Asked>()
  for (const route of routes) {
    if (!isDirect(route)) continue
    const none = Object.fromEntries(route.flags.map((name) => [name, false]))
    addresses.set(route.path, { route, flags: none })
    for (const name of route.flags)
      addresses.set(`${route.path}?${name}=true`, { route, flags: { ...none, [name]: true } })
  }
  return addresses
}

function isDirect(route: Route): route is DirectRoute {
  return route.list === undefined && route.isDirect === true && route.body !== undefined
}
