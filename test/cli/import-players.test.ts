/*
 * Players from exports of orders: what counts is in the newest order, whatever the order of the file (decision 123).
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { clean } from '../support/redeeming.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { nameIn, phoneIn, SHOPPERS, shopify, shuffled, square, streetIn, till } from '../support/shop-exports.ts'
import { openEmbeddedApp, openServerApp, type TestApp } from '../support/test-app.ts'

async function importPlayers(
  app: TestApp,
  t: TestContext,
  rows: readonly string[],
  options: readonly string[],
  required = 'Name',
) {
  const { status, text } = await app.ask('PUT', '/api/admin/settings', {
    body: { data: { 'players.required': required } },
  })
  assert.equal(status, 200, text)
  const file = join(temporaryDirectory(t), 'orders.csv')
  writeFileSync(file, `${rows.join('\n')}\n`)
  const args = ['import', 'players', file, '--url', app.url, '--skipped', `${file}.skipped`, ...options]
  return await runCommand(args, { LAUREL_TOKEN: app.service.ownToken })
}

const playersOf = async (app: TestApp) =>
  (await app.query(
    'select user_id, name, email, phone, address, state, district, pincode, country from players order by user_id',
  )) as Readonly<Record<string, unknown>>[]

const namesOf = async (app: TestApp) =>
  (await playersOf(app)).map(({ user_id, name, phone }) => [user_id, name, phone].join(' ').trim())

for (const [name, table] of Object.entries({ shopify: shopify(), till: till(), square: square() }))
  test(`customers in an export like that of ${name} are those of their newest orders, in file order, reversed and shuffled by rows, on both databases (decision 123)`, async (t) => {
    const { head, rows, ofPlayers, orders } = table
    const ways = [rows, rows.toReversed(), shuffled(rows)]
    const server = await openServerApp(t)
    const embedded = await openEmbeddedApp(t)
    for (const app of [server, embedded])
      for (const way of ways) {
        await clean(app)
        await app.query('delete from players')
        const result = await importPlayers(app, t, [head, ...way], ofPlayers)
        assert.equal(result.stdout, '3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', result.stderr)
        assert.match(result.stderr, /: values of the newest order win, and empty cells are ignored/)
        const latest = (place: number, counts: (order: number) => boolean) =>
          Array.from({ length: orders }, (_, order) => order).findLast((order) => order % 3 === place && counts(order))!
        assert.deepEqual(
          (await playersOf(app)).map(({ user_id, name, address, phone }) => [user_id, name, address, phone]),
          SHOPPERS.map((shopper, place) => {
            const newest = latest(place, () => true)
            const phone = phoneIn(latest(place, (order) => phoneIn(order) !== ''))
            return [shopper, nameIn(newest), streetIn(newest), phone]
          }),
        )
      }
  })

test('the time of the update comes before that of the order; of orders of one moment the greatest id counts; without a time, the last row', async (t) => {
  const app = await openServerApp(t)
  const head = 'User_id,Name,Phone,order_id,ordered_at,updated_at'
  const rows = [
    'updated,Old,,a,2025-05-01,2025-05-02 10:00:00',
    'updated,New,,b,2025-04-01,2025-05-02 11:00:00',
    'updated,Older,,c,2025-05-02T10:30:00Z,',
    'zoned,New,,a,2025-05-01T09:00:01Z,',
    'zoned,Old,,b,2025-05-01 10:00:00+01:00,',
    'tied,Old,+1,a,2025-05-01,',
    'tied,New,,b,2025-05-01,',
    'undated,Old,,z,,',
    'undated,New,,a,2025-05-01,',
    'once,New,,z,at noon,',
  ]
  for (const way of [rows, rows.toReversed(), shuffled(rows)]) {
    const { code, stdout, stderr } = await importPlayers(app, t, [head, ...way], [])
    assert.equal(code, 0, stdout + stderr)
    assert.deepEqual(await namesOf(app), ['once New', 'tied New +1', 'undated New', 'updated New', 'zoned New'])
  }
  const undated = [rows[0]!, rows[1]!, rows[2]!].map((row) => row.split(',').slice(0, 3).join(','))
  const { stderr } = await importPlayers(app, t, ['User_id,Name,Phone', ...undated], [])
  assert.match(stderr, /: the last values in the file win \(--map ordered_at=\.\.\. and --map order_id=/)
  assert.equal((await namesOf(app))[3], 'updated Older')
})

test('each field is taken from the newest order as a whole, whatever columns it comes from, and a default only where no order has it', async (t) => {
  const app = await openServerApp(t)
  const head = 'User_id,First,Last,Mobile,Landline,Land,Date'
  const rows = ['u,Ada,Lovelace,+1,,FR,1/5/2025', 'u,Ada,,,+2,,2/5/2025']
  const maps = ['Name=First+" "+Last', 'Phone=Mobile|Landline', 'Country=Land', 'ordered_at=Date']
  const options = [...maps.flatMap((one) => ['--map', one]), '--default', 'Country=DE', '--date-format', 'D/M/YYYY']
  for (const way of [rows, rows.toReversed()]) {
    await importPlayers(app, t, [head, ...way], options)
    const [player] = await playersOf(app)
    assert.deepEqual([player!.name, player!.phone, player!.country], ['Ada', '+2', 'FR'])
  }
})

test('with --blank, what is empty in the newest order is empty, but not what is in another row of that order', async (t) => {
  const app = await openServerApp(t)
  const head = 'User_id,Name,Phone,Add,order_id,ordered_at'
  const rows = ['u,Old,+1,Street 1,a,2025-05-01', 'u,New,,,b,2025-05-02', 'u,,,Street 2,b,2025-05-02']
  for (const way of [rows, rows.toReversed(), shuffled(rows)]) {
    await importPlayers(app, t, [head, ...way], [])
    assert.deepEqual(
      (await playersOf(app)).map(({ phone, address }) => [phone, address]),
      [['+1', 'Street 2']],
    )
    const { stderr } = await importPlayers(app, t, [head, ...way], ['--blank'])
    assert.match(stderr, /values of the newest order win, even empty ones$/m)
    assert.deepEqual(
      (await playersOf(app)).map(({ name, phone, address }) => [name, phone, address]),
      [['New', '', 'Street 2']],
    )
  }
})

test('a time that cannot be read is a fault where it would decide between orders, with the option that reads it', async (t) => {
  const app = await openServerApp(t)
  const head = 'User_id,Name,order_id,ordered_at'
  const rows = ['u,Old,a,01.05.2025', 'u,New,b,02.05.2025', 'v,Once,c,03.05.2025', 'v,,c,03.05.2025']
  const { code, stdout } = await importPlayers(app, t, [head, ...rows], [])
  assert.equal(code, 4)
  assert.match(stdout, /^2 records read, 1 inserted, 0 updated, 0 unchanged, 1 skipped$/m)
  assert.match(stdout, /^ {2}1 x ordered_at: expected a date YYYY-MM-DD \(line 2: "01\.05\.2025"\)$/m)
  const read = await importPlayers(app, t, [head, ...rows], ['--date-format', 'DD.MM.YYYY'])
  assert.equal(read.code, 0, read.stdout)
  assert.deepEqual(await namesOf(app), ['u New', 'v Once'])
})

test('an apostrophe that marks a text for spreadsheets is taken away: before a sign in every column, before a digit in all but ids, and at the start of any code', async (t) => {
  const app = await openServerApp(t)
  const { status } = await app.ask('PUT', '/api/admin/settings', { body: { data: { 'players.pincode': 'text' } } })
  assert.equal(status, 200)
  const head = 'User_id,Name,Phone,Pincode,State,District'
  const rows = ["'7001,Ada,'+15031234567,'94016,'9th District,'s-Gravenhage", "ben,'t Hooft,'0301234,'VLT 1117,'-,"]
  const { code, stdout, stderr } = await importPlayers(app, t, [head, ...rows], [])
  assert.equal(code, 0, stdout + stderr)
  assert.deepEqual(
    (await playersOf(app)).map(({ user_id, name, phone, pincode, state, district }) =>
      [user_id, name, phone, pincode, state, district].join(),
    ),
    ["'7001,Ada,+15031234567,94016,9th District,'s-Gravenhage", "ben,'t Hooft,0301234,VLT 1117,-,"],
  )
  const preset = await importPlayers(app, t, ['Customer ID,First Name', "'7002,Eve"], ['--preset', 'shopify'])
  assert.equal(preset.code, 0, preset.stdout + preset.stderr)
  const both = await importPlayers(app, t, ['Phone,Name', "'7003,Fay"], ['--map', 'User_id=Phone'])
  assert.equal(both.code, 0, both.stdout + both.stderr)
  assert.deepEqual(await app.query("select user_id from players where user_id > '7001' and user_id < '8' order by 1"), [
    { user_id: '7002' },
    { user_id: '7003' },
  ])
  const file = join(temporaryDirectory(t), 'prices.csv')
  writeFileSync(file, "product_sku_id,amount\n'WS-1,'24\n")
  const products = await runCommand(['import', 'products', file, '--url', app.url], { LAUREL_TOKEN: app.token })
  assert.equal(products.code, 0, products.stdout + products.stderr)
  assert.deepEqual(await app.query('select sku, price::text from products'), [{ sku: 'WS-1', price: '24.0000' }])
})

test('rows of an order without a customer belong to the customer of its other rows, wherever they are, with and without a column for the time', async (t) => {
  const app = await openServerApp(t)
  const head = 'Receipt,Date,Customer,Name,Phone,Street,Article'
  const rows = Array.from({ length: 12 }, (_, order) => {
    const [receipt, date] = [`R-${order}`, `2025-05-${order + 10}`]
    const [phone, street] = [`,,,,+49${order},,Tea`, `,,,,,${streetIn(order)},Mug`]
    return [`${receipt},${date},u-${order % 3},${nameIn(order)},,,Pot`, receipt + phone, receipt + street]
  })
  const apart = [0, 1, 2].flatMap((row) => rows.map((ofOrder) => ofOrder[row]!))
  const maps = ['order_id=Receipt', 'User_id=Customer', 'Add=Street'].flatMap((one) => ['--map', one])
  const dated = [...maps, '--map', 'ordered_at=Date']
  const ways = [rows.flat(), apart, rows.flat().toReversed(), shuffled(rows.flat())]
  const cases = [
    ...ways.map((way) => ({ way, options: dated })),
    ...ways.map((way) => ({ way, options: [...dated, '--blank'] })),
    { way: rows.flat(), options: maps },
    { way: apart, options: [...maps, '--blank'] },
  ]
  for (const { way, options } of cases) {
    await app.query('delete from players')
    const { stdout, stderr } = await importPlayers(app, t, [head, ...way], options)
    assert.equal(stdout, '3 records read, 3 inserted, 0 updated, 0 unchanged, 0 skipped\n', stderr)
    assert.match(stderr, /^laurel: 33 rows were joined to another row of the same player: /m)
    assert.deepEqual(
      (await playersOf(app)).map(({ user_id, name, address, phone }) => [user_id, name, address, phone]),
      [9, 10, 11].map((order) => [`u-${order % 3}`, nameIn(order), streetIn(order), `+49${order}`]),
    )
  }
})

test('the customer of an order in Shopify is known by the e-mail address of one row, though another has only a phone number', async (t) => {
  const app = await openServerApp(t)
  const head = 'Name,Email,Created at,Lineitem name,Billing Name,Phone'
  const rows = [
    '#1,Ada@example.com,2025-05-01 10:00:00 +0100,Tea,Ada,',
    "#1,,,Mug,,'+491",
    "#2,,2025-05-02 10:00:00 +0100,Tea,Ben,'+492",
    '#2,,,Mug,,',
  ]
  for (const way of [rows, rows.toReversed()]) {
    await app.query('delete from players')
    const result = await importPlayers(app, t, [head, ...way], ['--preset', 'shopify', '--map', 'Name=Billing Name'])
    assert.equal(result.code, 0, result.stdout + result.stderr)
    assert.deepEqual(await namesOf(app), ['+492 Ben +492', 'ada@example.com Ada +491'])
  }
})

test('a row without a customer is nobody’s where its order names several, and the rows of an order without any are one record', async (t) => {
  const app = await openServerApp(t)
  const head = 'order_id,User_id,Name,Phone'
  const rows = ['7,u-1,Ada,', '7,u-2,Ben,', '7,,,+1', '8,,Guest,', '8,,,+2', ',,Nobody,', ',u-3,Cem,']
  for (const way of [rows, rows.toReversed()]) {
    await app.query('delete from players')
    const { stdout } = await importPlayers(app, t, [head, ...way], [])
    assert.match(stdout, /^6 records read, 3 inserted, 0 updated, 0 unchanged, 3 skipped\n {2}3 x User_id: expected /)
    assert.deepEqual(await namesOf(app), ['u-1 Ada', 'u-2 Ben', 'u-3 Cem'])
    const ignored = await importPlayers(app, t, [head, ...way], ['--ignore-without', 'User_id'])
    assert.deepEqual(
      [ignored.code, ignored.stdout],
      [0, '6 records read, 0 inserted, 0 updated, 3 unchanged, 0 skipped, 3 ignored\n'],
    )
  }
})

test('a row without a customer is nobody’s where its order is of another time, or it names somebody else', async (t) => {
  const app = await openServerApp(t)
  const dated = 'order_id,ordered_at,User_id,Name,Phone'
  const undated = 'order_id,User_id,Name,Phone'
  const cases = [
    [dated, ['1,2024-01-01,c1,Ann,', '1,2025-01-01,,Guest,'], ['c1 Ann']],
    [dated, ['1,2024-01-01,c1,Ann,', '1,2024-01-01,,,+1', '1,,,,+2', '1,2025-01-01,,Guest,'], ['c1 Ann +1']],
    [dated, ['1,2024-01-01,c1,Ann,', '1,2025-01-01,c1,Anna,', '1,2025-01-01,,,+1'], ['c1 Anna +1']],
    [dated, ['1,2024-01-01,c1,Ann,', '1,2024-01-01,,Bob,'], ['c1 Ann']],
    [dated, ['1,,c1,Ann,', '1,2024-01-01,,,+1', '1,2025-01-01,,,+2'], ['c1 Ann']],
    [undated, ['7,c1,Ann,', '7,,Bob,', '7,,,+2'], ['c1 Ann']],
    [undated, ['7,c1,Ann,+1', '7,,,+2'], ['c1 Ann +1']],
    [undated, ['7,c1,Ann,', '7,,Ann,+1'], ['c1 Ann +1']],
  ] as const
  for (const [head, rows, expected] of cases)
    for (const way of [rows, rows.toReversed()]) {
      await app.query('delete from players')
      await importPlayers(app, t, [head, ...way], [])
      assert.deepEqual(await namesOf(app), expected, way.join(' / '))
    }
  await app.query('delete from players')
  const { stdout } = await importPlayers(app, t, [cases[0][0], ...cases[0][1]], [])
  assert.match(stdout, /^2 records read, 1 inserted, .* 1 skipped\n {2}1 x User_id: expected /)
})

test('a dry run names the option that helps: orders of guests are to be ignored, and no country makes players of them', async (t) => {
  const app = await openServerApp(t)
  const head = 'Name,Email,Created at,Billing Name,Billing Country'
  const guest = (id: number) => `#${id},,2025-05-0${id} 10:00:00 +0100,,`
  const customer = '#9,ada@example.com,2025-05-09 10:00:00 +0100,Ada,'
  const options = ['--preset', 'shopify', '--map', 'Name=Billing Name', '--map', 'Country=Billing Country', '--dry-run']
  const hints = async (rows: readonly string[], ...more: string[]) => {
    const { stdout } = await importPlayers(app, t, [head, ...rows], [...options, ...more, '--json'], 'Name,Country')
    return JSON.parse(stdout).perhaps_needs.map((hint: string) => hint.split(/[,.]/)[0])
  }
  const guests = [guest(1), guest(2)]
  assert.deepEqual(await hints(guests), ['--ignore-without User_id'])
  assert.deepEqual(await hints([...guests, customer]), ['--ignore-without User_id', '--default Country='])
  assert.deepEqual(await hints([...guests, customer], '--ignore-without', 'User_id'), ['--default Country='])
})

test('columns of attributes become attributes of players, tags of customers too, but not those of orders; files without them keep what is stored (decision 163)', async (t) => {
  const app = await openServerApp(t)
  const attributesOf = async () =>
    (await app.query('select user_id, attributes from players order by user_id')) as Readonly<Record<string, unknown>>[]
  const plain = ['User_id,Name', 'u-1,Asha', 'u-2,Ben']
  const rows = ['User_id,Name,attributes.vip,attributes.joined', 'u-1,Asha,true,2025-03-01', 'u-2,Ben,,']
  for (const way of [rows, plain]) {
    const { code, stderr } = await importPlayers(app, t, way, [])
    assert.equal(code, 0, stderr)
    assert.deepEqual(await attributesOf(), [
      { user_id: 'u-1', attributes: { joined: '2025-03-01', vip: 'true' } },
      { user_id: 'u-2', attributes: null },
    ])
  }
  const mapped = await importPlayers(
    app,
    t,
    ['No,Name,Class', 'u-2,Ben,gold'],
    [...['--map', 'User_id=No', '--map', 'attributes.class=Class']],
  )
  assert.equal(mapped.code, 0, mapped.stderr)
  assert.deepEqual((await attributesOf())[1]!.attributes, { class: 'gold' })
  const tagged = ['First Name,Last Name,Email,Tags', 'Cy,Doe,cy@example.com,"vip, local"']
  const customers = await importPlayers(app, t, tagged, ['--preset', 'shopify'])
  assert.equal(customers.code, 0, customers.stderr)
  const ofOrders = [
    'Name,Email,Created at,Tags',
    '#1,cy@example.com,2026-01-01,gift',
    '#2,di@example.com,2026-01-02,gift',
  ]
  const { code, stderr } = await importPlayers(app, t, ofOrders, ['--preset', 'shopify', '--map', 'Name=Email'])
  assert.equal(code, 0, stderr)
  assert.deepEqual((await attributesOf()).slice(0, 2), [
    { user_id: 'cy@example.com', attributes: { tags: ['vip', 'local'] } },
    { user_id: 'di@example.com', attributes: null },
  ])
})
