import { existsSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'
import { backtestProgram } from '../../operations/backtest-program.ts'
import { documentOf } from '../../operations/reports/backtest-document.ts'
import { parseRatio } from '../../points/arithmetic.ts'
import { textOf } from '../output/backtest-text.ts'
import { serverOf } from '../serve/service.ts'
import { readChecked, readFile, writeFile } from './program.ts'
import { readTimeRange } from './time-range.ts'
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
    ...readTimeRange(options),
    now: new Date().toISOString(),
  }
  const pointValue = pointValueOf(options.pointValue)
  if (options.html !== undefined) assertPage(options.html)
  const progress = showProgress('{orders} of {all} orders | {percentage} % | {duration_formatted}', {
    orders: 0,
    all: 0,
  })
  const tell = (done: number, of: number) => progress.update({ orders: done, all: of }, done, of)
  const outcome = await withStore((db, config) =>
    backtestProgram(db, wish, tell, { server: serverOf(config) }),
  ).finally(progress.stop)
  const found = documentOf(outcome, pointValue)
  process.stdout.write(options.json ? `${JSON.stringify(found, null, 2)}\n` : textOf(found))
  if (options.html !== undefined) {
    const { pageOf } = await import('../../operations/reports/backtest-page.ts')
    writeFile(options.html, pageOf(found))
  }
}

/** A page may take the place of a page, and of nothing else. Errors: OperatorError. */
function assertPage(path: string): void {
  if (existsSync(path) && !readFile(path).startsWith('<!doctype html>'))
    throw new OperatorError(`${path}: is not a page; name another file with --html`)
}

/** Digits, perhaps with decimals, so that every cost is exact. */
function pointValueOf(text: string | undefined): string | undefined {
  if (text === undefined || (/^\d{1,15}(\.\d{1,9})?$/.test(text) && parseRatio(text) !== undefined)) return text
  throw new OperatorError(`--point-value is "${text}": expected what a point is worth, like 0.01`)
}
