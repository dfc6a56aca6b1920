import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import pg from 'pg'
import { blockOf } from '../../src/database/db/distribute.ts'
import { MIGRATION_STEPS } from '../../src/database/migrations/steps.ts'
import { emptyTestDatabase } from '../support/databases.ts'
import { migrationFiles } from '../support/installed-code.ts'

/** The tables from before a transaction that it keeps others from writing to. The other modes conflict with no write. */
const LOCKED = `
  select distinct relation::regclass::text as name from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and relation::regclass::text = any($1)
    and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  order by name`
const TABLES = `
  select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`

test('every migration is described, locks the tables that its description names and no others, and runs as a block, as on a cluster (decisions 162 and 219)', async (t) => {
  const client = new pg.Client({ connectionString: await emptyTestDatabase(t) })
  await client.connect()
  try {
    for (const file of migrationFiles) {
      const step = MIGRATION_STEPS[Number.parseInt(file, 10)]
      assert(step !== undefined, `${file}: describe it in src/database/migrations/steps.ts`)
      const { rows: before } = await client.query<{ name: string }>(TABLES)
      await client.query('begin')
      await client.query(
        blockOf(readFileSync(new URL(`../../src/database/migrations/${file}`, import.meta.url), 'utf8')),
      )
      const { rows: locked } = await client.query<{ name: string }>(LOCKED, [before.map(({ name }) => name)])
      await client.query('commit')
      assert.deepEqual(
        locked.map(({ name }) => name),
        step.locks?.tables ?? [],
        file,
      )
    }
  } finally {
    await client.end()
  }
  assert.equal(Object.keys(MIGRATION_STEPS).length, migrationFiles.length)
})
