/*
 * The money of selected lines after discount and refunds, as services answer and keep it.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

const SOURCE = `name: Test
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: tea, when: line.sku.startsWith("TEA"), per-amount: { points: 1, every: 1, of: net } }
  - { name: many, when: line.sku.startsWith("TEA") && lines.qty >= 2, least: 30, fixed: { points: 7 } }
  - { name: ceiling, at-most: { points: 60 } }`

const publish = async (app: TestApp, source = SOURCE) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(status, 200, text)
}

const line = (sku: string, amount: string, parts: object = {}) => ({ product_sku_id: sku, amount, qty: '1', ...parts })

/** 100 before a discount of 50. */
const order = (parts: object = {}) =>
  anOrder({
    total_amount: '100.00',
    discount: '50.00',
    products: [line('TEA-1', '60', { qty: '3' }), line('TEA-2', '20'), line('GIFT', '20')],
    ...parts,
  })

const points = async (app: TestApp, sent: object) => {
  const { status, body, text } = await app.predict(sent)
  assert.equal(status, 200, text)
  return body.total_points
}

forEachService((openTestApp) => {
  test('what a prediction says each line brings is what the order sent without it earns, by prediction and on record (decision 160)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.upsertProducts([aProduct({ product_sku_id: 'TEA-3', amount: '12.34' })])
    await publish(app)
    const products = [...order().products, { product_sku_id: 'TEA-3', qty: '2' }]
    const sent = order({ products, discount: '33.33' })
    const { body } = await app.predict(sent, '?explain=true')
    assert.equal(body.explanation.earned[0].because.all, '124.68')
    const without = body.explanation.without_lines
    assert.deepEqual(
      without.map(({ line }: { line: number }) => line),
      [0, 1, 2, 3],
    )
    for (const { line, total_amount, discount, points: told } of without) {
      const rest = { ...sent, total_amount, discount, products: products.filter((_, index) => index !== line) }
      assert.equal(await points(app, { ...rest, order_id: `without-${line}` }), told)
    }
    await app.record([sent])
    const { line: _, total_amount, discount, points: told } = without[0]
    await app.record([{ ...sent, total_amount, discount, products: products.slice(1) }])
    const { body: account } = await app.ask('GET', '/api/players/u-1')
    assert.equal(account.points, told)
    assert.deepEqual((await app.predict(sent)).body, { message: body.message, total_points: body.total_points })
  })

  test('refunds of lines are recorded, shown and exported, count when the order is sent again, and the ledger verifies', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app)
    // Of 50 paid, 40 is for tea; 7 more as 4 units of tea come to 40.
    assert.equal(await points(app, order()), 47)
    await app.record([order()])
    const refunded = (one: unknown, two?: unknown) =>
      order({
        products: [
          line('TEA-1', '60', { qty: '3', refunded: one }),
          line('TEA-2', '20', { refunded: two }),
          line('GIFT', '20'),
        ],
      })
    assert.equal(await points(app, refunded({ qty: 1 })), 37)
    assert.equal(await points(app, refunded({ qty: '3' }, '2.50')), 7)
    const { body } = await app.record([refunded({ qty: '3' }, '2.50')])
    assert.deepEqual([body.inserted, body.updated], [0, 1])
    assert.deepEqual((await app.record([refunded({ qty: 3 }, 2.5)])).body.updated, 0)
    const shown = await app.ask('GET', '/api/admin/orders/o-1')
    assert.deepEqual(shown.body.lines, [
      { sku: 'TEA-1', amount: '60', qty: '3', refunded: { qty: '3' } },
      { sku: 'TEA-2', amount: '20', qty: '1', refunded: '2.5' },
      { sku: 'GIFT', amount: '20', qty: '1' },
    ])
    const { body: account } = await app.ask('GET', '/api/players/u-1')
    assert.equal(account.points, 7)
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('a refund larger than its line is refused with its path', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const cases = [
      [line('A', '10', { refunded: '10.01' }), 'refunded', 'expected at most the amount of the line, 10, got 10.01'],
      [line('A', '10', { refunded: { qty: 2 } }), 'refunded.qty', 'expected at most the qty of the line, 1, got 2'],
      [
        { product_sku_id: 'A', refunded: '1' },
        'refunded',
        'expected the amount of the line beside it, or { qty }, got 1',
      ],
      [line('A', '10', { refunded: {} }), 'refunded.qty', 'qty is required'],
      [
        line('A', '10', { refunded: [] }),
        'refunded',
        'expected a non-negative number with at most 4 decimal places, got an array',
      ],
    ] as const
    for (const [product, path, error] of cases) {
      const sent = anOrder({ products: [line('B', '1'), product] })
      const { status, body } = await app.predict(sent)
      assert.deepEqual([status, body], [400, { path: `data.products[1].${path}`, error }])
      const { body: summary } = await app.record([sent], '?details=true')
      assert.deepEqual([summary.results[0].path, summary.results[0].error], [`data[0].products[1].${path}`, error])
    }
  })
})

test('a program that counts no share of net is explained as before', async (t) => {
  const app = await openTestApp(t)
  const { body } = await app.predict(order({ total_amount: 100, discount: 50 }), '?explain=true')
  assert.deepEqual(Object.keys(body.explanation), ['earned', 'not_applied', 'rounding', 'level', 'notes', 'program'])
})
