import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Postgrator from 'postgrator'
import { OperatorError } from '../errors.ts'
import type { Db, Tx } from './transaction.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))
const VERSION_TABLE = 'laurel_schema_version'

/**
 * Brings the schema to the version of this code: each migration in a transaction of its own, forward only.
 * Safe when two processes do it at once: each step holds the lock of the version table and looks again.
 *
 * Answers  the names of the migrations that this call ran
 * Errors   OperatorError when the schema is newer than this code, or an applied migration was changed since
 */
export async function migrate(db: Db, deadlineAt: number): Promise<string[]> {
  await ensureVersionTable(db, deadlineAt)
  const ran: string[] = []
  for (const version of versions()) {
    const names = await db.transaction(async (tx) => {
      await tx.query(`lock table ${VERSION_TABLE} in access exclusive mode`)
      const runner = runnerOn(tx)
      const current = await runner.getDatabaseVersion()
      if (current > versions().at(-1)!) {
        throw new OperatorError(
          `the database has schema version ${current}, this program knows up to ${versions().at(-1)}: start the newer version`,
        )
      }
      return current >= version
        ? []
        : (await runner.migrate(String(version))).map(({ version, name }) => `${version} ${name}`)
    }, deadlineAt)
    ran.push(...names)
  }
  return ran
}

function versions(): number[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => Number(file.split('.')[0]))
    .sort((a, b) => a - b)
}

/** The library's own table, made here so that it can be locked before the library looks at it. */
async function ensureVersionTable(db: Db, deadlineAt: number): Promise<void> {
  const create = () =>
    db.transaction(async (tx) => {
      await tx.query(
        `create table if not exists ${VERSION_TABLE} (version bigint primary key, name text, md5 text, run_at timestamptz)`,
      )
    }, deadlineAt)
  // PostgreSQL lets one of two sessions that create a table at the same moment fail, IF NOT EXISTS or not; then it is there.
  await create().catch(create)
}

function runnerOn(tx: Tx): Postgrator {
  return new Postgrator({
    driver: 'pg',
    migrationPattern: `${MIGRATIONS}*.sql`,
    schemaTable: VERSION_TABLE,
    newline: 'LF',
    execQuery: async (sql) => ({ rows: await tx.query(sql) }),
    execSqlScript: async (sql) => tx.script(sql),
  })
}
