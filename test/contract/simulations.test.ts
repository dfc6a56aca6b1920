/*
 * Orders that are only asked about: the console's "Simulator".
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

const simulate = (app: TestApp, data: unknown) => app.ask('POST', '/api/admin/simulations', { body: { data } })

/** Twice the points of the starter program. */
const DOUBLE = STARTER_PROGRAM.replace(/^name: .*$/m, 'name: Double').replace(/points: 1,/, 'points: 2,')

forEachService((openTestApp) => {
  test('a simulation gives the same answer as a prediction, and nothing is stored (decision 104)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'friend', Refercode: 'FRIEND' })])
    await app.upsertProducts([aProduct()])
    await app.record([anOrder({ order_id: 'o-1' })])
    for (const order of [
      anOrder(),
      anOrder({ order_id: 'o-1', status: 'cancelled' }),
      anOrder({ order_id: 'o-2', user_id: 'new' }),
    ]) {
      const { body } = await simulate(app, { order })
      const { version, ...holds } = body.holds
      assert.deepEqual([version, body.compared], [1, null])
      await app.service.deps.predictions.flush()
      assert.deepEqual(await app.query('select count(*)::int as kept from predictions'), [{ kept: 0 }])
      assert.deepEqual(holds, (await app.predict(order, '?explain=true')).body)
      await app.service.deps.predictions.flushAll()
      await app.service.db.transaction((tx) => tx.query('delete from predictions'), performance.now() + 60_000)
    }
  })

  test('an order, recorded or not, is also computed under another version or program text', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const published = await app.ask('POST', '/api/admin/programs', {
      body: { data: { source: DOUBLE, from: '2099-01-01T00:00:00Z' } },
    })
    assert.equal(published.body.version, 2)
    await app.record([anOrder({ order_id: 'o-1', total_amount: 1000 })])
    for (const order of [{ user_id: 'u-1', total_amount: 1000 }, anOrder({ order_id: 'o-1', total_amount: 1000 })]) {
      for (const [under, version] of [
        [{ under_version: 2 }, 2],
        [{ under_source: DOUBLE }, null],
      ] as const) {
        const { status, body, text } = await simulate(app, { order, ...under })
        assert.equal(status, 200, text)
        const { holds, compared } = body
        assert.deepEqual([holds.version, holds.total_points, holds.explanation.program.name], [1, 100, 'Starter'])
        assert.deepEqual([compared.version, compared.total_points], [version, 200])
        assert.deepEqual(compared.explanation.program, { version: version ?? 0, name: 'Double' })
      }
    }
    assert.equal(
      (await simulate(app, { order: { user_id: 'u-1', total_amount: 5 }, under_version: 1 })).body.compared
        .total_points,
      0,
    )
  })
})

test('an invalid simulation is refused with the path of the fault', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder({ order_id: 'o-1' })])
  const order = { user_id: 'u-1', total_amount: 5 }
  const cases: readonly (readonly [data: unknown, path: string, error: RegExp])[] = [
    [{}, 'data.order', /^order is required/],
    [{ order: 5 }, 'data.order', /^expected an object/],
    [{ order: {} }, 'data.order.total_amount', /is required/],
    [{ order: { user_id: 'u-1', total_amount: -1 } }, 'data.order.total_amount', /^expected a number/],
    [{ order: { ...order, products: [{ qty: 'x' }] } }, 'data.order.products[0].qty', /^expected a non-negative/],
    [{ order: { ...order, user_id: 'u-2', order_id: 'o-1' } }, 'data.order.order_id', /belongs to another player/],
    [{ order, under_version: 9 }, 'data.under_version', /^program version 9 not found$/],
    [{ order, under_version: 'x' }, 'data.under_version', /^expected an integer/],
    [{ order, under_source: 'name: x\nearn: 5' }, 'data.under_source', /^line \d+, /],
    [{ order, under_source: 'name: [' }, 'data.under_source', /^line \d+, /],
    [
      { order, under_version: 1, under_source: DOUBLE },
      'data.under_version',
      /^under_version and under_source cannot be combined$/,
    ],
  ]
  for (const [data, path, error] of cases) {
    const { status, body } = await simulate(app, data)
    assert.deepEqual([status, body.path], [400, path], JSON.stringify(data))
    assert.match(body.error, error)
  }
})
