/*
 * Requests without pause on many connections that cost the sender little: a constant load of predictions, how many a service answers a second and how
 * quickly, or a fixed number of any requests.
 */
import autocannon from 'autocannon'
import type { Rate, Target } from './http.ts'
import { anOrder, bodyOf } from './samples.ts'
import type { Size } from './testbed.ts'
import { meanThreads, watchThreads } from './threads.ts'

export const LOAD_CONNECTIONS = 64
export const PREDICTIONS_PATH = '/api/predictions/orders'
/** How many different orders a connection asks about, and how many once: as many as that, or fewer where there are too few players. */
const ORDERS_EACH = 300
const COLD_EACH = 1_000
/** How often it is noticed that the time is over, or the last response has come: at most this late. */
const SAMPLE_MS = 100
const WARM_UPS = 3

/** What each connection sends. */
export type Requests = Readonly<{
  method: 'GET' | 'POST'
  path: string
  /** The bodies that a connection sends in turn, and again from the first one on after the last; or a function that makes each. */
  bodies: (connection: number) => readonly Buffer[] | (() => Buffer)
  /** Whether the body of a response is the expected one. Absent: any answer with status 200 is. */
  isExpected?: (response: string) => boolean
}>

export type Load = Rate & Readonly<{ p99: number }>

/** Turns a sample order into the one that is sent. */
export type OrderMaker = (order: ReturnType<typeof anOrder>) => object

/**
 * The last of several equal loads. In those before it, V8 compiles what a fresh start runs often: after three seconds, embedded predictions still took
 * twice the processor time.
 */
export async function warmed<Result>(load: () => Promise<Result>): Promise<Result> {
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) await load()
  return await load()
}

/** Sends predictions on 64 connections for the given seconds. Each connection sends orders of its own, in turn. */
export async function load(target: Target, size: Size, seconds: number): Promise<Load> {
  return await loadOf(target, predictionsOf(size), seconds)
}

/** Sends requests on 64 connections for the given seconds. Errors: if one failed, or a response is not the expected one. */
export async function loadOf(target: Target, requests: Requests, seconds: number): Promise<Load> {
  return await send(target, requests, { duration: seconds })
}

/** The same on several services, with a part of the 64 connections to each. p99 is the highest of theirs. */
export async function loadOnAll(targets: readonly Target[], requests: Requests, seconds: number): Promise<Load> {
  const connections = LOAD_CONNECTIONS / targets.length
  const loads = await Promise.all(
    targets.map((target, index) => {
      const bodies = (connection: number) => requests.bodies(index * connections + connection)
      return send(target, { ...requests, bodies }, { duration: seconds, connections })
    }),
  )
  const perSecond = loads.reduce((sum, load) => sum + load.perSecond, 0)
  return { perSecond, p99: Math.max(...loads.map(({ p99 }) => p99)), threads: meanThreads(loads) }
}

/** The predictions of such a load. `path` may have parameters. */
export function predictionsOf(size: Size, path = PREDICTIONS_PATH, as: OrderMaker = (order) => order): Requests {
  const each = askedOften(size) / LOAD_CONNECTIONS
  return { method: 'GET', path, bodies: (connection) => ordersFrom(connection * each, each, size, as) }
}

/** How many different orders such a load asks about again and again: of that many players, at most half of all. */
export function askedOften({ players }: Size): number {
  return LOAD_CONNECTIONS * Math.max(1, Math.min(ORDERS_EACH, Math.floor(players / 2 / LOAD_CONNECTIONS)))
}

/** Sends one prediction for each of up to 64,000 players whom such a load does not ask about, of at least 128. */
export async function loadCold(target: Target, size: Size): Promise<Load> {
  const { requests, each } = coldPredictionsOf(size)
  return await sendEach(target, requests, each)
}

/** The predictions of that load, and how many each connection sends. */
export function coldPredictionsOf(size: Size): Readonly<{ requests: Requests; each: number }> {
  const often = askedOften(size)
  const each = Math.max(1, Math.min(COLD_EACH, Math.floor((size.players - often) / LOAD_CONNECTIONS)))
  const bodies = (connection: number) => ordersFrom(often + connection * each, each, size)
  return { requests: { method: 'GET', path: PREDICTIONS_PATH, bodies }, each }
}

function ordersFrom(from: number, count: number, size: Size, as: OrderMaker = (order) => order): Buffer[] {
  return Array.from({ length: count }, (_, index) => bodyOf(as(anOrder(from + index, size))))
}

/** Sends requests on 64 connections, the same number on each. Errors: if one failed, or a response is not the expected one. */
export async function sendEach(target: Target, requests: Requests, each: number): Promise<Load> {
  return await send(target, requests, { amount: each * LOAD_CONNECTIONS })
}

async function send(
  { url, token = '', pid }: Target,
  { method, path, bodies, isExpected = () => true }: Requests,
  options: Pick<autocannon.Options, 'duration' | 'amount' | 'connections'>,
): Promise<Load> {
  let connected = 0
  const took: number[] = []
  let startedAt = 0
  let lastAt = 0
  const headers = { 'content-type': 'application/json', token }
  const { threads } = await watchThreads(
    pid,
    () =>
      new Promise<number>((resolve, reject) => {
        const setupClient = (client: autocannon.Client) => {
          const sent = bodies(connected)
          client.setRequests(
            typeof sent === 'function'
              ? [{ method, path, headers, setupRequest: (request) => ({ ...request, body: sent() }) }]
              : sent.map((body) => ({ method, path, headers, body })),
          )
          connected += 1
        }
        const all = {
          url,
          connections: LOAD_CONNECTIONS,
          setupClient,
          verifyBody: (body: unknown) => isExpected(String(body)),
          sampleInt: SAMPLE_MS,
          ...options,
        }
        const run = autocannon(all, (error, result) => {
          const failed = result.non2xx + result.errors + result.timeouts + result.mismatches
          if (error !== null || failed > 0)
            reject(error ?? new Error(`${failed} of ${took.length} requests to ${path} failed`))
          else if (took.length === 0) reject(new Error(`no request to ${path} was answered`))
          else resolve(took.length)
        })
        run.on('start', () => {
          startedAt = performance.now()
        })
        run.on('response', (_client, _status, _bytes, ms) => {
          took.push(ms)
          lastAt = performance.now()
        })
      }),
  )
  took.sort((a, b) => a - b)
  return {
    perSecond: (took.length / (lastAt - startedAt)) * 1_000,
    p99: took[Math.floor(took.length * 0.99)]!,
    threads,
  }
}
