import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'csv-parse/sync'
import { checkLedger } from '../../test/support/ledger-check.ts'
import { forEachService, type TestApp } from '../../test/support/test-app.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { toPlayers, toProducts } from './records.ts'
import { replay } from './replay.ts'
import { toStates } from './states.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url)

const invoices = await readInvoices(openCsv(EXTRACT.pathname))
const { states, matches } = toStates(invoices)

/** The final balance of every customer, computed naively from the file: whole thousandths of a pound, and a list of purchases. */
function plainBalances(): Map<string, number> {
  const rows = parse(readFileSync(EXTRACT), { columns: true }) as Record<string, string>[]
  const begins = new Map<string, string>()
  for (const { InvoiceNo, InvoiceDate } of rows) if (!begins.has(InvoiceNo!)) begins.set(InvoiceNo!, InvoiceDate!)
  const inTime = rows
    .filter(({ CustomerID, UnitPrice }) => CustomerID !== '' && Number(UnitPrice) >= 0)
    .toSorted((a, b) => {
      const [one, other] = [begins.get(a.InvoiceNo!)!, begins.get(b.InvoiceNo!)!]
      return one < other ? -1 : one > other ? 1 : 0
    })
  const bought: { customer: string; invoice: string; sku: string; price: number; qty: number }[] = []
  for (const row of inTime) {
    const customer = row.CustomerID!.replace('.0', '')
    const one = {
      customer,
      invoice: row.InvoiceNo!,
      sku: row.StockCode!,
      price: Math.round(Number(row.UnitPrice) * 1_000),
    }
    let qty = Number(row.Quantity)
    if (/^\d/.test(one.invoice) && qty > 0) bought.push({ ...one, qty })
    if (!one.invoice.startsWith('C')) continue
    const same = bought.filter((each) => each.customer === customer && each.sku === one.sku && each.price === one.price)
    // The order of an invoice's lines does not affect the sum.
    for (const purchase of same.reverse()) {
      const taken = Math.min(-qty, purchase.qty)
      purchase.qty -= taken
      qty += taken
    }
  }
  const balances = new Map<string, number>()
  for (const [, lines] of Map.groupBy(bought, ({ invoice }) => invoice)) {
    const pounds = Math.floor(lines.reduce((sum, { price, qty }) => sum + price * qty, 0) / 1_000)
    const { customer } = lines[0]!
    balances.set(customer, (balances.get(customer) ?? 0) + Math.floor(pounds / 10))
  }
  return balances
}

test('a cancellation reduces the orders of the purchase, and cancels an order whose last line it removes', () => {
  assert.deepEqual(
    states
      .filter(({ order }) => order.user_id === '12346')
      .map(({ why, order }) => [why, order.status, order.total_amount]),
    [
      ['placed', undefined, '77183'],
      ['cancelled', 'cancelled', '77183'],
    ],
  )
  assert(states.some(({ why }) => why === 'reduced'))
  assert.equal(matches.lines, matches.full + matches.part + matches.none)
  assert.deepEqual(
    states.map(({ at }) => at),
    states.map(({ at }) => at).sort(),
  )
  const placed = new Set(states.filter(({ why }) => why === 'placed').map(({ order }) => order.order_id))
  assert.equal(placed.size, 152)
})

test('an order that is recorded with other points than predicted is reported', async () => {
  const forgetful = {
    predict: async () => ({ total_points: 10, explanation: { level: { counted: 10 } } }),
    record: async () => ({ inserted: 1, updated: 0, skipped: 0 }),
  }
  const { differences } = await replay(states.slice(0, 2), forgetful)
  assert.deepEqual(differences, [
    `${states[1]!.order.order_id}, placed at ${states[1]!.at}: predicted 10 points and 20 in all, recorded 10`,
  ])
})

forEachService((openTestApp) => {
  test('every real order is recorded as predicted just before, and every balance matches the file', async (t) => {
    const app = await openTestApp(t)
    await app.upsertProducts(toProducts(invoices))
    await app.upsertPlayers(toPlayers(invoices))
    const { differences, balances, days, ...counts } = await replay(states, {
      predict: async (order) => (await good(app.predict(order, '?explain=true'))).body,
      record: async (orders) => (await good(app.record(orders, '?details=true'))).body,
    })
    assert.deepEqual(differences, [])
    assert.equal(counts.placed + counts.reduced + counts.cancelled, states.length)
    assert.equal(days, new Set(states.map(({ at }) => at.slice(0, 10))).size)
    const expected = plainBalances()
    assert.deepEqual(balances, expected)
    const accounts = await app.query('select user_id, points from accounts')
    assert.deepEqual(new Map(accounts.map(({ user_id, points }) => [user_id, points])), expected)
    await checkLedger(app.service.db)
    // Sending the current state of every order again changes nothing.
    const last = new Map(states.map(({ order }) => [order.order_id, order]))
    assert.equal((await good(app.record([...last.values()]))).body.skipped, last.size)
  })
})

async function good(reply: ReturnType<TestApp['record']>) {
  const { status, text, body } = await reply
  assert.equal(status, 200, text)
  return { body }
}
