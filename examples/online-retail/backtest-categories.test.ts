/*
 * A backtest by category on the real orders. The categories are made up from the descriptions.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { forEachService } from '../../test/support/test-app.ts'
import { type Category, readCategories } from './categories.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { type OrderRecord, toPlayers, toProducts } from './records.ts'
import { toStates } from './states.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url).pathname

/** When the shop begins to send categories. */
const CATEGORIES_FROM = '2011-05-01'

const PROGRAM = `
name: By category
attributes: { product: { category: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: kitchen, when: line.attributes.category == "kitchen", per-amount: { points: 2, every: 7, of: net } }
  - { name: bags, when: line.attributes.category == "bags", per-amount: { points: 1, every: 10, of: net } }
`

const invoices = await readInvoices(openCsv(EXTRACT))
const categories = await readCategories(EXTRACT)
const { states } = toStates(invoices)
const products = toProducts(invoices)
const known = new Set(products.map(({ product_sku_id: sku }) => sku))
const isEarly = ({ ordered_at: at }: OrderRecord) => at < CATEGORIES_FROM

/** An order in its last state, in whole numbers: no engine, no ledger. */
function plainPoints({ total_amount: total, products: lines }: OrderRecord): number {
  const e4 = (chosen: (category: Category | undefined) => boolean) =>
    lines
      .filter(({ product_sku_id: sku }) => chosen(known.has(sku) ? categories.get(sku) : undefined))
      .reduce((sum, { amount }) => sum + BigInt(Math.round(Number(amount) * 10_000)), 0n)
  const [all, kitchen, bags] = [e4(() => true), e4((one) => one === 'kitchen'), e4((one) => one === 'bags')]
  // Of each pound, the part that the lines have: 2 / 7 of one and 1 / 10 of the other.
  return all === 0n ? 0 : Number((BigInt(total) * (20n * kitchen + 7n * bags)) / (70n * all))
}

const lastStates = [...new Map(states.map(({ order }) => [order.order_id, order])).values()]
const pointsOf = (orders: readonly (OrderRecord & { status?: 'cancelled' })[]) =>
  orders.filter(({ status }) => status !== 'cancelled').reduce((sum, order) => sum + plainPoints(order), 0)

forEachService((openTestApp) => {
  test('a backtest by category over the real orders matches a plain integer computation, and tells orders apart from before there were categories', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-01-01T00:00:00Z') })
    const good = async (reply: Promise<{ status: number; text: string }>) => {
      const { status, text } = await reply
      assert.equal(status, 200, text)
    }
    await good(app.upsertPlayers(toPlayers(invoices)))
    await good(app.upsertProducts(products))
    const record = (isChosen: (at: string) => boolean) =>
      good(app.record(states.filter(({ at }) => isChosen(at)).map(({ order }) => order)))
    await record((at) => at < CATEGORIES_FROM)
    const withCategories = products.map((product) => ({
      ...product,
      attributes: { category: categories.get(product.product_sku_id) ?? 'other' },
    }))
    await good(app.upsertProducts(withCategories))
    await record((at) => at >= CATEGORIES_FROM)

    const ran = async (attributes: 'recorded' | 'now') => {
      const request = { source: PROGRAM, attributes, now: '2026-01-01T00:00:00Z' }
      const { tally } = await backtestProgram(app.service.db, request, () => undefined, { rangeOrders: 40 })
      return { points: Number(tally.points.after), without: tally.withoutAttributes, unlike: tally.unlikeLedger }
    }
    const early = lastStates.filter(
      (order) => isEarly(order) && order.products.some((line) => known.has(line.product_sku_id)),
    )
    const late = lastStates.filter((order) => !isEarly(order))
    assert(early.length > 40 && late.length > 40, `${early.length} and ${late.length} orders`)
    assert(pointsOf(early) > 100 && pointsOf(late) > 100)
    assert.deepEqual(await ran('recorded'), { points: pointsOf(late), without: early.length, unlike: 0 })
    assert.deepEqual(await ran('now'), { points: pointsOf(lastStates), without: early.length, unlike: 0 })
    // What the shop says later about a product changes no order that kept what it said then.
    const moved = withCategories.map((product) => ({ ...product, attributes: { category: 'lights' } }))
    await good(app.upsertProducts(moved))
    assert.deepEqual(await ran('now'), { points: pointsOf(late), without: early.length, unlike: 0 })
  })
})
