import { writeFileSync } from 'node:fs'
import { OperatorError } from '../errors.ts'
import { moment } from '../ingest/fields.ts'
import { backtestProgram } from '../operations/backtest-program.ts'
import { parseRatio } from '../points/arithmetic.ts'
import { documentOf } from './backtest-document.ts'
import { textOf } from './backtest-text.ts'
import { readChecked } from './program.ts'
import { serverOf } from './service.ts'
import { showProgress, withStore } from './whole-store.ts'

export type BacktestOptions = Readonly<{
  from?: string | undefined
  to?: string | undefined
  pointValue?: string | undefined
  json?: true
  html?: string | undefined
}>

/**
 * `laurel program backtest`: what the recorded orders would have earned under a program file. Reads the database itself, and writes nothing to it.
 * Errors: Refused with every fault of the program, OperatorError.
 */
export async function backtest(file: string, options: BacktestOptions): Promise<void> {
  const { source } = readChecked(file)
  const wish = {
    source,
    from: momentOf('--from', options.from),
    to: momentOf('--to', options.to),
    now: new Date().toISOString(),
  }
  const pointValue = pointValueOf(options.pointValue)
  const progress = showProgress('{orders} of {all} orders | {percentage} % | {duration_formatted}', {
    orders: 0,
    all: 0,
  })
  const tell = (done: number, of: number) => progress.update({ orders: done, all: of }, done, of)
  const outcome = await withStore((db, config) =>
    backtestProgram(db, wish, tell, { server: serverOf(config) }),
  ).finally(progress.stop)
  const found = documentOf(outcome, pointValue)
  if (options.html !== undefined) {
    const { pageOf } = await import('./backtest-page.ts')
    writePage(options.html, pageOf(found))
  }
  process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : textOf(found))
}

/** A moment as everywhere, or a date, which is its beginning, UTC. */
function momentOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return moment.read(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  } catch {
    throw new OperatorError(
      `${option} is "${text}": expected a moment like 2027-01-31T12:00:00Z, or a date like 2027-01-31`,
    )
  }
}

/** Digits, perhaps with decimals, so that every cost is exact. */
function pointValueOf(text: string | undefined): string | undefined {
  if (text === undefined || (/^\d{1,15}(\.\d{1,9})?$/.test(text) && parseRatio(text) !== undefined)) return text
  throw new OperatorError(`--point-value is "${text}": expected what a point is worth, like 0.01`)
}

function writePage(path: string, page: string): void {
  try {
    writeFileSync(path, page)
  } catch (error) {
    throw new OperatorError(`${path} cannot be written: ${(error as Error).message}`)
  }
}
