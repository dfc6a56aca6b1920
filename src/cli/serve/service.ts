/*
 * Puts the parts together: one service on one database, not yet listening. Used by `serve`, and by commands that find no service running.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import { buildApp } from '../../http/app.ts'
import { allRoutes } from '../../http/routes/index.ts'
import { orderReader } from '../../ingest/order.ts'
import { TOKEN_ID_BYTES, TOKEN_SECRET_BYTES, tokenDigest, tokenText } from '../../ingest/token.ts'
import type { Deps } from '../../operations/deps.ts'
import { listValidTokens } from '../../operations/list-tokens.ts'
import { loadPrograms } from '../../operations/load-programs.ts'
import { FLUSH_MS, openPredictionLog, SWEEP_MS } from '../../operations/predictions/prediction-log.ts'
import { publishStarterProgram } from '../../operations/publish-starter-program.ts'
import { createPlayerQueue } from '../../operations/queues/player-queue.ts'
import { createSerialQueue } from '../../operations/queues/serial-queue.ts'
import { createTokenCache } from '../../operations/tokens/token-cache.ts'
import type { ServerConnection } from '../../operations/workers/backtest-messages.ts'
import { openRowReader } from '../../operations/workers/row-reader.ts'
import type { WindowQuestion } from '../../points/ledger/snapshot.ts'
import type { PublishedProgram } from '../../points/program-model.ts'
import { batchQuestions } from '../../store/db/batch-questions.ts'
import { migrate } from '../../store/db/migrate.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { openDb } from '../../store/open.ts'
import { programsMark } from '../../store/programs.ts'
import { listWindowSums, type OrderQuestion, readSnapshot } from '../../store/snapshots.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { Observe } from '../../telemetry/observation.ts'

export type Service = Readonly<{
  app: FastifyInstance
  db: Db
  deps: Deps
  /** A token of this process alone, with all scopes; it is never stored. */
  ownToken: string
  /** Makes a token that was just written known to this process, without waiting for the next refresh. */
  refreshTokens: () => Promise<void>
  /** From now on not ready: a load balancer sends no more requests. */
  retire: () => void
  /** Finishes the requests under way, then closes the database. */
  close: () => Promise<void>
}>

export type ServiceOptions = Readonly<{
  log: Observe
  /** The data is damaged, or the embedded database has died. */
  onFatal: (error: Error) => void
  /** What /metrics answers in a worker: the counters of all. */
  metricsOfAll?: (() => Promise<string>) | undefined
  now?: () => Date
  /** How long a database that is away is waited for. */
  startTimeoutMs?: number
}>

const START_TIMEOUT_MS = 60_000
/** Revoking a token takes effect within a second on every replica (decision 62): this wait and a query lie below half of it. */
const REFRESH_MS = 300
/** A writer that waits for another's row holds a connection that predictions may need. */
const LOCK_TIMEOUT_MS = 5_000
const REFRESH_TIMEOUT_MS = 5_000
const READY_TIMEOUT_MS = 1_000
const GATHERED = { questionsMax: 256, waitingMax: 10_000 } as const

/**
 * Opens the database, brings its schema up to date, and builds the server around it. Errors: OperatorError, Unavailable.
 * `open` is how the database is opened; tests lend theirs.
 */
export async function openService(
  config: Config,
  { log, onFatal, metricsOfAll, now = () => new Date(), startTimeoutMs = START_TIMEOUT_MS }: ServiceOptions,
  open: typeof openDatabase = openDatabase,
): Promise<Service> {
  const db = await open(config, (observation) => observe(observation), onFatal)
  const metrics = createMetrics(() => db.memoryBytes(), metricsOfAll)
  const observe: Observe = (observation) => {
    metrics.observe(observation)
    log(observation)
  }
  try {
    return await assemble(config, { db, metrics, observe, now, startTimeoutMs })
  } catch (error) {
    await db.close()
    throw error
  }
}

/** The database of a configuration, its schema not yet looked at. */
export async function openDatabase(config: Config, observe: Observe, onFatal: (error: Error) => void): Promise<Db> {
  return openDb({
    databaseUrl: config.databaseUrl,
    directory: config.dataDirectory,
    poolMax: config.databasePoolMax,
    ...timeoutsOf(config),
    onRetry: ({ kind, failures, delayMs, error }) =>
      observe({ kind: 'store-retried', reason: kind, failures, delayMs, error }),
    onFatal,
  })
}

/** The PostgreSQL server of a configuration, for threads that connect to it themselves; undefined where the database is embedded. */
export function serverOf(config: Config): ServerConnection | undefined {
  return config.databaseUrl === undefined ? undefined : { url: config.databaseUrl, ...timeoutsOf(config) }
}

function timeoutsOf({ upsertTimeoutMs }: Config): Omit<ServerConnection, 'url'> {
  return {
    statementTimeoutMs: upsertTimeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleInTransactionTimeoutMs: upsertTimeoutMs,
  }
}

type Parts = Readonly<{
  db: Db
  metrics: ReturnType<typeof createMetrics>
  observe: Observe
  now: () => Date
  startTimeoutMs: number
}>

async function assemble(config: Config, { db, metrics, observe, now, startTimeoutMs }: Parts): Promise<Service> {
  const startBy = performance.now() + startTimeoutMs
  await migrate(db, startBy)
  await publishStarterProgram(db, now(), startBy)
  let programs: readonly PublishedProgram[] = []
  let mark = ''
  const refreshPrograms = async (deadlineAt = performance.now() + REFRESH_TIMEOUT_MS) => {
    // Asked before the list is read: what changes in between is found the next time.
    const found = await programsMark(readerOf(db, deadlineAt))
    if (found === mark) return
    programs = await loadPrograms(db, deadlineAt)
    mark = found
  }
  await refreshPrograms(startBy)
  const deps: Deps = {
    db,
    now,
    observe,
    readOrder: orderReader(config.amountDecimals),
    findInputs: batchQuestions(async (questions: readonly OrderQuestion[], deadlineAt) => {
      const snapshot = await readSnapshot(readerOf(db, deadlineAt), questions)
      return questions.map(() => snapshot)
    }, GATHERED),
    sumWindows: batchQuestions(async (questions: readonly (readonly WindowQuestion[])[], deadlineAt) => {
      const sums = await listWindowSums(readerOf(db, deadlineAt), questions.flat())
      return questions.map(() => sums)
    }, GATHERED),
    programs: () => programs,
    rows: openRowReader(),
    predictions: openPredictionLog({ db, now, observe, keptDays: config.predictionsKeptDays }),
    readingQueue: createSerialQueue(),
    playerQueue: createPlayerQueue(),
  }
  const id = randomBytes(TOKEN_ID_BYTES)
  const ownToken = tokenText(id, randomBytes(TOKEN_SECRET_BYTES))
  const tokens = createTokenCache(now, { id: id.toString('hex'), digest: tokenDigest(ownToken) })
  const refreshTokens = async (deadlineAt = performance.now() + REFRESH_TIMEOUT_MS) =>
    tokens.replace(await listValidTokens(deps, deadlineAt))
  await refreshTokens(startBy)
  const refreshAll = async () => {
    await refreshTokens()
    await refreshPrograms()
  }
  // Nobody but this process can write into the embedded database: what it changes itself, it knows.
  const stopRefreshing = db.hasOtherWriters
    ? repeat(refreshAll, REFRESH_MS, (error) => observe({ kind: 'refresh-failed', error }))
    : nothing
  const logFailed = (step: 'flush' | 'sweep') => (error: unknown) =>
    observe({ kind: 'prediction-log-failed', step, error })
  const stopFlushing = repeat(deps.predictions.flush, FLUSH_MS, logFailed('flush'))
  const stopSweeping = repeat(deps.predictions.sweep, SWEEP_MS, logFailed('sweep'))
  let retired = false
  const app = buildApp({
    routes: allRoutes(deps, config, { tokens: refreshTokens, programs: refreshPrograms }),
    doors: { isReady: async () => !retired && db.healthy() && (await answers(db)), metrics },
    tokens,
    now,
    observe,
    trustedProxies: config.trustedProxies,
    connectionsMax: config.connectionsMax,
    heldBytesMax: config.heldBytesMax,
    isRetiring: () => retired,
  })
  return {
    app,
    db,
    deps,
    ownToken,
    refreshTokens,
    retire: () => {
      retired = true
    },
    close: async () => {
      retired = true
      await app.close()
      await Promise.all([stopRefreshing(), stopFlushing(), stopSweeping()])
      await deps.rows.close()
      await deps.predictions.close()
      await db.close()
    },
  }
}

async function answers(db: Db): Promise<boolean> {
  return db.read('select 1 as one', [], performance.now() + READY_TIMEOUT_MS).then(
    () => true,
    () => false,
  )
}

/**
 * Does something again and again, `pauseMs` after its last end; tells the first error of a row of them.
 * Answers how to stop, which waits for the run under way.
 */
function repeat(act: () => Promise<void>, pauseMs: number, onError: (error: unknown) => void): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false
  let failing = false
  const run = async () => {
    try {
      await act()
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
    if (!stopped) schedule()
  }
  const schedule = () => {
    timer = setTimeout(() => {
      running = run()
    }, pauseMs).unref()
  }
  schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}

async function nothing(): Promise<void> {}
