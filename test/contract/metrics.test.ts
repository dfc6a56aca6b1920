import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMPARE_AFTER_MS } from '../../src/resources/prediction-log/comparisons.ts'
import { sumBalances } from '../../src/resources/statistics/sum-balances.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

const metricsOf = async (app: TestApp) => {
  const { text } = await app.ask('GET', '/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('laurel_'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

forEachService((openTestApp) => {
  test('metrics show points issued, taken back and spent, booked balances, why orders earned nothing, and whether predictions came true', async (t) => {
    let ms = Date.parse('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => new Date(ms) })
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'TWO' })])
    const order = (order_id: string, total_amount: number) => anOrder({ order_id, total_amount, products: [] })
    await app.predict(order('o-1', 1000))
    ms += 1_000
    await app.service.deps.predictions.flush()
    await app.record([order('o-1', 1000), order('o-2', 0), order('o-3', 5)])
    await app.record([order('o-1', 1000)], '?dry_run=true')
    await app.record([order('o-1', 400)])
    await app.ask('POST', '/api/players/u-2/adjustments', {
      body: { data: { id: 'a', points: -7, counts: false, reason: 'r' } },
    })
    ms += COMPARE_AFTER_MS + 1_000
    await app.service.deps.predictions.flush()
    await sumBalances(app.service.deps)
    const metrics = await metricsOf(app)
    const expected = {
      'laurel_points_issued_total{kind="order"}': 100,
      'laurel_points_issued_total{kind="adjustment"}': 0,
      'laurel_points_taken_back_total{kind="order"}': 60,
      laurel_points_spent_total: 7,
      laurel_orders_recorded_total: 3,
      'laurel_orders_earning_nothing_total{reason="nothing-paid"}': 1,
      'laurel_orders_earning_nothing_total{reason="rounded-away"}': 1,
      'laurel_promises_total{outcome="came-true"}': 1,
      'laurel_promises_total{outcome="none-kept"}': 2,
      laurel_booked_balance_points: 40,
      laurel_booked_debts_points: -7,
    }
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, metrics.get(name)])), expected)
  })
})

test('metrics show points redeemed and given back, redemptions by state, and refusals by reason', async (t) => {
  const app = await openTestApp(t)
  const source = `name: P
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: []
redeem: { value: { points: 1, pays: 1 }, step: 10 }`
  await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  await app.upsertPlayers([aPlayer()])
  const post = (path: string, data: object) => app.ask('POST', `/api/players/u-1/${path}`, { body: { data } })
  await post('adjustments', { id: 'g', points: 300, counts: false, reason: 'r' })
  for (const [id, hold] of [
    ['a', true],
    ['b', true],
    ['c', false],
  ] as const)
    await post('redemptions', { id, points: 50, hold, reason: 'r' })
  await post('redemptions/a/confirm', { points: 20 })
  await post('redemptions/a/confirm', { points: 20 })
  await post('redemptions/c/void', { reason: 'r' })
  await post('redemptions', { id: 'd', points: 15, reason: 'r' })
  const paid = (order_id: string, points_redeemed: number, more = {}) =>
    anOrder({ order_id, total_amount: 1000, products: [], points_redeemed, ...more })
  const orders = [paid('o-1', 50, { redemption_id: 'b' }), paid('o-2', 1000), paid('o-3', 5)]
  await app.record(orders, '?dry_run=true')
  await app.record(orders)
  await app.record(orders.slice(0, 1))
  const metrics = await metricsOf(app)
  const expected = {
    laurel_points_redeemed_total: 120,
    laurel_points_given_back_total: 50,
    'laurel_redemptions_total{state="held"}': 2,
    'laurel_redemptions_total{state="confirmed"}': 2,
    'laurel_redemptions_total{state="used"}': 1,
    'laurel_redemptions_total{state="voided"}': 1,
    'laurel_redemptions_total{state="lapsed"}': 0,
    'laurel_redemptions_refused_total{reason="step"}': 2,
    'laurel_redemptions_refused_total{reason="not-enough"}': 1,
    'laurel_redemptions_refused_total{reason="hold"}': 0,
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, metrics.get(name)])), expected)
})

test('every labelled counter is exported as 0 from the start', async (t) => {
  const metrics = await metricsOf(await openTestApp(t))
  for (const name of [
    'laurel_points_issued_total{kind="referral"}',
    'laurel_points_taken_back_total{kind="order"}',
    'laurel_orders_earning_nothing_total{reason="ceiling"}',
    'laurel_promises_total{outcome="differed"}',
    'laurel_predictions_total{fate="dropped"}',
    'laurel_predictions_compared_total{outcome="came-true"}',
    'laurel_predictions_differed_total{reasons="unexplained"}',
    'laurel_records_total{noun="orders",record_type="orders",verdict="inserted"}',
  ])
    assert.equal(metrics.get(name), 0, name)
})
