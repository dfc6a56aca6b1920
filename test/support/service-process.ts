/*
 * The real service and the real commands as separate processes, as an operator starts and kills them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedTemplate } from './database-templates.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the parts of a response that it expects, and fails where they are not there.
export type ServiceResponse = Readonly<{ status: number; headers: Headers; text: string; body: any }>

/** One request, on a connection of its own, as JSON. With a body the method is POST, as `fetch` refuses a GET with one. */
export type Ask = (
  path: string,
  options?: { method?: string; body?: unknown; headers?: Readonly<Record<string, string>> },
) => Promise<ServiceResponse>

export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>

export type Environment = Readonly<Record<string, string | undefined>>

/** A process of the command line, from its start. */
export type CommandProcess = Readonly<{
  pid: number
  stdout: () => string
  stderr: () => string
  ended: Promise<Ended>
  /** Sends a signal and waits for the end, `patienceMs` at most. */
  stop: (signal?: NodeJS.Signals, patienceMs?: number) => Promise<Ended>
  /** Simulates a crash: SIGKILL. */
  kill: () => Promise<Ended>
}>

/** A service that is ready. */
export type ServiceProcess = CommandProcess &
  Readonly<{
    url: string
    data: string
    /** From the start of the process to the first 200 of /readyz. */
    readyMs: number
    /** Sends a request with `token`, or with the token in its data directory. */
    ask: Ask
    /** Upserts a list of records. The response names the reason for each skipped record. */
    upsert: (noun: 'players' | 'products' | 'orders', data: readonly object[]) => Promise<ServiceResponse>
  }>

/** The directory of this checkout. */
export const THIS_CHECKOUT = resolve(import.meta.dirname, '../..')

export type ServiceOptions = Readonly<{
  /** LAUREL_DATA */
  data: string
  env?: Environment
  cwd?: string
  /** The directory of the checkout, or of the installed package, whose service it is; absent: this one. */
  checkout?: string
  /** A line of shell that limits the process before it starts, as `ulimit` does. */
  limit?: string
  /** The token to use instead of the one in its data directory. */
  token?: string
}>

const readyMsMax = 10 * 60_000
const running = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

/** Starts a command without waiting. Its environment is exactly the given one: the caller's settings do not leak in. */
export function launch(
  args: readonly string[],
  {
    env = {},
    cwd,
    checkout = THIS_CHECKOUT,
    stdin = '',
    limit = ':',
  }: {
    env?: Environment | undefined
    cwd?: string | undefined
    checkout?: string | undefined
    stdin?: string
    limit?: string | undefined
  } = {},
): CommandProcess {
  const command = [process.execPath, ...nodeOptions(env), join(checkout, 'bin/laurel.js'), ...args]
  const child = spawn('sh', ['-c', `${limit} && exec "$@"`, 'sh', ...command], {
    env: environmentOf(env),
    cwd: cwd ?? tmpdir(),
  })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // The process may have ended without reading its input.
  child.stdin.end(stdin)
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    running.delete(child)
    return { code, signal, stdout, stderr }
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM', patienceMs = 10 * 60_000) => {
    child.kill(signal)
    const patience = new AbortController()
    const late = sleep(patienceMs, 'late' as const, { signal: patience.signal })
    const end = await Promise.race([ended, late])
    patience.abort()
    late.catch(() => undefined)
    if (end !== 'late') return end
    child.kill('SIGKILL')
    throw new Error(`the process did not end within ${patienceMs} ms after ${signal}: ${stdout}${stderr}`)
  }
  return { pid: child.pid!, stdout: () => stdout, stderr: () => stderr, ended, stop, kill: () => stop('SIGKILL') }
}

/** The environment of a command: exactly the given one, and what a process of this run needs. */
export function environmentOf(env: Environment): Environment {
  return {
    PATH: process.env.PATH,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    STOP_DELAY_MS: '0',
    ...env,
  }
}

/**
 * Options that `npm test` passes to Node for programs that open the embedded database. With any such option, Node compiles its own modules anew, so
 * that others are better off without. The benchmark passes none: it measures programs as shipped.
 */
export function nodeOptions({ DATABASE_URL }: Environment = {}): string[] {
  return DATABASE_URL === undefined ? (process.env.LAUREL_TEST_NODE_OPTIONS?.split(' ') ?? []) : []
}

/** Runs a command to its end in a process of its own. */
export function runProcess(...launched: Parameters<typeof launch>): Promise<Ended> {
  return launch(...launched).ended
}

/** Starts `laurel serve` on a free port without waiting until it is ready: see `ready`. */
export function launchService({ data, env = {}, cwd, checkout, limit }: ServiceOptions): CommandProcess {
  return launch(['serve'], { env: { LAUREL_DATA: data, PORT: '0', ...env }, cwd, checkout, limit })
}

/** Starts the service and waits until it is ready. Rejects with its output if it ends before. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const startedAt = performance.now()
  return await ready(launchService(options), options, startedAt)
}

/** Waits until a launched service is ready. */
async function ready(
  command: CommandProcess,
  { data, token }: ServiceOptions,
  startedAt = performance.now(),
): Promise<ServiceProcess> {
  let isOver = false
  void command.ended.then(() => {
    isOver = true
  })
  while (performance.now() - startedAt < readyMsMax) {
    if (isOver) break
    const url = startedUrl(command.stdout())
    if (url !== undefined && (await answersReady(url))) {
      const readyMs = Math.round(performance.now() - startedAt)
      const ask: Ask = (path, options) => createAsk(url, token ?? tokenIn(data))(path, options)
      const upsert: ServiceProcess['upsert'] = (noun, list) =>
        ask(`/api/integration/${noun}?details=true`, { method: 'POST', body: { data: list } })
      return { ...command, url, data, readyMs, ask, upsert }
    }
    await sleep(10)
  }
  await command.kill()
  throw new Error(`the service did not become ready: ${command.stdout()}${command.stderr()}`)
}

/** Processor time so far of a service with one process, of all its threads: its own count, in seconds, exact to microseconds. */
export async function processorSecondsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const found = /^process_cpu_seconds_total (.*)$/m.exec(metrics)
  if (found === null) throw new Error(`${url}/metrics names no processor time: ${metrics.slice(0, 500)}`)
  return Number(found[1])
}

/** The ids of all recorded orders, as the service lists them. */
export async function orderIdsOf({ ask }: Pick<ServiceProcess, 'ask'>): Promise<string[]> {
  const found: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await ask(`/api/admin/orders?limit=500${after === '' ? '' : `&after=${after}`}`)
    for (const { order_id } of body.orders) found.push(order_id)
    after = body.after
  }
  return found
}

/** The token that the first start wrote. */
export function tokenIn(data: string): string {
  return readFileSync(join(data, 'token'), 'utf8').trim()
}

/** Requests to a service with one token. */
function createAsk(url: string, token: string): Ask {
  return async (path, { method, body, headers } = {}) => {
    const response = await fetch(new URL(path, url), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { token, connection: 'close', ...(body === undefined ? {} : JSON_TYPE), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function answersReady(url: string): Promise<boolean> {
  return await fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  )
}

function startedUrl(stdout: string): string | undefined {
  const line = stdout.split('\n').find((text) => text.includes('"msg":"service-started"') && text.endsWith('}'))
  return line === undefined ? undefined : (JSON.parse(line) as { url: string }).url
}

/** A directory that is deleted after the test. */
export function temporaryDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** A data directory with a migrated and empty database: the first start of a service in it is quick. */
export async function newDataDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  return copied((await embeddedTemplate()).directory, t)
}

let usedDirectory: Promise<string> | undefined

/** The data directory of a service that was started once and stopped: a database and a token. All are copies of one. */
export async function usedDataDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  usedDirectory ??= makeUsedDirectory()
  return copied(await usedDirectory, t)
}

function copied(directory: string, t: Pick<TestContext, 'after'>): string {
  const data = join(temporaryDirectory(t), 'data')
  cpSync(directory, data, { recursive: true })
  chmodSync(data, 0o700)
  return data
}

async function makeUsedDirectory(): Promise<string> {
  const data = await newDataDirectory({ after: (remove) => void process.once('exit', remove as () => void) })
  const service = await startService({ data })
  const { code, stderr } = await service.stop()
  if (code !== 0) throw new Error(`the service did not stop well: ${stderr}`)
  return data
}
