import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { clean, give, redeem, show } from '../support/redeeming.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Pay with points
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1 } }]
redeem: { value: { points: 1, pays: 1 } }
`
const NOW = '2026-05-10T12:00:00.000Z'
const noonOn = (day: string) => `${day}T12:00:00.000Z`
const paid = (points: number | undefined, day: string, more: object = {}) =>
  anOrder({ total_amount: 100, discount: 0, products: [], points_redeemed: points, ordered_at: noonOn(day), ...more })

forEachService((openTestApp) => {
  /** Of u-1, who is given points at noon of some days. */
  const open = async (
    t: Parameters<typeof openTestApp>[0],
    given: Readonly<Record<string, number>> = {},
    source = PROGRAM,
  ) => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const app = await openTestApp(t, { now: () => new Date(clock.now) })
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    await app.upsertPlayers([aPlayer()])
    for (const [day, points] of Object.entries(given)) {
      clock.now = noonOn(day)
      assert.equal((await give(app, points)).status, 200)
    }
    clock.now = NOW
    return app
  }
  const refusalOf = async (app: TestApp, order: object) => {
    const { body } = await app.record([order], '?details=true')
    const [{ verdict, error } = {} as Record<string, string>] = body.results
    return [verdict, error]
  }
  const mostFor = async (app: TestApp, order: object) =>
    (await app.predict(order, '?explain=true')).body.explanation.balance.redeemable.most
  const spendings = async (app: TestApp) =>
    (await show(app)).entries
      .filter(({ kind }: { kind: string }) => kind === 'redemption')
      .map(({ points, spent_on }: Record<string, unknown>) => [points, spent_on])
      .reverse()

  test('an order dated back redeems at most what was there on each day since, and a prediction says the same number (decision 139)', async (t) => {
    const app = await open(t, { '2026-05-01': 50, '2026-05-06': 70 })
    assert.equal((await app.record([paid(40, '2026-05-03', { order_id: 'o-3' })])).body.inserted, 1)
    // 100 days ago there was nothing.
    const long = '2026-01-30'
    assert.equal(await mostFor(app, paid(undefined, long)), 0)
    const fewer = 'fewer were available on a date since the order date; 140 are available for an order placed today'
    assert.deepEqual(await refusalOf(app, paid(60, long)), [
      'insufficient-points',
      `expected at most 0 points: ${fewer}`,
    ])
    // On 4 May there were 10 of the first 50, and 60 that the order of 3 May earned.
    assert.equal(await mostFor(app, paid(undefined, '2026-05-02')), 50)
    assert.equal(await mostFor(app, paid(undefined, '2026-05-04', { total_amount: 500 })), 70)
    const tooMany = paid(71, '2026-05-04')
    const predicted = await app.predict(tooMany)
    assert.equal(predicted.status, 400)
    assert.equal((await refusalOf(app, tooMany))[0], 'insufficient-points')
    assert.equal((await app.record([paid(70, '2026-05-04')])).body.inserted, 1)
    await clean(app)
  })

  test('an order dated back cannot be paid with the points that it earns (decision 139)', async (t) => {
    const app = await open(t)
    const [verdict] = await refusalOf(app, paid(60, '2026-01-30', { total_amount: 1_000 }))
    assert.equal(verdict, 'insufficient-points')
    assert.equal((await app.record([paid(0, '2026-01-30', { total_amount: 1_000 })])).body.inserted, 1)
    assert.equal((await refusalOf(app, paid(60, '2026-01-30', { total_amount: 1_000 })))[0], 'insufficient-points')
  })

  test('an order that gave back a part of a step moves to a day that had exactly enough for the rest (decision 139)', async (t) => {
    const stepped = PROGRAM.replace('pays: 1 } }', 'pays: 1 }, step: 10 }')
    const app = await open(t, { '2026-05-01': 58, '2026-05-06': 70 }, stepped)
    assert.equal((await app.record([paid(100, '2026-05-08')])).body.inserted, 1)
    assert.equal((await app.record([paid(58, '2026-05-08')])).body.updated, 1)
    assert.equal((await app.record([paid(58, '2026-05-02')])).body.updated, 1)
    await clean(app)
  })

  test('a cancelled order that names its hold and no points gives all back (decision 139)', async (t) => {
    const app = await open(t, { '2026-05-01': 60 })
    assert.equal((await redeem(app, { id: 'h-1', points: 50, hold: true })).status, 200)
    const held = { redemption_id: 'h-1' }
    assert.equal((await app.record([paid(50, '2026-05-10', { ...held, ordered_at: NOW })])).body.inserted, 1)
    const cancelled = paid(undefined, '2026-05-10', { ...held, ordered_at: NOW, status: 'cancelled' })
    const { body, text } = await app.record([cancelled], '?details=true')
    assert.equal(body.updated, 1, text)
    assert.deepEqual(
      (await spendings(app)).map(([points]: unknown[]) => points),
      [-50, 50],
    )
    const unsaid = await app.record([paid(undefined, '2026-05-10', { ...held, order_id: 'o-2' })], '?details=true')
    assert.equal(unsaid.body.skipped, 1, unsaid.text)
    await clean(app)
  })

  test('without points_redeemed an order redeems what is recorded; 0 gives it back, as cancelling does for good (decision 139)', async (t) => {
    const app = await open(t, { '2026-05-01': 100 })
    await app.record([paid(60, '2026-05-02')])
    const day = '2026-05-02'
    const { token } = (
      await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'shop', scopes: ['orders'] } } })
    ).body
    const updated = await app.ask('POST', '/api/integration/orders', {
      body: { data: [paid(undefined, day, { total_qty: 3 })] },
      headers: { token },
    })
    assert.deepEqual([updated.body.updated, (await show(app)).points], [1, 80], updated.text)
    assert.equal((await app.predict(paid(undefined, day, { total_qty: 3 }))).body.total_points, 40)
    assert.equal((await app.record([paid(undefined, day, { total_qty: 3 })])).body.skipped, 1)
    await app.record([paid(0, day)])
    assert.equal((await show(app)).points, 200)
    await app.record([paid(60, day)])
    await app.record([paid(undefined, day, { status: 'cancelled' })])
    assert.equal((await show(app)).points, 100)
    assert.equal(
      (await app.record([paid(60, day, { status: 'cancelled' })])).body.skipped,
      1,
      'a cancelled order redeems none',
    )
    await app.record([paid(undefined, day)])
    assert.equal((await show(app)).points, 200)
    await clean(app)
  })

  test('the spending of an order moves with it, if the points are there on the new day; entries show the day (decision 139)', async (t) => {
    const app = await open(t, { '2026-05-01': 100, '2026-05-06': 70 })
    await app.record([paid(60, '2026-05-02')])
    await app.record([paid(60, '2026-05-04')])
    assert.deepEqual(await spendings(app), [
      [-60, '2026-05-02'],
      [60, '2026-05-02'],
      [-60, '2026-05-04'],
    ])
    const [verdict, error] = await refusalOf(app, paid(60, '2026-04-30'))
    assert.deepEqual([verdict, /^expected at most 0 points/.test(error ?? '')], ['insufficient-points', true])
    assert.equal((await refusalOf(app, paid(undefined, '2026-04-30')))[0], 'insufficient-points')
    // A cancellation never is refused; placed again, the order spends today's points, and keeps to that day.
    await app.record([paid(undefined, '2026-04-30', { status: 'cancelled' })])
    await app.record([paid(60, '2026-04-30')])
    await app.record([paid(60, '2026-05-03')])
    assert.deepEqual((await spendings(app)).slice(3), [
      [60, '2026-05-04'],
      [-60, '2026-05-10'],
      [60, '2026-05-10'],
      [-60, '2026-05-10'],
    ])
    await clean(app)
  })

  test('an order that uses a hold spends on the day of the hold, and a prediction says how much it may redeem (decision 139)', async (t) => {
    const app = await open(t, { '2026-05-09': 100 })
    await redeem(app, { id: 'r-1', points: 30, hold: true })
    const order = (points: number) => paid(points, '2026-05-08', { redemption_id: 'r-1' })
    assert.equal(await mostFor(app, order(30)), 100)
    assert.equal((await app.record([order(30)])).body.inserted, 1)
    assert.deepEqual(await spendings(app), [[-30, '2026-05-10']])
    await clean(app)
  })
})
