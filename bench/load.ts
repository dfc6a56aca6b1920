/*
 * A constant load of predictions: how many a service answers a second, and its latency.
 */
import autocannon from 'autocannon'
import type { Target } from './http.ts'
import { anOrder } from './samples.ts'
import type { Size } from './testbed.ts'

export const LOAD_CONNECTIONS = 64
const ORDERS_EACH = 300

/** Sends predictions on 64 connections for the given seconds. Each connection sends orders of its own, in turn. */
export async function load(
  { url, token = '' }: Target,
  size: Size,
  seconds: number,
): Promise<{ perSecond: number; p99: number }> {
  let connected = 0
  const took: number[] = []
  const { duration } = await new Promise<autocannon.Result>((resolve, reject) => {
    const setupClient = (client: autocannon.Client) => {
      const from = connected * ORDERS_EACH
      connected += 1
      client.setRequests(Array.from({ length: ORDERS_EACH }, (_, index) => aRequest(from + index)))
    }
    const options = { url, connections: LOAD_CONNECTIONS, duration: seconds, setupClient }
    const run = autocannon(options, (error, result) => {
      const failed = result.non2xx + result.errors + result.timeouts
      if (error !== null || failed > 0) reject(error ?? new Error(`${failed} of ${took.length} predictions failed`))
      else resolve(result)
    })
    run.on('response', (_client, _status, _bytes, ms) => took.push(ms))
  })
  took.sort((a, b) => a - b)
  return { perSecond: took.length / duration, p99: took[Math.floor(took.length * 0.99)]! }

  function aRequest(index: number) {
    return {
      method: 'GET' as const,
      path: '/api/predictions/orders',
      headers: { 'content-type': 'application/json', token },
      body: JSON.stringify({ data: anOrder(index, size) }),
    }
  }
}
