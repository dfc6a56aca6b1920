/*
 * The driver for a PostgreSQL server: a pool of connections.
 */
import type pg from 'pg'
import { Unavailable } from '../../errors.ts'
import { arrayText } from '../db/array-text.ts'
import { type Driver, PREPARED_MAX, type Session, type WriteStep, type WrittenSteps } from '../db/driver.ts'
import { NotReplicated } from '../db/failures.ts'
import { createSessionQueue, type ReleaseSession } from '../db/session-queue.ts'
import { clusterSql } from '../db/sql-file.ts'
import type { NamedStep } from '../db/wire-messages.ts'
import { readAddress } from './address.ts'
import { Batch } from './batch.ts'
import { openConnections, type ServerConnections, type SessionSettings } from './connections.ts'

export interface PostgresOptions {
  /** The maximum number of connections. */
  readonly poolMax: number
  /** The server cancels a statement after this time. One of an abandoned request ends earlier: its connection is closed. */
  readonly statementTimeoutMs: number
  /** The server aborts a wait for a lock after this time. */
  readonly lockTimeoutMs: number
  /** The server ends a session that is idle inside a transaction for this long. */
  readonly idleInTransactionTimeoutMs: number
  /** How the server plans statements: `each-time`, for the actual parameters (the default), or `by-key`: once, for lookups by key. */
  readonly plans?: keyof typeof PLANS
}

const PLANS = {
  // A generic plan could be cached while the tables are still empty, and kept.
  'each-time': { plan_cache_mode: 'force_custom_plan' },
  // For such statements planning takes longer than execution, and index scans with nested loops are right whatever the tables hold.
  'by-key': {
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  },
} as const

/**
 * A driver for the server at `url` (`postgres://user:password@host:port/database`, or a socket directory as `?host=`).
 *
 * Opening does not connect: if the server is unreachable, the first query reports it.
 * Values   int8 as a number within the safe range (beyond it the query throws), numeric, dates and moments as text (UTC, ISO)
 * Errors   `OperatorError` when the address cannot be read
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Driver> {
  const address = readAddress(url)
  const open = () => openConnections(address, options.poolMax, sessionSettings(options))
  const statements = createStatements()
  let sessionQueue = createSessionQueue(options.poolMax)
  let connections = open()
  let closed: Promise<unknown> | undefined
  const waiters: Waiters = new Set()
  const ending = new Set<Promise<void>>()

  // Those waiting for a connection are refused here: the pool forgets them.
  function retire(error: Error): void {
    const ended = connections.end().finally(() => ending.delete(ended))
    ending.add(ended)
    void sessionQueue.end(error)
    for (const refuse of waiters) refuse(error)
  }

  return {
    name: 'postgres',
    hasOtherWriters: true,
    isCluster: () => connections.isCluster(),
    hasStandby: true,
    sliceCommit: 'together',
    copyRows: 10_000,
    changeRows: 400,
    async session(deadlineAt, kind = 'write') {
      const releaseSession = await sessionQueue.acquire(kind, deadlineAt)
      try {
        const used = connections
        return sessionOf(used, await connectBefore(used, waiters, deadlineAt), statements, releaseSession)
      } catch (error) {
        releaseSession()
        throw error
      }
    },
    reset() {
      if (closed) return
      retire(new Error('Connection terminated: the server behind it was left'))
      connections = open()
      sessionQueue = createSessionQueue(options.poolMax)
    },
    memoryBytes: () => undefined,
    sessionCounts: () => sessionQueue.counts(),
    async close() {
      if (!closed) {
        retire(new Unavailable('the database is closing'))
        closed = Promise.all(ending)
      }
      await closed
    },
  }
}

/** Callbacks that refuse those waiting for a connection. */
type Waiters = Set<(error: Error) => void>

/** What sessions are started with. */
function sessionSettings(options: PostgresOptions): SessionSettings {
  return {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    // A network that swallows the rest of a batch leaves its locks held: no timeout counts there, and by default keepalives begin after two hours.
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    timezone: 'UTC',
    datestyle: 'ISO',
    intervalstyle: 'postgres',
    ...PLANS[options.plans ?? 'each-time'],
  }
}

type Statements = ReturnType<typeof createStatements>

/** Statements with parameters are prepared, once per connection: parsing and analysing one costs more than running it. */
function createStatements() {
  const names = new Map<string, string>()
  const preparedSteps = new WeakMap<pg.PoolClient, Set<string>>()
  const named = (sql: string): string | undefined => {
    if (names.size < PREPARED_MAX && !names.has(sql)) names.set(sql, `s${names.size + 1}`)
    return names.get(sql)
  }
  return {
    of(sql: string, params: readonly unknown[], keepsPrepared: boolean): pg.QueryConfig {
      const name = keepsPrepared && params.length > 0 ? named(sql) : undefined
      // The library's own array formatting takes several times as long.
      const values = params.map((value) => (Array.isArray(value) ? arrayText(value) : value))
      return { text: sql, values, ...(name === undefined ? {} : { name }) }
    },
    async run(client: pg.PoolClient, steps: readonly WriteStep[], keepsPrepared: boolean): Promise<WrittenSteps> {
      const prepared = preparedSteps.get(client) ?? new Set()
      preparedSteps.set(client, prepared)
      const all = steps.map((step): NamedStep => {
        // A COPY has no plan to be kept. What the library prepares has names of its own.
        const statementId = keepsPrepared && step.rows === undefined ? named(step.sql) : undefined
        const name = statementId === undefined ? '' : `step-${statementId}`
        return { ...step, name, prepare: !prepared.has(name) }
      })
      const done = await client.query(new Batch(all)).done
      for (const { name } of all.slice(0, done.rowCounts.length)) if (name !== '') prepared.add(name)
      return done
    },
  }
}

function sessionOf(
  { begin, keepsPrepared, isCluster }: ServerConnections,
  client: pg.PoolClient,
  statements: Statements,
  releaseSession: ReleaseSession,
): Session {
  let isStale = false
  async function rowsOf<Row extends object>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    return (await client.query<Row>(statements.of(sql, params, keepsPrepared()))).rows
  }
  async function rowsOnCluster<Row extends object>(sql: string, params: readonly unknown[]): Promise<Row[]> {
    const ofParts: Row[][] = []
    for (const part of clusterSql(sql, params)) ofParts.push(await rowsOf<Row>(part.sql, part.params))
    return ofParts.flat()
  }
  // A table was altered under a prepared statement: drop the connection, and the next one prepares it again.
  const note = (error: unknown) => {
    isStale ||= (error as { code?: unknown } | undefined)?.code === '0A000'
  }
  return {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      if (sql === 'begin') {
        await client.query(begin())
        return []
      }
      const run = () => (isCluster() ? rowsOnCluster<Row>(sql, params) : rowsOf<Row>(sql, params))
      try {
        return await (sql === 'commit' ? replicated(client, run) : run())
      } catch (error) {
        note(error)
        throw error
      }
    },
    async script(sql) {
      await client.query(sql)
    },
    async batch(steps) {
      const ordered = isCluster()
        ? steps.map((step) => ({ ...step, ...clusterSql(step.sql, step.params ?? [])[0]! }))
        : steps
      const done = await statements.run(client, ordered, keepsPrepared())
      note(done.error)
      return done
    },
    release(broken) {
      client.release(broken || isStale)
      releaseSession()
    },
  }
}

async function connectBefore(
  { connect }: ServerConnections,
  waiters: Waiters,
  deadlineAt: number,
): Promise<pg.PoolClient> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
  let isWaiting = true
  function refuse(error: Error): void {
    isWaiting = false
    reject(error)
  }
  const late = () => refuse(new Unavailable('timed out waiting for a database connection', { retryAfterS: 2 }))
  const timer = setTimeout(late, Math.max(0, deadlineAt - performance.now()))
  waiters.add(refuse)
  // A connection that arrives too late goes back to the pool.
  connect().then((client) => (isWaiting ? resolve(client) : client.release()), reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    waiters.delete(refuse)
  }
}

// A COMMIT whose wait for the standby was cancelled succeeds with only a warning, recognised by its routine: its text depends on the locale.
async function replicated<T>(client: pg.PoolClient, commit: () => Promise<T>): Promise<T> {
  let warning: string | undefined
  const listen = (notice: { routine?: string | undefined; message?: string | undefined }) => {
    if (notice.routine === 'SyncRepWaitForLSN') warning = notice.message ?? 'not replicated'
  }
  client.on('notice', listen)
  try {
    const response = await commit()
    if (warning !== undefined) throw new NotReplicated(warning)
    return response
  } finally {
    client.removeListener('notice', listen)
  }
}
