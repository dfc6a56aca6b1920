import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type Postgrator from 'postgrator'
import { OperatorError } from '../../errors.ts'
import type { Observe } from '../../telemetry/observation.ts'
import { MIGRATION_STEPS, type MigrationStep } from '../migrations/steps.ts'
import { assertPlaced, placeNewTables, scriptOn } from './distribute.ts'
import type { Queryable } from './driver.ts'
import { readerOf } from './reader.ts'
import type { Db, Tx } from './transaction.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations/', import.meta.url))
/** The library takes a glob, and the path of an installation may contain its characters. */
const PATTERN = `${MIGRATIONS.replace(/[\\?*()[\]{}]/g, '\\$&')}*.sql`
const VERSION_TABLE = 'laurel_schema_version'
const versionTableSql = `select to_regclass('${VERSION_TABLE}')::text as version_table`
const currentVersionSql = `select coalesce(max(version), 0) as version from ${VERSION_TABLE}`
const compatibilityTableSql = `select to_regclass('laurel_schema_compatibility')::text as compatibility_table`
const oldestVersionSql = 'select max(oldest_version) as version from laurel_schema_compatibility'

/** An index over all entries of a large shop takes minutes; whoever waits for longer waits for a lock that nobody will release. */
const MIGRATION_TIMEOUT_MS = 60 * 60 * 1_000
/** Requests for a table queue behind a step that waits for it: they have to be answered in time even if a backup or a report holds it for an hour. */
const STEP_LOCK_TIMEOUT_MS = 500
const STEP_AGAIN_MS = 2_000
/** A lock that was not available, and a deadlock. */
const LOCK_STATES = ['55P03', '40P01']
const limitsSql = "select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true)"
const lockLimitSql = "select set_config('lock_timeout', $1, true)"

/**
 * Migrates the schema to the version this code expects: each migration in its own transaction, forward only. A newer schema that permits this
 * code is left as it is (docs/decisions/0219-compatibility.md). Safe to run from two processes at once, also of different versions: each
 * step locks the version table and checks again.
 *
 * `deadlineAt` by when the database has to answer what its schema is; each migration may then take an hour
 * `observe`    is told before the first migration of a schema that is there, and of a schema that is newer than this code
 * `before`     runs before the first migration of a schema that is there; if it rejects, nothing is migrated
 * Returns  the names of the migrations that this call ran
 * Errors   OperatorError when there are no migration files, the database does not store UTF-8, its schema is newer and does not permit this
 *          code, or, when another migration is due, an applied one was changed
 */
export async function migrate(
  db: Db,
  deadlineAt: number,
  observe: Observe = () => undefined,
  before: (from: number, to: number) => Promise<void> = async () => undefined,
): Promise<string[]> {
  await refuseOtherEncodings(db, deadlineAt)
  const latest = versions().at(-1)!
  const applied = await versionToMigrate(db, deadlineAt)
  if (applied > latest) {
    await refuseIncompatible(readerOf(db, deadlineAt), applied)
    observe({ kind: 'database-newer', version: applied, known: latest })
    return []
  }
  if (applied > 0 && applied < latest) {
    observe({ kind: 'database-migrating', from: applied, to: latest })
    await before(applied, latest)
  }
  return runMigrations(db, applied, latest)
}

/**
 * Migrates an empty database to the schema version that a backup has. Errors: OperatorError if this code does not know that version, or the database
 * has a later one.
 */
export async function migrateForBackup(db: Db, version: number, deadlineAt: number): Promise<void> {
  await refuseOtherEncodings(db, deadlineAt)
  const latest = versions().at(-1)!
  if (version > latest)
    throw new OperatorError(
      `the backup has schema version ${version}, this release knows up to ${latest}: restore it with the release that made it`,
    )
  const applied = await versionToMigrate(db, deadlineAt)
  if (applied > version)
    throw new OperatorError(
      `the database has schema version ${applied}, the backup ${version}: restore into a new data directory or database`,
    )
  await runMigrations(db, applied, version)
}

/** The version of the schema, 0 if there is none; then the table of versions is created. */
async function versionToMigrate(db: Db, deadlineAt: number): Promise<number> {
  const applied = await appliedVersion(db, deadlineAt)
  if (applied === undefined) await createVersionTable(db, deadlineAt)
  return applied ?? 0
}

/** Runs the migrations after a version, up to another, and returns the names of those that no other process has run. */
async function runMigrations(db: Db, after: number, upTo: number): Promise<string[]> {
  const ran: string[] = []
  for (const version of versions().filter((version) => version > after && version <= upTo))
    ran.push(...(await runMigration(db, version)))
  return ran
}

/** Runs the migration to a version: its name, or nothing if another process has run it meanwhile. */
async function runMigration(db: Db, version: number): Promise<string[]> {
  const deadlineAt = performance.now() + MIGRATION_TIMEOUT_MS
  for (;;) {
    try {
      return await tryMigration(db, version, deadlineAt)
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      if (!LOCK_STATES.includes(code ?? '') || performance.now() + STEP_AGAIN_MS > deadlineAt) throw error
      await sleep(STEP_AGAIN_MS)
    }
  }
}

async function tryMigration(db: Db, version: number, deadlineAt: number): Promise<string[]> {
  return await db.transaction(async (tx) => {
    // The session has the limits of a request.
    await tx.query(limitsSql, [Math.max(1, Math.ceil(deadlineAt - performance.now()))])
    // Others may read the version meanwhile.
    await tx.query(`lock table ${VERSION_TABLE} in exclusive mode`)
    const [current] = await tx.query<{ version: number }>(currentVersionSql)
    await refuseIncompatible(tx, current!.version)
    if (current!.version >= version) return []
    await tx.query(lockLimitSql, [STEP_LOCK_TIMEOUT_MS])
    const runner = await runnerOn(tx)
    const done = await runner.migrate(String(version)).catch(refuseChanged)
    await placeNewTables(tx)
    return done.map(({ version, name }) => `${version} ${name}`)
  }, deadlineAt)
}

/** Checks that the schema has the version this code expects, or a newer one that permits this code; changes nothing. Errors: OperatorError. */
export async function assertCurrent(db: Db, deadlineAt: number): Promise<void> {
  const latest = versions().at(-1)!
  const applied = await appliedVersion(db, deadlineAt)
  if (applied === undefined)
    throw new OperatorError('no Laurel tables in the database: check DATABASE_URL, or run laurel migrate')
  await refuseIncompatible(readerOf(db, deadlineAt), applied)
  if (applied < latest)
    throw new OperatorError(
      `schema version ${applied} is older than this release requires (${latest}): start the service once, or run laurel migrate`,
    )
  await assertPlaced(db, deadlineAt)
}

/** The version of a schema, 0 if there is none, and the oldest that code must know to open it; undefined if the database does not say. */
export type SchemaFound = Readonly<{ version: number; oldestVersion: number | undefined }>

/** The schema that a database has, also if it does not permit this code; changes nothing. */
export async function findSchema(db: Db, deadlineAt: number): Promise<SchemaFound> {
  const version = (await appliedVersion(db, deadlineAt)) ?? 0
  return { version, oldestVersion: await oldestVersion(readerOf(db, deadlineAt)) }
}

/** Errors: OperatorError if the schema is newer than this code and does not permit it (docs/decisions/0219-compatibility.md). */
export function assertPermitsThisCode({ version, oldestVersion }: SchemaFound): void {
  const latest = versions().at(-1)!
  if (version <= latest || (oldestVersion !== undefined && oldestVersion <= latest)) return
  throw new OperatorError(
    `schema version ${version} is newer than this release supports (${latest}): start the newer release`,
  )
}

/** The migrations that a schema of a version is still without, in order. */
export function stepsAfter(version: number): (MigrationStep & Readonly<{ version: number }>)[] {
  return versions()
    .filter((step) => step > version)
    .map((step) => ({ version: step, ...MIGRATION_STEPS[step]! }))
}

/** Whether a database contains Laurel's schema, in any version. */
export async function hasSchema(db: Db, deadlineAt: number): Promise<boolean> {
  return (await appliedVersion(db, deadlineAt)) !== undefined
}

/** The version of the schema; undefined if there is none. */
async function appliedVersion(db: Db, deadlineAt: number): Promise<number | undefined> {
  const [row] = await db.read<{ version_table: string | null }>(versionTableSql, [], deadlineAt)
  if (row!.version_table === null) return undefined
  const [applied] = await db.read<{ version: number }>(currentVersionSql, [], deadlineAt)
  return applied!.version
}

/** Other encodings cannot store many names, and would fail only once such a name arrives. */
async function refuseOtherEncodings(db: Db, deadlineAt: number): Promise<void> {
  const [row] = await db.read<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
    [],
    deadlineAt,
  )
  if (row!.encoding === 'UTF8') return
  throw new OperatorError(
    `the database has the encoding ${row!.encoding}, expected UTF8: create one with \`create database NAME encoding 'UTF8' template template0\``,
  )
}

/** What the schema permits is read after its version: a migration that runs in between can only have raised it. Errors: OperatorError. */
async function refuseIncompatible(db: Queryable, applied: number): Promise<void> {
  if (applied > versions().at(-1)!) assertPermitsThisCode({ version: applied, oldestVersion: await oldestVersion(db) })
}

/** The oldest version of the schema that code must know to open the database; undefined if the database does not say. */
async function oldestVersion(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ compatibility_table: string | null }>(compatibilityTableSql)
  if (row!.compatibility_table === null) return undefined
  const [oldest] = await db.query<{ version: number | null }>(oldestVersionSql)
  return oldest!.version ?? undefined
}

/** The library reports a changed migration as an error like any other. */
function refuseChanged(error: Error): never {
  const [, version] = /^MD5 checksum failed for migration \[(\d+)\]/.exec(error.message) ?? []
  if (version === undefined) throw error
  throw new OperatorError(
    `migration ${version} was changed after this database applied it: restore its file, or start the version that applied it`,
    { cause: error },
  )
}

/** The versions of all migrations, in order; at least one. Errors: OperatorError. */
function versions(): number[] {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql'))
  if (files.length === 0) throw new OperatorError(`no migrations in ${MIGRATIONS}: reinstall Laurel`)
  return files.map((file) => Number(file.split('.')[0])).sort((a, b) => a - b)
}

/** The library's own table, created here so that it can be locked before the library reads it. */
async function createVersionTable(db: Db, deadlineAt: number): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await tx.query(
        `create table if not exists ${VERSION_TABLE} (version bigint primary key, name text, md5 text, run_at timestamptz)`,
      )
    }, deadlineAt)
  } catch (error) {
    // When two sessions create a table at the same moment, one of them fails despite IF NOT EXISTS, once the other has created it.
    if (!(await hasSchema(db, deadlineAt))) throw error
  }
}

async function runnerOn(tx: Tx): Promise<Postgrator> {
  // Most starts and commands have nothing to migrate.
  const { default: Runner } = await import('postgrator')
  return new Runner({
    driver: 'pg',
    migrationPattern: PATTERN,
    schemaTable: VERSION_TABLE,
    newline: 'LF',
    execQuery: async (sql) => ({ rows: await tx.query(sql) }),
    execSqlScript: async (sql) => tx.script(await scriptOn(tx, sql)),
  })
}
