/*
 * The backtest that the pictures show, made as docs/what-if.md makes it: by the commands, on the orders up to the end of July.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCsv, readInvoices } from '../../examples/online-retail/invoices.ts'
import { toPlayers } from '../../examples/online-retail/records.ts'
import { toStates } from '../../examples/online-retail/states.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/online-retail/', import.meta.url))
const LAUREL = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** The page that `--html` writes. */
export async function backtestClub(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-pictures-'))
  const laurel = (...args: string[]) =>
    execFileSync(process.execPath, [LAUREL, ...args], {
      cwd: directory,
      env: { ...process.env, LAUREL_DATA: join(directory, 'data') },
      encoding: 'utf8',
    })
  const fileOf = (name: string, records: readonly object[]) => {
    writeFileSync(join(directory, name), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    return name
  }
  try {
    const invoices = await readInvoices(openCsv(join(EXAMPLE, 'extract/online-retail-extract.csv')))
    const { states } = toStates(invoices.filter(({ at }) => at < '2011-08-01'))
    laurel('migrate')
    laurel('import', 'players', fileOf('players.ndjson', toPlayers(invoices)))
    // Of several states of an order, this says which is the latest.
    const orders = states.map(({ at, order }) => ({ ...order, updated_at: at }))
    laurel('import', 'orders', fileOf('orders.ndjson', orders))
    const backtest = ['program', 'backtest', join(EXAMPLE, 'club.yaml'), '--point-value', '0.01']
    laurel(...backtest, '--html', 'club.html')
    return readFileSync(join(directory, 'club.html'), 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}
