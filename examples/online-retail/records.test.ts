import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { countInvoices } from './counts.ts'
import { BUSY_DAY, EXPECTED } from './expected.ts'
import { COLUMNS, openCsv, readInvoices } from './invoices.ts'
import { fateOf, pounds, roundedDown, toCancellations, toOrders, toPlayers, toProducts } from './records.ts'

const EXTRACT = fileURLToPath(new URL('extract/online-retail-extract.csv', import.meta.url))
const CONVERT = fileURLToPath(new URL('convert.ts', import.meta.url))
const run = promisify(execFile)
const extract = await readInvoices(openCsv(EXTRACT))

interface NaiveRow {
  number: string
  sku: string
  quantity: number
  date: string
  price: string
  customer: string
  country: string
}

/** An independent reading of the extract: only the description is ever quoted, so the other fields are counted from both ends. */
async function readNaively(): Promise<NaiveRow[]> {
  const lines = (await readFile(EXTRACT, 'utf8')).trimEnd().split('\n').slice(1)
  return lines.map((line) => {
    const fields = line.split(',')
    const [quantity = '', date = '', price = '', customer = '', country = ''] = fields.slice(-5)
    const [number = '', sku = ''] = fields
    return { number, sku, quantity: Number(quantity), date, price, customer: customer.replace('.0', ''), country }
  })
}
const naive = await readNaively()

/** Thousandths of a pound, the finest price in the data, as a safe integer. */
const milli = (price: string): number => Math.round(Number(price) * 1000)
const isSale = (row: NaiveRow): boolean => row.customer !== '' && /^\d/.test(row.number)
const distinct = (values: readonly string[]): number => new Set(values).size

function invoicesOf(...lines: string[]) {
  return readInvoices(Readable.from([`${[COLUMNS.join(), ...lines].join('\n')}\n`]))
}

test('the converter counts the same as a naive reading of the extract', () => {
  const counts = countInvoices(extract)
  const sales = naive.filter(isSale)
  const cancelled = naive.filter((row) => row.number.startsWith('C') && row.customer !== '')
  const nameless = naive.filter((row) => row.customer === '')
  assert.equal(counts.lines, naive.length)
  assert.equal(counts.invoices, distinct(naive.map((row) => row.number)))
  assert.equal(counts.cancellations, distinct(naive.map((row) => row.number).filter((number) => /^C/.test(number))))
  assert.equal(counts.customers, distinct(naive.map((row) => row.customer)) - 1)
  assert.equal(counts.products, distinct(naive.map((row) => row.sku)))
  assert.equal(counts.linesWithoutCustomer, nameless.length)
  assert.equal(counts.linesOfNegativePrice, naive.filter((row) => row.price.startsWith('-')).length)
  assert.equal(counts.linesOfPriceZero, naive.filter((row) => Number(row.price) === 0).length)
  assert.equal(counts.linesOfNegativeQuantity, naive.filter((row) => row.quantity < 0 && !/^C/.test(row.number)).length)
  assert.deepEqual(counts.fates, {
    order: { invoices: distinct(sales.map((row) => row.number)), lines: sales.length },
    cancellation: { invoices: distinct(cancelled.map((row) => row.number)), lines: cancelled.length },
    'no-customer': { invoices: distinct(nameless.map((row) => row.number)), lines: nameless.length },
    adjustment: { invoices: 0, lines: 0 },
    'no-usable-line': { invoices: 0, lines: 0 },
    'too-many-lines': { invoices: 0, lines: 0 },
  })
})

test('the extract is small and has what the example needs: dirty data, price changes, a busy day', () => {
  const counts = countInvoices(extract)
  const prices = Map.groupBy(naive, (row) => row.sku)
  const changed = [...prices.values()].filter((rows) => distinct(rows.map((row) => row.price)) > 1)
  assert.ok(changed.length >= 50)
  for (const count of [
    counts.linesWithoutCustomer,
    counts.linesOfNegativePrice,
    counts.linesOfNegativeQuantity,
    counts.orderLinesFree,
    counts.customersWithoutOrder,
    counts.customersOfSeveralCountries,
    counts.productsWithoutPrice,
  ]) {
    assert.ok(count > 0)
  }
  assert.equal(toOrders(extract).filter((order) => order.ordered_at.startsWith(BUSY_DAY.day)).length, BUSY_DAY.orders)
})

test('an order carries its lines exactly, and totals are rounded down once', () => {
  const exact = new Map(toOrders(extract, { decimals: 4 }).map((order) => [order.order_id, order.total_amount]))
  for (const order of toOrders(extract)) {
    const rows = naive.filter((row) => row.number === order.order_id)
    const amounts = rows.map((row) => row.quantity * milli(row.price))
    const total = amounts.reduce((sum, amount) => sum + amount, 0)
    assert.deepEqual(
      order.products.map((line) => [line.product_sku_id, Number(line.qty), milli(line.amount)]),
      rows.map((row, index) => [row.sku, row.quantity, amounts[index]]),
    )
    assert.equal(Number(order.total_amount), Math.floor(total / 1000))
    assert.equal(milli(exact.get(order.order_id) ?? ''), total)
    assert.equal(
      Number(order.total_qty),
      rows.reduce((sum, row) => sum + row.quantity, 0),
    )
    assert.equal(order.user_id, rows[0]?.customer)
    assert.equal(order.ordered_at, `${rows[0]?.date.replace(' ', 'T')}Z`)
  }
})

test('orders are valid records, sorted by time, each with a player', () => {
  const orders = toOrders(extract)
  const players = new Map(toPlayers(extract).map((player) => [player.User_id, player]))
  for (const order of orders) {
    assert.match(order.total_amount, /^\d+$/)
    assert.match(order.ordered_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.deepEqual([order.discount, order.refferral_code], ['0', ''])
    assert.equal(order.email, players.get(order.user_id)?.Email)
    assert.ok(order.products.length >= 1 && order.products.length <= 1000)
    for (const line of order.products) {
      assert.match(line.amount, /^\d{1,15}\.\d{2,4}$/)
      assert.match(line.qty, /^[1-9]\d*$/)
    }
  }
  assert.equal(distinct(orders.map((order) => order.order_id)), orders.length)
  const moments = orders.map((order) => order.ordered_at)
  assert.deepEqual(moments, moments.toSorted())
  for (const order of toOrders(extract, { decimals: 2 })) assert.match(order.total_amount, /^\d+\.\d\d$/)
})

test('players are valid records, made up from the customer number alone, and say so', () => {
  const players = toPlayers(extract)
  assert.deepEqual(players, toPlayers(extract.toReversed().toSorted((a, b) => a.at.localeCompare(b.at))))
  for (const player of players) {
    assert.equal(player.Name, `Customer ${player.User_id} (made up)`)
    assert.match(player.Email, /^[^@\s]+@example\.com$/)
    assert.match(player.Phone, /^\+\d{1,15}$/)
    assert.match(player.Pincode, /^\d{6}$/)
    assert.ok(['male', 'female'].includes(player.Gender))
    assert.ok(player.State !== '' && player.Country !== '')
    const [day, month, year] = player.DOB.split('-').map(Number)
    const birth = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
    assert.match(player.DOB, /^\d\d-\d\d-\d{4}$/)
    assert.deepEqual([birth.getUTCDate(), birth.getUTCMonth() + 1], [day, month])
    assert.ok(birth.getUTCFullYear() >= 1940 && birth.getUTCFullYear() <= 1990)
  }
  assert.equal(distinct(players.map((player) => player.Refercode)), players.length)
  assert.equal(distinct(players.map((player) => player.Gender)), 2)
  const wanderer = naive.findLast((row) => row.customer === '12422')
  assert.equal(players.find((player) => player.User_id === '12422')?.Country, wanderer?.country)
})

test('a product has the last price above 0 in the data, and its code unchanged', () => {
  const last = new Map<string, number>()
  for (const row of naive) if (milli(row.price) > 0) last.set(row.sku, milli(row.price))
  const products = toProducts(extract)
  assert.deepEqual(new Map(products.map((each) => [each.product_sku_id, milli(each.amount)])), last)
  assert.equal(products.length, last.size)
  for (const sku of ['85123A', '85123a']) assert.ok(last.has(sku))
})

test('cancellations are kept separately, with positive quantities', () => {
  const cancellations = toCancellations(extract)
  const huge = cancellations.find((each) => each.invoice === 'C541433')
  assert.deepEqual(huge, {
    invoice: 'C541433',
    user_id: '12346',
    cancelled_at: '2011-01-18T10:17:00Z',
    lines: [{ product_sku_id: '23166', amount: '77183.60', qty: '74215' }],
  })
  assert.ok(toOrders(extract).every((order) => /^\d/.test(order.order_id)))
})

test('the three orders worked out by hand have the amounts used there', () => {
  const whole = toOrders(extract)
  const exact = toOrders(extract, { decimals: 2 })
  for (const expected of EXPECTED) {
    const order = whole.find((each) => each.order_id === expected.orderId)
    assert.ok(order !== undefined)
    assert.ok(order.ordered_at.startsWith(BUSY_DAY.day))
    assert.deepEqual([order.user_id, order.total_amount], [expected.userId, expected.totalAmount])
    assert.equal(exact.find((each) => each.order_id === expected.orderId)?.total_amount, expected.totalAmountExact)
    assert.equal(expected.points, Math.floor(Number(expected.totalAmount) / 10))
  }
})

test('the command writes the same bytes every time, and they are the converted records', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'online-retail-'))
  t.after(() => rm(directory, { recursive: true }))
  const first = await run(process.execPath, [CONVERT, EXTRACT, join(directory, 'a')])
  await run(process.execPath, [CONVERT, EXTRACT, join(directory, 'b')])
  const records = { orders: toOrders(extract), players: toPlayers(extract), products: toProducts(extract) }
  for (const [name, expected] of Object.entries({ ...records, cancellations: toCancellations(extract) })) {
    const [a, b] = await Promise.all(['a', 'b'].map((run) => readFile(join(directory, run, `${name}.ndjson`), 'utf8')))
    assert.equal(a, b)
    assert.equal(a, expected.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
  assert.match(first.stdout, new RegExp(`${naive.length} {2}lines\n`))
  assert.match((await run(process.execPath, [CONVERT, '--help'])).stdout, /^Usage: /)
  await assert.rejects(run(process.execPath, [CONVERT, join(directory, 'none.csv'), directory]), /convert: ENOENT/)
})

test('lines that no record can represent are left out, and so is an invoice without any other lines', async () => {
  const invoices = await invoicesOf(
    '1,A,,2,2011-01-01 10:00:00,1.5,7.0,Norway',
    '1,B,,-2,2011-01-01 10:00:00,1.5,7.0,Norway',
    '1,C,,1,2011-01-01 10:00:00,-0.5,7.0,Norway',
    '2,A,,-2,2011-01-01 10:00:00,0.0,7.0,Norway',
    'A3,B,,1,2011-01-01 10:00:00,9,7.0,Norway',
    ...Array.from({ length: 1001 }, () => '4,A,,1,2011-01-01 10:00:00,1,7.0,Norway'),
  )
  assert.deepEqual(invoices.map(fateOf), ['order', 'no-usable-line', 'adjustment', 'too-many-lines'])
  assert.deepEqual(
    toOrders(invoices).map((order) => order.products),
    [[{ product_sku_id: 'A', amount: '3.00', qty: '2' }]],
  )
  assert.equal(countInvoices(invoices).linesDropped, 2)
})

test('for prices and countries the latest time wins; at the same time, the later line of the file', async () => {
  const invoices = await invoicesOf(
    '2,A,,1,2011-01-02 10:00:00,2,7.0,Norway',
    '1,A,,1,2011-01-01 10:00:00,1,7.0,Spain',
    '1,B,,1,2011-01-01 10:00:00,1,7.0,Spain',
    '1,B,,1,2011-01-01 10:00:00,3,7.0,Spain',
    '1,B,,1,2011-01-01 10:00:00,0.0,7.0,Spain',
  )
  assert.deepEqual(
    toProducts(invoices).map((each) => each.amount),
    ['2.00', '3.00'],
  )
  assert.equal(toPlayers(invoices)[0]?.Country, 'Norway')
  assert.deepEqual(
    toOrders(invoices).map((order) => order.order_id),
    ['1', '2'],
  )
})

test('amounts are written without floating point', () => {
  assert.deepEqual([0n, 5n, 1_000n, 25_500n, 771_836_000n, 123_4567n].map(pounds), [
    '0.00',
    '0.0005',
    '0.10',
    '2.55',
    '77183.60',
    '123.4567',
  ])
  assert.deepEqual(
    [0, 1, 2, 4].map((decimals) => roundedDown(1_999_999n, decimals)),
    ['199', '199.9', '199.99', '199.9999'],
  )
})
