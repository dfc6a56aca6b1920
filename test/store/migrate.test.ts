import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openService } from '../../src/cli/serve/service.ts'
import { readConfig } from '../../src/config.ts'
import type { Driver, Session } from '../../src/database/db/driver.ts'
import { migrate } from '../../src/database/db/migrate.ts'
import { createDb } from '../../src/database/db/transaction.ts'
import { openPostgres } from '../../src/database/postgres/driver.ts'
import { OperatorError } from '../../src/errors.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import {
  emptyTestDatabase,
  forEachEmptyDatabase,
  openOnServer,
  openTestDatabaseIn,
  testPostgresOptions,
} from '../support/databases.ts'
import { migrationFiles as files, installedIn } from '../support/installed-code.ts'
import { eventually } from '../support/waiting.ts'

const soon = () => performance.now() + 60_000

/** The driver, watched: `before` runs before each statement, and before each script, as only migrations are. */
function watched(driver: Driver, before: Readonly<{ query?: Watch; script?: Watch }>): Driver {
  return {
    ...driver,
    async session(deadlineAt, kind) {
      const session = await driver.session(deadlineAt, kind)
      return {
        ...session,
        async query(sql, params) {
          await before.query?.(sql, session)
          return await session.query(sql, params)
        },
        async script(sql) {
          await before.script?.(sql, session)
          await session.script(sql)
        },
      }
    },
  }
}

type Watch = (sql: string, session: Session) => Promise<void> | void

const LIMITS =
  "select setting::int as ms from pg_settings where name in ('statement_timeout', 'lock_timeout') order by name desc"
const HALF_AN_HOUR_MS = 30 * 60_000

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
    const db = await openTestDb(t, { through: (own) => watched(own, { query: (sql) => void sent.push(sql) }) })
    // A table needs a type of its name.
    await db.transaction((tx) => tx.query('create domain laurel_schema_version as text'), soon())
    await assert.rejects(migrate(db, soon()), { code: '42710' })
    assert.equal(sent.filter((sql) => sql.startsWith('create table')).length, 1)
  })

  test('a service on an older schema says that it migrates, and may then take as long to start as any other', async (t) => {
    let [skippedMs, stepMs] = [0, 0]
    const script = () => {
      skippedMs += stepMs
    }
    const db = await openTestDb(t, { through: (own) => watched(own, { script }) })
    const before = await installedIn(t, 'before')
    rmSync(join(before.migrations, files.at(-1)!))
    await before.migrate(db, soon())
    const now = performance.now.bind(performance)
    t.mock.method(performance, 'now', () => now() + skippedMs)
    stepMs = HALF_AN_HOUR_MS
    const observed: Observation[] = []
    const service = await openService(readConfig({}), {
      log: (one) => observed.push(one),
      onFatal: assert.fail,
      createMetrics,
      overrides: { openDatabase: async () => db },
    })
    await service.close()
    assert.equal(skippedMs, HALF_AN_HOUR_MS)
    assert.deepEqual(
      observed.filter(({ kind }) => kind === 'database-migrating'),
      [{ kind: 'database-migrating', from: files.length - 1, to: files.length }],
    )
  })

  if (driver === 'pglite') {
    test('migrations are found in a directory of any name', async (t) => {
      const installed = await installedIn(t, 'a [b] {c,d} (e) *?')
      assert.equal((await installed.migrate(await openTestDb(t), soon())).length, files.length)
    })

    test('an installation without migrations is refused', async (t) => {
      const installed = await installedIn(t, 'empty')
      for (const file of files) rmSync(join(installed.migrations, file))
      await assert.rejects(installed.migrate(await openTestDb(t), soon()), /^Error: no migrations in .*empty/)
    })
  }

  if (driver === 'postgres') {
    test('a database with another encoding than UTF-8 is refused with what to do, and left unchanged (decision 8)', async (t) => {
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

    test('a migration may take longer than a request, and than a start waits for the database', async (t) => {
      const limits: { ms: number }[] = []
      const script: Watch = async (_, session) => void limits.push(...(await session.query<{ ms: number }>(LIMITS)))
      const db = await openTestDb(t, { through: (own) => watched(own, { script }) })
      // Of a transaction: a session behind a pooler has none outside.
      const limitsBefore = await db.transaction((tx) => tx.query(LIMITS), soon())
      await migrate(db, soon())
      assert.equal(limits.length, 2 * files.length)
      for (const [place, { ms }] of limits.entries()) {
        // Others wait behind whoever waits for a lock.
        if (place % 2 === 0) assert(ms > HALF_AN_HOUR_MS, `${ms}`)
        else assert(ms <= 1_000, `${ms}`)
      }
      assert.deepEqual(await db.transaction((tx) => tx.query(LIMITS), soon()), limitsBefore)
    })

    test('a process that starts while another one migrates waits for it, longer than a request may wait for a lock', async (t) => {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      t.after(() => gate.resolve())
      const url = await emptyTestDatabase(t)
      const script = async () => {
        begun.resolve()
        await gate.promise
      }
      const first = await openOnServer(t, url, { through: (own) => watched(own, { script }) })
      const second = createDb(await openPostgres(url, { ...testPostgresOptions, lockTimeoutMs: 20 }))
      t.after(() => second.close())
      const ran = [migrate(first, soon())]
      await begun.promise
      ran.push(migrate(second, soon()))
      const waits = `select pid::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and clock_timestamp() > query_start + interval '100 ms'`
      const waiting = eventually('it waits', async () => (await first.read(waits, [], soon())).length > 0)
      await Promise.race([waiting, ran[1]])
      gate.resolve()
      assert.equal((await Promise.all(ran)).flat().length, files.length)
    })

    test('several processes that start at once apply each migration once', async (t) => {
      const db = await openTestDb(t)
      const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(db, soon())))
      assert.equal(ran.flat().length, files.length)
    })
  }
})
