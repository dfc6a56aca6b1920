/*
 * Assembles a service on a database, not yet listening. Used by `serve`, and by commands that find no running service.
 */

import { createFairQueue } from '../../bulk/fair-queue.ts'
import { openRowReader, type RowReader } from '../../bulk/row-reader.ts'
import { createSerialQueue } from '../../bulk/serial-queue.ts'
import type { Config } from '../../config.ts'
import { assertPlaced } from '../../database/db/distribute.ts'
import { type assertCurrent, migrate } from '../../database/db/migrate.ts'
import { pageReaderOf, readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import { copyBeforeUpgrade } from '../../database/embedded/upgrade-copy.ts'
import { secretOf } from '../../database/secrets.ts'
import type { Deps } from '../../deps.ts'
import { createHandles } from '../../engine/ingest/handles.ts'
import { assertErasureKey } from '../../ledger/erasures.ts'
import { createInputMemory, type InputMemory } from '../../ledger/input-memory.ts'
import { createPlayerQueue } from '../../ledger/player-queue.ts'
import { listOrderIds } from '../../ledger/recorded-orders.ts'
import type { DatabaseLocation } from '../../resources/jobs/job-kind.ts'
import { openJobRunner } from '../../resources/jobs/job-runner.ts'
import { repeat } from '../../resources/jobs/repeat.ts'
import { type Activity, createActivity } from '../../resources/monitoring/activity.ts'
import { openPredictionLog } from '../../resources/prediction-log/prediction-log.ts'
import { createBatchedReads } from '../../resources/predictions/batched-reads.ts'
import { publishStarterProgram } from '../../resources/programs/service.ts'
import { createProgramCache } from '../../resources/programs/stored-programs.ts'
import { createSessionCache } from '../../resources/sessions/cache.ts'
import { noteSessionUse } from '../../resources/sessions/service.ts'
import { createShopCache } from '../../resources/settings/service.ts'
import { createTokenCache, noteUse } from '../../resources/tokens/cache.ts'
import { newToken } from '../../resources/tokens/service.ts'
import { type App, buildApp } from '../../server/app.ts'
import { type ConsoleFiles, readConsoleFiles } from '../../server/console.ts'
import { createRefresh } from '../../server/refresh.ts'
import { allRoutes } from '../../server/routes.ts'
import { type ServiceDeps, startBackgroundWork } from '../../server/start-background-work.ts'
import { isDatabaseReady } from '../../server/tokenless-routes.ts'
import type { createMetrics } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { createProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { ServiceSizes } from '../../telemetry/size-metrics.ts'
import { openDatabase } from '../database.ts'
import { openErasureKey } from './erasure-key.ts'

export type Service = Readonly<{
  app: App
  db: Db
  deps: ServiceDeps
  /** A token of this process alone, with all scopes; it is never stored. */
  ownToken: string
  /** Whether the console was built, and is served. */
  hasConsole: boolean
  /** Makes a token that was just written known to this process, without waiting for the next refresh. */
  refreshTokens: () => Promise<void>
  /**
   * Makes the service report that it is not ready and announce the close of its connections, so that requests go elsewhere; those that still arrive
   * are answered.
   */
  drain: () => void
  /** The port is about to close: no more closes are announced, so that clients that are still here do not connect at that moment. */
  settle: () => void
  /** Finishes the requests in progress, then closes the database. */
  close: () => Promise<void>
}>

type Metrics = ReturnType<typeof createMetrics>

export type ServiceOptions = Readonly<{
  log: Observe
  /** The data is damaged, or the embedded database has died. */
  onFatal: (error: Error) => void
  /** The metrics for Prometheus, given what the service holds; a command that opens a service for itself does not count. */
  createMetrics: (sizes: () => ServiceSizes) => Metrics
  /** How long to wait for a database that cannot be reached; migrating its schema does not count. */
  startTimeoutMs?: number
  /** What to do with the schema before anything else: migrate it, or only check it. */
  settleSchema?: typeof migrate | typeof assertCurrent
  /** Where jobs read; `elsewhere`: another service on this database runs them. Absent: jobs cannot be started, unless other processes may write. */
  jobs?: DatabaseLocation | 'elsewhere' | undefined
  /** For an embedded database that will grow; absent: enough for its files as they are now. */
  sharedBuffersMb?: number
  /** What tests replace. */
  overrides?: Overrides
}>

type Overrides = Readonly<{
  now?: () => Date
  openDatabase?: typeof openDatabase
  /** Reads players and products in bulk, in a thread of its own. */
  rows?: RowReader
  readConsole?: () => ConsoleFiles | undefined
}>

const START_TIMEOUT_MS = 60_000
/** When the memory of inputs is loaded again if that failed. */
const LOAD_AGAIN_MS = 10_000

/**
 * Opens the database, brings its schema up to date, and builds the server around it. If a step fails, what the steps before it have opened is
 * closed as in a stop: in the opposite order. Errors: OperatorError, Unavailable.
 */
export async function openService(config: Config, options: ServiceOptions): Promise<Service> {
  const { settleSchema = migrate, startTimeoutMs = START_TIMEOUT_MS, jobs, overrides = {} } = options
  const { now = () => new Date(), rows = openRowReader(), readConsole = readConsoleFiles } = overrides
  await using opened = new AsyncDisposableStack()

  const { db, observe, metrics, processMetrics, held } = await openObservedDatabase(config, options, now)
  opened.defer(db.close)
  await settleSchema(db, performance.now() + startTimeoutMs, observe, (from, to) =>
    copyBeforeUpgrade(db, from, to, observe),
  )
  if (settleSchema === migrate) await assertPlaced(db, performance.now() + startTimeoutMs)

  const startBy = performance.now() + startTimeoutMs
  await publishStarterProgram(db, now(), startBy)
  const processToken = newToken('this process', ['admin'], now())
  const { tokens, programs, shop, sessions, refresh } = await loadCaches(
    { db, now, observe },
    processToken.stored,
    startBy,
  )

  const erasureKey = openErasureKey(config, db.directory !== undefined)
  await assertErasureKey(readerOf(db, startBy), erasureKey)
  const handles = createHandles(await secretOf(db, 'player-handles', startBy))

  const memory = db.hasOtherWriters ? undefined : createInputMemory()
  if (memory !== undefined) db.watchCommits(memory.forget)

  const activity = createActivity({ db, now, programs: programs.all, shop: shop.current })
  opened.defer(() => activity.flush().catch((error: unknown) => observe({ kind: 'statistics-failed', error })))
  const predictions = openPredictionLog({
    ...{ db, now, observe, erasureKey, count: activity.countPredictions },
    keptDays: config.predictionsKeptDays,
  })
  opened.defer(predictions.close)
  opened.defer(rows.close)
  const deps: ServiceDeps = {
    ...{ db, now, observe, rows, activity, predictions, processMetrics },
    ...createBatchedReads(db, memory),
    programs: programs.all,
    shop: shop.current,
    readingQueue: createSerialQueue(),
    sideQueue: createFairQueue(),
    handles,
    erasureKey,
    playerQueue: createPlayerQueue(),
  }

  const runsJobs = typeof jobs === 'object'
  const noteUses = { tokens: () => noteUse(db, tokens), sessions: () => noteSessionUse(db, sessions) }
  opened.defer(startBackgroundWork(deps, refresh, noteUses, { isServing: runsJobs }))
  if (memory !== undefined) opened.defer(startLoading(db, memory, observe))
  const runner = runsJobs ? openJobRunner(deps, jobs) : undefined
  opened.defer(async () => runner?.close())
  const hasRunner = jobs !== undefined || db.hasOtherWriters

  const files = config.console === 'off' ? undefined : readConsole()
  const hasOwnPort = config.consolePort !== undefined
  let isStopping = false
  const app = buildApp({
    routes: allRoutes(deps, config, refresh, hasRunner ? () => runner?.wake() : undefined),
    tokenlessRoutes: { isReady: async () => !isStopping && (await isDatabaseReady(db)), metrics },
    ...{ tokens, now, observe: countingResponses(observe, activity) },
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    connectionsMax: config.connectionsMax,
    heldBytesMax: config.heldBytesMax,
    console: config.console === 'off' ? undefined : { files, hasOwnPort, sessions, deps, refresh: refresh.sessions },
  })
  held.app = app
  opened.defer(() => app.close())
  const drain = () => {
    isStopping = true
    app.drain()
  }
  opened.defer(drain)

  const running = opened.move()
  return {
    ...{ app, db, deps, drain, settle: app.settle },
    ownToken: processToken.issued.token,
    hasConsole: files !== undefined,
    refreshTokens: refresh.tokens,
    close: () => running.disposeAsync(),
  }
}

/** Opens the database together with what observes it: it reports its retries, and they read what it and the server (`held.app`) hold. */
async function openObservedDatabase(
  config: Config,
  { log, onFatal, createMetrics, sharedBuffersMb, overrides }: ServiceOptions,
  now: () => Date,
) {
  const held: { db?: Db; app?: App } = {}
  const metrics = createMetrics(() => ({
    database: held.db?.driver,
    embeddedDatabaseBytes: held.db?.memoryBytes(),
    sessions: held.db?.sessionCounts(),
    requestsInFlight: held.app?.inFlight(),
    bodyBytes: held.app?.heldBytes(),
    bodyBytesMax: config.heldBytesMax,
  }))
  const processMetrics = createProcessMetrics(now, () => held.db?.memoryBytes())
  const observe: Observe = (observation) => {
    processMetrics.observe(observation)
    metrics.observe(observation)
    log(observation)
  }
  const db = await (overrides?.openDatabase ?? openDatabase)(config, observe, onFatal, sharedBuffersMb)
  held.db = db
  return { db, observe, metrics, processMetrics: processMetrics.read, held }
}

/** The caches of a process, filled from the database. `processToken` is the token of this process. Errors: Unavailable. */
async function loadCaches(
  { db, now, observe }: Pick<Deps, 'db' | 'now' | 'observe'>,
  processToken: Readonly<{ id: string; digest: string }>,
  startBy: number,
) {
  const tokens = createTokenCache(now, { id: processToken.id, digest: Buffer.from(processToken.digest, 'hex') })
  const programs = createProgramCache(db)
  const shop = createShopCache(db)
  const sessions = createSessionCache(now, tokens)
  const refresh = createRefresh({ db, now, observe }, { tokens, programs, shop, sessions })
  await refresh.programs(startBy)
  await refresh.tokens(startBy)
  await refresh.shop(startBy)
  await refresh.sessions(startBy)
  return { tokens, programs, shop, sessions, refresh }
}

/** Loads what the memory of inputs has to know before it answers. Returns a function that stops and waits for that. */
function startLoading(db: Db, memory: InputMemory, observe: Observe): () => Promise<void> {
  let isStopping = false
  let isLoaded = false
  const load = async () => {
    if (isLoaded) return
    await memory.loadOrders(listOrderIds(pageReaderOf(db)), () => isStopping)
    isLoaded = true
  }
  // Until it succeeds, predictions ask the database.
  const stop = repeat(load, LOAD_AGAIN_MS, (error) => observe({ kind: 'refresh-failed', error }), 0)
  return async () => {
    isStopping = true
    await stop()
  }
}

/** Counts answers in the statistics, too; a request that was refused before it was read counts as answered in 0 ms. */
function countingResponses(observe: Observe, activity: Activity): Observe {
  return (observation) => {
    if (observation.kind === 'request-answered') activity.countResponse(observation)
    if (observation.kind === 'request-refused') activity.countResponse({ ...observation, durationMs: 0 })
    observe(observation)
  }
}
