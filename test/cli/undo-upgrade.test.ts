/*
 * The copy of an embedded database from before it is migrated, and how it is put back: on data of commit 6168b5d, whose schema has version 25.
 */
import assert from 'node:assert/strict'
import fs, {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createDb } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { unpackDatabase } from '../../src/database/embedded/fresh-database.ts'
import { copyBeforeUpgrade, findUpgradeCopy, putCopyBack } from '../../src/database/embedded/upgrade-copy.ts'
import { OperatorError } from '../../src/errors.ts'
import { anOrder } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { migrationFiles } from '../support/installed-code.ts'
import { runCommand } from '../support/run-command.ts'
import { launch, startService, temporaryDirectory } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

const latest = migrationFiles.length
const THEN = 25
const COPY = new RegExp(`^schema-${THEN}-before-${latest}-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z$`)

const noObserver = () => assert.fail('nothing is to be observed')

/** The data directory of commit 6168b5d, with commands on it. */
function olderDirectory(t: TestContext) {
  const data = join(temporaryDirectory(t), 'data')
  mkdirSync(data, { mode: 0o700 })
  unpackDatabase(join(import.meta.dirname, '../fixtures/6168b5d/embedded.zst'), data)
  const env = { LAUREL_DATA: data }
  const laurel = (...args: string[]) => runCommand(args, env)
  const json = async (...args: string[]) => JSON.parse((await laurel(...args, '--json')).stdout)
  return {
    ...{ data, env, laurel, json },
    directories: () => readdirSync(data).filter((name) => name.startsWith('schema-')),
    version: async () => (await json('migrate', '--check')).schema_version,
    record: async (orderId: string) => {
      const file = join(temporaryDirectory(t), 'orders.ndjson')
      writeFileSync(file, `${JSON.stringify(anOrder({ order_id: orderId, user_id: 'u-05', products: [] }))}\n`)
      assert.equal((await laurel('import', 'orders', file)).code, 0)
    },
  }
}

test('an embedded database is copied before it is migrated, and --undo puts the copy back once somebody agrees to what is lost', async (t) => {
  const { data, laurel, json, record, version, directories } = olderDirectory(t)
  const none = await laurel('migrate', '--undo')
  assert.equal(none.code, 2)
  assert.match(none.stderr, /^laurel: no copy to put back in .*: a database is copied before it is migrated, and only /)
  assert.equal(await version(), THEN)

  const migrated = await laurel('migrate')
  assert.match(migrated.stdout, /^copied to: \S+\/data\/schema-25-before-\S+Z\napplied: 26 /)
  const [name] = directories()
  assert.match(name!, COPY)
  const { orders, players } = await json('ledger', 'verify')
  await record('later-1')
  await record('later-2')

  const asked = await laurel('migrate', '--undo')
  assert.equal(asked.code, 2)
  assert.match(
    asked.stderr,
    /^laurel: 2 orders recorded since \S+Z, and every other change since then, would be lost\. Nothing was changed; add --yes to do it\n$/,
  )
  assert.equal(await version(), latest)

  const undone = await laurel('migrate', '--undo', '--yes')
  assert.equal(undone.code, 0, undone.stderr)
  assert.match(
    undone.stdout,
    /^the database is as it was at \S+Z, with schema version 25: start the release before\n2 orders recorded since .* is only in \S+-undone\n$/,
  )
  assert.equal(await version(), THEN)
  assert.deepEqual(directories(), [`${name}-undone`])
  const aside = await runCommand(['order', 'show', 'later-2'], { LAUREL_DATA: join(data, `${name}-undone`) })
  assert.equal(aside.code, 0, aside.stderr)

  // Once more: what was set aside stays.
  assert.match((await json('migrate')).copied_to, /schema-25-before-/)
  assert.equal((await laurel('order', 'show', 'later-2')).code, 1)
  const again = await json('ledger', 'verify')
  assert.deepEqual([again.orders, again.players, again.differing], [orders, players, 0])
  const kept = directories()
  assert.equal(kept.length, 2)
  assert(kept.includes(`${name}-undone`))
  const { orders_lost, schema_version } = await json('migrate', '--undo', '--yes')
  assert.deepEqual([orders_lost, schema_version], [0, THEN])
})

test('a service copies before it migrates, says so in its log, and nothing is undone while it runs', async (t) => {
  const { data, laurel, directories } = olderDirectory(t)
  const service = await startService({ data, token: '' })
  t.after(() => service.kill())
  assert.match(service.stdout(), /"directory":"\S+\/schema-25-before-[^"]+","durationMs":\d+,"msg":"database-copied"/)
  const refused = await laurel('migrate', '--undo', '--yes')
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, new RegExp(`is in use by process ${service.pid}: stop it`))
  await service.stop()
  assert.equal(directories().length, 1)
  assert.equal((await laurel('migrate', '--undo', '--yes')).code, 0)
})

test('--no-copy migrates without a copy, and a database that is new or up to date is not copied', async (t) => {
  const { laurel, directories } = olderDirectory(t)
  assert.match((await laurel('migrate', '--no-copy')).stdout, /^applied: 26 /)
  assert.deepEqual(directories(), [])
  await laurel('migrate')
  assert.deepEqual(directories(), [])
  const data = join(temporaryDirectory(t), 'new')
  await runCommand(['migrate'], { LAUREL_DATA: data })
  assert.deepEqual(readdirSync(data).sort(), ['lock.sqlite', 'log-position', 'pglite'])
})

test('--undo refuses a copy from before an earlier upgrade, after which the database was migrated without a copy', async (t) => {
  const { data, laurel, version, directories } = olderDirectory(t)
  await laurel('migrate')
  const [name] = directories()
  const earlier = name!.replace(`-before-${latest}-`, `-before-${latest - 1}-`)
  renameSync(join(data, name!), join(data, earlier))
  const refused = await laurel('migrate', '--undo', '--yes')
  assert.equal(refused.code, 2)
  assert.equal(
    refused.stderr,
    `laurel: the last migration, to schema version ${latest}, made no copy to put back: ${earlier} is from before an earlier one\n`,
  )
  assert.equal(await version(), latest)
  assert.deepEqual(directories(), [earlier])
})

test('on PostgreSQL --undo says in one sentence why there is nothing to undo', async (t) => {
  const { code, stderr } = await runCommand(['migrate', '--undo', '--yes'], { DATABASE_URL: await testDatabase(t) })
  assert.equal(code, 2)
  assert.equal(
    stderr,
    'laurel: nothing to undo on PostgreSQL: migrations only add, and the release before runs on the new schema\n',
  )
})

test('a database that does not fit beside itself is not migrated, and one sentence says how to do without a copy', async (t) => {
  const { data } = olderDirectory(t)
  const db = createDb(await openPglite(data, { onFatal: assert.fail }))
  t.after(() => db.close())
  t.mock.method(fs.promises, 'statfs', async () => ({ bavail: 1_000, bsize: 4_096 }))
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  await assert.rejects(copyBeforeUpgrade(db, THEN, latest, noObserver), (error: Error) => {
    assert(error instanceof OperatorError)
    assert.match(
      error.message,
      /^cannot copy the database before the upgrade: a copy of the database needs \d+ MiB beside it, but only 4 MiB are free; without a copy: laurel migrate --no-copy$/,
    )
    return true
  })
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('schema-')),
    [],
  )
})

test('a process killed while it copies leaves a usable directory, and the next one copies anew', async (t) => {
  const { data, env, laurel, directories, json } = olderDirectory(t)
  const migrating = launch(['migrate'], { env })
  await eventually('it copies', () => directories().length > 0)
  await migrating.kill()
  // On a fast disk, the copy may have been finished.
  mkdirSync(join(data, `schema-${THEN}-before-${latest}-2026-11-27T12-02-17.123Z.unfinished`))
  assert.match((await laurel('migrate')).stdout, /^copied to: \S+\napplied: 26 /)
  assert.match(directories().join(), COPY)
  assert.equal((await json('migrate', '--undo', '--yes')).schema_version, THEN)
})

test('a process killed between two migrations leaves the copy from before the first', async (t) => {
  const { data, laurel, directories, json } = olderDirectory(t)
  await laurel('migrate')
  const before = directories()
  // As if it had been killed after the first: the others have not run.
  const db = createDb(await openPglite(data, { onFatal: assert.fail }))
  await copyBeforeUpgrade(db, THEN + 1, latest, noObserver)
  await db.close()
  assert.deepEqual(directories(), before)
  assert.equal((await json('migrate', '--undo', '--yes')).schema_version, THEN)
})

test('a copy from before an interrupted upgrade is not taken for the next upgrade once orders were recorded since', async (t) => {
  const { data, laurel, directories, record, json } = olderDirectory(t)
  await laurel('migrate')
  // As if the version before had served on the schema that an interrupted upgrade left.
  await record('later-1')
  const db = createDb(await openPglite(data, { onFatal: assert.fail }))
  await copyBeforeUpgrade(db, THEN + 1, latest, () => undefined)
  await db.close()
  assert.match(directories().join(), new RegExp(`^schema-${THEN + 1}-before-${latest}-[^,]+$`))
  assert.equal((await json('migrate', '--undo', '--yes')).orders_lost, 0)
  assert.equal((await laurel('order', 'show', 'later-1')).code, 0)
})

test('a process killed while it puts a copy back is continued by the same command, and until then no start takes the directory for a new one', async (t) => {
  const { data, laurel, json, version, directories } = olderDirectory(t)
  await laurel('migrate')
  const [name] = directories()
  const aside = join(data, `${name}-undone`)
  // The moment between the renames.
  copyFileSync(join(data, name!, 'log-position'), join(data, 'log-position'))
  mkdirSync(aside)
  renameSync(join(data, 'pglite'), join(aside, 'pglite'))
  const started = await laurel('serve')
  assert.equal(started.code, 2)
  assert.match(
    started.stderr,
    /^laurel: an undo of the upgrade was interrupted in \S+: run laurel migrate --undo again\n$/,
  )
  const { schema_version, orders_lost } = await json('migrate', '--undo')
  assert.deepEqual([schema_version, orders_lost], [THEN, null])
  assert.equal(await version(), THEN)
  // After them, an empty copy is left.
  mkdirSync(join(data, name!))
  assert.equal((await laurel('migrate', '--undo', '--yes')).code, 2)
  assert.match((await laurel('migrate')).stdout, /^copied to: /)
  assert(!directories().includes(name!))
})

test('an undo that cannot be done changes nothing, and one sentence says why', async (t) => {
  const { data, laurel, version, directories } = olderDirectory(t)
  await laurel('migrate')
  const [name] = directories()
  const copy = findUpgradeCopy(data)!
  const aside = join(data, `${name}-undone`)
  mkdirSync(join(aside, 'pglite'), { recursive: true })
  const refused = await laurel('migrate', '--undo', '--yes')
  assert.deepEqual([refused.code, refused.stderr], [2, `laurel: ${aside} exists: move it away first\n`])
  rmSync(aside, { recursive: true })
  // Where the copy cannot be moved: as if its files belonged to another user.
  t.mock.method(fs, 'renameSync', () => {
    throw new Error('EACCES: permission denied')
  })
  syncBuiltinESMExports()
  await assert.rejects(putCopyBack(data, copy), (error: Error) => {
    return error instanceof OperatorError && /^cannot put the copy back: EACCES: .* run laurel /.test(error.message)
  })
  t.mock.restoreAll()
  syncBuiltinESMExports()
  // Another process was faster.
  renameSync(join(data, name!), join(data, 'elsewhere'))
  const before = readFileSync(join(data, 'log-position'))
  await assert.rejects(putCopyBack(data, copy), /^Error: no copy to put back in /)
  assert.deepEqual(readFileSync(join(data, 'log-position')), before)
  assert.equal(await version(), latest)
  const file = join(data, 'token')
  assert.match(
    (await runCommand(['migrate', '--undo'], { LAUREL_DATA: file })).stderr,
    /^laurel: cannot use the data directory \S+: ENOTDIR: [^\n]*\n$/,
  )
})

test('a database behind a symbolic link is refused in one sentence, rather than taken for damaged', async (t) => {
  const { data, laurel } = olderDirectory(t)
  renameSync(join(data, 'pglite'), join(data, 'elsewhere'))
  symlinkSync('elsewhere', join(data, 'pglite'))
  const { code, stderr } = await laurel('migrate')
  assert.deepEqual([code, stderr], [2, `laurel: ${data}/pglite is a symbolic link: make ${data} the link instead\n`])
})
