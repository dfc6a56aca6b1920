/*
 * Opens the database: the server named in the settings, or else the embedded one in its directory.
 */
import { DamagedData, OperatorError } from '../errors.ts'
import { createDb, type Db, type RetryNote } from './db/transaction.ts'
import type { PostgresOptions } from './postgres/driver.ts'

export interface OpenOptions extends PostgresOptions {
  /** `postgres://...`; absent: the embedded database. */
  readonly databaseUrl?: string | undefined
  /** The data directory of the embedded database. */
  readonly directory: string
  /** Of the embedded database; if not given, enough for its files as they are now. */
  readonly sharedBuffersMb?: number | undefined
  readonly onRetry?: (note: RetryNote) => void
  /** Called when the data is damaged or the embedded database has died. The process must exit with this message; nothing has been repaired. */
  readonly onFatal: (error: OperatorError) => void
}

/**
 * Opens the database. A server is not contacted yet: if it is unreachable, the first query reports it. The embedded database is opened, or
 * created. Errors: `OperatorError` if the address cannot be read, or another process holds the directory.
 */
export async function openDb(options: OpenOptions): Promise<Db> {
  const onFatal = once((error: Error) => options.onFatal(fatalError(options, error)))
  const dbOptions = { onFatal, ...(options.onRetry && { onRetry: options.onRetry }) }
  // Each driver is loaded only if it is used.
  if (!options.databaseUrl) {
    const { openPglite } = await import('./embedded/driver.ts')
    return createDb(await openPglite(options.directory, { ...options, onFatal }), dbOptions)
  }
  const { openPostgres } = await import('./postgres/driver.ts')
  // All writers may end up waiting for each other's rows, so reads have connections of their own.
  const readers = Math.min(READ_CONNECTIONS_MAX, Math.floor(options.poolMax / 2))
  const open = async (pool: Pick<PostgresOptions, 'poolMax' | 'plans'>) =>
    createDb(await openPostgres(options.databaseUrl!, { ...options, ...pool }), dbOptions)
  const writing = await open({ poolMax: options.poolMax - readers })
  const reading = await open({ poolMax: readers, plans: 'by-key' })
  return {
    ...writing,
    read: reading.read,
    close: async () => {
      await Promise.all([writing.close(), reading.close()])
    },
  }
}

const READ_CONNECTIONS_MAX = 3

function fatalError(options: OpenOptions, error: Error): OperatorError {
  if (error instanceof OperatorError) return error // The embedded driver has already said what and where.
  const place = options.databaseUrl ? 'on the PostgreSQL server' : `in ${options.directory}`
  return new DamagedData(place, error.message, { cause: error })
}

// Both the driver and a transaction may report the same failure.
function once(report: (error: Error) => void): (error: Error) => void {
  let reported = false
  return (error) => {
    if (reported) return
    reported = true
    report(error)
  }
}
