/*
 * The ports of a service: the API's, and the console's if it has one of its own. Both have the same routes and share their connections.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import net, { type Socket } from 'node:net'
import { refuseExpectation } from '../send-error.ts'
import { createAddressShare } from './address-share.ts'
import type { Connections } from './connections.ts'

/**
 * `node:http` without an import: an import reads all exports of a module, and reading those of the fetch family loads their implementation
 * (docs/decisions/0145-command-startup.md).
 */
export const http = process.getBuiltinModule('node:http')

const HEADER_BYTES_MAX = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
/** Longer than proxies keep idle connections, so that they never write to one that we are closing. */
const KEEP_ALIVE_MS = 75_000
/** Node aborts any request that has not arrived by then; the routes' own limits (decision 6) are shorter. */
const REQUEST_TIMEOUT_MS = 620_000

export type Servers = Readonly<{
  /** Absent if the console has no port of its own. */
  consoleServer: Server | undefined
  /** Passes all requests to `handle`, each in its connection's turn; returns the server of the API. */
  handleWith: (handle: RequestListener) => Server
  /** Whether a request came to the port on which the console is served. */
  isToConsole: (request: IncomingMessage) => boolean
  /** Closes the ports; connections stay open. */
  stopListening: () => void
}>

type ServerLimits = Readonly<{ connectionsMax: number; trustedProxies: readonly string[] }>

/** Creates the servers, not yet listening. `connectionsMax` is for each port; one address may have half of them, unless it is a trusted proxy's. */
export function createServers(
  connections: Connections,
  { hasConsolePort, ...limits }: ServerLimits & Readonly<{ hasConsolePort: boolean }>,
): Servers {
  const apiServer = createServer(connections, limits)
  const consoleServer = hasConsolePort ? createServer(connections, limits) : undefined
  const servers = consoleServer === undefined ? [apiServer] : [apiServer, consoleServer]
  const toConsole = new WeakSet<Socket>()
  consoleServer?.on('connection', (socket: Socket) => toConsole.add(socket))
  // The framework does this for the server that it knows of.
  consoleServer?.on('clientError', connections.refuse)
  return {
    consoleServer,
    handleWith(handle) {
      for (const server of servers) server.on('request', connections.inTurn(handle))
      return apiServer
    },
    isToConsole: ({ socket }) => consoleServer === undefined || toConsole.has(socket),
    stopListening() {
      // Not the server's own `close`, which also destroys connections on which a request is still arriving.
      for (const server of servers) if (server.listening) net.Server.prototype.close.call(server)
    },
  }
}

function createServer(connections: Connections, { connectionsMax, trustedProxies }: ServerLimits): Server {
  const server = http.createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false,
  })
  server.maxConnections = connectionsMax
  const isWithinShare = createAddressShare(connectionsMax, trustedProxies)
  server.on('connection', (socket: Socket) => {
    if (isWithinShare(socket)) connections.add(socket)
    else socket.destroy()
  })
  server.on('checkExpectation', connections.inTurn(refuseExpectation))
  server.on('connect', (_, socket: Socket) => {
    // Node has handed the socket over: its errors, its timeout and further data are ours to handle.
    socket.on('error', () => undefined)
    socket.setTimeout(HEADERS_TIMEOUT_MS, () => socket.destroy())
    socket.resume()
    connections.refuse(new Error('CONNECT is for proxies'), socket)
  })
  return server
}
