import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const publish = async (app: TestApp, source: string, more: object = {}) => {
  const reply = await app.ask('POST', '/api/admin/programs', { body: { data: { source, ...more } } })
  assert.equal(reply.status, 200, reply.text)
}

const program = (parts: { counts?: string; earn?: string; referral?: string } = {}) => `name: Test
rounding: floor
levels:
  counts: ${parts.counts ?? 'lifetime'}
  ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }, { name: Gold, from: 2000 }]
earn:
${parts.earn ?? '  - { name: base, per-amount: { points: 1, every: 10 } }'}
${parts.referral === undefined ? '' : `referral: ${parts.referral}`}`

const entries = (app: TestApp, userId = 'u-1') =>
  app.query(
    `select kind, points, order_id, revision, to_char(at at time zone 'utc', 'YYYY-MM-DD') as day from entries
     where user_id = '${userId}' order by seq`,
  )
const account = async (app: TestApp, userId = 'u-1') =>
  (await app.query(`select points, counted, orders from accounts where user_id = '${userId}'`))[0]
const counts = ({ body: { inserted, updated, skipped } }: { body: Record<string, number> }) => [
  inserted,
  updated,
  skipped,
]
const explain = async (app: TestApp, order: object) => (await app.predict(order, '?explain=true')).body

forEachService((openTestApp) => {
  test('a new order is recorded with its points in the ledger; the same state sent again changes nothing', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const order = anOrder({ total_amount: 6000, ordered_at: '2026-03-01T10:00:00Z' })
    assert.equal((await app.predict(order)).body.message, 'You will earn 600 points and be upgraded to Silver.')
    assert.deepEqual((await app.record([order])).body, {
      message: '1 record inserted, 0 records updated, 0 records skipped.',
      inserted: 1,
      updated: 0,
      skipped: 0,
    })
    assert.deepEqual(await account(app), { points: 600, counted: 600, orders: 1 })
    const { body } = await app.record([{ ...order, total_amount: '6000', name: 'Other', phone: 1 }], '?details=true')
    assert.deepEqual(body.results, [{ position: 0, key: 'o-1', verdict: 'unchanged' }])
    assert.deepEqual(await entries(app), [
      { kind: 'order', points: 600, order_id: 'o-1', revision: 1, day: '2026-03-01' },
    ])
  })

  test('changing, cancelling and placing an order again posts the differences', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const order = anOrder({ total_amount: 6000 })
    for (const state of [{}, { total_amount: 7000 }, { status: 'cancelled' }, { status: 'returned' }, {}])
      await app.record([{ ...order, ...state }])
    assert.deepEqual(
      (await entries(app)).map(({ points, revision }) => [points, revision]),
      [
        [600, 1],
        [100, 2],
        [-700, 3],
        [0, 4],
        [600, 5],
      ],
    )
    assert.deepEqual(await account(app), { points: 600, counted: 600, orders: 1 })
  })

  test('a prediction for a recorded order says what recording the new state would give (decision 30)', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program())
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    await app.record([anOrder({ total_amount: 6000, ordered_at: '2026-01-20T00:00:00Z' })])
    await app.record([anOrder({ order_id: 'o-2', total_amount: 100 })])
    const cancelled = await explain(app, anOrder({ status: 'cancelled' }))
    assert.equal(cancelled.message, 'You will earn 0 points and be at Bronze.')
    assert.deepEqual(cancelled.explanation.level, {
      before: 'Bronze',
      after: 'Bronze',
      upgraded: false,
      counted: 10,
      next: { name: 'Silver', missing: 490 },
    })
    assert.equal((await app.predict(anOrder({ total_amount: 6000 }))).body.total_points, 600)
    const { status, body } = await app.predict(anOrder({ user_id: 'u-2' }))
    assert.deepEqual([status, body.path, body.error], [400, 'data.order_id', 'order o-1 belongs to another player'])
  })

  test('a recorded order keeps the program, the player and the prices of its first recording', async (t) => {
    const app = await openTestApp(t)
    const earn = (points: number) => `  - { name: base, per-amount: { points: ${points}, every: 1, of: catalogue } }
  - { name: kerala, when: player.state == "Kerala", fixed: { points: 1000 } }`
    await publish(app, program({ earn: earn(1) }))
    await app.upsertProducts([aProduct({ product_sku_id: 'tea', amount: 10 })])
    await app.upsertPlayers([aPlayer()])
    const lines = (...skus: string[]) => ({ products: skus.map((product_sku_id) => ({ product_sku_id, amount: 1 })) })
    await app.record([anOrder(lines('tea'))])
    await publish(app, program({ earn: earn(7) }))
    await app.upsertProducts([
      aProduct({ product_sku_id: 'tea', amount: 99 }),
      aProduct({ product_sku_id: 'cup', amount: 5 }),
    ])
    await app.upsertPlayers([aPlayer({ State: 'Goa' })])
    const changed = anOrder(lines('tea', 'tea', 'cup'))
    const predicted = await explain(app, changed)
    assert.equal(predicted.total_points, 1025)
    assert.equal(predicted.explanation.program.version, 2)
    assert.deepEqual(counts(await app.record([changed])), [0, 1, 0])
    assert.equal((await account(app))!.points, 1025)
    assert.equal((await app.predict(anOrder({ order_id: 'new', ...lines('tea') }))).body.total_points, 99 * 7)
  })

  test('an order of an unknown player, of another player, or with too many points is skipped with its reason', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ earn: '  - { name: base, per-amount: { points: 1, every: 1 } }' }))
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    await app.record([anOrder()])
    const most = '9007199254740991'
    const { body } = await app.record(
      [
        anOrder({ order_id: 'o-2', user_id: 'nobody' }),
        anOrder({ user_id: 'u-2' }),
        anOrder({ order_id: 'o-3', user_id: 'u-2', total_amount: most }),
        anOrder({ order_id: 'o-4', user_id: 'u-2', total_amount: 1 }),
        anOrder({ order_id: '' }),
      ],
      '?details=true',
    )
    assert.deepEqual(
      body.results.map(({ path, error }: Record<string, string>) => `${path}: ${error}`),
      [
        'data[0].user_id: player nobody not found: send players first',
        'data[1].order_id: order o-1 belongs to another player',
        `data[3].total_amount: expected an order that earns at most ${most} points, and leaves no account with more`,
        'data[4].order_id: expected a non-empty identifier, got ""',
      ],
    )
    assert.deepEqual(counts({ body }), [1, 0, 4])
    assert.equal((await app.predict(anOrder({ order_id: 'o-5', user_id: 'u-2' }))).body.path, 'data.total_amount')
  })

  test('a referral gives both players their points once, takes them back with the order, and follows a change of the code', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ referral: '{ friend: 50, referrer: 100, counts: false }' }), {
      from: '2020-01-01T00:00:00Z',
    })
    await app.upsertPlayers([
      aPlayer({ User_id: 'asha', Refercode: 'ASHA' }),
      aPlayer({ User_id: 'ben', Refercode: 'BEN' }),
      aPlayer({ User_id: 'c', Refercode: 'TWICE' }),
      aPlayer({ User_id: 'd', Refercode: 'TWICE' }),
    ])
    const order = (parts: object) =>
      anOrder({ user_id: 'ben', total_amount: 100, ordered_at: '2026-05-01T00:00:00Z', ...parts })
    const points = async () => [(await account(app, 'ben'))?.points, (await account(app, 'asha'))?.points ?? 0]
    const steps: [object, number, number][] = [
      [{ refferral_code: 'BEN' }, 10, 0],
      [{ refferral_code: 'TWICE' }, 10, 0],
      [{ refferral_code: 'ASHA' }, 60, 100],
      [{ refferral_code: 'ASHA', status: 'cancelled' }, 0, 0],
      [{ refferral_code: 'ASHA', ordered_at: '2026-06-01T00:00:00Z' }, 60, 100],
      [{ refferral_code: '' }, 10, 0],
      [{ refferral_code: 'ASHA' }, 60, 100],
      [{ refferral_code: 'ASHA', order_id: 'later' }, 70, 100],
    ]
    for (const [parts, ben, asha] of steps) {
      const predicted = (await app.predict(order(parts))).body.total_points
      assert.equal((await app.record([order(parts)])).body.skipped, 0)
      assert.deepEqual(await points(), [ben, asha], JSON.stringify(parts))
      assert.equal(predicted, 'order_id' in parts ? 10 : ben)
    }
    assert.equal((await account(app, 'asha'))!.counted, 0)
    const stranger = await explain(
      app,
      anOrder({ order_id: 'n', user_id: 'new', total_amount: 100, refferral_code: 'ASHA' }),
    )
    assert.equal(stranger.total_points, 60)
    assert.equal(stranger.explanation.earned.at(-1).rule, 'referral')
  })

  test('with a window only the points within it count, up to the time of the order', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ counts: '{ window: P12M }' }), { from: '2020-01-01T00:00:00Z' })
    await app.upsertPlayers([aPlayer()])
    const order = (id: string, ordered_at: string, total_amount = 5000) =>
      anOrder({ order_id: id, ordered_at, total_amount })
    assert.deepEqual(
      counts(await app.record([order('a', '2024-03-31T10:00:00Z'), order('b', '2024-06-01T00:00:00Z', 10_000)])),
      [2, 0, 0],
    )
    const before = async (at: string) => {
      const { level } = (await explain(app, order('new', at, 0))).explanation
      return [level.before, level.counted]
    }
    assert.deepEqual(await before('2024-03-31T09:59:59Z'), ['Bronze', 0])
    assert.deepEqual(await before('2024-03-31T10:00:00Z'), ['Silver', 500])
    assert.deepEqual(await before('2025-03-31T09:59:59Z'), ['Silver', 1500])
    assert.deepEqual(await before('2025-03-31T10:00:00Z'), ['Silver', 1000])
    assert.deepEqual(await before('2025-06-01T00:00:00Z'), ['Bronze', 0])
    // In one batch the second order builds on the first, and an order that is moved counts at its new time.
    await app.record([order('a', '2026-03-01T00:00:00Z'), order('c', '2026-03-02T00:00:00Z', 20_000)])
    assert.deepEqual(
      (await entries(app)).map(({ points, day, order_id }) => `${order_id} ${day} ${points}`),
      ['a 2024-03-31 500', 'b 2024-06-01 1000', 'a 2024-03-31 -500', 'a 2026-03-01 500', 'c 2026-03-02 2000'],
    )
    assert.deepEqual(await before('2026-03-03T00:00:00Z'), ['Gold', 2500])
    const [{ explanation }] = (await app.query(
      `select explanation::jsonb as explanation from entries where order_id = 'c'`,
    )) as [{ explanation: { level: { before: string; counted: number } } }]
    assert.deepEqual([explanation.level.before, explanation.level.counted], ['Silver', 2500])
  })

  test('orders sent by many clients concurrently have the same result as one after the other', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ referral: '{ friend: 1, referrer: 1 }' }))
    const users = Array.from({ length: 10 }, (_, index) => `u${index}`)
    await app.upsertPlayers(users.map((id) => aPlayer({ User_id: id, Refercode: id })))
    const batch = (client: number) =>
      users.map((_, place) => {
        const user = (place * 7 + client * 3) % 10
        return anOrder({
          order_id: `o-${user}-${client % 4}`,
          user_id: `u${user}`,
          total_amount: 100,
          refferral_code: `u${(user + 1) % 10}`,
        })
      })
    const replies = await Promise.all(Array.from({ length: 16 }, (_, client) => app.record(batch(client))))
    for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    assert.equal(
      replies.reduce((sum, { body }) => sum + body.inserted, 0),
      40,
    )
    for (const user of users) {
      assert.deepEqual(await account(app, user), { points: 42, counted: 42, orders: 4 })
      assert.equal(
        (await entries(app, user)).reduce((sum, { points }) => sum + Number(points), 0),
        42,
      )
    }
  })

  test('a referrer who has changed their code still gets the points of orders recorded with the old one, even concurrently', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ referral: '{ friend: 50, referrer: 100 }' }))
    const friends = Array.from({ length: 12 }, (_, index) => `u${index}`)
    await app.upsertPlayers([
      aPlayer({ User_id: 'asha' }),
      ...friends.map((id) => aPlayer({ User_id: id, Refercode: '' })),
    ])
    const order = (user_id: string, status: string) =>
      anOrder({ order_id: `o-${user_id}`, user_id, total_amount: 100, refferral_code: 'ASHA', status })
    const own = (index: number) => anOrder({ order_id: `own-${index}`, user_id: 'asha', total_amount: 10 })
    await app.record(friends.map((id) => order(id, 'placed')))
    await app.record(friends.map((id) => order(id, 'cancelled')))
    assert.equal((await account(app, 'asha'))!.points, 0)
    await app.upsertPlayers([aPlayer({ User_id: 'asha', Refercode: 'NEW' })])
    assert.deepEqual(counts(await app.record([order('u0', 'placed')])), [0, 1, 0])
    const placed = [...friends.map((id) => order(id, 'placed')), own(1), own(2)].map((one) => app.record([one]))
    for (const { status, text } of await Promise.all(placed)) assert.equal(status, 200, text)
    assert.equal((await account(app, 'asha'))!.points, 1202)
    assert.equal((await account(app, 'u0'))!.points, 60)
  })

  test('an order id sent for many players concurrently belongs to exactly one of them', async (t) => {
    const app = await openTestApp(t)
    const users = Array.from({ length: 8 }, (_, index) => `u${index}`)
    await app.upsertPlayers(users.map((id) => aPlayer({ User_id: id })))
    const replies = await Promise.all(users.map((user_id) => app.record([anOrder({ user_id })])))
    assert.deepEqual(replies.map(({ body }) => body.inserted).sort(), [0, 0, 0, 0, 0, 0, 0, 1])
    assert.equal((await app.query('select user_id from accounts where points > 0')).length, 1)
  })

  test('predictions are compared with the recorded orders', async (t) => {
    let now = new Date('2026-05-15T00:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const pass = (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1_000)
    }
    await app.upsertPlayers([aPlayer()])
    await app.predict(anOrder())
    await app.predict(anOrder({ order_id: 'o-2' }))
    pass(1)
    await app.record([anOrder(), anOrder({ order_id: 'o-2', total_amount: 7 }), anOrder({ order_id: 'o-3' })])
    await app.record([anOrder()], '?dry_run=true')
    await app.record([anOrder()])
    pass(1)
    // What happens to a recorded order is not compared.
    await app.record([anOrder({ status: 'cancelled' })])
    pass(6)
    await app.service.deps.predictions.flush()
    const compared = app.observations.filter(({ kind }) => kind === 'predictions-compared')
    assert.deepEqual(compared, [
      { kind: 'predictions-compared', cameTrue: 1, differed: 1, noneKept: 1, notCompared: 0 },
    ])
    assert.match((await app.ask('GET', '/metrics')).text, /laurel_predictions_compared_total\{outcome="came-true"\} 1/)
  })

  test('an order first sent as cancelled and placed later is a first order if none was placed before', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program({ referral: '{ friend: 50, referrer: 0 }' }))
    await app.upsertPlayers([aPlayer({ User_id: 'asha' }), aPlayer({ Refercode: '' })])
    const order = (order_id: string, more: object) => anOrder({ order_id, refferral_code: 'ASHA', ...more })
    await app.record([order('a', { status: 'cancelled' }), order('b', { status: 'returned' })])
    for (const [id, points] of [
      ['b', 170],
      ['a', 120],
    ] as const) {
      assert.equal((await app.predict(order(id, {}))).body.total_points, points)
      await app.record([order(id, {})])
    }
    assert.equal((await account(app))!.points, 290)
    assert.deepEqual(await entries(app, 'asha'), [], 'no points for the referrer means no entry')
  })

  test('a request above the limit for orders or for lines is refused at once', async (t) => {
    const app = await openTestApp(t, { env: { BATCH_ORDERS_MAX: '3' } })
    const orders = (count: number) => Array.from({ length: count }, (_, index) => anOrder({ order_id: `o-${index}` }))
    assert.equal((await app.record(orders(3))).status, 200)
    const many = await app.record(orders(4))
    assert.deepEqual([many.status, many.body.path], [413, 'data'])
    const roomy = await openTestApp(t)
    const products = JSON.stringify(Array.from({ length: 1_000 }, () => ({})))
    const long = await roomy.record(orders(251).map((order) => ({ ...order, products })))
    assert.deepEqual([long.status, long.body.path], [413, 'data'])
    assert.match(long.body.error, /^expected at most 250000 product lines per request: /)
    assert.deepEqual(await roomy.query('select order_id from orders'), [])
  })

  test('a dry run over several slices answers what recording would, and writes nothing', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    const orders = Array.from({ length: 700 }, (_, index) =>
      anOrder({ order_id: `o-${index % 300}`, total_amount: index % 3, user_id: index % 7 === 0 ? 'u-2' : 'u-1' }),
    )
    const dry = await app.record(orders, '?dry_run=true&details=true')
    assert.deepEqual(await app.query('select order_id from orders'), [])
    const wet = await app.record(orders, '?details=true')
    assert.deepEqual({ ...dry.body, message: '' }, { ...wet.body, message: '' })
    assert.equal(dry.body.message, `Dry run: ${wet.body.message}`)
  })
})
