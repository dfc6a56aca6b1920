/*
 * The same tests on both drivers: the embedded database in memory, and a new database on a real server.
 */
import { after, describe, type TestContext } from 'node:test'
import type { Driver } from '../../src/store/db/driver.ts'
import { createDb, type Db, type DbOptions } from '../../src/store/db/transaction.ts'
import { openPglite } from '../../src/store/embedded/driver.ts'
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/driver.ts'
import { newDatabase, runOnce, startPostgresServer } from './postgres-server.ts'

/** Opens an empty database that is closed, and gone, after the test. */
export type OpenTestDb = (t: TestContext, options?: DbOptions) => Promise<Db>

export const testPostgresOptions: PostgresOptions = {
  poolMax: 8,
  statementTimeoutMs: 30_000,
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
}

/** Defines the tests of `define` once for each driver, under its name. */
export function forEachDatabase(define: (driver: Db['driver'], openTestDb: OpenTestDb) => void): void {
  describe('on the embedded database', () => define('pglite', openTestPglite))
  describe('on PostgreSQL', () => define('postgres', openTestPostgres))
}

export const openTestPglite: OpenTestDb = async (t, options = {}) => {
  const driver = await sharedPglite()
  const db = createDb({ ...driver, close: async () => undefined }, { onFatal: rethrow, ...options })
  await db.transaction(
    (tx) => tx.script('drop schema public cascade; create schema public'),
    performance.now() + 30_000,
  )
  t.after(() => db.close())
  return db
}

let pglite: Promise<Driver> | undefined

/**
 * One embedded database in memory for all tests of a file, emptied for each: making one takes two seconds.
 * Tests of one file run one after the other.
 */
function sharedPglite(): Promise<Driver> {
  pglite ??= openPglite(undefined, { onFatal: rethrow })
  return pglite
}

after(async () => (await pglite)?.close())

export const openTestPostgres: OpenTestDb = async (t, options = {}) => {
  const db = createDb(await openPostgres(await testDatabase(t), testPostgresOptions), { onFatal: rethrow, ...options })
  t.after(() => db.close())
  return db
}

/** The address of a new, empty database on the test server, dropped after the test. */
export async function testDatabase(t: TestContext): Promise<string> {
  const server = await testServerUrl()
  const url = await newDatabase(server)
  t.after(() => runOnce(server, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`))
  return url
}

let ownServer: Promise<string> | undefined

/** The server that `npm test` started or the caller named; one of this process alone when a single file is run by hand. */
function testServerUrl(): Promise<string> {
  const given = process.env.LAUREL_TEST_DATABASE_URL
  if (given) return Promise.resolve(given)
  ownServer ??= startPostgresServer().then((server) => server.url)
  return ownServer
}

function rethrow(error: Error): never {
  throw error
}
