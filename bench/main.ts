/*
 * `npm run bench`: every figure with its floor and its target, measured in turn in one run. `npm run bench -- predictions` runs one measurement.
 */
import { writeFileSync } from 'node:fs'
import { Argument, Command } from 'commander'
import { THIS_CHECKOUT } from '../test/support/service-process.ts'
import { commitOf, databaseOption, databasesOf, machine, wholeNumber } from './command.ts'
import type { Figure } from './figures.ts'
import { GROWN } from './growth.ts'
import { measureAll, NAMES } from './measurements.ts'
import { writeResults } from './results.ts'
import { tableOf, verdictOf } from './table.ts'
import type { Database } from './testbed.ts'

const command = new Command('npm run bench --')
  .description('Measures Laurel beside floors on this machine, on PostgreSQL and on the embedded database.')
  .addArgument(
    new Argument(
      '[measurements...]',
      'which to run; all except backtest, balances, recount, attributes, background, services and growth, if none is named',
    ).choices(NAMES.map(([name]) => name)),
  )
  .option(
    '--runs <count>',
    'alternating runs of floor and ours; the medians count. For predictions and orders, each starts every process anew',
    wholeNumber,
    5,
  )
  .option('--records <count>', 'players, and records of bulk upserts; products are a tenth', wholeNumber, 100_000)
  .option('--seconds <count>', 'how long a load runs that would not end by itself', wholeNumber, 3)
  .option(
    '--players <count>',
    `growth: players, many of them (default: ${GROWN.postgres}, embedded ${GROWN.embedded}); statistics: accounts beside them (default: none); balances: accounts of the report`,
    wholeNumber,
  )
  .addOption(databaseOption())
  .option('--json <file>', 'write the figures to a file, too')
  .option('--write', 'write the table to bench/RESULTS.md, too; for a run of everything, or of growth alone')
  .addHelpText('after', `\nMeasurements:\n${NAMES.map(([name, about]) => `  ${name.padEnd(15)}${about}`).join('\n')}`)
  .parse()

const { args } = command
const { database, json, write, ...options } = command.opts<{
  runs: number
  records: number
  seconds: number
  players?: number
  database: Database | 'both'
  json?: string
  write?: true
}>()
const section = args.length === 0 ? 'everything' : args.join() === 'growth' ? 'growth' : undefined
if (write && (section === undefined || database !== 'both'))
  command.error('error: --write takes a run of everything, or of growth alone, on both databases')

const head = { date: new Date().toISOString().slice(0, 10), commit: commitOf(THIS_CHECKOUT), machine: machine() }
const startedAt = performance.now()
const figures: Figure[] = []
const failure = await measureAll(args, databasesOf(database), {
  ...options,
  onFigure: (figure) => figures.push(figure),
}).catch((error: Error) => error)

const minutes = Number(((performance.now() - startedAt) / 60_000).toFixed(1))
const { date, commit: made, machine: on } = head
const result = [
  `${date}, commit ${made}, ${on}, medians of ${options.runs} alternating runs, ${minutes} minutes`,
  tableOf(figures),
  verdictOf(figures),
].join('\n\n')
console.log(result)
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ ...head, minutes, ...options, figures }, null, 2)}\n`)
if (failure !== undefined) console.error('A measurement failed; the figures above were measured before it.', failure)
else if (write && section !== undefined) writeResults(section, result, { ...head, figures })
process.exit(failure === undefined ? 0 : 1)
