/*
 * Orders that name their currency.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const source = (money: string) => `name: Test
money: ${money}
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1 } }]`

const publish = async (app: TestApp, money: string) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source: source(money) } } })
  assert.equal(status, 200, text)
}

const EUROS = '{ decimals: 2, currency: EUR, rates: { GBP: "1.17" } }'
const NO_RATE = 'expected EUR or GBP, got USD: publish a program with a rate for it in money.rates'
const CHANGED =
  'expected GBP, the currency of the recorded order, got EUR: send an order in another currency under its own ID'

forEachService((openTestApp) => {
  test('an order in a currency without a rate is refused with its path, and skipped with the verdict currency', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app, EUROS)
    const { status, body } = await app.predict(anOrder({ currency: 'USD' }))
    assert.deepEqual([status, body], [400, { path: 'data.currency', error: NO_RATE }])
    const orders = [anOrder({ currency: 'USD' }), anOrder({ order_id: 'o-2', currency: 'EUR' })]
    const { body: summary } = await app.record(orders, '?details=true')
    assert.deepEqual([summary.inserted, summary.skipped], [1, 1])
    assert.deepEqual(summary.results[0], {
      ...{ position: 0, key: 'o-1', verdict: 'currency', path: 'data[0].currency', error: NO_RATE },
    })
    const { body: unknown } = await app.predict(anOrder({ currency: 'euro' }))
    assert.deepEqual(unknown, {
      path: 'data.currency',
      error: 'expected an ISO 4217 currency code like EUR, got "euro"',
    })
  })

  test('an order counts at the rate of its program, keeps its currency and cannot change it, and the ledger verifies', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app, EUROS)
    const without = anOrder({ total_amount: '100', discount: '0' })
    const pounds = { ...without, currency: 'GBP' }
    assert.equal((await app.predict(pounds)).body.total_points, 117)
    await app.record([pounds])
    assert.equal((await app.record([without])).body.updated, 0, 'absent keeps what is recorded')
    const { body } = await app.predict({ ...pounds, currency: 'EUR' })
    assert.deepEqual(body, { path: 'data.currency', error: CHANGED })
    await publish(app, '{ decimals: 2, currency: EUR, rates: { GBP: "2" } }')
    assert.equal((await app.predict(pounds)).body.total_points, 117, 'the rate of its own version')
    assert.equal((await app.predict({ ...pounds, order_id: 'o-2' })).body.total_points, 200)
    const shown = await app.ask('GET', '/api/admin/orders/o-1')
    assert.deepEqual([shown.body.currency, shown.body.total, shown.body.points], ['GBP', '100', 117])
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('a program without a currency counts orders of any, as before', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ currency: 'USD' })])
    await publish(app, '{ decimals: 2 }')
    const orders = [anOrder({ order_id: 'o-2', currency: 'USD' }), anOrder({ order_id: 'o-3' })]
    const earned = await Promise.all(orders.map(async (order) => (await app.predict(order)).body.total_points))
    assert.deepEqual(earned, [1200, 1200])
  })
})
