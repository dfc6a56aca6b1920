/*
 * Commands that look at the whole store open the database themselves, and count on a terminal.
 */
import { SingleBar } from 'cli-progress'
import { type Config, readConfig } from '../../config.ts'
import { OperatorError } from '../../errors.ts'
import { assertCurrent } from '../../store/db/migrate.ts'
import type { Db } from '../../store/db/transaction.ts'
import { holdsDatabase } from '../../store/embedded/directory.ts'
import { findRunning } from '../client.ts'
import { endAtOnce } from '../serve/serve.ts'
import { openDatabase } from '../serve/service.ts'

const START_TIMEOUT_MS = 10_000

/**
 * Runs `act` on the database of the settings as it is, and closes it. Errors: OperatorError where there is none, where its schema is another,
 * and while a service holds the embedded one (decision 65); Unavailable.
 */
export async function withStore<T>(act: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig()
  const running = config.databaseUrl === undefined ? await findRunning(config) : undefined
  if (running !== undefined)
    throw new OperatorError(
      `the service at ${running} holds the database: stop it for as long as this takes, or use PostgreSQL`,
    )
  if (config.databaseUrl === undefined && !holdsDatabase(config.dataDirectory))
    throw new OperatorError(
      `there is no database in ${config.dataDirectory}: name its directory with LAUREL_DATA, or start the service once`,
    )
  const db = await openDatabase(config, () => undefined, endAtOnce)
  try {
    await assertCurrent(db, performance.now() + START_TIMEOUT_MS)
    return await act(db, config)
  } finally {
    await db.close()
  }
}

/** A line that counts, on a terminal only. `format` is cli-progress's; `total` is absent where it shows when all is done. */
export function showProgress<Counts extends Record<string, number>>(
  format: string,
  counts: Counts,
): { update: (counts: Counts, done?: number, total?: number) => void; stop: () => void } {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined }
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true })
  bar.start(1, 0, counts)
  return {
    update: (counts, done = 0, total = 1) => {
      bar.setTotal(total)
      bar.update(done, counts)
    },
    stop: () => bar.stop(),
  }
}
