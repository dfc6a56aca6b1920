import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer } from '../support/builders.ts'
import { act, clean, give, redeem, show } from '../support/redeeming.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Pay with points
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { pending: { days: 14 }, expire: { after: P12M } }
redeem:
  value: { points: 100, pays: "1.00" }
  step: 10
  least: 20
  at-most: { share: "0.5" }
  when: order.total >= 5
`

/** Balances depend on the day, on levels and on the balance itself. */
const MANY_SLICES = `name: Many slices
rounding: floor
levels: { counts: { window: P1M }, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 15 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10 } }
  - { name: gold, when: player.level == "Gold", fixed: { points: 60 } }
  - { name: rich, when: player.points >= 80, fixed: { points: 7 } }
points: { pending: { days: 0 }, expire: { inactive: P1M } }
redeem: { value: { points: 1, pays: 1 } }
`
const DAY_MS = 86_400_000

const publish = (app: TestApp, source: string) => app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
const paid = (points: number | undefined, more: object = {}) =>
  anOrder({ total_amount: 20, products: [], points_redeemed: points, ...more })

forEachService((openTestApp) => {
  const open = async (
    t: Parameters<typeof openTestApp>[0],
    source = PROGRAM,
    env: { now: string } = { now: '2026-05-10T12:00:00.000Z' },
  ) => {
    const app = await openTestApp(t, { now: () => new Date(env.now) })
    const published = await publish(app, source)
    assert.equal(published.status, 200, published.text)
    await app.upsertPlayers([aPlayer()])
    return app
  }

  test('an order paid with points earns on the rest, and gives back what a later state no longer redeems (decision 139)', async (t) => {
    const app = await open(t)
    await give(app, 540)
    const predicted = await app.predict(paid(500), '?explain=true')
    assert.deepEqual([predicted.status, predicted.body.total_points], [200, 1])
    assert.deepEqual(predicted.body.explanation.notes, [
      { kind: 'paid-with-points', text: '500 points pay 5: net reduced to 15' },
    ])
    assert.deepEqual(predicted.body.explanation.earned[0].because, { net: '15', points: '1', every: '10' })
    assert.equal((await app.record([paid(500)])).body.inserted, 1)
    assert.equal((await app.record([paid(500)])).body.skipped, 1)
    const spent = await show(app)
    assert.deepEqual([spent.points, spent.pending, spent.booked], [40, 1, 41])
    assert.deepEqual(
      spent.entries.map(({ kind, points, order_id }: Record<string, unknown>) => [kind, points, order_id]),
      [
        ['redemption', -500, 'o-1'],
        ['order', 1, 'o-1'],
        ['adjustment', 540, undefined],
      ],
    )
    assert.equal((await app.record([paid(200)])).body.updated, 1)
    assert.deepEqual([(await show(app)).points, (await show(app)).pending], [340, 1])
    await app.record([paid(200, { status: 'cancelled' })])
    assert.deepEqual([(await show(app)).points, (await show(app)).pending], [540, 0])
    await app.record([paid(200), { ...paid(200), status: 'returned' }, paid(200)])
    assert.equal((await show(app)).points, 340)
    await clean(app)
  })

  test('a prediction says what can be redeemed, from which points, and what is left, and recording does the same (decision 139)', async (t) => {
    const app = await open(t)
    await give(app, 300, { expires_on: '2026-07-01' })
    await give(app, 240, { expires_on: '2026-08-01' })
    await give(app, 60, { usable_on: '2026-06-01' })
    const order = paid(500, { total_amount: 100 })
    const { balance } = (await app.predict(order, '?explain=true')).body.explanation
    assert.deepEqual(balance, {
      before: { available: 540, pending: 60, held: 0 },
      earns: { points: 9, usable_on: '2026-05-24', expires_on: '2027-05-24' },
      redeems: {
        points: 500,
        pays: '5.00',
        from: [
          { points: 300, expires_on: '2026-07-01' },
          { points: 200, expires_on: '2026-08-01' },
        ],
      },
      redeemable: { most: 540, pays: '5.40' },
      after: { available: 40, pending: 69, held: 0 },
      next_expiry: { points: 40, on: '2026-08-01' },
    })
    await app.record([order])
    const { points, pending, next_expiry } = await show(app)
    assert.deepEqual({ available: points, pending, held: 0 }, balance.after)
    assert.deepEqual(next_expiry, balance.next_expiry)
    const again = (await app.predict(order, '?explain=true')).body.explanation.balance
    assert.deepEqual(again, balance, 'as of today without this order')
    const held = await redeem(app, { id: 'r-1', points: 30, hold: true })
    assert.equal(held.status, 200)
    const beside = (await app.predict(paid(undefined, { order_id: 'o-2' }), '?explain=true')).body.explanation.balance
    assert.deepEqual(
      [beside.before, beside.redeemable],
      [
        { available: 40, pending: 69, held: 30 },
        { most: 0, pays: '0.00' },
      ],
    )
    const own = paid(30, { order_id: 'o-2', redemption_id: 'r-1' })
    const withHold = (await app.predict(own, '?explain=true')).body.explanation.balance
    assert.deepEqual([withHold.redeemable.most, withHold.after.available, withHold.after.held], [40, 10, 0])
  })

  test('a dry run of several slices sees that an earlier one has used a hold (decisions 47 and 139)', async (t) => {
    const app = await open(t)
    await give(app, 100)
    assert.equal((await redeem(app, { id: 'r-1', points: 40, hold: true })).status, 200)
    const lines = Array.from({ length: 600 }, () => ({ amount: '1' }))
    const orders = [
      paid(40, { order_id: 'o-1', redemption_id: 'r-1', products: lines }),
      paid(60, { order_id: 'o-2', products: lines }),
    ]
    const dry = (await app.record(orders, '?dry_run=true&details=true')).body
    assert.deepEqual([dry.inserted, dry.results], [2, []])
    assert.equal((await app.record(orders)).body.inserted, 2)
    await clean(app)
  })

  test('a dry run of any slices refuses what recording refuses: it sees what earlier ones give, spend and count (decision 47)', async (t) => {
    const env = { now: '2026-03-01T12:00:00.000Z' }
    const app = await open(t, MANY_SLICES, env)
    env.now = '2026-05-10T12:00:00.000Z'
    // At most two orders are in a slice.
    const products = Array.from({ length: 450 }, () => ({ amount: '1' }))
    const order = fc.record({
      total_amount: fc.integer({ min: 100, max: 150 }),
      points_redeemed: fc.constantFrom(undefined, 10, 40, 100),
      ordered_at: fc.nat(25).map((days) => new Date(Date.UTC(2026, 4, 10) - days * DAY_MS).toISOString()),
      products: fc.constant(products),
      // Often a later state of an order in another slice.
      id: fc.nat(9),
    })
    let [run, inserted, updated, refused] = [0, 0, 0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 10, maxLength: 16 }), async (sent) => {
        run += 1
        await app.upsertPlayers([aPlayer({ User_id: `u-${run}` })])
        const orders = sent.map(({ id, ...one }) =>
          anOrder({ ...one, user_id: `u-${run}`, order_id: `${run} ${id}`, refferral_code: '' }),
        )
        const { message: _, ...dry } = (await app.record(orders, '?dry_run=true&details=true')).body
        const { message: __, ...wet } = (await app.record(orders, '?details=true')).body
        assert.deepEqual(dry, wet)
        inserted += wet.inserted
        updated += wet.updated
        refused += wet.skipped
      }),
      { numRuns: 12, endOnFailure: true },
    )
    assert(inserted > 0 && updated > 0 && refused > 0, `${inserted} inserted, ${updated} updated, ${refused} refused`)
    await clean(app)
  })

  test('an order that gives points back after they expired and redeems more again creates none (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, `${PROGRAM}  given-back: P30D\n`, env)
    await give(app, 300, { expires_on: '2026-07-01' })
    const order = (points: number, more: object = {}) =>
      app.record([paid(points, { total_amount: 9, ordered_at: '2026-05-10T12:00:00.000Z', ...more })], '?details=true')
    assert.equal((await order(300)).body.inserted, 1)
    env.now = '2026-08-01T12:00:00.000Z'
    assert.equal((await order(200)).body.updated, 1)
    assert.equal((await show(app)).points, 100, 'given back with a new expiry')
    const [refused] = (await order(300)).body.results
    assert.deepEqual(
      [refused.verdict, refused.error],
      [
        'insufficient-points',
        'expected at most 0 points: fewer were available on a date since the order date; 100 are available for an order placed today',
      ],
    )
    assert.equal((await show(app)).points, 100)
    await order(200, { status: 'cancelled' })
    assert.equal((await order(300)).body.updated, 1, 'placed again, it draws on what it gave back')
    assert.equal((await show(app)).points, 0)
    await clean(app)
  })

  test('an order that redeems too much is refused with what is available, and nothing is written (decision 139)', async (t) => {
    const app = await open(t)
    await give(app, 340)
    const wrong: [object, string, string][] = [
      [paid(350), 'points_redeemed', 'expected at most 340 points: 340 are available'],
      [paid(15), 'points_redeemed', 'expected a multiple of 10 points'],
      [paid(10), 'points_redeemed', 'expected at least 20 points'],
      [
        paid(340, { total_amount: 6 }),
        'points_redeemed',
        "expected at most 300 points, the program's limit for this order",
      ],
      [
        paid(100, { total_amount: 4 }),
        'points_redeemed',
        'expected no points: the order does not meet the condition order.total >= 5',
      ],
      [paid(-10), 'points_redeemed', 'expected an integer between 0 and 9007199254740991, got -10'],
      [paid(10.5), 'points_redeemed', 'expected an integer between 0 and 9007199254740991, got 10.5'],
      [
        paid(100, { redemption_id: 'r-9' }),
        'redemption_id',
        'redemption r-9 not found: place a hold first, or omit redemption_id',
      ],
      [paid(undefined, { redemption_id: 'r-9' }), 'points_redeemed', 'expected points_redeemed with redemption_id'],
    ]
    for (const [order, field, error] of wrong) {
      const predicted = await app.predict(order)
      assert.deepEqual([predicted.status, predicted.body], [400, { path: `data.${field}`, error }])
      const { body } = await app.record([order], '?details=true')
      assert.deepEqual([body.inserted, body.results[0].path, body.results[0].error], [0, `data[0].${field}`, error])
    }
    const { body } = await app.record(
      [paid(350), paid(340, { order_id: 'o-2' }), paid(20, { order_id: 'o-3' })],
      '?details=true',
    )
    assert.deepEqual(
      body.results.map(({ position, verdict }: Record<string, unknown>) => [position, verdict]),
      [
        [0, 'insufficient-points'],
        [2, 'insufficient-points'],
      ],
    )
    assert.equal((await show(app)).points, 0)
    await clean(app)
  })

  test('an order cannot be paid with its own points or with pending ones (decision 139)', async (t) => {
    const source = PROGRAM.replace('every: 10', 'every: "0.01"').replace('pending: { days: 14 }, ', '')
    const app = await open(t, source)
    assert.equal((await app.record([paid(undefined, { total_amount: 10 })])).body.inserted, 1)
    assert.equal((await show(app)).points, 1000)
    const { body } = await app.record([paid(500, { total_amount: 10 })], '?details=true')
    assert.equal(body.results[0].error, 'expected at most 0 points: 0 are available')
    assert.equal((await app.record([paid(800, { order_id: 'o-2' })])).body.inserted, 1)
    await clean(app)
  })

  test('a token without the scope redeem cannot record orders that redeem (decision 67)', async (t) => {
    const app = await open(t)
    await give(app, 100)
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'till', scopes: ['orders', 'predict'] } },
    })
    const headers = { token: body.token }
    const record = (orders: object[]) =>
      app.ask('POST', '/api/integration/orders?details=true', { headers, body: { data: orders } })
    const { results, inserted } = (await record([paid(100), paid(undefined, { order_id: 'o-2' })])).body
    assert.deepEqual(
      [inserted, results.length, results[0].verdict, results[0].path],
      [1, 1, 'not-allowed', 'data[0].points_redeemed'],
    )
    // A cancelled order redeems nothing, whatever it says (decision 139).
    assert.equal((await record([paid(100, { order_id: 'o-2', status: 'cancelled' })])).body.updated, 1)
    const predicted = await app.ask('POST', '/api/predictions/orders', { headers, body: { data: paid(100) } })
    assert.equal(predicted.status, 200)
  })

  test('points given back after their expiry are lost, or usable again for as long as the program says (decision 139)', async (t) => {
    for (const [source, points] of [
      [PROGRAM, 0],
      [`${PROGRAM}  given-back: P30D\n`, 100],
    ] as const) {
      const env = { now: '2026-05-10T12:00:00.000Z' }
      const app = await open(t, source, env)
      await give(app, 100, { expires_on: '2026-06-01' })
      await app.record([paid(100)])
      env.now = '2026-06-10T12:00:00.000Z'
      const cancelled = paid(100, { status: 'cancelled' })
      await app.record([cancelled])
      await app.record([cancelled])
      assert.equal((await show(app)).points, points)
      if (points === 0) continue
      assert.deepEqual((await show(app)).next_expiry, { points: 100, on: '2026-07-10' })
      await app.record([paid(100)])
      assert.equal((await show(app)).points, 1, 'what the order itself earned')
      await app.record([cancelled])
      assert.equal((await show(app)).points, 100, 'given back once')
      await clean(app)
    }
  })

  test('an order dated back does not spend points that expired since and were reinstated (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, `${PROGRAM}  given-back: P30D\n`, env)
    await give(app, 100, { expires_on: '2026-06-01' })
    await give(app, 90, { expires_on: '2027-01-01' })
    await app.record([paid(100)])
    env.now = '2026-06-10T12:00:00.000Z'
    const cancelled = paid(100, { status: 'cancelled' })
    const late = paid(100, { order_id: 'o-2', ordered_at: '2026-05-20T12:00:00.000Z' })
    const refused = {
      path: 'points_redeemed',
      error:
        'expected at most 0 points: others of the order date have expired; 190 are available for an order placed today',
    }
    const dry = (await app.record([cancelled, late], '?dry_run=true&details=true')).body.results
    await app.record([cancelled])
    const { results } = (await app.record([late], '?details=true')).body
    for (const [result] of [dry, results])
      assert.deepEqual(
        [result.verdict, result.path.split('.')[1], result.error],
        ['insufficient-points', ...Object.values(refused)],
      )
    assert.equal((await app.predict(late)).status, 400)
    assert.equal((await app.record([{ ...late, ordered_at: env.now }])).body.inserted, 1)
    assert.equal((await show(app)).points, 90)
    await clean(app)
  })

  test('a redemption that is voided while another hold is active gives back no more than is lost beside it (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, `${PROGRAM}  given-back: P30D\n  hold: P2D\n`, env)
    await give(app, 100, { expires_on: '2026-05-11' })
    await give(app, 90)
    await redeem(app, { id: 'r-1', points: 100 })
    await redeem(app, { id: 'r-2', points: 50, hold: true })
    env.now = '2026-05-11T12:00:00.000Z'
    await act(app, 'r-1', 'void', { reason: 'goods came back' })
    await act(app, 'r-2', 'confirm', {})
    assert.equal((await show(app)).points, 140)
    await clean(app)
  })

  test('a prediction for cancelling an order, and for placing it again, says what recording it leaves (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, `${PROGRAM}  given-back: P30D\n`, env)
    const predictAndRecord = async (order: object) => {
      const { balance } = (await app.predict(order, '?explain=true')).body.explanation
      await app.record([order])
      const { points, pending, held, next_expiry } = await show(app)
      assert.deepEqual([balance.after, balance.next_expiry], [{ available: points, pending, held }, next_expiry])
      return balance.redeems.from
    }
    await give(app, 100, { expires_on: '2026-06-01' })
    await give(app, 200)
    assert.deepEqual(await predictAndRecord(paid(100)), [{ points: 100, expires_on: '2026-06-01' }])
    env.now = '2026-06-10T12:00:00.000Z'
    assert.deepEqual(await predictAndRecord(paid(100, { status: 'cancelled' })), [])
    assert.deepEqual(await predictAndRecord(paid(200)), [
      { points: 100, expires_on: '2026-07-10' },
      { points: 100, expires_on: '2027-05-10' },
    ])
    await clean(app)
  })

  test('a condition on player.points uses available points, or the booked balance if points have no dates (decision 138)', async (t) => {
    const source = PROGRAM.replace(
      'earn: [',
      'earn: [{ name: rich, when: player.points >= 100, fixed: { points: 7 } }, ',
    )
    const app = await open(t, source)
    await give(app, 100, { usable_on: '2026-06-01' })
    assert.equal((await app.predict(paid(undefined))).body.total_points, 2)
    await give(app, 120)
    assert.equal((await app.predict(paid(undefined))).body.total_points, 9)
    assert.equal((await app.record([paid(undefined)])).body.inserted, 1)
    assert.equal((await show(app)).pending, 109)
    await clean(app)
  })

  const shownBalance = async (app: TestApp) => {
    const { points, held, booked } = await show(app)
    return [points, held, booked]
  }

  test('a part of a redemption can be given back, once for each reason, and the rest stays redeemed (decision 139)', async (t) => {
    const app = await open(t)
    await give(app, 540)
    await redeem(app, { id: 'r-1', points: 300, reason: 'checkout' })
    const part = async (points: number, reason: string) => {
      const { status, body } = await act(app, 'r-1', 'void', { points, reason })
      return status === 200
        ? [body.state, body.points, body.voided_points, body.account.points, body.repeated]
        : [status, body.path, body.error]
    }
    assert.deepEqual(await part(100, 'return 1'), ['confirmed', 200, 100, 340, false])
    assert.deepEqual(await part(100, 'return 1'), ['confirmed', 200, 100, 340, true])
    assert.deepEqual(await part(50, 'return 1'), [
      ...[400, 'data.points'],
      'a part of redemption r-1 was voided for this reason with another amount: use another reason for another part',
    ])
    assert.deepEqual(await part(205, 'return 2'), [400, 'data.points', 'expected at most its remaining points'])
    assert.deepEqual(await part(15, 'return 2'), [400, 'data.points', 'expected a multiple of 10 points'])
    assert.deepEqual(await part(100, 'return 2'), ['confirmed', 100, 200, 440, false])
    const shown = (await app.ask('GET', '/api/players/u-1/redemptions/r-1')).body
    assert.deepEqual([shown.pays, shown.lots], ['1.00', [{ points: 100, expires_on: shown.lots[0].expires_on }]])
    assert.equal((await redeem(app, { id: 'r-1', points: 300, reason: 'checkout' })).body.repeated, true)
    await clean(app)
    assert.deepEqual(await part(100, 'the rest'), ['voided', 100, 200, 540, false])
    assert.deepEqual(await part(100, 'return 1'), ['voided', 100, 200, 540, true])
    assert.equal((await part(10, 'more'))[0], 409)
    await clean(app)
  })

  test('points can be held, confirmed in whole or in part, and voided, and each step is safe to repeat (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, PROGRAM, env)
    await give(app, 540)
    const hold = { id: 'r-1', points: 500, hold: true }
    const { status, body } = await redeem(app, hold)
    assert.deepEqual(
      [status, body.state, body.pays, body.repeated, body.account],
      [200, 'held', '5.00', false, { points: 40, held: 500 }],
    )
    assert.deepEqual(body.lots, [{ points: 500, expires_on: '2027-05-10' }])
    assert.equal((await redeem(app, hold)).body.repeated, true)
    assert.deepEqual(await shownBalance(app), [40, 500, 540])
    const tooMuch = await redeem(app, { id: 'r-2', points: 50 })
    assert.deepEqual(
      [tooMuch.status, tooMuch.body],
      [
        409,
        {
          path: 'data.points',
          error: 'expected at most 40 points: 540 are available, 500 of them held',
          available: 40,
        },
      ],
    )
    assert.equal((await act(app, 'r-1', 'confirm', { points: 510 })).status, 400)
    assert.deepEqual((await act(app, 'r-1', 'confirm', { points: 300 })).body.account, { points: 240, held: 0 })
    assert.equal((await act(app, 'r-1', 'confirm', { points: 300 })).body.repeated, true)
    assert.deepEqual(
      [(await act(app, 'r-1', 'confirm', { points: 200 })).status, (await redeem(app, hold)).body.repeated],
      [409, true],
    )
    assert.deepEqual(await shownBalance(app), [240, 0, 240])
    assert.deepEqual((await act(app, 'r-1', 'void')).body.account, { points: 540, held: 0 })
    assert.equal((await act(app, 'r-1', 'void')).body.repeated, true)
    assert.equal((await act(app, 'r-1', 'confirm')).status, 409)
    assert.deepEqual(await shownBalance(app), [540, 0, 540])
    assert.equal(
      (await redeem(app, { ...hold, points: 400 })).body.path,
      undefined,
      'once voided, the number of points is not compared',
    )
    await redeem(app, { id: 'lapses', points: 100, hold: true })
    env.now = '2026-05-10T12:15:00.000Z'
    const lapsed = await app.ask('GET', '/api/players/u-1/redemptions/lapses')
    assert.deepEqual(
      [lapsed.body.state, lapsed.body.lots, lapsed.body.account],
      ['lapsed', [], { points: 540, held: 0 }],
    )
    const list = async (query: string, headers = {}) =>
      (await app.ask('GET', `/api/players/u-1/redemptions?${query}`, { headers })).body
    const first = await list('limit=1')
    assert.deepEqual(
      [first, await list(`limit=1&after=${first.after}`)].map(({ redemptions: [one] }) => [
        ...[one.id, one.state, one.points, one.pays, one.reason, one.held_until],
      ]),
      [
        ['lapses', 'lapsed', 100, '1.00', 'checkout', '2026-05-10T12:15:00.000Z'],
        ['r-1', 'voided', 300, '3.00', 'checkout', undefined],
      ],
    )
    const reader = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'r', scopes: ['read'] } } })
    const masked = await list('', { token: reader.body.token })
    assert.deepEqual([...new Set(masked.redemptions.map(({ reason }: { reason: string }) => reason))], ['•••'])
    assert.equal((await act(app, 'lapses', 'confirm')).body.state, 'confirmed', 'there is still enough')
    await redeem(app, { id: 'late', points: 440, hold: true })
    env.now = '2026-05-10T12:31:00.000Z'
    await redeem(app, { id: 'other', points: 400 })
    assert.deepEqual([(await act(app, 'late', 'confirm')).status, await shownBalance(app)], [409, [40, 0, 40]])
    await clean(app)
  })

  test('an invalid redemption is refused with the path of its fault, and nothing is booked (decision 139)', async (t) => {
    const app = await open(t, `${PROGRAM}  rewards: [{ name: cup, points: 15 }]\n`)
    await give(app, 100)
    const wrong: [object, number, string | undefined][] = [
      [{ id: 'w', points: 15 }, 400, 'data.points'],
      [{ id: 'w', points: 10 }, 400, 'data.points'],
      [{ id: 'w', points: 0 }, 400, 'data.points'],
      [{ id: 'w', points: -20 }, 400, 'data.points'],
      [{ id: 'w', points: 20, reward: 'cup' }, 400, 'data.points'],
      [{ id: 'w' }, 400, 'data.points'],
      [{ id: 'w', reward: 'mug' }, 400, 'data.reward'],
      [{ id: 'w', points: 110 }, 409, 'data.points'],
      [{ id: 'w', points: 20, reason: ' ' }, 400, 'data.reason'],
    ]
    for (const [data, status, path] of wrong) {
      const reply = await redeem(app, data)
      assert.deepEqual([reply.status, reply.body.path], [status, path], JSON.stringify(data))
    }
    assert.equal((await act(app, 'w', 'void')).status, 404)
    assert.equal((await app.ask('GET', '/api/players/u-1/redemptions/w')).status, 404)
    const nobody = await app.ask('POST', '/api/players/nobody/redemptions', {
      body: { data: { id: 'w', points: 20, reason: 'r' } },
    })
    assert.equal(nobody.status, 404)
    const cup = await redeem(app, { id: 'c', reward: 'cup' })
    assert.deepEqual([cup.body.points, cup.body.pays, cup.body.account.points], [15, undefined, 85])
    assert.equal((await redeem(app, { id: 'c', points: 20 })).body.path, 'data.id')
    await clean(app)
  })

  test('an order uses a hold only once, even after midnight when its points have expired (decision 139)', async (t) => {
    const env = { now: '2026-05-10T23:59:00.000Z' }
    const app = await open(t, PROGRAM, env)
    await give(app, 100, { expires_on: '2026-05-11' })
    await redeem(app, { id: 'r-1', points: 100, hold: true })
    env.now = '2026-05-11T00:01:00.000Z'
    assert.deepEqual(await shownBalance(app), [0, 100, 100])
    const order = paid(100, { redemption_id: 'r-1' })
    assert.equal((await app.record([order])).body.inserted, 1)
    assert.deepEqual(await shownBalance(app), [0, 0, 1])
    const used = await app.ask('GET', '/api/players/u-1/redemptions/r-1')
    assert.deepEqual(
      [used.body.state, used.body.order_id, used.body.lots],
      ['used', 'o-1', [{ points: 100, expires_on: '2026-05-11' }]],
    )
    assert.equal((await act(app, 'r-1', 'void')).status, 409)
    const { body } = await app.record([paid(100, { redemption_id: 'r-1', order_id: 'o-2' })], '?details=true')
    assert.equal(body.results[0].error, 'redemption r-1 is for another order')
    assert.equal((await app.record([order])).body.skipped, 1)
    await app.record([{ ...order, status: 'cancelled' }])
    assert.deepEqual(await shownBalance(app), [0, 0, 100], 'they have expired')
    const again = await app.record([order], '?details=true')
    assert.equal(again.body.results[0].verdict, 'insufficient-points', 'placed again it redeems anew')
    await clean(app)
  })

  test('a hold covers its order whatever is spent or taken back meanwhile; anything beyond it must be available', async (t) => {
    const app = await open(t)
    await give(app, 500)
    await redeem(app, { id: 'r-1', points: 300, hold: true, order_id: 'o-1' })
    await app.ask('POST', '/api/players/u-1/adjustments', {
      body: { data: { id: 'back', points: -400, counts: false, reason: 'r' } },
    })
    assert.deepEqual(await shownBalance(app), [-200, 300, 100])
    assert.equal((await app.predict(paid(310, { redemption_id: 'r-1' }))).status, 400)
    assert.equal((await app.record([paid(300, { redemption_id: 'r-1' })])).body.inserted, 1)
    assert.deepEqual([(await show(app)).points, (await show(app)).held], [-200, 0])
    await clean(app)
  })

  test('a redemption may overdraw the account as far as the program allows (decision 139)', async (t) => {
    const app = await open(t, `${PROGRAM}  overdraft: 100\n`)
    await give(app, 50)
    assert.equal(
      (await app.record([paid(160)], '?details=true')).body.results[0].error,
      'expected at most 150 points: 50 are available',
    )
    assert.equal((await app.record([paid(150)])).body.inserted, 1)
    assert.equal((await show(app)).points, -100)
    await clean(app)
  })
})
