/*
 * What migrates, installed once more elsewhere: for tests of code that knows other migrations than this one.
 */
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { migrate } from '../../src/database/db/migrate.ts'
import { temporaryDirectory } from './service-process.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** The files of our migrations, in order. */
export const migrationFiles = readdirSync(join(PROJECT, 'src/database/migrations'))
  .filter((file) => file.endsWith('.sql'))
  .sort()

/** A migration that only adds: a column to every table, a table and an index. */
export const ADDING_MIGRATION = `
  do $$ declare table_name text; begin
    for table_name in select oid::regclass from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('alter table %s add column added_later text', table_name);
    end loop;
  end $$;
  create table added_later (user_id text collate "C" primary key, n bigint not null);
  create index orders_added_later on orders (user_id) where added_later is not null;`

/** Copies what migrates, with its migrations, to a directory of this name. */
export async function installedIn(t: TestContext, name: string) {
  const copy = join(temporaryDirectory(t), name)
  for (const part of ['package.json', 'src/errors.ts', 'src/database/db', 'src/database/migrations'])
    cpSync(join(PROJECT, part), join(copy, part), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  const { href } = pathToFileURL(join(copy, 'src/database/db/migrate.ts'))
  const installed: { migrate: typeof migrate } = await import(href)
  return { migrate: installed.migrate, migrations: join(copy, 'src/database/migrations') }
}

/** What a later version of Laurel migrates: our migrations, and `sql` as the next one. */
export async function newerCode(t: TestContext, sql: string) {
  const installed = await installedIn(t, 'newer')
  const version = migrationFiles.length + 1
  writeFileSync(join(installed.migrations, `${String(version).padStart(4, '0')}.do.later.sql`), sql)
  return { migrate: installed.migrate, version }
}
