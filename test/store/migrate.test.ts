import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { OperatorError } from '../../src/errors.ts'
import type { Driver } from '../../src/store/db/driver.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { forEachEmptyDatabase, openTestDatabaseIn } from '../support/databases.ts'
import { temporaryDirectory } from '../support/service-process.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
const soon = () => performance.now() + 60_000
const files = readdirSync(join(PROJECT, 'src/store/migrations')).filter((file) => file.endsWith('.sql'))

/** Copies what migrates, with its migrations, to a directory of this name. */
async function installedIn(t: TestContext, name: string) {
  const copy = join(temporaryDirectory(t), name)
  for (const part of ['package.json', 'src/errors.ts', 'src/store/db', 'src/store/migrations'])
    cpSync(join(PROJECT, part), join(copy, part), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), join(copy, 'node_modules'))
  const { href } = pathToFileURL(join(copy, 'src/store/db/migrate.ts'))
  const installed: { migrate: typeof migrate } = await import(href)
  return { migrate: installed.migrate, migrations: join(copy, 'src/store/migrations') }
}

/** The driver, telling each statement before it is sent. */
function listening(driver: Driver, tell: (sql: string) => void): Driver {
  return {
    ...driver,
    async session(deadlineAt, kind) {
      const session = await driver.session(deadlineAt, kind)
      return {
        ...session,
        query: (sql, params) => {
          tell(sql)
          return session.query(sql, params)
        },
      }
    },
  }
}

forEachEmptyDatabase((driver, openTestDb) => {
  test('an empty database gets every migration once, in order', async (t) => {
    const db = await openTestDb(t)
    const ran = await migrate(db, soon())
    assert.deepEqual(
      ran.map((name) => Number(name.split(' ')[0])),
      files.map((_, index) => index + 1),
    )
    assert.deepEqual(await migrate(db, soon()), [])
  })

  test('a schema that is newer than this code is refused', async (t) => {
    const db = await openTestDb(t)
    await migrate(db, soon())
    await db.transaction((tx) => tx.query('insert into laurel_schema_version (version) values (999)'), soon())
    await assert.rejects(
      migrate(db, soon()),
      (error: Error) => error instanceof OperatorError && /version 999/.test(error.message),
    )
  })

  test('a migration changed after it was applied is refused when the next one is applied', async (t) => {
    const db = await openTestDb(t)
    await migrate(db, soon())
    await db.transaction(async (tx) => {
      await tx.query(`delete from laurel_schema_version where version = ${files.length}`)
      await tx.query("update laurel_schema_version set md5 = 'other' where version = 1")
    }, soon())
    await assert.rejects(
      migrate(db, soon()),
      (error: Error) =>
        error instanceof OperatorError &&
        /^migration 1 was changed after this database applied it: restore /.test(error.message),
    )
  })

  test('a version table that cannot be created is an error at once', async (t) => {
    const sent: string[] = []
    const db = await openTestDb(t, { through: (own) => listening(own, (sql) => sent.push(sql)) })
    // A table needs a type of its name.
    await db.transaction((tx) => tx.query('create domain laurel_schema_version as text'), soon())
    await assert.rejects(migrate(db, soon()), { code: '42710' })
    assert.equal(sent.filter((sql) => sql.startsWith('create table')).length, 1)
  })

  if (driver === 'pglite') {
    test('migrations are found in a directory of any name', async (t) => {
      const installed = await installedIn(t, 'a [b] {c,d} (e) *?')
      assert.equal((await installed.migrate(await openTestDb(t), soon())).length, files.length)
    })

    test('an installation without migrations is refused', async (t) => {
      const installed = await installedIn(t, 'empty')
      for (const file of files) rmSync(join(installed.migrations, file))
      await assert.rejects(installed.migrate(await openTestDb(t), soon()), /^Error: there are no migrations in .*empty/)
    })
  }

  if (driver === 'postgres') {
    test('a database with another encoding than UTF-8 is refused with what to do, and left unchanged (decision 11)', async (t) => {
      const db = await openTestDatabaseIn('LATIN1', t)
      await assert.rejects(migrate(db, soon()), (error: Error) => {
        assert(error instanceof OperatorError)
        assert.match(error.message, /^the database has the encoding LATIN1, expected UTF8: create one with /)
        return true
      })
      assert.deepEqual(await db.read("select to_regclass('laurel_schema_version')::text as found", [], soon()), [
        { found: null },
      ])
    })

    test('several processes that start at once apply each migration once', async (t) => {
      const db = await openTestDb(t)
      const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(db, soon())))
      assert.equal(ran.flat().length, files.length)
    })
  }
})
