import cluster from 'node:cluster'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig, refuseRemovedSettings } from '../../config.ts'
import { holdsDatabase } from '../../database/embedded/directory.ts'
import { InvalidInput, OperatorError, Unavailable } from '../../errors.ts'
import { SIGN_IN_CODE_LIFETIME } from '../../resources/sessions/sign-in-code-lifetime.ts'
import { createLogOutput, LOG_FLUSH_TIMEOUT_MS, type LogOutput } from '../../telemetry/log-output.ts'
import { createLogger, logObservations } from '../../telemetry/logger.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { removeServiceNote, writeServiceNote } from '../data-directory.ts'
import { EXIT } from '../failure.ts'
import { consoleLink } from '../service-address.ts'
import { greeting } from './greeting.ts'
import type { Service, ServiceOptions } from './service.ts'
import { followPrimary, onStopSignals, requestClusterMetrics, runPrimary, type Started } from './workers.ts'

/** In addition to the longest timeout of requests in progress. */
const STOP_GRACE_MS = 5_000
/** How long connections are kept again before the port closes; most answers take less. */
const SETTLE_MS = 500
const SIGN_IN_TIMEOUT_MS = 5_000
const SCHEMA_TIMEOUT_MS = 5_000
/** New connections that wait to be accepted; the kernel takes at most net.core.somaxconn, 4096 by default. Those beyond it retry after a second. */
const ACCEPT_QUEUE_MAX = 4_096
/** What the embedded database and the largest upsert need together. With less, the system may kill the process without a word (docs/operating.md). */
const EMBEDDED_MEMORY_ADVISED_MIB = 1024

/** `laurel serve`: runs the service until a signal, in this process or in several workers. `--workers` overrides the setting. */
export async function serve(options: { workers?: string }): Promise<void> {
  const startedAt = performance.now()
  refuseRemovedSettings()
  const config = readConfig(undefined, { WORKERS: options.workers })
  const { workers } = config
  if (workers > 1 && config.databaseUrl === undefined)
    throw new OperatorError(
      `WORKERS is ${workers}, but only one process can hold the embedded database: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1`,
    )
  const output = createLogOutput(process.stdout)
  const log = logObservations(
    createLogger({ level: config.logLevel, format: config.logFormat, worker: cluster.worker?.id }, output),
    config.logRequests === 'on',
  )
  const onStarted = ({ url, consoleUrl, database, firstToken, signInCode }: Started) => {
    log({
      kind: 'service-started',
      url,
      database,
      workers,
      durationMs: Math.round(performance.now() - startedAt),
    })
    if (firstToken !== undefined)
      process.stdout.write(greeting({ url, tokenFile: relative('', firstToken) || firstToken }))
    if (signInCode !== undefined)
      process.stdout.write(
        `\nOne-time sign-in link to the console, valid for ${SIGN_IN_CODE_LIFETIME}:\n${consoleLink(consoleUrl, signInCode)}\n\n`,
      )
    // Now rather than at the end: the service may be killed.
    flushCompileCache()
  }
  // Without a listener, Node would open its debugger, which gives whoever reaches it this process.
  process.on('SIGUSR1', () => undefined)
  process.on('uncaughtException', (error) => {
    // The state of this process is unknown; what it acknowledged is in the database.
    log({ kind: 'service-crashed', error })
    void output.flush(LOG_FLUSH_TIMEOUT_MS).then(() => process.exit(EXIT.crashed))
  })
  if (workers === 1) await serveAlone(config, { log, output }, onStarted)
  else if (cluster.isWorker) await serveAsWorker(config, { log, output })
  else runPrimary({ count: workers, stopWithinMs: stopWithinMs(config), log, output, onStarted })
}

/** The log of this process, and where its lines go. */
type Log = Readonly<{ log: Observe; output: LogOutput }>

async function serveAlone(config: Config, { log, output }: Log, onStarted: (started: Started) => void): Promise<void> {
  // It takes seconds, once: whoever is waiting should know why.
  if (config.databaseUrl === undefined && !holdsDatabase(config.dataDirectory))
    log({ kind: 'database-creating', directory: config.dataDirectory })
  const limitMib = Math.floor(process.constrainedMemory() / 1024 ** 2)
  if (config.databaseUrl === undefined && limitMib > 0 && limitMib < EMBEDDED_MEMORY_ADVISED_MIB)
    log({ kind: 'memory-low', limitMib, advisedMib: EMBEDDED_MEMORY_ADVISED_MIB })
  const service = await open(config, {
    log,
    createMetrics: (sizes) => createMetrics(sizes, output.droppedLines),
  })
  const started = await start(config, service)
  if (config.databaseUrl === undefined) {
    const { findSchema } = await import('../../database/db/migrate.ts')
    const schema = await findSchema(service.db, performance.now() + SCHEMA_TIMEOUT_MS)
    writeServiceNote(config, {
      ...{ url: started.url, consoleUrl: started.consoleUrl, pid: process.pid },
      ...{ schemaVersion: schema.version, oldestSchemaVersion: schema.oldestVersion },
    })
  }
  // First, because whoever reads that it has started may stop it at once.
  onStopSignals(createStop(config, service, { log, output }), () => process.exit(EXIT.refused))
  onStarted(started)
}

async function serveAsWorker(config: Config, { log, output }: Log): Promise<void> {
  const metricsOfAll = requestClusterMetrics()
  const service = await open(config, {
    log,
    createMetrics: (sizes) => createMetrics(sizes, output.droppedLines, metricsOfAll),
  })
  followPrimary(await start(config, service), createStop(config, service, { log, output }))
}

/** The modules of the service are loaded only here: a primary serves nothing, and a wrong setting is reported without them. */
async function open(config: Config, options: Pick<ServiceOptions, 'log' | 'createMetrics'>): Promise<Service> {
  const [{ openService }, { exitAtOnce, serverOf }, { SERVICE_BUFFERS_MB }] = await Promise.all([
    import('./service.ts'),
    import('../database.ts'),
    import('../../database/embedded/shared-buffers.ts'),
  ])
  const server = serverOf(config)
  const jobs = server === undefined ? { directory: config.dataDirectory } : { server }
  return openService(config, { ...options, jobs, sharedBuffersMb: SERVICE_BUFFERS_MB, onFatal: exitAtOnce })
}

/** Creates the first token if there is none, then listens. */
async function start(config: Config, service: Service): Promise<Started> {
  const { makeFirstToken } = await import('./first-token.ts')
  const firstToken = await makeFirstToken(config, service)
  const urls = await listen(config, service)
  return { ...urls, database: service.db.driver, firstToken, signInCode: await signInCodeFor(service) }
}

/** A sign-in link is printed only to a terminal, never to a log; one of several workers makes it. */
async function signInCodeFor({ deps, hasConsole }: Service): Promise<string | undefined> {
  if (!hasConsole || !process.stdout.isTTY || (cluster.worker?.id ?? 1) !== 1) return undefined
  const { createSignInCode } = await import('../../resources/sessions/service.ts')
  try {
    return (await createSignInCode(deps, { by: '' }, performance.now() + SIGN_IN_TIMEOUT_MS)).code
  } catch (error) {
    // If there is no token for it, people sign in with their own.
    if (error instanceof InvalidInput || error instanceof Unavailable) return undefined
    throw error
  }
}

async function listen(config: Config, { app, close }: Service): Promise<{ url: string; consoleUrl: string }> {
  try {
    const url = await listenAt('PORT', config.host, config.port, () =>
      app.listen({ host: config.host, port: config.port, backlog: ACCEPT_QUEUE_MAX }),
    )
    const { consoleServer } = app
    const { host, consolePort } = config
    if (consoleServer === undefined || consolePort === undefined) return { url, consoleUrl: url }
    await listenAt('CONSOLE_PORT', host, consolePort, () =>
      once(consoleServer.listen({ host, port: consolePort, backlog: ACCEPT_QUEUE_MAX }), 'listening'),
    )
    const consoleUrl = new URL(url)
    consoleUrl.port = String((consoleServer.address() as AddressInfo).port)
    return { url, consoleUrl: consoleUrl.origin }
  } catch (error) {
    await close()
    throw error
  }
}

/** Errors: OperatorError that names the setting. */
async function listenAt<T>(setting: string, host: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(`port ${port} at ${host} is in use: stop what is listening there, or set ${setting}`)
    throw new OperatorError(`cannot listen at ${host} port ${port} (${code ?? error}): check HOST and ${setting}`)
  }
}

/** A function that stops the service in order, and ends the process. */
function createStop(config: Config, service: Service, { log, output }: Log): (reason: string) => void {
  let stopping = false
  return async (reason) => {
    if (stopping) return
    stopping = true
    log({ kind: 'service-stopping', reason })
    service.drain()
    setTimeout(() => process.exit(EXIT.refused), stopWithinMs(config)).unref()
    // Load balancers need a while to notice; whoever stops the service by hand need not wait.
    if (reason !== 'SIGINT' && config.stopDelayMs > 0) {
      const settleMs = Math.min(SETTLE_MS, config.stopDelayMs / 2)
      await sleep(config.stopDelayMs - settleMs)
      service.settle()
      await sleep(settleMs)
    }
    // While the directory is still ours: once it is released, the note may be the next service's.
    if (config.databaseUrl === undefined) removeServiceNote(config)
    await service.close()
    log({ kind: 'service-stopped' })
    await output.flush(LOG_FLUSH_TIMEOUT_MS)
    process.exit(0)
  }
}

const stopWithinMs = (config: Config) => config.stopDelayMs + config.upsertTimeoutMs + STOP_GRACE_MS
