/*
 * An open-loop load: requests are sent at a fixed rate whether or not earlier ones were answered, so that a slow service is not spared.
 * Each request has a connection to itself until it is answered; connections are kept for later requests, as a proxy does.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type OpenLoop = Readonly<{
  url: string
  /** The bytes of each request, by its number. */
  requestAt: (index: number) => Buffer
  perSecond: number
  seconds: number
  /** How many are opened before the first request, as a proxy does. A request that is due while all are busy is not sent, but counted. */
  connections: number
}>

/** One response: its status, how many milliseconds it took, and its `Retry-After`. */
export type TimedResponse = Readonly<{ status: number; ms: number; retryAfter: string | undefined }>

export type Offered = Readonly<{
  responses: readonly TimedResponse[]
  sent: number
  /** Requests that were due while all connections were busy. */
  unsent: number
  /** Requests whose connection closed without a response, or that had none within the wait after the load. */
  lost: number
  seconds: number
}>

const TICK_MS = 1
const OPENED_AT_ONCE = 100
/** How long to wait for answers after the last request. */
const PATIENCE_MS = 30_000

/** Offers a load and waits for the responses. */
export async function offerLoad({ url, requestAt, perSecond, seconds, connections }: OpenLoop): Promise<Offered> {
  const { hostname: host, port } = new URL(url)
  const responses: TimedResponse[] = []
  const idle: Connection[] = []
  const open = new Set<Connection>()
  let sent = 0
  let unsent = 0
  let lost = 0

  function send(): void {
    const connection = idle.pop() ?? (open.size < connections ? newConnection() : undefined)
    if (connection === undefined) {
      unsent += 1
      return
    }
    connection.send(requestAt(sent))
    sent += 1
  }

  function newConnection(): Connection {
    const connection = openConnection(connect(Number(port), host), {
      onResponse(response, isKept) {
        responses.push(response)
        if (isKept) idle.push(connection)
        else connection.end()
      },
      onEnd(isWaiting) {
        if (isWaiting) lost += 1
        open.delete(connection)
        const at = idle.indexOf(connection)
        if (at >= 0) idle.splice(at, 1)
      },
    })
    open.add(connection)
    return connection
  }

  for (let opened = 0; opened < connections; opened += OPENED_AT_ONCE) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, connections - opened) }, newConnection)
    await Promise.all(some.map(({ ready }) => ready))
    idle.push(...some)
  }
  const startedAt = performance.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passedMs = Math.min(performance.now() - startedAt, seconds * 1_000)
      for (let due = Math.floor((passedMs / 1_000) * perSecond) - sent - unsent; due > 0; due -= 1) send()
      if (passedMs < seconds * 1_000) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
  })
  const patientUntil = performance.now() + PATIENCE_MS
  while (responses.length + lost < sent && performance.now() < patientUntil)
    await new Promise((resolve) => setTimeout(resolve, 5))
  for (const connection of open) connection.end()
  return { responses, sent, unsent, lost: sent - responses.length, seconds }
}

type Connection = Readonly<{ ready: Promise<unknown>; send: (request: Buffer) => void; end: () => void }>

function openConnection(
  socket: Socket,
  {
    onResponse,
    onEnd,
  }: { onResponse: (response: TimedResponse, isKept: boolean) => void; onEnd: (isWaiting: boolean) => void },
): Connection {
  let sentAt: number | undefined
  let received = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0 || sentAt === undefined) return
    const head = received.slice(0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (received.length < headEnd + 4 + length) return
    received = ''
    const ms = performance.now() - sentAt
    sentAt = undefined
    const retryAfter = /\r\nretry-after: ([^\r]*)/i.exec(head)?.[1]
    onResponse({ status: Number(head.slice(9, 12)), ms, retryAfter }, !/\r\nconnection: close/i.test(head))
  })
  socket.on('error', () => undefined)
  socket.on('close', () => onEnd(sentAt !== undefined))
  return {
    ready: once(socket, 'connect'),
    send(request) {
      sentAt = performance.now()
      socket.write(request)
    },
    end: () => socket.destroy(),
  }
}
