import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readerOf } from '../../src/database/db/reader.ts'
import { createDb, type Db, type DbOptions, type RetryNote, type Tx } from '../../src/database/db/transaction.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres/driver.ts'
import { OperatorError, Unavailable } from '../../src/errors.ts'
import { listWindowSums } from '../../src/ledger/entries.ts'
import { readSnapshot } from '../../src/ledger/snapshots.ts'
import { type Cut, startCuttingProxy } from '../support/cutting-proxy.ts'
import { testDatabase, testPostgresOptions } from '../support/databases.ts'
import { isOnCluster } from '../support/on-cluster.ts'
import { runOnce, startPostgresServer } from '../support/postgres-server.ts'
import { eventually } from '../support/waiting.ts'

const soon = (ms = 60_000) => performance.now() + ms
const one = 'select 1::int as one'
const upsert = (tx: Tx, id: string, n: number) =>
  tx.query('insert into notes (id, n) values ($1, $2) on conflict (id) do update set n = excluded.n', [id, n])

/** In the list of connections of Linux. */
const ESTABLISHED = '01'
const KEEP_ALIVE_TIMER = '02'
const TICKS_PER_SECOND = 100

interface Opened {
  readonly db: Db
  readonly retries: RetryNote[]
}

async function open(t: TestContext, url: string, changes: Partial<PostgresOptions> & DbOptions = {}): Promise<Opened> {
  const retries: RetryNote[] = []
  const driver = await openPostgres(url, { ...testPostgresOptions, ...changes })
  const db = createDb(driver, { onRetry: (note) => retries.push(note), ...changes })
  t.after(() => db.close())
  return { db, retries }
}

async function makeNotes(db: Db): Promise<void> {
  await db.transaction((tx) => tx.script('create table notes (id text primary key, n bigint)'), soon())
}

async function notesOf(db: Db): Promise<Record<string, number>> {
  const rows = await db.read<{ id: string; n: number }>('select id, n from notes order by id', [], soon())
  return Object.fromEntries(rows.map(({ id, n }) => [id, n]))
}

const kindsOf = (retries: readonly RetryNote[]) => [...new Set(retries.map(({ kind }) => kind))]

async function pidOf(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
  return row!.pid
}

test('a backend killed inside a transaction is replaced, and the work runs again', async (t) => {
  const url = await testDatabase(t)
  const { db, retries } = await open(t, url)
  await makeNotes(db)
  let runs = 0
  const killedOnce = async (tx: Tx) => {
    runs += 1
    await upsert(tx, 'a', runs)
    if (runs === 1) await runOnce(url, `select pg_terminate_backend(${await pidOf(tx)}, 5000)`)
    await upsert(tx, 'b', runs)
  }
  await db.transaction(killedOnce, soon())
  assert.deepEqual(await notesOf(db), { a: 2, b: 2 })
  assert.deepEqual(kindsOf(retries), ['lost'])
})

test('a server that closes a connection right after opening it counts as unreachable', async (t) => {
  const message = (kind: string, body: string) => {
    const head = Buffer.alloc(5)
    head.write(kind)
    head.writeInt32BE(4 + body.length, 1)
    return Buffer.concat([head, Buffer.from(body, 'latin1')])
  }
  const [welcome, ready] = [message('R', '\0\0\0\0'), message('Z', 'I')]
  const farewell = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([welcome, ready, farewell])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const { db } = await open(t, `postgres://nobody@127.0.0.1:${port}/nothing?sslmode=disable`)
  await assert.rejects(db.read(one, [], soon(500)), Unavailable)
})

test('the next request does not notice sessions lost while idle', async (t) => {
  const url = await testDatabase(t)
  const { db } = await open(t, url)
  await Promise.all(Array.from({ length: 5 }, () => db.read('select pg_sleep(0.05)::text as slept', [], soon())))
  const others = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database()'
  await runOnce(url, `${others} and pid <> pg_backend_pid()`)
  assert.deepEqual(await db.read(one, [], soon()), [{ one: 1 }])
})

for (const cut of ['before', 'after'] satisfies Cut[]) {
  test(`a connection cut ${cut} COMMIT reached the server is run again, to the same state`, async (t) => {
    const direct = await testDatabase(t)
    const proxy = await startCuttingProxy(direct)
    t.after(() => proxy.close())
    const { db, retries } = await open(t, proxy.url)
    await makeNotes(db)
    proxy.cutCommits(cut, 2)
    let runs = 0
    const counting = async (tx: Tx) => {
      runs += 1
      await upsert(tx, 'a', 7)
      await upsert(tx, `run ${runs}`, runs)
    }
    await db.transaction(counting, soon())
    assert.equal(runs, 3)
    assert.deepEqual(kindsOf(retries), ['lost'])
    const all = { a: 7, 'run 1': 1, 'run 2': 2, 'run 3': 3 }
    assert.deepEqual(await notesOf(db), cut === 'after' ? all : { a: 7, 'run 3': 3 })
  })
}

test('connections cut at every COMMIT are refused at the deadline', async (t) => {
  const proxy = await startCuttingProxy(await testDatabase(t))
  t.after(() => proxy.close())
  const { db } = await open(t, proxy.url)
  await makeNotes(db)
  proxy.cutCommits('before', Number.POSITIVE_INFINITY)
  await assert.rejects(
    db.transaction((tx) => upsert(tx, 'a', 1), soon(600)),
    Unavailable,
  )
})

test('a statement that exceeds its timeout is not retried, and its session remains usable', async (t) => {
  const { db, retries } = await open(t, await testDatabase(t), { statementTimeoutMs: 100, poolMax: 1 })
  let pid = 0
  const slow = async (tx: Tx) => {
    pid = await pidOf(tx)
    await tx.query('select pg_sleep(5)::text as slept')
  }
  const isUnavailable = (error: unknown) => error instanceof Unavailable && error.retryAfterS >= 1
  await assert.rejects(db.transaction(slow, soon()), isUnavailable)
  await assert.rejects(db.read('select pg_sleep(5)::text as slept', [], soon()), isUnavailable)
  assert.deepEqual(retries, [])
  assert.equal(await db.transaction(pidOf, soon()), pid)
})

test('a connection lost in the middle of a batch is replaced, and the work runs again', async (t) => {
  const url = await testDatabase(t)
  const { db, retries } = await open(t, url)
  await makeNotes(db)
  const insert = (id: string) => ({ sql: 'insert into notes (id, n) values ($1, 1)', params: [id] })
  const copy = { sql: 'copy notes (id, n) from stdin', rows: 'c\t1\nd\t1\n' }
  const kill = { sql: 'select pg_terminate_backend(pg_backend_pid(), 5000)::text' }
  const cutOnce = async (tx: Tx, attempt: number) => {
    await tx.batch([insert('a'), ...(attempt === 1 ? [kill] : []), copy, insert('b')])
  }
  await db.transaction(cutOnce, soon())
  assert.deepEqual(await notesOf(db), { a: 1, b: 1, c: 1, d: 1 })
  assert.deepEqual(kindsOf(retries), ['lost'])
})

test('a session whose prepared statements were discarded is replaced, and the work runs again', async (t) => {
  const { db, retries } = await open(t, await testDatabase(t), { poolMax: 1 })
  await makeNotes(db)
  const insert = (id: string) => ({ sql: 'insert into notes (id, n) values ($1, 1)', params: [id] })
  for (const id of ['a', 'b']) {
    await db.transaction((tx) => tx.batch([insert(id)]), soon())
    await db.transaction((tx) => upsert(tx, id, 2), soon())
    await db.transaction((tx) => tx.script('deallocate all'), soon())
  }
  assert.deepEqual(await notesOf(db), { a: 2, b: 2 })
  assert.deepEqual(kindsOf(retries), ['lost'])
})

test('the server asks a silent client within a minute whether it is there', async (t) => {
  const { db } = await open(t, await testDatabase(t))
  const settings = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count']
  const rows = await db.read<{ setting: string }>(
    'select current_setting(name) as setting from unnest($1::text[]) as name',
    [settings],
    soon(),
  )
  assert.deepEqual(
    rows.map(({ setting }) => setting),
    ['30', '10', '3'],
  )
})

/** What a file descriptor of this process leads to; undefined if it was closed meanwhile. */
function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}

// Only Linux tells when the next question to the other side is due.
if (process.platform === 'linux')
  test('a silent server is asked within half a minute whether it is there, as a restore would wait for it for hours', async (t) => {
    const url = await testDatabase(t)
    const { db } = await open(t, url)
    await db.read(one, [], soon())
    const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
    // The file lists the connections of all processes, such as those of a cluster's servers to each other.
    const own = new Set(readdirSync('/proc/self/fd').map(linkOf))
    const connections = readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1)
    const keepAlives = connections.flatMap((line) => {
      const [, , remote, state, , timer, , , , inode] = line.trim().split(/\s+/)
      const [kind, dueAfter] = timer?.split(':') ?? []
      const isOwn = own.has(`socket:[${inode}]`) && remote?.endsWith(`:${port}`)
      return isOwn && state === ESTABLISHED && kind === KEEP_ALIVE_TIMER
        ? [Number.parseInt(dueAfter!, 16) / TICKS_PER_SECOND]
        : []
    })
    assert(keepAlives.length > 0)
    assert(Math.max(...keepAlives) <= 30, `${keepAlives}`)
  })

test('a batch that is cut within the rows of a COPY leaves nothing, and the work runs again', async (t) => {
  const url = await testDatabase(t)
  const proxy = await startCuttingProxy(url)
  t.after(() => proxy.close())
  const { db, retries } = await open(t, proxy.url)
  await makeNotes(db)
  const rows = Array.from({ length: 100_000 }, (_, n) => `note-${n}\t${n}\n`).join('')
  proxy.cutAt('note-5000')
  const claim = { rows: 1, lost: 'another request has inserted it' }
  const insert = { sql: "insert into notes (id, n) values ('a', 1)", claim }
  await db.transaction((tx) => tx.batch([insert, { sql: 'copy notes (id, n) from stdin', rows }]), soon())
  assert.equal(Object.keys(await notesOf(db)).length, 100_001)
  assert.deepEqual(kindsOf(retries), ['lost'])
})

test('a batch of an abandoned transaction does not run to its end', async (t) => {
  const url = await testDatabase(t)
  const { db } = await open(t, url)
  await makeNotes(db)
  // Each within the timeout of a statement, and all of them longer than the test waits.
  const steps = Array.from({ length: 30 }, () => ({ sql: 'select pg_sleep(20)' }))
  await assert.rejects(
    db.transaction((tx) => tx.batch(steps), soon(200)),
    Unavailable,
  )
  const running =
    "select count(*)::int as n from pg_stat_activity where query like '%pg_sleep(20)%' and state = 'active' and pid <> pg_backend_pid()"
  await eventually(
    'the batch is still running',
    async () => (await db.read<{ n: number }>(running, [], soon()))[0]!.n === 0,
  )
})

test('a session that stays idle inside a transaction is ended by the server, and the work runs again', async (t) => {
  const { db, retries } = await open(t, await testDatabase(t), { idleInTransactionTimeoutMs: 100 })
  let runs = 0
  const idleOnce = async (tx: Tx) => {
    runs += 1
    await tx.query(one)
    if (runs === 1) await sleep(250)
    await tx.query(one)
  }
  await db.transaction(idleOnce, soon())
  assert.equal(runs, 2)
  assert.deepEqual(kindsOf(retries), ['lost'])
})

test('a lock held by another transaction is tried three times in all', async (t) => {
  const { db, retries } = await open(t, await testDatabase(t), { lockTimeoutMs: 60 })
  await makeNotes(db)
  const held = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await upsert(tx, 'a', 1)
    held.resolve()
    await done.promise
  }, soon())
  await held.promise
  await assert.rejects(
    db.transaction((tx) => upsert(tx, 'a', 2), soon()),
    Unavailable,
  )
  assert.deepEqual(
    retries.map(({ kind }) => kind),
    ['lock-wait', 'lock-wait'],
  )
  done.resolve()
  await holder
  assert.deepEqual(await notesOf(db), { a: 1 })
})

test('waiting for a connection ends at the deadline, and a connection that comes too late goes to the next caller', async (t) => {
  const { db } = await open(t, await testDatabase(t), { poolMax: 1 })
  const done = Promise.withResolvers<void>()
  const holder = db.transaction(async (tx) => {
    await tx.query(one)
    await done.promise
  }, soon())
  await assert.rejects(db.read(one, [], soon(150)), Unavailable)
  done.resolve()
  await holder
  assert.deepEqual(await db.read(one, [], soon(20_000)), [{ one: 1 }])
})

test('a statement that runs past the deadline does not hold up later callers', async (t) => {
  const { db } = await open(t, await testDatabase(t), { poolMax: 1 })
  const sleeping = 'select pg_sleep(30)::text as slept'
  await assert.rejects(db.read(sleeping, [], soon(100)), Unavailable)
  assert.deepEqual(await db.read(one, [], soon(20_000)), [{ one: 1 }])
  await assert.rejects(
    db.transaction((tx) => tx.query(sleeping), soon(100)),
    Unavailable,
  )
  assert.deepEqual(await db.read(one, [], soon(20_000)), [{ one: 1 }])
})

test('closing waits for running work, and refuses waiting and new callers', async (t) => {
  const driver = await openPostgres(await testDatabase(t), { ...testPostgresOptions, poolMax: 1 })
  const held = await driver.session(soon())
  const waiting = assert.rejects(driver.session(soon()), Unavailable)
  const closing = driver.close()
  await waiting
  await assert.rejects(driver.session(soon()), Unavailable)
  assert.deepEqual(await held.query(one), [{ one: 1 }])
  held.release(false)
  await closing
  await driver.close()
})

test('callers waiting for a connection of a dropped pool get one from the next', async (t) => {
  const driver = await openPostgres(await testDatabase(t), { ...testPostgresOptions, poolMax: 1 })
  const db = createDb(driver)
  const held = await driver.session(soon())
  const waiting = db.read(one, [], soon())
  driver.reset?.()
  assert.deepEqual(await waiting, [{ one: 1 }])
  held.release(false)
  await db.close()
})

test('all connections to a server that has become read-only are dropped at once', async (t) => {
  const url = await testDatabase(t)
  const { db, retries } = await open(t, url)
  await makeNotes(db)
  const name = new URL(url).pathname.slice(1)
  const elsewhere = new URL('/postgres', url).href
  const others = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`
  await runOnce(elsewhere, `alter database ${name} set default_transaction_read_only = on`)
  await runOnce(elsewhere, others)
  // A session keeps the default that it started with, so all of these stay read-only.
  await Promise.all(Array.from({ length: 4 }, () => db.read('select pg_sleep(0.05)::text as slept', [], soon())))
  await assert.rejects(
    db.transaction((tx) => upsert(tx, 'a', 1), soon(200)),
    Unavailable,
  )
  await Promise.all(Array.from({ length: 4 }, () => db.read('select pg_sleep(0.05)::text as slept', [], soon())))
  await runOnce(elsewhere, `alter database ${name} reset default_transaction_read_only`)
  retries.length = 0
  await db.transaction((tx) => upsert(tx, 'a', 2), soon())
  assert.deepEqual(
    retries.map(({ kind }) => kind),
    ['read-only'],
  )
  assert.deepEqual(await notesOf(db), { a: 2 })
})

test('damaged data is reported once, so that the process can exit, and never retried', async (t) => {
  const fatal: Error[] = []
  const { db, retries } = await open(t, await testDatabase(t), { onFatal: (error) => fatal.push(error) })
  const raising = "do $$ begin raise exception 'invalid page in block 7' using errcode = 'XX001'; end $$"
  await assert.rejects(
    db.transaction((tx) => tx.script(raising), soon()),
    { code: 'XX001' },
  )
  assert.match(String(fatal), /invalid page in block 7/)
  assert.equal(fatal.length, 1)
  assert.deepEqual(retries, [])
})

test('an unusable address and a missing database are errors for the operator', async (t) => {
  const url = await testDatabase(t)
  for (const wrong of ['', 'localhost', 'mysql://root@127.0.0.1/x', 'postgres://me:secret@host:70x00/db']) {
    await assert.rejects(openPostgres(wrong, testPostgresOptions), (error) => {
      return error instanceof OperatorError && !error.message.includes('secret')
    })
  }
  const missing = new URL(url)
  missing.pathname = '/laurel_is_not_there'
  const { db } = await open(t, missing.href)
  await assert.rejects(
    db.read(one, [], soon()),
    (error) => error instanceof OperatorError && /laurel_is_not/.test(error.message),
  )
})

test('values arrive as text, boolean, json and safe integers, and times in UTC, whatever the settings of the server', async (t) => {
  const url = await testDatabase(t)
  const name = new URL(url).pathname.slice(1)
  await runOnce(url, `alter database ${name} set timezone = 'Asia/Kolkata'`)
  await runOnce(url, `alter database ${name} set datestyle = 'German'`)
  const { db } = await open(t, `${url}?options=-c%20work_mem%3D5MB`)
  const sql = `select 9007199254740991::bigint as big, array[1, null, 3]::bigint[] as bigs, 12.3400::numeric as price,
    date '2026-01-31' as day, array[date '2026-01-31'] as days, timestamptz '2026-01-31 12:00:00.5+02' as moment,
    true as yes, '{"a": [1, null]}'::jsonb as doc, null::bigint as nothing,
    current_setting('work_mem') as memory, current_setting('application_name') as application`
  assert.deepEqual(await db.read(sql, [], soon()), [
    {
      big: Number.MAX_SAFE_INTEGER,
      bigs: [1, null, 3],
      price: '12.3400',
      day: '2026-01-31',
      days: ['2026-01-31'],
      moment: '2026-01-31 10:00:00.5+00',
      yes: true,
      doc: { a: [1, null] },
      nothing: null,
      memory: '5MB',
      application: 'laurel',
    },
  ])
  await assert.rejects(db.read('select 9007199254740992::bigint as big', [], soon()), RangeError)
})

test('a statement with parameters is prepared once, and planned for its actual parameters', async (t) => {
  const { db } = await open(t, await testDatabase(t), { poolMax: 1 })
  for (let round = 0; round < 8; round += 1) await db.read('select $1::int as n', [round], soon())
  const sql =
    "select custom_plans as custom, generic_plans as generic from pg_prepared_statements where statement ~ '^select'"
  assert.deepEqual(await db.read(sql, [], soon()), [{ custom: 8, generic: 0 }])
})

test('a table altered under a prepared statement fails one call, not every later one', async (t) => {
  const { db } = await open(t, await testDatabase(t), { poolMax: 1 })
  await makeNotes(db)
  const all = () => db.read('select * from notes where id = $1', ['a'], soon())
  await all()
  await db.transaction((tx) => tx.script('alter table notes add column more text'), soon())
  await assert.rejects(all(), { code: '0A000' })
  assert.deepEqual(await all(), [])
})

test('requests to a server that went away are refused at the deadline, and served again as soon as it is back', async (t) => {
  const server = await startPostgresServer()
  t.after(() => server.stop())
  const { db, retries } = await open(t, await server.newDatabase())
  await makeNotes(db)
  for (const end of [server.stop, server.kill]) {
    await end()
    await assert.rejects(
      db.transaction((tx) => upsert(tx, 'a', 1), soon(500)),
      (error) => {
        return error instanceof Unavailable && error.retryAfterS >= 1
      },
    )
    const before = retries.length
    const patient = db.transaction((tx) => upsert(tx, 'a', 2), soon())
    await eventually('it has tried again', () => retries.length > before)
    await server.restart()
    await patient
  }
  assert.deepEqual(await notesOf(db), { a: 2 })
  assert.ok(kindsOf(retries).includes('unreachable'))
})

test('a server without a free connection is retried until there is one', async (t) => {
  const settings = { max_connections: '3', superuser_reserved_connections: '0', max_wal_senders: '0' }
  const server = await startPostgresServer({ settings })
  t.after(() => server.stop())
  const holders = Array.from({ length: 3 }, () => new pg.Client(server.url))
  await Promise.all(holders.map((holder) => holder.connect()))
  const { db, retries } = await open(t, server.url)
  const reading = db.read(one, [], soon())
  await eventually('it has tried again', () => retries.length > 0)
  await Promise.all(holders.map((holder) => holder.end()))
  assert.deepEqual(await reading, [{ one: 1 }])
  assert.deepEqual(kindsOf(retries), ['busy'])
})

test('a COMMIT that did not reach the standby is never acknowledged, even if the request is sent again unchanged', async (t) => {
  const server = await startPostgresServer({ settings: { synchronous_commit: 'on' } })
  t.after(() => server.stop())
  const url = await server.newDatabase()
  const { db, retries } = await open(t, url)
  await makeNotes(db)
  await runOnce(server.url, "alter system set synchronous_standby_names = 'nobody'")
  await server.restart() // A reload would take effect at an unknown later moment.
  const cancelling = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
  const cancel = setInterval(() => void runOnce(server.url, cancelling).catch(() => undefined), 30)
  t.after(() => clearInterval(cancel))
  const unchanged = async (tx: Tx) => {
    // As on the bulk path: unchanged rows are not even locked, so the COMMIT has nothing to wait for.
    const known = await tx.query("select n from notes where id = 'a' and n = 1")
    if (known.length === 0) await upsert(tx, 'a', 1)
  }
  for (let sending = 1; sending <= 2; sending += 1) {
    await assert.rejects(db.transaction(unchanged, soon(500)), Unavailable)
  }
  await assert.rejects(
    db.inSlices([], async () => undefined, soon(500)),
    Unavailable,
  )
  assert.ok(kindsOf(retries).includes('not-replicated'))
  await runOnce(server.url, 'alter system reset synchronous_standby_names')
  await runOnce(server.url, 'select pg_reload_conf()')
  await db.transaction(unchanged, soon())
  assert.deepEqual(await notesOf(db), { a: 1 })
})

// On a cluster, each server makes its own plans.
if (!isOnCluster)
  test('lookups by key use indexes and nested loops, even if they were planned while the tables were empty', async (t) => {
    const { db } = await open(t, await testDatabase(t), { plans: 'by-key', poolMax: 1 })
    const reader = readerOf(db, soon(30_000))
    await readSnapshot(reader, [{ userId: 'a', orderId: 'o', skus: ['s'], code: 'c' }])
    await listWindowSums(reader, [{ userId: 'a', orderId: 'o', from: '2026-01-01', to: '2027-01-01' }])
    const statements = await reader.query<{ name: string; parameters: number }>(
      'select name, cardinality(parameter_types)::int as parameters from pg_prepared_statements',
    )
    assert.equal(statements.length, 3)
    for (const { name, parameters } of statements) {
      const nulls = Array.from({ length: parameters }, () => 'null').join(', ')
      const plan = (await reader.query(`explain execute ${name} (${nulls})`))
        .map((row) => Object.values(row)[0])
        .join('\n')
      assert.match(plan, /Index/)
      assert.doesNotMatch(plan, /Seq Scan|Hash Join|Merge Join/, plan)
    }
  })

test('the database of a test stays until everything that the test opened on it is closed', async (t) => {
  const url = await testDatabase(t)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Registered after the hook of the database, and so run after it.
  t.after(async () => {
    await client.query('select 1')
    await client.end()
  })
})
