import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import project from '../../package.json' with { type: 'json' }
import { COMPARE_AFTER_MS } from '../../src/resources/prediction-log/comparisons.ts'
import { sumBalances } from '../../src/resources/statistics/sum-balances.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

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
    'laurel_store_retries_total{reason="conflict"}',
  ])
    assert.equal(metrics.get(name), 0, name)
})

forEachService((openTestApp, driver) => {
  test('metrics show version and database, connections in use and awaited, requests in flight and the memory of their bodies', async (t) => {
    const app = await openTestApp(t, { env: { BODIES_BYTES_MAX: String(2 ** 24) } })
    const idle = await metricsOf(app)
    const version = `laurel_build_info{version="${project.version}",database="${driver}"}`
    assert.deepEqual([idle.get(version), idle.get('laurel_body_bytes_max')], [1, 2 ** 24])
    const max = idle.get('laurel_database_connections_max')!
    assert(driver === 'pglite' ? max === 1 : max > 1)
    const isIdle = async () => isDeepStrictEqual(await sizesOf(app), { used: 0, waiting: 0, inFlight: 1, bytes: 0 })
    await eventually('nothing is in progress but the question itself', isIdle)

    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const soon = performance.now() + 60_000
    const holding = Array.from({ length: max }, () => app.service.db.transaction(() => isOver, soon))
    const waiting = app.service.db.read('select 1 as one', [], soon)
    const length = 2 ** 20
    const upload = request(`${app.url}/api/integration/players`, {
      method: 'POST',
      headers: { token: app.service.ownToken, 'content-type': 'application/json', 'content-length': length },
    })
    upload.on('error', () => undefined).write(`{"data":[${' '.repeat(length / 2)}`)
    await eventually('all of it is shown', async () => {
      const sizes = await sizesOf(app)
      // Background work may wait, too.
      return sizes.used === max && sizes.waiting! >= 1 && sizes.inFlight === 2 && sizes.bytes! >= length / 2
    })
    end()
    upload.destroy()
    await Promise.all([...holding, waiting])
    await eventually('nothing of it is left', isIdle)
  })
})

async function sizesOf(app: TestApp) {
  const metrics = await metricsOf(app)
  return {
    used: metrics.get('laurel_database_connections_used'),
    waiting: metrics.get('laurel_database_connections_waiting'),
    inFlight: metrics.get('laurel_http_requests_in_flight'),
    bytes: metrics.get('laurel_body_bytes'),
  }
}
