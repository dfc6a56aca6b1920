/*
 * What belongs to a connection rather than to one of its requests: the turns of requests that were sent one behind the other, and what
 * answers that are not even HTTP.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Connection = {
  /** Whose handlers run, or whose answers are not out. */
  readonly begun: Set<ServerResponse>
  /** What followed the requests and is none; it is answered after them. */
  broken?: Error
}

export type Connections = Readonly<{
  /** The same listener, known to us: its requests count as begun until their answers are out. */
  taking: (handle: RequestListener) => RequestListener
  /** Answers what is not HTTP, after the answers of the whole requests before it. */
  refuse: (error: Error, socket: Socket) => void
}>

/** Keeps count of the requests of all connections. `answerBroken` answers what is none, and ends its connection. */
export function createConnections(answerBroken: (error: Error, socket: Socket) => void): Connections {
  const connections = new WeakMap<Socket, Connection>()

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const connection: Connection = { begun: new Set() }
    connections.set(socket, connection)
    return connection
  }

  function answerBrokenInTurn(socket: Socket, { broken, begun }: Connection): void {
    // One whose body is not whole is itself what is broken.
    if (broken !== undefined && ![...begun].some(({ req }) => req.complete)) answerBroken(broken, socket)
  }

  return {
    taking:
      (handle) => (request: IncomingMessage, response: ServerResponse<IncomingMessage> & { req: IncomingMessage }) => {
        const { socket } = request
        const connection = connectionOf(socket)
        connection.begun.add(response)
        response.once('close', () => {
          connection.begun.delete(response)
          answerBrokenInTurn(socket, connection)
        })
        handle(request, response)
      },
    refuse: (error, socket) => {
      const connection = connectionOf(socket)
      // The parser says it again for whatever else arrives.
      if (connection.broken !== undefined) return
      connection.broken = error
      answerBrokenInTurn(socket, connection)
    },
  }
}
