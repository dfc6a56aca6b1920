/*
 * Backtests of programs that read attributes of products which recorded orders lack.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { documentOf } from '../../src/resources/backtests/backtest-document.ts'
import { warningsOf } from '../../src/resources/backtests/backtest-format.ts'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const sourceOf = (attributes: string) => `name: Tea
${attributes}
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: tea, when: line.attributes.category == "tea", per-amount: { points: 1, every: 1 } }]`
const SOURCE = sourceOf('attributes: { product: { category: text, brand: text } }')

const product = (sku: string, attributes: object) => aProduct({ product_sku_id: sku, attributes })
const order = (id: string, ...products: object[]) =>
  anOrder({ order_id: id, total_amount: 10 * products.length, discount: 0, refferral_code: '', products })
const line = (sku: string, attributes?: object) => ({
  product_sku_id: sku,
  amount: '10',
  ...(attributes && { attributes }),
})

async function backtestOf(app: TestApp, source: string, attributes?: 'recorded' | 'now') {
  const request = { source, attributes, now: app.service.deps.now().toISOString() }
  const outcome = await backtestProgram(app.service.db, request, () => undefined, { rangeOrders: 1 })
  const document = documentOf(outcome, undefined)
  const { points, attributes: used, without_attributes: orders } = document
  return { points: [points.before, points.after], used, orders, warnings: warningsOf(document) }
}

const GIFTS = `name: Gifts
attributes: { order: { recipient: text }, product: { engraving: text, category: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
referral: { friend: 1, referrer: 7 }
earn:
  - { name: recipient, when: 'order.attributes.recipient.startsWith("k")', fixed: { points: 10 } }
  - { name: engraving, when: 'line.attributes.engraving.startsWith("M")', fixed: { points: 100 } }
  - { name: engraved, when: 'line.attributes.engraving == ""', fixed: { points: 1000 } }
  - { name: tea, when: line.attributes.category == "tea", fixed: { points: 10000 } }`

forEachService((openTestApp) => {
  test('orders from before their products had the attributes of a program are counted, and computed with those of now on request (decision 161)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.upsertProducts([product('B', { brand: 'X' }), product('C', { category: 'cups' }), product('D', {})])
    await app.record([
      order('without', line('A')),
      order('other-attribute', line('B'), line('B')),
      order('with', line('C')),
      order('own', line('A', { category: 'tea' })),
      order('unknown', line('D'), { amount: '10' }),
    ])
    const tea = { category: 'tea' }
    await app.upsertProducts([product('A', tea), product('B', { ...tea, brand: 'Y' }), product('C', tea)])
    const recorded = await backtestOf(app, SOURCE)
    // The line with a category of its own.
    assert.deepEqual(recorded.points, ['7', '10'])
    assert.deepEqual([recorded.used, recorded.orders], ['recorded', 2])
    assert.equal(
      recorded.warnings[0],
      '2 orders had products without attributes of this program that the catalogue has now: computed without them',
    )
    const now = await backtestOf(app, SOURCE, 'now')
    // A, and both lines of B; what an order kept stays: the cups.
    assert.deepEqual(now.points, ['7', '40'])
    assert.deepEqual([now.used, now.orders], ['now', 2])
    assert.match(now.warnings[0]!, /2 orders had .*: computed with those of today's catalogue/)
    const ofOrders = sourceOf('attributes: { order: { channel: text }, product: { category: text } }')
    assert.equal((await backtestOf(app, ofOrders)).orders, 2)
    const undeclared = SOURCE.replace('attributes: { product: { category: text, brand: text } }\n', '').replace(
      'line.attributes.category == "tea"',
      'line.sku == "A"',
    )
    const none = await backtestOf(app, undeclared, 'now')
    assert.deepEqual([none.orders, none.points], [0, ['7', '20']])
  })

  test('a backtest started without support sees the attributes of products, and none of orders and lines: neither for their players nor for referrers (decision 218)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'REF2' })])
    await app.upsertProducts([product('A', { category: 'tea' })])
    const gift = anOrder({
      total_amount: 10,
      refferral_code: 'REF2',
      products: [line('A', { engraving: 'Mira' })],
      attributes: { recipient: 'kiran' },
    })
    await app.record([gift])
    await app.upsertProducts([product('A', { category: 'tea', engraving: 'none' })])
    const tallyOf = async (source: string, leavesOut: boolean) => {
      const request = { source, now: app.service.deps.now().toISOString(), leavesOut }
      return (await backtestProgram(app.service.db, request, () => undefined)).tally
    }
    assert.equal((await tallyOf(GIFTS, false)).points.after, 10_118n)
    const hidden = await tallyOf(GIFTS, true)
    assert.equal(hidden.points.after, 11_008n)
    // Counted as if the line had no engraving of its own.
    assert.equal(hidden.withoutAttributes, 1)

    // An order of too many points is refused, and with it what its referrer would get.
    const large = (name: string) =>
      `\n  - { name: ${name}, when: 'order.attributes.recipient != ""', multiply: { by: "100000000" } }`
    const refusing = `${GIFTS}${large('one')}${large('two')}`
    const referrals = async (leavesOut: boolean) =>
      (await tallyOf(refusing, leavesOut)).winners.find(({ userId }) => userId === 'u-2')?.referrals
    assert.deepEqual([await referrals(false), await referrals(true)], [undefined, 7n])
  })
})
