/*
 * Runs the commands of the documents: every `sh` block of every document, in order, in a fresh clone.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import project from '../../package.json' with { type: 'json' }
import { greeting } from '../../src/cli/serve/greeting.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { testDatabase } from '../support/databases.ts'
import { type Aside, type Block, listDocuments, PROJECT, readBlocks, readDocument } from '../support/docs-blocks.ts'
import { assertJsonShown, assertTextShown, isRefusal, readJsonValues } from '../support/docs-responses.ts'
import { DOCUMENTED_PORT, type Machine, openTerminal, type Terminal } from '../support/docs-terminal.ts'

const RUN = 'sh'
/** Languages of blocks that show the output of the block before them. */
const RESPONSES = ['json', 'text']
/** Shown, and checked by configurations.test.ts as far as a machine without these programs can. */
const SHOWN_ONLY = ['caddy', 'console', 'haproxy', 'ini', 'js', 'nginx', 'yaml']
/** Documents with commands that no test can run, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'examples/online-retail/extract/SOURCE.md': 'it needs the full data, which is not part of the project',
}
/** The database URL of the documents; the test replaces it with that of a real database. */
const DOCUMENTED_DATABASE = 'postgres://laurel:secret@127.0.0.1:5432/laurel'
/** The exit code of curl for a request that the service refused. */
const REFUSED = 22

/** The pages that a newcomer reads in order, each in the state that the last one left behind. */
const JOURNEY = [
  'README.md',
  'docs/start.md',
  'docs/programs.md',
  'docs/program-reference.md',
  'docs/import.md',
  'docs/localization.md',
  'docs/what-if.md',
]

/** A person who has just cloned the project. npm takes longer to find a program than most programs take: the README alone waits for that. */
const NEW: Machine = { curl: 'of-this-machine', npx: 'stand-in', hasDatabase: false }
/** The same person, with a shortcut for the first start. */
const USUAL: Machine = { ...NEW, hasDatabase: true }

const isRun = (block: Block | Aside): block is Block => block.kind === 'block' && block.language === RUN
const documents = listDocuments().map((path) => ({ path, blocks: readBlocks(readDocument(path)) }))

describe('every command of a document works and prints what the document shows', () => {
  test(`${JOURNEY.join(', then ')}, in one clone`, async (t) => {
    const terminal = await openTerminal(t, NEW)
    for (const path of JOURNEY) {
      await t.test(path, (page) => follow(page, readBlocks(readDocument(path)), terminal))
      await terminal.stop()
    }
  })
  for (const { path, blocks } of documents) {
    if (blocks.some(isRun) && !Object.hasOwn(NOT_RUN, path) && !JOURNEY.includes(path))
      test(path, async (t) => follow(t, blocks, await openTerminal(t, USUAL)))
  }
  test('README.md, with the npx of this machine, and without curl', (t) =>
    openTerminal(t, { ...USUAL, npx: 'of-this-machine', curl: 'stand-in' }).then((terminal) =>
      follow(t, readBlocks(readDocument('README.md')), terminal),
    ))
})

test('no command is missed: every fence has a known language, and every answer follows a command', () => {
  const known = [RUN, ...RESPONSES, ...SHOWN_ONLY]
  for (const { path, blocks } of documents) {
    let before = ''
    for (const block of blocks) {
      if (block.kind === 'aside') continue
      const { language, line } = block
      assert(known.includes(language), `${path}:${line}: "${language}" is none of ${known.join(', ')}`)
      if (RESPONSES.includes(language))
        assert.equal(before, RUN, `${path}:${line}: this ${language} has no command directly before it`)
      before = language
    }
  }
})

test('the commands of the README are those that the first start prints', () => {
  const printed = commandsIn(greeting({ url: `http://127.0.0.1:${DOCUMENTED_PORT}`, tokenFile: 'data/token' }))
  assert.equal(printed.length, 2)
  const shown = readBlocks(readDocument('README.md')).filter(isRun)
  assert.deepEqual(
    shown.flatMap(({ text }) => commandsIn(text)),
    printed,
  )
})

test('a command goes to the running service, or to the database itself where none is running (decision 65)', async (t) => {
  const terminal = await openTerminal(t, USUAL)
  await terminal.start({})
  // The npx of this machine, which the stand-in hides: it starts the command declared in package.json.
  const whileItRuns = await terminal.run(`PATH="\${PATH#*:}" npx --no laurel program show`)
  const alone = await terminal.run('npx --no laurel migrate')
  await terminal.stop()
  const afterwards = await terminal.run('npx --no laurel program show')

  const schema = '# yaml-language-server: $schema=http://127.0.0.1:8080/schemas/program.json\n'
  assert.deepEqual(whileItRuns, { printed: `${schema}${STARTER_PROGRAM}`, failed: [] })
  assert.match(alone.printed, /^laurel: the data directory .* is in use by process \d+: /)
  assert.deepEqual(
    alone.failed.map(({ code }) => code),
    [2],
  )
  assert.deepEqual(afterwards, { printed: STARTER_PROGRAM, failed: [] })
})

function commandsIn(text: string): string[] {
  const lines = text.replace(/\\\n\s*/g, '').replace(/\n[ \t]+/g, '')
  return lines.split('\n').filter((line) => line.startsWith('curl '))
}

async function follow(t: TestContext, blocks: readonly (Block | Aside)[], terminal: Terminal): Promise<void> {
  const database = blocks.some((block) => block.text.includes(DOCUMENTED_DATABASE))
    ? await testDatabase(t)
    : DOCUMENTED_DATABASE
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'aside') await runDirective(terminal, block)
    if (!isRun(block)) continue
    const next = blocks[index + 1]
    const response = next?.kind === 'block' && RESPONSES.includes(next.language) ? next : undefined
    try {
      await runBlock(terminal, block.text.replaceAll(DOCUMENTED_DATABASE, database), response)
    } catch (error) {
      throw new Error(`line ${block.line}: ${(error as Error).message}`, { cause: error })
    }
  }
}

async function runDirective(terminal: Terminal, { text, line }: Aside): Promise<void> {
  assert.equal(text, 'stop the service', `line ${line}: this comment is not a known directive`)
  await terminal.stop()
}

async function runBlock(terminal: Terminal, commands: string, response: Block | undefined): Promise<void> {
  if (/\bnpm (ci|test|start|run)\b/.test(commands)) {
    const seen = await runNpm(terminal, commands)
    if (response !== undefined) await eventually(() => assertTextShown(seen(), response.text))
    return
  }
  const { printed, failed } = await terminal.run(commands)
  const wanted = [...refusedIn(response), ...announcedIn(commands)]
  assert.deepEqual(
    failed.map(({ code }) => code),
    wanted,
    `${failed.map(({ code, command }) => `exit code ${code}: ${command}`).join('\n')}\n${printed}`,
  )
  if (response?.language === 'json') assertJsonShown(printed, response.text)
  if (response?.language === 'text') assertTextShown(printed, response.text)
}

function refusedIn(response: Block | undefined): number[] {
  if (response?.language !== 'json') return []
  return readJsonValues(response.text)
    .filter(isRefusal)
    .map(() => REFUSED)
}

function announcedIn(commands: string): number[] {
  return [...commands.matchAll(/# ends with exit code (\d+)$/gm)].map(([, code]) => Number(code))
}

/** Blocks of npm commands only. Only `npm start` is run; the others have been run already, or are being run, by whoever runs the tests. */
async function runNpm(terminal: Terminal, commands: string): Promise<() => string> {
  let seen = () => ''
  for (const line of commands.split(/\n|&&/).map((part) => part.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [, settings = '', verb = '', script = ''] =
      /^((?:[A-Z_]+=\S+ )*)npm (ci|test|start|run) ?([\w:]*)$/.exec(line) ?? []
    if (verb === 'start' && script === '') seen = await terminal.start(settingsIn(settings))
    else if (verb === 'ci' && script === '') assert(existsSync(join(PROJECT, 'package-lock.json')))
    else {
      const name = verb === 'run' ? script : verb
      assert(Object.hasOwn(project.scripts, name), `a block of npm commands has: ${line}`)
    }
  }
  return seen
}

function settingsIn(assignments: string): Record<string, string> {
  return Object.fromEntries([...assignments.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]))
}

/** A service prints its output a moment after it is ready. */
async function eventually(check: () => void): Promise<void> {
  for (let left = 3_000; ; left -= 1) {
    try {
      check()
      return
    } catch (error) {
      if (left === 0) throw error
      await sleep(100)
    }
  }
}
