/*
 * Chooses the database: the server that the settings name, else the embedded one in its directory.
 */
import { DamagedData, OperatorError } from '../errors.ts'
import { createDb, type Db, type RetryNote } from './db/transaction.ts'
import type { PostgresOptions } from './postgres/driver.ts'

export interface OpenOptions extends PostgresOptions {
  /** `postgres://...`; absent: the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Where the embedded database lives. */
  readonly directory: string
  readonly onRetry?: (note: RetryNote) => void
  /** The data is damaged, or the embedded database has died. The process must end with this message; nothing was repaired. */
  readonly onFatal: (error: OperatorError) => void
}

/**
 * The database to work with. A server may be away: the first query says so. The embedded database is opened, or made.
 *
 * Errors  `OperatorError` when the address cannot be read, or another process holds the directory
 */
export async function openDb(options: OpenOptions): Promise<Db> {
  const onFatal = once((error: Error) => options.onFatal(fatalError(options, error)))
  const dbOptions = { onFatal, ...(options.onRetry && { onRetry: options.onRetry }) }
  // Either driver is loaded only where it is used.
  if (!options.databaseUrl) {
    const { openPglite } = await import('./embedded/driver.ts')
    return createDb(await openPglite(options.directory, { onFatal }), dbOptions)
  }
  const { openPostgres } = await import('./postgres/driver.ts')
  // Writers may wait for each other's rows, all of them; those who only read have connections of their own.
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
  if (error instanceof OperatorError) return error // The embedded database has already said what and where.
  const place = options.databaseUrl ? 'on the PostgreSQL server' : `in ${options.directory}`
  return new DamagedData(place, error.message, { cause: error })
}

// Both the driver and a transaction may see the same end.
function once(tell: (error: Error) => void): (error: Error) => void {
  let told = false
  return (error) => {
    if (told) return
    told = true
    tell(error)
  }
}
