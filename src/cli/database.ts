/*
 * The database that the settings name, for the service and for commands that read all of it.
 */
import { existsSync } from 'node:fs'
import { type Config, readConfig } from '../config.ts'
import { assertCurrent, hasSchema } from '../database/db/migrate.ts'
import type { Db } from '../database/db/transaction.ts'
import { holdsDatabase } from '../database/embedded/directory.ts'
import { SERVICE_BUFFERS_MB } from '../database/embedded/shared-buffers.ts'
import { openDb } from '../database/open.ts'
import { DamagedData, OperatorError } from '../errors.ts'
import type { ServerConnection } from '../resources/backtests/backtest-messages.ts'
import type { Observe } from '../telemetry/observation.ts'
import { tokenPath } from './data-directory.ts'
import { EXIT } from './failure.ts'
import { noteLine } from './output/print.ts'

const START_TIMEOUT_MS = 10_000
/** A writer that waits for a row lock occupies a connection that predictions may need. */
const LOCK_TIMEOUT_MS = 5_000

/**
 * Opens the database of a configuration without checking its schema. Errors: see `openDb`; DamagedData if an embedded one has no schema, but
 * was whole once, as the first token shows (decision 115). `sharedBuffersMb`: see `OpenOptions`.
 */
export async function openDatabase(
  config: Config,
  observe: Observe,
  onFatal: (error: Error) => void,
  sharedBuffersMb?: number,
): Promise<Db> {
  const isEmbedded = config.databaseUrl === undefined
  const wasWhole = isEmbedded && holdsDatabase(config.dataDirectory) && existsSync(tokenPath(config))
  const db = await openUnchecked(config, observe, onFatal, sharedBuffersMb)
  // It is left open: closing it would write.
  if (wasWhole && !(await hasSchema(db, performance.now() + START_TIMEOUT_MS)))
    throw new DamagedData(
      `in ${config.dataDirectory}`,
      'its tables are gone, and it had some when the first token was made',
    )
  return db
}

function openUnchecked(
  config: Config,
  observe: Observe,
  onFatal: (error: Error) => void,
  sharedBuffersMb?: number,
): Promise<Db> {
  return openDb({
    databaseUrl: config.databaseUrl,
    directory: config.dataDirectory,
    sharedBuffersMb,
    poolMax: config.databasePoolMax,
    ...timeoutsOf(config),
    onRetry: ({ kind, failures, delayMs, error }) =>
      observe({ kind: 'store-retried', reason: kind, failures, delayMs, error }),
    onFatal,
  })
}

/** Runs `act` on a database that it fills, which need not be there yet, and closes it. Errors: see `openDb`; Unavailable. */
export async function withNewDatabase<T>(config: Config, act: (db: Db) => Promise<T>): Promise<T> {
  const db = await openUnchecked(config, () => undefined, exitAtOnce, SERVICE_BUFFERS_MB)
  try {
    // What follows may take a day: a server that does not answer is noticed before.
    await hasSchema(db, performance.now() + START_TIMEOUT_MS)
    return await act(db)
  } finally {
    await db.close()
  }
}

/** Errors: OperatorError if there is no embedded database: only the service creates one (decision 65). */
export function assertDatabaseThere({ databaseUrl, dataDirectory }: Config): void {
  if (databaseUrl === undefined && !holdsDatabase(dataDirectory))
    throw new OperatorError(
      `no database in ${dataDirectory} and no service running: set LAUREL_DATA, or run laurel serve to create one`,
    )
}

/** The PostgreSQL server of a configuration, for threads that connect to it themselves; undefined if the database is embedded. */
export function serverOf(config: Config): ServerConnection | undefined {
  return config.databaseUrl === undefined ? undefined : { url: config.databaseUrl, ...timeoutsOf(config) }
}

/**
 * Runs `act` on the database that the settings name, without migrating it, and closes it. Errors: OperatorError if there is none, if its
 * schema is not the current one, and while another process holds the embedded one; Unavailable.
 */
export async function withDatabase<T>(act: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig()
  assertDatabaseThere(config)
  const db = await openDatabase(config, () => undefined, exitAtOnce)
  try {
    await assertCurrent(db, performance.now() + START_TIMEOUT_MS)
    return await act(db, config)
  } finally {
    await db.close()
  }
}

/** Ends the process: the data is damaged, so nothing more may be written, not even by an orderly stop. */
export function exitAtOnce(error: Error): never {
  noteLine`laurel: ${error.message}`
  process.exit(EXIT.crashed)
}

function timeoutsOf({ upsertTimeoutMs }: Config): Omit<ServerConnection, 'url'> {
  return {
    statementTimeoutMs: upsertTimeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleInTransactionTimeoutMs: upsertTimeoutMs,
  }
}
