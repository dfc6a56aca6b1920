/*
 * Exports of orders as shops have them, under a program that looks at history: the ledger is the same whatever the order of the file (decision 123).
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { aPlayer } from '../support/builders.ts'
import { clean } from '../support/redeeming.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { type Export, SHOPPERS, shopify, shuffled, square, till } from '../support/shop-exports.ts'
import { openEmbeddedApp, openServerApp, type TestApp } from '../support/test-app.ts'

/** Welcome points for the first order, more for Gold, and a level that counts a window. */
const PROGRAM = `name: Looks at history
money: { decimals: 2 }
rounding: floor
levels: { counts: { window: P2M }, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 60 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 1 } }
  - { name: welcome, when: player.orders == 0, fixed: { points: 500 } }
  - { name: gold, when: player.level == "Gold", multiply: { by: "2" } }
`

async function prepare(app: TestApp): Promise<void> {
  const data = { source: PROGRAM, from: '2020-01-01T00:00:00Z' }
  const published = await app.ask('POST', '/api/admin/programs', { body: { data } })
  assert.equal(published.status, 200, published.text)
  await app.upsertPlayers(SHOPPERS.map((User_id) => aPlayer({ User_id, Refercode: '' })))
}

/** Where orders go, and the token that sends them. */
type Sender = Readonly<{ url: string; service: Readonly<{ ownToken: string }> }>

async function importOrders(
  { url, service: { ownToken } }: Sender,
  t: TestContext,
  { head, rows, options, refused = 0 }: Export,
  ...more: string[]
) {
  const file = join(temporaryDirectory(t), 'orders.csv')
  writeFileSync(file, `${[head, ...rows].join('\n')}\n`)
  const args = ['import', 'orders', file, '--url', url, '--skipped', `${file}.skipped`, ...options, ...more]
  const result = await runCommand(args, { LAUREL_TOKEN: ownToken })
  assert.equal(result.code, refused === 0 ? 0 : 4, result.stdout + result.stderr)
  if (refused > 0) assert.match(result.stdout, new RegExp(`, ${refused} skipped$`, 'm'))
  return result
}

async function ledgerAfter(app: TestApp, t: TestContext, table: Export) {
  await prepare(app)
  await importOrders(app, t, table)
  await clean(app)
  const entries = await app.query(
    'select user_id, seq::int as seq, kind, points::int as points, order_id, at::text as at from entries order by user_id, seq',
  )
  return entries as Readonly<Record<string, unknown>>[]
}

for (const [name, table] of Object.entries({ shopify: shopify(), till: till(), square: square() }))
  test(`an export like that of ${name} leads to the same ledger in file order, reversed and shuffled by rows, on both databases`, async (t) => {
    const ways = [table.rows, table.rows.toReversed(), shuffled(table.rows)]
    const ledgers = []
    for (const open of [openServerApp, openEmbeddedApp])
      for (const rows of ways) ledgers.push(await ledgerAfter(await open(t), t, { ...table, rows }))
    const [first, ...others] = ledgers
    for (const other of others) assert.deepEqual(other, first)
    assert(first!.length >= 24)
    // The oldest order of each player has the welcome points, and later ones are doubled.
    for (const userId of SHOPPERS) {
      const own = first!.filter(({ user_id }) => user_id === userId)
      assert(Number(own[0]!.points) >= 500, JSON.stringify(own[0]))
      assert(own.slice(1).every(({ points }) => Number(points) < 500))
    }
  })

test('an import says how many orders are older than one already recorded before it writes the first, and a dry run counts them (decision 123)', async (t) => {
  const app = await openServerApp(t)
  const table = shopify()
  const { rows } = table
  const [newer, older] = [rows.slice(0, 20), rows.slice(20)]
  const sent = (part: readonly string[], ...more: string[]) => importOrders(app, t, { ...table, rows: part }, ...more)
  await prepare(app)
  assert.doesNotMatch((await sent(newer)).stderr, /older than/)
  const dry = await sent(older, '--dry-run')
  assert.match(
    dry.stdout,
    /^1\d orders are older than one that is recorded for the same player, and the program looks at history: .* first\. Recorded orders keep their points; .* all orders in one file or the oldest file first \(docs\/import\.md, "Oldest first"\)$/m,
  )
  const count = /^(\d+) orders are older/m.exec(dry.stdout)![1]
  const { out_of_order } = JSON.parse((await sent(older, '--dry-run', '--json')).stdout)
  assert.equal(String(out_of_order), count)
  const written = await sent(older)
  assert.match(
    written.stderr,
    new RegExp(`^laurel: ${count} orders are older than one that is recorded.* or the oldest file first `, 'm'),
  )
  assert.doesNotMatch((await sent(rows)).stderr, /older than/)
})

test('before it writes, an import warns of orders without a time, and of percentages that would be read as amounts', async (t) => {
  const app = await openServerApp(t)
  await prepare(app)
  const head = 'Receipt,Customer,Date,Time,Total,Discount,Discount %'
  const options = ['order_id=Receipt', 'user_id=Customer', 'total_amount=Total'].flatMap((field) => ['--map', field])
  const constant = ['name=-', 'email=a@example.com', 'refferral_code=', 'products=[]'].flatMap((field) => [
    '--default',
    field,
  ])
  const table = {
    head,
    rows: [`1,${SHOPPERS[0]},2026-01-02,10:00,20,0,10`],
    orders: 1,
    ofPlayers: [],
    options: [...options, ...constant],
  }
  const notes = async (...more: string[]) => (await importOrders(app, t, table, ...more, '--dry-run')).stderr
  const share = await notes('--map', 'discount=Discount %')
  assert.match(share, /^laurel: "Discount %" is read as an amount for discount, but its name suggests percentages: /m)
  assert.match(
    share,
    /^laurel: no column says when orders were placed, so new ones count as placed now: --map "ordered_at=Date\+' '\+Time"$/m,
  )
  const dated = await notes('--map', "ordered_at=Date+' '+Time", '--default', 'discount=0', '--time-zone', 'UTC')
  assert.doesNotMatch(dated, /placed now|percentages|perhaps/)
})

const zoneLine = ({ stderr }: { stderr: string }) => /^.*time zone.*$/m.exec(stderr)?.[0]

test('before it writes the first order, an import says in which zone it read times that name none, and which zone the program has', async (t) => {
  const app = await openServerApp(t)
  await prepare(app)
  const zoned = till()
  const send = async (zone: string[], ...more: string[]) =>
    zoneLine(await importOrders(app, t, { ...zoned, options: [...zoned.options, ...zone] }, ...more))
  const [berlin, utc] = [['--time-zone', 'Europe/Berlin'], [] as string[]]
  const written = async () => (await app.query('select count(*)::int as n from orders'))[0]!.n
  assert.equal(
    await send(utc, '--dry-run'),
    'laurel: times without a time zone are read in UTC; --time-zone names another',
  )
  const data = { source: `time-zone: Europe/London\n${PROGRAM}` }
  const published = await app.ask('POST', '/api/admin/programs', { body: { data } })
  assert.equal(published.status, 200, published.text)
  assert.equal(
    await send(utc, '--dry-run'),
    'laurel: times without a time zone are read in UTC, and the program is in Europe/London: if the times are, too, add --time-zone Europe/London',
  )
  assert.equal(
    await send(berlin, '--dry-run'),
    'laurel: times without a time zone are read in Europe/Berlin, and the program is in Europe/London: if the times are, too, write --time-zone Europe/London',
  )
  // Another name of the same zone.
  assert.equal(await send(['--time-zone', 'GB'], '--dry-run'), undefined)
  assert.equal(await written(), 0)
  assert.match((await send(utc))!, /^laurel: times without a time zone are read in UTC, and the program/)
  assert.equal(await written(), zoned.orders)
  // Shopify writes the zone with each time.
  const named = shopify()
  assert.equal(zoneLine(await importOrders(app, t, named, '--dry-run')), undefined)
})

test('a token that may not read the program is told the zone of times that name none, and no other', async (t) => {
  const app = await openServerApp(t)
  await prepare(app)
  const data = { source: `time-zone: Europe/London\n${PROGRAM}` }
  await app.ask('POST', '/api/admin/programs', { body: { data } })
  const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'x', scopes: ['orders'] } } })
  const sent = await importOrders({ url: app.url, service: { ownToken: body.token } }, t, till())
  assert.equal(zoneLine(sent), 'laurel: times without a time zone are read in UTC; --time-zone names another')
})

test('discounts with a currency, a minus or in brackets take off what they say, and amounts of refunds are below 0 and refused', async (t) => {
  const app = await openServerApp(t)
  await prepare(app)
  const table = square()
  const { stdout } = await importOrders(app, t, table)
  const recorded = await app.query("select distinct state->>'discount' as discount from orders")
  assert.deepEqual(recorded, [{ discount: '1.5' }])
  assert.match(
    stdout,
    /^ {2}2 x total_amount: expected a number between 0 and \d+ with at most 4 decimal places \(line 30: "-15.00"\)$/m,
  )
  const shares = table.options.map((one) => (one === 'discount=Discounts' ? 'discount=Discount %' : one))
  const percent = await importOrders(app, t, { ...table, options: shares, refused: 30 })
  assert.match(percent.stdout, /^ {2}30 x discount: expected a number .* \(line 2: "10%"\)$/m)
  assert.match(
    percent.stdout,
    /^perhaps the file needs another column for discount than "Discount %", which has shares/m,
  )
})
