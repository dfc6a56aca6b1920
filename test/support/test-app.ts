/*
 * The whole service on an empty database, listening on a free port: the code that ships, over real HTTP.
 */
import http from 'node:http'
import { after, describe } from 'node:test'
import { openRowReader } from '../../src/bulk/row-reader.ts'
import { removeServiceNote, writeServiceNote } from '../../src/cli/data-directory.ts'
import { makeFirstToken } from '../../src/cli/serve/first-token.ts'
import { openService, type Service } from '../../src/cli/serve/service.ts'
import { readConfig } from '../../src/config.ts'
import { createDb } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import type { DatabaseLocation } from '../../src/resources/jobs/job-kind.ts'
import { type ConsoleFiles, readConsoleFiles } from '../../src/server/console.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { assertDescribed } from './api-description.ts'
import {
  forEachDatabase,
  type Lifetime,
  type OpenTestDb,
  openOnServer,
  openTestPglite,
  testDatabase,
} from './databases.ts'
import { isOnCluster } from './on-cluster.ts'
import { newDataDirectory } from './service-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the parts of a response that it expects, and fails where they are not there.
export type Reply = Readonly<{ status: number; headers: http.IncomingHttpHeaders; text: string; body: any }>

export type Ask = Readonly<{
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown
  headers?: http.OutgoingHttpHeaders
}>

export type TestApp = Readonly<{
  url: string
  service: Service
  observations: readonly Observation[]
  /** Sends a request, and checks the response against the API description. */
  ask: (method: string, path: string, ask?: Ask) => Promise<Reply>
  predict: (order: unknown, query?: string) => Promise<Reply>
  upsertPlayers: (data: unknown, query?: string) => Promise<Reply>
  upsertProducts: (data: unknown, query?: string) => Promise<Reply>
  record: (orders: unknown, query?: string) => Promise<Reply>
  query: (sql: string) => Promise<Record<string, unknown>[]>
}>

export type OpenTestApp = (
  t: Lifetime,
  options?: {
    env?: Record<string, string>
    now?: () => Date
    readConsole?: () => ConsoleFiles | undefined
    /** Where jobs read. Absent: jobs wait for ever, as if another service ran them; `nowhere`: none can be started. */
    jobs?: DatabaseLocation | 'nowhere'
  },
) => Promise<TestApp>

/** Defines the tests of `define` once for each database. */
export function forEachService(define: (openTestApp: OpenTestApp, driver: 'pglite' | 'postgres') => void): void {
  forEachDatabase((driver, openTestDb) => define((t, options) => openAppOn(t, openTestDb, options), driver))
}

/** The same without a cluster, for tests of plans: there, each server makes its own. */
export function forEachPlanningService(define: (openTestApp: OpenTestApp) => void): void {
  if (isOnCluster) describe('on the embedded database', () => define(openTestApp))
  else forEachService(define)
}

/** A service on the in-memory embedded database, for tests that do not depend on the database. */
export const openTestApp: OpenTestApp = (t, options) => openAppOn(t, openTestPglite, options)

/** A service on the database at a URL, such as that of a proxy. */
export const openTestAppAt = (t: Lifetime, url: string, options?: Parameters<OpenTestApp>[1]): Promise<TestApp> =>
  openAppOn(t, () => openOnServer(t, url), options)

/** A service on a database of the test server, for commands that talk to it or open its database too. */
export async function openServerApp(
  t: Lifetime,
  options?: Parameters<OpenTestApp>[1],
): Promise<TestApp & Readonly<{ databaseUrl: string; token: string }>> {
  const databaseUrl = await testDatabase(t)
  const app = await openAppOn(t, () => openOnServer(t, databaseUrl), options)
  return { ...app, databaseUrl, token: app.service.ownToken }
}

/**
 * A service on an embedded database with files, by default in a new data directory. It runs jobs, and commands find it by its directory like one that
 * `laurel serve` started, which takes three times as much processor time to start. `stop` may be called early.
 */
export async function openEmbeddedApp(
  t: Lifetime,
  { data: given, ...options }: Parameters<OpenTestApp>[1] & { data?: string } = {},
): Promise<TestApp & Readonly<{ data: string; stop: () => Promise<void> }>> {
  let stop = async (): Promise<void> => undefined
  // Before the directory is deleted, as hooks run in the order in which they were registered.
  t.after(() => stop())
  const data = given ?? (await newDataDirectory(t))
  const config = readConfig({ LAUREL_DATA: data })
  const openDb = async () => createDb(await openPglite(data, { onFatal: rethrow }), { onFatal: rethrow })
  const app = await openAppOn(t, openDb, { jobs: { directory: data }, ...options })
  stop = async () => {
    removeServiceNote(config)
    await app.service.close()
  }
  await makeFirstToken(config, app.service)
  writeServiceNote(config, { url: app.url, consoleUrl: app.url, pid: process.pid })
  return { ...app, data, stop }
}

function rethrow(error: Error): never {
  throw error
}

/** One thread for all services of this process. It starts when it is first needed. */
const sharedRows = openRowReader()
after(() => sharedRows.close())

/** The files of the console for all services of this process. */
let consoleFiles: ConsoleFiles | undefined
const readConsoleOnce = () => {
  consoleFiles ??= readConsoleFiles()
  return consoleFiles
}

/** Even a busy machine does not take this long. */
export const LONG_TIMEOUTS = { PREDICTION_TIMEOUT_MS: '60000', UPSERT_TIMEOUT_MS: '600000' }

/** Erased IDs are recognised with it. */
export const ERASURE_KEY = { LAUREL_ERASURE_KEY: 'a secret of at least thirty-two characters' }

/** A service on the database that a test opens. */
export async function openAppOn(
  t: Lifetime,
  openTestDb: OpenTestDb,
  { env = {}, now, readConsole = readConsoleOnce, jobs }: Parameters<OpenTestApp>[1] & {} = {},
): Promise<TestApp> {
  const observations: Observation[] = []
  const options = {
    log: (observation: Observation) => observations.push(observation),
    onFatal: rethrow,
    createMetrics,
    jobs: jobs === 'nowhere' ? undefined : (jobs ?? ('elsewhere' as const)),
    overrides: {
      openDatabase: () => openTestDb(t),
      rows: { ...sharedRows, close: async () => undefined },
      readConsole,
      ...(now === undefined ? {} : { now }),
    },
  }
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const service = await openService(readConfig({ ...LONG_TIMEOUTS, ...ERASURE_KEY, ...env }), options)
  t.after(() => service.close())
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const ask: TestApp['ask'] = async (method, path, { body, headers = {} } = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = { token: service.ownToken, ...type, ...headers }
    const reply = await send(url, method, path, bytesOf(body), sent, agent)
    assertDescribed(method, path, reply)
    return reply
  }
  const post = (path: string, data: unknown) => ask('POST', path, { body: { data } })
  return {
    url,
    service,
    observations,
    ask,
    predict: (order, query = '') => ask('GET', `/api/predictions/orders${query}`, { body: { data: order } }),
    upsertPlayers: (data, query = '') => post(`/api/integration/players${query}`, data),
    upsertProducts: (data, query = '') => post(`/api/integration/products${query}`, data),
    record: (orders, query = '') => post(`/api/integration/orders${query}`, orders),
    query: (sql) => service.db.read(sql, [], performance.now() + 60_000),
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** One request with any method and body: `fetch` refuses a GET with a body. Without an agent it has a connection of its own. */
export function send(
  url: string,
  method: string,
  path: string,
  body: Buffer | undefined,
  headers: http.OutgoingHttpHeaders,
  agent: http.Agent | false = false,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
    if (body !== undefined && sent['content-length'] === undefined && sent['transfer-encoding'] === undefined)
      sent['content-length'] = body.length
    const request = http.request(new URL(path, url), { method, headers: sent, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) })
      })
    })
    request.on('error', reject)
    // A connection may break after its response, while the rest of a refused body is still being sent.
    request.on('socket', (socket) => {
      if (!socket.listeners('error').includes(ignored)) socket.on('error', ignored)
    })
    request.end(body)
  })
}

const ignored = (): void => undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
