import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { OperatorError } from '../../src/errors.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { forEachEmptyDatabase, openTestDatabaseIn } from '../support/databases.ts'

const soon = () => performance.now() + 60_000
const files = readdirSync(new URL('../../src/store/migrations/', import.meta.url)).filter((file) =>
  file.endsWith('.sql'),
)

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
    await assert.rejects(migrate(db, soon()), /checksum/i)
  })

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
