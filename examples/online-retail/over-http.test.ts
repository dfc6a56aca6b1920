import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'csv-parse/sync'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { forEachService, type TestApp } from '../../test/support/test-app.ts'
import { BUSY_DAY, EXPECTED } from './expected.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { toOrders, toPlayers, toProducts } from './records.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url)
const REQUEST_RECORDS = 200

const invoices = await readInvoices(openCsv(EXTRACT.pathname))

/** A naive reading of the file: the service's answers are compared with this, not with the converter. */
const rows = (parse(readFileSync(EXTRACT), { columns: true }) as Record<string, string>[]).toSorted((a, b) =>
  a.InvoiceDate! < b.InvoiceDate! ? -1 : a.InvoiceDate! > b.InvoiceDate! ? 1 : 0,
)
const priced = rows.filter(({ UnitPrice }) => Number(UnitPrice) > 0)
const customers = new Set(rows.map(({ CustomerID }) => CustomerID).filter((id) => id !== ''))

type Counts = { inserted: number; updated: number; skipped: number }

async function sendAll(app: TestApp, noun: 'players' | 'products', records: readonly object[]): Promise<Counts> {
  const sum = { inserted: 0, updated: 0, skipped: 0 }
  for (let from = 0; from < records.length; from += REQUEST_RECORDS) {
    const { status, body } = await app.ask('POST', `/api/integration/${noun}`, {
      body: { data: records.slice(from, from + REQUEST_RECORDS) },
    })
    assert.equal(status, 200)
    for (const count of ['inserted', 'updated', 'skipped'] as const) sum[count] += body[count]
  }
  return sum
}

/** The verdicts expected for prices sent one after the other, computed with a map. */
function expectedCounts(prices: readonly { product_sku_id: string; amount: string }[]): Counts {
  const known = new Map<string, number>()
  const counts = { inserted: 0, updated: 0, skipped: 0 }
  for (const { product_sku_id, amount } of prices) {
    const before = known.get(product_sku_id)
    counts[before === undefined ? 'inserted' : before === Number(amount) ? 'skipped' : 'updated'] += 1
    known.set(product_sku_id, Number(amount))
  }
  return counts
}

forEachService((openTestApp) => {
  test('real products and players are loaded and sent again, and every count matches the data', async (t) => {
    const app = await openTestApp(t)
    const skus = new Set(priced.map(({ StockCode }) => StockCode))
    const products = toProducts(invoices)
    assert.deepEqual(await sendAll(app, 'products', products), { inserted: skus.size, updated: 0, skipped: 0 })
    assert.deepEqual(await sendAll(app, 'products', products), { inserted: 0, updated: 0, skipped: skus.size })
    const players = toPlayers(invoices)
    assert.deepEqual(await sendAll(app, 'players', players), { inserted: customers.size, updated: 0, skipped: 0 })
    assert.deepEqual(await sendAll(app, 'players', players), { inserted: 0, updated: customers.size, skipped: 0 })
    assert.deepEqual(
      await app.query(
        'select (select count(*)::int from products) as products, (select count(*)::int from players) as players, (select max(rev) from players) as rev',
      ),
      [{ products: skus.size, players: customers.size, rev: 1 }],
    )
  })

  test('every price in the data, sent in the order charged, counts either as a change or as unchanged', async (t) => {
    const app = await openTestApp(t)
    const prices = priced.map(({ StockCode, UnitPrice }) => ({ product_sku_id: StockCode!, amount: UnitPrice! }))
    const expected = expectedCounts(prices)
    assert(expected.updated > 10 && expected.skipped > 100, 'the extract has products whose price changes')
    assert.deepEqual(await sendAll(app, 'products', prices), expected)
    const stored = await app.query('select sku, price::float as price from products order by sku')
    const last = new Map(prices.map(({ product_sku_id, amount }) => [product_sku_id, Number(amount)]))
    assert.deepEqual(new Map(stored.map(({ sku, price }) => [sku, price])), last)
  })

  for (const decimals of [0, 2]) {
    test(`all orders of one day are predicted with ${decimals} decimals, three of them as computed by hand`, async (t) => {
      const app = await openTestApp(t)
      const source = STARTER_PROGRAM.replace('rounding:', `money: { decimals: ${decimals} }\nrounding:`)
      assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
      await sendAll(app, 'products', toProducts(invoices))
      await sendAll(app, 'players', toPlayers(invoices))
      const orders = toOrders(invoices, { decimals }).filter(({ ordered_at }) => ordered_at.startsWith(BUSY_DAY.day))
      assert.equal(orders.length, BUSY_DAY.orders)
      const answers = new Map<string, { message: string; total_points: number }>()
      for (const order of orders) {
        const { status, body } = await app.predict(order)
        assert.equal(status, 200, JSON.stringify(body))
        answers.set(order.order_id, body)
      }
      for (const { orderId, points, message } of EXPECTED)
        assert.deepEqual(answers.get(orderId), { message, total_points: points })
      for (const [orderId, { total_points }] of answers) {
        const pence = rows
          .filter(
            ({ InvoiceNo, Quantity, UnitPrice }) =>
              InvoiceNo === orderId && Number(Quantity) > 0 && Number(UnitPrice) >= 0,
          )
          .reduce((sum, { Quantity, UnitPrice }) => sum + Math.round(Number(Quantity) * Number(UnitPrice) * 100), 0)
        assert.equal(total_points, Math.floor(pence / 1000), orderId)
      }
    })
  }
})
