/*
 * The same tests on both drivers: the embedded database in memory, and a new database on a real server, both copied from templates.
 */
import { after, describe, type TestContext } from 'node:test'
import pg from 'pg'
import type { Driver } from '../../src/database/db/driver.ts'
import { migrate } from '../../src/database/db/migrate.ts'
import { createDb, type Db, type DbOptions } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { SERVICE_BUFFERS_MB } from '../../src/database/embedded/shared-buffers.ts'
import { openPostgres, type PostgresOptions } from '../../src/database/postgres/driver.ts'
import { joinDatabase, type Servers, serversAt } from './cluster.ts'
import { embeddedTemplate, serverTemplate } from './database-templates.ts'
import { newDatabase, type Run, renameDatabase, runOn, startPostgresServer } from './postgres-server.ts'
import { eventually } from './waiting.ts'

/** `through` wraps the driver of the database. */
type TestDbOptions = DbOptions & Readonly<{ through?: (driver: Driver) => Driver }>

/** A test, or a suite whose tests share something: what it opens is closed after it. */
export type Lifetime = Pick<TestContext, 'after'>

/** Opens a database with our schema and no rows. It is closed and dropped after the test. */
export type OpenTestDb = (t: Lifetime, options?: TestDbOptions) => Promise<Db>

export const testPostgresOptions: PostgresOptions = {
  poolMax: 8,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
}

/** Defines the tests of `define` once for each driver, in a `describe` with its name. */
export function forEachDatabase(define: (driver: Db['driver'], openTestDb: OpenTestDb) => void): void {
  describe('on the embedded database', () => define('pglite', openTestPglite))
  describe('on PostgreSQL', () => define('postgres', openTestPostgres))
}

/** The same for tests that need a database without even a schema. */
export function forEachEmptyDatabase(define: (driver: Db['driver'], openTestDb: OpenTestDb) => void): void {
  describe('on the embedded database', () => define('pglite', openEmptyPglite))
  describe('on PostgreSQL', () => define('postgres', openEmptyPostgres))
}

export const openTestPglite: OpenTestDb = async (t, options) => {
  const shared = await sharedPglite()
  const db = createTestDb(t, shared.driver, options)
  if (!(await empty(queryOn(shared.driver), shared.template))) {
    await dropSchema(db)
    await migrate(db, soon())
    shared.template = await contentOf(queryOn(shared.driver))
  }
  return db
}

const openEmptyPglite: OpenTestDb = async (t, options) => {
  const { driver } = await sharedPglite()
  const db = createTestDb(t, driver, options)
  await dropSchema(db)
  return db
}

type SharedPglite = {
  readonly driver: Driver
  /** As created: a test that changes more than rows leaves another schema. */
  template: Content
}

let pglite: Promise<SharedPglite> | undefined

/** One in-memory embedded database for all tests of a process, which run one after the other. */
function sharedPglite(): Promise<SharedPglite> {
  pglite ??= (async () => {
    const driver = await openPglite(undefined, {
      onFatal: rethrow,
      dumpFile: (await embeddedTemplate()).file,
      // As a service opens it: the size decides where COPY places rows, and so which plan is the cheaper of two that are nearly equal.
      sharedBuffersMb: SERVICE_BUFFERS_MB,
    })
    return { driver, template: await contentOf(queryOn(driver)) }
  })()
  return pglite
}

after(async () => (await pglite)?.driver.close())

function createTestDb(t: Lifetime, driver: Driver, { through = (own) => own, ...options }: TestDbOptions = {}): Db {
  const db = createDb(through({ ...driver, close: async () => undefined }), { onFatal: rethrow, ...options })
  t.after(() => db.close())
  return db
}

function queryOn(driver: Driver): Query {
  return async (sql) => {
    const session = await driver.session(soon())
    try {
      return await session.query(sql)
    } finally {
      session.release(false)
    }
  }
}

type Query = (sql: string) => Promise<object[]>

/** `schema` is a digest of tables with their columns, constraints, functions and triggers, of the applied migrations, and of what the schema permits. */
type Content = Readonly<{ schema: string; tables: readonly string[]; used: readonly string[] }>

const CONTENT = `
  with tables as (
    -- The rows of a distributed table are elsewhere; it is known by its trigger.
    select oid::regclass::text as name, pg_relation_size(oid) > 0
      or exists (select from pg_trigger where tgrelid = pg_class.oid and tgname like 'truncate_trigger%') as is_used
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not starts_with(relname, 'laurel_schema_')
  ), parts as (
    select row(attrelid, attname, atttypid, attnotnull, attisdropped)::text as part
    from pg_attribute join pg_class c on c.oid = attrelid where c.relnamespace = 'public'::regnamespace
    union all select row(oid, conname)::text from pg_constraint where connamespace = 'public'::regnamespace
    union all select row(oid, proname)::text from pg_proc where pronamespace = 'public'::regnamespace
    union all select row(oid, tgname)::text from pg_trigger
    union all select row(version, md5)::text from laurel_schema_version
    union all select row(oldest_version)::text from laurel_schema_compatibility
  )
  select (select md5(string_agg(part, ' ' order by part)) from parts) as schema,
    (select json_agg(name)::text from tables) as tables, (select json_agg(name)::text from tables where is_used) as used`
const UNDEFINED_TABLE = '42P01'

async function contentOf(query: Query): Promise<Content> {
  try {
    const [row] = (await query(CONTENT)) as [{ schema: string; tables: string; used: string | null }]
    return { schema: row.schema, tables: JSON.parse(row.tables), used: JSON.parse(row.used ?? '[]') }
  } catch (error) {
    if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error
    return { schema: 'none', tables: [], used: [] }
  }
}

/**
 * Drops the tables that a test has added and empties the others that have rows: truncating an empty one takes just as long.
 * Returns false if the schema is still not that of the template.
 */
async function empty(query: Query, template: Content): Promise<boolean> {
  let left = await contentOf(query)
  const added = left.tables.filter((name) => !template.tables.includes(name))
  if (added.length > 0) {
    await query(`drop table ${added.join()}`)
    left = await contentOf(query)
  }
  if (left.schema !== template.schema) return false
  if (left.used.length > 0) await query(`truncate ${left.used.join()}`)
  return true
}

async function dropSchema(db: Db): Promise<void> {
  await db.transaction((tx) => tx.script('drop schema public cascade; create schema public'), soon())
}

export const openTestPostgres: OpenTestDb = async (t, options) => openOnServer(t, await testDatabase(t), options)

export const openEmptyPostgres: OpenTestDb = async (t, options) => openOnServer(t, await emptyTestDatabase(t), options)

/** Opens the database at a URL, such as that of a proxy before one of the test server. It is closed after the test. */
export async function openOnServer(
  t: Lifetime,
  url: string,
  { through = (own) => own, ...options }: TestDbOptions = {},
): Promise<Db> {
  const db = createDb(through(await openPostgres(url, testPostgresOptions)), { onFatal: rethrow, ...options })
  t.after(() => db.close())
  return db
}

/** The URL of a database on the test server with our schema and no rows, which belongs to the test until its end. */
export async function testDatabase(t: Lifetime): Promise<string> {
  const server = await testServerUrl()
  template ??= testServers().then((servers) => serverTemplate(servers, runOnServer))
  await tidyUp()
  const url = unused.pop() ?? (await newDatabase(server, await template, runOnServer))
  t.after(() => void untidied.push(() => takeBack(server, url)))
  return url
}

let template: Promise<string> | undefined

/**
 * What is left to do with the databases of tests that have ended. It is done before the next test that needs a database: hooks run in the order in
 * which they were registered, so that the one of a database runs while the service on it still does; and one that fails keeps the others from running.
 */
const untidied: (() => Promise<void>)[] = []

async function tidyUp(): Promise<void> {
  for (let next = untidied.pop(); next !== undefined; next = untidied.pop()) await next()
}

/** Empty databases. Creating one takes ten times as long as emptying one. */
const unused: string[] = []

after(async () => {
  await tidyUp()
  for (const url of unused) await drop(url)
  for (const client of (await administration) ?? []) await client.end()
})

/** Empties a database for the next test. It gets another name, so that anything still running for this test does not find it. */
async function takeBack(server: string, url: string): Promise<void> {
  const renamed = await renameDatabase(url, await runsOnServers())
  templateContent ??= contentOfTemplate(server)
  const template = await templateContent
  // A database whose schema a test has changed is of no use to others.
  if (await connected(renamed, (query) => empty(query, template))) unused.push(renamed)
  else await drop(renamed)
}

let templateContent: Promise<Content> | undefined

async function contentOfTemplate(server: string): Promise<Content> {
  const url = await newDatabase(server, await template, runOnServer)
  unused.push(url)
  return await connected(url, contentOf)
}

async function connected<T>(url: string, act: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await act(async (sql) => (await client.query(sql)).rows)
  } finally {
    await client.end()
  }
}

/** The URL of a new database on the test server without a schema, dropped after the test. */
export async function emptyTestDatabase(t: Lifetime): Promise<string> {
  const server = await testServerUrl()
  await tidyUp()
  const url = await newDatabase(server, undefined, runOnServer)
  await joinDatabase(await testServers(), url)
  t.after(() => void untidied.push(() => drop(url)))
  return url
}

/** A new database on the test server in another encoding, without a schema. */
export async function openTestDatabaseIn(encoding: string, t: Lifetime): Promise<Db> {
  const server = await testServerUrl()
  const url = await newDatabase(server, `template0 encoding '${encoding}' locale 'C'`, runOnServer)
  t.after(() => void untidied.push(() => drop(url)))
  return openOnServer(t, url)
}

/** A cluster may begin to maintain a database again after all sessions there were ended, so that it cannot be dropped yet. */
async function drop(url: string): Promise<void> {
  const isDropped = () =>
    runOnServer(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`).then(
      () => true,
      (error: pg.DatabaseError) => (error.code === IN_USE ? false : rethrow(error)),
    )
  await eventually('the database of a test is dropped', isDropped)
}

const IN_USE = '55006'

/** One connection to each server for all statements about databases: opening it costs more than they do. */
let administration: Promise<readonly pg.Client[]> | undefined

const runOnServer: Run = async (...statements) => {
  for (const run of await runsOnServers()) await run(...statements)
}

/** What runs statements, for each server. */
async function runsOnServers(): Promise<Run[]> {
  administration ??= testServers().then((servers) => Promise.all(servers.map(administrate)))
  return (await administration).map(
    (client) =>
      (...statements) =>
        runOn(client, statements),
  )
}

async function administrate(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The server may stop first.
  await client.connect()
  return client
}

let servers: Promise<Servers> | undefined

function testServers(): Promise<Servers> {
  servers ??= testServerUrl().then(serversAt)
  return servers
}

let ownServer: Promise<string> | undefined

/** The server that `npm test` started or the caller named, or one for this process only when a file is run directly. */
function testServerUrl(): Promise<string> {
  const given = process.env.LAUREL_TEST_DATABASE_URL
  if (given) return Promise.resolve(given)
  ownServer ??= startPostgresServer().then((server) => server.url)
  return ownServer
}

function soon(): number {
  return performance.now() + 60_000
}

function rethrow(error: Error): never {
  throw error
}
