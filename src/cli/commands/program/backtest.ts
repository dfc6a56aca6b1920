import { existsSync } from 'node:fs'
import type { Field } from '../../../engine/ingest/record.ts'
import { pointWorth } from '../../../engine/ingest/shop-settings.ts'
import type { AttributeSource } from '../../../engine/whatif/attributes-now.ts'
import { OperatorError } from '../../../errors.ts'
import { documentOf } from '../../../resources/backtests/backtest-document.ts'
import { backtestProgram } from '../../../resources/backtests/backtest-program.ts'
import type { BacktestDocument } from '../../../resources/backtests/backtest-result.ts'
import { attributeSource, weeks } from '../../../resources/jobs/kinds/backtest.ts'
import { pointValueText } from '../../../resources/settings/point-value.ts'
import { loadShopSettings } from '../../../resources/settings/service.ts'
import { serverOf, withDatabase } from '../../database.ts'
import { readProgramFile } from '../../input/program-file.ts'
import { readTimeRange, type TimeRangeOptions } from '../../input/range-options.ts'
import { readTextFile, writeTextFile } from '../../input/text-file.ts'
import { backtestText } from '../../output/backtest-text.ts'
import { printJson, printText } from '../../output/print.ts'
import { showCounts } from '../../output/progress.ts'
import { runAsJob } from '../../run-as-job.ts'

const SETTINGS_TIMEOUT_MS = 10_000

export type ProgramBacktestOptions = TimeRangeOptions &
  Readonly<{ weeksEarlier?: string; attributes?: string; pointValue?: string; json?: true; html?: string }>

/**
 * `laurel program backtest`: what the recorded orders would have earned under a program file. Writes nothing to the database.
 * Errors: CommandFailed with every issue of the program, OperatorError.
 */
export async function programBacktest(file: string, options: ProgramBacktestOptions): Promise<void> {
  const { source } = readProgramFile(file)
  const request = {
    source,
    ...readTimeRange(options),
    weeksEarlier: readOption('--weeks-earlier', options.weeksEarlier, weeks, 'an integer between 0 and 520'),
    attributes: readOption('--attributes', options.attributes, attributeSource, 'recorded or now'),
    pointValue: readOption('--point-value', options.pointValue, pointWorth, 'the value of a point, like 0.01'),
  }
  if (options.html !== undefined) assertPage(options.html)
  const progress = showCounts('{orders} of {all} orders | {percentage} % | {duration_formatted}', { orders: 0, all: 0 })
  const report = (done: number, of: number) => progress.update({ orders: done, all: of }, done, of)
  const backtest = await backtested(request, report).finally(progress.stop)
  if (options.json) printJson(backtest)
  else printText(backtestText(backtest))
  if (options.html !== undefined) {
    const { pageOf } = await import('../../../resources/backtests/backtest-page.ts')
    writeTextFile(options.html, pageOf(backtest))
  }
}

type BacktestRequest = TimeRangeOptions &
  Readonly<{
    source: string
    weeksEarlier: number | undefined
    attributes: AttributeSource | undefined
    pointValue: string | undefined
  }>

async function backtested(
  { pointValue, ...request }: BacktestRequest,
  report: (done: number, of: number) => void,
): Promise<BacktestDocument> {
  const { weeksEarlier, ...others } = request
  const jobRequest = { ...others, weeks_earlier: weeksEarlier, point_value: pointValue }
  const ofService = await runAsJob('backtest', jobRequest, (count) => {
    const { done, total } = count('orders')
    if (total !== null) report(done, total)
  })
  if (ofService !== undefined) return ofService
  const { outcome, shop } = await withDatabase(async (db, config) => ({
    shop: await loadShopSettings(db, performance.now() + SETTINGS_TIMEOUT_MS),
    outcome: await backtestProgram(db, { ...request, now: new Date().toISOString() }, report, {
      server: serverOf(config),
    }),
  }))
  return documentOf(outcome, pointValueText(pointValue, outcome, shop))
}

/** A page may overwrite a page, but no other file. Errors: OperatorError. */
function assertPage(path: string): void {
  if (existsSync(path) && !readTextFile(path).startsWith('<!doctype html>'))
    throw new OperatorError(`${path}: is not an HTML page; name another file with --html`)
}

/** Errors: OperatorError. */
function readOption<Value>(
  option: string,
  text: string | undefined,
  field: Field<Value>,
  expected: string,
): Value | undefined {
  if (text === undefined) return undefined
  try {
    return field.read(text)
  } catch {
    throw new OperatorError(`${option} is "${text}": expected ${expected}`)
  }
}
