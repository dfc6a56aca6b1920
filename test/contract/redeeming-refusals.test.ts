import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Pay with points
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: []
redeem:
  value: { points: 100, pays: "1.00" }
  step: 10
  rewards: [{ name: cup, points: 15 }]
`
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/*
 * The player has 540 points. r-spent took 100 of them at once; r-part held 60, of which 40 were confirmed, so that 400 are left. r-used held 100 and
 * paid o-used; r-voided is voided, r-lapsed has lapsed with 400. r-held holds 50, and r-cup 15 for a cup: 235 can be spent. r-other belongs to u-2.
 */
const LEFT = { points: 235, held: 65 }

forEachService((openTestApp) => {
  const paid = (points_redeemed: unknown, more: object = {}) =>
    anOrder({ order_id: 'o-new', total_amount: 20, products: [], points_redeemed, ...more })
  const redeem = (app: TestApp, data: object, userId = 'u-1') =>
    app.ask('POST', `/api/players/${userId}/redemptions`, { body: { data: { reason: 'checkout', ...data } } })
  const act = (app: TestApp, id: string, verb: 'confirm' | 'void', data: object, userId = 'u-1') =>
    app.ask('POST', `/api/players/${userId}/redemptions/${id}/${verb}`, { body: { data } })

  const open = async (t: TestContext) => {
    const clock = { ms: Date.parse('2026-05-10T12:00:00.000Z') }
    const app = await openTestApp(t, { now: () => new Date(clock.ms) })
    const done = async (asked: ReturnType<TestApp['ask']>) => assert.equal((await asked).status, 200)
    await done(
      app.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM, from: '2026-01-01T00:00:00Z' } } }),
    )
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'TWO' })])
    for (const userId of ['u-1', 'u-2'])
      await done(
        app.ask('POST', `/api/players/${userId}/adjustments`, {
          body: { data: { id: 'g', points: 540, counts: false, reason: 'r' } },
        }),
      )
    await done(redeem(app, { id: 'r-lapsed', points: 400, hold: true }))
    clock.ms += 20 * MINUTE_MS
    await done(redeem(app, { id: 'r-spent', points: 100 }))
    await done(redeem(app, { id: 'r-part', points: 60, hold: true }))
    await done(act(app, 'r-part', 'confirm', { points: 40 }))
    await done(redeem(app, { id: 'r-used', points: 100, hold: true }))
    await app.record([paid(100, { order_id: 'o-used', redemption_id: 'r-used' })])
    await done(redeem(app, { id: 'r-voided', points: 30, hold: true }))
    await done(act(app, 'r-voided', 'void', { reason: 'r' }))
    await done(redeem(app, { id: 'r-held', points: 50, hold: true, order_id: 'o-held' }))
    await done(redeem(app, { id: 'r-cup', reward: 'cup', hold: true }))
    await done(redeem(app, { id: 'r-other', points: 500, hold: true }, 'u-2'))
    return { app, clock }
  }
  /** Everything stored about the player's points. */
  const kept = async (app: TestApp, userId = 'u-1') => {
    const { entries, points, held, booked } = (await app.ask('GET', `/api/players/${userId}`)).body
    const { redemptions } = (await app.ask('GET', `/api/players/${userId}/redemptions`)).body
    return { entries, points, held, booked, redemptions }
  }
  const clean = async (app: TestApp) =>
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])

  test('an order with an invalid redemption is refused when predicted, recorded and sent in bulk, with what is available, books nothing, and is repeatable (decision 139)', async (t) => {
    const { app } = await open(t)
    const before = await kept(app)
    assert.deepEqual({ points: before.points, held: before.held }, LEFT)
    const notWhole = (got: string) => `expected an integer between 0 and 9007199254740991, got ${got}`
    const wrong: [object, string, string, string?][] = [
      [paid(240), 'points_redeemed', 'expected at most 230 points: 300 are available, 65 of them held', 'insufficient-points'],
      [paid(300, { redemption_id: 'r-held', order_id: 'o-held' }), 'points_redeemed', 'expected at most 280 points: 300 are available, 15 of them held', 'insufficient-points'],
      [paid(400, { redemption_id: 'r-lapsed' }), 'points_redeemed', 'expected at most 230 points: 300 are available, 65 of them held', 'insufficient-points'],
      [paid(500, { redemption_id: 'r-other' }), 'redemption_id', 'redemption r-other not found: place a hold first, or omit redemption_id'],
      [paid(50, { redemption_id: 'r-held' }), 'redemption_id', 'redemption r-held is for another order'],
      [paid(100, { redemption_id: 'r-used' }), 'redemption_id', 'redemption r-used is for another order'],
      [paid(100, { redemption_id: 'r-spent' }), 'redemption_id', 'redemption r-spent was spent without an order'],
      [paid(30, { redemption_id: 'r-voided' }), 'redemption_id', 'redemption r-voided is voided: place a new hold, or omit redemption_id'],
      [paid(100, { order_id: 'o-used', redemption_id: 'r-held' }), 'redemption_id', 'redemption r-held does not pay this order'],
      [paid(2010), 'points_redeemed', 'expected at most 2000 points, the value of the order'],
      [paid(15), 'points_redeemed', 'expected a multiple of 10 points'],
      [paid(0.5), 'points_redeemed', notWhole('0.5')],
      [paid('10.5'), 'points_redeemed', notWhole('"10.5"')],
      [paid(-10), 'points_redeemed', notWhole('-10')],
      [paid(-10, { status: 'cancelled' }), 'points_redeemed', notWhole('-10')],
    ] // biome-ignore format: a row for each refusal
    for (const [order, field, error, verdict = 'invalid'] of wrong)
      for (const _ of ['once', 'again']) {
        const predicted = await app.predict(order)
        assert.deepEqual([predicted.status, predicted.body], [400, { path: `data.${field}`, error }])
        const [result] = (await app.record([order], '?details=true')).body.results
        assert.deepEqual([result.verdict, result.path, result.error], [verdict, `data[0].${field}`, error])
      }
    const { body } = await app.record(
      wrong.map(([order]) => order),
      '?details=true',
    )
    assert.deepEqual(
      [body.inserted, body.updated, body.results.map(({ error }: { error: string }) => error)],
      [0, 0, wrong.map(([, , error]) => error)],
    )
    assert.deepEqual(await kept(app), before)
    await clean(app)
  })

  test('a cancelled order redeems nothing, however much it asks for, and its hold can still be voided (decision 139)', async (t) => {
    const { app } = await open(t)
    const before = await kept(app)
    for (const order of [
      paid(5000, { status: 'cancelled' }),
      paid(50, { order_id: 'o-held', redemption_id: 'r-held', status: 'cancelled' }),
    ]) {
      assert.equal((await app.predict(order)).status, 200)
      assert.equal((await app.record([order])).body.inserted, 1)
      assert.equal((await app.record([order])).body.skipped, 1)
      const { points, held, redemptions } = await kept(app)
      assert.deepEqual([{ points, held }, redemptions], [LEFT, before.redemptions])
    }
    assert.deepEqual((await act(app, 'r-held', 'void', { reason: 'r' })).body.account, { points: 285, held: 15 })
    await clean(app)
  })

  test('an invalid redemption is refused with what is available, books nothing, and is repeatable (decision 139)', async (t) => {
    const { app } = await open(t)
    const before = [await kept(app), await kept(app, 'u-2')]
    const notEnough = 'expected at most 230 points: 300 are available, 65 of them held'
    const other = (id: string) => `redemption ${id} already exists with different content: a new one needs a new id`
    const voided = 'redemption r-voided is voided: a new one needs a new id'
    const used = 'redemption r-used pays order o-used: change the order instead'
    const spentOther = 'redemption r-spent was confirmed with another amount: void it and redeem again'
    const notWhole = (got: string) => `expected an integer between 0 and 9007199254740991, got ${got}`
    const make = (data: object) => redeem(app, data)
    const confirm = (id: string, data: object = {}) => act(app, id, 'confirm', data)
    const cancel = (id: string) => act(app, id, 'void', { reason: 'r' })
    const wrong: [() => ReturnType<TestApp['ask']>, number, string | undefined, string][] = [
      [() => make({ id: 'w', points: 240 }), 409, 'data.points', notEnough],
      [() => make({ id: 'w', points: 240, hold: true }), 409, 'data.points', notEnough],
      [() => confirm('r-lapsed'), 409, 'data.points', 'expected at most 235 points: 300 are available, 65 of them held'],
      [() => make({ id: 'w', points: 15 }), 400, 'data.points', 'expected a multiple of 10 points'],
      [() => make({ id: 'w', points: 0.5 }), 400, 'data.points', notWhole('0.5')],
      [() => make({ id: 'w', points: -10 }), 400, 'data.points', notWhole('-10')],
      [() => make({ id: 'r-spent', points: 90 }), 400, 'data.id', other('r-spent')],
      [() => make({ id: 'r-spent', points: 110 }), 400, 'data.id', other('r-spent')],
      [() => make({ id: 'r-spent', points: 100, reason: 'another' }), 400, 'data.id', other('r-spent')],
      [() => make({ id: 'r-held', points: 60, hold: true }), 400, 'data.id', other('r-held')],
      [() => make({ id: 'r-held', points: 50, hold: true, order_id: 'o-9' }), 400, 'data.id', other('r-held')],
      [() => make({ id: 'r-held', points: 50 }), 400, 'data.id', other('r-held')],
      [() => make({ id: 'r-part', points: 30, hold: true }), 400, 'data.id', other('r-part')],
      [() => make({ id: 'r-cup', points: 20, hold: true }), 400, 'data.id', other('r-cup')],
      [() => confirm('r-held', { points: 60 }), 400, 'data.points', 'expected at most the points held'],
      [() => confirm('r-held', { points: 15 }), 400, 'data.points', 'expected a multiple of 10 points'],
      [() => confirm('r-cup', { points: 10 }), 400, 'data.points', 'expected a multiple of 15 points'],
      [() => confirm('r-held', { points: 0.5 }), 400, 'data.points', notWhole('0.5')],
      [() => confirm('r-held', { points: -10 }), 400, 'data.points', notWhole('-10')],
      [() => confirm('r-spent', { points: 50 }), 409, 'id', spentOther],
      [() => confirm('r-voided'), 409, 'id', voided],
      [() => confirm('r-used'), 409, 'id', used],
      [() => cancel('r-used'), 409, 'id', used],
      [() => confirm('r-other'), 404, undefined, 'redemption r-other not found'],
      [() => cancel('r-other'), 404, undefined, 'redemption r-other not found'],
    ] // biome-ignore format: a row for each refusal
    for (const [ask, status, path, error] of wrong)
      for (const _ of ['once', 'again']) {
        const reply = await ask()
        const expected = {
          ...(path === undefined ? {} : { path }),
          error,
          ...(status === 409 ? { available: 235 } : {}),
        }
        assert.deepEqual([reply.status, reply.body], [status, expected])
      }
    for (const ask of [
      () => make({ id: 'r-spent', points: 100 }),
      () => make({ id: 'r-part', points: 60, hold: true }),
      () => make({ id: 'r-used', points: 100, hold: true }),
      () => make({ id: 'r-voided', points: 30, hold: true }),
      () => make({ id: 'r-lapsed', points: 400, hold: true }),
      () => confirm('r-spent'),
      () => confirm('r-part', { points: 40 }),
      () => cancel('r-voided'),
    ]) {
      const { status, body } = await ask()
      assert.deepEqual([status, body.repeated, body.account], [200, true, LEFT])
    }
    assert.deepEqual([await kept(app), await kept(app, 'u-2')], before)
    await clean(app)
  })

  test('if the clock goes back, nothing is spent twice, and a hold seen to lapse stays lapsed (decisions 139 and 154)', async (t) => {
    const { app, clock } = await open(t)
    assert.equal((await redeem(app, { id: 'r-all', points: 230 })).status, 200)
    for (const backMs of [30 * MINUTE_MS, 2 * DAY_MS]) {
      clock.ms -= backMs
      const before = await kept(app)
      assert.equal((await redeem(app, { id: 'w', points: 10 })).status, 409)
      assert.equal((await act(app, 'r-lapsed', 'confirm', {})).status, 409)
      assert.equal((await app.predict(paid(10))).status, 400)
      const { body } = await app.record([paid(10), paid(400, { redemption_id: 'r-lapsed' })], '?details=true')
      assert.deepEqual(
        body.results.map(({ verdict }: { verdict: string }) => verdict),
        ['insufficient-points', 'insufficient-points'],
      )
      assert.equal((await redeem(app, { id: 'r-all', points: 230 })).body.repeated, true)
      assert.deepEqual(await kept(app), before)
    }
    await clean(app)
  })
})
