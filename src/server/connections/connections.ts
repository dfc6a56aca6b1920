/*
 * What belongs to a connection rather than to one of its requests: when pipelined requests begin, answers that the client does not
 * read, bytes that are not HTTP, and closing connections when the service stops.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPacedQueue } from './paced-queue.ts'

/** Requests of one connection that may be in progress at once. Those sent before the response to an earlier one wait for the thread to have time. */
const ACTIVE_MAX = 16
/** Nor do they begin while so much of earlier answers has not been read. */
const UNREAD_BEFORE_MAX = 64 * 1024
/** As many requests of one connection that wait are a burst: Node parses all that has arrived at once, up to 64 KiB, which takes some 10 ms. */
const BURST = 32
/** Requests that may wait over all connections, some 30 MB. A connection that sends more is closed; beyond `crowdedAt`, so is one that sent a burst. */
const WAITING_MAX = { ofAll: 10_000, crowdedAt: 2_048 } as const
/** Unread answers over all connections. Above that, the connections with the most are closed. Counted after each quarter that was sent. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/** A client has to read everything that waits for it within this time, or at least this much of it (64 KiB a second). */
const READ_TIMEOUT_MS = 30_000
const READ_BYTES_MIN = 30 * 64 * 1024
const SWEEP_MS = 1_000
/** To Node's parser, as the result for a request: an error. */
const STOP = -1
/** A request sent just before the port closed has some 200 ms to arrive; in turns of the event loop, as time passes unnoticed on a busy machine. */
const LINGER_CHECKS = 20
/** How far apart the workers of a service may close the port. */
const WORKERS_SPREAD_MS = 200
const LINGER_CHECK_MS = 10

type Request = Readonly<{ request: IncomingMessage; response: Response; handle: RequestListener }>
type Response = ServerResponse<IncomingMessage> & Readonly<{ req: IncomingMessage }>

/**
 * What becomes of what a connection sends:
 *
 * - `reading`: requests begin as they arrive.
 * - `full`: requests wait for their turn, and the socket is not read until none waits.
 * - `paused`: a request was refused, and the socket is not read until the thread has time. Requests that had arrived by then begin.
 * - `closed`: the socket is gone, and with it the requests that waited.
 */
export type InputState = 'reading' | 'full' | 'paused' | 'closed'

/** A request has to wait; none waits any more; a request was refused; the thread has time again; the socket has closed. */
export type InputEvent = 'crowded' | 'drained' | 'refused' | 'resumed' | 'closed'

const NEXT_INPUT: Readonly<Record<InputState, Readonly<Partial<Record<InputEvent, InputState>>>>> = {
  reading: { crowded: 'full', refused: 'paused', closed: 'closed' },
  // Whatever else happens: what it has sent already is more than may be in progress at once.
  full: { drained: 'reading', closed: 'closed' },
  paused: { crowded: 'full', resumed: 'reading', closed: 'closed' },
  closed: {},
}

/** The state after an event; one that does not concern it leaves it as it is. */
export function nextInput(state: InputState, event: InputEvent): InputState {
  return NEXT_INPUT[state][event] ?? state
}

type Connection = {
  input: InputState
  readonly active: Set<Response>
  /** `fair` once it has been answered, `hasty` once it has sent a burst. */
  manner: 'new' | 'fair' | 'hasty'
  /** Empty unless it is full. */
  waiting: Request[]
  /** The parser's error for bytes after the requests, in any state; it is answered after them. */
  broken: Error | undefined
  /** Since when answers have been waiting to be read, and how much had been sent by then; undefined if none waits. */
  unread: Readonly<{ since: number; sentBytes: number }> | undefined
}

export type Connections = Readonly<{
  add: (socket: Socket) => void
  /** The same listener, called when a request's turn comes. */
  inTurn: (handle: RequestListener) => RequestListener
  /**
   * Whether the connection is to close with this response, which then says so: while the service stops, with the last response to what the connection has
   * sent. Node closes it there, and requests behind it would never be answered.
   */
  closesWith: (response: ServerResponse) => boolean
  /** Counts a response of so many bytes, which is about to be sent. */
  sending: (bytes: number) => void
  /** Requests that have begun and are not answered yet. */
  inFlight: () => number
  /** Stops reading a connection whose request was refused, until the thread has time for it. */
  pauseReading: (socket: Socket) => void
  /** Answers bytes that are not HTTP, after the responses to the complete requests before them. */
  refuse: (error: Error, socket: Socket) => void
  /** Announces the close of connections until `settle`: clients connect elsewhere or, if they do not, anew. */
  drain: () => void
  /** Keeps connections until `end`: clients that are still here do not connect anew while the port closes, which would reset them (decision 113). */
  settle: () => void
  /** Closes each connection once it has nothing left to answer; resolves when all are closed. */
  end: () => Promise<void>
}>

/** Tracks all connections. `responseBroken` answers bytes that are not a request, and closes the connection. */
export function createConnections(respondToBroken: (error: Error, socket: Socket) => void): Connections {
  const connections = new Map<Socket, Connection>()
  let waitingCount = 0
  let inFlight = 0
  let sentBytes = 0
  let phase: 'open' | 'draining' | 'settling' | 'ending' = 'open'
  let sweeping: NodeJS.Timeout | undefined
  const paused = createPacedQueue<Socket>((socket) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.input = nextInput(connection.input, 'resumed')
    if (connection.input === 'reading') socket.resume()
  })
  const pipelined = createPacedQueue<Socket>((socket) => {
    const connection = connections.get(socket)
    if (connection !== undefined) beginNext(socket, connection)
  })
  const held = createPacedQueue(resumeIfReading)

  function add(socket: Socket): void {
    const connection: Connection = {
      input: 'reading',
      active: new Set(),
      manner: 'new',
      waiting: [],
      broken: undefined,
      unread: undefined,
    }
    connections.set(socket, connection)
    let tracesMax: number | undefined
    // Before Node's own listener, which makes an error for each request that waits: their stack traces took most of the time of closing a connection.
    socket.prependOnceListener('close', () => {
      if (connection.waiting.length === 0) return
      tracesMax = Error.stackTraceLimit
      Error.stackTraceLimit = 0
    })
    sweeping ??= setInterval(() => closeUnread(connections), SWEEP_MS).unref()
    socket.once('close', () => {
      if (tracesMax !== undefined) Error.stackTraceLimit = tracesMax
      connection.input = nextInput(connection.input, 'closed')
      waitingCount -= connection.waiting.length
      connection.waiting = []
      connections.delete(socket)
      paused.delete(socket)
      pipelined.delete(socket)
      held.delete(socket)
      if (connections.size > 0) return
      clearInterval(sweeping)
      sweeping = undefined
    })
  }

  function take(one: Request): void {
    const { socket } = one.request
    const connection = connections.get(socket)
    if (connection === undefined || socket.destroyed) return
    if (connection.input !== 'full' && connection.active.size === 0) begin(socket, connection, one)
    else if (isTooMany(connection)) {
      socket.destroy()
      stopParsing(socket)
    } else {
      waitingCount += 1
      connection.waiting.push(one)
      if (connection.waiting.length === BURST) {
        connection.manner = 'hasty'
        letOthersGoFirst()
      }
      connection.input = nextInput(connection.input, 'crowded')
      socket.pause()
      waitForTurn(socket, connection)
    }
  }

  /**
   * After a burst, what idle connections have sent is read in the next turn of the event loop; that of new ones, and of others that sent a burst, as
   * the thread has time: otherwise the bursts of a thousand connections would be parsed before anybody is answered.
   */
  function letOthersGoFirst(): void {
    const fair: Socket[] = []
    for (const [socket, { input, active, manner }] of connections) {
      if (input !== 'reading' || active.size > 0) continue
      socket.pause()
      if (manner === 'fair') fair.push(socket)
      else held.add(socket)
    }
    setImmediate(() => {
      for (const socket of fair) resumeIfReading(socket)
    })
  }

  function resumeIfReading(socket: Socket): void {
    if (connections.get(socket)?.input === 'reading') socket.resume()
  }

  function isTooMany({ waiting }: Connection): boolean {
    const { ofAll, crowdedAt } = WAITING_MAX
    return waitingCount >= ofAll || (waitingCount >= crowdedAt && waiting.length >= BURST)
  }

  /** For the next request to begin, unless it has to wait for the end of an earlier one. */
  function waitForTurn(socket: Socket, connection: Connection): void {
    const { active } = connection
    const mayBegin = active.size < ACTIVE_MAX && unreadBytes(socket, connection) <= UNREAD_BEFORE_MAX
    if (active.size === 0 || mayBegin) pipelined.add(socket)
  }

  function beginNext(socket: Socket, connection: Connection): void {
    const next = connection.waiting.shift()
    if (next === undefined) return
    waitingCount -= 1
    begin(socket, connection, next)
    if (connection.waiting.length > 0) {
      waitForTurn(socket, connection)
      return
    }
    connection.input = nextInput(connection.input, 'drained')
    socket.resume()
    // Those before it may all have been answered while it waited.
    respondToBrokenInTurn(socket, connection)
  }

  function begin(socket: Socket, connection: Connection, { request, response, handle }: Request): void {
    connection.active.add(response)
    inFlight += 1
    response.once('close', () => {
      connection.active.delete(response)
      inFlight -= 1
      if (connection.manner === 'new') connection.manner = 'fair'
      if (connection.waiting.length > 0) waitForTurn(socket, connection)
      else respondToBrokenInTurn(socket, connection)
    })
    handle(request, response)
  }

  function respondToBrokenInTurn(socket: Socket, { broken, active, waiting }: Connection): void {
    // A request whose body is incomplete is itself the broken one.
    const isDue = waiting.length === 0 && [...active].every(({ req }) => !req.complete)
    if (broken !== undefined && isDue) respondToBroken(broken, socket)
  }

  return {
    add,
    inTurn: (handle) => (request, response) => take({ request, response: response as Response, handle }),
    closesWith: (response) => {
      if (phase === 'open' || phase === 'settling') return false
      const connection = connections.get((response as Response).req.socket)
      return connection?.waiting.length === 0 && [...connection.active].at(-1) === response
    },
    sending: (bytes) => {
      sentBytes += bytes
      if (sentBytes < UNREAD_BYTES_MAX / 4) return
      sentBytes = 0
      closeUnread(connections)
    },
    inFlight: () => inFlight,
    pauseReading: (socket) => {
      const connection = connections.get(socket)
      if (phase === 'ending' || connection === undefined) return
      connection.input = nextInput(connection.input, 'refused')
      socket.pause()
      paused.add(socket)
    },
    refuse: (error, socket) => {
      const connection = connections.get(socket)
      // The parser repeats its error for whatever else arrives.
      if (connection === undefined || connection.broken !== undefined) return
      connection.broken = error
      respondToBrokenInTurn(socket, connection)
    },
    drain: () => {
      if (phase === 'open') phase = 'draining'
    },
    settle: () => {
      if (phase === 'draining') phase = 'settling'
    },
    end: async () => {
      // Other workers may close the port some milliseconds later: nobody should connect there meanwhile.
      if (phase === 'settling' && connections.size > 0) await sleep(WORKERS_SPREAD_MS)
      phase = 'ending'
      paused.end()
      pipelined.end()
      held.end()
      for (let checks = 1; connections.size > 0; checks += 1) {
        await sleep(LINGER_CHECK_MS)
        if (checks < LINGER_CHECKS) continue
        for (const [socket, { active }] of connections) if (active.size === 0) socket.destroySoon()
      }
    },
  }
}

/** Closes connections whose clients do not read: each when its time is up, and those with the most at once while all together hold too much. */
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
  for (const { socket, bytes } of unread.sort((one, other) => other.bytes - one.bytes || one.since - other.since)) {
    if (total <= UNREAD_BYTES_MAX) return
    total -= bytes
    socket.destroy()
  }
}

function unreadBytes(socket: Socket, { active }: Connection): number {
  let bytes = socket.writableLength
  // The response that is being sent counts what its socket holds as its own.
  for (const response of active) bytes += response.writableLength - (response.socket?.writableLength ?? 0)
  return bytes
}

/**
 * Makes Node discard the rest of what it has read from a connection that is closed, up to 64 KiB, instead of making a thousand requests of it. There is
 * no documented way. Without this property the requests are made, and are no use to anybody.
 */
function stopParsing(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  if (typeof socket.parser?.onIncoming === 'function') socket.parser.onIncoming = () => STOP
}
