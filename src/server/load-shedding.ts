/*
 * Requests that could hardly be answered in time are refused before they reach the framework, where a refusal would cost the thread
 * almost as much as a response (decision 113).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { valueIn } from '../engine/ingest/sent-json.ts'
import type { Route, SingleRoute } from '../routing/route.ts'
import type { Caller, Scope } from '../scopes.ts'
import type { Observe } from '../telemetry/observation.ts'
import { isFramed } from './body/body.ts'
import { dataOf } from './body/envelope.ts'
import type { Connections } from './connections/connections.ts'
import { replyFor } from './error-replies.ts'
import { jsonText } from './page-formats.ts'
import { sendPlain } from './send-plain.ts'
import { traceparentIn } from './traceparent.ts'

export type LoadShedding = Readonly<{
  routes: readonly Route[]
  /** The caller whose token has one of these scopes: the token is checked before anything else (decision 2). */
  callerWith: (request: IncomingMessage, scopes: readonly Scope[]) => Caller | undefined
  requestIdOf: (request: IncomingMessage) => string
  connections: Connections
  observe: Observe
}>

type Refusable = SingleRoute & Required<Pick<SingleRoute, 'refusal'>>
type Refused = Readonly<{
  request: IncomingMessage
  response: ServerResponse
  route: Refusable
  caller: Caller
  refusal: Error
}>

const COUNT_MS = 1_000
/** Bodies of refused requests are looked at up to this size, which takes some 10 microseconds: a larger one would make a refusal expensive. */
const LOOKED_AT_BYTES_MAX = 4 * 1024

/** The same listener, without the requests that cannot be answered in time. Those that it would refuse for another reason still reach it. */
export function createLoadShedding({
  routes,
  callerWith,
  requestIdOf,
  connections,
  observe,
}: LoadShedding): (handle: RequestListener) => RequestListener {
  const refusable = routes.filter(
    (route): route is Refusable => route.list === undefined && route.refusal !== undefined,
  )
  let count = 0

  function refuse({ request, response, route, caller, refusal }: Refused): void {
    const { status, body, headers } = replyFor(refusal)
    const requestId = requestIdOf(request)
    // A body that was not announced would be read as the next request.
    const isKept = isFramed(request) && !connections.closesWith(response)
    const closing = isKept ? {} : { connection: 'close' }
    sendPlain(response, {
      status,
      payload: jsonText(body),
      headers: { ...route.headers, 'x-request-id': requestId, ...headers, ...closing },
    })
    if (isKept) connections.pauseReading(request.socket)
    observe({
      kind: 'request-refused',
      requestId,
      method: request.method!,
      route: route.path,
      status,
      tokenId: caller.tokenId,
      traceparent: traceparentIn(request.headers),
    })
    if (count === 0) setTimeout(report, COUNT_MS).unref()
    count += 1
  }

  function report(): void {
    observe({ kind: 'requests-refused', count })
    count = 0
  }

  return (handle) => (request, response) => {
    const route = refusable.find((one) => isFor(one, request))
    const caller = route?.refusal() === undefined ? undefined : callerWith(request, route.scopes)
    if (route === undefined || caller === undefined) return handle(request, response)
    // A body that came with its headers has been read by then. The framework reads or discards what is left of any other (decision 74).
    setImmediate(() => {
      if (!request.complete) return handle(request, response)
      if (response.destroyed) return
      const body = smallBodyOf(request)
      const refusal = route.refusal(body && (() => dataOf(valueIn(body), route.methods)))
      if (refusal === undefined) handle(request, response)
      else refuse({ request, response, route, caller, refusal })
    })
  }
}

/** The body of a complete request, which can still be read after that; undefined if it is not small. */
function smallBodyOf(request: IncomingMessage): Buffer | undefined {
  if (request.readableLength === 0 || request.readableLength > LOOKED_AT_BYTES_MAX) return undefined
  const body: Buffer = request.read(request.readableLength)
  request.unshift(body)
  return body
}

function isFor({ path, methods }: Route, { url = '', method = '', headers }: IncomingMessage): boolean {
  const isPath = url.startsWith(path) && (url.length === path.length || url[path.length] === '?')
  // The framework adds the headers for other origins.
  return isPath && methods.includes(method) && headers.origin === undefined
}
