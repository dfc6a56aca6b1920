/*
 * What belongs to a connection rather than to one of its requests: the turns of requests that were sent one behind the other, answers
 * that nobody reads, what is not even HTTP, and the end of a connection when the service stops.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReadPauses } from './read-pauses.ts'

/** Requests of one connection whose handlers run, or whose answers are not out; those behind them wait, and nothing more is read. */
const BEGUN_MAX = 16
/** Requests that wait so, in all: some 30 MB. A connection that brings more is closed. */
const WAITING_MAX = 10_000
/** Answers that wait to be read, in all. Above that, clients that have not read for longest are closed. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/** A client reads everything that waits for it within this time, or at least so much of it (64 KiB a second). */
const READ_TIMEOUT_MS = 30_000
const READ_BYTES_MIN = 30 * 64 * 1024
const SWEEP_MS = 1_000
/** A request that was sent just before the port was closed has some 200 ms to arrive; in turns of the event loop, as a busy machine skips time. */
const LINGER_LOOKS = 20
const LINGER_LOOK_MS = 10

type Request = Readonly<{ request: IncomingMessage; response: Response; handle: RequestListener }>
type Response = ServerResponse<IncomingMessage> & Readonly<{ req: IncomingMessage }>

type Connection = {
  readonly begun: Set<Response>
  waiting: Request[]
  /** What followed the requests and is none; it is answered after them. */
  broken?: Error
  /** Since when answers wait to be read, and how much had been sent by then. */
  unread?: Readonly<{ since: number; sentBytes: number }> | undefined
}

export type Connections = Readonly<{
  add: (socket: Socket) => void
  /** The same listener, called in turn. */
  inTurn: (handle: RequestListener) => RequestListener
  /** Whether no request of the same connection is behind that of this answer. */
  isLast: (response: ServerResponse) => boolean
  /** Does not read a connection, whose request was refused, until the thread has time for it. */
  pauseReading: (socket: Socket) => void
  /** Answers what is not HTTP, after the answers of the whole requests before it. */
  refuse: (error: Error, socket: Socket) => void
  /** Ends each connection when it has nothing more to answer; resolves when all have ended. */
  end: () => Promise<void>
}>

/** Keeps an eye on all connections. `answerBroken` answers what is no request, and ends its connection. */
export function createConnections(answerBroken: (error: Error, socket: Socket) => void): Connections {
  const connections = new Map<Socket, Connection>()
  let waitingCount = 0
  let isEnding = false
  let sweeping: NodeJS.Timeout | undefined
  const paused = createReadPauses<Socket>((socket) => {
    if (connections.get(socket)?.waiting.length === 0) socket.resume()
  })

  function add(socket: Socket): void {
    const connection: Connection = { begun: new Set(), waiting: [] }
    connections.set(socket, connection)
    sweeping ??= setInterval(() => closeUnread(connections), SWEEP_MS).unref()
    socket.once('close', () => {
      waitingCount -= connection.waiting.length
      connection.waiting = []
      connections.delete(socket)
      paused.delete(socket)
      if (connections.size > 0) return
      clearInterval(sweeping)
      sweeping = undefined
    })
  }

  function take(one: Request): void {
    const { socket } = one.request
    const connection = connections.get(socket)
    if (connection === undefined || socket.destroyed) return
    if (connection.begun.size < BEGUN_MAX && connection.waiting.length === 0) begin(socket, connection, one)
    else if (waitingCount >= WAITING_MAX) socket.destroy()
    else {
      waitingCount += 1
      connection.waiting.push(one)
      socket.pause()
    }
  }

  function begin(socket: Socket, connection: Connection, { request, response, handle }: Request): void {
    connection.begun.add(response)
    response.once('close', () => {
      connection.begun.delete(response)
      goOn(socket, connection)
    })
    handle(request, response)
  }

  function goOn(socket: Socket, connection: Connection): void {
    if (connection.waiting.length > 0) {
      waitingCount -= 1
      begin(socket, connection, connection.waiting.shift()!)
      if (connection.waiting.length === 0) socket.resume()
    } else answerBrokenInTurn(socket, connection)
  }

  function answerBrokenInTurn(socket: Socket, { broken, begun, waiting }: Connection): void {
    // A request whose body is not whole is itself what is broken.
    const isDue = waiting.length === 0 && [...begun].every(({ req }) => !req.complete)
    if (broken !== undefined && isDue) answerBroken(broken, socket)
  }

  return {
    add,
    inTurn: (handle) => (request, response) => take({ request, response: response as Response, handle }),
    isLast: (response) => {
      const { begun, waiting } = connections.get((response as Response).req.socket) ?? NOTHING
      return waiting.length === 0 && [...begun].at(-1) === response
    },
    pauseReading: (socket) => {
      if (isEnding || !connections.has(socket)) return
      socket.pause()
      paused.add(socket)
    },
    refuse: (error, socket) => {
      const connection = connections.get(socket)
      // The parser says it again for whatever else arrives.
      if (connection === undefined || connection.broken !== undefined) return
      connection.broken = error
      answerBrokenInTurn(socket, connection)
    },
    end: async () => {
      isEnding = true
      paused.end()
      for (let looks = 1; connections.size > 0; looks += 1) {
        await sleep(LINGER_LOOK_MS)
        if (looks < LINGER_LOOKS) continue
        for (const [socket, { begun }] of connections) if (begun.size === 0) socket.destroySoon()
      }
    },
  }
}

const NOTHING: Connection = { begun: new Set(), waiting: [] }

/** Closes connections whose clients do not read: each after its time, and while all together hold too much, the oldest at once. */
function closeUnread(connections: ReadonlyMap<Socket, Connection>): void {
  const now = performance.now()
  const unread: { socket: Socket; bytes: number; since: number }[] = []
  for (const [socket, connection] of connections) {
    const bytes = unreadBytes(socket, connection)
    const sentBytes = socket.bytesWritten - socket.writableLength
    if (bytes === 0) connection.unread = undefined
    else if (connection.unread === undefined || sentBytes - connection.unread.sentBytes >= READ_BYTES_MIN)
      connection.unread = { since: now, sentBytes }
    if (connection.unread === undefined) continue
    const { since } = connection.unread
    if (now - since > READ_TIMEOUT_MS) socket.destroy()
    else unread.push({ socket, bytes, since })
  }
  let total = unread.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { socket, bytes } of unread.sort((one, other) => one.since - other.since)) {
    if (total <= UNREAD_BYTES_MAX) return
    total -= bytes
    socket.destroy()
  }
}

function unreadBytes(socket: Socket, { begun }: Connection): number {
  let bytes = socket.writableLength
  // The answer whose turn it is counts what its socket holds as its own.
  for (const response of begun) bytes += response.writableLength - (response.socket?.writableLength ?? 0)
  return bytes
}
