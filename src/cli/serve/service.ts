/*
 * Puts the parts together: one service on one database, not yet listening. Used by `serve`, and by commands that find no service running.
 */
import type { Config } from '../../config.ts'
import { type App, buildApp } from '../../http/app.ts'
import { type ConsoleFiles, readConsoleFiles } from '../../http/console.ts'
import { allRoutes } from '../../http/routes/index.ts'
import { type Activity, openActivity } from '../../operations/activity/activity.ts'
import { createRefresh } from '../../operations/background/refresh.ts'
import { startBackgroundWork } from '../../operations/background/start-background-work.ts'
import { isDatabaseReady } from '../../operations/check-readiness.ts'
import type { Deps } from '../../operations/deps.ts'
import type { JobPlace } from '../../operations/jobs/job-messages.ts'
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
import { migrate } from '../../store/db/migrate.ts'
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
  /** From now on the service is not ready, so that a load balancer sends no more requests; those that come are still answered. */
  drain: () => void
  /** Finishes the requests under way, then closes the database. */
  close: () => Promise<void>
}>

type Metrics = ReturnType<typeof createMetrics>

export type ServiceOptions = Readonly<{
  log: Observe
  /** The data is damaged, or the embedded database has died. */
  onFatal: (error: Error) => void
  /** What /metrics answers in a worker: the counters of all. */
  metricsOfAll?: (() => Promise<string>) | undefined
  /** What counts for Prometheus; a command that opens a service for itself brings one that does not. */
  openMetrics?: (...given: Parameters<typeof createMetrics>) => Promise<Metrics>
  now?: () => Date
  /** How long a database that is away is waited for. */
  startTimeoutMs?: number
  /** What becomes of the schema before anything else: brought up to date, or only looked at. */
  settleSchema?: (db: Db, deadlineAt: number) => Promise<unknown>
  /** Reads players and products in bulk; tests lend one to many services, for each is a thread. Absent: one of the service's own. */
  rows?: RowReader
  /** Where jobs read; `elsewhere`: another service of this database runs them. Absent: none can be asked for, unless other processes may write. */
  jobs?: JobPlace | 'elsewhere' | undefined
  /** The files of the console; tests bring their own. Absent: what the build has made. */
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
  const db = await open(config, observe, onFatal)
  try {
    const startBy = performance.now() + startTimeoutMs
    await settleSchema(db, startBy)
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
  jobs: JobPlace | 'elsewhere' | undefined
  readConsole: () => ConsoleFiles | undefined
}>

async function assemble(
  config: Config,
  { db, metrics, vitals, observe, now, startBy, rows, jobs, readConsole }: Parts,
): Promise<Service> {
  await publishStarterProgram(db, now(), startBy)
  const own = newToken('this process', ['admin'], now())
  const caches = openCaches(db, now, own.stored)
  const refresh = createRefresh({ db, now, observe }, caches)
  await refresh.programs(startBy)
  await refresh.tokens(startBy)
  await refresh.shop(startBy)
  await refresh.sessions(startBy)
  const { tokens, programs, shop, sessions } = caches
  const activity = openActivity({ db, now, programs: programs.all })
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
    publicRoutes: { isReady: async () => !draining && (await isDatabaseReady(db)), metrics },
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

/** What a process keeps in memory of what is stored, all empty. */
function openCaches(db: Db, now: () => Date, own: Readonly<{ id: string; digest: string }>) {
  const tokens = createTokenCache(now, { id: own.id, digest: Buffer.from(own.digest, 'hex') })
  return {
    tokens,
    programs: createProgramCache(db),
    shop: createShopCache(db),
    sessions: createSessionCache(now, tokens),
  }
}

/** Answers are counted in the statistics, too; those to a request that was refused before it was read count as immediate. */
function countingAnswers(observe: Observe, activity: Activity): Observe {
  return (observation) => {
    if (observation.kind === 'request-answered') activity.countAnswer(observation)
    if (observation.kind === 'request-refused') activity.countAnswer({ ...observation, durationMs: 0 })
    observe(observation)
  }
}
