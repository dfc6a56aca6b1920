/*
 * The requests of the measurements: bytes prepared in advance, over connections that stay open, so that the sender costs little.
 */
import http from 'node:http'
import type { Threads } from './threads.ts'

export const PLAYERS_PATH = '/api/integration/players'
export const PRODUCTS_PATH = '/api/integration/products'
export const ORDERS_PATH = '/api/integration/orders'

/** `pid` is the process whose processor time is counted, if any. */
export type Target = Readonly<{ url: string; token?: string; pid?: number }>

/** How many a second were answered or recorded, and what the process spent on them. */
export type Rate = Readonly<{ perSecond: number; threads: Threads | undefined }>

/** The numbers of several runs. */
export function ratesOf(runs: readonly Rate[]): number[] {
  return runs.map(({ perSecond }) => perSecond)
}

/** Our side of a figure: the numbers and the processor time of several runs. */
export function oursOf(runs: readonly Rate[]): Readonly<{ ours: number[]; threads: (Threads | undefined)[] }> {
  return { ours: ratesOf(runs), threads: runs.map(({ threads }) => threads) }
}

/** Sends bodies over several connections, one after the other on each; returns the responses and the seconds it took. */
export async function sendAll(
  target: Target,
  path: string,
  { bodies, connections }: Readonly<{ bodies: readonly Buffer[]; connections: number }>,
): Promise<{ responses: unknown[]; seconds: number }> {
  const left = [...bodies].reverse()
  const responses: unknown[] = []
  const seconds = await overConnections(target, connections, async (send) => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) responses.push(await send(path, body))
  })
  return { responses, seconds }
}

/** Sends one body. Errors: for any status but 200, with the response. */
export type Send = (path: string, body: Buffer) => Promise<unknown>

/** Runs a sender on each of several connections; returns the seconds until all have ended. */
export async function overConnections(
  target: Target,
  connections: number,
  sender: (send: Send) => Promise<void>,
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const startedAt = performance.now()
  try {
    await Promise.all(
      Array.from({ length: connections }, () => sender((path, body) => post(target, path, body, agent))),
    )
    return (performance.now() - startedAt) / 1_000
  } finally {
    agent.destroy()
  }
}

function post({ url, token }: Target, path: string, body: Buffer, agent: http.Agent): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(token === undefined ? {} : { token }),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) resolve(JSON.parse(text))
        else reject(new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 500)}`))
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}
