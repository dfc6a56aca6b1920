/*
 * `npm test`: every test, or those of the files, folders and patterns that are named, with one PostgreSQL server for all.
 * Fails when a test fails, is skipped, is left as todo, or when there is none: a run that is green has tried everything.
 */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startPostgresServer } from '../test/support/postgres-server.ts'

const everything = ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts']
const fileTimeoutMs = 10 * 60_000

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly todo: number
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopping.abort()
    process.exit(130) // The test server ends, and its directory goes, when this process does.
  })
}

const files = filesOf(process.argv.slice(2))
process.env.LAUREL_TEST_DATABASE_URL ??= (await startPostgresServer()).url
const { passed, failed, skipped, todo } = await runTests(files)
if (skipped + todo > 0) console.log(`${skipped} skipped and ${todo} left as todo: a test is run, or removed.`)
if (passed + failed === 0) console.log('No test ran.')
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed + skipped + todo > 0 || passed === 0 ? 1 : 0)

function filesOf(named: readonly string[]): string[] {
  const files = new Set<string>()
  for (const name of named.length > 0 ? named : everything) {
    const isFolder = statSync(name, { throwIfNoEntry: false })?.isDirectory()
    const found = globSync(isFolder ? join(name, '**/*.test.ts') : name)
    if (found.length === 0 && named.length > 0) {
      console.error(`${name}: no such test file`)
      process.exit(1)
    }
    for (const file of found) files.add(file)
  }
  return [...files].sort()
}

async function runTests(files: string[]): Promise<Counts> {
  let counts: Counts = { passed: 0, failed: 1, skipped: 0, todo: 0 }
  const filesWithoutTest: string[] = []
  const events = run({ files, concurrency: 2, timeout: fileTimeoutMs, signal: stopping.signal })
  events.on('test:pass', ({ name, file, nesting }) => {
    // The runner reports a file that defines no test as one test, named like the file, that passed.
    if (nesting === 0 && name === file) filesWithoutTest.push(name)
  })
  events.on('test:summary', (summary) => {
    if (summary.file !== undefined) return
    const { tests, passed, skipped, todo } = summary.counts
    const failed = tests - passed - skipped - todo
    // A hook that fails around passing tests fails the run without being one of the tests.
    counts = { passed, failed: summary.success ? failed : Math.max(1, failed), skipped, todo }
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  for (const file of filesWithoutTest) console.log(`${file}: no test in it`)
  const empty = filesWithoutTest.length
  return { ...counts, passed: counts.passed - empty, failed: counts.failed + empty }
}
