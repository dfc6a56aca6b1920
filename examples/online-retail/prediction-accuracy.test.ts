/*
 * The real orders are predicted and then recorded; programs and prices change in between, and orders change later. The predictions report must
 * name exactly these causes, as often as they are counted here.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { reportPredictions } from '../../src/resources/prediction-log/report-predictions.ts'
import { forEachService, type TestApp } from '../../test/support/test-app.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { type OrderRecord, toPlayers, toProducts } from './records.ts'
import { toStates } from './states.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url)
const invoices = await readInvoices(openCsv(EXTRACT.pathname))
const { states } = toStates(invoices)

const sourceOf = (every: number) => `name: Every ${every}
rounding: floor
levels:
  counts: lifetime
  ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }]
earn:
  - name: base
    per-amount: { points: 1, every: ${every}, of: catalogue }
`

/** Ten thousandths of a pound. */
const e4 = (pounds: string) => Math.round(Number(pounds) * 10_000)

type Prices = ReadonlyMap<string, number>

/** What an order earns, computed naively: the catalogue price of each line, or the line's own amount. */
function plainPoints({ products, status }: OrderRecord & { status?: string }, prices: Prices, every: number): number {
  if (status === 'cancelled') return 0
  const sum = products.reduce((so, { product_sku_id: sku, amount, qty }) => {
    const price = prices.get(sku)
    return so + (price === undefined ? e4(amount) : price * Number(qty))
  }, 0)
  return Math.floor(sum / (every * 10_000))
}

async function good(reply: ReturnType<TestApp['record']>): Promise<void> {
  const { status, text } = await reply
  assert.equal(status, 200, text)
}

forEachService((openTestApp) => {
  test('the report attributes deviations to program and price changes, and counts late order changes apart, with the right counts', async (t) => {
    const clock = { ms: Date.parse('2010-11-01T00:00:00Z') }
    const app = await openTestApp(t, { now: () => new Date(clock.ms) })
    const publish = (every: number, from: string) =>
      good(app.ask('POST', '/api/admin/programs', { body: { data: { source: sourceOf(every), from } } }))
    const products = toProducts(invoices)
    const prices = new Map(products.map(({ product_sku_id: sku, amount }) => [sku, e4(amount)]))
    await good(app.upsertProducts(products))
    await good(app.upsertPlayers(toPlayers(invoices)))
    let every = 10
    await publish(every, new Date(clock.ms).toISOString())

    type Expectation = { points: number; changed: string[]; prices: Prices; every: number; first: number; now: number }
    const orders = new Map<string, Expectation>()
    let placed = 0
    let notAsked = 0
    let last = ''
    for (const { at, why, order } of states) {
      // Several orders share a minute in the data, but no two events may have the same moment.
      clock.ms = Math.max(clock.ms + 10_000, Date.parse(at))
      if (why !== 'placed') {
        await good(app.record([order]))
        const known = orders.get(order.order_id)
        if (known !== undefined) known.now = plainPoints(order, known.prices, known.every)
        continue
      }
      placed += 1
      const isAsked = placed % 10 !== 0
      const before = plainPoints(order, prices, every)
      if (isAsked) await good(app.predict(order))
      else notAsked += 1
      clock.ms += 2_000
      await app.service.deps.predictions.flush()
      const changed: string[] = []
      if (isAsked && placed % 7 === 3 && at > last) {
        every = every === 10 ? 4 : 10
        await publish(every, at)
        changed.push('program')
      }
      const [line] = order.products
      if (isAsked && placed % 5 === 1 && line !== undefined) {
        const raised = (prices.get(line.product_sku_id) ?? 0) + 70_000
        await good(app.upsertProducts([{ product_sku_id: line.product_sku_id, amount: raised / 10_000 }]))
        prices.set(line.product_sku_id, raised)
        changed.push('price')
      }
      await good(app.record([order]))
      last = at
      const recorded = plainPoints(order, prices, every)
      if (isAsked)
        orders.set(order.order_id, {
          points: before,
          changed,
          prices: new Map(prices),
          every,
          first: recorded,
          now: recorded,
        })
    }

    const expected: Record<string, number> = {}
    let [cameTrue, changedLater] = [0, 0]
    for (const { points, changed, first, now } of orders.values()) {
      if (points !== first) expected[changed.join('+')] = (expected[changed.join('+')] ?? 0) + 1
      else {
        cameTrue += 1
        if (now !== first) changedLater += 1
      }
    }
    assert(changedLater > 1, 'hardly any order changes later')
    for (const reasons of ['program', 'price', 'program+price'])
      assert((expected[reasons] ?? 0) > 1, `${reasons} hardly occurs: ${JSON.stringify(expected)}`)

    const range = { from: '-infinity', to: 'infinity' }
    const report = await reportPredictions(app.service.db, range, new Date(clock.ms).toISOString(), () => undefined)
    assert.deepEqual(
      Object.fromEntries(report.groups.map(({ reasons, orders }) => [reasons.join('+'), orders])),
      expected,
    )
    assert.deepEqual(
      [report.orders, report.noneKept, report.predicted, report.cameTrue, report.changedLater],
      [placed, notAsked, orders.size, cameTrue, changedLater],
    )
    for (const { examples } of report.groups)
      for (const { orderId, predicted, recorded, pointsNow } of examples) {
        const { points, first, now } = orders.get(orderId)!
        assert.deepEqual([predicted.points, recorded.points, pointsNow].map(Number), [points, first, now], orderId)
      }
  })
})
