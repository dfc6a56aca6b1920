import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { newDataDirectory, temporaryDirectory } from '../support/service-process.ts'
import { openEmbeddedApp, openServerApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

test('a backup is made while the service runs, tried, restored into a new directory and moved to PostgreSQL and back', async (t) => {
  const app = await openEmbeddedApp(t)
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder()])
  const directory = temporaryDirectory(t)
  const file = join(directory, 'backup.zst')
  const laurel = (env: Record<string, string>, ...args: string[]) => runCommand(args, env)
  const here = { LAUREL_DATA: app.data }

  const made = await laurel(here, 'backup', file)
  assert.match(made.stdout, /^\S+backup\.zst: \d+ rows, 0\.0 MB, as of 20\S+Z\n$/, made.stderr)
  assert.deepEqual(readdirSync(join(app.data, 'job-files')), [])
  const again = await laurel(here, 'backup', file)
  assert.deepEqual([again.code, again.stderr], [2, `laurel: ${file} exists: choose another name\n`])
  const other = join(directory, 'other.zst')
  const verified = JSON.parse((await laurel(here, 'backup', other, '--verify', '--json')).stdout)
  assert.deepEqual(verified.verified.document.orders, 1)
  const drilled = await laurel({}, 'restore', file, '--drill')
  const sums = '1 player, 1 order, 1 entry: no difference'
  assert.match(
    drilled.stdout,
    new RegExp(`^\\d+ rows as of \\S+: restored, verified and deleted again\n${sums}\n$`),
    drilled.stderr,
  )
  const busy = await laurel(here, 'move', '--to', join(directory, 'busy'))
  assert.match(busy.stderr, /^laurel: a service \(process \d+\) holds \S+: stop it first\n$/)
  assert.equal(busy.code, 2)
  await app.stop()

  const restored = { LAUREL_DATA: join(directory, 'restored') }
  const filled = await laurel(restored, 'restore', file, '--verify')
  assert.match(
    filled.stdout,
    new RegExp(`^restored: \\d+ rows, as of \\S+\n${sums}\ntokens that were revoked`),
    filled.stderr,
  )
  const full = await laurel(restored, 'restore', file)
  assert.equal(full.code, 2)
  assert.match(
    full.stderr,
    /^laurel: the database is not empty \(it has \S.*\): restore into a new data directory or database\n$/,
  )

  const url = await testDatabase(t)
  const moved = await laurel(restored, 'move', '--to', url)
  assert.match(
    moved.stdout,
    new RegExp(`^moved: \\d+ rows\nhere: ${sums}\nthere: ${sums}\nnext: start services with DATABASE_URL`),
    moved.stderr,
  )
  const back = join(directory, 'back')
  const returned = await laurel({ DATABASE_URL: url }, 'move', '--to', back)
  assert.match(
    returned.stdout,
    new RegExp(`\nnext: start the service with LAUREL_DATA=${back} and without DATABASE_URL\n`),
    returned.stderr,
  )
  const shown = async (env: Record<string, string>) => (await laurel(env, 'player', 'show', 'u-1', '--json')).stdout
  assert.equal(await shown({ LAUREL_DATA: back }), await shown(restored))
  const same = await laurel({ LAUREL_DATA: back }, 'move', '--to', back)
  assert.equal(same.stderr, 'laurel: --to is the database that the settings name: expected another one\n')
})

test('a backup of PostgreSQL is read from the server itself, and a damaged file leaves the database empty', async (t) => {
  const app = await openServerApp(t)
  await app.upsertPlayers([aPlayer()])
  const file = join(temporaryDirectory(t), 'backup.zst')
  const env = { DATABASE_URL: app.databaseUrl }
  const made = await runCommand(['backup', file], env)
  assert.match(made.stdout, /: \d+ rows, /, made.stderr)
  const noted = `select work from background_work where work = 'backup'`
  assert.deepEqual(await app.query(noted), [{ work: 'backup' }])
  const { body } = await app.ask('GET', '/api/admin/service')
  assert.match(body.last_backup_at, /^20\S+Z$/)
  const whole = join(temporaryDirectory(t), 'whole.zst')
  copyFileSync(file, whole)
  writeFileSync(file, readFileSync(file).subarray(0, -1))
  const url = await testDatabase(t)
  const damaged = await runCommand(['restore', file], { DATABASE_URL: url })
  assert.deepEqual(
    [damaged.code, damaged.stderr],
    [2, 'laurel: the backup is damaged: it is not complete, or a part of it was changed\n'],
  )
  const filled = await runCommand(['restore', whole], { DATABASE_URL: url })
  assert.match(filled.stdout, /^restored: /, 'it was still empty')
  const drilled = await runCommand(['restore', whole, '--drill'], { TMPDIR: `${file}.no` })
  assert.deepEqual(
    [drilled.code, drilled.stderr],
    [2, `laurel: cannot create a directory in ${file}.no (ENOENT): set TMPDIR to another one\n`],
  )
  const missing = await runCommand(['restore', `${file}.no`], { DATABASE_URL: url })
  assert.equal(missing.stderr, `laurel: ${file}.no: there is no such file or directory\n`)
  const nowhere = await runCommand(['backup', join(file, 'x')], env)
  assert.equal(nowhere.code, 2)
  assert.equal(existsSync(join(file, 'x.unfinished')), false)
})

test('what a later backup says was revoked or erased is revoked and erased again after a restore (decision 158)', async (t) => {
  const data = await newDataDirectory(t)
  const app = await openEmbeddedApp(t, { data, env: { LAUREL_DATA: data, LAUREL_ERASURE_KEY: '' } })
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'asha@shop.example' })])
  const directory = temporaryDirectory(t)
  const [earlier, later] = ['earlier.zst', 'later.zst'].map((name) => join(directory, name)) as [string, string]
  const here = { LAUREL_DATA: app.data }
  const laurel = (env: Record<string, string>, ...args: string[]) => runCommand(args, env)
  const { id } = JSON.parse((await laurel(here, 'token', 'create', 'till', '--scope', 'orders', '--json')).stdout)
  assert.equal((await laurel(here, 'backup', earlier)).code, 0)
  assert.equal((await laurel(here, 'token', 'revoke', id)).code, 0)
  for (const player of ['u-1', 'asha@shop.example']) {
    const erased = await laurel(here, 'player', 'erase', player, '--reason', 'asked for it', '--yes')
    assert.equal(erased.code, 0, erased.stderr)
  }
  assert.equal((await laurel(here, 'backup', later)).code, 0)
  await app.stop()

  const restored = { LAUREL_DATA: join(directory, 'restored') }
  mkdirSync(restored.LAUREL_DATA)
  const keyless = await laurel(restored, 'restore', earlier, '--ended-since', later)
  assert.match(keyless.stderr, /^laurel: the key with which players were erased is missing, or another one: /)
  rmSync(restored.LAUREL_DATA, { recursive: true })
  mkdirSync(restored.LAUREL_DATA)
  for (const name of ['erasure-key', 'token']) copyFileSync(join(app.data, name), join(restored.LAUREL_DATA, name))
  const { code, stdout, stderr } = await laurel(restored, 'restore', earlier, '--ended-since', later, '--json')
  assert.equal(code, 0, stderr)
  const { revoked_again, erased_again } = JSON.parse(stdout)
  assert.deepEqual([revoked_again, erased_again], [1, 2])
  const tokens = JSON.parse((await laurel(restored, 'token', 'list', '--json')).stdout)
  assert.notEqual(tokens.find((token: { id: string }) => token.id === id).revoked_at, null)
  const found = await laurel(restored, 'player', 'find', 'asha@shop.example')
  assert.doesNotMatch(found.stdout, /asha/i)
  assert.doesNotMatch((await laurel(restored, 'player', 'show', 'u-1', '--json')).stdout, /asha/i)
})

test('a server that does not answer ends a restore and a move in seconds with exit code 3', async (t) => {
  // A free port could be taken meanwhile by another test; on this one nothing listens.
  const DATABASE_URL = 'postgres://laurel:secret@127.0.0.1:1/laurel'
  const file = join(temporaryDirectory(t), 'backup.zst')
  const app = await openEmbeddedApp(t)
  await runCommand(['backup', file], { LAUREL_DATA: app.data })
  await app.stop()
  const restored = await runCommand(['restore', file], { DATABASE_URL })
  const moved = await runCommand(['move', '--to', DATABASE_URL], { LAUREL_DATA: app.data })
  for (const { code, stderr } of [restored, moved]) {
    assert.equal(code, 3)
    // The time may be over while the next attempt is waited for.
    assert.match(
      stderr,
      /^laurel: (?:the database cannot be reached \(connect ECONNREFUSED [\d.:]+\)|database timeout)\n$/,
    )
  }
})

test('a file that a job wrote is still there when the next job runs, and deleted after a minute', async (t) => {
  const app = await openEmbeddedApp(t)
  const files = join(app.data, 'job-files')
  const start = async (kind: string): Promise<string> =>
    (await app.ask('POST', '/api/admin/jobs', { body: { data: { kind } } })).body.id
  const ended = async (id: string) => {
    await eventually('the job ends', async () => {
      const { body } = await app.ask('GET', `/api/admin/jobs/${id}`)
      assert.notEqual(body.state, 'failed', body.error)
      return body.state === 'done'
    })
  }
  const [first, second] = [await start('backup'), await start('backup')]
  await ended(second)
  const { result } = (await app.ask('GET', `/api/admin/jobs/${first}`)).body
  assert(existsSync(join(files, result.file)), 'the command that asked for it may not have looked yet')
  const old = Date.now() / 1_000 - 61
  utimesSync(join(files, result.file), old, old)
  writeFileSync(join(files, 'killed.unfinished'), '')
  await ended(await start('verify'))
  const left = (await app.ask('GET', `/api/admin/jobs/${second}`)).body.result.file
  assert.deepEqual(readdirSync(files), [left])
})
