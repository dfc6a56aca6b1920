import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { COMPARE_AFTER_MS } from '../../src/resources/prediction-log/comparisons.ts'
import { SAMPLE_MAX } from '../../src/resources/prediction-log/prediction-log.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, type OpenTestApp, openTestApp, type TestApp } from '../support/test-app.ts'

const START = Date.parse('2026-06-01T12:00:30.000Z')
const MINUTE_MS = 60_000

type Figure = Readonly<{ measure: string; key: string; n: number; points: string; quality: string }>

async function openWithClock(t: Parameters<OpenTestApp>[0], open: OpenTestApp) {
  const clock = { ms: START }
  const app = await open(t, { now: () => new Date(clock.ms) })
  return {
    app,
    /** Advances the clock, and writes the counts. */
    pass: async (ms: number) => {
      clock.ms += ms
      await app.service.deps.predictions.flush()
      await app.service.deps.activity.flush()
    },
  }
}

async function tokenFor(app: TestApp, name: string, scope: string): Promise<{ id: string; token: string }> {
  return (await app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes: [scope] } } })).body
}

forEachService((openTestApp, driver) => {
  test('all unknown products of an order and of a prediction are counted, also those beyond its 20 notes', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    await app.upsertPlayers([aPlayer()])
    const skus = Array.from({ length: 25 }, (_, n) => `mug-${n + 10}`)
    const order = anOrder({ products: skus.map((product_sku_id) => ({ product_sku_id, amount: 100 })) })
    assert.equal((await app.predict(order)).status, 200)
    await app.record([order])
    await pass(1_000)
    const { products } = (await app.ask('GET', '/api/admin/statistics/unknown-products')).body
    assert.deepEqual(
      products.map(({ sku, orders, predictions }: Record<string, unknown>) => `${sku} ${orders} ${predictions}`).sort(),
      skus.map((sku) => `${sku} 1 1`),
    )
  })

  test('products named by orders or predictions and missing from the catalogue are counted until it has them (decision 126)', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    await app.upsertPlayers([aPlayer()])
    await app.upsertProducts([aProduct({ product_sku_id: 'tea' })])
    const line = (product_sku_id?: string) => ({ product_sku_id, amount: 100 })
    const order = (order_id: string, ...skus: (string | undefined)[]) => anOrder({ order_id, products: skus.map(line) })
    const listed = async () => (await app.ask('GET', '/api/admin/statistics/unknown-products')).body
    assert.deepEqual(await listed(), { as_of: new Date(START).toISOString(), products: [] })

    await app.record([order('o-1', 'mug', 'mug', 'tea', undefined), order('o-2', 'mug', '<b>')])
    await pass(6_000)
    for (let times = 0; times < 3; times += 1) assert.equal((await app.predict(order('o-3', 'cup', 'mug'))).status, 200)
    // None of these counts: dry runs, simulations, refused orders, and later states.
    await app.ask('POST', '/api/integration/orders?dry_run=true', { body: { data: [order('o-4', 'pot')] } })
    await app.ask('POST', '/api/admin/simulations', { body: { data: { order: order('o-4', 'pot') } } })
    await app.record([order('o-5', 'pot', '')])
    await app.record([
      order('o-1', 'mug', 'mug', 'tea', undefined),
      { ...order('o-2', 'mug', 'pan'), status: 'returned' },
    ])
    await pass(6_000)
    const named = (
      sku: string,
      orders: number,
      predictions: number,
      first: number,
      last: number,
      order_id: unknown,
    ) => ({
      sku,
      orders,
      predictions,
      first_named_at: new Date(START + first).toISOString(),
      last_named_at: new Date(START + last).toISOString(),
      order_id,
      quality: 'counted',
    })
    const [mug, cup, bold] = [
      named('mug', 2, 3, 0, 6_000, 'o-2'),
      named('cup', 0, 3, 6_000, 6_000, null),
      named('<b>', 1, 0, 0, 0, 'o-2'),
    ]
    assert.deepEqual((await listed()).products, [mug, cup, bold])
    const csv = await app.ask('GET', '/api/admin/statistics/unknown-products?limit=1', {
      headers: { accept: 'text/csv' },
    })
    assert.match(csv.text, /^sku,orders,predictions,first_named_at,last_named_at,order_id,quality\r\nmug,2,3,2026-/)
    await app.upsertProducts([aProduct({ product_sku_id: 'mug' })])
    await pass(6_000)
    assert.deepEqual((await listed()).products, [cup, bold])
    await app.service.deps.activity.sweep()
    assert.deepEqual(await app.query('select sku from unknown_products order by 1'), [{ sku: '<b>' }, { sku: 'cup' }])
    await pass(89 * 86_400_000)
    await app.record([order('o-6', 'cup')])
    await pass(2 * 86_400_000)
    await app.service.deps.activity.sweep()
    assert.deepEqual(await app.query('select sku, orders from unknown_products'), [{ sku: 'cup', orders: 1 }])
    for (const query of ['limit=0', 'limit=501', 'x=1'])
      assert.equal((await app.ask('GET', `/api/admin/statistics/unknown-products?${query}`)).status, 400)
  })

  test('predictions that differ within one second are one figure, with the sum of their points', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    for (const points of [10n, -4n])
      app.service.deps.activity.countPredictions({ measure: 'differed', program: 1, key: 'order', n: 1, points })
    await pass(1_000)
    const [figure] = (await app.ask('GET', '/api/admin/statistics/predictions')).body.lines
    assert.deepEqual([figure.measure, figure.n, figure.points], ['differed', 2, '6'])
  })

  test('at most 200 unknown products a second are counted and 5,000 kept, and a sweep makes room for newer ones (decision 126)', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    const { activity } = app.service.deps
    const count = async (skus: string[]) => {
      activity.countUnknownProducts(skus)
      await pass(1_000)
      return (await app.query('select sku from unknown_products')).length
    }
    assert.equal(await count(Array.from({ length: 300 }, (_, index) => `sku ${index}`)), 200)
    await app.query(`insert into unknown_products
      select 'old ' || n, 1, 0, now(), '2026-01-01'::timestamptz + n * interval '1 second' from generate_series(1, 4800) n`)
    assert.equal(await count(['new', 'old 1', 'sku 7']), 5_000)
    assert.deepEqual(
      await app.query("select predictions from unknown_products where sku in ('old 1', 'sku 7') order by sku"),
      [{ predictions: 1 }, { predictions: 2 }],
    )
    await app.query(
      "update unknown_products set last_named_at = last_named_at + interval '149 days' where sku like 'old %'",
    )
    await activity.sweep()
    assert.equal(await count(['new']), 4_001)
    const kept = await app.query(
      "select sku from unknown_products where sku in ('sku 7', 'old 2', 'old 4800', 'new') order by 1",
    )
    assert.deepEqual(
      kept.map(({ sku }) => sku),
      ['new', 'old 4800', 'sku 7'],
    )
  })

  test('sources show what each token sends, how much of it changed something, how often and when it last succeeded, and why records were refused, without the data sent', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    const { id, token } = await tokenFor(app, 'shop', 'players')
    const send = (data: unknown, query = '') =>
      app.ask('POST', `/api/integration/players${query}`, { headers: { token }, body: { data } })
    await send([
      aPlayer(),
      aPlayer({ User_id: 'u-2', DOB: '31-02-1990' }),
      aPlayer({ User_id: 'u-3', Name: undefined }),
    ])
    await send([aPlayer({ User_id: 'u-4' })], '?dry_run=true')
    await pass(20_000)
    await send([aPlayer(), aPlayer({ Name: 'Renamed' }), aPlayer({ Name: 'Renamed' })])
    await pass(8 * MINUTE_MS)
    await send([aPlayer({ User_id: 'u-5', DOB: '32-01-1990' }), 'CANARY'])
    await pass(8 * MINUTE_MS)
    await send([aPlayer({ User_id: 'u-6' })])
    await pass(1)
    const { body } = await app.ask('GET', '/api/admin/sources')
    const counts = { requests: 4, inserted: 2, updated: 3, skipped: 4, refused: 4, changed: 1, unchanged: 2 }
    const source = { record_type: 'players', token: id, token_name: 'shop', quality: 'counted' }
    assert.deepEqual(body.sources, [
      {
        ...source,
        usual_gap_ms: 16 * MINUTE_MS,
        ...counts,
        last_good_at: new Date(START + 20_000 + 16 * MINUTE_MS).toISOString(),
      },
    ])
    const refusals = await app.ask('GET', '/api/admin/sources/players/refusals')
    const days = { first_day: '2026-06-01', last_day: '2026-06-01', quality: 'counted' }
    assert.deepEqual(refusals.body.refusals, [
      { field: 'DOB', kind: 'a date that exists, DD-MM-YYYY', n: 2, ...days },
      { field: '', kind: 'an object', n: 1, ...days },
      { field: 'Name', kind: 'required', n: 1, ...days },
    ])
    const stored = await app.query('select * from feed_days')
    assert(!/1990|CANARY/.test(JSON.stringify(stored)))
    const next = await app.ask('GET', '/api/admin/sources?from=2026-06-02&to=2026-06-02')
    assert.deepEqual(next.body.sources[0].requests, 0)
    assert.equal((await app.ask('GET', '/api/admin/sources/cats/refusals')).status, 404)
    for (const _ of [1, 2]) await app.upsertProducts([aProduct({ product_sku_id: 'tea' })])
    await pass(MINUTE_MS)
    const [, products] = (await app.ask('GET', '/api/admin/sources')).body.sources
    const { inserted, updated, skipped, refused, changed, unchanged } = products
    assert.deepEqual([inserted, updated, skipped, refused, changed, unchanged], [1, 0, 1, 0, 0, 1])
  })

  test('predictions are counted by token, and those that did not come true by reason', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    const { id, token } = await tokenFor(app, 'till', 'predict')
    await app.upsertPlayers([aPlayer()])
    const order = (order_id: string, total_amount = 1000) => anOrder({ order_id, total_amount, products: [] })
    const predict = (one: object) =>
      app.ask('POST', '/api/predictions/orders', { headers: { token }, body: { data: one } })
    for (const one of ['o-1', 'o-2']) await predict(order(one))
    await pass(1_000)
    await app.record([order('o-1'), order('o-2', 900), order('o-3')])
    await pass(1_000)
    await app.record([order('o-1', 500)]) // A later change is not compared.
    await pass(COMPARE_AFTER_MS + 1_000)
    const figures: Figure[] = (await app.ask('GET', '/api/admin/statistics/predictions')).body.lines
    assert.deepEqual(
      figures.map(({ measure, key, n, points, quality }) => [measure, key, n, points, quality]),
      [
        ['asked-kept', id, 2, '0', 'counted'],
        ['came-true', '', 1, '0', 'counted'],
        ['differed', 'player+order', 1, '10', 'counted'],
        ['none-kept', '', 1, '0', 'counted'],
      ],
    )
    const { deviations } = (await app.ask('GET', '/api/admin/deviations')).body
    const told = { told_points: 100, told_level: 'Bronze', told_program: 1 }
    assert.deepEqual(deviations, [
      {
        ...{ order_id: 'o-2', user_id: 'u-1', recorded_at: new Date(START + 1_000).toISOString() },
        ...{ reasons: 'player+order', ...told, recorded_points: 90, recorded_level: 'Bronze', recorded_program: 1 },
      },
    ])
    await pass(100 * 86_400_000)
    await app.service.deps.predictions.sweep()
    assert.deepEqual(await app.query('select * from differed_predictions'), [])
    await pass(-100 * 86_400_000)
    const { body } = await app.ask('GET', '/api/admin/statistics/summary')
    const figure = (name: string) => body.figures.find((one: { figure: string }) => one.figure === name)
    assert.deepEqual(
      ['asked', 'came-true', 'differed'].map((name) => [figure(name).n, figure(name).points, figure(name).quality]),
      [
        [2, null, 'counted'],
        [1, null, 'counted'],
        [1, '10', 'counted'],
      ],
    )
    assert.deepEqual(
      (await verifyLedger(app.service.db, () => undefined)).differences,
      [],
      'these are not derived from entries',
    )
  })

  test('the predictions made to a player are listed by page, each with its outcome', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    const { id, token } = await tokenFor(app, 'till', 'predict')
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
    const order = (order_id: string, total_amount = 1000) => anOrder({ order_id, total_amount, products: [] })
    const predict = async (one: object) => {
      await app.ask('POST', '/api/predictions/orders', { headers: { token }, body: { data: one } })
      await pass(1_000)
    }
    for (const one of [order('o-1'), order('o-2', 1), order('o-2'), order('o-3'), order('o-4')]) await predict(one)
    await predict(anOrder({ order_id: 'o-9', user_id: 'u-2' }))
    await app.record([order('o-1'), order('o-2', 900)])
    await pass(1_000)
    await predict(order('o-1', 500))
    await pass(2 * COMPARE_AFTER_MS)
    await app.record([order('o-3', 700)])
    const listed: object[] = []
    for (let after = ''; ; ) {
      const query = `limit=2${after === '' ? '' : `&after=${after}`}`
      const { body } = await app.ask('GET', `/api/admin/players/u-1/predictions?${query}`)
      listed.push(...body.predictions)
      if (body.after === null) break
      after = body.after
    }
    const found = listed as Readonly<Record<string, unknown>>[]
    assert.deepEqual(
      found.map(({ order_id, points, outcome, reasons, recorded_points }) => [
        ...[order_id, points, outcome, reasons, recorded_points],
      ]),
      [
        ['o-4', 100, 'not-recorded', null, null],
        ['o-3', 100, 'not-compared', null, null],
        ['o-2', 100, 'differed', 'player+order', 90],
        ['o-2', 0, 'asked-again', null, null],
        ['o-1', 50, 'recorded-before', null, null],
        ['o-1', 100, 'came-true', null, null],
      ],
    )
    assert(found.every(({ by, program }) => by === id && program === 1))
    for (const after of [
      'x',
      'eA',
      Buffer.from(`2026-06-01T12:00:00.000Z${'a'.repeat(36)}o-1`).toString('base64url'),
      Buffer.from(`2026-02-30T12:00:00.000Z${randomUUID()}o-1`).toString('base64url'),
    ]) {
      const refused = await app.ask('GET', `/api/admin/players/u-1/predictions?after=${after}`)
      assert.deepEqual([refused.status, refused.body.path], [400, 'query.after'])
    }
  })

  test('the answering process reports its start, its memory in use, and the limit (decision 127)', async (t) => {
    const { app } = await openWithClock(t, openTestApp)
    const { started_at, heap, database_heap, retries } = (await app.ask('GET', '/api/admin/service')).body.process
    assert.deepEqual([started_at, retries], [new Date(START).toISOString(), 0])
    assert(heap.bytes > 1_000_000 && heap.bytes < heap.max_bytes)
    if (driver === 'postgres') assert.equal(database_heap, null)
    else assert(database_heap.bytes > 1_000_000 && database_heap.bytes < database_heap.max_bytes)
  })

  test('requests are counted by route, status and duration, per minute and per hour', async (t) => {
    const { app, pass } = await openWithClock(t, openTestApp)
    const { countResponse } = app.service.deps.activity
    const response = { method: 'GET', route: '/x', status: 200, durationMs: 0.5 }
    for (let index = 0; index < 98; index += 1) countResponse(response)
    countResponse({ ...response, durationMs: 7, status: 400 })
    countResponse({ ...response, durationMs: 60_000, status: 500 })
    await pass(MINUTE_MS)
    countResponse({ ...response, durationMs: 1, status: 503 })
    await pass(1)
    for (const query of ['minutes=2', 'hours=1']) {
      const { body } = await app.ask('GET', `/api/admin/service?${query}`)
      const { counts, ...route } = body.routes.find((one: { route: string }) => one.route === 'GET /x')
      const figures = { n: 101, invalid: 1, refused: 1, failed: 1, p50_ms: 1, p95_ms: 1, p99_ms: 10 }
      assert.deepEqual(route, { route: 'GET /x', ...figures })
      assert.deepEqual([counts[0], counts[3], counts.at(-1)], [99, 1, 1])
      assert.deepEqual(
        body.times.map(({ at, n }: { at: string; n: number }) => [at, n >= 1]),
        query === 'hours=1'
          ? [['2026-06-01T12:00:00.000Z', true]]
          : [
              ['2026-06-01T12:00:00.000Z', true],
              ['2026-06-01T12:01:00.000Z', true],
            ],
      )
    }
    for (const query of ['minutes=0', 'minutes=-1', 'hours=1&minutes=-1', 'hours=2161', 'minutes=x']) {
      const { status, body } = await app.ask('GET', `/api/admin/service?${query}`)
      assert.deepEqual([status, body.path], [400, `query.${query.split('&').at(-1)!.split('=')[0]}`])
    }
    await pass(91 * 86_400_000)
    await app.service.deps.activity.sweep()
    assert.deepEqual(await app.query("select * from service_times where starts < '2026-08-01'"), [])
  })
})

test('beyond 200 predictions a second the statistics say how many were left out, and that outcomes are sampled', async (t) => {
  const { app, pass } = await openWithClock(t, openTestApp)
  await app.upsertPlayers([aPlayer()])
  const order = anOrder({ products: [] })
  const responses = await Promise.all(Array.from({ length: SAMPLE_MAX + 5 }, () => app.predict(order)))
  assert(responses.every(({ status }) => status === 200))
  await pass(1_000)
  await app.record([order])
  await pass(COMPARE_AFTER_MS + 1_000)
  const figures: Figure[] = (await app.ask('GET', '/api/admin/statistics/predictions')).body.lines
  assert.deepEqual(
    figures.map(({ measure, n, quality }) => [measure, n, quality]),
    [
      ['asked-kept', SAMPLE_MAX, 'counted'],
      ['asked-left-out', 5, 'counted'],
      ['came-true', 1, 'sampled'],
    ],
  )
})
