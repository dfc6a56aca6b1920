/*
 * `npm run bench`: every figure beside its floor, measured in turn in one run. `npm run bench -- predictions` runs one.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { measureBulk } from './bulk.ts'
import { measureEngine } from './engine.ts'
import { measurePredictions } from './predictions.ts'
import { type Database, type Figure, machine } from './support.ts'

const MEASUREMENTS = ['engine', 'bulk', 'predictions'] as const

const command = new Command('npm run bench --')
  .argument('[measurements...]', `which to run: ${MEASUREMENTS.join(', ')} (default: all)`)
  .option('--runs <count>', 'alternating runs of floor and ours; the medians count', Number, 5)
  .option('--records <count>', 'players of the bulk measurement', Number, 100_000)
  .addOption(
    new Option('--database <name>', 'which database').choices(['embedded', 'postgres', 'both']).default('both'),
  )
  .option('--json <file>', 'write the figures to a file, too')
  .parse()

const { args } = command
const { runs, records, database, json } = command.opts<{
  runs: number
  records: number
  database: Database | 'both'
  json?: string
}>()
const wanted = args.length === 0 ? MEASUREMENTS : MEASUREMENTS.filter((name) => args.includes(name))
const databases: Database[] = database === 'both' ? ['postgres', 'embedded'] : [database]

const figures: Figure[] = []
if (wanted.includes('engine')) figures.push(await measureEngine({ runs }))
if (wanted.includes('bulk') || wanted.includes('predictions')) {
  const server = await startPostgresServer({ durable: true })
  try {
    for (const one of databases) {
      if (wanted.includes('bulk')) figures.push(...(await measureBulk(one, server.newDatabase, { records, runs })))
      if (wanted.includes('predictions')) figures.push(...(await measurePredictions(one, server.newDatabase, { runs })))
    }
  } finally {
    await server.stop()
  }
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const head = `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine()}, medians of ${runs} alternating runs`
const round = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2))
console.log(`${head}\n\n| figure | database | floor | ours | ratio | measured with |\n|---|---|---|---|---|---|`)
for (const { figure, database, unit, floor, ours, ratio, note } of figures) {
  console.log(
    `| ${figure} | ${database} | ${round(floor)} ${unit} | ${round(ours)} ${unit} | ${ratio.toFixed(2)} | ${note} |`,
  )
}
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ head, figures }, null, 2)}\n`)
process.exit(0)
