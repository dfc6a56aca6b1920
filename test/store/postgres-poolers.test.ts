import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import test, { type TestContext } from 'node:test'
import { createDb } from '../../src/database/db/transaction.ts'
import { openPostgres } from '../../src/database/postgres/driver.ts'
import { OperatorError, Unavailable } from '../../src/errors.ts'
import { testDatabase, testPostgresOptions } from '../support/databases.ts'
import { runOnce } from '../support/postgres-server.ts'

const soon = (ms = 20_000) => performance.now() + ms

/** The message with which a session says which process serves it: its type and length. */
const KEY_DATA = Buffer.from([75, 0, 0, 0, 12])

/** What tells a pooler from a server: it names a process of its own. */
async function startPooler(t: TestContext, url: string): Promise<string> {
  const pooler = createServer((client) => {
    const server = connect(Number(new URL(url).port), new URL(url).hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
    client.on('data', (bytes) => server.write(bytes))
    server.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(KEY_DATA)
      if (at >= 0) bytes[at + KEY_DATA.length]! ^= 1
      client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  t.after(() => pooler.close())
  const through = new URL(url)
  through.port = String((pooler.address() as AddressInfo).port)
  // It looks into what is sent. A cluster (Citus) offers TLS by itself.
  through.searchParams.set('sslmode', 'disable')
  return through.href
}

const settingsSql = `select current_setting('timezone') as zone, current_setting('statement_timeout') as timeout,
  (select count(*)::int from pg_prepared_statements) as prepared, $1::text as given`

test('behind a pooler, each transaction sets its limits, and no statement is prepared', async (t) => {
  const url = await startPooler(t, await testDatabase(t))
  const db = createDb(await openPostgres(url, { ...testPostgresOptions, statementTimeoutMs: 7_000 }), {})
  t.after(() => db.close())
  for (let round = 0; round < 3; round += 1) {
    const inTransaction = await db.transaction((tx) => tx.query(settingsSql, ['a']), soon())
    assert.deepEqual(inTransaction, [{ zone: 'UTC', timeout: '7s', prepared: 0, given: 'a' }])
    assert.deepEqual(await db.read(settingsSql, ['a'], soon()), [
      { zone: 'UTC', timeout: '0', prepared: 0, given: 'a' },
    ])
  }
})

test('behind a pooler, a setting that needs a session is refused in one sentence', async (t) => {
  const url = await startPooler(t, await testDatabase(t))
  const opened = async (options: string) => {
    const db = createDb(await openPostgres(`${url}&options=${encodeURIComponent(options)}`, testPostgresOptions), {})
    t.after(() => db.close())
    return db.read('select 1::int as one', [], soon())
  }
  assert.deepEqual(await opened('-c TimeZone=Asia/Kolkata -c lock_timeout=1s'), [{ one: 1 }])
  await assert.rejects(opened('-c search_path=shop,public'), (error) => {
    return error instanceof OperatorError && /^a pooler does not keep the setting search_path/.test(error.message)
  })
})

test('connections that are still looking for a way when their server is left end quietly', async (t) => {
  const url = await testDatabase(t)
  await runOnce(url, 'create table notes (id text primary key)')
  const name = new URL(url).pathname.slice(1)
  await runOnce(url, `alter database ${name} set default_transaction_read_only = on`)
  for (const address of [url, await startPooler(t, url)]) {
    const db = createDb(await openPostgres(address, testPostgresOptions), {})
    // Each one that fails leaves the server for all others.
    const writes = Array.from({ length: 30 }, (_, n) =>
      db.transaction((tx) => tx.query('insert into notes values ($1)', [`${n}`]), soon(1_500)),
    )
    for (const outcome of await Promise.allSettled(writes))
      assert(outcome.status === 'rejected' && outcome.reason instanceof Unavailable)
    await db.close()
  }
  await runOnce(new URL('/postgres', url).href, `alter database ${name} reset default_transaction_read_only`)
})
