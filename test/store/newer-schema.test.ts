import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { assertCurrent, migrate } from '../../src/database/db/migrate.ts'
import type { Db } from '../../src/database/db/transaction.ts'
import { OperatorError } from '../../src/errors.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { emptyTestDatabase, forEachDatabase, openOnServer, testDatabase } from '../support/databases.ts'
import { ADDING_MIGRATION, migrationFiles, newerCode } from '../support/installed-code.ts'
import { runCommand } from '../support/run-command.ts'
import { openAppOn, type TestApp } from '../support/test-app.ts'

const soon = () => performance.now() + 60_000
const ours = migrationFiles.length

/** A migration that our code does not work with. */
const BREAKING = `
  alter table orders rename column points to points_earned;
  update laurel_schema_compatibility set oldest_version = ${ours + 1};`

const REFUSED = new RegExp(
  `^schema version ${ours + 1} is newer than this release supports \\(${ours}\\): start the newer release$`,
)
const isRefused = (error: Error) => error instanceof OperatorError && REFUSED.test(error.message)

/** A service of our code on a database, which it does not close. */
const openApp = (t: TestContext, db: Db) => openAppOn(t, async () => ({ ...db, close: async () => undefined }))

/** Uses the service as a shop does, with ids that end in `name`. */
async function assertServes(app: TestApp, name: string): Promise<void> {
  const order = anOrder({ order_id: `o-${name}`, user_id: `u-${name}`, total_amount: 100 })
  const replies = [
    await app.upsertPlayers([aPlayer({ User_id: `u-${name}` })]),
    await app.upsertProducts([{ product_sku_id: `sku-${name}`, amount: 10 }]),
    await app.predict(order),
    await app.record([order]),
    await app.record([{ ...order, total_amount: 300 }]),
    await app.ask('POST', `/api/players/u-${name}/adjustments`, {
      body: { data: { id: 'a-1', points: 5, counts: true, reason: 'sorry' } },
    }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  )
  const { body } = await app.ask('GET', `/api/players/u-${name}`)
  assert.deepEqual([body.points, body.entries.length], [35, 3])
}

async function assertVerifies(db: Db): Promise<void> {
  const { differing, entries } = await verifyLedger(db, () => undefined)
  assert.equal(differing, 0)
  assert(entries > 0)
}

const appliedTo = async (db: Db) =>
  (await db.read<{ version: number }>('select max(version) as version from laurel_schema_version', [], soon()))[0]!
    .version

forEachDatabase((driver, openTestDb) => {
  test('a newer schema that permits this code is opened, written to and left as it is, and the log says so once (decision 219)', async (t) => {
    const db = await openTestDb(t)
    const newer = await newerCode(t, ADDING_MIGRATION)
    await newer.migrate(db, soon())
    const app = await openApp(t, db)
    await assertServes(app, 'a')
    await assertVerifies(db)
    await assertCurrent(db, soon())
    assert.deepEqual(
      app.observations.filter(({ kind }) => kind.startsWith('database-')),
      [{ kind: 'database-newer', version: ours + 1, known: ours }],
    )
    assert.equal(await appliedTo(db), ours + 1)
  })

  test('a newer schema that does not permit this code is refused with what to do (decision 219)', async (t) => {
    const db = await openTestDb(t)
    await (await newerCode(t, BREAKING)).migrate(db, soon())
    for (const settle of [migrate, assertCurrent]) await assert.rejects(settle(db, soon()), isRefused)
    await assert.rejects(openApp(t, db), isRefused)
  })

  test('a newer schema that does not say which code it permits is refused (decision 219)', async (t) => {
    const db = await openTestDb(t)
    await (await newerCode(t, ADDING_MIGRATION)).migrate(db, soon())
    for (const sql of ['delete from laurel_schema_compatibility', 'drop table laurel_schema_compatibility']) {
      await db.transaction((tx) => tx.query(sql), soon())
      for (const settle of [migrate, assertCurrent]) await assert.rejects(settle(db, soon()), isRefused)
    }
  })

  test('a service runs on while newer code migrates, and starts again on the newer schema (decision 219)', async (t) => {
    const db = await openTestDb(t)
    const newer = await newerCode(t, ADDING_MIGRATION)
    const before = await openApp(t, db)
    await assertServes(before, 'before')
    const [ran] = await Promise.all([
      newer.migrate(db, soon()),
      ...['b', 'c', 'd'].map((name) => assertServes(before, name)),
    ])
    assert.deepEqual(ran, [`${ours + 1} later`])
    await assertServes(before, 'after')
    await before.service.close()
    const again = await openApp(t, db)
    await assertServes(again, 'again')
    await assertVerifies(db)
  })

  if (driver === 'postgres') {
    test('older and newer code that start at once migrate an empty database together (decision 219)', async (t) => {
      const db = await openOnServer(t, await emptyTestDatabase(t))
      const newer = await newerCode(t, ADDING_MIGRATION)
      const ran = await Promise.all([migrate, newer.migrate, migrate, newer.migrate].map((one) => one(db, soon())))
      assert.equal(ran.flat().length, ours + 1)
      assert.equal(await appliedTo(db), ours + 1)
    })

    test('a migration that waits for a table, as for a backup, does not make others wait for long (decision 219)', async (t) => {
      const url = await testDatabase(t)
      const db = await openOnServer(t, url)
      const newer = await newerCode(t, ADDING_MIGRATION)
      const backup = new pg.Client({ connectionString: url })
      await backup.connect()
      t.after(() => backup.end())
      await backup.query('begin; select from orders')
      let isDone = false
      const migrating = newer.migrate(db, soon()).finally(() => {
        isDone = true
      })
      const reader = await openOnServer(t, url)
      for (let reads = 0; reads < 8; reads += 1) {
        const beganAt = performance.now()
        await reader.read('select count(*) as n from orders', [], beganAt + 10_000)
        assert(performance.now() - beganAt < 5_000, 'it waits for the migration, which waits for the backup')
        await sleep(300)
      }
      assert(!isDone)
      await backup.query('commit')
      assert.deepEqual(await migrating, [`${ours + 1} later`])
    })

    test('commands work on a newer schema that permits them, and end with exit code 2 on another (decision 219)', async (t) => {
      const env = { DATABASE_URL: await testDatabase(t) }
      const db = await openOnServer(t, env.DATABASE_URL)
      await (await newerCode(t, ADDING_MIGRATION)).migrate(db, soon())
      const migrated = await runCommand(['migrate'], env)
      assert.deepEqual(
        [migrated.code, migrated.stdout],
        [0, 'the schema is newer than this release, but compatible: nothing was changed\n'],
      )
      assert.equal((await runCommand(['token', 'create', 'till', '--scope', 'predict'], env)).code, 0)
      await db.transaction(
        (tx) => tx.query('update laurel_schema_compatibility set oldest_version = $1', [ours + 1]),
        soon(),
      )
      for (const args of [['migrate'], ['token', 'list']]) {
        const { code, stderr } = await runCommand(args, env)
        assert.equal(code, 2)
        assert.match(
          stderr,
          /^laurel: schema version \d+ is newer than this release supports \(\d+\): start the newer release/,
        )
      }
    })
  }
})
