/*
 * Files as people have them: names, dates, numbers and encodings of other programs (docs/decisions/0123-import-formats.md).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer, aProduct, without } from '../support/builders.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { runCommand } from '../support/run-command.ts'
import { type Ended, temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

const FILES = join(PROJECT, 'examples', 'files')
const GERMAN = ['--delimiter', ';', '--encoding', 'latin1', '--decimal', 'comma']

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A service, a directory, and `laurel import` with both. */
async function shop(t: TestContext) {
  const directory = temporaryDirectory(t)
  const app = await openServerApp(t)
  const env = { LAUREL_TOKEN: app.token }
  const path = (name: string) => join(directory, name)
  return {
    app,
    path,
    write: (name: string, content: string | Buffer) => {
      writeFileSync(path(name), content)
      return path(name)
    },
    /** Changes settings of the shop. */
    set: async (data: object) => {
      const { status, text } = await app.ask('PUT', '/api/admin/settings', { body: { data } })
      assert.equal(status, 200, text)
    },
    /** Lets amounts have cents. */
    allowCents: async () => {
      const source = `${STARTER_PROGRAM}\nmoney: { decimals: 2 }\n`
      const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
      assert.equal(status, 200, text)
    },
    /** Skipped records go to the file `skipped`. */
    run: (noun: string, file: string, ...options: string[]): Promise<Ended> =>
      runCommand(['import', noun, file, '--url', app.url, '--skipped', path('skipped'), ...options], env),
    runWith: (stdin: string, ...args: string[]): Promise<Ended> =>
      runCommand(['import', ...args, '--url', app.url, '--skipped', path('skipped')], env, { stdin }),
    skipped: () => (existsSync(path('skipped')) ? linesOf(path('skipped')) : []),
    player: async (id: string) =>
      (await app.ask('GET', `/api/admin/players/${encodeURIComponent(id)}?reveal=true`)).body,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the parts that it expects.
    orders: (): Promise<any[]> =>
      app.query(
        "select order_id, user_id, state, to_char(ordered_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as at from orders order by order_id",
      ),
  }
}

const line = (sku: string, amount: string, qty: string) => ({ sku, amount, qty })

function assertRefused({ code, stdout, stderr }: Ended, expected: RegExp): void {
  assert.match(stderr, /^laurel: [^\n]+\n( {2}[^\n]+\n)*$/)
  assert.match(stderr, expected)
  assert.deepEqual([code, stdout], [2, ''])
}

const firstLine = ({ stdout }: Ended) => stdout.split('\n')[0]

test('a German grocer imports semicolons, Latin-1, decimal commas, dates like 31.12.1980, and orders of several rows', async (t) => {
  const { app, run, set, player, skipped, orders: ordersOf } = await shop(t)
  await set({ 'players.required': 'Name,DOB,Pincode,Country' })
  const names = ['--map', 'User_id=Kundennummer', '--map', 'Name=Vorname+ +Nachname', '--map', 'Email=E-Mail']
  const places = ['--map', 'Phone=Telefon', '--map', 'Add=Straße', '--map', 'Pincode=PLZ', '--map', 'State=Ort']
  const defaults = ['--default', 'Country=DE']
  const dates = ['--map', 'DOB=Geburtsdatum', '--date-format', 'D.M.YYYY']
  const kunden = await run(
    'players',
    join(FILES, 'grocer-kunden.csv'),
    ...GERMAN,
    ...names,
    ...places,
    ...defaults,
    ...dates,
  )
  assert.equal(firstLine(kunden), '3 records read, 2 inserted, 0 updated, 0 unchanged, 1 skipped', kunden.stderr)
  assert.deepEqual([kunden.code, kunden.stderr], [4, ''])
  assert.match(kunden.stdout, /^ {2}1 x DOB: expected a date D\.M\.YYYY \(line 4: "1990-07-01"\)$/m)
  const { name, address, state, date_of_birth, country } = await player('K-100')
  assert.deepEqual(
    [name, address, state, date_of_birth, country],
    ['Jörg Müller', 'Brückenstraße 5', 'Köln', '1980-12-31', 'DE'],
  )
  assert.equal((await player('K-101')).pincode, '01067')

  const preise = ['--map', 'product_sku_id=Artikelnummer', '--map', 'amount=Preis']
  const prices = await run('products', join(FILES, 'grocer-preise.csv'), ...GERMAN, ...preise)
  assert.equal(firstLine(prices), '4 records read, 3 inserted, 0 updated, 0 unchanged, 1 skipped', prices.stderr)
  assert.deepEqual(await app.query('select sku, price::text from products order by sku'), [
    { sku: '4001', price: '2.9900' },
    { sku: '4002', price: '12.5000' },
    { sku: '4003', price: '1049.0000' },
  ])
  assert.deepEqual(
    skipped().map(({ line, error }) => [line, error]),
    [[5, 'expected a number with a decimal comma like 12,50, got "auf Anfrage"']],
  )

  const bons =
    'order_id=Bonnummer user_id=Kundennummer name=Kunde email=Mail ordered_at=Datum total_amount=Summe discount=Rabatt'
  const lines = 'products.product_sku_id=Artikel products.qty=Menge products.amount=Betrag'
  const maps = `${bons} ${lines}`.split(' ').flatMap((one) => ['--map', one])
  const when = ['--date-format', 'DD.MM.YYYY', '--time-zone', 'Europe/Berlin', '--default', 'refferral_code=']
  const orders = await run('orders', join(FILES, 'grocer-bons.csv'), ...GERMAN, ...maps, ...when)
  assert.equal(orders.stdout, '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped\n', orders.stderr)
  const [first, second] = await ordersOf()
  assert.deepEqual(
    [first.order_id, first.at, first.state.total, first.state.lines],
    ['B-1', '2025-04-02 15:45:00', '31', [line('4001', '6', '2'), line('4002', '25', '2')]],
  )
  assert.deepEqual([second.order_id, second.state.discount, second.state.lines.length], ['B-2', '2', 1])
})

test('a fashion shop imports its Shopify exports: postcodes, cents, refunds, orders of several rows', async (t) => {
  const { app, run, set, allowCents, player, orders } = await shop(t)
  const preset = ['--preset', 'shopify']
  const customers = () => run('players', join(FILES, 'fashion-customers.csv'), ...preset, '--default', 'Country=GB')
  assertRefused(
    await customers(),
    /no column DOB, Gender\n {2}one value for all records: --default DOB=\.\.\. --default Gender=\.\.\.\n {2}or let players do without: npx --no laurel settings set players\.required Name,Refercode,State,Pincode,Country \(--dry-run finds every such setting\)\n$/,
  )
  await set({ 'players.required': 'Name,Country' })
  const strict = await customers()
  assert.equal(firstLine(strict), '3 records read, 1 inserted, 0 updated, 0 unchanged, 2 skipped', strict.stderr)
  assert.match(strict.stdout, /^ {2}2 x Pincode: expected 1 to 15 digits.* \(line 2: "LS1 4DY"\)$/m)
  await set({ 'players.pincode': 'text' })
  const again = await customers()
  assert.equal(again.stdout, '3 records read, 2 inserted, 0 updated, 1 unchanged, 0 skipped\n', again.stderr)
  const { name, phone, address, district } = await player('amelia.hart@example.com')
  assert.deepEqual([name, phone, address, district], ['Amelia Hart', '+447700900101', '12 Orchard Row Flat 2', 'Leeds'])
  assert.equal((await player('isla@example.com')).name, 'isla@example.com')

  const products = await run('products', join(FILES, 'fashion-products.csv'), ...preset)
  assert.equal(products.stdout, '3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', products.stderr)
  const [, , scarf] = await app.query('select sku, price::text from products order by sku')
  assert.deepEqual(scarf, { sku: 'WS-1', price: '24.5000' })

  const sold = await run('orders', join(FILES, 'fashion-orders.csv'), ...preset)
  assert.equal(firstLine(sold), '5 records read, 3 inserted, 0 updated, 0 unchanged, 2 skipped', sold.stderr)
  assert.match(sold.stdout, /^ {2}1 x total_amount: expected .* \(line 7: 24\.5\)$/m)
  await allowCents()
  const whole = await run('orders', join(FILES, 'fashion-orders.csv'), ...preset)
  assert.equal(whole.stdout, '5 records read, 2 inserted, 0 updated, 3 unchanged, 0 skipped\n', whole.stderr)
  const [paid, partly, returned, voided, cents] = await orders()
  assert.deepEqual(
    [paid.order_id, paid.user_id, paid.at, paid.state.status, paid.state.total, paid.state.lines],
    [
      ...['#1001', 'amelia.hart@example.com', '2025-03-02 09:50:26', 'placed', '195'],
      [line('LS-S', '130', '2'), line('LS-M', '65', '1')],
    ],
  )
  // 120 after a discount of 10, of which 60 were paid back: 60 earn points.
  assert.deepEqual(
    [partly.user_id, partly.at, partly.state.status, partly.state.total, partly.state.discount, partly.state.lines],
    [
      ...['oliver.nkemelu@example.com', '2025-03-30 17:05:00', 'placed', '130', '10'],
      [{ ...line('LS-M', '130', '2'), refunded: '60' }],
    ],
  )
  assert.deepEqual([returned.state.status, voided.state.status], ['returned', 'cancelled'])
  assert.deepEqual([cents.state.total, cents.state.lines], ['24.5', [line('WS-1', '24.5', '1')]])
})

test('a coffee shop imports its WooCommerce exports, one row per item', async (t) => {
  const { app, run, set, allowCents, player, orders } = await shop(t)
  const preset = ['--preset', 'woocommerce']
  await set({ 'players.required': 'Name,State,Pincode,Country' })
  await allowCents()
  const customers = await run('players', join(FILES, 'coffee-customers.csv'), ...preset)
  assert.equal(firstLine(customers), '3 records read, 2 inserted, 0 updated, 0 unchanged, 1 skipped', customers.stderr)
  for (const field of ['State', 'Pincode', 'Country'])
    assert.match(customers.stdout, new RegExp(`^  1 x ${field}: ${field} is required \\(line 3\\)$`, 'm'))
  const { name, pincode, state, country } = await player('teri@example.com')
  assert.deepEqual([name, pincode, state, country], ['Teri Okafor', '97202', 'OR', 'US'])

  const products = await run('products', join(FILES, 'coffee-products.csv'), ...preset)
  assert.equal(products.stdout, '3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', products.stderr)
  const [bag] = await app.query('select sku, price::text from products order by sku')
  assert.deepEqual(bag, { sku: 'BEAN-1K', price: '40.0000' })

  const zone = ['--time-zone', 'America/Los_Angeles']
  const sold = await run('orders', join(FILES, 'coffee-orders.csv'), ...preset, ...zone)
  assert.equal(firstLine(sold), '4 records read, 3 inserted, 0 updated, 0 unchanged, 1 skipped', sold.stderr)
  assert.match(
    sold.stdout,
    /^ {2}1 x user_id: player \.\.\. not found: send players first \(line 5: "guest@example\.com"\)$/m,
  )
  const [bought, returned, cents] = await orders()
  // The clocks change between the two, and shipping earns nothing.
  assert.deepEqual(
    [bought.at, bought.state.total, bought.state.lines],
    ['2025-03-09 09:30:00', '64', [line('BEAN-250', '24', '2'), line('BEAN-1K', '40', '1')]],
  )
  assert.deepEqual([returned.at, returned.state.status], ['2025-03-09 10:30:00', 'returned'])
  assert.equal(cents.state.total, '14.5')
})

test('orders that redeem more than there is, or without the scope for it, are skipped and named, not counted as updated', async (t) => {
  const { app, run, write, skipped } = await shop(t)
  const source = `${STARTER_PROGRAM}\nredeem: { value: { points: 1, pays: "1" } }\n`
  assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
  await app.upsertPlayers([aPlayer()])
  const sent = [anOrder({ order_id: 'paid', points_redeemed: 50 }), anOrder({ order_id: 'plain' })]
  const file = write('orders.ndjson', sent.map((order) => `${JSON.stringify(order)}\n`).join(''))
  const result = await run('orders', file)
  assert.equal(firstLine(result), '2 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped', result.stderr)
  assert.match(skipped()[0]!.error, /^expected at most 0 points/)
  const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'x', scopes: ['orders'] } } })
  const till = await runCommand(['import', 'orders', file, '--url', app.url, '--skipped', `${file}.skipped`], {
    LAUREL_TOKEN: body.token,
  })
  assert.equal(firstLine(till), '2 records read, 0 inserted, 0 updated, 1 unchanged, 1 skipped', till.stderr)
})

test('a field that a preset looks for is mapped by hand in an export with other headers; rows that are no records are counted aloud', async (t) => {
  const { run, write } = await shop(t)
  const german = write('produkte.csv', 'ID,Artikelnummer,Regulärer Preis\n1,T-1,"4,50"\n2,T-2,\n')
  const maps = ['--map', 'product_sku_id=Artikelnummer', '--map', 'amount=Regulärer Preis']
  const result = await run('products', german, '--preset', 'woocommerce', '--decimal', 'comma', ...maps)
  assert.equal(firstLine(result), '2 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped', result.stderr)
  assert.equal(result.stderr, '')
  const parents = write('parents.csv', 'ID,SKU,Regular price\n1,A,\n2,B,\n')
  const none = await run('products', parents, '--preset', 'woocommerce')
  assert.equal(firstLine(none), '0 records read, 0 inserted, 0 updated, 0 unchanged, 0 skipped')
  assert.deepEqual(
    [none.stderr, none.code],
    ['laurel: passed over 2 rows without a value in "Regular price"\nlaurel: the file has no record\n', 0],
  )
})

test('WooCommerce goods without an SKU have the same id in products and orders: the number of the variation, or of the product', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const preset = ['--preset', 'woocommerce']
  const products = write('products.csv', 'ID,SKU,Regular price\n51,,4\n52,,5\n53,MUG,6\n')
  assert.match((await run('products', products, ...preset)).stdout, /^3 records read, 3 inserted/)
  const head = [
    'order_id,order_date,status,order_total,discount_total,refunded_total,customer,billing_first_name,billing_last_name',
    'item_sku,item_variation_id,item_product_id,item_name,item_quantity,item_total',
  ].join()
  const rows = [',0,51,Tea', ',52,50,Tea - big', 'MUG,0,53,Mug', ',0,0,Gone'].map(
    (item) => `9,2025-03-09 01:30:00,completed,24,0,0,u-1,A,B,${item},1,6`,
  )
  const sold = await run(
    'orders',
    write('orders.csv', [head, ...rows, ''].join('\n')),
    ...preset,
    '--map',
    'user_id=customer',
    '--default',
    'email=a@example.com',
  )
  assert.match(sold.stdout, /^1 record read, 1 inserted/, sold.stdout + sold.stderr)
  assert.deepEqual(
    (await orders())[0].state.lines.map(({ sku }: { sku: string }) => sku),
    ['51', '52', 'MUG', 'Gone'],
  )
})

test('refunds of a WooCommerce order that its lines name in part count whole: units stay units, and the rest reduces the order', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const head =
    'order_id,order_date,status,order_total,discount_total,refunded_total,customer,billing_first_name,billing_last_name,item_sku,item_quantity,item_total,item_refunded_qty,item_refunded'
  const row = (id: number, refunded: number, ...item: (string | number)[]) =>
    [id, '2025-03-09 01:30:00', 'completed', 200, 0, refunded, 'u-1', 'A', 'B', ...item].join()
  const rows = [
    row(1, 150, 'X', 2, 100, 0, 100),
    row(1, 150, 'Y', 2, 100, 0, 0),
    row(2, 75, 'X', 2, 100, 1, 50),
    row(2, 75, 'Y', 2, 100, 0, 0),
  ]
  const maps = ['--map', 'user_id=customer', '--default', 'email=a@example.com']
  const sold = await run('orders', write('o.csv', [head, ...rows, ''].join('\n')), '--preset', 'woocommerce', ...maps)
  assert.match(sold.stdout, /^2 records read, 2 inserted/, sold.stdout + sold.stderr)
  const refunds = (await orders()).map(
    ({ state }: { state: { discount: string; lines: { refunded?: unknown }[] } }) => [
      state.discount,
      state.lines.map(({ refunded }) => refunded),
    ],
  )
  // Of 200, 50 are left where 100 were paid back of one line and 50 beside; and 125 where a unit and 25 were, as the unit was then worth less.
  assert.deepEqual(refunds, [
    ['50', ['100', undefined]],
    ['33', [{ qty: '1' }, undefined]],
  ])
})

test('a tab-separated table is read from a file, and every format from standard input', async (t) => {
  const { run, runWith, write, app } = await shop(t)
  const tsv = 'product_sku_id\tamount\ntea\t4.50\n"a\tb"\t1\n'
  const one = (result: Ended) => assert.match(result.stdout, /^\d records? read, \d inserted, /, result.stderr)
  one(await run('products', write('prices.tsv', tsv)))
  one(await run('products', write('prices.txt', tsv.replace('tea', 'tea-2')), '--format', 'csv', '--delimiter', 'tab'))
  one(await runWith(tsv.replace('tea', 'tea-3'), 'products', '-', '--format', 'tsv'))
  one(await runWith(JSON.stringify([aProduct({ product_sku_id: 'tea-4' })]), 'products', '-', '--format', 'json'))
  one(
    await runWith(`${JSON.stringify(aProduct({ product_sku_id: 'tea-5' }))}\n`, 'products', '-', '--format', 'ndjson'),
  )
  const stored = await app.query("select sku from products where sku like 'tea%' order by sku")
  assert.deepEqual(
    stored.map(({ sku }) => sku),
    ['tea', 'tea-2', 'tea-3', 'tea-4', 'tea-5'],
  )
  assertRefused(
    await runWith(tsv, 'products', '-'),
    /standard input has no file name to tell its format: add --format csv/,
  )
})

test('tables are read as spreadsheets write them: UTF-16, a first line sep=;, a separator at the end of rows, quotes between tabs', async (t) => {
  const { app, run, write, skipped } = await shop(t)
  const counted = async (name: string, content: string | Buffer, ...options: string[]) => {
    const result = await run('products', write(name, content), ...options)
    assert.equal(result.stderr, '', name)
    return firstLine(result)!.split(', ').slice(0, 2).join(', ')
  }
  const unicode = Buffer.from('\ufeffproduct_sku_id\tamount\nthé-1\t4\n', 'utf16le')
  assert.equal(await counted('le.tsv', unicode), '1 record read, 1 inserted')
  const other = Buffer.from('\ufeffproduct_sku_id\tamount\nthé-2\t4\n', 'utf16le').swap16()
  assert.equal(await counted('be.txt', other, '--format', 'tsv'), '1 record read, 1 inserted')
  assertRefused(
    await run('products', write('odd.tsv', unicode.subarray(0, -1))),
    /expected text in UTF-16, as its first bytes say/,
  )
  const named = 'sep=;\r\nproduct_sku_id;amount\r\nsep-1;4\r\nsep-2;x\r\n'
  assert.equal(await counted('sep.csv', named), '2 records read, 1 inserted')
  assert.equal(skipped()[0].line, 4)
  assert.equal(await counted('sep.csv', named, '--delimiter', ';'), '2 records read, 0 inserted')
  const ended = 'product_sku_id;amount\nend-1;4;\nend-2;5; \nend-3;6;x\nend-4\n'
  assert.equal(await counted('end.csv', ended), '4 records read, 2 inserted')
  assert.deepEqual(
    skipped().map(({ line, error }) => [line, error]),
    [4, 5].map((line) => [line, 'expected as many cells as in the first line']),
  )
  const quotes = 'product_sku_id\tamount\n12" pizza\t4\n"6" cup\t5\n"a, b"\t6\n'
  assert.equal(await counted('quotes.tsv', quotes), '3 records read, 3 inserted')
  assert.deepEqual((await app.query('select sku from products order by sku')).map(({ sku }) => sku).toSorted(), [
    '"6" cup',
    '12" pizza',
    'a, b',
    'end-1',
    'end-2',
    'sep-1',
    'thé-1',
    'thé-2',
  ])
})

test('a quote inside a cell belongs to the cell; a cell in quotes with text after it is a fault of its row, and no row goes into another', async (t) => {
  const { app, run, write, skipped } = await shop(t)
  const row = '12" vinyl,4\n"""Deluxe"" cup",5\n"6" cup",6\n"7" cup, red",7\n5\'9" tall,8\n'
  const result = await run('products', write('inch.csv', `product_sku_id,amount\n${row}`))
  assert.equal(firstLine(result), '5 records read, 3 inserted, 0 updated, 0 unchanged, 2 skipped')
  assert.deepEqual(
    skipped().map(({ line, error }) => [line, error]),
    [4, 5].map((line) => [
      line,
      'expected a separator after a cell in quotes: a quote inside such a cell is written twice',
    ]),
  )
  assert.deepEqual((await app.query('select sku from products')).map(({ sku }) => sku).toSorted(), [
    '"Deluxe" cup',
    '12" vinyl',
    '5\'9" tall',
  ])
  for (const [rows, reason] of [
    [
      'a,"x\r\ny",1\r\nb,"8" cup\r\nred",2',
      /line 4 has " " after a cell in quotes: a quote inside such a cell is written/,
    ],
    [
      'a,"x\r\ny",1\r\nb,"old,2\r\nc,"new",3',
      /line 5 has "n" after a cell in quotes that begins on line 4: a quote inside/,
    ],
    ['a,"1" x","2\r\n3"', /line 2 has " " after a cell in quotes: a quote inside such a cell is written twice$/m],
    ['"x\r\ny","old,5\r\nb,new,6\r\n', /unclosed quote on line 3: close it, or, if it belongs/],
    [`a,b,1\r\nb,"${'old,5\r\n'.repeat(200_000)}`, /unclosed quote on line 3/],
  ] as const)
    for (const name of ['torn.csv', 'torn.tsv']) {
      const text = `product_sku_id,amount,state_version\r\n${rows}`
      const isTab = name.endsWith('.tsv')
      // Between tabs, a quote is as it is: nothing says that the row of the first file goes on.
      if (isTab && rows.includes('8" cup')) continue
      assertRefused(await run('products', write(name, isTab ? text.replaceAll(',', '\t') : text)), reason)
    }
  const ended = 'sep=;\nproduct_sku_id;amount\n"tea";"4"\n"x;5\n'
  assertRefused(await run('products', write('sep.csv', ended)), /unclosed quote on line 4/)
})

test('a default is a number as the file writes it, or as the wire does', async (t) => {
  const { app, run, write, allowCents } = await shop(t)
  await allowCents()
  for (const [sku, amount] of [
    ['a', '1,50'],
    ['b', '1.50'],
    ['c', '2'],
  ]) {
    const file = write('free.csv', `product_sku_id;amount\n${sku};\n`)
    const result = await run(
      'products',
      file,
      '--delimiter',
      ';',
      '--decimal',
      'comma',
      '--default',
      `amount=${amount}`,
    )
    assert.match(result.stdout, /^1 record read, 1 inserted/, result.stdout)
  }
  assert.deepEqual(
    (await app.query('select price::text from products order by sku')).map(({ price }) => price),
    ['1.5000', '1.5000', '2.0000'],
  )
})

test('the path of --url is kept', async (t) => {
  const { app, write } = await shop(t)
  const paths: string[] = []
  const proxy = createServer((request, reply) => {
    paths.push(request.url!)
    reply.end('{"message":"","inserted":1,"updated":0,"skipped":0,"unchanged":0,"results":[]}')
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  const file = write('products.csv', 'product_sku_id,amount\ntea,4\n')
  const { port } = proxy.address() as AddressInfo
  for (const end of ['', '/']) {
    const url = `http://127.0.0.1:${port}/laurel${end}`
    const { code, stderr } = await runCommand(['import', 'products', file, '--url', url], { LAUREL_TOKEN: app.token })
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(
    paths.map((path) => path.split('?')[0]),
    Array(2).fill('/laurel/api/integration/products'),
  )
})

test('JSON fields are mapped as columns are, and empty values are filled', async (t) => {
  const { run, write, player } = await shop(t)
  const { User_id: id, Country: _, ...rest } = aPlayer({ User_id: 'json-1', Gender: null })
  const file = write('players.json', JSON.stringify([{ ...rest, customer: { id }, number: 7 }]))
  const result = await run(
    'players',
    file,
    '--map',
    'User_id=number',
    '--default',
    'Gender=male',
    '--default',
    'Country=DE',
  )
  assert.equal(firstLine(result), '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped', result.stderr)
  assert.match(
    result.stderr,
    /^laurel: unknown fields, ignored: "customer"; fields not given: State_version, rejoin, participates\n$/,
  )
  const { gender, country } = await player('7')
  assert.deepEqual([gender, country], ['male', 'DE'])
})

test('a header that lacks fields is refused with the nearest names and the options to write', async (t) => {
  const { run, write } = await shop(t)
  const file = write('customers.csv', 'Customer ID,Full name,Zip,Contry,E-Mail\n1,A,2,3,4\n')
  assertRefused(
    await run('players', file),
    /Country, User_id\n {2}perhaps: --map Name="Full name" --map Pincode=Zip --map Country=Contry --map User_id="Customer ID"\n {2}one value for all records: --default DOB=\.\.\. --default Gender=.*\n {2}or let players do without: npx --no laurel settings set players\.required Name,Pincode,Country \(/,
  )
  assertRefused(
    await run('players', file, '--map', 'Name=Full nam'),
    /--map names "Full nam", and the first line has no such column; did you mean "Full name" for "Full nam"\? Write --map Name="Full name"; the first line has no column DOB, .*, Country, User_id\n {2}perhaps: /,
  )
  assertRefused(await run('players', file, '--map', 'Nam=Zip'), /unknown field "Nam", did you mean Name\?/)
  assertRefused(
    await run('products', file, '--preset', 'shopify'),
    /the preset reads product_sku_id from "Variant SKU" or "SKU", and the first line has no such column: it is for the export of products/,
  )
  assertRefused(
    await run('products', write('semicolons.csv', 'product_sku_id;amount\ntea;4\n'), '--delimiter', ','),
    /the first line has one column, "product_sku_id;amount"; if its names are separated, write --delimiter ";"/,
  )
  assertRefused(
    await run('products', write('mapped.csv', 'Nr,Preis\ntea,4\n'), '--map', 'amount=Preis', '--delimiter', ';'),
    /the first line has one column, "Nr,Preis"; if its names are separated, write --delimiter ","$/m,
  )
  assertRefused(
    await run('products', write('quoted.csv', '\ufeff"product_sku_id";"amount",x\n"tea";"4"\n')),
    /quoted\.csv: line 1 has ";" after a cell in quotes; if that separates its cells, write --delimiter ";"$/m,
  )
  assertRefused(
    await run('products', write('quotes.csv', 'product_sku_id,amount\n"6" cup\nred",4\n')),
    /quotes\.csv: line 2 has " " after a cell in quotes: a quote inside such a cell is written twice$/m,
  )
  assertRefused(
    await run('products', write('latin.csv', Buffer.from('product_sku_id,amount\nth\u00e9,4\n', 'latin1'))),
    /expected text in UTF-8; a file of an older program may need --encoding windows-1252/,
  )
})

test('the columns of a preset’s export are recognised, and an export that a preset lacks columns of is told the options for them', async (t) => {
  const { run, write } = await shop(t)
  for (const [noun, file, preset] of [
    ['players', 'fashion-customers.csv', 'shopify'],
    ['products', 'fashion-products.csv', 'shopify'],
    ['orders', 'fashion-orders.csv', 'shopify'],
    ['players', 'fashion-orders.csv', 'shopify'],
    ['players', 'coffee-customers.csv', 'woocommerce'],
    ['products', 'coffee-products.csv', 'woocommerce'],
    ['orders', 'coffee-orders.csv', 'woocommerce'],
  ] as const)
    assertRefused(
      await run(noun, join(FILES, file)),
      new RegExp(`csv: the first line is probably that of an export of ${preset}: add --preset ${preset}\n$`),
    )
  const orders = join(FILES, 'fashion-orders.csv')
  assertRefused(
    await run('players', orders, '--map', 'User_id=Email'),
    /add --preset shopify; the first line has no column DOB, .*\n {2}perhaps: .*--map Country="Billing Country"/,
  )
  assertRefused(
    await run('players', orders, '--preset', 'shopify'),
    /the preset reads State from .* or "City", and the first line has no such column: it is for the export of customers\n {2}perhaps: --map State="Billing Province" --map Pincode="Billing Zip" --map Country="Billing Country"\n$/,
  )
  const nameless = write('abroad.csv', 'Email,City,Zip\na@example.com,Bern,3000\n')
  assertRefused(
    await run('players', nameless, '--preset', 'shopify'),
    /reads Country from .*\n {2}one value for all records: --default Country=\.\.\.\n {2}or let players do without: /,
  )
  // No preset has balances.
  assertRefused(await run('balances', orders), /the first line has no column /)
})

test('of many columns that no record has, and of fields that are not given, the first are named, and how many more there are', async (t) => {
  const { run, write } = await shop(t)
  const columns = Array.from({ length: 30 }, (_, index) => `Column ${index}`)
  const head = ['product_sku_id', 'amount', ...columns].join(',')
  const { stderr } = await run('products', write('wide.csv', `${head}\n`))
  const named = columns.slice(0, 8).map((name) => `"${name}"`)
  assert(
    stderr.startsWith(
      `laurel: unknown fields, ignored: ${named.join(', ')} and 22 more; fields not given: state_version\n`,
    ),
    stderr,
  )
})

test('an invalid option is refused before anything is opened', async (t) => {
  const { run, write } = await shop(t)
  const file = write('products.csv', 'product_sku_id,amount\ntea,4\n')
  const cases: [string[], RegExp][] = [
    [['--preset', 'magento'], /--preset is "magento": expected shopify or woocommerce/],
    [['--decimal', 'dot'], /--decimal is "dot": expected comma or point/],
    [['--delimiter', ';;'], /--delimiter is ";;": expected one character, or tab/],
    [['--encoding', 'ascii'], /--encoding is "ascii": expected utf-8, windows-1252, latin1/],
    [['--format', 'xlsx'], /--format is "xlsx": expected csv, tsv, json, ndjson/],
    [['--map', 'amount'], /--map is "amount": expected a field, = and its value/],
    [['--map', 'amount=a', '--map', 'amount=b'], /--map amount is given twice: leave one of them out/],
    [['--default', 'amount=1', '--default', 'amount=2'], /--default amount is given twice/],
    [['--decimal', 'comma', '--default', 'amount=1,x'], /--default amount: expected a number with a decimal comma/],
    [['--default', '=4'], /--default is "=4": expected a field, = and its value/],
  ]
  for (const [options, expected] of cases)
    assertRefused(await runCommand(['import', 'products', file, '--url', 'http://127.0.0.1:9', ...options]), expected)
  const balances = write('balances.csv', 'user_id\n')
  assertRefused(
    await run('balances', balances, '--preset', 'shopify'),
    /the preset shopify has no balances, only players, /,
  )
})

test('every fault of a record is reported, the most frequent reasons first; the corrected file is imported as it is', async (t) => {
  const { run, write, path, skipped, player } = await shop(t)
  const records = [
    aPlayer({ User_id: 'm-1', Gender: 'm', DOB: '31-02-1990', Pincode: 'x' }),
    aPlayer({ User_id: 'm-2', Gender: 'f' }),
    aPlayer({ User_id: 'm-3' }),
  ]
  const lines = records.map((record) => JSON.stringify(record)).join('\n')
  const result = await run(
    'players',
    write('players.ndjson', `${lines}\n{"User_id": "m-4"\n`),
    '--default',
    'RefBy=nobody',
  )
  assert.deepEqual(result.stdout.split('\n'), [
    '4 records read, 1 inserted, 0 updated, 0 unchanged, 3 skipped',
    '  2 x Gender: expected male or female (line 1: "m")',
    '  1 x DOB: expected a date that exists, DD-MM-YYYY (line 1: "31-02-1990")',
    '  1 x Pincode: expected 1 to 15 digits (line 1: "x")',
    '  1 x invalid JSON (line 4)',
    'perhaps the file needs --values Gender=WORD:female,WORD:male with the words of the file',
    '1 of them is valid under other settings (--dry-run shows what to type):',
    '  1 with players.genders with f',
    `skipped records and reasons: ${path('skipped')}`,
    '',
  ])
  const [first, second, broken] = skipped()
  assert.deepEqual(
    [first.line, first.field, first.more.map(({ field }: { field: string }) => field)],
    [1, 'DOB', ['Gender', 'Pincode']],
  )
  assert.deepEqual([second.line, second.field, second.more, second.record.RefBy], [2, 'Gender', undefined, 'nobody'])
  assert.deepEqual([broken.error, broken.record], ['invalid JSON', '{"User_id": "m-4"'])

  const mended = readFileSync(path('skipped'), 'utf8')
    .replaceAll('"Gender":"m"', '"Gender":"male"')
    .replaceAll('"Gender":"f"', '"Gender":"female"')
    .replace('"DOB":"31-02-1990"', '"DOB":"28-02-1990"')
    .replace('"Pincode":"x"', '"Pincode":"1"')
    .replace('"{\\"User_id\\": \\"m-4\\""', JSON.stringify(JSON.stringify(aPlayer({ User_id: 'm-4' }))))
  const again = await run('players', write('mended.ndjson', mended))
  assert.deepEqual(
    [again.stdout, again.stderr, again.code],
    ['3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', '', 0],
  )
  assert.deepEqual(
    [(await player('m-1')).gender, (await player('m-2')).referred_by, (await player('m-4')).gender],
    ['male', 'nobody', 'female'],
  )
})

test('a first import says how many of its skipped records other settings would save, and a dry run prints the commands to type', async (t) => {
  const { app, run, write, path, player } = await shop(t)
  const head = 'User_id,Name,Phone,Gender,Refercode,State,Pincode,Country'
  const rows = [
    'a,Emma Clarke,+44 20 7946-0958,female,,London,SW1A 1AA,GB',
    'b,Jonas Weber,+49 170 1234567,diverse,,Berlin,10115,DE',
    'c,Lea Wolf,,female,,Bern,3011,CH',
    'd,Ann Bell,,female,,Leeds,LS1 4DY,GB',
    'e,Pat Hill,123 ext 45,female,,Leeds,LS1 4DY,GB',
  ]
  const file = write('customers.csv', [head, ...rows, ''].join('\n'))
  assertRefused(
    await run('players', file),
    /no column DOB\n.*\n {2}or let players do without: .* players\.required \S+ \(--dry-run finds every such setting\)$/m,
  )
  const dry = await run('players', file, '--dry-run')
  assert.deepEqual(
    dry.stdout.split('\n').slice(dry.stdout.split('\n').indexOf('4 of them are valid under other settings:')),
    [
      '4 of them are valid under other settings:',
      '  1 with players.phone lenient and players.required without DOB and players.pincode text',
      '  1 with players.phone lenient and players.required without DOB and players.genders with diverse',
      '  1 with players.required without DOB',
      '  1 with players.required without DOB and players.pincode text',
      'so type:',
      `  npx --no laurel settings set players.phone lenient --url ${app.url}`,
      `  npx --no laurel settings set players.required Name,Gender,State,Pincode,Country,Refercode --url ${app.url}`,
      `  npx --no laurel settings set players.pincode text --url ${app.url}`,
      `  npx --no laurel settings set players.genders male,female,diverse --url ${app.url}`,
      `skipped records and reasons: ${path('skipped')}`,
      '',
    ],
    dry.stdout,
  )
  const { other_settings: others } = JSON.parse((await run('players', file, '--dry-run', '--json')).stdout)
  assert.equal(others.would_save, 4)
  assert.deepEqual(others.with[2], { records: 1, changes: [{ setting: 'players.required', without: 'DOB' }] })
  for (const command of others.commands) {
    const typed = await runCommand(command.split(' ').slice(3), { LAUREL_TOKEN: app.token })
    assert.equal(typed.code, 0, typed.stderr)
  }
  const taken = await run('players', file)
  assert.equal(firstLine(taken), '5 records read, 4 inserted, 0 updated, 0 unchanged, 1 skipped', taken.stdout)
  assert(!taken.stdout.includes('other settings'), taken.stdout)
  assert.equal((await player('b')).phone, '+491701234567')
})

test('an import of orders in cents says how many of them more decimals would save, and prints the commands to type', async (t) => {
  const { app, run, allowCents, write } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const orders = ['12.50', '7', '8.125', '9.99'].map((total_amount, n) => anOrder({ order_id: `o-${n}`, total_amount }))
  const file = write(
    'orders.json',
    JSON.stringify([...orders, anOrder({ order_id: 'x', total_amount: '1.50', email: '' })]),
  )
  const dry = await run('orders', file, '--dry-run')
  assert.match(
    dry.stdout,
    /^3 of them are valid under other settings:\n {2}2 with money\.decimals 2\n {2}1 with money\.decimals 3$/m,
  )
  const at = `--url ${app.url}`
  assert(
    dry.stdout.includes(
      `  (npx --no laurel program show ${at}; echo 'money: { decimals: 3 }') > shop.yaml && npx --no laurel program publish shop.yaml ${at}\n`,
    ),
    dry.stdout,
  )
  await allowCents()
  const again = await run('orders', file, '--dry-run')
  assert.match(again.stdout, /# write money: \{ decimals: 3 \} in shop\.yaml, then:$/m, again.stdout)
  const real = await run('orders', file)
  assert.match(
    real.stdout,
    /^1 of them is valid under other settings \(--dry-run shows what to type\):\n {2}1 with money\.decimals 3$/m,
  )
})

test('a file of skipped records is set aside before it is replaced, a dry run writes beside it, and no other file is ever replaced', async (t) => {
  const { app, run, write, path } = await shop(t)
  const one = (name: string) => write(name, 'product_sku_id,amount\ntea,4\ncup,x\n')
  const good = write('good.csv', 'product_sku_id,amount\ntea,4\n')
  for (const options of [[], ['--dry-run']]) {
    const precious = write('precious.txt', 'precious\n')
    assertRefused(
      await run('products', one('a.csv'), '--skipped', precious, ...options),
      /precious\.txt exists and has no skipped records in it: name another file with --skipped$/m,
    )
    assert.equal(readFileSync(precious, 'utf8'), 'precious\n')
    assertRefused(
      await run('products', one('a.csv'), '--skipped', path('none/skipped'), ...options),
      /^laurel: cannot write the skipped records to \S+none\/skipped \(ENOENT/,
    )
    assertRefused(await run('products', one('a.csv'), '--skipped', path('.'), ...options), /\(it is a directory\)$/m)
  }
  assert.deepEqual(await app.query('select sku from products'), [], 'nothing was sent')

  const importHere = (file: string, ...options: string[]) =>
    run('products', file, '--skipped', path('s.ndjson'), ...options)
  await importHere(one('a.csv'))
  const corrected = readFileSync(path('s.ndjson'), 'utf8').replaceAll('"x"', '"5"')
  writeFileSync(path('s.ndjson'), corrected)
  const dry = await importHere(one('a.csv'), '--dry-run')
  assert.match(dry.stdout, /reasons: \S+\/s\.dry-run\.ndjson\n$/)
  assert.equal(linesOf(path('s.dry-run.ndjson'))[0].record.amount, 'x')
  assert.equal((await importHere(good, '--dry-run')).code, 0)
  assert.equal(readFileSync(path('s.ndjson'), 'utf8'), corrected)
  const again = await importHere(one('a.csv'))
  assert.match(
    again.stdout,
    /^skipped records and reasons: \S+\/s\.ndjson\nthose of an earlier run: \S+\/s\.earlier\.ndjson\n$/m,
  )
  assert.equal(readFileSync(path('s.earlier.ndjson'), 'utf8'), corrected)
  assertRefused(await importHere(path('s.earlier.ndjson')), /s\.earlier\.ndjson is the file to import/)
  const mended = await run('products', path('s.earlier.ndjson'))
  assert.equal(mended.stdout, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n', mended.stderr)
  const json = async (file: string) => JSON.parse((await importHere(file, '--json')).stdout).earlier_skipped_file
  assert.equal(await json(one('a.csv')), path('s.earlier.ndjson'))
  assert.equal((await importHere(good)).code, 0)
  assert(!existsSync(path('s.ndjson')))
  assert.equal(await json(one('a.csv')), null, 'there was none')
  assert.equal((await run('products', one('a.csv'), '--skipped', '/dev/null')).code, 4)
  assert(existsSync('/dev/null'))
})

test('thousands of skipped records are all in their file, and only the summary is printed', async (t) => {
  const { run, write, path } = await shop(t)
  const rows = Array.from({ length: 15_000 }, (_, n) => `sku-${n},${'x'.repeat(100)}\n`)
  const file = write('products.csv', `product_sku_id,amount\n${rows.join('')}`)
  const { stdout, stderr } = await run('products', file, '--decimal', 'comma')
  assert.match(stdout, /^15000 records read, 0 inserted, 0 updated, 0 unchanged, 15000 skipped\n {2}15000 x amount: /)
  // On a busy machine it takes long enough to report its progress.
  assert.equal(stderr.replace(/^\d+ records read, \d+ % of the file\n/gm, ''), '')
  assert.deepEqual(
    linesOf(path('skipped')).map(({ line }) => line),
    rows.map((_, n) => n + 2),
  )
})

test('mapped records that were skipped are written with the field names of the API, orders whole with their lines', async (t) => {
  const { app, run, write, path, orders } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const head = 'Nr,Kunde,Total,Sku,Qty'
  const rows = ['A,u-1,1.5,tea,1', 'A,u-1,1.5,cup,zwei', 'B,u-1,7,tea,1', 'A,u-1,1.5,mug,1', 'C,u-1,7,tea']
  const names = 'order_id=Nr user_id=Kunde total_amount=Total products.product_sku_id=Sku products.qty=Qty'
  const maps = names.split(' ').flatMap((one) => ['--map', one])
  const facts = ['name=A', 'email=a@example.com', 'discount=0', 'refferral_code='].flatMap((one) => ['--default', one])
  const result = await run('orders', write('orders.csv', `${[head, ...rows].join('\n')}\n`), ...maps, ...facts)
  assert.equal(firstLine(result), '3 records read, 1 inserted, 0 updated, 0 unchanged, 2 skipped', result.stderr)
  assert.match(result.stdout, /^ {2}1 x products\[\]\.qty: expected a non-negative number .* \(line 2: "zwei"\)$/m)
  assert.match(result.stdout, /^ {2}1 x expected as many cells as in the first line \(line 6\)$/m)
  const skipped = linesOf(path('skipped'))
  const entry = skipped.find(({ line }) => line === 2)
  assert.deepEqual(entry.record.products, [
    { product_sku_id: 'tea', qty: '1' },
    { product_sku_id: 'cup', qty: 'zwei' },
    { product_sku_id: 'mug', qty: '1' },
  ])
  const mended = JSON.stringify(entry).replaceAll('zwei', '2').replace('1.5', '2')
  const again = await run('orders', write('mended.ndjson', `${mended}\n`))
  assert.equal(again.stdout, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n')
  assert.equal((await orders())[0].state.lines.length, 3)
})

test('players and orders that exist already are reported as unchanged, in a dry run too; a conflict is not', async (t) => {
  const { app, run, write } = await shop(t)
  await app.upsertPlayers([
    aPlayer({ User_id: 'v-1', State_version: 2 }),
    aPlayer({ User_id: 'v-2', State_version: 2 }),
  ])
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
  await app.upsertProducts([aProduct()])
  const players = [
    aPlayer(),
    aPlayer({ User_id: 'u-2', Name: 'Ravi' }),
    aPlayer({ User_id: 'u-3' }),
    aPlayer({ User_id: 'v-1', State_version: 1 }),
    aPlayer({ User_id: 'v-2', State_version: 2, Name: 'Other' }),
    without(aPlayer(), 'Name'),
  ]
  const file = write('players.json', JSON.stringify(players))
  const expected = '6 records read, 1 inserted, 1 updated, 2 unchanged, 2 skipped'
  assert.equal(firstLine(await run('players', file, '--dry-run')), `Dry run, nothing was written: ${expected}`)
  assert.equal(firstLine(await run('players', file)), expected)
  const products = write('products.json', JSON.stringify([aProduct({ amount: '4.5' }), aProduct({ amount: 5 }), {}]))
  assert.equal(
    firstLine(await run('products', products)),
    '3 records read, 0 inserted, 1 updated, 1 unchanged, 1 skipped',
  )
  const order = write('orders.json', JSON.stringify([anOrder()]))
  await run('orders', order)
  assert.equal(firstLine(await run('orders', order)), '1 record read, 0 inserted, 0 updated, 1 unchanged, 0 skipped')
})

test('help shows examples, and docs/import.md documents every option', async () => {
  const { stdout, code } = await runCommand(['import', '--help'])
  assert.equal(code, 0)
  assert.match(stdout, /laurel import orders orders_export\.csv --preset shopify --dry-run/)
  const document = readFileSync(join(PROJECT, 'docs', 'import.md'), 'utf8')
  const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option!)
  assert(options.length > 10, stdout)
  assert.deepEqual(
    options.filter((option) => !['--url', '--help'].includes(option) && !document.includes(`\`${option}`)),
    [],
  )
})

const TILL_CUSTOMERS = [
  ' Kd-Nr. ;Anrede;Vorname;Nachname;Tel.;E-Mail;Geburtsdatum;Land',
  '017;Frau;Käthe;Müller;+49 351 / 45 67-89;kaethe@example.de ;05.07.1951;D',
  '018;Herr;Jürgen;Groß;0351/4567 (Tochter);keine;00.00.0000;A',
  '019;Firma;;Bäckerei Schmidt;;;;',
  ';;;;;;;',
  ' ; ; ; ; ; ; ; ',
  '',
]

test('a till export is imported despite its own words, blanks around cells, empty rows, and cells without a valid value (decision 70)', async (t) => {
  const { run, set, write, player, skipped } = await shop(t)
  await set({ 'players.required': 'Name,Country', 'players.phone': 'lenient' })
  const file = write('kunden.csv', Buffer.from(TILL_CUSTOMERS.join('\r\n'), 'latin1'))
  const options = ['--delimiter', ';', '--encoding', 'latin1', '--date-format', 'D.M.YYYY', '--default', 'Country=DE']
  const maps = ['User_id=Kd-Nr.', 'Name=Vorname+" "+Nachname', 'Phone=Tel.', 'Email=E-Mail', 'DOB=Geburtsdatum']
  for (const map of [...maps, 'Gender=Anrede', 'Country=Land']) options.push('--map', map)
  options.push('--values', 'Gender=Frau:female,Herr:male,Firma:', '--values', 'Country=D:DE,A:AT')
  const strict = await run('players', file, ...options)
  assert.equal(firstLine(strict), '3 records read, 2 inserted, 0 updated, 0 unchanged, 1 skipped')
  assert.equal(skipped()[0].more.length, 2)
  const loose = await run('players', file, ...options, '--leave-out', 'Phone,Email', '--leave-out', 'DOB')
  assert.deepEqual(
    [loose.stdout, loose.code],
    [
      [
        '3 records read, 1 inserted, 0 updated, 2 unchanged, 0 skipped',
        'left out of records:',
        '  1 x DOB: expected a date D.M.YYYY that exists (line 3: "00.00.0000")',
        '  1 x Email: expected an e-mail address like name@example.com (line 3: "keine")',
        '  1 x Phone: expected 1 to 15 digits with an optional leading +, ignoring blanks, dots, brackets and hyphens (line 3: "0351 4567 (Tochter)")',
        '',
      ].join('\n'),
      0,
    ],
  )
  const told = ['name', 'phone', 'email', 'gender', 'country'] as const
  const rows = await Promise.all(['017', '018', '019'].map(player))
  assert.deepEqual(
    rows.map((row) => told.map((name) => row[name])),
    [
      ['Käthe Müller', '+49351456789', 'kaethe@example.de', 'female', 'DE'],
      ['Jürgen Groß', '', '', 'male', 'AT'],
      ['Bäckerei Schmidt', '', '', '', 'DE'],
    ],
  )
  const json = JSON.parse((await run('players', file, ...options, '--leave-out', 'Phone,Email,DOB', '--json')).stdout)
  assert.deepEqual(
    json.left_out.map(({ field, count }: { field: string; count: number }) => [field, count]),
    [
      ['DOB', 1],
      ['Email', 1],
      ['Phone', 1],
    ],
  )
  for (const [option, value, expected] of [
    ['--leave-out', 'User_id', /--leave-out User_id: expected comma-separated fields among Name, /],
    ['--values', 'Gender=female', /--values is "Gender=female": expected a word of the file, a colon and its meaning/],
    ['--values', 'Sex=F:female', /--values Sex=F:female: unknown field "Sex", expected one of Name/],
  ] as const)
    assertRefused(await run('players', file, option, value), expected)
})

test('receipts with returned goods are imported without those lines where asked for, and prices may carry their currency', async (t) => {
  const { app, run, write, allowCents, orders } = await shop(t)
  await allowCents()
  await app.ask('POST', '/api/integration/players', { body: { data: [aPlayer({ User_id: 'c-1' })] } })
  const prices = write('preise.csv', 'product_sku_id,amount\nA-1,"1.049,00 €"\nA-2,€ 2\n')
  const listed = await run('products', prices, '--decimal', 'comma')
  assert.equal(firstLine(listed), '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped')
  const bons = write(
    'bons.csv',
    'Bon-Nr.;Kd-Nr.;Artikel;Menge;Summe\n1;c-1;PFAND;-2;4,50\n1;c-1;A-1;3;4,50\n2;c-1;PFAND;-1;0,00\n',
  )
  const headless = await run('orders', bons, '--delimiter', ';')
  assertRefused(
    headless,
    /\n {2}perhaps: --map order_id=Bon-Nr\. .*--map user_id=Kd-Nr\..*\n {2}where each line of an order has a row: --map products\.product_sku_id=Artikel --map products\.qty=Menge\n {2}where each row is an order: --default products=\[\]\n.* --default refferral_code=$/m,
  )
  const options = ['--delimiter', ';', '--decimal', 'comma', '--map', 'order_id=Bon-Nr.', '--map', 'user_id=Kd-Nr.']
  options.push('--map', 'total_amount=Summe', '--default', 'discount=0', '--default', 'refferral_code=')
  options.push('--map', 'products.product_sku_id=Artikel', '--map', 'products.qty=Menge')
  options.push('--default', 'name=-', '--default', 'email=till@example.com')
  assert.equal(
    firstLine(await run('orders', bons, ...options)),
    '2 records read, 0 inserted, 0 updated, 0 unchanged, 2 skipped',
  )
  const taken = await run('orders', bons, ...options, '--leave-out', 'products')
  assert.match(
    taken.stdout,
    /^2 records read, 2 inserted, .*\nleft out of records:\n {2}2 x products\.qty: expected a non-negative number .*\(line 2: "-2"\)\n$/,
  )
  assert.deepEqual(
    (await orders()).map(({ state }) => state.lines.map(({ sku }: { sku: string }) => sku)),
    [['A-1'], []],
  )
})

const RECEIPT_MAPS = 'order_id=Bonnr user_id=Klantnr ordered_at=Datum products.product_sku_id=SKU products.qty=Aantal'
const RECEIPTS = [
  ...['--delimiter', ';', '--decimal', 'comma', '--date-format', 'DD-MM-YYYY', '--time-zone', 'Europe/Amsterdam'],
  ...RECEIPT_MAPS.split(' ').flatMap((map) => ['--map', map]),
  ...['--default', 'name=-', '--default', 'email=till@example.com', '--default', 'refferral_code='],
]
const SUMS = ['--map', 'total_amount=sum(Bedrag)', '--map', 'discount=sum("Korting")', '--default', 'discount=0']
const HEAD = 'Bonnr;Datum;Klantnr;SKU;Aantal;Bedrag;Korting'

test('receipts without a total are imported with the sum of their lines, exact to the cent', async (t) => {
  const { app, run, write, allowCents, orders } = await shop(t)
  await allowCents()
  await app.upsertPlayers([aPlayer()])
  const lines = Array.from({ length: 12 }, () => 'Z1;01-10-2025 10:00;u-1;KLE-1;1;€ 0,10;')
  const file = write(
    'bonnen.csv',
    [HEAD, ...lines, 'Z1;01-10-2025 10:00;u-1;FIE-1;1;1.562,05;7,45', 'Z2;02-10-2025;u-1;A;1;20,00;', ''].join('\n'),
  )
  const result = await run('orders', file, ...RECEIPTS, ...SUMS, '--map', 'products.amount=Bedrag')
  assert.equal(result.stdout, '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped\n', result.stderr)
  assert.equal(result.stderr, '')
  assert.deepEqual(
    (await orders()).map(({ state }) => [state.total, state.discount, state.lines.length]),
    [
      ['1563.25', '7.45', 13],
      ['20', '0', 1],
    ],
  )
  // Goods that were returned on a receipt are taken off its total.
  const returned = write('retour.csv', `${HEAD}\nZ3;03-10-2025;u-1;A;1;20,00;\nZ3;03-10-2025;u-1;B;-1;-4,50;\n`)
  await run('orders', returned, ...RECEIPTS, ...SUMS, '--leave-out', 'products')
  const [, , net] = await orders()
  assert.deepEqual([net.state.total, net.state.lines.length], ['15.5', 1])
  // All below 0, they are discounts of an export that writes them so.
  const negative = write(
    'kort.csv',
    `${HEAD}\nZ5;03-10-2025;u-1;A;1;20,00;(€ 1,50)\nZ5;03-10-2025;u-1;B;1;10,00;-0,50\n`,
  )
  await run('orders', negative, ...RECEIPTS, ...SUMS)
  assert.deepEqual((await orders()).at(-1).state.discount, '2')
  // Beside goods that came back, nobody can tell.
  for (const rows of [
    'A;1;20,00;\nZ6;03-10-2025;u-1;B;-1;-4,50;-0,50',
    'A;1;20,00;0,20\nZ6;03-10-2025;u-1;B;1;4,50;-0,70',
  ]) {
    const unclear = await run(
      'orders',
      write('retourkorting.csv', `${HEAD}\nZ6;03-10-2025;u-1;${rows}\n`),
      ...[...RECEIPTS, ...SUMS, '--leave-out', 'products'],
    )
    assert.match(
      unclear.stdout,
      /^ {2}1 x discount: expected discounts greater than 0 in an order with returned goods, as a negative one may be a discount or its reversal: correct .*\(line 2: "-0\.5"\)$/m,
    )
  }
  const unreadable = write('fout.csv', `${HEAD}\nZ4;03-10-2025;u-1;A;1;20,00;\nZ4;03-10-2025;u-1;B;1;gratis;\n`)
  const refused = await run('orders', unreadable, ...RECEIPTS, ...SUMS)
  assert.match(refused.stdout, /^ {2}1 x total_amount: expected a number with a decimal comma .*\(line 2: "gratis"\)$/m)
})

test('a row without an order number is never added to the order before it: a grand total is skipped, and so is an order of which it may be a part', async (t) => {
  const { app, run, write, allowCents, orders, skipped } = await shop(t)
  await allowCents()
  await app.upsertPlayers([aPlayer()])
  const rows = ['Z1;20-05-2025;u-1;A;2;85,50;', 'Z2;20-05-2025;u-1;A;1;12,00;', ';;;;;97,00;']
  const file = write('bonnen.csv', [HEAD, ...rows, ''].join('\n'))
  const result = await run('orders', file, ...RECEIPTS, ...SUMS, '--map', 'products.amount=Bedrag')
  const words = 'order_id: order number missing: fill it in, and remove total rows'
  assert.deepEqual(result.stdout.split('\n').slice(0, 2), [
    '3 records read, 2 inserted, 0 updated, 0 unchanged, 1 skipped',
    `  1 x ${words} (line 4)`,
  ])
  assert.deepEqual(
    (await orders()).map(({ state }) => [state.total, state.lines.length]),
    [
      ['85.5', 1],
      ['12', 1],
    ],
  )
  assert.equal(skipped()[0].record.order_id, '')
  const merged = ['Z3;21-05-2025;u-1;A;1;10,00;', ';;;B;1;30,00;', ';;;C;1;5,00;', 'Z4;21-05-2025;u-1;A;1;7,00;']
  const halves = await run('orders', write('merged.csv', [HEAD, ...merged, ''].join('\n')), ...RECEIPTS, ...SUMS)
  assert.deepEqual(halves.stdout.split('\n').slice(0, 2), [
    '2 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped',
    `  1 x ${words} (line 2)`,
  ])
  const same = await run(
    'orders',
    write('same.csv', [HEAD, 'Z5;21-05-2025;u-1;A;1;40,00;', ';;;B;1;;', ''].join('\n')),
    ...[...RECEIPTS, '--map', 'total_amount=Bedrag', '--default', 'discount=0'],
  )
  assert.equal(firstLine(same), '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped', same.stdout)
})

test('an order whose rows contradict each other is skipped with the column, both values and the option; empty cells never do', async (t) => {
  const { app, run, write, allowCents, orders, skipped } = await shop(t)
  await allowCents()
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
  const rows = [
    'Z1;01-10-2025;u-1;A;1;10,00;',
    'Z1;01-10-2025;u-1;B;1;30,00;',
    'Z2;01-10-2025;u-1;A;1;10,00;',
    'Z2;02-10-2025;u-2;B;1;;',
    'Z3;;u-1;A;1;;',
    'Z3;01-10-2025 09:30;;B;1;25,00;',
  ]
  const file = write('bonnen.csv', [HEAD, ...rows, ''].join('\n'))
  const totals = ['--map', 'total_amount=Bedrag', '--default', 'discount=0']
  const result = await run('orders', file, ...RECEIPTS, ...totals)
  assert.deepEqual(result.stdout.split('\n').slice(0, 4), [
    '3 records read, 1 inserted, 0 updated, 0 unchanged, 2 skipped',
    '  1 x total_amount: expected the same "Bedrag" in every row of the order (--map "total_amount=sum(Bedrag)" adds them up) (line 2: "10,00" and "30,00")',
    '  1 x user_id: expected the same "Klantnr" in every row of the order (line 4: "u-1" and "u-2")',
    '  1 x ordered_at: expected the same "Datum" in every row of the order (numbers that start again need the date in the ID: --map order_id=Datum+"-"+Bonnr) (line 4: "01-10-2025" and "02-10-2025")',
  ])
  const [order] = await orders()
  assert.deepEqual([order.order_id, order.at, order.state.total], ['Z3', '2025-10-01 07:30:00', '25'])
  assert.equal(skipped()[0].record.products.length, 2)
  const first = RECEIPTS.map((option) => option.replace(/^(user_id|ordered_at)=(.+)$/, '$1=first($2)'))
  const total = ['--map', 'total_amount=first(Bedrag)', '--default', 'discount=0']
  const taken = await run('orders', file, ...first, ...total)
  assert.equal(taken.stdout, '3 records read, 2 inserted, 0 updated, 1 unchanged, 0 skipped\n')
  assert.deepEqual(
    (await orders()).map(({ user_id, state }) => [user_id, state.total]),
    [
      ['u-1', '10'],
      ['u-1', '10'],
      ['u-1', '25'],
    ],
  )
})

test('sum and first are refused where there are no rows to add up, or nothing that can be added', async (t) => {
  const { run, write } = await shop(t)
  const file = write('bonnen.csv', `${HEAD}\nZ1;01-10-2025;u-1;A;1;10,00;\n`)
  const headed = ['--delimiter', ';', '--map', 'total_amount=sum(Bedrag)']
  assertRefused(
    await run('orders', file, ...headed),
    /--map total_amount=sum\(Bedrag\) is about the rows of an order: map a field of their lines, too, such as --map products\.product_sku_id=/,
  )
  assertRefused(
    await run('orders', file, ...RECEIPTS, '--map', 'name=sum(SKU)'),
    /--map name=sum\(SKU\): only total_amount, discount, total_qty can be a sum$/m,
  )
  assertRefused(
    await run('orders', file, ...RECEIPTS, '--map', 'total_amount=sum(Bedrg)'),
    /: --map names "Bedrg", and the first line has no such column; did you mean "Bedrag" for "Bedrg"\? Write --map "total_amount=sum\(Bedrag\)"; the first line has no column discount\n {2}perhaps: --map discount=Korting$/m,
  )
  const wrong = [
    '--map',
    'total_amount=sum(Bedrg)',
    '--map',
    'discount=first(Kortng)',
    '--map',
    'total_qty=sum(Pieces)',
  ]
  const mistyped = RECEIPTS.map((option) => (option === 'user_id=Klantnr' ? 'user_id=Klant nr|Kaart' : option))
  assertRefused(
    await run('orders', file, ...mistyped.slice(0, -2), ...wrong),
    /: --map names "Klant nr", "Kaart", "Bedrg", "Kortng", "Pieces", and the first line has no such column; did you mean "Klantnr" for "Klant nr", "Bedrag" for "Bedrg", "Korting" for "Kortng"\? Write --map "total_amount=sum\(Bedrag\)" --map "discount=first\(Korting\)"; the first line has no column refferral_code\n {2}one value for all records: --default refferral_code=$/m,
  )
  // The lines have columns, only not these.
  const lines = RECEIPTS.map((option) => option.replace(/^(products\.\w+)=.*/, '$1=none'))
  assertRefused(
    await run('orders', file, ...lines, ...SUMS),
    /: --map names "none", and the first line has no such column$/m,
  )
  const points = write('points.csv', 'id,user_id,sum(points)\nb-1,u-1,5\n')
  const told = ['--default', 'counts=true', '--default', 'reason=old']
  const { stdout, stderr } = await run('balances', points, '--map', 'points=sum(points)', ...told)
  assert.match(stdout, /^1 record read/, stderr)
})

test('an empty cell is neither the present moment nor a quantity of 1, unless --default says so', async (t) => {
  const { app, run, write, path, allowCents, orders } = await shop(t)
  await allowCents()
  await app.upsertPlayers([aPlayer()])
  const rows = ['Z1;;u-1;A;1;10,00;', 'Z2;01-10-2025;u-1;A;;10,00;', 'Z3;01-10-2025;u-1;;;10,00;']
  const file = write('bonnen.csv', [HEAD, ...rows, ''].join('\n'))
  const totals = ['--map', 'total_amount=Bedrag', '--default', 'discount=0']
  const result = await run('orders', file, ...RECEIPTS, ...totals)
  assert.deepEqual(result.stdout.split('\n').slice(0, 3), [
    '3 records read, 1 inserted, 0 updated, 0 unchanged, 2 skipped',
    '  1 x ordered_at: expected the time of the order, as an empty cell would mean now; --default ordered_at=2026-01-31T12:00:00Z fills empty cells (line 2)',
    '  1 x products[].qty: expected a quantity, as an empty cell would mean 1; --default products.qty=1 fills empty cells (line 3)',
  ])
  const mended = await run('orders', write('mended.ndjson', readFileSync(path('skipped'), 'utf8')))
  assert.equal(firstLine(mended), '2 records read, 0 inserted, 0 updated, 0 unchanged, 2 skipped')
  const filled = ['--default', 'ordered_at=2025-09-30T12:00:00Z', '--default', 'products.qty=1']
  const taken = await run('orders', file, ...RECEIPTS, ...totals, ...filled)
  assert.equal(taken.stdout, '3 records read, 2 inserted, 0 updated, 1 unchanged, 0 skipped\n')
  assert.deepEqual(
    (await orders()).map(({ at, state }) => [at, state.lines.length]),
    [
      ['2025-09-30 12:00:00', 1],
      ['2025-09-30 22:00:00', 1],
      ['2025-09-30 22:00:00', 0],
    ],
  )
  const own = write('own.csv', 'order_id,user_id,ordered_at,total_amount,products\no-1,u-1,,10,[]\n')
  const facts = ['name=A', 'email=a@example.com', 'discount=0', 'refferral_code='].flatMap((one) => ['--default', one])
  assert.match(
    (await run('orders', own, ...facts)).stdout,
    / 1 skipped\n {2}1 x ordered_at: expected the time of the order/,
  )
})

const TILL = ['--delimiter', ';', '--date-format', 'D.M.YYYY', '--time-zone', 'Europe/Berlin'].concat(
  ['order_id=Receipt', 'user_id=Card', 'ordered_at=Sold at', 'total_amount=Total'].flatMap((one) => ['--map', one]),
  ['name=-', 'email=t@example.com', 'discount=0', 'refferral_code=', 'products=[]'].flatMap((one) => [
    '--default',
    one,
  ]),
)
const tillOf = (...rows: string[]) => ['Receipt;Sold at;Card;Total', ...rows, ''].join('\n')

test('a file whose receipt numbers start again would overwrite the orders of last year: it is refused before the first is written, with what keeps them apart', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
  const last = write('2024.csv', tillOf('1;3.1.2024 00:30;u-1;10', '2;4.1.2024 09:00;u-1;20', '3;4.1.2024 10:00;u-2;5'))
  const next = write('2025.csv', tillOf('4;2.1.2025 9:00;u-1;10', '1;2.1.2025 9:05;u-1;11', '2;3.1.2025 9:05;u-1;21'))
  const first = await run('orders', last, ...TILL)
  assert.equal(first.stdout, '3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', first.stderr)
  const before = await orders()
  const sentence =
    'laurel: nothing was written; 2 orders have the IDs of recorded ones that are probably others: they are more than 180 days away, or of another player, such as "1" of 2024-01-03, which the file has on 2025-01-02; numbers that start again need the date in the ID: --map order_id="Sold at"+"-"+Receipt; if they are the same orders, add --same-orders\n'
  const refused = await run('orders', next, ...TILL)
  assert.deepEqual([refused.code, refused.stdout, refused.stderr], [2, '', sentence])
  assert.deepEqual(await orders(), before)
  const dry = await run('orders', next, ...TILL, '--dry-run', '--json')
  const { inserted, updated, used_again } = JSON.parse(dry.stdout)
  assert.deepEqual([dry.code, inserted, updated, used_again, dry.stderr], [2, 1, 2, 2, sentence])
  // As a shell passes it on.
  const apart = TILL.map((option) => (option === 'order_id=Receipt' ? 'order_id=Sold at+-+Receipt' : option))
  assert.match((await run('orders', next, ...apart)).stdout, /^3 records read, 3 inserted, 0 updated,/)
  assert.deepEqual(
    (await orders()).map(({ order_id }) => order_id),
    ['1', '2', '2.1.2025 9:00-4', '2.1.2025 9:05-1', '3', '3.1.2025 9:05-2'],
  )
  const meant = await run('orders', next, ...TILL, '--same-orders')
  assert.equal(meant.stdout, '3 records read, 1 inserted, 2 updated, 0 unchanged, 0 skipped\n')
})

test('numbers that start again with other customers: nothing is written either, as those with new numbers would earn twice', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
  await run('orders', write('2024.csv', tillOf('1;3.1.2024;u-1;10', '2;4.1.2024;u-1;20')), ...TILL)
  const next = write('2025.csv', tillOf('1;2.1.2025;u-2;11', '3;2.1.2025;u-2;21'))
  const refused = await run('orders', next, ...TILL)
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(
    refused.stderr,
    /^laurel: nothing was written; 1 order has the ID of a recorded one .*, such as "1", which is recorded for another player; numbers that start again need the date in the ID: --map order_id="Sold at"\+"-"\+Receipt; if /m,
  )
  assert.equal((await orders()).length, 2)
  const dry = await run('orders', next, ...TILL, '--dry-run', '--json')
  assert.deepEqual([dry.code, JSON.parse(dry.stdout).used_again], [2, 1])
  // As where two players have become one.
  const meant = await run('orders', next, ...TILL, '--same-orders')
  assert.match(
    meant.stdout,
    /^2 records read, 1 inserted, .* 1 skipped\n {2}1 x order_id: order \.\.\. belongs to another player/,
  )
})

test('new states of recorded orders are imported, also of old ones and where a day is set right', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  await run('orders', write('all.csv', tillOf('1;3.1.2024;u-1;10', '2;4.1.2024;u-1;20', '3;4.1.2024;u-1;30')), ...TILL)
  const states = write('states.csv', tillOf('1;3.1.2024;u-1;8', '2;4.1.2025;u-1;20', '3;2.7.2024;u-1;25'))
  const { stdout, stderr } = await run('orders', states, ...TILL)
  assert.equal(stdout, '3 records read, 0 inserted, 3 updated, 0 unchanged, 0 skipped\n', stderr)
  const returned = write('returned.csv', tillOf('1;5.12.2024;u-1;0'))
  assert.match((await run('orders', returned, ...TILL, '--default', 'status=returned')).stdout, / 1 updated,/)
  assert.equal((await orders()).length, 3)
})

test('receipts of two years under one number, each in one row, are skipped with what keeps them apart', async (t) => {
  const { app, run, write } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const both = tillOf('1;3.1.2024;u-1;10', '2;4.1.2024;u-1;20', '1;2.1.2025;u-1;11', '2;2.1.2025;u-1;21')
  const { stdout } = await run('orders', write('both.csv', both), ...TILL)
  assert.match(
    stdout,
    /^ {2}4 x order_id: expected one state of the order, .* the latest \(numbers that start again need the date in the ID: --map order_id="Sold at"\+"-"\+Receipt\) \(line \d: in lines 2 and 4\)$/m,
  )
  // Joined, alternatives would make another id.
  const either = async (from: string, to: string) => {
    const options = TILL.map((option) => (option === from ? to : option))
    return (await run('orders', write('both.csv', both), ...options)).stdout
  }
  const yearIn = 'need the year in the ID, from a column that has it: --map order_id=COLUMN+"-"+'
  assert((await either('ordered_at=Sold at', 'ordered_at=Sold at|Card')).includes(`${yearIn}Receipt)`))
  assert(
    (await either('order_id=Receipt', 'order_id=Receipt|Card')).includes(
      'need the date in the ID: --map order_id="Sold at"+"-"+NUMBER)',
    ),
  )
})

test('returns under the number of what they return are told from numbers that start again, with the options that take them off the order', async (t) => {
  const { app, run, write, allowCents, orders } = await shop(t)
  await allowCents()
  await app.upsertPlayers([aPlayer({ User_id: 'ada' })])
  const head = 'Date,Transaction ID,Item,Qty,Gross Sales,Event,Customer'
  const [sale, refund] = ['2025-01-05,T1,Tea,2,$20.00,Payment,ada', '2025-01-09,T1,Tea,-1,($10.00),Refund,ada']
  const given = (...fields: string[]) => fields.flatMap((field) => ['--map', field])
  const constant = ['discount=0', 'name=-', 'email=a@example.com', 'refferral_code='].flatMap((one) => [
    '--default',
    one,
  ])
  const order = [...given('order_id=Transaction ID', 'user_id=Customer'), ...constant]
  const lines = given('products.product_sku_id=Item', 'products.qty=Qty', 'products.amount=Gross Sales')
  const dated = given('ordered_at=Date')
  const sent = async (rows: string[], ...options: string[]) => {
    const file = write('square.csv', [head, ...rows, ''].join('\n'))
    return (await run('orders', file, ...order, ...options, '--date-format', 'YYYY-MM-DD')).stdout
  }
  const lacking = (options: string) => `(what is below 0 came back, and is taken off its order with ${options})`
  const sums = given('total_amount=sum(Gross Sales)')
  for (const rows of [
    [sale, refund],
    [refund, sale],
  ]) {
    const listed = await sent(rows, ...lines, ...sums, ...dated)
    assert(listed.includes(lacking('--map "ordered_at=first(Date)" --leave-out products')), listed)
    const kinds = [...given('status=Event'), '--values', 'status=Payment:placed,Refund:returned']
    const ofKinds = await sent(rows, ...lines, ...sums, ...dated, ...kinds)
    const without = '--map "ordered_at=first(Date)" --leave-out products, and without --map status'
    assert.equal(ofKinds.split(lacking(without)).length, 3, ofKinds)
    const inRows = await sent(rows, ...given('total_amount=Gross Sales'), ...dated, '--default', 'products=[]')
    const joined =
      '--map products.product_sku_id=... --map "total_amount=sum(Gross Sales)" --map "ordered_at=first(Date)" --leave-out products'
    assert(inRows.includes(lacking(joined)), inRows)
  }
  // Two sales under a number are two orders, also if something came back with one of them.
  const other = ['2026-01-07,T1,Tea,1,$5.00,Payment,ada', '2026-01-07,T1,Jar,-1,($1.00),Payment,ada']
  const restarted = await sent([sale, ...other], ...lines, ...sums, ...dated)
  assert.match(restarted, /numbers that start again/)
  const inRows = await sent(
    [sale, refund, other[0]!],
    ...given('total_amount=Gross Sales'),
    ...dated,
    '--default',
    'products=[]',
  )
  assert.match(inRows, /numbers that start again/)
  // A return that is told by its kind alone did not start numbers again either.
  const positive = refund.replace('-1', '1').replace('($10.00)', '$10.00')
  const kinds = [...given('status=Event'), '--values', 'status=Payment:placed,Refund:returned']
  assert.doesNotMatch(await sent([sale, positive], ...lines, ...sums, ...dated, ...kinds), /start again|below 0/)
  const whole = await sent(
    [sale, refund],
    ...lines,
    ...sums,
    ...given('ordered_at=first(Date)'),
    '--leave-out',
    'products',
  )
  assert.match(whole, /^1 record read, 1 inserted, /)
  const [{ state, at }] = (await orders()) as [{ state: { total: string; lines: unknown[] }; at: string }]
  assert.deepEqual([state.total, state.lines.length, at], ['10', 1, '2025-01-05 00:00:00'])
})

test('dates whose day and month have changed places are reported as the file has them, with the format that reads them', async (t) => {
  const { app, run, write } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const next = new Date().getFullYear() + 2
  const players = [`1,Ada,01/31/1990`, `2,Ben,01/10/${next}`]
  const born = write('players.csv', ['User_id,Name,DOB', ...players, ''].join('\n'))
  const constant = ['Gender=male', 'Refercode=', 'State=-', 'Pincode=1', 'Country=DE'].flatMap((one) => [
    '--default',
    one,
  ])
  const hint =
    'perhaps the file needs --date-format MM/DD/YYYY: day and month have probably changed places, also in the dates that were read\n'
  const ofPlayers = (await run('players', born, ...constant, '--date-format', 'DD/MM/YYYY')).stdout
  assert(
    ofPlayers.includes('1 x DOB: expected a date DD/MM/YYYY with a month up to 12 (line 2: "01/31/1990")'),
    ofPlayers,
  )
  assert(ofPlayers.includes(`1 x DOB: expected a date from 01-01-1900 to today (line 3: "01/10/${next}")`), ofPlayers)
  assert(ofPlayers.includes(hint), ofPlayers)
  const left = await run('players', born, ...constant, '--date-format', 'DD/MM/YYYY', '--leave-out', 'DOB')
  assert(left.stdout.includes(`to today (line 3: "01/10/${next}")`), left.stdout)
  const receipts = tillOf('1;01.31.2025;u-1;10', `2;05.12.${next};u-1;20`)
  const orders = (await run('orders', write('till.csv', receipts), ...TILL)).stdout
  assert(orders.includes('ordered_at: expected a date D.M.YYYY with a month up to 12 (line 2: "01.31.2025")'), orders)
  assert(orders.includes(`expected a timestamp at most 5 minutes ahead (line 3: "05.12.${next}")`), orders)
  assert(orders.includes(hint.replace('MM/DD/YYYY', 'M.D.YYYY')), orders)
})

test('reasons name the first line of the file that they apply to, also where the file is newest first and rows of an order are apart', async (t) => {
  const { run, write, skipped } = await shop(t)
  const newestFirst = tillOf('3;3.1.2025;guest;30', '2;2.1.2025;other;20', '1;1.1.2025;other;10')
  const { stdout } = await run('orders', write('till.csv', newestFirst), ...TILL)
  assert.match(stdout, /^ {2}3 x user_id: player \.\.\. not found: send players first \(line 2: "guest"\)$/m)
  assert.deepEqual(
    skipped().map(({ line, record }) => [line, record.order_id]),
    [
      [4, '1'],
      [3, '2'],
      [2, '3'],
    ],
  )
  const apart = ['Z2;02-10-2025;u-1;A;1;9,00;', 'Z1;01-10-2025;u-1;A;1;9,00;', 'Z2;02-10-2025;u-1;B;x;1,00;']
  const rows = await run('orders', write('apart.csv', [HEAD, ...apart, ''].join('\n')), ...RECEIPTS, ...SUMS)
  assert.match(rows.stdout, /products\[\]\.qty: expected .* \(line 2: "x"\)$/m)
})

test('an import of orders goes on where the service is busy when it is asked whether any order is recorded', async (t) => {
  const { app, run, write } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  let refused = 0
  const busy = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    if (url.startsWith('/api/admin/orders')) {
      refused += 1
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"message":"too many requests"}')
      return
    }
    const { token } = headers
    const body = method === 'GET' ? null : await text(request)
    const sent = { token: String(token), 'content-type': 'application/json' }
    const reply = await fetch(`${app.url}${url}`, { method, headers: sent, body })
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
  })
  busy.listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.after(() => busy.close())
  const { port } = busy.address() as AddressInfo
  const file = write('till.csv', tillOf('1;3.1.2024;u-1;10'))
  const { stdout, stderr } = await run('orders', file, ...TILL, '--url', `http://127.0.0.1:${port}`)
  assert.equal(stdout, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n', stderr)
  assert.equal(refused, 1)
})

test('ids keep an apostrophe before a digit, as recorded ones have it', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer({ User_id: "'7" })])
  const file = write('ids.csv', tillOf("'1001;'3.1.2024;'7;'10"))
  const { stdout } = await run('orders', file, ...TILL)
  assert.equal(stdout, '1 record read, 1 inserted, 0 updated, 0 unchanged, 0 skipped\n')
  assert.deepEqual(
    (await orders()).map(({ order_id }) => order_id),
    ["'1001"],
  )
})

test('an order is whole wherever its rows are; where numbers start again each year, receipts of two years are not merged', async (t) => {
  const { app, run, write, orders } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const rows = ['Z1;01-10-2025;u-1;A;1;10;', 'Z2;01-10-2025;u-1;A;1;20;', 'Z1;01-10-2025;u-1;B;1;30;']
  const result = await run('orders', write('bonnen.csv', [HEAD, ...rows, ''].join('\n')), ...RECEIPTS, ...SUMS)
  assert.equal(result.stdout, '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped\n')
  const [order] = await orders()
  assert.deepEqual([order.state.total, order.state.lines.length], ['40', 2])
  const years = [...rows, 'Z2;03-02-2026;u-1;B;1;5;', 'Z3;04-02-2026;u-1;B;1;5;']
  const twice = await run('orders', write('years.csv', [HEAD, ...years, ''].join('\n')), ...RECEIPTS, ...SUMS)
  assert.match(
    twice.stdout,
    / 1 inserted, 0 updated, 1 unchanged, 1 skipped\n.*need the date in the ID: --map order_id=Datum\+"-"\+Bonnr/,
  )
  const scanned = [...RECEIPTS, '--map', 'ordered_at=first(Datum)'].filter(
    (_, index, all) => ![all[index], all[index + 1]].includes('ordered_at=Datum'),
  )
  assert.match(
    (await run('orders', write('scanned.csv', [HEAD, ...years, ''].join('\n')), ...scanned, ...SUMS)).stdout,
    /need the year in the ID, from a column that has it: --map order_id=COLUMN\+"-"\+Bonnr/,
  )
})

test('states of an order that were skipped can be imported from their file, and ignored rows contradict none', async (t) => {
  const { app, run, write, path, orders } = await shop(t)
  const state = (status: string, updated: string, more: object = {}) => ({
    ...anOrder({ status, user_id: 'u-9', ordered_at: '2026-05-01T00:00:00Z' }),
    ...{ updated_at: updated, ...more },
  })
  const states = [state('cancelled', '2026-05-03T00:00:00Z'), state('placed', '2026-05-02T00:00:00Z')]
  const first = await run('orders', write('orders.json', JSON.stringify(states)))
  assert.match(first.stdout, /^2 records read, 0 inserted, .* 2 skipped\n {2}2 x user_id: player /)
  await app.upsertPlayers([aPlayer({ User_id: 'u-9' })])
  const again = await run('orders', write('mended.ndjson', readFileSync(path('skipped'), 'utf8')))
  assert.equal(again.stdout, '2 records read, 1 inserted, 1 updated, 0 unchanged, 0 skipped\n')
  assert.equal((await orders())[0].state.status, 'cancelled')
  const guests = [state('placed', '', { order_id: 'o-2', user_id: '' }), state('placed', '', { order_id: 'o-2' })]
  const ignored = await run('orders', write('guests.json', JSON.stringify(guests)), '--ignore-without', 'user_id')
  assert.equal(ignored.stdout, '2 records read, 1 inserted, 0 updated, 0 unchanged, 0 skipped, 1 ignored\n')
})

test('the rows of a player are one record: an empty cell does not blank what another row fills, unless --blank says so', async (t) => {
  const { run, write, player } = await shop(t)
  const head = 'User_id,Name,Phone,DOB,Gender,Refercode,State,Pincode,Country'
  const rows = [
    'u-1,Asha Rao,+911,31-01-1990,female,,Kerala,682001,India',
    'u-2,Ben,,31-01-1990,male,,Kerala,682001,India',
    'u-1,,,31-01-1990,female,,Kerala,682001,India',
    'u-1,,,31-01-1990,female,,Goa,682001,India',
    'u-2,Ben,+912,31-01-1990,male,,Kerala,682001,India',
  ]
  const file = write('orders-export.csv', `${[head, ...rows].join('\n')}\n`)
  const result = await run('players', file)
  assert.equal(result.stdout, '2 records read, 2 inserted, 0 updated, 0 unchanged, 0 skipped\n')
  assert.match(result.stderr, /^laurel: 3 rows were joined to another row of the same player: /m)
  const shown = async (id: string) => {
    const { name, phone, state } = await player(id)
    return [name, phone, state]
  }
  assert.deepEqual(
    [await shown('u-1'), await shown('u-2')],
    [
      ['Asha Rao', '+911', 'Goa'],
      ['Ben', '+912', 'Kerala'],
    ],
  )
  const again = await run(
    'players',
    write('again.csv', `${[head, rows[0]!.replace('+911', ''), rows[1]].join('\n')}\n`),
  )
  assert.equal(again.stdout, '2 records read, 0 inserted, 1 updated, 1 unchanged, 0 skipped\n')
  assert.deepEqual(
    [await shown('u-1'), await shown('u-2')],
    [
      ['Asha Rao', '+911', 'Kerala'],
      ['Ben', '+912', 'Kerala'],
    ],
    'what is empty keeps the stored value',
  )
  const blanked = await run('players', write('phones.csv', `${[head, rows[0], rows[1]].join('\n')}\n`), '--blank')
  assert.equal(blanked.stdout, '2 records read, 0 inserted, 1 updated, 1 unchanged, 0 skipped\n')
  assert.deepEqual(await shown('u-2'), ['Ben', '', 'Kerala'])
})

test('receipts without a customer are only counted where asked for, and do not hide those that need somebody', async (t) => {
  const { app, write, run, skipped } = await shop(t)
  await app.upsertPlayers([aPlayer()])
  const file = write(
    'receipts.csv',
    [
      'order_id,user_id,name,email,total_amount,discount,refferral_code,product_sku_id,qty',
      'r-1,u-1,A,a@example.com,100,0,,tea,1',
      'r-2,,,,x,0,,tea,1',
      'r-2,,,,x,0,,tea,-1',
      'r-3," ",,,100,0,,,',
      'r-4,gone,A,a@example.com,100,0,,tea,1',
    ].join('\n'),
  )
  const mapped = ['--map', 'products.product_sku_id=product_sku_id', '--map', 'products.qty=qty']
  const one = await run('orders', file, ...mapped, '--ignore-without', 'user_id')
  assert.deepEqual(
    [one.code, firstLine(one)],
    [4, '4 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped, 2 ignored'],
  )
  assert.deepEqual(
    skipped().map(({ record }) => record.order_id),
    ['r-4'],
  )
  await app.upsertPlayers([aPlayer({ User_id: 'gone', Refercode: 'GONE' })])
  const again = await run('orders', file, ...mapped, '--ignore-without', 'user_id', '--json')
  const { read, ignored, skipped: left } = JSON.parse(again.stdout)
  assert.deepEqual([again.code, read, ignored, left], [0, 4, 2, 0])
  assertRefused(
    await run('orders', file, '--ignore-without', 'customer'),
    /--ignore-without customer: expected comma-separated fields among name, email, /,
  )
})
