/*
 * `npm test`: every test, or those of the files, folders and patterns that are named, with one PostgreSQL server for all.
 * Fails when a test fails, is skipped or is left as todo, and when there is none: a green run has run everything.
 */
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { serversAt } from '../test/support/cluster.ts'
import { embeddedTemplate } from '../test/support/database-templates.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { findChanged, findTestsNear } from './test/changed.ts'
import { writeGroups } from './test/groups.ts'
import { newMemoryDirectory } from './test/memory-directory.ts'
import { collectTimes, processorSeconds } from './test/times.ts'

const HELP = `npm test [-- options] [file, folder or pattern ...]

Runs what is named, or every test.

  --changed         only the tests nearest to what has changed since the last commit
  --since <commit>  the same for what has changed since another one, such as main
  --help            this text

LAUREL_TEST_DATABASE_URL: a PostgreSQL server to use instead of one that is started for the run.
TMPDIR: where temporary files go; by default to memory, if Linux has room there.
`
const EVERYTHING = ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts']
/** Ends a process that is caught in a loop and so cannot end itself (test/time-limit.ts). */
const PROCESS_TIMEOUT_MS = 25 * 60_000
const SLOWEST_SHOWN = 10
/** Programs that tests start live for seconds: the optimizing compiler of WebAssembly would take more than it gives. */
const SHORT_LIVED = ['--liftoff-only']
/** A process of tests lives for a minute: what runs most is worth compiling, after fifteen times as much as V8 waits for. */
const LONGER_LIVED = ['--wasm-tiering-budget=200000000']

const options = readOptions()
if (options.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopping.abort()
    process.exit(130) // The test server stops, and its directory is deleted, when this process ends.
  })
}
const files = options.since === undefined ? listFiles(options.names) : listTestsNearChanges(options.since)
const isGreen = await runAll(files)
process.exit(isGreen ? 0 : 1)

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { changed: { type: 'boolean' }, since: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
    const since = values.since ?? (values.changed ? 'HEAD' : undefined)
    if (since !== undefined && positionals.length > 0) throw new Error('name either files, or what has changed')
    return { since, names: positionals, help: values.help === true }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`)
    process.exit(1)
  }
}

function listFiles(names: readonly string[]): string[] {
  const files = new Set<string>()
  for (const name of names.length > 0 ? names : EVERYTHING) {
    const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory()
    const found = globSync(isFolder ? join(name, '**/*.test.ts') : name)
    if (found.length === 0 && names.length > 0) {
      console.error(`${name}: no such test file`)
      process.exit(1)
    }
    for (const file of found) files.add(file)
  }
  return [...files].sort()
}

function listTestsNearChanges(commit: string): string[] {
  const changed = findChanged(commit)
  if (changed.length === 0) {
    console.log(`Nothing has changed since ${commit}.`)
    process.exit(0)
  }
  const { tests, untested } = findTestsNear(changed)
  for (const file of untested) console.log(`${file}: no test is near, only npm test as a whole`)
  console.log(`${tests.length} files of tests near ${changed.length} changed files:\n  ${tests.join('\n  ')}\n`)
  if (tests.length === 0) process.exit(0)
  return tests
}

/** Runs the tests of the files and prints a summary. Returns whether the run is green. */
async function runAll(files: readonly string[]): Promise<boolean> {
  const startedAt = performance.now()
  // Node's compile cache serves the next process and the next run; worker threads find it by this variable only.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/laurel')
  process.env.LAUREL_TEST_NODE_OPTIONS ??= SHORT_LIVED.join(' ')
  const memory = process.env.TMPDIR === undefined ? newMemoryDirectory() : undefined
  if (memory !== undefined) process.env.TMPDIR = memory
  const server = process.env.LAUREL_TEST_DATABASE_URL === undefined ? await startPostgresServer() : undefined
  const url = server?.url ?? process.env.LAUREL_TEST_DATABASE_URL!
  process.env.LAUREL_TEST_DATABASE_URL = url
  if ((await serversAt(url)).length > 1) process.env.LAUREL_TEST_ON_CLUSTER = 'yes'
  await embeddedTemplate()

  const { passed, failed, skipped, todo, slowest } = await runTests(files)
  await server?.stop()
  if (skipped + todo > 0) console.log(`${skipped} skipped and ${todo} left as todo: a test is run, or removed.`)
  if (passed + failed === 0) console.log('No test ran.')
  if (files.length > 1) console.log(`The slowest files:\n${slowest.map((line) => `  ${line}\n`).join('')}`)
  const wallSeconds = Math.round((performance.now() - startedAt) / 1_000)
  const cpuSeconds = processorSeconds()
  console.log(`${wallSeconds} s${cpuSeconds === undefined ? '' : `, ${cpuSeconds} s of processor time`}`)
  console.log(`${passed} passed, ${failed} failed`)
  return failed + skipped + todo === 0 && passed > 0
}

async function runTests(files: readonly string[]) {
  let counts = { passed: 0, failed: 1, skipped: 0, todo: 0 }
  const groups = writeGroups(files)
  const times = collectTimes(files)
  let empty = 0
  const events = run({
    files: groups,
    execArgv: LONGER_LIVED,
    // One more than there are processors: many tests wait for a moment, a browser or a service that is stopped.
    concurrency: availableParallelism() + 1,
    timeout: PROCESS_TIMEOUT_MS,
    signal: stopping.signal,
  })
  events.on('test:pass', (event) => {
    // The runner reports a process that defines no test as one test, named like its file, that passed.
    if (groups.includes(event.name)) empty += 1
    times.add(event)
  })
  events.on('test:fail', times.add)
  events.on('test:summary', (summary) => {
    if (summary.file !== undefined) return
    const { tests, passed, skipped, todo } = summary.counts
    const failed = tests - passed - skipped - todo
    // A hook that fails around passing tests fails the run without being one of the tests.
    counts = { passed, failed: summary.success ? failed : Math.max(1, failed), skipped, todo }
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  const filesWithoutTest = times.filesWithoutTest()
  for (const file of filesWithoutTest) console.log(`${file}: no test in it`)
  return {
    ...counts,
    passed: counts.passed - empty,
    failed: counts.failed + filesWithoutTest.length,
    slowest: times.slowest(SLOWEST_SHOWN),
  }
}
