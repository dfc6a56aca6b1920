import cluster from 'node:cluster'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join, relative } from 'node:path'
import { type Config, readConfig } from '../../config.ts'
import { OperatorError } from '../../errors.ts'
import { SCOPES } from '../../ingest/token.ts'
import { listTokens, listValidTokens } from '../../operations/list-tokens.ts'
import { newToken } from '../../operations/tokens/new-token.ts'
import { insertFirstToken } from '../../store/tokens.ts'
import { createLogger, logObservations } from '../../telemetry/logger.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { greeting } from './greeting.ts'
import { openService, type Service } from './service.ts'
import { onStopSignals } from './stop-signals.ts'
import { askPrimary, leadWorkers, obeyPrimary, type Started } from './workers.ts'

/** What a running service on the embedded database leaves in its directory, so that commands find it (decision 65). */
export type ServiceNote = Readonly<{ url: string; pid: number }>

export const serviceNotePath = (config: Config) => join(config.dataDirectory, 'service.json')
export const tokenPath = (config: Config) => join(config.dataDirectory, 'token')

/** Requests under way get this long to end after a signal; it lies above the longest of their own time-outs. */
const STOP_GRACE_MS = 5_000
const EXIT_CRASHED = 70

/** `laurel serve`: runs the service until a signal, in this process or in several workers. `options` are settings, too. */
export async function serve(options: Readonly<Record<string, string | undefined>>): Promise<void> {
  const startedAt = performance.now()
  const config = readConfig(undefined, options)
  const { workers } = config
  if (workers > 1 && config.databaseUrl === undefined)
    throw new OperatorError(
      `WORKERS is ${workers}, but only one process can hold the embedded database: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1`,
    )
  const log = logObservations(
    createLogger({ level: config.logLevel, format: config.logFormat, worker: cluster.worker?.id }),
  )
  const tellStarted = ({ url, database, firstToken }: Started) => {
    log({
      kind: 'service-started',
      url,
      database,
      workers,
      durationMs: Math.round(performance.now() - startedAt),
    })
    if (firstToken !== undefined)
      process.stdout.write(greeting({ url, tokenFile: relative('', firstToken) || firstToken }))
    // Now and not at the end: a service may be killed.
    flushCompileCache()
  }
  process.on('uncaughtException', (error) => {
    // Nobody knows what state this process is in; what it acknowledged is in the database.
    log({ kind: 'service-crashed', error })
    process.exit(EXIT_CRASHED)
  })
  if (workers === 1) await serveAlone(config, log, tellStarted)
  else if (cluster.isWorker) await serveAsWorker(config, log)
  else leadWorkers({ count: workers, stopWithinMs: stopWithinMs(config), log, onStarted: tellStarted })
}

async function serveAlone(config: Config, log: Observe, tellStarted: (started: Started) => void): Promise<void> {
  const service = await openService(config, { log, onFatal: endAtOnce })
  const started = await openDoor(config, service)
  if (config.databaseUrl === undefined)
    writeWhole(serviceNotePath(config), JSON.stringify({ url: started.url, pid: process.pid } satisfies ServiceNote))
  tellStarted(started)
  const stop = stopper(config, service, log)
  onStopSignals(stop, () => process.exit(1))
}

async function serveAsWorker(config: Config, log: Observe): Promise<void> {
  const service = await openService(config, { log, onFatal: endAtOnce, metricsOfAll: askPrimary() })
  obeyPrimary(await openDoor(config, service), stopper(config, service, log))
}

async function openDoor(config: Config, service: Service): Promise<Started> {
  const firstToken = await makeFirstToken(config, service)
  return { url: await listen(config, service), database: service.db.driver, firstToken }
}

/**
 * Makes the first token of an empty database (decision 60); answers the path of its file, or undefined where there were tokens.
 *
 * The file comes first, as a draft that bears the token's id: a token in the database that nobody can read would leave the
 * service without a door. A start that ended in between, or never heard how its COMMIT went, left a draft: the next one
 * keeps it where the database knows the token, and removes it where it does not.
 */
async function makeFirstToken(config: Config, { deps, db, refreshTokens }: Service): Promise<string | undefined> {
  const deadlineAt = performance.now() + 10_000
  // Where there are tokens nothing is written: the directory may be one that cannot be.
  if ((await listTokens(deps, deadlineAt)).length > 0 && draftsIn(config).length === 0) return undefined
  try {
    const { issued, stored } = newToken('first', SCOPES, deps.now())
    mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(`${tokenPath(config)}.${issued.id}`, `${issued.token}\n`, { mode: 0o600, flush: true })
    await db.transaction((tx) => insertFirstToken(tx, stored), deadlineAt)
    const good = await listValidTokens(deps, deadlineAt)
    const isKept = settleDrafts(config, new Set(good.map(({ token_id }) => token_id)))
    if (!isKept) return undefined
    await refreshTokens()
    return tokenPath(config)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new OperatorError(`cannot write the first token into ${config.dataDirectory} (${code}): check LAUREL_DATA`, {
      cause: error,
    })
  }
}

/** The drafts of first tokens in the data directory, by the id of each. */
function draftsIn(config: Config): { id: string; path: string }[] {
  const names = existsSync(config.dataDirectory) ? readdirSync(config.dataDirectory) : []
  return names.flatMap((name) => {
    const id = /^token\.([0-9a-f]{12})$/.exec(name)?.[1]
    return id === undefined ? [] : [{ id, path: join(config.dataDirectory, name) }]
  })
}

/** Makes the draft of a token that the database knows the token file, and removes the others. Answers whether there was such a one. */
function settleDrafts(config: Config, known: ReadonlySet<string>): boolean {
  let isKept = false
  for (const { id, path } of draftsIn(config)) {
    if (known.has(id)) keepDraft(path, tokenPath(config))
    else rmSync(path, { force: true }) // Its token can no longer become the first: there is one.
    isKept ||= known.has(id)
  }
  return isKept
}

function keepDraft(draft: string, path: string): void {
  try {
    renameSync(draft, path)
  } catch (error) {
    // Another service that shares the directory was quicker, to the same end.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function listen(config: Config, { app, close }: Service): Promise<string> {
  try {
    return await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await close()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(`port ${config.port} at ${config.host} is in use: stop what listens there, or set PORT`)
    throw new OperatorError(
      `cannot listen at ${config.host} port ${config.port} (${code ?? error}): check HOST and PORT`,
    )
  }
}

/** How to stop the service, orderly; the process ends with it. */
function stopper(config: Config, service: Service, log: Observe): (reason: string) => void {
  let stopping = false
  return async (reason) => {
    if (stopping) return
    stopping = true
    log({ kind: 'service-stopping', reason })
    service.retire()
    // While the directory is still ours: once it is free, the note may already be the next service's.
    if (config.databaseUrl === undefined) rmSync(serviceNotePath(config), { force: true })
    setTimeout(() => process.exit(1), stopWithinMs(config)).unref()
    await service.close()
    log({ kind: 'service-stopped' })
    process.exit(0)
  }
}

const stopWithinMs = (config: Config) => config.upsertTimeoutMs + STOP_GRACE_MS

/** The data is damaged: nothing may be written any more, not even by an orderly stop. */
export function endAtOnce(error: Error): never {
  process.stderr.write(`laurel: ${error.message}\n`)
  process.exit(EXIT_CRASHED)
}

/** Writes a file so that a reader sees the old or the new text, never half of one. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
