import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Driver, Queryable } from '../../src/database/db/driver.ts'
import { createSessionQueue } from '../../src/database/db/session-queue.ts'
import { createDb } from '../../src/database/db/transaction.ts'
import { prepareDirectory } from '../../src/database/embedded/directory.ts'
import { lockDirectory } from '../../src/database/embedded/directory-lock.ts'
import { openPglite, type PgliteDriver, type PgliteOptions } from '../../src/database/embedded/driver.ts'
import { packDatabase } from '../../src/database/embedded/fresh-database.ts'
import { OperatorError, Unavailable } from '../../src/errors.ts'
import { listProductFingerprints } from '../../src/resources/products/store.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { nodeOptions } from '../support/service-process.ts'

const child = fileURLToPath(new URL('../support/pglite-child.ts', import.meta.url))

async function open(
  t: TestContext,
  directory: string | undefined,
  options: Partial<PgliteOptions> = {},
): Promise<PgliteDriver> {
  const onFatal = (error: Error) => t.diagnostic(`fatal: ${error.message}`)
  const driver = await openPglite(directory, { onFatal, ...options })
  t.after(() => driver.close())
  return driver
}

function aDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-pglite-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'data')
}

/** Shared by the tests that leave it open: each creates its own tables. */
let shared: PgliteDriver
/** Copied by the tests that are not about a first start, because a first start takes longer. */
let made: string

before(async () => {
  shared = await openPglite(undefined, { onFatal: assert.fail, dumpFile: (await embeddedTemplate()).file })
  made = mkdtempSync(join(tmpdir(), 'laurel-pglite-made-'))
  await (await openPglite(made, { onFatal: assert.fail })).close()
})
after(async () => {
  await shared.close()
  rmSync(made, { recursive: true })
})

function aDatabaseDirectory(t: TestContext): string {
  const directory = aDirectory(t)
  cpSync(made, directory, { recursive: true })
  return directory
}

const soon = () => performance.now() + 60_000

/** Runs one statement in a session of its own. */
async function run(driver: Driver, sql: string, params: readonly unknown[] = []): Promise<object[]> {
  const session = await driver.session(soon())
  try {
    return await session.query(sql, params)
  } finally {
    session.release(false)
  }
}

test('values come back as the other driver gives them', async () => {
  const cases: [sql: string, value: unknown][] = [
    ['9007199254740991::int8', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991::int8', Number.MIN_SAFE_INTEGER],
    ['7::int2', 7],
    ['count(*)', 1],
    ['true', true],
    ['false', false],
    ['null::text', null],
    ["''", ''],
    ["'naïve 😀'", 'naïve 😀'],
    ['12.50::numeric', '12.50'],
    ['\'{"a": [1, null, "x"]}\'::jsonb', { a: [1, null, 'x'] }],
    ["'null'::jsonb", null],
    ["'2024-02-29'::date", '2024-02-29'],
    ["'2024-02-29 12:00:00+05:30'::timestamptz", '2024-02-29 06:30:00+00'],
    ['array[1, null, 3]::int8[]', [1, null, 3]],
    ['array[true, false, null]', [true, false, null]],
    ['array[]::text[]', []],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
  ]
  for (const [sql, value] of cases) assert.deepEqual(await run(shared, `select ${sql} as v`), [{ v: value }], sql)
})

test('the page cache has the requested size, or else that of the files', async (t) => {
  const buffersOf = async (driver: Driver) => (await run(driver, 'show shared_buffers'))[0]
  assert.deepEqual(await buffersOf(shared), { shared_buffers: '16MB' })
  const asked = await open(t, aDatabaseDirectory(t), { sharedBuffersMb: 40 })
  assert.deepEqual(await buffersOf(asked), { shared_buffers: '40MB' })
})

test('an integer outside the safe range is an error, and the session remains usable', async () => {
  await assert.rejects(run(shared, 'select 9007199254740992::int8 as n'), /column "n" holds 9007199254740992/)
  await assert.rejects(run(shared, 'select point(1, 2) as p'), /column "p"/)
  assert.deepEqual(await run(shared, 'select 1 as n'), [{ n: 1 }])
})

test('parameters of every kind arrive as they were given', async () => {
  const cases: [type: string, param: unknown][] = [
    ['text', 'it\'s "quoted" \\ and $1'],
    ['int8', Number.MIN_SAFE_INTEGER],
    ['float8', 0.1],
    ['boolean', true],
    ['boolean', false],
    ['text', null],
    ['bytea', Buffer.from([0, 1, 92, 39, 255])],
    ['int8[]', [1, null, -3]],
    ['boolean[]', [true, null, false]],
    ['text[]', []],
    ['text[]', ['', null, 'null', 'NULL', '{}', '{a,b}', ',', '"', '\\', '\\"', ' a ', 'line\nbreak', '😀', "'"]],
  ]
  for (const [type, param] of cases) {
    assert.deepEqual(await run(shared, `select $1::${type} as v`, [param]), [{ v: param }], type)
  }
  const bytes = [Buffer.from([0, 92]), null, Buffer.alloc(0)]
  const rows = await run(shared, 'select b from unnest($1::bytea[]) with ordinality as x (b, n) order by n', [bytes])
  assert.deepEqual(
    rows,
    bytes.map((b) => ({ b })),
  )
  assert.deepEqual(await run(shared, 'select $1::jsonb as v', ['{"a": 1}']), [{ v: { a: 1 } }])
  await assert.rejects(run(shared, 'select $1::text as v', [new Date()]), /parameter \$1/)
  await assert.rejects(run(shared, 'select $1::text[] as v', [[new Date()]]), TypeError)
})

test('a list of any texts is the same list in the database', async () => {
  const alphabet = ['"', '\\', '{', '}', ',', ' ', 'N', 'NULL', 'x', '\n', '\t', "'", 'é', '😀', '']
  let seed = 20_261_121
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const texts = Array.from({ length: 5_000 }, () =>
    Array.from({ length: next(8) }, () => alphabet[next(alphabet.length)]).join(''),
  )
  const [row] = await run(shared, 'select $1::text[] as list, to_jsonb($1::text[]) as json', [texts])
  assert.deepEqual(row, { list: texts, json: texts })
})

test('an error carries what PostgreSQL reported', async () => {
  await run(shared, 'create table keyed (id text constraint keyed_id primary key)')
  const twice = run(shared, "insert into keyed values ('a'), ('a')")
  await assert.rejects(twice, { code: '23505', constraint: 'keyed_id', table: 'keyed', detail: /already exists/ })
  await assert.rejects(run(shared, 'select $1::int8 as n', ['x']), { code: '22P02' })
  await assert.rejects(run(shared, 'selec 1'), { code: '42601' })
})

test('a prepared statement survives a change of its table', async () => {
  await run(shared, 'create table shape (a text)')
  await run(shared, "insert into shape values ('x')")
  assert.deepEqual(await run(shared, 'select * from shape'), [{ a: 'x' }])
  const session = await shared.session(soon())
  await session.script('alter table shape add b text; update shape set b = a;')
  session.release(false)
  assert.deepEqual(await run(shared, 'select * from shape'), [{ a: 'x', b: 'x' }])
})

test('a commit that rolled back is an error', async () => {
  const session = await shared.session(soon())
  try {
    await session.query('begin')
    await assert.rejects(session.query('select 1 / 0 as n'), { code: '22012' })
    await assert.rejects(session.query('commit'), { code: '25P02' })
    await session.query('begin')
    await session.query('commit')
  } finally {
    session.release(false)
  }
})

test('every commit is on disk before it is acknowledged, and reads cause no fsync', async (t) => {
  const driver = await open(t, aDatabaseDirectory(t), { maintenanceIdleMs: 60_000 })
  await run(driver, 'create table counted (n int8)')
  const before = await driver.stats()
  for (let n = 0; n < 20; n++) await run(driver, 'insert into counted values ($1)', [n])
  const written = await driver.stats()
  assert.ok(written.fsyncs - before.fsyncs >= 20, `${written.fsyncs - before.fsyncs} fsyncs for 20 commits`)
  assert.ok(written.walBytes > before.walBytes)
  assert.deepEqual(await run(driver, 'select count(*) as n from counted'), [{ n: 20 }])
  assert.equal((await driver.stats()).fsyncs, written.fsyncs)
  assert.ok(driver.memoryBytes()! > 2 ** 20)
  const settings = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', wal_sync_method: 'fsync' }
  for (const [name, value] of Object.entries(settings)) {
    assert.deepEqual(await run(driver, 'select current_setting($1::text) as v', [name]), [{ v: value }], name)
  }
})

test('a reopened directory holds what was written', async (t) => {
  const directory = aDirectory(t)
  const first = await open(t, directory)
  await run(first, 'create table kept (a text)')
  await run(first, 'insert into kept values ($1)', ['there'])
  await first.close()
  assert.deepEqual(await run(await open(t, directory), 'select a from kept'), [{ a: 'there' }])
})

test('the directories created are not readable by anyone else', async (t) => {
  const directory = aDirectory(t)
  const driver = await open(t, directory)
  const modeOf = (path: string) => statSync(path).mode & 0o777
  assert.equal(modeOf(directory), 0o700)
  assert.equal(modeOf(join(directory, 'pglite')), 0o700)
  assert.equal(modeOf(join(directory, 'pglite', 'PG_VERSION')), 0o600)
  await driver.close()

  const given = aDirectory(t)
  mkdirSync(join(given, 'pglite'), { recursive: true, mode: 0o755 })
  prepareDirectory(given, 'none').release()
  assert.equal(modeOf(given), 0o755, 'a directory of the operator stays as it is')
  assert.equal(modeOf(join(given, 'pglite')), 0o700)
})

test('opening a directory twice fails at once, and the error names the holder', async (t) => {
  const directory = aDatabaseDirectory(t)
  const driver = await open(t, directory)
  const held = `the data directory ${directory} is in use by process ${process.pid}: stop it, or set another directory`
  await assert.rejects(open(t, directory), (error) => error instanceof OperatorError && error.message === held)
  const { code, errors } = await endOf(start(t, directory))
  assert.notEqual(code, 0)
  assert.ok(errors.includes(held), errors)
  await driver.close()
  await open(t, directory)
})

test('a dead holder is not named, and kill -9 releases the lock', async (t) => {
  const directory = aDatabaseDirectory(t)
  const pidFile = join(directory, 'lock.pid')
  const lock = lockDirectory(directory)
  const cases: [text: string, message: RegExp][] = [
    ['', /in use by another process:/],
    ['12', /in use by another process:/],
    [`2147483646 ${hostname()}\n`, /in use by another process:/],
    ['12 elsewhere\n', /in use by process 12 on host elsewhere:/],
  ]
  for (const [text, message] of cases) {
    writeFileSync(pidFile, text)
    assert.throws(() => lockDirectory(directory), message)
  }
  lock.release()
  lock.release()

  const process = start(t, directory)
  await untilPrinted(process, 'open')
  assert.throws(() => lockDirectory(directory), new RegExp(`process ${process.pid}:`))
  await killed(process)
  const next = lockDirectory(directory)
  assert.match(readFileSync(pidFile, 'utf8'), new RegExp(`^${globalThis.process.pid} `))
  next.release()
})

test('a first start killed half-way is completed by the next one, and everything acknowledged is there', async (t) => {
  const directory = aDirectory(t)
  // Kills before, while and after the files are written.
  for (const state of ['none', 'pglite/unfinished', 'pglite/base', 'pglite/PG_VERSION', 'pglite/global/pg_control']) {
    const process = start(t, directory)
    while (state !== 'none' && !statSync(join(directory, state), { throwIfNoEntry: false })) await sleep(1)
    await killed(process)
    if (state !== 'none') assert.ok(statSync(join(directory, 'pglite/unfinished')), state)
  }
  const process = start(t, directory)
  const last = Number((await untilPrinted(process, '20')).at(-1))
  await killed(process)
  const driver = await open(t, directory)
  const [row] = await run(driver, 'select count(*) as n from kept')
  assert.ok((row as { n: number }).n >= last)
})

test('a first start begins with the database made by npm ci, readable only by the owner', async (t) => {
  const kept = aDirectory(t)
  const source = aDatabaseDirectory(t)
  const driver = await open(t, source)
  await run(driver, 'create table made_by_npm_ci (a text)')
  await driver.close()
  packDatabase(join(source, 'pglite'), kept)

  const directory = aDirectory(t)
  const started = await open(t, directory, { freshDatabase: kept })
  assert.deepEqual(await run(started, 'select count(*) as n from made_by_npm_ci'), [{ n: 0 }])
  const files = join(directory, 'pglite')
  assert.equal(existsSync(join(files, 'unfinished')), false)
  for (const entry of readdirSync(files, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    assert.equal(statSync(path).mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, path)
  }
  await started.close()
})

test('the files of an interrupted first start are written again', async (t) => {
  const directory = aDatabaseDirectory(t)
  const files = join(directory, 'pglite')
  writeFileSync(join(files, 'unfinished'), '')
  writeFileSync(join(files, 'global/pg_control'), 'half of')
  rmSync(join(files, 'base'), { recursive: true })
  rmSync(join(directory, 'log-position')) // Noted when it was closed, and so after a first start.
  assert.deepEqual(await run(await open(t, directory), 'select 1 as n'), [{ n: 1 }])
})

test('if the database made by npm ci is missing or damaged, the first start creates one itself', async (t) => {
  const whole = aDirectory(t)
  packDatabase(join(made, 'pglite'), whole)
  const bytes = readFileSync(whole)
  const kept = aDirectory(t)
  const writtenFrom = (content: Uint8Array) => {
    writeFileSync(kept, content)
    const directory = aDirectory(t)
    prepareDirectory(directory, kept).release()
    return readdirSync(join(directory, 'pglite'))
  }
  assert.ok(writtenFrom(bytes).includes('PG_VERSION'))
  const middle = bytes.length >> 1
  assert.deepEqual(writtenFrom(bytes.subarray(0, middle)), ['unfinished'])
  // A kilobyte, because one changed bit may still unpack to the same content: a copy may be taken from another place alike.
  assert.deepEqual(writtenFrom(Buffer.from(bytes).fill(0, middle, middle + 1024)), ['unfinished'])
  assert.deepEqual(writtenFrom(bytes.with(-1, bytes.at(-1)! ^ 1)), ['unfinished'])

  const driver = await open(t, aDirectory(t), { freshDatabase: aDirectory(t) })
  assert.deepEqual(await run(driver, 'select 1 as n'), [{ n: 1 }])
})

test('files that this program did not create are left alone', async (t) => {
  const directory = aDirectory(t)
  const precious = join(directory, 'pglite', 'thesis.txt')
  mkdirSync(dirname(precious), { recursive: true })
  writeFileSync(precious, 'years of work')
  await assert.rejects(
    open(t, directory),
    (error) => error instanceof OperatorError && /move them away/.test(error.message),
  )
  assert.equal(readFileSync(precious, 'utf8'), 'years of work')
})

test('sessions are given in order of arrival, and not after the deadline', async () => {
  const holder = await shared.session(soon())
  const order: number[] = []
  const asked = [1, 2, 3].map(async (place) => {
    const session = await shared.session(soon())
    order.push(place)
    session.release(false)
  })
  await assert.rejects(shared.session(performance.now() + 50), Unavailable)
  await assert.rejects(shared.session(performance.now() - 1), Unavailable)
  holder.release(false)
  await Promise.all(asked)
  assert.deepEqual(order, [1, 2, 3])
  await assert.rejects(holder.query('select 1 as n'), /after its release/)
})

test('a queue that is too long refuses at once', async () => {
  const sessionQueue = createSessionQueue(1)
  const releaseSession = await sessionQueue.acquire('write', soon())
  const waiting = Array.from({ length: 10_000 }, () => sessionQueue.acquire('write', soon()))
  await assert.rejects(sessionQueue.acquire('write', soon()), Unavailable)
  const ended = sessionQueue.end(new Unavailable('closing'))
  for (const result of await Promise.allSettled(waiting)) assert.equal(result.status, 'rejected')
  await assert.rejects(sessionQueue.acquire('write', soon()), Unavailable)
  releaseSession()
  await ended
})

test('a broken session is cleaned up before the next caller gets it, even while its statement runs', async () => {
  await run(shared, 'create table notes (a text)')
  const session = await shared.session(soon())
  await session.query('begin')
  await session.query('create temporary table own (a text)')
  await session.query("set search_path to 'pg_catalog'")
  await session.query("insert into public.notes values ('lost')")
  const slow = session.query('select count(*) as n from generate_series(1, 300000)')
  session.release(true)
  const [row] = await run(shared, "select (select count(*) from notes) as notes, to_regclass('own') is null as gone")
  assert.deepEqual(row, { notes: 0, gone: true })
  assert.deepEqual(await slow, [{ n: 300_000 }])
})

test('a transaction left open is rolled back on release', async () => {
  await run(shared, 'create table sketches (a text)')
  const session = await shared.session(soon())
  await session.query('begin')
  await session.query("insert into sketches values ('lost')")
  session.release(false)
  assert.deepEqual(await run(shared, 'select count(*) as n from sketches'), [{ n: 0 }])
})

test('closing waits for the session in use, and refuses callers waiting for it', async (t) => {
  const driver = await open(t, undefined, { dumpFile: (await embeddedTemplate()).file })
  const session = await driver.session(soon())
  const waiting = driver.session(soon())
  const closed = driver.close()
  await assert.rejects(waiting, Unavailable)
  await assert.rejects(driver.session(soon()), Unavailable)
  assert.deepEqual(await session.query('select 1 as n'), [{ n: 1 }])
  session.release(false)
  await closed
  await driver.close()
})

test('the first quiet moment after a load analyses the tables, summarises new rows for filters, and writes a checkpoint; reads do not put it off', async (t) => {
  const driver = await open(t, aDatabaseDirectory(t), { maintenanceIdleMs: 300 })
  await run(driver, 'create table loaded (n int8 primary key)')
  await run(driver, 'create index filters on loaded using brin (n int8_bloom_ops)')
  await run(driver, 'insert into loaded select generate_series(1, 20000)')
  const known = "select reltuples::int8 as n from pg_class where relname = 'loaded'"
  const until = performance.now() + 60_000
  while (performance.now() < until) {
    await sleep(20)
    const [row] = await run(driver, known)
    if ((row as { n: number }).n === 20_000) break
  }
  assert.deepEqual(await run(driver, known), [{ n: 20_000 }])
  assert.deepEqual(await run(driver, "select brin_summarize_new_values('filters') as n"), [{ n: 0 }])
})

test('products of a request are found by key while more are loaded than were ever analysed', async (t) => {
  const driver = await open(t, undefined, { dumpFile: (await embeddedTemplate()).file, maintenanceIdleMs: 600_000 })
  await run(
    driver,
    "insert into products (sku, price, rev, created_at, updated_at) select 'sku-' || n, 1, 1, now(), now() from generate_series(1, 60000) as n",
  )
  const plan: object[] = []
  const explaining: Queryable = {
    async query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      plan.push(...(await run(driver, `explain ${sql}`, params)))
      return []
    },
  }
  await listProductFingerprints(
    explaining,
    Array.from({ length: 1_000 }, (_, index) => `sku-${20_000 + index}`),
  )
  const text = plan.map((line) => Object.values(line).join()).join('\n')
  assert.match(text, /Index Scan (on|using) products_pkey/)
  assert.doesNotMatch(text, /Seq Scan/)
})

test('writes that never pause put maintenance off only for a while', async (t) => {
  const driver = await open(t, aDatabaseDirectory(t), { maintenanceIdleMs: 20 })
  await run(driver, 'create table busy (n int8)')
  const known = "select reltuples::int8 as n from pg_class where relname = 'busy'"
  const until = performance.now() + 60_000
  let analysed = -1
  while (analysed < 0 && performance.now() < until) {
    await run(driver, 'insert into busy select generate_series(1, 100)')
    await sleep(5)
    const [row] = await run(driver, known)
    analysed = (row as { n: number }).n
  }
  assert.ok(analysed > 0)
})

test('a copy made during writes is consistent, and the database keeps working (decision 125)', async (t) => {
  const directory = aDatabaseDirectory(t)
  const driver = await open(t, directory)
  const db = createDb(driver)
  await db.transaction(
    (tx) =>
      tx.script(
        'create table one (n int); create table other (n int); insert into one values (0); insert into other values (0)',
      ),
    soon(),
  )
  let written = 0
  let isDone = false
  const writing = (async () => {
    while (!isDone) {
      written += 1
      await db.transaction(async (tx) => {
        await tx.query('insert into one select generate_series(1, 500)')
        await tx.query('insert into other select generate_series(1, 500)')
      }, soon())
    }
  })()
  const copies = []
  for (const name of ['first', 'second']) {
    const before = written - 1
    const pauseMs = await db.copyTo(join(directory, name), soon())
    copies.push({ path: join(directory, name), from: before, to: written, pauseMs })
  }
  isDone = true
  await writing
  for (const { path, from, to, pauseMs } of copies) {
    assert(pauseMs > 0)
    const copy = await open(t, path, { isCopy: true })
    const [sums] = await createDb(copy).read<{ one: number; other: number }>(
      'select (select count(*) from one)::int as one, (select count(*) from other)::int as other',
      [],
      soon(),
    )
    assert.equal(sums!.one, sums!.other)
    assert(sums!.one - 1 >= from * 500 && sums!.one - 1 <= to * 500, `${sums!.one} of ${from} to ${to}`)
  }
  const [now] = await db.read<{ n: number }>('select count(*)::int as n from one', [], soon())
  assert.equal(now!.n, 1 + written * 500)
})

test('an aborted copy begins no further file, nothing of it is under way any more, and the database keeps working (decision 125)', async (t) => {
  const directory = aDatabaseDirectory(t)
  const db = createDb(await open(t, directory))
  const copying = new AbortController()
  const { signal } = copying
  let checks = 0
  t.mock.method(signal, 'throwIfAborted', () => {
    checks += 1
    if (checks === 20) copying.abort()
    if (signal.aborted) throw signal.reason
  })
  const copy = join(directory, 'copy')
  const copied = () => readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  await assert.rejects(db.copyTo(copy, soon(), signal), { name: 'AbortError' })
  assert.equal(copied().length, 19)
  rmSync(copy, { recursive: true })
  assert.deepEqual(await db.read('select 1 as one', [], soon()), [{ one: 1 }])
  await db.copyTo(copy, soon())
  assert(copied().length > 100)
})

test('damaged data ends the database: the message names the directory, and every call is refused', async (t) => {
  const directory = aDatabaseDirectory(t)
  const first = await open(t, directory)
  await run(first, 'create table spoiled (a text)')
  await run(first, "insert into spoiled select repeat('x', 100) from generate_series(1, 1000)")
  const [row] = await run(first, "select pg_relation_filepath('spoiled') as path")
  await first.close()
  const file = join(directory, 'pglite', (row as { path: string }).path)
  writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a))

  const { errors, onFatal } = fatalErrors()
  const driver = await open(t, directory, { onFatal })
  await assertEnd(driver, directory, errors, 'select count(*) as n from spoiled')
  await driver.close()
  assert.ok(readFileSync(file).every((byte) => byte === 0x5a))
})

test('a database that dies in the middle of a call is reported with the reason', async (t) => {
  const directory = aDatabaseDirectory(t)
  const { errors, onFatal } = fatalErrors()
  const driver = await open(t, directory, { onFatal })
  await run(driver, 'create table written (a text)')
  rmSync(join(directory, 'pglite', 'pg_wal'), { recursive: true })
  await assertEnd(
    driver,
    directory,
    errors,
    "select pg_switch_wal()::text, pg_logical_emit_message(true, 'a', 'b')::text",
  )
  assert.match(errors[0]!.message, /PANIC/)
  await driver.close()
})

test('files of another version are an error for the operator, and the lock is released', async (t) => {
  const directory = aDatabaseDirectory(t)
  await (await open(t, directory)).close()
  writeFileSync(join(directory, 'pglite', 'PG_VERSION'), '12\n')
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(open(t, directory), (error) => {
      return error instanceof OperatorError && error.message.includes(directory) && /incompatible/.test(error.message)
    })
  }
})

function fatalErrors() {
  const errors: Error[] = []
  return { errors, onFatal: (error: Error) => void errors.push(error) }
}

async function assertEnd(driver: Driver, directory: string, errors: Error[], sql: string): Promise<void> {
  const session = await driver.session(soon())
  const waiting = driver.session(soon())
  await Promise.all([
    assert.rejects(session.query(sql), OperatorError),
    assert.rejects(session.query('select 1 as n'), OperatorError),
    assert.rejects(waiting, OperatorError),
  ])
  await assert.rejects(driver.session(soon()), OperatorError)
  session.release(true)
  assert.equal(errors.length, 1)
  assert.ok(errors[0]!.message.includes(directory) && errors[0]!.message.includes('docs/operating.md'))
}

function start(t: TestContext, directory: string): ChildProcess {
  const process = spawn(globalThis.process.execPath, [...nodeOptions(), child, directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => process.kill('SIGKILL'))
  return process
}

/** Waits until the child has printed `word` as a line. Returns all lines so far. */
async function untilPrinted(process: ChildProcess, word: string): Promise<string[]> {
  let text = ''
  for await (const part of process.stdout!.iterator({ destroyOnReturn: false })) {
    text += part
    const lines = text.split('\n').slice(0, -1)
    if (lines.includes(word)) return lines
  }
  throw new Error(`the child ended before it printed ${word}: ${text}`)
}

async function killed(process: ChildProcess): Promise<void> {
  const exit = once(process, 'exit')
  process.kill('SIGKILL')
  await exit
}

async function endOf(process: ChildProcess): Promise<{ code: number | null; errors: string }> {
  let errors = ''
  process.stderr!.on('data', (part) => {
    errors += part
  })
  const [code] = await once(process, 'close')
  return { code, errors }
}
