import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { runOnce } from '../support/postgres-server.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openEmbeddedApp, openServerApp } from '../support/test-app.ts'

test('orders and balances are imported, shown with their explanations, and verified (decision 65)', async (t) => {
  const directory = temporaryDirectory(t)
  const files = {
    players: aPlayer(),
    orders: anOrder({ total_amount: 285, ordered_at: '2026-03-01T10:00:00Z' }),
    balances: { user_id: 'u-1', points: 600, counts: true, reason: 'old\u0007balance', id: 'moved-in' },
  }
  const app = await openEmbeddedApp(t)
  const env = { LAUREL_DATA: app.data }
  for (const [noun, record] of Object.entries(files)) {
    const file = join(directory, `${noun}.ndjson`)
    writeFileSync(file, `${JSON.stringify(record)}\n`)
    const { code, stdout, stderr } = await runCommand(['import', noun, file], env)
    assert.deepEqual([code, stdout], [0, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n'], stderr)
  }
  const [shown, json, held] = await Promise.all([
    runCommand(['player', 'show', 'u-1', '--limit', '1'], env),
    runCommand(['player', 'show', 'u-1', '--json', '--after', '2'], env),
    runCommand(['ledger', 'verify'], env),
  ])
  assert.match(shown.stdout, /^points +628\ncounts for the level +628\nlevel +Silver, 1372 points to Gold$/m)
  assert.match(shown.stdout, /^#2 {2}\S+ {2}\+600 {2}adjustment moved-in: old\\u0007balance$/m)
  assert.match(shown.stdout, /^older entries: npx --no laurel player show u-1 --after 2$/m)
  const [entry] = JSON.parse(json.stdout).entries
  assert.deepEqual([entry.seq, entry.explanation.rounding], [1, '-0.5'])
  const none = '1 player, 1 order, 2 entries: no difference\n'
  assert.deepEqual([held.code, held.stdout, held.stderr], [0, none, ''], 'the service verifies')
  await app.stop()
  assert.deepEqual((await runCommand(['ledger', 'verify'], env)).stdout, none)
})

test('a sum that was tampered with is found, beside a service that runs on PostgreSQL', async (t) => {
  const app = await openServerApp(t)
  const env = { DATABASE_URL: app.databaseUrl }
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder()])
  assert.equal((await runCommand(['ledger', 'verify'], env)).code, 0)
  await runOnce(app.databaseUrl, "update accounts set points = 7 where user_id = 'u-1'")
  const { code, stdout, stderr } = await runCommand(['ledger', 'verify'], env)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^laurel: 1 player, 1 order, 1 entry: 1 difference\n {2}account of u-1: stored points 7; its entries give points 120$/m,
  )
})

test('a file of orders as a spreadsheet saves it: empty cells are left out, and column names are checked', async (t) => {
  const directory = temporaryDirectory(t)
  const app = await openServerApp(t)
  await app.upsertPlayers([aPlayer()])
  const run = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return runCommand(['import', 'orders', join(directory, name), '--url', app.url], { LAUREL_TOKEN: app.token })
  }
  const head = 'order_id,user_id,name,email,refferral_code,total_amount,discount,products,status,ordered_at'
  const [good, lower, semicolons, mistyped] = [
    await run(
      'orders.csv',
      `${head}\no-1,u-1,Asha,a@example.com,,300,0,"[{""product_sku_id"":""TEA-1""}]",,2026-06-01T12:00:00Z\no-2,u-1,Asha,a@example.com,,300,0,[],,2026-06-01T12:05:00Z\n`,
    ),
    await run('lower.csv', `${head.replace('user_id', 'User_ID')}\n`),
    await run(
      'semicolons.csv',
      `${head.replaceAll(',', ';')}\no-4;u-1;Asha;a@example.com;;300;0;[];;2026-06-01T12:00:00Z\n`,
    ),
    await run('mistyped.ndjson', `${JSON.stringify(anOrder({ order_id: 'o-3', staus: 'cancelled' }))}\n`),
  ]
  assert.deepEqual([good.code, good.stdout], [0, '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped\n'])
  assert.deepEqual([lower.code, semicolons.code, mistyped.code], [2, 0, 0])
  assert.match(
    lower.stderr,
    /^laurel: \S+: the first line has no column user_id\n {2}perhaps: --map user_id=User_ID\n$/,
  )
  assert.equal(semicolons.stdout, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n')
  assert.match(
    mistyped.stderr,
    /^laurel: unknown fields, ignored: "staus"; fields not given: .*; perhaps --map status=staus/,
  )
})

test('each entry of a player says what it is of, and an order shows what it redeems', async (t) => {
  const app = await openServerApp(t)
  const env = { LAUREL_TOKEN: app.token, LAUREL_DATA: temporaryDirectory(t) }
  const source = `name: Pay with points
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
referral: { friend: 5, referrer: 7 }
redeem: { value: { points: 100, pays: 1 }, step: 100 }
`
  assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
  await app.upsertPlayers([aPlayer({ User_id: 'u-2', Refercode: 'TWO' }), aPlayer()])
  const gift = { id: 'gift', points: 500, counts: true, reason: 'welcome' }
  await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: gift } })
  await app.record([anOrder({ refferral_code: 'TWO', points_redeemed: 200, total_amount: 1000, products: [] })])
  const redemption = { id: 'r-1', points: 100, reason: 'at the till' }
  await app.ask('POST', '/api/players/u-1/redemptions', { body: { data: redemption } })
  const subjects = async (userId: string) => {
    const { stdout, stderr } = await runCommand(['player', 'show', userId, '--url', app.url], env)
    assert.equal(stderr, '')
    return stdout
      .split('\n')
      .flatMap((line) => /^#\d+ {2}\S+ {2}(.*?)(?:, of|, revision|, spent on| \(|$)/.exec(line)?.[1] ?? [])
  }
  assert.deepEqual(await subjects('u-1'), [
    '-100  redemption r-1: at the till',
    '-200  redemption by order o-1 placed',
    '+104  order o-1 placed',
    '+500  adjustment gift: welcome',
  ])
  assert.deepEqual(await subjects('u-2'), ['+7  referral by order o-1 placed'])
  const { stdout } = await runCommand(['player', 'show', 'u-1', '--url', app.url], env)
  assert.match(stdout, /redemption r-1: at the till, spent on \d{4}-\d\d-\d\d \(/m)
  const order = await runCommand(['order', 'show', 'o-1', '--url', app.url], env)
  assert.match(order.stdout, /^points_redeemed +200$/m)
})

test('laurel player show prints a sum beyond 2^53-1 with all its digits (decision 20)', async (t) => {
  const app = await openServerApp(t)
  const env = { LAUREL_TOKEN: app.token }
  const source = `name: Waiting
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { pending: { days: 14 } }
`
  assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
  await app.upsertPlayers([aPlayer()])
  const waiting = { counts: false, reason: 'r', usable_on: '2999-01-01' }
  for (const adjustment of [
    { ...waiting, id: 'a', points: '9007199254740991' },
    { counts: false, reason: 'r', id: 'b', points: '-9007199254740991' },
    { ...waiting, id: 'c', points: '9007199254740990' },
  ])
    assert.equal((await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: adjustment } })).status, 200)
  const show = (...args: string[]) => runCommand(['player', 'show', 'u-1', '--url', app.url, ...args], env)
  assert.match((await show()).stdout, /^pending +18014398509481981$/m)
  assert.match((await show('--json')).stdout, /^ {2}"pending": 18014398509481981,$/m)
})
