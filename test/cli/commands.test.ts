import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import test, { describe, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer, aProduct, without } from '../support/builders.ts'
import { emptyTestDatabase, testDatabase } from '../support/databases.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { runOnce } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'
import {
  type Ended,
  type ServiceProcess,
  startService,
  temporaryDirectory,
  tokenIn,
  usedDataDirectory,
} from '../support/service-process.ts'
import { eventually, withinASecond } from '../support/waiting.ts'

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function assertOneLine({ code, stdout, stderr }: Ended, expectedCode: number, expected: RegExp): void {
  assert.match(stderr, /^laurel: [^\n]+\n$/)
  assert.match(stderr, expected)
  assert.deepEqual([code, stdout], [expectedCode, ''])
}

/** The output of a command that succeeded. */
async function printed(...given: Parameters<typeof runCommand>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(...given)
  assert.equal(code, 0, stderr)
  return stdout
}

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const csvOf = (records: readonly object[]) =>
  [Object.keys(records[0]!), ...records.map((record) => Object.values(record))]
    .map((cells) => `${cells.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join()}\n`)
    .join('')

test('no command but serve and migrate creates or upgrades a database (decision 65)', async (t) => {
  const data = join(temporaryDirectory(t), 'mistyped')
  const url = await emptyTestDatabase(t)
  const program = join(temporaryDirectory(t), 'program.yaml')
  writeFileSync(program, STARTER_PROGRAM)
  const players = join(temporaryDirectory(t), 'players.csv')
  writeFileSync(players, csvOf([aPlayer()]))
  const commandLines = [
    ['ledger', 'verify'],
    ['predictions', 'report'],
    ['program', 'backtest', program],
    ['token', 'list'],
    ['token', 'create', 'shop', '--scope', 'predict'],
    ['player', 'show', 'u-1'],
    ['program', 'publish', program],
    ['import', 'players', players],
  ]
  const runWith = (args: readonly string[], env: Record<string, string>) =>
    runCommand(args, { LAUREL_DATA: data, ...env })
  for (const args of commandLines)
    assertOneLine(
      await runWith(args, {}),
      2,
      /no database in .*mistyped and no service running: set LAUREL_DATA, or run laurel serve to create one$/m,
    )
  assert.equal(existsSync(data), false)
  for (const args of commandLines)
    assertOneLine(await runWith(args, { DATABASE_URL: url }), 2, /no Laurel tables in the database: /)
  await printed(['migrate'], { DATABASE_URL: url })
  await runOnce(url, 'delete from laurel_schema_version where version > 7')
  for (const args of commandLines)
    assertOneLine(await runWith(args, { DATABASE_URL: url }), 2, /version 7 is older than this release requires /)
})

test('a server without TLS, where TLS is required, is reported in one sentence with exit code 3', async (t) => {
  const server = createTcpServer((socket) => socket.once('data', () => socket.end('N'))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  for (const mode of ['require', 'verify-full', 'no-verify']) {
    const url = `postgres://laurel@127.0.0.1:${port}/laurel?sslmode=${mode}`
    assertOneLine(
      await runCommand(['token', 'list'], { DATABASE_URL: url }),
      3,
      /TLS connection to the database failed .*\(The server does not support SSL/,
    )
  }
})

test('every command has help', async () => {
  const script = await printed(['completion', 'bash'])
  const commands = [...script.matchAll(/^ {4}"([\w -]*)"\) words=/gm)].map(([, path]) => path!)
  assert(commands.length > 50)
  for (const command of commands) {
    const stdout = await printed([...command.split(' ').filter(Boolean), '--help'])
    assert(stdout.startsWith(`Usage: laurel ${command === '' ? '' : `${command} `}[options]`), command)
  }
})

test('every command that prints takes --json', async () => {
  const script = await printed(['completion', 'bash'])
  const options = [...script.matchAll(/^ {4}"([\w -]+)"\) words="([^"]*)" ;;$/gm)].map(([, path, words]) => ({
    path,
    words,
  }))
  const leaves = options.filter(({ path }) => !options.some((other) => other.path!.startsWith(`${path} `.trimStart())))
  assert(leaves.length > 30)
  const without = leaves.filter(({ words }) => !words!.split(' ').includes('--json')).map(({ path }) => path)
  // They log, print NDJSON in any case, and print a script.
  assert.deepEqual(without, ['serve', 'player export', 'completion'])
})

test('an unknown command is refused with one line and exit code 2', async () => {
  const wrong = { imprt: /unknown command 'imprt' \(Did you mean import\?\)/, 'token nonsense': /unknown command/ }
  const lacking = { 'token create x': /--scope/, 'import players': /'file'/, 'config --loud': /unknown option/ }
  await Promise.all(
    Object.entries({ ...wrong, ...lacking }).map(async ([command, expected]) =>
      assertOneLine(await runCommand(command.split(' ')), 2, expected),
    ),
  )
})

test('a command whose output is no longer read exits quietly', async () => {
  for (const args of [['config'], ['config', '--json'], ['--help'], ['completion', 'bash']]) {
    const child = spawn(process.execPath, [join(PROJECT, 'src/cli/main.ts'), ...args])
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([textOf(child.stderr), once(child, 'close')])
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  }
})

test('config prints every setting with value, unit and origin, and no secret', async () => {
  const env = {
    PORT: '9000',
    DATABASE_URL: 'postgres://laurel:geheim@db/laurel',
    LAUREL_TOKEN: 'laurel_secret',
    TRUSTED_PROXIES: '10.0.0.5,10.1.0.0/16',
  }
  const [lines, json] = await Promise.all([printed(['config'], env), printed(['config', '--json'], env)])
  assert.match(lines, /^PORT +9000 +port +environment +port to listen on/m)
  assert.match(lines, /^LOG_LEVEL +info +word +default /m)
  assert.match(lines, /^DATABASE_URL +\(set, not shown\) +URL +environment /m)
  assert.ok(!/geheim|laurel_secret/.test(lines + json))
  const settings = JSON.parse(json) as { name: string; value: string; unit: string; origin: string }[]
  assert.equal(settings.length, lines.trimEnd().split('\n').length - 1)
  assert.deepEqual(
    settings.find(({ name }) => name === 'TRUSTED_PROXIES'),
    {
      ...settings.find(({ name }) => name === 'TRUSTED_PROXIES'),
      value: '10.0.0.5,10.1.0.0/16',
      unit: 'addresses',
      origin: 'environment',
    },
  )
  assertOneLine(await runCommand(['config'], { PORT: '70000' }), 2, /PORT is "70000"/)
})

const createBoss = ['token', 'create', 'boss', '--scope', 'admin', '--expires', '2099-01-01T00:00:00Z']

/** The life cycle of a token, by commands run with `env`. Returns the id of a revoked one. */
async function walkTokens(env: Record<string, string>): Promise<string> {
  const created = await runCommand(['token', 'create', 'till 7', '--scope', 'predict,players'], env)
  assert.deepEqual([created.code, created.stdout.trim().length], [0, 71], created.stderr)
  const expected = /^token [0-9a-f]{12} \(till 7\) for predict, players, without expiry; shown only once:\n$/
  assert.match(created.stderr, expected)
  const id = created.stdout.split('_')[1]!

  const rotated = await printed(['token', 'rotate', id], env)
  const newId = rotated.split('_')[1]!
  assert.notEqual(newId, id)
  assert.match(await printed(['token', 'revoke', newId], env), new RegExp(`^token ${newId} is revoked`))
  const listed = await printed(['token', 'list'], env)
  for (const one of [id, newId])
    assert.match(listed, new RegExp(`^${one} +till 7 +predict,players +\\S+ +never +revoked \\S+$`, 'm'))
  assert.ok(!listed.includes(rotated.trim()))
  return newId
}

test('a usage error points to the most specific help', async () => {
  const [top, sub, leaf] = await Promise.all([
    runCommand(['nonsense']),
    runCommand(['token', 'nonsense']),
    runCommand(['token', 'create', 'x']),
  ])
  assertOneLine(top, 2, /\(see laurel --help\)/)
  assertOneLine(sub, 2, /\(see laurel token --help\)/)
  assertOneLine(leaf, 2, /\(see laurel token create --help\)/)
})

test('commands and options are completed in bash; zsh and fish have scripts too', async () => {
  const [bash, zsh, fish, other] = await Promise.all(
    ['bash', 'zsh', 'fish', 'tcsh'].map((shell) => runCommand(['completion', shell])),
  )
  const complete = (...words: string[]) =>
    execFileSync(
      'bash',
      [
        '-c',
        `eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _laurel; echo "\${COMPREPLY[@]}"`,
        'x',
        bash!.stdout,
        'laurel',
        ...words,
      ],
      { encoding: 'utf8' },
    ).trim()
  assert.equal(complete('tok'), 'token')
  assert.equal(complete('token', 'r'), 'revoke rotate')
  assert.equal(complete('token', 'create', 'shop', '--s'), '--scope')
  assert.equal(complete('import', 'players', 'my'), '')
  assert.equal(complete('import', 'pl'), 'players')
  assert.match(zsh!.stdout, /^ {4}"token"\) wanted=\('create:create a token and show it, once' /m)
  assert.match(
    zsh!.stdout,
    /^ {4}"import"\) wanted=\(players products orders balances all\); flags=\(--url --dry-run /m,
  )
  // zsh keeps the paths of programs, and the words being completed, in variables of these names.
  assert.doesNotMatch(zsh!.stdout, /local[^\n]* (?:path|words)\b/)
  assert.match(fish!.stdout, /^complete -c laurel -n '__fish_seen_subcommand_from token; and not .*' -f -a create /m)
  assertOneLine(other!, 2, /unknown shell "tcsh", expected one of bash, zsh, fish/)
})

describe('without a service', () => {
  test('commands access tokens, players and the program directly in the embedded database', async (t) => {
    const data = await usedDataDirectory(t)
    const env = { LAUREL_DATA: data }
    await walkTokens(env)
    const boss = (await printed(createBoss, env)).trim()
    const program = await printed(['program', 'show'], env)
    assert.deepEqual(parse(program), parse(STARTER_PROGRAM))
    assertOneLine(await runCommand(['player', 'show', 'u-1'], env), 1, /player u-1 not found/)

    const service = await startService({ data, token: boss })
    t.after(() => service.kill())
    assert.equal(
      (await service.ask('/api/admin/tokens')).status,
      200,
      'a token that a command created is valid in the service',
    )
    // A service that was killed leaves its address file behind; the commands find no service at that address.
    await service.kill()
    assert.ok(existsSync(join(data, 'service.json')))
    assert.match(await printed(['token', 'list'], env), / boss +admin /)
  })

  test('migrate brings a database up to date, and says so when there is nothing to do', async (t) => {
    const env = { DATABASE_URL: await emptyTestDatabase(t), LAUREL_DATA: join(temporaryDirectory(t), 'data') }
    assert.match(await printed(['migrate'], env), /^applied: 1 players, 2 products, /)
    assert.equal(await printed(['migrate'], env), 'the schema is up to date\n')
    assert.ok(!existsSync(env.LAUREL_DATA))
  })

  test('a mistyped import opens no database', async (t) => {
    const directory = temporaryDirectory(t)
    const env = { LAUREL_DATA: join(directory, 'data') }
    const file = join(directory, 'players.ndjson')
    writeFileSync(file, '{}\n')
    const [noun, missing, ending, folder, same] = await Promise.all([
      runCommand(['import', 'levels', file], env),
      runCommand(['import', 'players', join(directory, 'none.csv')], env),
      runCommand(['import', 'players', join(directory, 'players.xlsx')], env),
      runCommand(['import', 'players', directory], env),
      runCommand(['import', 'players', file, '--skipped', file], env),
    ])
    assertOneLine(noun, 2, /unknown record type "levels", expected one of players, products, orders, balances/)
    assertOneLine(missing, 2, /none\.csv: file not found/)
    assertOneLine(ending, 2, /players\.xlsx: expected a name that ends in \.csv, /)
    assertOneLine(folder, 2, /expected a name that ends in/)
    assertOneLine(same, 2, /is the file to import/)
    assert.ok(!existsSync(env.LAUREL_DATA))
    assert.equal(readFileSync(file, 'utf8'), '{}\n')
  })
})

test('two services on one PostgreSQL database refuse a revoked token within a second, and the command that revokes it needs neither', async (t) => {
  const directory = temporaryDirectory(t)
  const env = { DATABASE_URL: await testDatabase(t) }
  const first = await startService({ data: join(directory, 'a'), env })
  t.after(() => first.kill())
  const second = await startService({ data: join(directory, 'b'), env, token: 'none yet' })
  t.after(() => second.kill())
  const command = { ...env, LAUREL_DATA: join(directory, 'c') }
  const token = (await printed(['token', 'create', 'till', '--scope', 'admin'], command)).trim()
  const [, id] = token.split('_')
  const responses = async () =>
    Promise.all([first, second].map(async ({ ask }) => (await ask('/api/admin/tokens', { headers: { token } })).status))
  await eventually('both accept the token', async () => (await responses()).every((status) => status === 200))
  const revoked = await first.ask(`/api/admin/tokens/${id}/revoke`, { method: 'POST' })
  assert.equal(revoked.status, 200)
  assert.equal((await first.ask('/api/admin/tokens', { headers: { token } })).status, 401)
  await withinASecond('both refuse it', async () => (await responses()).every((status) => status === 401))
  assert.ok(!existsSync(command.LAUREL_DATA))
})

describe('with a running service', () => {
  let shared: Promise<{ service: ServiceProcess; env: { LAUREL_DATA: string } }> | undefined

  /** One service shared by these tests. */
  function running(t: TestContext) {
    shared ??= (async () => {
      const suite = { after: (end: () => void) => void atEnd.push(end) }
      const data = await usedDataDirectory(suite)
      return { service: await startService({ data }), env: { LAUREL_DATA: data } }
    })()
    return shared.then((both) => ({ ...both, directory: temporaryDirectory(t) }))
  }
  const atEnd: (() => void)[] = []
  test.after(async () => {
    await (await shared)?.service.stop()
    for (const end of atEnd) end()
  })

  test('tokens are created, listed, rotated and revoked through it', async (t) => {
    const { env } = await running(t)
    const revoked = await walkTokens(env)
    const [unknown, twice, scope, past] = await Promise.all([
      runCommand(['token', 'revoke', 'nonsense'], env),
      runCommand(['token', 'rotate', revoked], env),
      runCommand(['token', 'create', 'x', '--scope', 'everything'], env),
      runCommand(['token', 'create', 'x', '--scope', 'admin', '--expires', '2020-01-01T00:00:00Z'], env),
    ])
    assertOneLine(unknown, 1, /token nonsense not found/)
    assertOneLine(twice, 1, /valid token .* not found/)
    assertOneLine(scope, 1, /"everything"/)
    assertOneLine(past, 1, /expires_at: expected a timestamp in the future/)
  })

  test('a token that a command created is valid at once, and is refused at once after it is revoked', async (t) => {
    const { service, env } = await running(t)
    const boss = (await printed(createBoss, env)).trim()
    const listed = JSON.parse(await printed(['token', 'list', '--json'], env)) as { name: string }[]
    assert.equal(listed[0]!.name, 'boss')
    const { body, status } = await service.ask('/api/admin/tokens', { headers: { token: boss } })
    assert.equal(status, 200)
    const { id } = body.tokens.find(({ name }: { name: string }) => name === 'boss')
    await printed(['token', 'revoke', id], { ...env, LAUREL_TOKEN: boss })
    assert.equal((await service.ask('/api/admin/tokens', { headers: { token: boss } })).status, 401)
    const refused = await runCommand(['token', 'list'], { ...env, LAUREL_TOKEN: boss })
    assertOneLine(refused, 1, /missing or invalid token/)
    const cut = await runCommand(['token', 'list'], { ...env, LAUREL_TOKEN: boss.slice(1) })
    assertOneLine(cut, 2, /token file is incomplete/)
    const elsewhere = { LAUREL_DATA: join(env.LAUREL_DATA, 'none') }
    assertOneLine(await runCommand(['token', 'list', '--url', service.url], elsewhere), 2, /no token: set LAUREL_TOKEN/)
    const away = await runCommand(['token', 'list', '--url', 'http://127.0.0.1:9'], env)
    assertOneLine(away, 3, /no response from http:\/\/127\.0\.0\.1:9 \(\w/)
    assertOneLine(await runCommand(['token', 'list', '--url', 'nonsense'], env), 2, /invalid service URL "nonsense"/)
  })

  test('a token may expire after a time, and a rotated one may stay valid for a while', async (t) => {
    const { service, env } = await running(t)
    const make = async (...more: string[]) =>
      JSON.parse(await printed(['token', 'create', 'brief', '--scope', 'predict', '--json', ...more], env))
    const brief = await make('--expires', '30d')
    const days = (Date.parse(brief.expires_at) - Date.now()) / 86_400_000
    assert(days > 29.9 && days < 30.1, brief.expires_at)
    const old = await make()
    const fresh = JSON.parse(await printed(['token', 'rotate', old.id, '--overlap', '24h', '--json'], env))
    for (const { token } of [old, fresh]) {
      const { status } = await service.ask('/api/predictions/orders', {
        method: 'POST',
        body: { data: anOrder() },
        headers: { token },
      })
      assert.equal(status, 200)
    }
    const listed = JSON.parse(await printed(['token', 'list', '--json'], env)) as { id: string; expires_at: string }[]
    const endsAt = listed.find(({ id }) => id === old.id)!.expires_at
    assert(Math.abs(Date.parse(endsAt) - Date.now() - 86_400_000) < 600_000, endsAt)
    assert.equal(fresh.expires_at, null)
    assertOneLine(
      await runCommand(['token', 'rotate', fresh.id, '--overlap', '60d'], env),
      1,
      /query\.overlap: expected a duration/,
    )
    assertOneLine(
      await runCommand(['token', 'create', 'x', '--scope', 'predict', '--expires', 'soon'], env),
      2,
      /--expires/,
    )
  })

  test('the last token with the scope admin is not revoked unless that is confirmed', async (t) => {
    const { service, env } = await running(t)
    const { body } = await service.ask('/api/admin/tokens')
    const [first] = body.tokens.filter(
      ({ scopes, revoked_at }: { scopes: string[]; revoked_at: string | null }) =>
        scopes.includes('admin') && revoked_at === null,
    )
    assertOneLine(
      await runCommand(['token', 'revoke', first.id], env),
      2,
      /the last one with the scope admin: .* add --yes/,
    )
    assert.equal((await service.ask('/api/admin/tokens')).status, 200)
    const second = JSON.parse(await printed(['token', 'create', 'second', '--scope', 'admin', '--json'], env))
    assert.match(await printed(['token', 'revoke', second.id], env), /is revoked/)
  })

  test('a player is adjusted once, however often the command runs with one id', async (t) => {
    const { service, env } = await running(t)
    await service.upsert('players', [aPlayer({ User_id: 'adjusted' })])
    const adjust = (points: string, ...more: string[]) =>
      printed(['player', 'adjust', 'adjusted', points, '--reason', 'sorry', ...more], env)
    assert.match(await adjust('50', '--id', 'a-1'), /^player adjusted is adjusted \(a-1\): 50 points, level Bronze\n$/)
    assert.match(await adjust('50', '--id', 'a-1'), /was adjusted before \(a-1\): 50 points/)
    assert.match(await adjust('-20', '--no-level'), /is adjusted \([\w-]{36}\): 30 points/)
    const { body } = await service.ask('/api/players/adjusted')
    assert.deepEqual([body.points, body.earned], [30, 50])
    assertOneLine(await runCommand(['player', 'adjust', 'adjusted', 'x', '--reason', 'x'], env), 1, /data\.points: /)
  })

  test('a player is exported as NDJSON, and erased once somebody agrees', async (t) => {
    const { service, env } = await running(t)
    await service.upsert('players', [aPlayer({ User_id: 'leaving@example.com', Refercode: '' })])
    const [header, player] = (await printed(['player', 'export', 'leaving@example.com'], env)).trimEnd().split('\n')
    assert.equal(JSON.parse(header!).kind, 'header')
    assert.equal(JSON.parse(player!).record.email, 'asha@example.com')
    const erase = ['player', 'erase', 'leaving@example.com', '--reason', 'request 17']
    assert.match(await printed([...erase, '--dry-run'], env), /^dry run: nothing was changed\nthe ID would be replaced/)
    assertOneLine(await runCommand(erase, env), 2, /cannot be restored\. Nothing was changed; add --yes to do it/)
    assert.match(await printed([...erase, '--yes'], env), /^the player is erased\nnew ID: erased-[\w-]{20}\nblanked: /)
    assert.match(await printed([...erase, '--yes'], env), /^the player was erased before/)
  })

  test('points are redeemed, given back in parts and as a whole, each once however often the command runs', async (t) => {
    const data = await usedDataDirectory(t)
    const service = await startService({ data })
    t.after(() => service.stop())
    const env = { LAUREL_DATA: data }
    await service.upsert('players', [aPlayer({ User_id: 'saver' })])
    await printed(['program', 'publish', join(PROJECT, 'examples/programs/wallet.yaml')], env)
    await printed(['player', 'adjust', 'saver', '900', '--reason', 'a gift'], env)
    const redeem = () => printed(['player', 'redeem', 'saver', '500', '--id', 'r-1', '--reason', 'tea'], env)
    assert.equal(await redeem(), '500 points of saver: redemption r-1 is redeemed, 400 points are left\n')
    const undo = (...more: string[]) => printed(['player', 'void', 'saver', 'r-1', ...more], env)
    const part = ['--points', '200', '--reason', 'one cup came back']
    const left = '300 of it are left: 600 points can be spent'
    assert.equal(await undo(...part), `200 points of redemption r-1 of saver are voided, ${left}\n`)
    assert.equal(await undo(...part), `200 points of redemption r-1 of saver were voided before, ${left}\n`)
    assert.match(await redeem(), /redemption r-1 was redeemed before/)
    assert.equal(
      await undo('--reason', 'all came back'),
      'redemption r-1 of saver is voided: 900 points can be spent\n',
    )
    assert.match(await undo('--reason', 'all came back'), /redemption r-1 of saver was voided before: 900 points/)
  })

  test('a redirect is reported and not followed, so that no token goes to another address', async (t) => {
    const { service, env } = await running(t)
    const seen: unknown[] = []
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers.token)
      response.end('{}')
    })
    const redirecting = createServer((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${portOf(elsewhere)}/` }).end(),
    )
    for (const server of [elsewhere, redirecting]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      t.after(() => server.close())
    }
    const url = `http://127.0.0.1:${portOf(redirecting)}`
    const moved = await runCommand(['token', 'list', '--url', url], { ...env, LAUREL_TOKEN: tokenIn(service.data) })
    assertOneLine(moved, 1, /redirects to http:\/\/127\.0\.0\.1:\d+\/: pass that URL with --url/)
    assert.deepEqual(seen, [])
  })

  test('escape sequences in names, columns and answers are escaped, not sent to the terminal', async (t) => {
    const { service, env, directory } = await running(t)
    const evil = '\u001b]0;evil\u0007\u009b2J'
    const escaped = '\\u001b]0;evil\\u0007\\u009b2J'
    const made = await runCommand(['token', 'create', evil, '--scope', 'predict'], env)
    assert(made.stderr.includes(`(${escaped})`), made.stderr)
    assert((await printed(['token', 'list'], env)).includes(escaped))
    const file = join(directory, 'evil.csv')
    writeFileSync(file, csvOf([{ ...aProduct({ product_sku_id: 'evil-1' }), [evil]: 'x' }]))
    const imported = await runCommand(['import', 'products', file], env)
    const answering = createServer((_, response) => response.writeHead(400).end(JSON.stringify({ error: evil })))
    await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve))
    t.after(() => answering.close())
    const answered = await runCommand(['token', 'list', '--url', `http://127.0.0.1:${portOf(answering)}`], {
      ...env,
      LAUREL_TOKEN: tokenIn(service.data),
    })
    assert(answered.stderr.includes(escaped), answered.stderr)
    for (const { stdout, stderr } of [made, imported, answered])
      assert.doesNotMatch(stdout + stderr, /(?![\t\n])\p{Cc}/u)
  })

  test('the file of records that an earlier import skipped stays until the service has accepted part of a new one', async (t) => {
    const { service, env, directory } = await running(t)
    const file = join(directory, 'later.csv')
    const target = join(directory, 'precious.ndjson')
    writeFileSync(file, csvOf([aProduct({ product_sku_id: 'later-1' })]))
    const precious = '{"line":2,"error":"expected JSON","record":"x"}\n'
    writeFileSync(target, precious)
    const args = ['import', 'products', file, '--skipped', target]
    const { body } = await service.ask('/api/admin/tokens', {
      method: 'POST',
      body: { data: { name: 'other', scopes: ['predict'] } },
    })
    assertOneLine(await runCommand(args, { ...env, LAUREL_TOKEN: body.token }), 1, /not have the scope products/)
    assert.equal(readFileSync(target, 'utf8'), precious)
    await printed(args, env)
    assert(!existsSync(target))
  })

  test('a player is shown as stored, control characters escaped', async (t) => {
    const { service, env } = await running(t)
    await service.upsert('players', [aPlayer({ User_id: 'a/b ü', Name: 'Asha\u001b[2J\nRao' })])
    const shown = await printed(['player', 'show', 'a/b ü', '--reveal'], env)
    assert.match(shown, /^user_id +a\/b ü$/m)
    assert.match(shown, /^name +Asha\\u001b\[2J\\u000aRao$/m)
    const json = JSON.parse(await printed(['player', 'show', 'a/b ü', '--reveal', '--json'], env))
    assert.equal(json.name, 'Asha\u001b[2J\nRao')
    assertOneLine(await runCommand(['player', 'show', 'nobody'], env), 1, /player nobody not found/)
  })

  test('players are found by id, e-mail address or referral code, masked without --reveal; orders and products are shown', async (t) => {
    const { service, env } = await running(t)
    await service.upsert('players', [
      aPlayer({ Email: 'find@example.com', Refercode: 'FIND' }),
      aPlayer({ User_id: 'u-2', Email: 'find@example.com', Refercode: 'FIND', Name: 'Ravi\u001b[2J', Phone: '' }),
    ])
    await service.upsert('products', [aProduct()])
    await service.upsert('orders', [anOrder()])
    for (const text of ['FIND@example.com', 'FIND']) {
      const found = await printed(['player', 'find', text], env)
      assert.match(
        found,
        /^user_id +name +email +phone +refer_code +updated_at\nu-1 +A••• R••• +f••• +••• +FIND .*\nu-2 /,
      )
    }
    assert.match(await printed(['player', 'find', 'u-2', '--reveal'], env), /^u-2 +Ravi\\u001b\[2J +find@example.com /m)
    const page = JSON.parse(await printed(['player', 'find', 'FIND', '--limit', '1', '--json'], env))
    assert.deepEqual([page.players.length, page.players[0].user_id], [1, 'u-1'])
    const next = ['player', 'find', 'FIND', '--limit', '1']
    assert.match(
      await printed(next, env),
      new RegExp(`\nmore: npx --no laurel player find FIND --after ${page.after}\n$`),
    )
    assert.match(await printed([...next, '--after', page.after], env), /^u-2 /m)
    const none = /player not found by ID, e-mail address, phone number \(with country code\) or referral code/
    assertOneLine(await runCommand(['player', 'find', '0'], env), 1, none)
    const order = await printed(['order', 'show', 'o-1'], env)
    assert.match(
      order,
      /^user_id +u-1\nstatus +placed\n[\s\S]*^points +120\n[\s\S]*^product +amount +qty\ntea +1200 +2\n$/m,
    )
    assert.equal(JSON.parse(await printed(['order', 'show', 'o-1', '--json', '--reveal'], env)).points, 120)
    assert.match(await printed(['product', 'show', 'tea'], env), /^sku +tea\nprice +4.5\n/)
    assert.equal(JSON.parse(await printed(['product', 'show', 'tea', '--json'], env)).price, '4.5')
    assertOneLine(await runCommand(['order', 'show', 'o-9'], env), 1, /order o-9 not found/)
    assertOneLine(await runCommand(['product', 'show', 'cup'], env), 1, /product cup not found/)
  })

  test('the program is shown as it was published, below a line that tells editors where the schema is (decision 164)', async (t) => {
    const { env } = await running(t)
    const shown = await printed(['program', 'show'], env)
    const [, address] = /^# yaml-language-server: \$schema=(http:.*)\n/.exec(shown)!
    assert.equal(shown.slice(shown.indexOf('\n') + 1), STARTER_PROGRAM)
    assert.equal((await fetch(address!)).status, 200)
  })

  test('players are imported from CSV; skipped ones are listed with line, field and reason', async (t) => {
    const { service, env, directory } = await running(t)
    const file = join(directory, 'players.csv')
    const good = { User_id: 'csv-1', Name: 'Rao, "Asha"', Add: '1 Main Road\r\nKochi' }
    const records = [
      aPlayer(good),
      aPlayer({ User_id: 'csv-2', Gender: 'other' }),
      aPlayer({ User_id: 'csv-3', Add: 'a\nb' }),
      aPlayer({ User_id: 'csv-4', DOB: '31-02-1990' }),
    ]
    writeFileSync(file, `\ufeff${csvOf(records)}csv-5,too few\n`)
    const { code, stdout, stderr } = await runCommand(['import', 'players', file], env)
    assert.equal(stderr, '')
    assert.equal(
      stdout,
      [
        '5 records read, 2 inserted, 0 updated, 0 unchanged, 3 skipped',
        '  1 x Gender: expected male or female (line 4: "other")',
        '  1 x DOB: expected a date that exists, DD-MM-YYYY (line 7: "31-02-1990")',
        '  1 x expected as many cells as in the first line (line 8)',
        '1 of them is valid under other settings (--dry-run shows what to type):',
        '  1 with players.genders with other',
        `skipped records and reasons: ${file}.skipped.ndjson\n`,
      ].join('\n'),
    )
    assert.equal(code, 4)
    const skipped = linesOf(`${file}.skipped.ndjson`)
    assert.deepEqual(
      skipped.map(({ line, field, error }) => [line, field, error]),
      [
        [4, 'Gender', 'expected male or female, got "other"'],
        [7, 'DOB', 'expected a date that exists, DD-MM-YYYY, got "31-02-1990"'],
        [8, undefined, 'expected as many cells as in the first line'],
      ],
    )
    const filled = Object.entries(records[1]!).filter(([, value]) => value !== '')
    assert.deepEqual(skipped[0].record, Object.fromEntries(filled))
    const { body } = await service.ask('/api/admin/players/csv-1?reveal=true')
    assert.deepEqual([body.name, body.address], ['Rao, "Asha"', '1 Main Road\r\nKochi'])

    writeFileSync(file, csvOf([aPlayer(good)]))
    assert.equal(
      await printed(['import', 'players', file], env),
      '1 record read, 0 inserted, 0 updated, 1 unchanged, 0 skipped\n',
    )
    assert.ok(!existsSync(`${file}.skipped.ndjson`), 'the skipped records of an earlier run are gone')
  })

  test('an unknown column is ignored, with a note on standard error', async (t) => {
    const { env, directory } = await running(t)
    const file = join(directory, 'products.csv')
    writeFileSync(file, csvOf([{ ...aProduct({ product_sku_id: 'col-1' }), Colour: 'green', Gtin: '1' }]))
    const { code, stdout, stderr } = await runCommand(['import', 'products', file], env)
    assert.deepEqual([code, stdout], [0, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n'])
    assert.match(stderr, /^laurel: unknown fields, ignored: "Colour", "Gtin"; fields not given: state_version\n$/)
  })

  test('the same records as CSV, JSON or NDJSON, compressed or not, are imported alike', async (t) => {
    const { service, env, directory } = await running(t)
    const records = (prefix: string) => [
      aProduct({ product_sku_id: `${prefix}-1` }),
      without(aProduct({ product_sku_id: `${prefix}-2` }), 'amount'),
      aProduct({ product_sku_id: `${prefix}-3`, amount: '7' }),
    ]
    const ndjson = (prefix: string) => records(prefix).map((one) => `${JSON.stringify(one)}\r\n`)
    const forms: Record<string, string | Buffer> = {
      'a.csv.gz': gzipSync('product_sku_id,amount\ncsv-1,4.50\ncsv-2,\ncsv-3,7\n'),
      'b.json': JSON.stringify(records('json')),
      'c.json.gz': gzipSync(JSON.stringify({ data: records('gz') })),
      'd.ndjson': `\ufeff${ndjson('nd').join('\n')}`,
      'e.jsonl.gz': gzipSync(ndjson('nz').join('')),
    }
    const tried = Object.entries(forms).map(async ([name, content]) => {
      const file = join(directory, name)
      writeFileSync(file, content)
      const { code, stdout, stderr } = await runCommand(['import', 'products', file], env)
      assert.match(stdout, /^3 records read, 2 inserted, 0 updated, 0 unchanged, 1 skipped\n/, name)
      assert.deepEqual([code, stderr], [4, ''], name)
      const [skipped] = linesOf(`${file}.skipped.ndjson`)
      // A JSON file has no meaningful lines, so records are counted.
      const line = { 'a.csv.gz': 3, 'd.ndjson': 3 }[name] ?? 2
      assert.deepEqual([skipped.line, skipped.field], [line, 'amount'], name)
    })
    await Promise.all(tried)
    const stored = ['csv', 'json', 'gz', 'nd', 'nz'].map((one) => aProduct({ product_sku_id: `${one}-3`, amount: 7 }))
    const { body } = await service.ask('/api/integration/products?dry_run=true', { body: { data: stored } })
    assert.equal(body.skipped, 5, 'each is stored with its price')
  })

  test('a line of NDJSON that is not JSON is skipped, and line separators that JSON allows inside a string do not end a line', async (t) => {
    const { service, env, directory } = await running(t)
    const file = join(directory, 'players.ndjson')
    const odd = aPlayer({ User_id: 'nd-1', Name: 'A\u2028B\u0085C' })
    writeFileSync(
      file,
      `${JSON.stringify(odd)}\n\n{"User_id": "nd-2"\n[1]\n${JSON.stringify(aPlayer({ User_id: 'nd-3' }))}`,
    )
    const { code, stdout } = await runCommand(['import', 'players', file, '--skipped', join(directory, 'bad')], env)
    assert.deepEqual(
      [code, stdout.split('\n')[0]],
      [4, '4 records read, 2 inserted, 0 updated, 0 unchanged, 2 skipped'],
    )
    const skipped = linesOf(join(directory, 'bad')).sort((a, b) => a.line - b.line)
    assert.deepEqual(
      skipped.map(({ line }) => line),
      [3, 4],
    )
    assert.deepEqual([skipped[0].error, skipped[0].record], ['invalid JSON', '{"User_id": "nd-2"'])
    assert.equal((await service.ask('/api/admin/players/nd-1?reveal=true')).body.name, odd.Name)
  })

  test('a dry run counts the same and writes nothing', async (t) => {
    const { service, env, directory } = await running(t)
    const file = join(directory, 'players.json')
    writeFileSync(file, JSON.stringify([aPlayer({ User_id: 'dry-1' }), {}]))
    const { code, stdout } = await runCommand(['import', 'players', file, '--dry-run'], env)
    assert.match(
      stdout,
      /^Dry run, nothing was written: 2 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped\n/,
    )
    assert.equal(code, 4)
    assert.equal((await service.ask('/api/admin/players/dry-1')).status, 404)
  })

  test('25,000 players are imported, every one of them', async (t) => {
    const { service, env, directory } = await running(t)
    const file = join(directory, 'many.csv.gz')
    const players = Array.from({ length: 25_000 }, (_, n) => aPlayer({ User_id: `many-${n}`, Phone: String(n) }))
    writeFileSync(file, gzipSync(csvOf(players)))
    const startedAt = performance.now()
    const stdout = await printed(['import', 'players', file], env)
    t.diagnostic(`${Math.round(performance.now() - startedAt)} ms`)
    assert.equal(stdout, '25000 records read, 25000 inserted, 0 updated, 0 unchanged, 0 skipped\n')
    for (const n of [0, 999, 1_000, 24_999])
      assert.equal((await service.ask(`/api/admin/players/many-${n}?reveal=true`)).body.phone, String(n))
  })

  test('a file that cannot be read to its end is reported on one line, with what was imported before', async (t) => {
    const { env, directory } = await running(t)
    const path = (name: string) => join(directory, name)
    const products = Array.from({ length: 5_000 }, (_, n) =>
      aProduct({ product_sku_id: `cut-${n}`, amount: String(n) }),
    )
    const whole = gzipSync(csvOf(products))
    writeFileSync(path('cut.csv.gz'), whole.subarray(0, whole.length / 2))
    writeFileSync(path('plain.csv.gz'), csvOf(products))
    writeFileSync(path('latin.csv'), Buffer.from('product_sku_id,amount\nth\u00e9,4\n', 'latin1'))
    writeFileSync(path('quote.csv'), 'product_sku_id,amount\n"tea,4\n')
    writeFileSync(path('twice.csv'), 'amount,product_sku_id,amount\n1,tea,4\n')
    writeFileSync(path('half.json'), '[{"product_sku_id":"tea"')
    writeFileSync(path('empty.json'), '')
    const run = (name: string) => runCommand(['import', 'products', path(name)], env)

    const cut = await run('cut.csv.gz')
    assert.match(cut.stdout, /^stopped early, [1-4]000 records read, [1-4]000 inserted, /)
    assert.match(cut.stderr, /^laurel: .*cut\.csv\.gz: cannot be read \(unexpected end of file\)\n$/)
    assert.equal(cut.code, 2)
    const expected: Record<string, RegExp> = {
      'plain.csv.gz': /cannot be read \(incorrect header check\)/,
      'latin.csv': /expected text in UTF-8/,
      'quote.csv': /unclosed quote on line 2/,
      'twice.csv': /the first line has the column "amount" twice/,
      'half.json': /expected a JSON array of records/,
      'empty.json': /expected a JSON array of records/,
    }
    await Promise.all(Object.entries(expected).map(async ([name, error]) => assertOneLine(await run(name), 2, error)))
  })

  test('a file without records is imported at once', async (t) => {
    const { env, directory } = await running(t)
    for (const name of ['empty.csv', 'empty.ndjson', 'list.json']) {
      const file = join(directory, name)
      writeFileSync(file, name === 'list.json' ? '[]' : '')
      const stdout = await printed(['import', 'products', file], env)
      assert.equal(stdout, '0 records read, 0 inserted, 0 updated, 0 unchanged, 0 skipped\n')
    }
  })

  test('skipped records that cannot be written to their file are an error', async (t) => {
    const { env, directory } = await running(t)
    const file = join(directory, 'players.json')
    writeFileSync(file, '[{}]')
    const args = ['import', 'players', file, '--skipped', join(directory, 'none', 'bad.ndjson')]
    assertOneLine(await runCommand(args, env), 2, /cannot write the skipped records to .*none\/bad\.ndjson \(ENOENT/)
  })
})
