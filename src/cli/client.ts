/*
 * How a command talks to a service: over HTTP to a running one, else to one that it starts in this process (decision 65).
 * Both have the same routes, so that a command is written once.
 */
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { type Config, readConfig } from '../config.ts'
import { OperatorError, Unavailable } from '../errors.ts'
import { parseSums } from '../json-sums.ts'
import { isWholeToken } from '../resources/tokens/token-text.ts'
import type { RouteName, RouteResponse } from '../server/responses.ts'
import { escapeControls } from '../text.ts'
import { findRunningService, tokenPath } from './data-directory.ts'
import { CommandFailed, unexpectedResponse } from './failure.ts'
import { lacking } from './response-shape.ts'
import { sendRequest } from './send-request.ts'
import { addressAt } from './service-address.ts'

type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type CallRequest<Route extends RouteName> = Readonly<{
  /** The values of the path parameters, which begin with a colon. */
  params?: Readonly<Record<ParameterOf<Route>, string>>
  query?: Readonly<Record<string, string>>
  /** The value of `data` in the body; absent: no body. */
  data?: unknown
  /** How long to wait for the response; absent: a minute. */
  timeoutMs?: number
}>

export type Client = Readonly<{
  /**
   * Calls a route, and returns its response, whose shape is checked. Errors: CommandFailed with the service's own words, NotLaurel, Unavailable,
   * OperatorError.
   */
  call: <Route extends RouteName>(route: Route, request?: CallRequest<Route>) => Promise<RouteResponse<Route>>
  /** The URL of the running service; absent: one in this process. */
  url?: string
  close: () => Promise<void>
}>

const CALL_TIMEOUT_MS = 60_000
/** A person is waiting for the command: a database that is away for longer is reported. */
const START_TIMEOUT_MS = 10_000

/** Nobody reads the metrics of a service that lives only as long as its command. */
const NO_METRICS = { observe: () => undefined, text: async () => '', contentType: 'text/plain' }

/** Optimizing the WebAssembly of the embedded database costs half a second of processor time, which only work of many seconds recovers. */
const BRIEF_WORK_FLAGS = '--no-wasm-tier-up --no-wasm-dynamic-tiering'

/**
 * Runs `act` with the service at `url`, else with the one that holds the data directory, else with one in this process. The last is opened
 * for single questions and changes, unless `act` sends many records. Returns what `act` does.
 */
export async function withClient<Result>(
  url: string | undefined,
  act: (client: Client) => Promise<Result>,
  { sendsMany = false } = {},
): Promise<Result> {
  const client = await openClient(readConfig(), sendsMany, url)
  try {
    return await act(client)
  } finally {
    await client.close()
  }
}

async function openClient(config: Config, sendsMany: boolean, url?: string): Promise<Client> {
  const running = url ?? (await findRunningService(config))?.url
  if (running === undefined) return openInProcessService(config, sendsMany)
  if (!URL.canParse(running) || !/^https?:$/.test(new URL(running).protocol))
    throw new OperatorError(`invalid service URL "${running}", expected one like http://127.0.0.1:8080`)
  return { call: callerOf(running, readToken(config)), url: running, close: async () => undefined }
}

/**
 * A service in this process, for as long as the command runs: on a free port of this machine, with a token that only this process knows. It
 * creates no database and no tables (decision 65).
 */
async function openInProcessService(config: Config, sendsMany: boolean): Promise<Client> {
  // Loaded only here: a command that finds a running service needs none of this.
  const { assertDatabaseThere, exitAtOnce } = await import('./database.ts')
  assertDatabaseThere(config)
  if (!sendsMany) setFlagsFromString(BRIEF_WORK_FLAGS)
  const [{ openService }, { assertCurrent }] = await Promise.all([
    import('./serve/service.ts'),
    import('../database/db/migrate.ts'),
  ])
  const service = await openService(
    { ...config, console: 'off' },
    {
      log: () => undefined,
      onFatal: exitAtOnce,
      startTimeoutMs: START_TIMEOUT_MS,
      settleSchema: assertCurrent,
      createMetrics: () => NO_METRICS,
    },
  )
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  return { call: callerOf(url, service.ownToken), close: service.close }
}

function callerOf(url: string, token: string): Client['call'] {
  return async <Route extends RouteName>(route: Route, request: CallRequest<Route> = {}) => {
    const { status, text, location } = await send(url, token, addressOf(route, request), request)
    if (location !== undefined)
      throw new CommandFailed(`the service at ${url} redirects to ${location}: pass that URL with --url`)
    const body = parsed(text)
    if (status === 200) {
      const expected = lacking(route, body)
      if (expected === undefined) return body as RouteResponse<Route>
      throw unexpectedResponse(url, route, expected)
    }
    const message = refusalIn(body) ?? `the service answered with status ${status}`
    if (status === 503 || status === 429) throw new Unavailable(message)
    throw new CommandFailed(message)
  }
}

/** The sentence of a refusal, on one line; undefined if it has none. */
function refusalIn(body: unknown): string | undefined {
  const { path, error } = (body ?? {}) as Readonly<{ path?: unknown; error?: unknown }>
  if (typeof error !== 'string') return undefined
  return escapeControls(typeof path === 'string' ? `${path}: ${error}` : error)
}

type Address = Readonly<{ method: string; path: string }>

function addressOf<Route extends RouteName>(route: Route, { params, query }: CallRequest<Route>): Address {
  const [method = '', template = ''] = route.split(' ')
  const values: Readonly<Record<string, string>> = params ?? {}
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return { method, path: query === undefined ? path : `${path}?${new URLSearchParams(query)}` }
}

async function send(
  url: string,
  token: string,
  { method, path }: Address,
  { data, timeoutMs = CALL_TIMEOUT_MS }: Pick<CallRequest<RouteName>, 'data' | 'timeoutMs'>,
): Promise<{ status: number; text: string; location: string | undefined }> {
  try {
    const response = await sendRequest(addressAt(url, path), {
      method,
      headers: { token, ...(data === undefined ? {} : { 'content-type': 'application/json' }) },
      body: data === undefined ? undefined : JSON.stringify({ data }),
      timeoutMs,
    })
    const isRedirect = response.status >= 300 && response.status < 400
    return { ...response, location: isRedirect ? (response.location ?? 'an unknown URL') : undefined }
  } catch (error) {
    throw new Unavailable(`no response from ${url}`, { cause: error })
  }
}

/** The token from the environment, else the one in the data directory. */
function readToken(config: Config): string {
  const token = (config.token ?? readTokenFile(config)).trim()
  if (!isWholeToken(token)) throw new OperatorError('the token in LAUREL_TOKEN or the token file is incomplete')
  return token
}

function readTokenFile(config: Config): string {
  try {
    return readFileSync(tokenPath(config), 'utf8')
  } catch {
    throw new OperatorError(`no token: set LAUREL_TOKEN, or put one into ${tokenPath(config)}`)
  }
}

function parsed(text: string): unknown {
  try {
    return parseSums(text)
  } catch {
    return undefined
  }
}
