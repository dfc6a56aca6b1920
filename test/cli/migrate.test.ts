import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { placeNewTables } from '../../src/database/db/distribute.ts'
import { emptyTestDatabase, openTestPostgres, testDatabase } from '../support/databases.ts'
import { migrationFiles } from '../support/installed-code.ts'
import { isOnCluster } from '../support/on-cluster.ts'
import { runOnce } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'
import { newDataDirectory, startService, temporaryDirectory } from '../support/service-process.ts'

const latest = migrationFiles.length

test('migrate --check lists the steps that are to run with what they do and lock, runs none, and ends with exit code 1 (decision 219)', async (t) => {
  const env = { DATABASE_URL: await emptyTestDatabase(t) }
  const empty = await runCommand(['migrate', '--check'], env)
  assert.equal(empty.code, 1)
  assert.equal(empty.stdout.split('\n').length, latest + 1)
  assert.match(empty.stdout, /^1 creates the table of players; locks nothing\n/)
  assert.match(empty.stdout, /^8 adds columns .*; locks orders and predictions for a moment$/m)
  assert.match(empty.stdout, /^23 creates an index .*; locks entries for as long as it reads all their rows$/m)
  assert.equal(empty.stderr, `laurel: schema version 0, this release requires ${latest}: ${latest} steps to run\n`)
  const printed = JSON.parse((await runCommand(['migrate', '--check', '--json'], env)).stdout)
  assert.deepEqual([printed.schema_version, printed.release_version, printed.steps.length], [0, latest, latest])
  assert.deepEqual(printed.steps[0], { version: 1, does: 'creates the table of players', locks: 'locks nothing' })
  await runCommand(['migrate'], env)
  const done = await runCommand(['migrate', '--check'], env)
  assert.deepEqual([done.code, done.stdout, done.stderr], [0, 'the schema is up to date\n', ''])
})

test('migrate --check refuses a schema that this release cannot use, as every command does (decision 219)', async (t) => {
  const env = { DATABASE_URL: await testDatabase(t) }
  await runOnce(env.DATABASE_URL, `insert into laurel_schema_version values (${latest + 1}, 'later', 'x', now())`)
  const compatible = await runCommand(['migrate', '--check'], env)
  assert.equal(compatible.code, 0)
  assert.match(compatible.stdout, /^the schema is newer than this release, but compatible: /)
  await runOnce(env.DATABASE_URL, `update laurel_schema_compatibility set oldest_version = ${latest + 1}`)
  assert.equal((await runCommand(['migrate', '--check'], env)).code, 2)
})

test('migrate --check works on an embedded database, also while a service runs on it, and creates none', async (t) => {
  const none = join(temporaryDirectory(t), 'none')
  assert.equal((await runCommand(['migrate', '--check'], { LAUREL_DATA: none })).code, 2)
  assert(!existsSync(none))
  const data = await newDataDirectory(t)
  const check = () => runCommand(['migrate', '--check'], { LAUREL_DATA: data })
  assert.deepEqual([(await check()).code, (await check()).stdout], [0, 'the schema is up to date\n'])
  const service = await startService({ data })
  t.after(() => service.kill())
  assert.deepEqual([(await check()).code, (await check()).stdout], [0, 'the schema is up to date\n'])
})

test('migrate --check refuses the schema of a running newer service that this release cannot use (decision 219)', async (t) => {
  const data = await newDataDirectory(t)
  const service = await startService({ data })
  t.after(() => service.kill())
  const path = join(data, 'service.json')
  const note = JSON.parse(readFileSync(path, 'utf8'))
  assert.equal(note.schemaVersion, latest)
  assert(note.oldestSchemaVersion <= latest)
  const check = (oldestSchemaVersion: number) => {
    writeFileSync(path, JSON.stringify({ ...note, schemaVersion: latest + 1, oldestSchemaVersion }))
    return runCommand(['migrate', '--check'], { LAUREL_DATA: data })
  }
  assert.match((await check(latest)).stdout, /^the schema is newer than this release, but compatible: /)
  const { code, stderr } = await check(latest + 1)
  assert.equal(code, 2)
  assert.match(stderr, /^laurel: schema version \d+ is newer than this release supports /)
})

if (isOnCluster) {
  test('migrate --distribute spreads the tables over a cluster, and completes what is half done, which everything else refuses (decision 162)', async (t) => {
    const env = { DATABASE_URL: await emptyTestDatabase(t), LAUREL_DATA: temporaryDirectory(t) }
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await runCommand(args, env)
      return `${stdout}${stderr}`.trimEnd().split('\n').at(-1)
    }
    await run('migrate')
    assert.equal(await run('ledger', 'verify'), '0 players, 0 orders, 0 entries: no difference')
    assert.match((await run('migrate', '--distribute', '--shards', '3'))!, /^distributed: players, .*, redemptions$/)
    assert.equal(await run('migrate', '--distribute'), 'all tables are distributed')
    await runOnce(env.DATABASE_URL, "select undistribute_table('redemptions')")
    const refused = 'laurel: not distributed over the cluster: redemptions: run laurel migrate --distribute'
    assert.equal(await run('ledger', 'verify'), refused)
    assert.equal(await run('migrate'), refused)
    assert.equal(await run('serve'), refused)
    assert.equal(
      await run('migrate', '--distribute', '--shards', '4'),
      'laurel: players are in 3 shards already: leave out --shards',
    )
    assert.equal(await run('migrate', '--distribute'), 'distributed: redemptions')
    assert.equal(await run('ledger', 'verify'), '0 players, 0 orders, 0 entries: no difference')
  })

  test('a later migration puts the tables that it makes where they belong on a cluster', async (t) => {
    const db = await openTestPostgres(t)
    const deadlineAt = performance.now() + 60_000
    const places = () =>
      db.read<{ name: string }>(
        "select logicalrelid::text as name from pg_dist_partition where logicalrelid::text in ('redemptions', 'drafts')",
        [],
        deadlineAt,
      )
    await db.transaction(async (tx) => {
      await tx.script('drop table redemptions; drop table drafts')
      await tx.script(
        readFileSync(new URL('../../src/database/migrations/0020.do.redemptions.sql', import.meta.url), 'utf8').split(
          ';',
        )[0]!,
      )
      await placeNewTables(tx)
    }, deadlineAt)
    assert.deepEqual(await places(), [{ name: 'redemptions' }])
  })
} else {
  test('migrate --distribute refuses one server and the embedded database, and numbers of shards that make no sense', async (t) => {
    const env = { DATABASE_URL: await emptyTestDatabase(t) }
    const { code, stderr } = await runCommand(['migrate', '--distribute', '--shards', '4'], env)
    assert.deepEqual([code, stderr], [2, 'laurel: the database is on one server: its extension citus is missing\n'])
    const refused = async (...args: string[]) => (await runCommand(['migrate', ...args], env)).stderr
    assert.equal(await refused('--shards', '4'), 'laurel: --shards is for --distribute only\n')
    assert.equal(
      await refused('--distribute', '--shards', '0'),
      'laurel: --shards: expected an integer between 1 and 1024, got "0"\n',
    )
    const embedded = await runCommand(['migrate', '--distribute'], { LAUREL_DATA: temporaryDirectory(t) })
    assert.equal(embedded.stderr, 'laurel: an embedded database is on one machine: nothing to distribute\n')
  })
}
