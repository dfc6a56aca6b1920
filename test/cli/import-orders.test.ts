/*
 * Exports of orders as shops have them, under a program that looks at history: the ledger is the same whatever the order of the file (decision 206).
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { aPlayer } from '../support/builders.ts'
import { clean } from '../support/redeeming.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
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
const PLAYERS = ['ada@example.com', 'ben@example.com', 'cem@example.com']

/** `refused` says how many of the orders are none that can be recorded. */
type Table = Readonly<{ head: string; rows: readonly string[]; options: readonly string[]; refused?: number }>

const dayOf = (index: number) => new Date(Date.UTC(2025, 0, 5 + index * 9)).toISOString().slice(0, 10)
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Newest first; what belongs to the order is in the first row of each only. */
function shopify(): Table {
  const orders = Array.from({ length: 30 }, (_, index) => {
    const [price, quantity] = [10 + (index % 7) * 3.5, 1 + (index % 3)]
    const lines = [
      [price, quantity],
      [4.25, 1],
    ].slice(0, 1 + (index % 2)) as [number, number][]
    const subtotal = sum(lines.map(([each, count]) => each * count)).toFixed(2)
    const email = PLAYERS[index % 3]
    const refunded = index === 12 ? '5.00' : '0.00'
    const cancelled = index === 20 ? `${dayOf(index)} 18:00:00 +0100` : ''
    return lines.map(([each, count], line) => {
      const own =
        line === 0
          ? [email, 'paid', subtotal, '0.00', refunded, `${dayOf(index)} 10:00:00 +0100`, cancelled]
          : [email, '', '', '', '', '', '']
      return [`#${1001 + index}`, ...own, `Tea ${line}`, count, each.toFixed(2), 'Ada L'].join(',')
    })
  })
  return {
    head: 'Name,Email,Financial Status,Subtotal,Discount Amount,Refunded Amount,Created at,Cancelled at,Lineitem name,Lineitem quantity,Lineitem price,Billing Name',
    rows: orders.toReversed().flat(),
    options: ['--preset', 'shopify'],
  }
}

/** Receipt numbers start again each year, and each line has its own amount. */
function till(): Table {
  const rows = Array.from({ length: 24 }, (_, index) => {
    const year = index < 12 ? 2024 : 2025
    const date = `${String(3 + index).padStart(2, '0')}.${String(1 + (index % 12)).padStart(2, '0')}.${year}`
    const line = (sku: string, amount: string) =>
      [year, (index % 12) + 1, date, PLAYERS[index % 3], sku, 1, amount].join(';')
    return [line('BREAD', '3,40'), line('WINE', `${12 + index},90`)]
  })
  const facts = ['discount=0', 'name=Till', 'email=till@example.com', 'refferral_code=']
  return {
    head: 'Jahr;Bon;Datum;Kunde;Artikel;Menge;Betrag',
    rows: rows.flat(),
    options: [
      ...['--delimiter', ';', '--decimal', 'comma', '--date-format', 'DD.MM.YYYY'],
      ...['order_id=Jahr+"-"+Bon', 'user_id=Kunde', 'ordered_at=Datum', 'total_amount=sum(Betrag)'].flatMap((one) => [
        '--map',
        one,
      ]),
      ...['product_sku_id=Artikel', 'qty=Menge', 'amount=Betrag'].flatMap((one) => ['--map', `products.${one}`]),
      ...facts.flatMap((one) => ['--default', one]),
    ],
  }
}

/** As exports write dollars, and what they take off. */
const DOLLARS = [(text: string) => `$${text}`, (text: string) => `US$ ${text}`, (text: string) => `${text} USD`]
const DISCOUNTS = ['($1.50)', '$(1.50)', '-$1.50', '$-1.50', '(1.50 USD)', '$1.50']

/** Dollars, discounts in brackets, refunds as orders with a status of their own, and some of which only the amount is known: below 0. */
function square(): Table {
  const rows = Array.from({ length: 28 }, (_, index) => {
    const gross = DOLLARS[index % 3]!((15 + (index % 9) * 7).toFixed(2))
    const status = index % 11 === 10 ? 'Refund' : 'Payment'
    const discount = DISCOUNTS[index % DISCOUNTS.length]
    return [`tx-${index}`, `${dayOf(index)}T09:30:00Z`, PLAYERS[index % 3], gross, discount, '10%', status].join(',')
  })
  const refunds = ['($15.00)', '-$22.00'].map((gross, index) =>
    [`rf-${index}`, `${dayOf(index)}T09:30:00Z`, PLAYERS[index], gross, '$0.00', '10%', 'Refund'].join(','),
  )
  const maps = [
    'order_id=Transaction ID',
    'user_id=Customer',
    'total_amount=Gross Sales',
    'discount=Discounts',
    'ordered_at=Date',
    'status=Event',
  ]
  const facts = ['name=Square', 'email=square@example.com', 'refferral_code=', 'products=[]']
  return {
    head: 'Transaction ID,Date,Customer,Gross Sales,Discounts,Discount %,Event',
    rows: [...rows, ...refunds],
    refused: refunds.length,
    options: [
      ...maps.flatMap((one) => ['--map', one]),
      ...facts.flatMap((one) => ['--default', one]),
      ...['--values', 'status=Payment:placed,Refund:returned'],
    ],
  }
}

/** A fixed shuffle: neighbours are far apart. */
const shuffled = <T>(rows: readonly T[]): T[] =>
  rows
    .map((row, index) => ({ row, key: ((index * 7_919) % 104_729) ^ ((index * 31) % 97) }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row)

async function prepare(app: TestApp): Promise<void> {
  const data = { source: PROGRAM, from: '2020-01-01T00:00:00Z' }
  const published = await app.ask('POST', '/api/admin/programs', { body: { data } })
  assert.equal(published.status, 200, published.text)
  await app.upsertPlayers(PLAYERS.map((User_id) => aPlayer({ User_id, Refercode: '' })))
}

async function importOrders(
  app: TestApp,
  t: TestContext,
  { head, rows, options, refused = 0 }: Table,
  ...more: string[]
) {
  const file = join(temporaryDirectory(t), 'orders.csv')
  writeFileSync(file, `${[head, ...rows].join('\n')}\n`)
  const args = ['import', 'orders', file, '--url', app.url, '--skipped', `${file}.skipped`, ...options, ...more]
  const result = await runCommand(args, { LAUREL_TOKEN: app.service.ownToken })
  assert.equal(result.code, refused === 0 ? 0 : 4, result.stdout + result.stderr)
  if (refused > 0) assert.match(result.stdout, new RegExp(`, ${refused} skipped$`, 'm'))
  return result
}

async function ledgerAfter(app: TestApp, t: TestContext, table: Table) {
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
    for (const rows of ways) {
      const app = await openServerApp(t)
      ledgers.push(await ledgerAfter(app, t, { ...table, rows }))
    }
    const embedded = await openEmbeddedApp(t)
    ledgers.push(await ledgerAfter(embedded, t, { ...table, rows: ways[2]! }))
    const [first, ...others] = ledgers
    for (const other of others) assert.deepEqual(other, first)
    assert(first!.length >= 24)
    // The oldest order of each player has the welcome points, and later ones are doubled.
    for (const userId of PLAYERS) {
      const own = first!.filter(({ user_id }) => user_id === userId)
      assert(Number(own[0]!.points) >= 500, JSON.stringify(own[0]))
      assert(own.slice(1).every(({ points }) => Number(points) < 500))
    }
  })

test('an import says how many orders are older than one already recorded before it writes the first, and a dry run counts them (decision 206)', async (t) => {
  const app = await openServerApp(t)
  const { head, rows, options } = shopify()
  const [newer, older] = [rows.slice(0, 20), rows.slice(20)]
  const sent = (part: readonly string[], ...more: string[]) =>
    importOrders(app, t, { head, rows: part, options }, ...more)
  await prepare(app)
  assert.doesNotMatch((await sent(newer)).stderr, /older than/)
  const dry = await sent(older, '--dry-run')
  assert.match(
    dry.stdout,
    /^1\d orders are older than one that is recorded for the same player: the program looks at history/m,
  )
  const count = /^(\d+) orders are older/m.exec(dry.stdout)![1]
  const { out_of_order } = JSON.parse((await sent(older, '--dry-run', '--json')).stdout)
  assert.equal(String(out_of_order), count)
  const written = await sent(older)
  assert.match(written.stderr, new RegExp(`^laurel: ${count} orders are older than one that is recorded`, 'm'))
  assert.doesNotMatch((await sent(rows)).stderr, /older than/)
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
    /^ {2}2 x total_amount: expected a number from 0 to \d+ with at most four decimals \(line 30: "-15.00"\)$/m,
  )
  const shares = table.options.map((one) => (one === 'discount=Discounts' ? 'discount=Discount %' : one))
  const percent = await importOrders(app, t, { ...table, options: shares, refused: 30 })
  assert.match(percent.stdout, /^ {2}30 x discount: expected a number .* \(line 30: "10%"\)$/m)
})
