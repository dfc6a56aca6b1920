/*
 * The reception: all options of the server, and what every route has in common. Tests run what ships, because both call `buildApp`.
 */
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { InvalidInput, NotFound, TooLarge } from '../errors.ts'
import { shown } from '../ingest/shown.ts'
import type { TokenCache } from '../operations/tokens/token-cache.ts'
import type { Observe } from '../telemetry/observation.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { type Hold, readJsonBody, readListBody } from './body.ts'
import { MethodNotAllowed, replyFor, statusOfClientError } from './errors.ts'
import { checkMediaType } from './media-type.ts'
import { openApiOf } from './openapi.ts'
import { readParameters } from './parameters.ts'
import type { Route } from './route.ts'
import { PUBLIC_PATHS, type PublicRoutes, registerPublicRoutes } from './routes/public-routes.ts'

export type AppDeps = Readonly<{
  routes: readonly Route[]
  doors: Omit<PublicRoutes, 'openApi'>
  tokens: TokenCache
  now: () => Date
  observe: Observe
  /** Addresses of proxies whose word on the client's address is taken; none: nobody's. */
  trustedProxies: readonly string[]
  connectionsMax: number
  /** Bytes of bodies held in memory at a time, over all requests; above that 503. */
  heldBytesMax: number
  /** Whether we are about to stop: then a connection ends with its answer, or one kept for the next request would hold up the stop. */
  isRetiring: () => boolean
}>

const HEADER_BYTES_MAX = 16 * 1024
const PARAM_LENGTH_MAX = 2_400
const HEADERS_TIMEOUT_MS = 10_000
/** Longer than what proxies keep a connection for, so that they never write into one that we are closing. */
const KEEP_ALIVE_MS = 75_000
/** Node ends any request that has not arrived by then; the routes' own limits (decision 6) come first. */
const REQUEST_TIMEOUT_MS = 620_000

/** The server with all its routes, not yet listening. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: HEADER_BYTES_MAX,
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, deps.observe),
    clientErrorHandler: answerBrokenRequest,
  })
  app.server.maxConnections = deps.connectionsMax
  // Bodies are read by the routes that have one, in the order of decision 2; what comes to others Node throws away after the answer.
  for (const method of http.METHODS) {
    if (method !== 'CONNECT') app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  let heldBytes = 0
  const holdFor: HoldFor = ({ raw }) => {
    let held = 0
    return (bytes) => {
      if (raw.destroyed || heldBytes + bytes > deps.heldBytesMax) return false
      // Closed is also a response whose client has left, and which is never finished.
      if (held === 0)
        raw.on('close', () => {
          heldBytes -= held
        })
      held += bytes
      heldBytes += bytes
      return true
    }
  }
  app.addHook('onSend', (_, reply, __, done) => {
    if (deps.isRetiring()) reply.header('connection', 'close')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    deps.observe({
      kind: 'request-answered',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    })
    if (deps.isRetiring()) request.raw.socket.destroySoon()
    done()
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, deps.observe))
  app.setNotFoundHandler((request, reply) =>
    sendError(new NotFound('there is nothing at this address'), request, reply, deps.observe),
  )

  const reception = createAuthenticator(deps.tokens, deps.now, () => deps.observe({ kind: 'token-refused' }))
  registerPublicRoutes(app, { ...deps.doors, openApi: JSON.stringify(openApiOf(deps.routes)) }, reception)
  for (const route of deps.routes) registerRoute(app, route, reception, holdFor)
  for (const path of new Set([...PUBLIC_PATHS, ...deps.routes.map(({ path }) => path)])) refuseOtherMethods(app, path)
  return app
}

/** The bytes of its body that a request may hold in memory until its answer is out, or its client has left. */
type HoldFor = (reply: FastifyReply) => Hold

function registerRoute(app: FastifyInstance, route: Route, reception: Authenticator, holdFor: HoldFor): void {
  const { flags, texts = [], methods } = route
  const headers = { 'cache-control': 'no-store', ...route.headers }
  const takesBody = route.list !== undefined || route.body !== undefined
  app.route({
    method: [...methods],
    url: route.path,
    handler: async (request, reply) => {
      reply.headers(headers)
      // Before anything of the body is read: the token, then the media type, then the parameters (decision 2).
      const caller = reception.authenticate(request.raw, request.ip, route.scope)
      if (takesBody && hasBody(request.raw)) checkMediaType(request.headers)
      const parameters = readParameters(request.query as Record<string, unknown>, { flags, texts })
      const params = request.params as Record<string, string>
      const asked = { caller, ...parameters, params }
      if (route.list !== undefined) {
        const { records, ended } = readListBody(request.raw, route.list, holdFor(reply), (value) =>
          listIn(dataOf(value, methods), route.list.recordsMax),
        )
        return answerAtEnd(ended, route.handle({ ...asked, records }), reply)
      }
      const data =
        route.body === undefined
          ? undefined
          : dataOf(await closing(reply, readJsonBody(request.raw, route.body, holdFor(reply))), methods)
      // PostgreSQL cannot be asked for a NUL, and no name has one.
      if (Object.values(params).some((param) => param.includes('\0')))
        throw new NotFound('there is nothing at this address')
      return route.handle({ ...asked, data, deadlineAt: performance.now() + route.timeoutMs })
    },
  })
}

/** The answer of a list route, not before its body has ended: what refuses the body goes before what was found in it. */
async function answerAtEnd(ended: Promise<void>, answered: Promise<unknown>, reply: FastifyReply): Promise<unknown> {
  answered.catch(() => undefined)
  await closing(reply, ended)
  return answered
}

/** A body that is refused closes the connection: its sender may be sending still. */
async function closing<T>(reply: FastifyReply, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    reply.header('connection', 'close')
    throw error
  }
}

/** The list in `data`, or why it cannot be one (decisions 6 and 42). */
function listIn(data: unknown, recordsMax: number): readonly unknown[] {
  if (!Array.isArray(data)) throw new InvalidInput('data', `expected a list of records, got ${shown(data)}`)
  if (data.length > recordsMax) {
    const limit = `expected at most ${recordsMax} records in one request`
    throw new TooLarge('data', `${limit}, got ${data.length}: send them in several`)
  }
  return data
}

function hasBody(request: http.IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/** The value of the only key of the envelope (specification 2). */
function dataOf(body: unknown, methods: readonly string[]): unknown {
  if (body === undefined) {
    const hint = methods.includes('GET')
      ? 'a client or proxy on the way probably dropped it; POST and QUERY on the same path do the same as GET'
      : 'expected JSON with the key data'
    throw new InvalidInput('body', `the request has no body: ${hint}`)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidInput('body', `expected an object with the key data, got ${shown(body)}`)
  if (!Object.hasOwn(body, 'data')) throw new InvalidInput('data', 'data is required')
  return (body as { data: unknown }).data
}

function refuseOtherMethods(app: FastifyInstance, url: string): void {
  const allow = app.supportedMethods.filter((method) => app.hasRoute({ method, url })).sort()
  const others = app.supportedMethods.filter((method) => !allow.includes(method))
  app.route({
    method: others,
    url,
    onRequest: async (request) => {
      throw new MethodNotAllowed(request.method, allow)
    },
    handler: async () => undefined,
  })
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, observe: Observe): void {
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
function answerBrokenRequest(error: Error, socket: import('node:net').Socket): void {
  if (!socket.writable) return
  const { status, phrase, error: text } = statusOfClientError(error)
  const body = JSON.stringify(status === 400 ? { path: 'request', error: text } : { error: text })
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** A caller's own id is kept where it is short and plain, so that its log and ours can be read together. */
function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.-]{1,64}$/.test(sent) ? sent : randomUUID()
}
