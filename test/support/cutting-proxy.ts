/*
 * A TCP proxy in front of a PostgreSQL server: it cuts connections at COMMIT, so that the client cannot know the outcome, or delays what the client
 * sends.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** `before`: the server never sees COMMIT. `after`: it has committed, but its response is lost. */
export type Cut = 'before' | 'after'

export interface CuttingProxy {
  /** The same database as the one given, through the proxy. */
  readonly url: string
  /** Cuts each of the next `times` connections that send COMMIT. */
  cutCommits(cut: Cut, times: number): void
  /** Cuts the next connection that sends this text, before the server sees the rest. */
  cutAt(text: string): void
  /** Passes nothing on to the server until `release`. */
  hold(): void
  release(): void
  /** Passes connections on to another server from now on, and cuts those that are open. */
  switchTo(url: string): void
  close(): void
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  let pending: { cut: Cut; times: number } = { cut: 'before', times: 0 }
  let held: (() => void)[] | undefined
  let cutText: string | undefined

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    const both = [client, server]
    let isCutting = false
    for (const socket of both) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of both) other.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      if (cutText !== undefined && bytes.includes(cutText)) {
        server.write(bytes.subarray(0, bytes.indexOf(cutText)))
        cutText = undefined
        return void client.destroy()
      }
      if (pending.times > 0 && bytes.includes('commit')) {
        pending.times -= 1
        isCutting = true
        if (pending.cut === 'before') return void client.destroy()
      }
      if (held === undefined) server.write(bytes)
      else held.push(() => void server.write(bytes))
    })
    server.on('data', (bytes) => {
      if (isCutting) client.destroy()
      else client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const through = new URL(url)
  // It looks for COMMIT in what is sent. A cluster (Citus) offers TLS by itself.
  through.searchParams.set('sslmode', 'disable')
  through.port = String(address.port)
  return {
    url: through.href,
    cutCommits(cut, times) {
      pending = { cut, times }
    },
    cutAt(text) {
      cutText = text
    },
    hold() {
      held ??= []
    },
    release() {
      const passOn = held ?? []
      held = undefined
      for (const pass of passOn) pass()
    },
    switchTo(other) {
      target = new URL(other)
      for (const socket of sockets) socket.destroy()
    },
    close() {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
