import { SingleBar } from 'cli-progress'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { verifyLedger } from '../operations/verify-ledger.ts'
import { migrate } from '../store/migrate.ts'
import { findRunning, Refused } from './client.ts'
import { endAtOnce } from './serve.ts'
import { openDatabase } from './service.ts'
import { oneLine } from './table.ts'

const START_TIMEOUT_MS = 10_000

/** `laurel ledger verify`: derives every sum and every order anew. Fails with the differences, where there are any. */
export async function verify(): Promise<void> {
  const config = readConfig()
  const running = config.databaseUrl === undefined ? await findRunning(config) : undefined
  if (running !== undefined)
    throw new OperatorError(
      `the service at ${running} holds the database: stop it for as long as this takes, or use PostgreSQL`,
    )
  const db = await openDatabase(config, () => undefined, endAtOnce)
  try {
    await migrate(db, performance.now() + START_TIMEOUT_MS)
    const progress = showProgress()
    const report = await verifyLedger(db, progress.update).finally(progress.stop)
    const { players, orders, entries, differing, differences } = report
    const looked = `${count(players, 'player')}, ${count(orders, 'order')}, ${entries === 1n ? '1 entry' : `${entries} entries`}`
    if (differing === 0) {
      process.stdout.write(`${looked}: no difference\n`)
      return
    }
    const told = differences.map((difference) => `  ${oneLine(difference)}`)
    const more = differing > differences.length ? [`  and ${differing - differences.length} more`] : []
    throw new Refused(409, [`${looked}: ${count(differing, 'difference')}`, ...told, ...more].join('\n'))
  } finally {
    await db.close()
  }
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`
}

/** A line that counts, on a terminal only: how much there is shows when it is done. */
function showProgress(): { update: (done: { players: number; orders: number }) => void; stop: () => void } {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined }
  const bar = new SingleBar({
    format: '{players} players, {orders} orders | {duration_formatted}',
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  })
  bar.start(1, 0, { players: 0, orders: 0 })
  return { update: ({ players, orders }) => bar.update(0, { players, orders }), stop: () => bar.stop() }
}
