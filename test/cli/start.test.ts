import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { json } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { anOrder, aPlayer } from '../support/builders.ts'
import { emptyTestDatabase, testDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import {
  type Ended,
  type Environment,
  launchService,
  runProcess,
  type ServiceOptions,
  startService,
  temporaryDirectory,
  tokenIn,
  usedDataDirectory,
} from '../support/service-process.ts'
import { openEmbeddedApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const run = promisify(execFile)

/** A service that is stopped after the test. */
async function started(t: TestContext, options: ServiceOptions) {
  const service = await startService(options)
  t.after(() => service.kill())
  return service
}

const serve = (env: Environment) => runProcess(['serve'], { env: { PORT: '0', ...env } })

function assertOneLine({ code, stderr }: Ended, expectedCode: number, expected: RegExp): void {
  assert.match(stderr, /^laurel: [^\n]+\n$/)
  assert.match(stderr, expected)
  assert.equal(code, expectedCode)
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

// Awaited at the end of this file: the service tries for a minute, while the other tests run.
const withoutServer = serve({ DATABASE_URL: 'postgres://laurel:geheim@127.0.0.1:9/laurel', LAUREL_DATA: 'nowhere' })

test('the first start of an empty directory prints the address, where the token is, and two commands that work as they are', async (t) => {
  const cwd = temporaryDirectory(t)
  const data = join(cwd, "the shop's data")
  const service = await started(t, { data: basename(data), cwd, token: '' })
  const token = tokenIn(data)
  const greeting = service.stdout()
  assert.match(greeting, new RegExp(`^Laurel is ready at ${service.url}$`, 'm'))
  assert.match(greeting, /^The first token, with every scope, is in the shop's data\/token$/m)
  assert.ok(!`${greeting}${service.stderr()}`.includes(token), 'the token itself is not printed')
  assert.deepEqual([modeOf(data), modeOf(join(data, 'token'))], ['700', '600'])
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('token')),
    ['token'],
  )

  const commands = greeting.split('\n').filter((line) => line.startsWith('curl '))
  assert.equal(commands.length, 2)
  const pasted = commands.map((command) => `${command} --silent --show-error -w '\\n%{http_code}\\n'`).join('\n')
  const { stdout } = await run('bash', ['-e', '-c', pasted], { cwd })
  assert.deepEqual(stdout.match(/^\d{3}$/gm), ['200', '200'])
  assert.match(stdout, /"total_points":[1-9]/)

  const second = await serve({ LAUREL_DATA: data })
  assertOneLine(second, 2, new RegExp(`the data directory ${data} is in use by process ${service.pid}:`))
  assert.equal((await service.stop()).code, 0)
})

test('every later start is quick and prints neither a greeting nor a secret', async (t) => {
  const data = await usedDataDirectory(t)
  const token = tokenIn(data)
  const service = await started(t, { data })
  t.diagnostic(`ready ${service.readyMs} ms after the start of the process`)
  assert.equal((await service.ask('/api/admin/tokens')).status, 200)
  const { code, stdout, stderr } = await service.stop()
  assert.equal(code, 0)
  assert.equal(stderr, '')
  assert.ok(!stdout.includes(token) && !stdout.includes('Laurel is ready'))
  assert.deepEqual(readdirSync(data).sort(), ['lock.sqlite', 'log-position', 'pglite', 'token'])
})

test('a wrong setting stops the start with one line that says what is expected', async (t) => {
  const LAUREL_DATA = join(temporaryDirectory(t), 'data')
  const [port, gone, url, level] = await Promise.all([
    serve({ LAUREL_DATA, PORT: 'abc' }),
    serve({ LAUREL_DATA, AMOUNT_DECIMALS: '2' }),
    serve({ LAUREL_DATA, DATABASE_URL: 'mysql://root:geheim@db' }),
    serve({ LAUREL_DATA, LOG_LEVEL: 'loud' }),
  ])
  assertOneLine(port, 2, /PORT is "abc", expected an integer between 0 and 65535/)
  assertOneLine(
    gone,
    2,
    /AMOUNT_DECIMALS is no longer a setting: .*`npx --no laurel program show > .*add the line `money: \{ decimals: 2 \}`/,
  )
  assertOneLine(url, 2, /DATABASE_URL .* expected a URL like postgres:/)
  assert.ok(!url.stderr.includes('geheim'))
  assertOneLine(level, 2, /LOG_LEVEL is "loud", expected one of fatal, /)
  assert.throws(() => statSync(LAUREL_DATA), 'nothing was created')
})

test('the steps that a start with AMOUNT_DECIMALS prints work as printed, without a running service (decision 69)', async (t) => {
  const directory = temporaryDirectory(t)
  const env = { LAUREL_DATA: await usedDataDirectory(t), AMOUNT_DECIMALS: '2' }
  const file = join(directory, 'program.yaml')
  const { stderr } = await serve(env)
  const line = /add the line `([^`]+)`/.exec(stderr)![1]
  const { stdout } = await runCommand(['program', 'show'], env)
  writeFileSync(file, `${stdout}${line}\n`)
  const published = await runCommand(['program', 'publish', file], env)
  assert.equal(published.code, 0, published.stderr)
  const app = await openEmbeddedApp(t, { data: env.LAUREL_DATA })
  assert.equal((await app.predict(anOrder({ total_amount: '1200.50' }))).status, 200)
  await app.stop()
})

test('a port in use, or an address of another machine, stops the start with one line', async (t) => {
  const env = { LAUREL_DATA: join(temporaryDirectory(t), 'data'), DATABASE_URL: await testDatabase(t) }
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  assertOneLine(await serve({ ...env, PORT: String(port) }), 2, new RegExp(`port ${port} at 127.0.0.1 is in use`))
  assertOneLine(await serve({ ...env, HOST: '192.0.2.1' }), 2, /cannot listen at 192\.0\.2\.1 .*check HOST and PORT/)
})

test('SIGTERM lets a request in progress finish, refuses new ones, and exits with 0', async (t) => {
  const service = await started(t, { data: await usedDataDirectory(t) })
  const players = Array.from({ length: 3_000 }, (_, n) => aPlayer({ User_id: `u-${n}` }))
  const headers = { token: tokenIn(service.data), 'content-type': 'application/json', expect: '100-continue' }
  const upsert = request(`${service.url}/api/integration/players`, { method: 'POST', headers })
  const answered = once(upsert, 'response')
  upsert.flushHeaders()
  await once(upsert, 'continue') // The service has it.
  const ending = service.stop()
  await eventually('it is stopping', () => service.stdout().includes('service-stopping'))
  const isReady = await fetch(`${service.url}/readyz`).then(
    ({ status }) => status,
    () => 'refused',
  )
  assert.ok(isReady === 503 || isReady === 'refused', `/readyz: ${isReady}`)
  assert.ok(!service.stdout().includes('service-stopped'), 'the upsert is still in progress')
  upsert.end(JSON.stringify({ data: players }))
  const [response] = await answered
  assert.equal(response.statusCode, 200)
  assert.equal(((await json(response)) as { inserted: number }).inserted, players.length)
  const { code, stdout, stderr } = await ending
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /service-stopped/)

  const shown = await runCommand(['player', 'show', 'u-2999'], { LAUREL_DATA: service.data })
  assert.equal(shown.code, 0, shown.stderr)
})

test('after SIGTERM the port stays open for STOP_DELAY_MS and answers, while /readyz says 503; SIGINT does not wait (decision 113)', async (t) => {
  const env = { STOP_DELAY_MS: '600000', DATABASE_URL: await testDatabase(t) }
  const data = join(temporaryDirectory(t), 'data')
  const service = await started(t, { data, env })
  process.kill(service.pid, 'SIGTERM')
  await eventually('it is not ready', async () => (await service.ask('/readyz')).status === 503)
  const { status, headers } = await service.ask('/api/admin/tokens', { headers: { connection: 'keep-alive' } })
  assert.deepEqual([status, headers.get('connection')], [200, 'close'])
  // One that comes with the first is the same, passed on by npm; a later one ends the service at once.
  const again = setInterval(() => process.kill(service.pid, 'SIGTERM'), 100)
  const { code } = await service.ended.finally(() => clearInterval(again))
  assert.equal(code, 1)

  const other = await started(t, { data, env })
  assert.equal((await other.stop('SIGINT')).code, 0)
})

/** How far a first start has come, as its data directory shows. */
const MOMENTS: Readonly<Record<string, (data: string) => boolean>> = {
  'its directory is made': (data) => existsSync(join(data, 'pglite/unfinished')),
  'its files are written': (data) => existsSync(join(data, 'pglite/PG_VERSION')),
  'its database is whole': (data) => existsSync(join(data, 'pglite')) && !existsSync(join(data, 'pglite/unfinished')),
  'its token is written': (data) => readdirSync(data).some((name) => name.startsWith('token')),
}
const LATER_MS_MAX = 200

test('a first start killed at any moment is completed by the next one, with a token that works', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  for (const [moment, hasCome] of Object.entries(MOMENTS)) {
    const start = launchService({ data })
    await eventually(moment, () => hasCome(data))
    const laterMs = Math.round(Math.random() * LATER_MS_MAX)
    await sleep(laterMs)
    t.diagnostic(`killed ${laterMs} ms after ${moment}`)
    await start.kill()
  }
  const service = await started(t, { data })
  assert.equal((await service.ask('/api/admin/tokens')).body.tokens.length, 1)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('token')),
    ['token'],
  )
  assert.equal((await service.stop()).code, 0)
})

test('a first start killed between the commit of its token and the renaming of the file leaves that token valid', async (t) => {
  const data = await usedDataDirectory(t)
  const token = tokenIn(data)
  const [, id] = token.split('_')
  renameSync(join(data, 'token'), join(data, `token.${id}`))
  copyFileSync(join(data, `token.${id}`), join(data, 'token.0123456789ab')) // Left by a start that was killed at an earlier point.
  const service = await started(t, { data })
  assert.match(service.stdout(), /^The first token/m)
  assert.equal(tokenIn(data), token)
  assert.equal((await service.ask('/api/admin/tokens')).status, 200)
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('token')),
    ['token'],
  )
  await service.stop()
})

/** Digests of the tokens in a database, as hex. */
async function digestsIn(url: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ digest: string }>("select encode(digest, 'hex') as digest from tokens")
  await client.end()
  return rows.map(({ digest }) => digest)
}

test('an empty PostgreSQL database gets its first token too', async (t) => {
  const url = await emptyTestDatabase(t)
  const data = join(temporaryDirectory(t), 'data')
  const service = await started(t, { data, env: { DATABASE_URL: url } })
  assert.match(service.stdout(), /^The first token, with every scope, is in .*data\/token$/m)
  assert.deepEqual([modeOf(data), modeOf(join(data, 'token'))], ['700', '600'])
  assert.deepEqual(await digestsIn(url), [hash('sha256', tokenIn(data))])
  assert.equal((await service.ask('/api/admin/tokens')).status, 200)
  assert.equal((await service.stop()).code, 0)
})

for (const shared of [false, true]) {
  const whose = shared ? 'sharing their data directory' : 'each with a data directory of its own'
  test(`two services that start on one empty PostgreSQL database at the same time come up with one token, ${whose}`, async (t) => {
    const url = await emptyTestDatabase(t)
    const directory = temporaryDirectory(t)
    const options = ['a', 'b'].map((name): ServiceOptions => {
      return { data: join(directory, shared ? 'both' : name), env: { DATABASE_URL: url }, token: '' }
    })
    const services = await Promise.all(options.map((one) => started(t, one)))
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    const tokens = files.filter((name) => basename(name).startsWith('token'))
    assert.equal(tokens.length, 1, tokens.join())
    const token = readFileSync(join(directory, tokens[0]!), 'utf8').trim()
    assert.deepEqual(await digestsIn(url), [hash('sha256', token)])
    for (const service of services) {
      const answersIt = async () => (await service.ask('/api/admin/tokens', { headers: { token } })).status === 200
      await eventually('the service that lost the race accepts the token of the other', answersIt)
      assert.equal((await service.stop()).code, 0)
    }
  })
}

test('a data directory that cannot be created stops the start with one line', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'file')
  writeFileSync(file, '')
  assertOneLine(await serve({ LAUREL_DATA: join(file, 'data') }), 2, /file\/data/)
})

test('without its PostgreSQL server the start gives up after a minute with one line and exit code 3', async () => {
  const ended = await withoutServer
  assertOneLine(ended, 3, /the database cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:9\)/)
  assert.ok(!`${ended.stdout}${ended.stderr}`.includes('geheim'))
})
