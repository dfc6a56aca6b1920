import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { createDb, type Db } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { withExportText } from '../../src/resources/exports/export-records.ts'
import { EXPORT_FIELDS, EXPORT_FORMATS, EXPORT_NOUNS, type ExportNoun } from '../../src/resources/exports/nouns.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachDatabase, openOnServer, testDatabase } from '../support/databases.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openEmbeddedApp, openServerApp, type TestApp } from '../support/test-app.ts'

const PROGRAM = `
name: Points
time-zone: UTC
rounding: floor
money: { decimals: 2 }
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 } }
`

/** Of every noun more than one record, and texts that a spreadsheet takes for formulas. */
async function fill(app: TestApp): Promise<void> {
  const good = async (asked: Promise<{ status: number; text: string; body: unknown }>) => {
    const { status, text, body } = await asked
    assert.equal(status, 200, text)
    return body as { skipped?: number }
  }
  const post = (path: string, data: object) => good(app.ask('POST', path, { body: { data } }))
  await post('/api/admin/programs', { source: PROGRAM })
  await good(app.ask('PUT', '/api/admin/settings', { body: { data: { 'players.required': ['Name'] } } }))
  const players = [
    aPlayer({ Name: '=1+1', Phone: '+490912345678', State_version: 3, attributes: { vip: true, tags: ['=1'] } }),
    { User_id: 'u-2', Name: 'Ben "B", Jr.', participates: false },
  ]
  assert.equal((await good(app.upsertPlayers(players))).skipped, 0)
  assert.equal(
    (
      await good(
        app.upsertProducts([
          aProduct({ state_version: 2, attributes: { category: 'té', tags: ['green', '=1'] } }),
          aProduct({ product_sku_id: '-x', amount: '0.0001', attributes: { category: 'cups' } }),
        ]),
      )
    ).skipped,
    0,
  )
  const orders = [
    anOrder({
      ...{ total_amount: '1200.00', total_qty: 2, state_version: 7, fulfilled_at: '2026-01-02T00:00:00Z' },
      ...{ currency: 'INR', attributes: { channel: 'app' } },
    }),
    anOrder({
      order_id: 'o-2',
      refferral_code: '=x',
      subscript_points: true,
      products: [{ product_sku_id: '@y', qty: '2.5' }],
    }),
    anOrder({ order_id: 'o-3', status: 'returned', products: [] }),
  ]
  assert.equal((await good(app.record(orders))).skipped, 0)
  const later = [anOrder({ order_id: 'o-2', refferral_code: '=x', subscript_points: true, points_redeemed: 5 })]
  assert.equal((await good(app.record(later))).skipped, 0)
  const own = '/api/players/u-1'
  await post(`${own}/adjustments`, { id: 'a-1', points: 50, counts: false, reason: '@gift' })
  await post(`${own}/adjustments`, { id: 'a-2', points: 9, counts: true, reason: 'r', expires_on: '2999-01-01' })
  await post(`${own}/adjustments/a-2/undo`, { reason: 'by mistake' })
  await post(`${own}/redemptions`, { id: 'r-1', points: 7, reason: 'mug' })
  await post(`${own}/redemptions/r-1/void`, { points: 2, reason: 'half of it' })
  await post(`${own}/redemptions`, { id: 'r-2', points: 3, reason: 'cup', hold: true })
}

/** Fields that none of these records has. */
const EMPTY: Partial<Record<ExportNoun, string[]>> = {
  players: ['erased'],
  orders: ['redemption_id', 'referrer_id'],
  redemptions: ['reward', 'order_id'],
  programs: ['withdrawn_at', 'withdrawn_by'],
  erasures: ['digest', 'erased_at', 'erased_by', 'moved_to'],
}

const laurel = async (env: Record<string, string>, ...args: string[]) => runCommand(args, env)

/** Every noun in every format. */
async function everything(db: Db): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const noun of EXPORT_NOUNS)
    for (const format of EXPORT_FORMATS)
      await withExportText(db, { noun, format, onRows: () => undefined }, async (text) => {
        all[`${noun}.${format}`] = (await Array.fromAsync(text)).join('')
      })
  return all
}

async function everythingIn(directory: string): Promise<Record<string, string>> {
  const onFatal = (error: Error): never => {
    throw error
  }
  const db = createDb(await openPglite(directory, { onFatal }), { onFatal })
  return everything(db).finally(() => db.close())
}

/** Of these nouns the shop has fewer records than two. */
const FEWEST: Readonly<Record<string, number>> = { settings: 1, erasures: 0 }

const recordsIn = (ndjson: string) =>
  ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('what is exported while the service runs is exported to the byte after it stopped, and after a move to PostgreSQL and back', async (t) => {
  const app = await openEmbeddedApp(t)
  await fill(app)
  const here = { LAUREL_DATA: app.data }
  const whileItRan: Record<string, string> = {}
  for (const noun of EXPORT_NOUNS) {
    const { code, stdout, stderr } = await laurel(here, 'export', noun, '-')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^\d+ records?, as of 20\S+Z\n$/)
    whileItRan[`${noun}.ndjson`] = stdout
  }
  const file = join(temporaryDirectory(t), 'orders.csv')
  assert.match(
    (await laurel(here, 'export', 'orders', file)).stdout,
    /orders\.csv: 3 records, 0\.0 MB, as of 20\S+Z\n$/,
  )
  whileItRan['orders.csv'] = readFileSync(file, 'utf8')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(app.data, 'job-files')), [])
  await app.stop()

  const all = await everythingIn(app.data)
  assert.deepEqual({ ...all, ...whileItRan }, all)
  for (const noun of EXPORT_NOUNS) {
    const names: readonly string[] = EXPORT_FIELDS[noun]
    const records = recordsIn(all[`${noun}.ndjson`]!)
    assert.ok(records.length >= (FEWEST[noun] ?? 2), noun)
    for (const record of records)
      assert.deepEqual(
        Object.keys(record),
        names.filter((name) => name in record),
      )
    const rows = all[`${noun}.csv`]!
    assert.ok(rows.startsWith(`${names.join()}\r\n`))
    assert.doesNotMatch(rows, /(^|[,\n;])"?[=+@]/)
    const never = names.filter((name) => records.every((record) => record[name] === undefined))
    assert.deepEqual(never, EMPTY[noun] ?? [], noun)
  }

  const url = await testDatabase(t)
  assert.equal((await laurel(here, 'move', '--to', url)).code, 0)
  assert.deepEqual(await everything(await openOnServer(t, url)), all)
  const back = join(temporaryDirectory(t), 'back')
  assert.equal((await laurel({ DATABASE_URL: url }, 'move', '--to', back)).code, 0)
  assert.deepEqual(await everythingIn(back), all)

  const whole = join(temporaryDirectory(t), 'shop.ndjson')
  const env = { DATABASE_URL: url }
  assert.match(
    (await laurel(env, 'export', 'all', whole)).stdout,
    /shop\.ndjson: \d+ records, 0\.0 MB, as of 20\S+Z\n$/,
  )
  const other = { LAUREL_DATA: join(temporaryDirectory(t), 'other') }
  const refused = async (expected: string, ...args: string[]) => {
    const { code, stderr } = await laurel(other, ...args)
    assert.deepEqual([code, stderr], [2, `laurel: ${expected}\n`])
  }
  await refused(`${whole}.no: there is no such file or directory`, 'import', 'all', `${whole}.no`)
  const imported = await laurel(other, 'import', 'all', whole)
  assert.match(imported.stdout, /^\d+ records imported, and the ledger verified: start the service/, imported.stderr)
  assert.deepEqual(await everythingIn(other.LAUREL_DATA), all)
  await refused('import all takes no option but --json', 'import', 'all', whole, '--dry-run')
  await refused('everything is exported as NDJSON only', 'export', 'all', `${whole}.csv`)
})

forEachDatabase((_, openTestDb) => {
  test('an export is one snapshot: what others write meanwhile is not in it', async (t) => {
    const db = await openTestDb(t)
    const write = (sql: string) => db.transaction((tx) => tx.query(sql), performance.now() + 60_000)
    await write("insert into products select 's' || n, n, 1, now(), now() from generate_series(1, 20000) n")
    let writing: Promise<unknown> | undefined
    const counted: number[] = []
    const onRows = (rows: number) => {
      counted.push(rows)
      writing ??= write("insert into products values ('t', 1, 1, now(), now())")
    }
    await withExportText(db, { noun: 'products', format: 'ndjson', onRows }, async (text) => {
      const parts = await Array.fromAsync(text)
      const skus = recordsIn(parts.join('')).map(({ product_sku_id }) => product_sku_id)
      assert.equal(skus.length, 20_000)
      assert.deepEqual(skus, skus.toSorted())
      assert.ok(parts.length > 2, 'a page at a time')
    })
    await writing
    assert.equal(counted.at(-1), 20_000)
    assert.equal((await db.read('select 1 from products where sku = $1', ['t'], performance.now() + 60_000)).length, 1)
  })
})

test('exported players, products and orders can be imported, from NDJSON and from CSV, and give the same export', async (t) => {
  const app = await openServerApp(t)
  await fill(app)
  const directory = temporaryDirectory(t)
  const env = { DATABASE_URL: app.databaseUrl }
  for (const format of ['ndjson', 'csv']) {
    const other = await openServerApp(t)
    await other.ask('PUT', '/api/admin/settings', { body: { data: { 'players.required': ['Name'] } } })
    await other.ask('POST', '/api/admin/programs', {
      body: { data: { source: PROGRAM, from: '2000-01-01T00:00:00Z' } },
    })
    const there = { DATABASE_URL: other.databaseUrl }
    for (const noun of ['players', 'products', 'orders'] as const) {
      const file = join(directory, `${noun}.${format}`)
      const made = await laurel(env, 'export', noun, file)
      assert.equal(made.code, 0, made.stderr)
      const contact = noun === 'orders' ? ['--default', 'name=-', '--default', 'email=shop@example.com'] : []
      const imported = await laurel(there, 'import', noun, file, ...contact)
      assert.equal(imported.code, 0, imported.stdout + imported.stderr)
      const [before, after] = await Promise.all([env, there].map((one) => laurel(one, 'export', noun, '-')))
      assert.deepEqual(recordsIn(after!.stdout).map(sent), recordsIn(before!.stdout).map(sent))
    }
  }
})

type Fields = Readonly<Record<string, unknown>>

/** A record without what only the recording knows. */
function sent({ created_at, updated_at, recorded_at, program, facts, first_digests, revision, ...record }: Fields) {
  return record
}

test('an export that exists, an unknown noun or format, and a place that cannot be written to are refused with one sentence', async (t) => {
  const app = await openServerApp(t)
  const directory = temporaryDirectory(t)
  const env = { DATABASE_URL: app.databaseUrl }
  const file = join(directory, 'there.csv')
  writeFileSync(file, 'mine')
  const refused = async (expected: string, ...args: string[]) => {
    const { code, stdout, stderr } = await laurel(env, 'export', ...args)
    assert.deepEqual([code, stdout, stderr], [2, '', `laurel: ${expected}\n`])
  }
  await refused(`${file} exists: choose another name`, 'players', file)
  assert.equal(readFileSync(file, 'utf8'), 'mine')
  const nouns = [...EXPORT_NOUNS, 'all'].join(', ')
  await refused(`expected one of ${nouns}, got "tokens"`, 'tokens', '-')
  await refused('--format: expected one of csv, ndjson, got "tsv"', 'players', '-', '--format', 'tsv')
  await refused('--json needs a file', 'players', '-', '--json')
  const nowhere = join(directory, 'no', 'players.csv')
  await refused(`${nowhere}: there is no such file or directory`, 'players', nowhere)
  assert.equal(existsSync(`${nowhere}.unfinished`), false)
  const empty = await laurel(env, 'export', 'players', '-', '--format', 'csv')
  assert.equal(empty.stdout, `${EXPORT_FIELDS.players.join()}\r\n`)
  const counted = await laurel(env, 'export', 'products', join(directory, 'products'), '--json')
  assert.deepEqual(
    { ...JSON.parse(counted.stdout), at: '' },
    { file: join(directory, 'products'), at: '', rows: 0, bytes: 0 },
  )
})
