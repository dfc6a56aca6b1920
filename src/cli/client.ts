/*
 * How a command talks to a service: over HTTP to one that runs, else to one that it opens in this process (decision 65).
 * Both answer the same routes, so that a command is written once.
 */
import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import { OperatorError, Unavailable } from '../errors.ts'
import { isWholeToken } from '../ingest/token.ts'
import { endAtOnce, type ServiceNote, serviceNotePath, tokenPath } from './serve/serve.ts'
import { openService } from './serve/service.ts'

/** A request that a service refused: the exit code of the command says so. */
export class CommandFailed extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Client = Readonly<{
  /** The body of a good answer. Errors: Refused with the service's own words, Unavailable, OperatorError. */
  call: (method: 'GET' | 'POST', path: string, data?: unknown) => Promise<unknown>
  close: () => Promise<void>
}>

type HttpReply = Readonly<{ status: number; text: string }>

const CALL_TIMEOUT_MS = 60_000
/** A person waits for a command: a database that is away for longer is told at once. */
const START_TIMEOUT_MS = 10_000
const FIND_TIMEOUT_MS = 5_000

/** The service to talk to: the one at `url`, else the one that holds the data directory, else one in this process. */
export async function openClient(config: Config, url?: string): Promise<Client> {
  const running = url ?? (config.databaseUrl === undefined ? await findRunning(config) : undefined)
  if (running === undefined) return openOwnService(config)
  if (!URL.canParse(running) || !/^https?:$/.test(new URL(running).protocol))
    throw new OperatorError(`"${running}" is no address of a service, expected one like http://127.0.0.1:8080`)
  return { call: caller(running, readToken(config)), close: async () => undefined }
}

/** The address of the service that holds the embedded database of a configuration, if one runs. */
export async function findRunning(config: Config): Promise<string | undefined> {
  try {
    const { url, pid } = JSON.parse(readFileSync(serviceNotePath(config), 'utf8')) as ServiceNote
    process.kill(pid, 0) // Throws where that process is gone: another service may listen at its address by now.
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(FIND_TIMEOUT_MS) })
    return answer.ok ? url : undefined
  } catch {
    return undefined // No note, or nobody behind it any more: a service that was killed could not remove it.
  }
}

/** A service in this process, for as long as the command runs: at a free port of this machine, behind a token that only it knows. */
async function openOwnService(config: Config): Promise<Client> {
  const service = await openService(config, {
    log: () => undefined,
    onFatal: endAtOnce,
    startTimeoutMs: START_TIMEOUT_MS,
  })
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  return { call: caller(url, service.ownToken), close: service.close }
}

function caller(url: string, token: string): Client['call'] {
  return async (method, path, data) => {
    const { status, text } = await send(url, token, method, path, data)
    const body = parsed(text)
    if (status === 200) return body
    const { path: at, error } = (body ?? {}) as { path?: string; error?: string }
    const message = `${at === undefined ? '' : `${at}: `}${error ?? `the service answered with status ${status}`}`
    if (status === 503 || status === 429) throw new Unavailable(message)
    throw new CommandFailed(status, message)
  }
}

async function send(url: string, token: string, method: string, path: string, data: unknown): Promise<HttpReply> {
  try {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { token, ...(data === undefined ? {} : { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    throw new Unavailable(`the service at ${url} does not answer`, { cause: error })
  }
}

/** The token of the environment, else the one of the data directory. */
function readToken(config: Config): string {
  const token = (config.token ?? readTokenFile(config)).trim()
  if (!isWholeToken(token)) throw new OperatorError('the token in LAUREL_TOKEN or the token file was not copied whole')
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
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a failed connection met, in few words. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}
