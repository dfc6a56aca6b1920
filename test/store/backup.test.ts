import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'node:test'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { restoreBackupFile, writeBackupFile } from '../../src/database/backup/backup-file.ts'
import { readBackupText, writeBackupText } from '../../src/database/backup/backup-text.ts'
import { seal, unseal } from '../../src/database/backup/sealed.ts'
import { BACKUP_TABLES } from '../../src/database/backup/tables.ts'
import { migrateForBackup } from '../../src/database/db/migrate.ts'
import { createDb, type Db } from '../../src/database/db/transaction.ts'
import { openPostgres } from '../../src/database/postgres/driver.ts'
import { OperatorError } from '../../src/errors.ts'
import { importAll } from '../../src/resources/exports/import-all.ts'
import {
  forEachDatabase,
  type OpenTestDb,
  openEmptyPostgres,
  openOnServer,
  openTestPglite,
  openTestPostgres,
  testDatabase,
  testPostgresOptions,
} from '../support/databases.ts'
import { migrationFiles } from '../support/installed-code.ts'
import { temporaryDirectory } from '../support/service-process.ts'

const soon = () => performance.now() + 60_000
const OPTIONS = { laurel: '0.1.0', at: '2026-01-01T00:00:00.000Z', onRows: () => undefined }
const query = (db: Db, sql: string, ...params: unknown[]) =>
  db.transaction((tx) => tx.query<Record<string, string>>(sql, params), soon())

test('a backup has every table but those of the schema version', async (t) => {
  const db = await openTestPglite(t)
  const found = await query(
    db,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  )
  const names = found.map(({ name }) => name!).filter((name) => !name.startsWith('laurel_schema_'))
  assert.deepEqual([...BACKUP_TABLES].sort(), names.sort())
})

/** Text with all that COPY escapes, and with what looks like the format of a backup. */
const TEXTS = [
  '',
  'plain',
  '\\',
  '\\.',
  '\\N',
  'a\tb',
  'a\nb',
  '\r\n',
  '\\.\n',
  'COPY x (y) FROM stdin;',
  "it's",
  '你好 😀',
  '\\t',
]

async function fill(db: Db): Promise<void> {
  for (const [n, text] of TEXTS.entries())
    await query(
      db,
      `insert into unknown_products (sku, orders, predictions, first_named_at, last_named_at, order_id)
       values ($1, $2, 0, $3, '-infinity', $4)`,
      ...[`${n}${text}`, n, `2026-01-01T00:00:00.00000${n % 10}Z`, n % 2 === 0 ? null : text],
    )
  await query(db, `insert into settings values ('k', '{"a": "x\\\\ny"}', now(), $1)`, '\\x')
  await query(db, `insert into tokens values ('t', 'n', decode('00ff5c', 'hex'), '["read"]', now())`)
  await query(
    db,
    `insert into players select 'p' || n, 'n', '', '', '', '1999-01-01', 'male', '', '', '', '', '', '', decode('00', 'hex'), 1, now(), now()
     from generate_series(1, 20000) n`,
  )
}

/** Every row of every table, as text. */
async function contentOf(db: Db): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const table of BACKUP_TABLES)
    content[table] = (await query(db, `select t::text as row from ${table} t order by 1`)).map(({ row }) => row!)
  return content
}

forEachDatabase((driver, openTestDb) => {
  test('what was stored is restored, to the byte, on both databases', async (t) => {
    const path = join(temporaryDirectory(t), 'backup')
    const db = await openTestDb(t)
    await fill(db)
    await writeBackupFile(db, path, OPTIONS)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(existsSync(`${path}.unfinished`), false)
    const content = await contentOf(db)
    const others: OpenTestDb[] = [openTestPglite, openTestPostgres]
    for (const open of driver === 'pglite' ? others.slice(1) : others) {
      const restored = await open(t)
      const { rows } = await restoreBackupFile(restored, path, () => undefined)
      assert.deepEqual(await contentOf(restored), content)
      assert.equal(rows, Object.values(content).flat().length)
    }
  })

  test('a backup is one snapshot: what others write meanwhile is not in it', async (t) => {
    const path = join(temporaryDirectory(t), 'backup')
    const db = await openTestDb(t)
    await fill(db)
    const before = await contentOf(db)
    let writing: Promise<unknown> | undefined
    const onRows = () => {
      writing ??= query(db, "insert into products values ('s', 1, 1, now(), now())")
    }
    await writeBackupFile(db, path, { ...OPTIONS, onRows })
    await writing
    assert.equal((await query(db, 'select count(*)::text as n from products'))[0]!.n, '1')
    await query(db, 'delete from products')
    assert.deepEqual(await contentOf(db), before)
    const restored = await openEmptyPostgres(t)
    await restoreBackupFile(restored, path, () => undefined)
    assert.deepEqual(await contentOf(restored), before, 'the backup has no product')
  })
})

/** Reads a whole backup, as a restore does before it commits. */
async function readWhole(bytes: Buffer): Promise<void> {
  for await (const _ of readBackupText(unseal(Readable.from([bytes]))));
}

test('a backup in which one byte is another one, missing or added is refused', async (t) => {
  const path = join(temporaryDirectory(t), 'backup')
  const db = await openTestPglite(t)
  await query(db, "insert into products values ('s', 1, 1, now(), now())")
  await writeBackupFile(db, path, OPTIONS)
  const bytes = readFileSync(path)
  await readWhole(bytes)
  const refused = (changed: Buffer, what: string) =>
    assert.rejects(readWhole(changed), (error) => error instanceof OperatorError, what)
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1 << (at % 8)
    await refused(changed, `byte ${at}`)
    await refused(bytes.subarray(0, at), `the first ${at} bytes`)
  }
  await refused(Buffer.concat([bytes, Buffer.from('x')]), 'a byte more')
  await refused(Buffer.concat([bytes, bytes]), 'the same file twice')
})

test('a damaged, newer or foreign file, and a database that is not empty, are refused with one sentence and nothing is stored', async (t) => {
  const path = join(temporaryDirectory(t), 'backup')
  const db = await openTestPostgres(t)
  await query(db, "insert into products values ('s', 1, 1, now(), now())")
  await writeBackupFile(db, path, OPTIONS)
  const bytes = readFileSync(path)
  const text = (await zstd(bytes)).toString()
  const write = async (content: Buffer | string) =>
    writeFileSync(path, typeof content === 'string' ? await sealed(content) : content)
  const refused = async (expected: RegExp) =>
    assert.rejects(
      restoreBackupFile(db, path, () => undefined),
      (error) => error instanceof OperatorError && expected.test(error.message),
    )
  await refused(/^the database is not empty \(it has products\): restore into a new data directory or database$/)
  await query(db, 'delete from products')
  const cases: [Buffer | string, RegExp][] = [
    [bytes.subarray(0, -1), /^the backup is damaged: it is not complete, or a part of it was changed$/],
    [Buffer.from('not a backup'), /^expected a file made by laurel backup$/],
    [Buffer.alloc(0), /^expected a file made by laurel backup$/],
    ['select 1;\n', /^expected a file made by laurel backup$/],
    [
      text.replace('"format":1', '"format":2'),
      /^the backup was made by Laurel 0.1.0: restore it with that release, or a later one$/,
    ],
    [
      text.replace(/"schemaVersion":\d+/, '"schemaVersion":999'),
      /^the backup has schema version 999, this release knows up to \d+: restore it/,
    ],
    [text.replace('-- end of the backup\n', ''), /^the backup is damaged: its end is missing$/],
    [
      text.replace('COPY products (sku', 'COPY products (skew'),
      /^the backup is damaged: its table products has an unknown column skew$/,
    ],
    [
      text.replace('COPY products ', 'COPY pg_class '),
      /^the backup is damaged: its table pg_class has an unknown column sku/,
    ],
  ]
  for (const [content, expected] of cases) {
    await write(content)
    await refused(expected)
  }
  assert.equal((await query(db, 'select count(*)::text as n from products'))[0]!.n, '0')
  await write(text)
  await restoreBackupFile(db, path, () => undefined)
  assert.equal((await query(db, 'select count(*)::text as n from products'))[0]!.n, '1')
})

test('a backup of an earlier schema is restored and then migrated', async (t) => {
  const path = join(temporaryDirectory(t), 'backup')
  const latest = migrationFiles.length
  // All tables are there, and the last migration adds a column.
  const earlier = latest - 1
  const db = await openEmptyPostgres(t)
  await migrateForBackup(db, earlier, soon())
  await query(db, "insert into products values ('s', 1, 1, now(), now())")
  const head = { format: 1, laurel: '0.1.0', schemaVersion: earlier, at: OPTIONS.at } as const
  const text = await db.transaction((tx) => Array.fromAsync(writeBackupText(tx, head, () => undefined)), soon())
  writeFileSync(path, await sealed(text.join('')))
  const restored = await openEmptyPostgres(t)
  await restoreBackupFile(restored, path, () => undefined)
  const [found] = await query(
    restored,
    'select max(version)::text as version, (select sku from products) as sku from laurel_schema_version',
  )
  assert.deepEqual(found, { version: String(latest), sku: 's' })
})

const zstd = promisify(zstdDecompress)
const sealed = async (text: string) => Buffer.concat(await Array.fromAsync(seal(Readable.from([text]))))

test('a backup that locks, a restore and an import of everything wait for whoever still writes, also beyond the timeout of a lock', async (t) => {
  const path = join(temporaryDirectory(t), 'backup')
  const url = await testDatabase(t)
  const writer = await openOnServer(t, url)
  /** A database in which somebody writes until this one has waited in vain once. */
  const openBesideWriter = async (): Promise<Db> => {
    const { promise: waited, resolve: stop } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const writing = writer.transaction(async (tx) => {
      await tx.query("delete from settings where key = 'none'")
      begin()
      await waited
    }, soon())
    await begun
    const db = createDb(await openPostgres(url, { ...testPostgresOptions, lockTimeoutMs: 50 }), {
      onRetry: () => stop(),
    })
    t.after(async () => {
      await writing
      await db.close()
    })
    return db
  }
  await writeBackupFile(await openBesideWriter(), path, { ...OPTIONS, locks: true })
  const { rows } = await restoreBackupFile(await openBesideWriter(), path, () => undefined)
  assert.equal(rows, 0)
  const nothing = Readable.from(['{"noun":"end","records":0}\n'])
  assert.equal(await importAll(await openBesideWriter(), nothing, () => undefined), 0)
})
