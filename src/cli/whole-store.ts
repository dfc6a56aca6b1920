/*
 * Commands that go through the whole store open the database themselves, and speak to no service.
 */
import { SingleBar } from 'cli-progress'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { migrate } from '../store/migrate.ts'
import type { Db } from '../store/transaction.ts'
import { findRunning } from './client.ts'
import { endAtOnce } from './serve.ts'
import { openDatabase } from './service.ts'

const START_TIMEOUT_MS = 10_000

/**
 * Opens the database of the settings for as long as `act` takes, its schema brought up to date.
 * Errors: OperatorError where a service holds the embedded database (decision 65); Unavailable.
 */
export async function withStore(act: (db: Db) => Promise<void>): Promise<void> {
  const config = readConfig()
  const running = config.databaseUrl === undefined ? await findRunning(config) : undefined
  if (running !== undefined)
    throw new OperatorError(
      `the service at ${running} holds the database: stop it for as long as this takes, or use PostgreSQL`,
    )
  const db = await openDatabase(config, () => undefined, endAtOnce)
  try {
    await migrate(db, performance.now() + START_TIMEOUT_MS)
    await act(db)
  } finally {
    await db.close()
  }
}

/** A line that counts, on a terminal only: how much there is shows when it is done. `format` names the counts in braces. */
export function showCounts<Counts extends Readonly<Record<string, number>>>(
  format: string,
  start: Counts,
): { update: (counts: Counts) => void; stop: () => void } {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined }
  const bar = new SingleBar({
    format: `${format} | {duration_formatted}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  })
  bar.start(1, 0, start)
  return { update: (counts) => bar.update(0, counts), stop: () => bar.stop() }
}
