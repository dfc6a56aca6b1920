import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const source = (decimals?: number) => `name: Test
${decimals === undefined ? '' : `money: { decimals: ${decimals} }`}
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1 } }]`

const publish = async (app: TestApp, decimals?: number) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', {
    body: { data: { source: source(decimals) } },
  })
  assert.equal(status, 200, text)
}
const predicted = async (app: TestApp, order: object) => {
  const { body } = await app.predict(anOrder(order))
  return body.total_points ?? body.path
}
const recorded = async (app: TestApp, ...orders: object[]) => {
  const { body } = await app.record(orders.map(anOrder), '?details=true')
  assert(body.results, JSON.stringify(body))
  return [body.inserted, body.updated, ...body.results.map(({ path }: { path?: string }) => path ?? 'unchanged')]
}

forEachService((openTestApp) => {
  test('amounts are whole numbers of up to 16 digits unless the program allows decimals (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    for (const field of ['total_amount', 'discount'])
      for (const written of ['1200.00', '1200.5', 0.5]) {
        const { status, body } = await app.predict(anOrder({ [field]: written }))
        assert.deepEqual([status, body.path], [400, `data.${field}`], String(written))
      }
    assert.equal(await predicted(app, { total_amount: '9007199254740991' }), 900_719_925_474_099)
    const { body } = await app.predict(anOrder({ total_amount: '1200.50' }))
    const why =
      "expected no more decimal places than the program's money.decimals, got 1200.50: publish a program with money: { decimals: 2 }"
    assert.equal(body.error, why)
    const { body: summary } = await app.record([anOrder({ total_amount: '1200.50' })], '?details=true')
    assert.deepEqual(summary.results, [
      { position: 0, key: 'o-1', verdict: 'invalid', path: 'data[0].total_amount', error: why },
    ])
  })

  test('a program can allow up to four decimals in amounts, but not in total_qty (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app, 2)
    assert.equal(await predicted(app, { total_amount: '100.50', discount: '0.5' }), 100)
    assert.equal(await predicted(app, { total_amount: 99.99 }), 99)
    assert.equal(await predicted(app, { total_amount: '100.505' }), 'data.total_amount')
    assert.equal(await predicted(app, { discount: '100.505' }), 'data.discount')
    assert.equal(await predicted(app, { total_qty: '1.5' }), 'data.total_qty')
    const ids = { order_id: 'o-2' }
    assert.deepEqual(await recorded(app, { total_amount: '10.25' }, { ...ids, discount: '0.125' }), [
      1,
      0,
      'data[1].discount',
    ])
    await publish(app, 4)
    assert.equal(await predicted(app, { total_amount: '100.5050' }), 100)
    assert.equal(await predicted(app, { total_amount: '100.50501' }), 'data.total_amount')
  })

  test('orders with cents can still be cancelled once the program allows none; new ones are refused (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const old = { order_id: 'old', total_amount: '12.75' }
    await publish(app, 2)
    assert.deepEqual(await recorded(app, old, { order_id: 'bad', total_amount: '1.234' }), [
      1,
      0,
      'data[1].total_amount',
    ])
    await publish(app)
    assert.equal(await predicted(app, { ...old, status: 'cancelled' }), 0)
    assert.equal(await predicted(app, { ...old, order_id: 'new' }), 'data.total_amount')
    assert.equal(await predicted(app, { ...old, total_amount: '12.755' }), 'data.total_amount')
    assert.deepEqual(
      await recorded(app, { ...old, status: 'cancelled' }, { ...old, order_id: 'new' }, { order_id: 'whole' }),
      [1, 1, 'data[1].total_amount'],
    )
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('an order recorded without decimals may get them if the version now in effect allows them (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app)
    await app.record([anOrder({ total_amount: '12' })])
    assert.equal(await predicted(app, { total_amount: '12.75' }), 'data.total_amount')
    await publish(app, 2)
    assert.equal(await predicted(app, { total_amount: '12.75' }), 12)
  })

  test('a recorded amount may be sent again however it is written (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app)
    await app.record([anOrder({ total_amount: '12' })])
    assert.deepEqual(await recorded(app, { total_amount: '12.00' }), [0, 0, 'unchanged'])
    assert.deepEqual(await recorded(app, { total_amount: '12.000', status: 'cancelled' }), [0, 1])
  })

  test('a state with too many decimals is ignored: the others are taken as if it had not been sent (decision 69)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ total_amount: '12' })])
    const wrong = { total_amount: '15.00', state_version: 9 }
    assert.deepEqual(await recorded(app, { total_amount: '13' }, wrong), [0, 1, 'data[1].total_amount'])
    assert.deepEqual(await recorded(app, wrong, { total_amount: '13' }), [0, 0, 'data[0].total_amount', 'unchanged'])
    assert.deepEqual(await recorded(app, { total_amount: '14' }, wrong, { total_amount: '13' }), [
      0,
      0,
      'unchanged',
      'data[1].total_amount',
      'unchanged',
    ])
  })
})
