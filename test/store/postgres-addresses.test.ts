import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDb } from '../../src/database/db/transaction.ts'
import { readAddress } from '../../src/database/postgres/address.ts'
import { openPostgres } from '../../src/database/postgres/driver.ts'
import { OperatorError } from '../../src/errors.ts'
import { testDatabase, testPostgresOptions } from '../support/databases.ts'
import { type PostgresServer, runOnce, startPostgresServer } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const textOf = (name: string) => readFileSync(fileOf(name), 'utf8')
const soon = () => performance.now() + 20_000

/** Whether the connection to an address is encrypted, and whose it is. */
async function connectionTo(t: TestContext, url: string): Promise<Readonly<{ ssl: boolean; user: string }>> {
  const db = createDb(await openPostgres(url, testPostgresOptions), {})
  t.after(() => db.close())
  const sql = 'select ssl, current_user::text as user from pg_stat_ssl where pid = pg_backend_pid()'
  const [found] = await db.read<{ ssl: boolean; user: string }>(sql, [], soon())
  return found!
}

const isEncrypted = async (t: TestContext, url: string) => (await connectionTo(t, url)).ssl

describe('a server with a certificate of a private CA', () => {
  let server: PostgresServer
  let url: string

  before(async () => {
    server = await startPostgresServer({
      settings: { ssl: 'on', ssl_ca_file: 'ca.crt', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' },
      files: Object.fromEntries(['ca.crt', 'server.crt', 'server.key'].map((name) => [name, textOf(name)])),
      rules: [
        'host all postgres 127.0.0.1/32 trust',
        'hostssl all only_tls 127.0.0.1/32 trust',
        'hostnossl all only_plain 127.0.0.1/32 trust',
        'hostssl all till 127.0.0.1/32 cert',
        'hostssl all secretive 127.0.0.1/32 scram-sha-256',
      ],
    })
    url = server.url
    const roles = ['only_tls', 'only_plain', 'till'].map((name) => `create role ${name} login`)
    await runOnce(url, ...roles)
  })

  const as = (user: string, parameters = '') => url.replace('postgres@', `${user}@`) + parameters
  const named = (parameters: string) => `${url.replace('127.0.0.1', 'localhost')}?${parameters}`

  test('is reached with or without TLS as sslmode says', async (t) => {
    const modes = { disable: false, allow: false, prefer: true, require: true, 'no-verify': true } as const
    for (const [mode, ssl] of Object.entries(modes))
      assert.equal(await isEncrypted(t, `${url}?sslmode=${mode}`), ssl, mode)
    assert.equal(await isEncrypted(t, url), true, 'by default')
  })

  test('is verified against sslrootcert: the CA with verify-ca, also the host with verify-full', async (t) => {
    const ca = `sslrootcert=${fileOf('ca.crt')}`
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      assert.equal(await isEncrypted(t, named(`sslmode=${mode}&${ca}`)), true, mode)
    assert.equal(await isEncrypted(t, `${url}?sslmode=verify-ca&${ca}`), true)
  })

  test('is refused in one sentence with exit code 3 if its certificate cannot be verified', async () => {
    const other = `sslrootcert=${fileOf('other-ca.crt')}`
    const refused = [
      named('sslmode=verify-full'),
      named('sslrootcert=system'),
      named(`sslmode=verify-full&${other}`),
      named(`sslmode=verify-ca&${other}`),
      named(`sslmode=require&${other}`),
      `${url}?sslmode=verify-full&sslrootcert=${fileOf('ca.crt')}`,
    ]
    for (const DATABASE_URL of refused) {
      const { code, stderr } = await runCommand(['token', 'list'], { DATABASE_URL })
      assert.equal(code, 3, DATABASE_URL)
      assert.match(
        stderr,
        /^laurel: the certificate of the database server cannot be verified: check sslmode and sslrootcert in DATABASE_URL \([^\n]*\n$/,
      )
    }
  })

  test('that wants TLS from one user and none from another gets it, where sslmode leaves the choice', async (t) => {
    for (const mode of ['allow', 'prefer']) {
      assert.equal(await isEncrypted(t, as('only_tls', `?sslmode=${mode}`)), true, mode)
      assert.equal(await isEncrypted(t, as('only_plain', `?sslmode=${mode}`)), false, mode)
    }
    await assert.rejects(isEncrypted(t, as('only_tls', '?sslmode=disable')), OperatorError)
    await assert.rejects(isEncrypted(t, as('only_plain', '?sslmode=require')), OperatorError)
  })

  test('knows a user by a client certificate', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'laurel-tls-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const pair = `sslcert=${fileOf('client.crt')}&sslkey=${fileOf('client.key')}`
    assert.deepEqual(await connectionTo(t, as('till', `?sslmode=require&${pair}`)), { ssl: true, user: 'till' })
    await assert.rejects(connectionTo(t, as('till', '?sslmode=require')), OperatorError)
  })

  test('is reached as the PG* variables say, where DATABASE_URL leaves something out', async () => {
    const { hostname, port } = new URL(url)
    const env = { PGHOST: hostname, PGPORT: port, PGUSER: 'till', PGDATABASE: 'postgres', PGSSLMODE: 'require' }
    const files = { PGSSLCERT: fileOf('client.crt'), PGSSLKEY: fileOf('client.key'), PGSSLROOTCERT: fileOf('ca.crt') }
    const { code, stderr } = await runCommand(['token', 'list'], { DATABASE_URL: 'postgres://', ...env, ...files })
    // It is the right user in the right database, in which there is nothing.
    assert.deepEqual([code, /no Laurel tables/.test(stderr)], [2, true], stderr)
  })

  test('takes every character of a password', async (t) => {
    const password = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
    await runOnce(url, `create role secretive login password '${password.replaceAll("'", "''")}'`)
    const written = url.replace('postgres@', `secretive:${encodeURIComponent(password)}@`)
    assert.equal((await connectionTo(t, written)).user, 'secretive')
    await assert.rejects(connectionTo(t, as('secretive')), (error) => {
      return error instanceof OperatorError && /; check user and password in DATABASE_URL/.test(error.message)
    })
  })
})

test('whom a server does not know is told so', async (t) => {
  const DATABASE_URL = (await testDatabase(t)).replace('postgres@', 'nobody_here@')
  const { code, stderr } = await runCommand(['token', 'list'], { DATABASE_URL })
  assert.equal(code, 2)
  assert.match(
    stderr,
    /^laurel: the database refused: role "nobody_here" does not exist; check user and password in DATABASE_URL/,
  )
})

test('a server without TLS is reached where sslmode leaves the choice, over IPv6, and over a Unix socket, for which sslmode means nothing', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'pg-'))
  chmodSync(directory, 0o777)
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startPostgresServer({
    settings: { listen_addresses: '127.0.0.1,::1', unix_socket_directories: directory },
  })
  t.after(() => server.stop())
  const { port } = new URL(server.url)
  const written = [
    server.url,
    ...['disable', 'allow', 'prefer'].map((mode) => `${server.url}?sslmode=${mode}`),
    `postgres://postgres@[::1]:${port}/postgres`,
    `postgres://postgres@/postgres?host=${directory}&port=${port}`,
    `postgres://postgres@/postgres?host=${directory}&port=${port}&sslmode=verify-full`,
    `postgresql://postgres@${encodeURIComponent(directory)}:${port}/postgres`,
  ]
  for (const url of written) assert.deepEqual(await connectionTo(t, url), { ssl: false, user: 'postgres' }, url)
})

test('an address that cannot be meant is refused, and never repeated', () => {
  const refused = [
    ['postgres://me:s/cret@db/shop', /^invalid DATABASE_URL: .*special characters of the password/],
    ['postgres://me:secret@db:port/shop', /^invalid DATABASE_URL: /],
    ['mysql://me:secret@db/shop', /^invalid DATABASE_URL: it must begin with postgres:\/\//],
    ['postgres://me:secret@db/shop?sslmode=maybe', /^sslmode is "maybe", expected one of disable, allow, prefer, /],
    ['postgres://me:secret@db/shop?sslmode=verify-ca', /^sslmode=verify-ca needs sslrootcert/],
    [
      'postgres://me:secret@db/shop?sslmode=require&sslrootcert=system',
      /^sslrootcert=system needs sslmode=verify-full/,
    ],
    ['postgres://me:secret@db/shop?sslrootcert=/not/there', /^cannot read sslrootcert \/not\/there \(ENOENT\)$/],
    [`postgres://me:secret@db/shop?sslcert=${fileOf('client.crt')}`, /^sslcert and sslkey belong together/],
    [
      'postgres://me:p@ss/cret@db/shop',
      /^invalid DATABASE_URL: expected no @ after the host; write special characters/,
    ],
    ['postgres://me:secret@db/shop?SSLMODE=verify-full', /^DATABASE_URL has the unknown parameter "SSLMODE"$/],
    ['postgres://me:secret@db1,db2/shop', /^invalid DATABASE_URL: expected one host, that of the primary server$/],
    [
      'postgres://me:secret@db1:5432,db2:5433/shop',
      /^invalid DATABASE_URL: expected one host, that of the primary server$/,
    ],
    ['postgres://me:secret@db/shop?ssl=0&sslmode=verify-full', /^ssl in DATABASE_URL is not supported: use sslmode$/],
    ['postgres://me:secret@db/shop?sslnegotiation=direct', /^sslnegotiation=direct is not supported/],
    ['postgres://me:secret@db/shop?target_session_attrs=read-write', /^target_session_attrs is not supported/],
    ['postgres://me:secret@db/shop?channel_binding=require', /^channel_binding=require is not supported/],
    ['postgres://me:sec?ret=cret@db/shop', /^invalid DATABASE_URL: expected no @ after the \?; write special/],
    ['postgres://me:12#cret@db/shop', /^invalid DATABASE_URL: expected no #; write special characters/],
    [
      'postgres://me:secret@db/shop?port=many',
      /^invalid DATABASE_URL: expected a port from 1 to 65535, also in PGPORT/,
    ],
    [
      'postgres://me:secret@db/shop?port=65536',
      /^invalid DATABASE_URL: expected a port from 1 to 65535, also in PGPORT/,
    ],
    [
      `postgres://me:secret@db/shop?sslmode=verify-full&sslrootcert=${fileOf('client.key')}`,
      /^sslrootcert \S+client\.key contains no certificate: expected PEM$/,
    ],
    ['postgres://me:secret@db/shop?sslrootcert=/dev/null', /^sslrootcert \/dev\/null contains no certificate/],
    [
      `postgres://me:secret@db/shop?sslcert=${fileOf('client.crt')}&sslkey=${fileOf('server.key')}`,
      /^sslcert \S+ and sslkey \S+ cannot be used \(.*key values mismatch\): expected PEM, and a key of that certificate /,
    ],
  ] as const
  for (const [url, sentence] of refused)
    assert.throws(
      () => readAddress(url, {}),
      (error) => error instanceof OperatorError && sentence.test(error.message) && !error.message.includes('cret@'),
      url,
    )
})

test('a password may have a comma', () => {
  const url = 'postgres://me:sec,ret@db/shop'
  assert.equal(readAddress(url, {}).url, url)
})

test('a variable of libpq that leads elsewhere or demands something, but is not read, is refused', () => {
  for (const name of ['PGSERVICE', 'PGHOSTADDR', 'PGREQUIREAUTH', 'PGSSLCRL', 'PGSSLCRLDIR']) {
    const read = (value: string) => readAddress('postgres://me:secret@db/shop', { [name]: value })
    assert.throws(() => read('any'), new OperatorError(`${name} is not supported: unset it, and use DATABASE_URL`))
    assert.equal(read('').url, 'postgres://me:secret@db/shop')
  }
})

test('a setting that the server refuses is an error of the operator, in one sentence', async (t) => {
  const url = await testDatabase(t)
  const cases = { '-c nosuch=1': /unrecognized/, '-c statement_timeout=abc': /invalid value/, '-c port=1': /cannot be/ }
  for (const [options, reason] of Object.entries(cases)) {
    const db = createDb(await openPostgres(`${url}?options=${encodeURIComponent(options)}`, testPostgresOptions), {})
    t.after(() => db.close())
    await assert.rejects(db.read('select 1::int as one', [], soon()), (error) => {
      assert(error instanceof OperatorError)
      assert.match(error.message, /^the database refused: .*; check options in DATABASE_URL, or PGOPTIONS$/)
      return reason.test(error.message)
    })
  }
})
