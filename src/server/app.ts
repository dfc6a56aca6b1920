/*
 * The server: its options, and what all requests have in common. Tests run what ships, because both call `buildApp`.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { SessionCache } from '../resources/sessions/cache.ts'
import type { TokenCache } from '../resources/tokens/cache.ts'
import type { Route } from '../routing/route.ts'
import type { Observe } from '../telemetry/observation.ts'
import { createAuthenticator } from './authenticator.ts'
import { type BodyBudget, createBodyBudget } from './body/body-budget.ts'
import { compressResponse } from './body/compression.ts'
import { type Connections, createConnections } from './connections/connections.ts'
import { createServers, http, type Servers } from './connections/servers.ts'
import { type ConsoleFiles, registerConsole } from './console.ts'
import { registerConsoleSession } from './console-session.ts'
import { respondDirectly } from './direct-responses.ts'
import { isNotFound } from './error-replies.ts'
import { createLoadShedding } from './load-shedding.ts'
import { openApiOf } from './openapi/openapi.ts'
import { jsonText } from './page-formats.ts'
import { refusalFor, registerRoute } from './register-route.ts'
import { respondToBrokenRequest, sendError } from './send-error.ts'
import { createSessions } from './session-cookies.ts'
import { TOKENLESS_PATHS } from './tokenless-operations.ts'
import { registerTokenlessRoutes, type TokenlessRoutes } from './tokenless-routes.ts'
import { traceparentIn } from './traceparent.ts'

type AppDeps = Readonly<{
  routes: readonly Route[]
  tokenlessRoutes: Omit<TokenlessRoutes, 'openApi'>
  tokens: TokenCache
  now: () => Date
  observe: Observe
  /** Addresses of proxies that are trusted to name the client's address; empty: none. */
  trustedProxies: readonly string[]
  connectionsMax: number
  /** Origins whose pages may call the API from a browser; empty: none. */
  corsOrigins: readonly string[]
  /** Bytes of request bodies held in memory at once, over all requests; bodies beyond that queue, and get 503 if they wait too long. */
  heldBytesMax: number
  /** Absent: there is no console, and nobody can sign in. */
  console?: ConsoleDeps | undefined
}>

type ConsoleDeps = Readonly<{
  /** Undefined if the console has not been built. */
  files: ConsoleFiles | undefined
  /** Whether the console is served, and its cookies accepted, only on a port of its own. */
  hasOwnPort: boolean
  sessions: SessionCache
  deps: Pick<Deps, 'db' | 'now' | 'observe' | 'programs'>
  /** Makes a session that was just created or ended known to this process at once. */
  refresh: () => Promise<void>
}>

/** The server. If the console has a port of its own, `consoleServer` listens there: it has the same routes, and it alone serves browsers. */
export type App = FastifyInstance &
  Readonly<{ consoleServer: Server | undefined }> &
  Pick<Connections, 'drain' | 'settle' | 'inFlight'> &
  Pick<BodyBudget, 'heldBytes'>

/** How long a browser may cache the response to a preflight request. */
const CORS_MAX_AGE_S = 600
const PARAM_LENGTH_MAX = 2_400

/** The server with all its routes, not yet listening. */
export function buildApp(deps: AppDeps): App {
  const connections = createConnections(respondToBrokenRequest)
  const servers = createServers(connections, { ...deps, hasConsolePort: deps.console?.hasOwnPort ?? false })
  const sessions = deps.console && createSessions(deps.console.sessions, servers.isToConsole)
  const authenticator = createAuthenticator(deps.tokens, sessions, deps.now, ({ id, ip }) =>
    deps.observe({ kind: 'token-refused', requestId: id, address: ip }),
  )
  const shedding = createLoadShedding({
    ...deps,
    connections,
    callerWith: authenticator.callerWith,
    requestIdOf,
  })
  const { reservationFor, heldBytes } = createBodyBudget(deps.heldBytesMax)
  const direct = respondDirectly({
    ...deps,
    connections,
    callerWith: authenticator.callerWith,
    requestIdOf,
    reservationFor,
  })
  const app = fastify({
    logger: false,
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    genReqId: requestIdOf,
    exposeHeadRoutes: false,
    // Requests that were sent before the port closed are still answered (decision 113).
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX, ignoreDuplicateSlashes: true },
    // No route has a schema for the framework to check, so its validation libraries are not even loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    serverFactory: (handle) => servers.handleWith(shedding(direct(handle))),
    // No hooks run for these errors.
    frameworkErrors: (error, request, reply) =>
      sendError(error, request, reply.headers(headersOfAll(request)), deps.observe),
    clientErrorHandler: connections.refuse,
  })
  // Routes that take a body read it themselves, in the order of decision 2; Node discards any other body after the response.
  for (const method of http.METHODS) {
    if (method !== 'CONNECT') app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }
  app.setReplySerializer(jsonText)
  if (deps.corsOrigins.length > 0) allowOrigins(app, deps)
  addHooks(app, deps, connections, servers)
  const { routes, tokenlessRoutes } = deps
  registerTokenlessRoutes(app, { ...tokenlessRoutes, openApi: () => jsonText(openApiOf(routes)) }, authenticator)
  if (deps.console !== undefined) {
    const { sessions: cache, files, deps: consoleDeps, refresh } = deps.console
    registerConsole(app, { files, isServedTo: servers.isToConsole })
    registerConsoleSession(app, {
      deps: consoleDeps,
      cache,
      sessions: sessions!,
      authenticator,
      refresh,
      isServedTo: servers.isToConsole,
      reservationFor,
    })
  }
  for (const route of routes) registerRoute(app, route, authenticator, reservationFor)
  const refusalOf = refusalFor(app, [...TOKENLESS_PATHS, ...routes.map(({ path }) => path)])
  app.setNotFoundHandler((request, reply) => sendError(refusalOf(request), request, reply, deps.observe))
  // Methods of other protocols, such as RTSP's, get past the parser and past the not-found handler.
  const resolveError = (error: unknown, request: FastifyRequest) => (isNotFound(error) ? refusalOf(request) : error)
  app.setErrorHandler((error, request, reply) => sendError(resolveError(error, request), request, reply, deps.observe))
  const { drain, settle, inFlight } = connections
  return Object.assign(app, { consoleServer: servers.consoleServer, drain, settle, inFlight, heldBytes })
}

function noCompiler(): never {
  throw new Error('a route has a schema that nothing checks')
}

function headersOfAll({ id }: FastifyRequest) {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' }
}

function addHooks(app: FastifyInstance, { observe }: AppDeps, connections: Connections, servers: Servers): void {
  app.decorateRequest('tokenId', undefined)
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(headersOfAll(request))
    if (connections.closesWith(reply.raw)) reply.header('connection', 'close')
    // The framework's own, in every response once it closes.
    else if (reply.raw.hasHeader('connection')) reply.raw.removeHeader('connection')
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) connections.sending(payload.length)
    compressResponse(reply, payload, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    observe({
      kind: 'request-answered',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      tokenId: request.tokenId,
      traceparent: traceparentIn(request.headers),
    })
    done()
  })
  app.addHook('preClose', async () => {
    servers.stopListening()
    await connections.end()
  })
}

/** Lets pages of these origins call the API, with the headers that our routes read and send. No cookies: a page has to know a token. */
function allowOrigins(app: FastifyInstance, { corsOrigins, routes }: AppDeps): void {
  app.register(import('@fastify/cors'), {
    origin: [...corsOrigins],
    allowedHeaders: ['authorization', 'content-encoding', 'content-type', 'if-none-match', 'token', 'x-request-id'],
    exposedHeaders: ['deprecation', 'etag', 'link', 'retry-after', 'www-authenticate', 'x-request-id'],
    // The documents that need no token are read with the first two.
    methods: [...new Set(['GET', 'HEAD', ...routes.flatMap(({ methods }) => methods)])].sort(),
    maxAge: CORS_MAX_AGE_S,
    // A preflight without Access-Control-Request-Method is answered like any other.
    strictPreflight: false,
  })
}

/** A caller's own request id is kept if it is short and plain, so that its log and ours can be correlated. */
function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\w.-]{1,64}$/.test(sent) ? sent : randomUUID()
}
