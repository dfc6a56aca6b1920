/*
 * Assembles a service on a database, not yet listening. Used by `serve`, and by commands that find no running service.
 */
import type { Config } from '../../config.ts'
import { type App, buildApp } from '../../http/app.ts'
import { type ConsoleFiles, readConsoleFiles } from '../../http/console.ts'
import { allRoutes } from '../../http/routes/index.ts'
import { type Activity, createActivity } from '../../operations/activity/activity.ts'
import { createRefresh } from '../../operations/background/refresh.ts'
import { startBackgroundWork } from '../../operations/background/start-background-work.ts'
import { isDatabaseReady } from '../../operations/check-readiness.ts'
import type { Deps } from '../../operations/deps.ts'
import type { DatabaseLocation } from '../../operations/jobs/job-messages.ts'
import { openJobRunner } from '../../operations/jobs/job-runner.ts'
import { createBatchedReads } from '../../operations/predictions/batched-reads.ts'
import { openPredictionLog } from '../../operations/predictions/prediction-log.ts'
import { createProgramCache } from '../../operations/programs/program-cache.ts'
import { publishStarterProgram } from '../../operations/publish-starter-program.ts'
import { createPlayerQueue } from '../../operations/queues/player-queue.ts'
import { createSerialQueue } from '../../operations/queues/serial-queue.ts'
import { createSessionCache } from '../../operations/sessions/session-cache.ts'
import { noteSessionUse } from '../../operations/sessions/stored-sessions.ts'
import { createShopCache } from '../../operations/settings/shop-cache.ts'
import { newToken } from '../../operations/tokens/new-token.ts'
import { noteUse } from '../../operations/tokens/note-use.ts'
import { createTokenCache } from '../../operations/tokens/token-cache.ts'
import { openRowReader, type RowReader } from '../../operations/workers/row-reader.ts'
import { type assertCurrent, migrate } from '../../store/db/migrate.ts'
import type { Db } from '../../store/db/transaction.ts'
import type { createMetrics } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { createVitals, type Vitals } from '../../telemetry/vitals.ts'
import { openDatabase } from '../database.ts'

export type Service = Readonly<{
  app: App
  db: Db
  deps: Deps
  /** A token of this process alone, with all scopes; it is never stored. */
  ownToken: string
  /** Whether the console was built, and is served. */
  hasConsole: boolean
  /** Makes a token that was just written known to this process, without waiting for the next refresh. */
  refreshTokens: () => Promise<void>
  /** Makes the service report that it is not ready, so that load balancers send no more requests; those that still arrive are answered. */
  drain: () => void
  /** Finishes the requests in progress, then closes the database. */
  close: () => Promise<void>
}>

type Metrics = ReturnType<typeof createMetrics>

export type ServiceOptions = Readonly<{
  log: Observe
  /** The data is damaged, or the embedded database has died. */
  onFatal: (error: Error) => void
  /** The text of /metrics in a worker: the counters of all workers. */
  metricsOfAll?: (() => Promise<string>) | undefined
  /** Opens the metrics for Prometheus; a command that opens a service for itself passes one that does not count. */
  openMetrics?: (...given: Parameters<typeof createMetrics>) => Promise<Metrics>
  now?: () => Date
  /** How long to wait for a database that cannot be reached; migrating its schema does not count. */
  startTimeoutMs?: number
  /** What to do with the schema before anything else: migrate it, or only check it. */
  settleSchema?: typeof migrate | typeof assertCurrent
  /** Reads players and products in bulk, in a thread of its own; tests share one among many services. Absent: the service opens one. */
  rows?: RowReader
  /** Where jobs read; `elsewhere`: another service on this database runs them. Absent: jobs cannot be started, unless other processes may write. */
  jobs?: DatabaseLocation | 'elsewhere' | undefined
  /** For an embedded database that will grow; absent: enough for its files as they are now. */
  sharedBuffersMb?: number
  /** The files of the console; tests pass their own. Absent: those of the build. */
  readConsole?: () => ConsoleFiles | undefined
}>

const START_TIMEOUT_MS = 60_000

/**
 * Opens the database, brings its schema up to date, and builds the server around it. Errors: OperatorError, Unavailable.
 * `open` is how the database is opened; tests pass their own.
 */
export async function openService(
  config: Config,
  {
    log,
    onFatal,
    metricsOfAll,
    openMetrics = loadMetrics,
    now = () => new Date(),
    startTimeoutMs = START_TIMEOUT_MS,
    settleSchema = migrate,
    rows = openRowReader(),
    jobs,
    sharedBuffersMb,
    readConsole = readConsoleFiles,
  }: ServiceOptions,
  open: typeof openDatabase = openDatabase,
): Promise<Service> {
  const metrics = await openMetrics(() => db.memoryBytes(), metricsOfAll)
  const vitals = createVitals(now, () => db.memoryBytes())
  const observe: Observe = (observation) => {
    vitals.observe(observation)
    metrics.observe(observation)
    log(observation)
  }
  const db = await open(config, observe, onFatal, sharedBuffersMb)
  try {
    await settleSchema(db, performance.now() + startTimeoutMs, (versions) =>
      observe({ kind: 'database-migrating', ...versions }),
    )
    const startBy = performance.now() + startTimeoutMs
    return await assemble(config, { db, metrics, vitals: vitals.read, observe, now, startBy, rows, jobs, readConsole })
  } catch (error) {
    await db.close()
    throw error
  }
}

async function loadMetrics(...given: Parameters<typeof createMetrics>): Promise<Metrics> {
  return (await import('../../telemetry/metrics.ts')).createMetrics(...given)
}

type Parts = Readonly<{
  db: Db
  metrics: Metrics
  vitals: () => Vitals
  observe: Observe
  now: () => Date
  startBy: number
  rows: RowReader
  jobs: DatabaseLocation | 'elsewhere' | undefined
  readConsole: () => ConsoleFiles | undefined
}>

async function assemble(
  config: Config,
  { db, metrics, vitals, observe, now, startBy, rows, jobs, readConsole }: Parts,
): Promise<Service> {
  await publishStarterProgram(db, now(), startBy)
  const own = newToken('this process', ['admin'], now())
  const caches = createCaches(db, now, own.stored)
  const refresh = createRefresh({ db, now, observe }, caches)
  await refresh.programs(startBy)
  await refresh.tokens(startBy)
  await refresh.shop(startBy)
  await refresh.sessions(startBy)
  const { tokens, programs, shop, sessions } = caches
  const activity = createActivity({ db, now, programs: programs.all })
  const deps: Deps = {
    ...{ db, now, observe, rows, activity, vitals },
    ...createBatchedReads(db),
    programs: programs.all,
    shop: shop.current,
    predictions: openPredictionLog({
      ...{ db, now, observe, count: activity.countPredictions },
      keptDays: config.predictionsKeptDays,
    }),
    readingQueue: createSerialQueue(),
    playerQueue: createPlayerQueue(),
  }
  const runner = jobs === undefined || jobs === 'elsewhere' ? undefined : openJobRunner(deps, jobs)
  const hasRunner = jobs !== undefined || db.hasOtherWriters
  const stopBackgroundWork = startBackgroundWork(
    deps,
    refresh,
    { tokens: () => noteUse(db, tokens), sessions: () => noteSessionUse(db, sessions) },
    { isServing: runner !== undefined },
  )
  const files = config.console === 'off' ? undefined : readConsole()
  const hasOwnPort = config.consolePort !== undefined
  let draining = false
  const app = buildApp({
    routes: allRoutes(deps, config, refresh, hasRunner ? () => runner?.wake() : undefined),
    tokenlessRoutes: { isReady: async () => !draining && (await isDatabaseReady(db)), metrics },
    ...{ tokens, now, observe: countingAnswers(observe, activity) },
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    connectionsMax: config.connectionsMax,
    heldBytesMax: config.heldBytesMax,
    isDraining: () => draining,
    console: config.console === 'off' ? undefined : { files, hasOwnPort, sessions, deps, refresh: refresh.sessions },
  })
  const drain = () => {
    draining = true
  }
  return {
    ...{ app, db, deps, drain },
    ownToken: own.issued.token,
    hasConsole: files !== undefined,
    refreshTokens: refresh.tokens,
    close: async () => {
      drain()
      await app.close()
      await runner?.close()
      await stopBackgroundWork()
      await rows.close()
      await deps.predictions.close()
      await activity.flush().catch((error: unknown) => observe({ kind: 'statistics-failed', error }))
      await db.close()
    },
  }
}

/** The caches of a process, all empty. */
function createCaches(db: Db, now: () => Date, own: Readonly<{ id: string; digest: string }>) {
  const tokens = createTokenCache(now, { id: own.id, digest: Buffer.from(own.digest, 'hex') })
  return {
    tokens,
    programs: createProgramCache(db),
    shop: createShopCache(db),
    sessions: createSessionCache(now, tokens),
  }
}

/** Counts answers in the statistics, too; a request that was refused before it was read counts as answered in 0 ms. */
function countingAnswers(observe: Observe, activity: Activity): Observe {
  return (observation) => {
    if (observation.kind === 'request-answered') activity.countAnswer(observation)
    if (observation.kind === 'request-refused') activity.countAnswer({ ...observation, durationMs: 0 })
    observe(observation)
  }
}
