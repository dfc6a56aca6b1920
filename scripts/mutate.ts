/*
 * `npm run mutate`: makes small faults in the code, one at a time in a copy of it, and shows which of them no test detects.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { embeddedTemplate } from '../test/support/database-templates.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { createJudge, type Judgement } from './mutation/judge.ts'
import { drawMutants, type Mutant, mutantsOf } from './mutation/mutants.ts'
import { tryPlanted } from './mutation/planted.ts'
import { countsTable, describeMutant, survivorsOf } from './mutation/report.ts'
import { createSandbox, listProjectFiles, type Sandbox } from './mutation/sandbox.ts'

const complete = ['src/engine/points/ledger', 'src/database/db/transaction.ts']
const sampled = ['src/engine/points', 'src/engine/ingest', 'src/ledger', 'src/bulk', 'src/routing', 'src/resources']
const sampleSize = 300
// Tests of documents, examples, the benchmark and the layout take long and detect few faults in the code.
const judging = ['src/**', 'test/{contract,store,cli,probe}/**']
const reportFile = 'mutation-report.json'

const command = new Command('npm run mutate --')
  .description(
    `Makes small faults (mutants) in the code, one at a time in a copy of it, runs the nearest tests, and shows the faults that none of them detects.
Without paths: every mutant of ${complete.join(' and ')}, and ${sampleSize} drawn from ${sampled.join(', ')}.`,
  )
  .argument('[paths...]', 'files, folders or patterns to make mutants in; every mutant, unless --count is given')
  .option('--count <number>', 'number of mutants to draw', wholeNumber)
  .option('--seed <number>', 'random seed of the draw', wholeNumber, 1)
  .option('--tests <number>', 'number of nearest test files to run for each mutant', wholeNumber, 8)
  .option('--workers <number>', 'number of mutants to try concurrently', wholeNumber, availableParallelism())
  .option('--list', 'print the mutants, and try none')
  .option('--planted', 'plant the old faults of scripts/mutation/planted.yaml instead; [paths...] are words of them')
  .addHelpText(
    'after',
    `\nEvery verdict goes to ${reportFile}. Exit codes: 0 when no mutant survived, 1 when one did, 2 when tests fail without any mutant.`,
  )
  .parse()

const { count, seed, tests, workers, list, planted } = command.opts<{
  count?: number
  seed: number
  tests: number
  workers: number
  list?: true
  planted?: true
}>()

const project = process.cwd()
const isTest = (file: string) => file.endsWith('.test.ts')
const files = listProjectFiles(project).filter(
  (file) => file.endsWith('.ts') && (!isTest(file) || judging.some((pattern) => matchesGlob(file, pattern))),
)
const sources = new Map(files.map((file) => [file, readFileSync(join(project, file), 'utf8')]))
// Sandboxes are removed at the exit.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
if (planted) {
  await prepareDatabases()
  process.exit(await tryPlanted(project, command.args))
}
const mutants = await chooseMutants()
if (mutants.length === 0) command.error('error: there is no mutant to make in those paths')
if (list) {
  for (const { file, line, column, mutator } of mutants) console.log(`${file}:${line}:${column}  ${mutator}`)
  process.exit(0)
}

const sandboxes: Sandbox[] = []
process.once('exit', () => {
  for (const sandbox of sandboxes) sandbox.remove()
})

const startedAt = performance.now()
await prepareDatabases()
const judge = createJudge(sources, tests)
const judgements = await judgeAll()
const survivors = survivorsOf(judgements)
writeFileSync(reportFile, `${JSON.stringify(judgements, null, 2)}\n`)
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
console.log(`${countsTable(judgements)}\n\n${minutes} minutes, seed ${seed}`)
for (const test of judge.failing) console.log(`${test} was not used: it fails without any mutant`)
process.exit(judge.failing.size > 0 ? 2 : survivors.length > 0 ? 1 : 0)

async function prepareDatabases(): Promise<void> {
  process.env.LAUREL_TEST_DATABASE_URL ??= (await startPostgresServer()).url
  await embeddedTemplate() // npm test uses the same template, so no mutant may create it.
}

async function chooseMutants(): Promise<Mutant[]> {
  const { args } = command
  if (args.length > 0) {
    const all = await mutantsIn(args)
    return count === undefined ? all : drawMutants(all, count, seed)
  }
  const whole = await mutantsIn(complete)
  const rest = await mutantsIn(sampled, complete)
  return [...whole, ...drawMutants(rest, count ?? sampleSize, seed)]
}

async function mutantsIn(paths: readonly string[], except: readonly string[] = []): Promise<Mutant[]> {
  const isIn = (file: string, path: string) => file.startsWith(`${path.replace(/\/$/, '')}/`) || matchesGlob(file, path)
  const found: Mutant[] = []
  for (const [file, text] of sources) {
    if (isTest(file)) continue
    if (paths.some((path) => isIn(file, path)) && !except.some((path) => isIn(file, path)))
      found.push(...(await mutantsOf(file, text)))
  }
  return found
}

async function judgeAll(): Promise<Judgement[]> {
  const judgements: Judgement[] = []
  const left = mutants.values()
  for (let i = 0; i < Math.min(workers, mutants.length); i += 1) sandboxes.push(createSandbox(project))
  async function work(sandbox: Sandbox): Promise<void> {
    for (const mutant of left) {
      const judgement = await judge.judge(sandbox, mutant)
      judgements.push(judgement)
      showProgress(judgements)
      for (const survivor of survivorsOf([judgement])) console.log(`${describeMutant(survivor)}\n`)
    }
  }
  await Promise.all(sandboxes.map(work))
  return judgements.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start))
}

function showProgress(judgements: readonly Judgement[]): void {
  const isLast = judgements.length === mutants.length
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const line = `${seconds} s  ${judgements.length} of ${mutants.length} mutants, ${survivorsOf(judgements).length} survived`
  if (process.stderr.isTTY) process.stderr.write(`\r${line}\x1b[K${isLast ? '\n' : '\r'}`)
  else if (judgements.length % 20 === 0 || isLast) console.error(line)
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be an integer greater than 0.')
  return Number(text)
}
