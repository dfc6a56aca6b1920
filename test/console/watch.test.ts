import assert from 'node:assert/strict'
import test from 'node:test'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { anOrder, aPlayer } from '../support/builders.ts'

/** How often the overview asks again. */
const POLL_MS = 10_000

test('predictions and feeds pass the checks in every theme and width', async (t) => {
  const { page, open, checkLooks } = await startBrowserTest(t)
  for (const [name, path, heading, row] of [
    ['predictions', '/predictions', 'Predictions', 'this process'],
    ['feeds', '/feeds', 'Sources', 'players'],
  ] as const) {
    await open(path, heading)
    if (name !== 'predictions') await page.getByRole('rowheader', { name: row }).first().waitFor()
    else await page.getByRole('heading', { name: 'Requests by token' }).waitFor()
    await checkLooks(name)
  }
})

test('the faults of a file are reported by line before anything is written, and a good file is written after confirmation', async (t) => {
  const app = await emptyService(t)
  const { page, open, tabTo, check } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=products', 'Sources')
  await tabTo('Upload products')
  await page.keyboard.press('Enter')
  const upload = (text: string, name = 'prices.csv') =>
    page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await upload('product_sku_id,amount\nTEA-1,45\nMUG-9,cheap\n')
  await page.getByText('Dry run, nothing is imported yet').waitFor()
  const row = page.getByRole('row', { name: /^3 MUG-9 / })
  await row.waitFor()
  await check()
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor()
  assert.deepEqual((await app.query('select sku from products')).length, 0)
  await upload('product_sku_id,amount\nTEA-1,45,too many\n')
  await page.getByRole('row', { name: /^2 expected as many cells as in the first line/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Import 0 records' }).isDisabled(), true)
  await check()
  await upload('product_sku_id;amount\n')
  await page.getByText('The file has no record.').waitFor()
  await upload('product_sku_id;amount\nTEA-1;45\n"MUG,9";12.5\n')
  await page.getByText('Dry run, nothing is imported yet').waitFor()
  await page.getByRole('button', { name: 'Import 2 records' }).click()
  await page.getByText('Imported:').waitFor()
  assert.deepEqual(await app.query('select sku from products order by 1'), [{ sku: 'MUG,9' }, { sku: 'TEA-1' }])
})

test('uploaded orders are sent oldest first, and what is older than a recorded order is counted before anything is written (decision 123)', async (t) => {
  const app = await emptyService(t)
  const source = `name: Welcome
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: welcome, when: player.orders == 0, fixed: { points: 50 } }]
`
  await app.ask('POST', '/api/admin/programs', { body: { data: { source, from: '2020-01-01T00:00:00Z' } } })
  await app.upsertPlayers([aPlayer()])
  const { page, open } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=orders', 'Sources')
  await page.getByRole('button', { name: 'Upload orders' }).click()
  const upload = (...days: number[]) => {
    const rows = days.map((day) => ({ ...anOrder({ order_id: `o-${day}` }), ordered_at: `2025-05-0${day}T12:00:00Z` }))
    return page
      .getByLabel('File')
      .setInputFiles({ name: 'orders.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(rows)) })
  }
  await upload(7, 5, 6)
  await page.getByRole('button', { name: 'Import 3 records' }).click()
  await page.getByText('Imported:').waitFor()
  assert.deepEqual(await app.query('select order_id from entries order by seq'), [
    { order_id: 'o-5' },
    { order_id: 'o-6' },
    { order_id: 'o-7' },
  ])
  await upload(9, 3, 8)
  await page
    .getByText(/1 order is older than one that is recorded.*import into an empty database, all orders in one/)
    .waitFor()
  await page.getByLabel('File').setInputFiles({
    ...{ name: 'next.json', mimeType: 'application/json' },
    buffer: Buffer.from(
      JSON.stringify([anOrder({ order_id: 'o-5', ordered_at: '2026-01-05T12:00:00Z', total_amount: 77 })]),
    ),
  })
  const other = 'such as "o-5" of 2025-05-05, which the file has on 2026-01-05'
  await page.getByText(`1 order has the ID of a recorded one that is probably another: it is more than`).waitFor()
  await page.getByText(other).waitFor()
  // An overwritten order cannot be brought back.
  const write = page.getByRole('button', { name: 'Import 1 record', exact: true })
  assert.equal(await write.isDisabled(), true)
  await page.getByRole('checkbox', { name: 'they are the same orders' }).check()
  assert.equal(await write.isEnabled(), true)
  const states = (...fields: object[]) =>
    fields.map((some, index) => ({ ...anOrder({ order_id: 'o-s', total_amount: index + 1 }), ...some }))
  const uploadStates = (...fields: object[]) =>
    page.getByLabel('File').setInputFiles({
      ...{ name: 'orders.json', mimeType: 'application/json' },
      buffer: Buffer.from(JSON.stringify(states(...fields))),
    })
  await uploadStates({ updated_at: '2026-02-02T00:00:00Z' }, {})
  await page.getByText('2 skipped').waitFor()
  await page.getByRole('row', { name: /^2 .* or state_version or updated_at in each.*, in lines 1 and 2$/ }).waitFor()
  await uploadStates({ updated_at: '2026-02-02T00:00:00Z' }, { updated_at: '2026-02-01T00:00:00Z' })
  await page.getByRole('button', { name: 'Import 2 records' }).click()
  await page.getByText('Imported:').waitFor()
  assert.deepEqual(await app.query("select state->>'total' as total from orders where order_id = 'o-s'"), [
    { total: '1' },
  ])
})

test('of uploaded players, the values of the newest order count, whatever the order of the file (decision 123)', async (t) => {
  const app = await emptyService(t)
  const { page, open } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=players', 'Sources')
  await page.getByRole('button', { name: 'Upload players' }).click()
  const row = (Name: string, Phone: string, of: object) => ({ ...aPlayer({ Name, Phone }), ...of })
  const rows = [
    row('Newest', '', { order_id: 'b', ordered_at: '2025-05-02T12:00:00+02:00' }),
    row('Newest', '', { order_id: 'b' }),
    row('Tied', '', { order_id: 'a', ordered_at: '2025-05-02T10:00:00Z' }),
    row('Updated', '', { order_id: 'c', ordered_at: '2025-05-09T10:00:00Z', updated_at: '2025-05-01T10:00:00Z' }),
    row('Older', '+911', { order_id: 'd', ordered_at: '2025-04-02T10:00:00Z' }),
    row('Unknown', '+912', {}),
  ]
  for (const way of [rows, rows.toReversed()]) {
    await app.query('delete from players')
    const buffer = Buffer.from(JSON.stringify(way))
    await page.getByLabel('File').setInputFiles({ name: 'players.json', mimeType: 'application/json', buffer })
    await page.getByRole('button', { name: 'Import 6 records' }).click()
    await page.getByText('Imported:').waitFor()
    assert.deepEqual(await app.query('select name, phone from players'), [{ name: 'Newest', phone: '+911' }])
  }
})

test('an upload reads a table of players as the import command does: rows of one order are one record, and apostrophes of spreadsheets are taken away', async (t) => {
  const app = await emptyService(t)
  const data = { 'players.required': '', 'players.pincode': 'text' }
  assert.equal((await app.ask('PUT', '/api/admin/settings', { body: { data } })).status, 200)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=players', 'Sources')
  await page.getByRole('button', { name: 'Upload players' }).click()
  const rows = [
    'order_id,ordered_at,User_id,Name,Phone,Pincode,Shoe size,',
    "r-2,2026-05-02T10:00:00Z,u-1,Ada Newer,,'94016,38,",
    "r-2,,,,'+15031234567,,,",
    'r-1,2026-05-01T10:00:00Z,u-1,Ada Older,+1,1,37,',
    ',,,,,,,',
    "r-3,,'7002,'t Hooft,,'LS1 4DY,,",
  ]
  const buffer = Buffer.from(rows.join('\n'))
  await page.getByLabel('File').setInputFiles({ name: 'players.csv', mimeType: 'text/csv', buffer })
  await page.getByText('Unknown fields, ignored: "Shoe size"; fields not given').waitFor()
  await page.getByText('Rows joined to another row of the same player: 2.').waitFor()
  await check()
  await page.getByRole('button', { name: 'Import 2 records' }).click()
  await page.getByText('Imported: 2 new, 0 known, 0 skipped.').waitFor()
  assert.deepEqual(await app.query('select user_id, name, phone, pincode from players order by 1 desc'), [
    { user_id: 'u-1', name: 'Ada Newer', phone: '+15031234567', pincode: '94016' },
    { user_id: "'7002", name: "'t Hooft", phone: '', pincode: 'LS1 4DY' },
  ])
})

test('an uploaded order that is recorded for another player is named among the ids of other orders, and nothing is written before a person decides', async (t) => {
  const app = await emptyService(t)
  await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'B', Email: '', Phone: '' })])
  await app.record([anOrder({ order_id: 'o-1' })])
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=orders', 'Sources')
  await page.getByRole('button', { name: 'Upload orders' }).click()
  const rows = [anOrder({ order_id: 'o-1', user_id: 'u-2' }), anOrder({ order_id: 'o-2' })]
  const buffer = Buffer.from(JSON.stringify(rows))
  await page.getByLabel('File').setInputFiles({ name: 'orders.json', mimeType: 'application/json', buffer })
  await page.getByText('such as "o-1", which is recorded for another player').waitFor()
  await check()
  const write = page.getByRole('button', { name: 'Import 1 record', exact: true })
  assert.equal(await write.isDisabled(), true)
  await page.getByRole('checkbox', { name: 'they are the same orders' }).check()
  await write.click()
  await page.getByText('Imported: 1 new, 0 known, 1 skipped.').waitFor()
})

test('of an uploaded file, rows with a misplaced quote are skipped and named; it is refused if a row may end elsewhere or the text is not in UTF-8 or UTF-16', async (t) => {
  const app = await emptyService(t)
  const { page, open } = await startBrowserTest(t, {}, app)
  await open('/feeds?noun=products', 'Sources')
  await page.getByRole('button', { name: 'Upload products' }).click()
  const upload = (file: string | Buffer) =>
    page.getByLabel('File').setInputFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  const head = 'product_sku_id,name,amount\n'
  for (const [file, reason] of [
    [`${head}PIPE-A,pipe,1\nPIPE-B,"1/2" pipe\nof steel",2\n`, 'Line 3 has " " after a cell in quotes: a quote inside'],
    [
      `${head}PIPE-A,"pipe,1\nPIPE-B,"pipe",2\n`,
      'Line 3 has "p" after a cell in quotes that begins on line 2: a quote inside',
    ],
    [`${head}PIPE-A,"two\nlines",1\nPIPE-B,"pipe,2\n`, 'Unclosed quote on line 4'],
    [Buffer.from(`${head}CUP-J,Jörgs Becher,1\n`, 'latin1'), 'The file is not in UTF-8'],
  ] as const) {
    await upload(file)
    await page.getByRole('alert').filter({ hasText: reason }).waitFor()
  }
  await upload(
    `\ufeff"product_sku_id",name,amount\r\n"3/4"" pipe",,1\r\n5'9" tall,"1" x",2\r\n1/2" pipe,5" x,3,\r\nshort,4\r\n"BECHER,Jörg","two\nlines",2\r\n`,
  )
  await page.getByRole('row', { name: /^3 expected a separator after a cell in quotes/ }).waitFor()
  await page.getByRole('row', { name: /^5 expected as many cells as in the first line/ }).waitFor()
  await page.getByRole('button', { name: 'Import 3 records' }).click()
  await page.getByText('Imported:').waitFor()
  assert.deepEqual(await app.query('select sku, price::int as price from products order by 1'), [
    { sku: '1/2" pipe', price: 3 },
    { sku: '3/4" pipe', price: 1 },
    { sku: 'BECHER,Jörg', price: 2 },
  ])
  await upload(Buffer.from('\ufeffproduct_sku_id\tamount\nTHÉ\t4\n', 'utf16le'))
  await page.getByRole('button', { name: 'Import 1 record', exact: true }).waitFor()
})

test('a feed that is silent for longer than usual is reported on the overview', async (t) => {
  const app = await emptyService(t)
  await app.service.db.transaction(
    (tx) =>
      tx.query(`insert into feed_last (noun, token_id, last_good_at, gap_ms)
        values ('products', 'till', now() - interval '1 hour', 120000)`),
    performance.now() + 60_000,
  )
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await open('/', 'Overview')
  await page.getByText('No products from till for 60 min; usual interval: 2 min.').waitFor()
  await check()
})

test('the liability is shown on the overview in money, too, by the setting of the shop', async (t) => {
  let aheadMs = 0
  const app = await emptyService(t, { now: () => new Date(Date.now() + aheadMs) })
  await app.upsertPlayers([aPlayer()])
  const gift = { id: 'gift', points: 123_450, counts: false, reason: 'a gift' }
  assert.equal((await app.ask('POST', '/api/players/u-1/adjustments', { body: { data: gift } })).status, 200)
  const { page, open, check } = await startBrowserTest(t, {}, app)
  await page.clock.install()
  await open('/', 'Overview')
  await page.getByText('123,450').first().waitFor()
  assert.equal(await page.getByText(/^= /).count(), 0)
  const data = { 'money.point-value': '0.01', 'money.currency': 'EUR' }
  assert.equal((await app.ask('PUT', '/api/admin/settings', { body: { data } })).status, 200)
  // The service counts again, and the page asks again.
  aheadMs = POLL_MS
  await page.clock.fastForward(POLL_MS)
  await page.getByText('= EUR 1,234.50').waitFor()
  await check()
})
