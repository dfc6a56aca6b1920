/*
 * Commands beside a service that is none, or that means to deceive: no stack trace, and nothing that a terminal obeys.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { Argument, Command } from 'commander'
import { CHECKED } from '../../scripts/response-shapes.ts'
import type { CheckedName } from '../../src/cli/response-shape.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { JOB_KINDS } from '../../src/resources/jobs/kinds/index.ts'
import type { JobKindName } from '../../src/resources/jobs/kinds/names.ts'
import { newTokenText } from '../../src/resources/tokens/service.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import type { EndedCommand } from '../support/command-host.ts'
import { definedCommands } from '../support/defined-commands.ts'
import { EVIL, evilAnswer, RAW, type Schema, schemaFor } from '../support/hostile-responses.ts'
import { runCommand } from '../support/run-command.ts'
import { newDataDirectory } from '../support/service-process.ts'

const TOKEN = newTokenText()

const RECORDS: Readonly<Record<string, object>> = {
  players: aPlayer(),
  products: aProduct(),
  orders: anOrder(),
  balances: { user_id: 'u-1', points: 1, reason: 'x', id: 'a-1' },
}

/** What some commands need besides what their arguments say. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'token create': ['--role', 'viewer'],
  'player erase': ['--yes'],
}

/** Every command line that talks to a service: each command with --url, once for each choice of its arguments. */
async function commandLines(directory: string): Promise<string[][]> {
  const program = join(directory, 'program.yaml')
  writeFileSync(program, STARTER_PROGRAM)
  const records = (noun: string) => {
    const path = join(directory, `${noun}.ndjson`)
    writeFileSync(path, `${JSON.stringify(RECORDS[noun])}\n`)
    return path
  }
  const valuesOf = (argument: Argument, before: readonly string[]): string[] => {
    const name = argument.name()
    // An import of everything fills a database, without a service.
    if (argument.argChoices !== undefined) return argument.argChoices.filter((choice) => choice !== 'all')
    if (name === 'file') return [before.length > 1 ? records(before.at(-1)!) : program]
    if (name === 'program') return [program]
    return name === 'points' ? ['5'] : argument.required ? ['u-1'] : []
  }
  const linesOf = (command: Command, path: readonly string[]): string[][] => {
    const name = [...path, command.name()]
    const own = command.options.some(({ long }) => long === '--url')
    const withArguments = command.registeredArguments.reduce<string[][]>(
      (lines, argument) =>
        lines.flatMap((line) => {
          const values = valuesOf(argument, line.slice(path.length))
          return values.length === 0 ? [line] : values.map((value) => [...line, value])
        }),
      [name],
    )
    const required = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, 'why'])
    const more = [...required, ...(MORE[name.join(' ')] ?? [])]
    const lines = own ? withArguments.map((line) => [...line, ...more]) : []
    return [...lines, ...command.commands.flatMap((inner) => linesOf(inner, name))]
  }
  return (await definedCommands()).flatMap((command) => linesOf(command, []))
}

type Reply = Readonly<{ status?: number; text: string }>

/** A service that answers every request as the function says, and runs a command line beside it. */
async function hostile(t: TestContext, reply: (method: string, url: string) => Reply) {
  const server = http.createServer((request, response) => {
    request.resume()
    const { status = 200, text } = reply(request.method!, request.url!)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const url = await listening(t, server)
  const data = await newDataDirectory(t)
  return async (line: readonly string[]) => {
    const cwd = mkdtempSync(join(tmpdir(), 'hostile-'))
    return runCommand([...line, '--url', url], { LAUREL_DATA: data, LAUREL_TOKEN: TOKEN }, { cwd })
  }
}

async function listening(t: TestContext, server: http.Server | Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function assertHarmless({ code, stdout, stderr }: EndedCommand, line: readonly string[]): void {
  const at = line.join(' ')
  assert.notEqual(code, 70, `${at}: ${stderr}`)
  assert.doesNotMatch(stdout + stderr, /^ {4}at /m, at)
  assert.doesNotMatch(stderr, RAW, at)
  // A file is printed as it is stored, for a file.
  if (!at.startsWith('program show')) assert.doesNotMatch(stdout, RAW, at)
}

const NOT_RESPONSES = [
  '',
  '<!doctype html><h1>Hello</h1>',
  'null',
  '{}',
  '"x"',
  `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
]

test('every command says in one sentence that what answers is not Laurel, if it answers no JSON, or JSON of another shape', async (t) => {
  let text = ''
  const run = await hostile(t, () => ({ text }))
  const lines = await commandLines(mkdtempSync(join(tmpdir(), 'hostile-')))
  assert(lines.length > 30, `only ${lines.length} command lines`)
  for (const line of lines)
    for (text of NOT_RESPONSES) {
      const ended = await run(line)
      assertHarmless(ended, line)
      assert.equal(ended.code, 1, `${line.join(' ')} ${text.slice(0, 20)}: ${ended.stderr}${ended.stdout}`)
      assert.match(
        ended.stderr,
        /^laurel: http:\/\/127\.0\.0\.1:\d+ sent an unexpected response to [A-Z]+ \/\S+: expected .+; is this the URL of a Laurel service\?\n$/,
        line.join(' '),
      )
    }
})

test('no command prints a raw control character or a line of its own that an answer of the right shape contains, nor a stack trace', async (t) => {
  let isLeast = true
  const run = await hostile(t, (method, url) => {
    const schema = schemaFor(method, url)
    assert(schema !== undefined, `${method} ${url}`)
    return { text: JSON.stringify(evilAnswer(schema, isLeast)) }
  })
  for (const line of await commandLines(mkdtempSync(join(tmpdir(), 'hostile-'))))
    for (isLeast of [true, false]) {
      assertHarmless(await run(line), line)
      const ended = await run([...line, '--json'])
      assert.notEqual(ended.code, 70, ended.stderr)
      assert.doesNotMatch(ended.stdout + ended.stderr, RAW, line.join(' '))
      // The escaped text is the same value.
      if (ended.stdout === '') continue
      const parsed = JSON.stringify(JSON.parse(ended.stdout))
      if (ended.stdout.includes('FORGED')) assert(parsed.includes('[32m\u202e\u2066\u200f\u061c'), line.join(' '))
    }
})

/** The command lines whose work a running service does as a job, by the kind of the job. */
function jobLines(directory: string): (readonly [kind: JobKindName, line: string[]])[] {
  const program = join(directory, 'program.yaml')
  writeFileSync(program, STARTER_PROGRAM)
  const days = ['--from', '2026-01-01', '--to', '2026-12-31']
  return [
    ['backtest', ['program', 'backtest', program]],
    ['points-expiring', ['points', 'expiring', ...days]],
    ['points-report', ['points', 'report', ...days]],
    ['report', ['predictions', 'report']],
    ['verify', ['ledger', 'verify']],
  ]
}

const evilOf = (name: CheckedName, isLeast: boolean) => evilAnswer(CHECKED[name] as Schema, isLeast) as object
const evilResult = (kind: JobKindName, isLeast: boolean) =>
  evilOf(`GET /api/admin/jobs/:id ${kind}`, isLeast) as Readonly<{ result: object }>

/** A service in whose data directory a command line runs, and whose jobs all end with the result that the function returns. */
async function hostileJobs(t: TestContext, resultOf: () => unknown) {
  const server = http.createServer((request, response) => {
    request.resume()
    const [path] = request.url!.split('?')
    const job = { ...evilOf('GET /api/admin/jobs/:id', true), state: 'done', result: resultOf() }
    response.end(JSON.stringify(path === '/healthz' ? {} : job))
  })
  const url = await listening(t, server)
  const data = await newDataDirectory(t)
  writeFileSync(join(data, 'service.json'), JSON.stringify({ url, consoleUrl: url, pid: process.pid }))
  return (line: readonly string[]) => runCommand(line, { LAUREL_DATA: data, LAUREL_TOKEN: TOKEN })
}

test('a command whose work is done as a job says in one sentence that what answers is not Laurel, if the result is that of no such job', async (t) => {
  let result: unknown
  const run = await hostileJobs(t, () => result)
  const lines = jobLines(mkdtempSync(join(tmpdir(), 'hostile-')))
  for (const [kind, line] of lines) {
    const { result: right } = evilResult(kind, false)
    const others = lines.filter(([other]) => other !== kind).map(([other]) => evilResult(other, true).result)
    const broken = Object.keys(JOB_KINDS[kind].result.properties).map((name) => ({ ...right, [name]: { a: [1] } }))
    const divided = kind === 'backtest' ? [{ ...right, cost: { before: '1/0', after: '0', difference: '0' } }] : []
    const wrong = [null, {}, ...others, ...broken.slice(-3), ...divided]
    for (result of wrong) {
      const ended = await run(line)
      assertHarmless(ended, line)
      assert.equal(ended.code, 1, `${line.join(' ')}: ${ended.stderr}${ended.stdout}`)
      assert.match(
        ended.stderr,
        /^laurel: http:\/\/127\.0\.0\.1:\d+ sent an unexpected response to GET \/api\/admin\/jobs\/:id: expected .+ at result.*; is this the URL of a Laurel service\?\n$/,
        line.join(' '),
      )
    }
  }
})

test('no command prints a raw control character or a line of its own that the result of a job contains, nor a stack trace', async (t) => {
  let result: object
  const run = await hostileJobs(t, () => result)
  const directory = mkdtempSync(join(tmpdir(), 'hostile-'))
  for (const [kind, line] of jobLines(directory))
    for (const isLeast of [true, false]) {
      result = evilResult(kind, isLeast).result
      // The last page: the next would be asked for without end.
      if (kind === 'points-expiring') result = { ...result, after: null }
      assertHarmless(await run(line), line)
      const json = await run([...line, '--json'])
      assert.doesNotMatch(json.stdout + json.stderr, RAW, line.join(' '))
      assert.notEqual(json.code, 70, json.stderr)
      if (kind !== 'backtest') continue
      const page = join(directory, `${isLeast}.html`)
      assertHarmless(await run([...line, '--html', page]), line)
    }
})

const REFUSALS: readonly Reply[] = [
  { status: 400, text: JSON.stringify({ path: EVIL, error: EVIL }) },
  { status: 401, text: '{"error":{"toString":1}}' },
  {
    status: 404,
    text: `{"path":[${'['.repeat(100_000)}${']'.repeat(100_000)}],"error":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  },
  { status: 500, text: 'null' },
  { status: 201, text: '{}' },
  { status: 204, text: '' },
  { status: 304, text: '' },
]

test('a refusal is printed on one line, with its control characters escaped, whatever is under its error', async (t) => {
  let reply = REFUSALS[0]!
  const run = await hostile(t, () => reply)
  const [first, ...others] = REFUSALS
  for (reply of [first!])
    for (const line of await commandLines(mkdtempSync(join(tmpdir(), 'hostile-')))) assertRefused(await run(line), line)
  for (reply of others) assertRefused(await run(['token', 'list']), ['token', 'list', String(reply.status)])
})

function assertRefused(ended: EndedCommand, line: readonly string[]): void {
  assertHarmless(ended, line)
  assert.equal(ended.code, 1, `${line.join(' ')}: ${ended.stderr}`)
  assert.match(ended.stderr, /^laurel: .+\n$/, line.join(' '))
}

const ENDLESS = 'without end'
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** What is sent over the connection instead of a response, and the exit code. */
const NO_HTTP: readonly (readonly [name: string, bytes: string, code: number])[] = [
  ['nothing', '', 3],
  ['another protocol', '\u001b[2J\u0000\u0001', 3],
  ['half an answer', `${HEAD}content-length: 100\r\n\r\n{"tokens":`, 3],
  ['another protocol from now on', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 3],
  ['a redirect with control characters', 'HTTP/1.1 302 Found\r\nlocation: http://x/\u009b31m\u0085\r\n\r\n', 1],
  ['a broken compression', `${HEAD}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`, 1],
]

test('a command ends with a sentence if what answers does not speak HTTP, breaks off, or never ends', async (t) => {
  let bytes = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      if (bytes !== ENDLESS) return void socket.end(Buffer.from(bytes, 'latin1'))
      socket.write(`${HEAD}\r\n`)
      const more = () => {
        while (socket.writable && socket.write(' '.repeat(2 ** 20)));
      }
      socket.on('drain', more)
      more()
    })
  })
  const url = await listening(t, server)
  const data = await newDataDirectory(t)
  const run = () => runCommand(['token', 'list', '--url', url], { LAUREL_DATA: data, LAUREL_TOKEN: TOKEN })
  for (const [name, sent, code] of [...NO_HTTP, ['an endless answer', ENDLESS, 3] as const]) {
    bytes = sent
    const ended = await run()
    assertHarmless(ended, [name])
    assert.equal(ended.code, code, `${name}: ${ended.stderr}`)
    assert.match(ended.stderr, /^laurel: .+\n$/, name)
  }
})
