/*
 * The migrated, empty databases that test databases are copied from. The first start of the embedded database takes seconds, and a copy a quarter of
 * a second. The template is cached beside the packages until a migration or a package changes.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { distributeTables } from '../../src/database/db/distribute.ts'
import { migrate } from '../../src/database/db/migrate.ts'
import { createDb, type Db } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { openPostgres } from '../../src/database/postgres/driver.ts'
import { joinDatabase, type Servers } from './cluster.ts'
import type { Run } from './postgres-server.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
const KEPT = join(PROJECT, 'node_modules/.cache/laurel/test-databases')
const MIGRATIONS = join(PROJECT, 'src/database/migrations')
const MIGRATE_TIMEOUT_MS = 120_000
const KEPT_MS = 7 * 86_400_000
const LOCK = 'laurel test template'

export type EmbeddedTemplate = Readonly<{
  /** A data directory that no process has locked, to be copied. */
  directory: string
  /** The same as one file, from which an in-memory database starts. */
  file: string
}>

/** The template of embedded databases, created if missing. */
export async function embeddedTemplate(): Promise<EmbeddedTemplate> {
  const place = join(KEPT, version())
  if (!existsSync(place)) {
    const unfinished = `${place}.${process.pid}`
    await makeEmbedded(unfinished)
    removeOld()
    // Another process may have created it meanwhile.
    if (!existsSync(place)) renameSync(unfinished, place)
    rmSync(unfinished, { recursive: true, force: true })
  }
  return templateIn(place)
}

/** The name of the template on PostgreSQL servers, created if missing. `run` runs statements on all of them. */
export async function serverTemplate(servers: Servers, run: Run): Promise<string> {
  const name = `laurel_test_template_${version()}`
  const client = new pg.Client({ connectionString: servers[0]! })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      const unfinished = `${name}_unfinished`
      await run(`drop database if exists ${unfinished} with (force)`, `create database ${unfinished}`)
      await migrateServer(servers, unfinished)
      await run(
        `alter database ${unfinished} with allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${unfinished}'`,
        `alter database ${unfinished} rename to ${name}`,
      )
    }
  } finally {
    await client.end()
  }
  return name
}

let known: string | undefined

/** A digest of everything that a migrated database depends on. */
function version(): string {
  if (known !== undefined) return known
  const hash = createHash('sha256').update(readFileSync(join(PROJECT, 'package-lock.json')))
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, name)))
  known = hash.digest('hex').slice(0, 16)
  return known
}

function templateIn(place: string): EmbeddedTemplate {
  return { directory: join(place, 'data'), file: join(place, 'data.tar') }
}

async function makeEmbedded(place: string): Promise<void> {
  const { directory, file } = templateIn(place)
  mkdirSync(place, { recursive: true })
  await migrated(createDb(await openPglite(directory, { onFatal: rethrow }), { onFatal: rethrow }), false)
  // Opening a directory changes its files, so the template itself is never opened.
  const copy = join(place, 'copy')
  cpSync(join(directory, 'pglite'), copy, { recursive: true })
  const pglite = await PGlite.create({ dataDir: `file://${copy}` })
  writeFileSync(file, await (await pglite.dumpDataDir('none')).bytes())
  await pglite.close()
  rmSync(copy, { recursive: true })
}

async function migrateServer(servers: Servers, database: string): Promise<void> {
  const address = new URL(servers[0]!)
  address.pathname = `/${database}`
  await joinDatabase(servers, address.href)
  const limits = {
    poolMax: 1,
    statementTimeoutMs: MIGRATE_TIMEOUT_MS,
    lockTimeoutMs: MIGRATE_TIMEOUT_MS,
    idleInTransactionTimeoutMs: MIGRATE_TIMEOUT_MS,
  }
  await migrated(createDb(await openPostgres(address.href, limits), { onFatal: rethrow }), servers.length > 1)
}

async function migrated(db: Db, isCluster: boolean): Promise<void> {
  try {
    await migrate(db, performance.now() + MIGRATE_TIMEOUT_MS)
    if (isCluster) await distributeTables(db, undefined)
  } finally {
    await db.close()
  }
}

/** Deletes the templates of other versions. */
function removeOld(): void {
  for (const name of readdirSync(KEPT)) {
    const path = join(KEPT, name)
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

function rethrow(error: Error): never {
  throw error
}
