/*
 * Commands that look at the whole store open the database themselves, and count on a terminal.
 */
import { SingleBar } from 'cli-progress'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { publishStarterProgram } from '../operations/load-programs.ts'
import { migrate } from '../store/migrate.ts'
import type { Db } from '../store/transaction.ts'
import { findRunning } from './client.ts'
import { endAtOnce } from './serve.ts'
import { openDatabase } from './service.ts'

const START_TIMEOUT_MS = 10_000

/**
 * Runs `act` on the database of the settings, made ready as a service makes it, and closes it. Errors: OperatorError while a service holds the embedded one
 * (decision 65), Unavailable.
 */
export async function withStore<T>(act: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig()
  const running = config.databaseUrl === undefined ? await findRunning(config) : undefined
  if (running !== undefined)
    throw new OperatorError(
      `the service at ${running} holds the database: stop it for as long as this takes, or use PostgreSQL`,
    )
  const db = await openDatabase(config, () => undefined, endAtOnce)
  try {
    const startBy = performance.now() + START_TIMEOUT_MS
    await migrate(db, startBy)
    await publishStarterProgram(db, new Date(), startBy)
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

/** `1 order`, `2 orders`. */
export function count(number: number | bigint | string, noun: string): string {
  return String(number) === '1' ? `1 ${noun}` : `${number} ${noun}s`
}
