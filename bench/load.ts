/*
 * Requests without pause on many connections that cost the sender little: a constant load of predictions, how many a service answers a second and how
 * quickly, or a fixed number of any requests.
 */
import autocannon from 'autocannon'
import type { Target } from './http.ts'
import { anOrder, bodyOf } from './samples.ts'
import type { Size } from './testbed.ts'

export const LOAD_CONNECTIONS = 64
export const PREDICTIONS_PATH = '/api/predictions/orders'
const ORDERS_EACH = 300
/** How often it is noticed that the last answer has come: at most this late. */
const SAMPLE_MS = 100

/** What each connection sends. */
export type Requests = Readonly<{
  method: 'GET' | 'POST'
  path: string
  /** The bodies that a connection sends in turn, and again from the first one on after the last; or a function that makes each. */
  bodies: (connection: number) => readonly Buffer[] | (() => Buffer)
  /** Whether the body of an answer is the expected one. Absent: any answer with status 200 is. */
  isExpected?: (answer: string) => boolean
}>

/** Sends predictions on 64 connections for the given seconds. Each connection sends orders of its own, in turn. */
export async function load(target: Target, size: Size, seconds: number): Promise<{ perSecond: number; p99: number }> {
  return await loadOf(target, predictionsOf(size), seconds)
}

/** Sends requests on 64 connections for the given seconds. Errors: if one failed, or an answer is not the expected one. */
export async function loadOf(
  target: Target,
  requests: Requests,
  seconds: number,
): Promise<{ perSecond: number; p99: number }> {
  const { took, duration } = await send(target, requests, { duration: seconds })
  took.sort((a, b) => a - b)
  return { perSecond: took.length / duration, p99: took[Math.floor(took.length * 0.99)]! }
}

/** The predictions of such a load. `path` may have parameters. */
export function predictionsOf(size: Size, path = PREDICTIONS_PATH): Requests {
  const orders = (connection: number) =>
    Array.from({ length: ORDERS_EACH }, (_, index) => bodyOf(anOrder(connection * ORDERS_EACH + index, size)))
  return { method: 'GET', path, bodies: orders }
}

/** Sends requests on 64 connections, the same number on each. Errors: if one failed, or an answer is not the expected one. */
export async function sendEach(target: Target, requests: Requests, each: number): Promise<void> {
  await send(target, requests, { amount: each * LOAD_CONNECTIONS, sampleInt: SAMPLE_MS })
}

async function send(
  { url, token = '' }: Target,
  { method, path, bodies, isExpected = () => true }: Requests,
  until: Pick<autocannon.Options, 'duration' | 'amount' | 'sampleInt'>,
): Promise<{ took: number[]; duration: number }> {
  let connected = 0
  const took: number[] = []
  const headers = { 'content-type': 'application/json', token }
  const { duration } = await new Promise<autocannon.Result>((resolve, reject) => {
    const setupClient = (client: autocannon.Client) => {
      const sent = bodies(connected)
      client.setRequests(
        typeof sent === 'function'
          ? [{ method, path, headers, setupRequest: (request) => ({ ...request, body: sent() }) }]
          : sent.map((body) => ({ method, path, headers, body })),
      )
      connected += 1
    }
    const options = {
      url,
      connections: LOAD_CONNECTIONS,
      setupClient,
      verifyBody: (body: unknown) => isExpected(String(body)),
      ...until,
    }
    const run = autocannon(options, (error, result) => {
      const failed = result.non2xx + result.errors + result.timeouts + result.mismatches
      if (error !== null || failed > 0)
        reject(error ?? new Error(`${failed} of ${took.length} requests to ${path} failed`))
      else resolve(result)
    })
    run.on('response', (_client, _status, _bytes, ms) => took.push(ms))
  })
  return { took, duration }
}
