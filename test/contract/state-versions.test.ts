/*
 * Versions of states: a state that was sent earlier and arrives later changes nothing (decision 71).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { forEachService, type Reply } from '../support/test-app.ts'

type Counted = readonly [inserted: number, updated: number, skipped: number]
const countsOf = ({ status, body, text }: Reply): Counted => {
  assert.equal(status, 200, text)
  return [body.inserted, body.updated, body.skipped]
}
const verdictsOf = ({ body }: Reply) =>
  (body.results as { position: number; verdict: string }[]).map(({ position, verdict }) => [position, verdict])

forEachService((openTestApp, driver) => {
  test('an order with a lower version is stale, one with the recorded version and other content a conflict, and neither changes anything (decision 71)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const order = (state_version: unknown, more = {}) => anOrder({ state_version, total_amount: '5000', ...more })
    const send = (...orders: object[]) => app.record(orders, '?details=true')
    const points = async () => (await app.ask('GET', '/api/players/u-1')).body.points
    assert.deepEqual(countsOf(await send(order(5))), [1, 0, 0])
    assert.deepEqual(countsOf(await send(order('7', { status: 'cancelled' }))), [0, 1, 0])
    assert.equal(await points(), 0)

    const late = await send(order(5))
    assert.deepEqual([countsOf(late), verdictsOf(late)], [[0, 0, 1], [[0, 'stale']]])
    assert.match(late.body.results[0].error, /a newer version is already stored/)
    assert.equal(late.body.results[0].path, 'data[0].state_version')
    const other = await send(order(7))
    assert.deepEqual([countsOf(other), verdictsOf(other)], [[0, 0, 1], [[0, 'conflict']]])
    const again = await send(order(7, { status: 'cancelled' }))
    assert.deepEqual([countsOf(again), verdictsOf(again)], [[0, 0, 1], [[0, 'unchanged']]])
    assert.equal(await points(), 0)

    // A higher version with the same content is unchanged, and replaces the recorded version.
    assert.deepEqual(verdictsOf(await send(order(9, { status: 'cancelled' }))), [[0, 'unchanged']])
    assert.deepEqual(verdictsOf(await send(order(8))), [[0, 'stale']])
    // A state without a version is accepted, and the recorded version stays.
    assert.deepEqual(countsOf(await send(order(undefined))), [0, 1, 0])
    assert.deepEqual(verdictsOf(await send(order(8, { status: 'cancelled' }))), [[0, 'stale']])
    assert.equal(await points(), 500)
    await checkLedger(app.service.db)
  })

  test('a prediction for a stale or conflicting state says what the recorded state earns, and why', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ state_version: 2, total_amount: '1000' })])
    for (const [state_version, kind] of [
      [1, 'stale'],
      [2, 'conflict'],
    ] as const) {
      const predicted = await app.predict(anOrder({ state_version, total_amount: '9000' }), '?explain=true')
      assert.deepEqual([predicted.status, predicted.body.total_points], [200, 100], predicted.text)
      assert.equal(predicted.body.explanation.notes[0].kind, kind)
    }
    assert.equal((await app.predict(anOrder({ state_version: 3, total_amount: '9000' }))).body.total_points, 900)
  })

  test('states of one order in one request are applied in the order sent, subject to their versions', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const sent = [3, 1, 3, 4].map((state_version, index) => anOrder({ state_version, total_amount: `${index + 1}000` }))
    const response = await app.record(sent, '?details=true')
    assert.deepEqual(countsOf(response), [1, 1, 2])
    assert.deepEqual(verdictsOf(response), [
      [1, 'stale'],
      [2, 'conflict'],
    ])
    assert.equal((await app.ask('GET', '/api/players/u-1')).body.points, 400)
  })

  test('a list that changes an order and changes it back adds no entries when it is sent again (decision 71)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const others = Array.from({ length: 1_500 }, (_, n) => anOrder({ order_id: `other-${n}`, total_amount: '10' }))
    const [first, between, last] = ['100', '300', '250'].map((total_amount) => anOrder({ total_amount }))
    // Each state is in another slice.
    const list = [first, ...others.slice(0, 750), between, ...others.slice(750), last]
    assert.deepEqual(countsOf(await app.record(list)), [1_501, 2, 0])
    const entries = () => app.query('select count(*)::int as entries from entries')
    const before = await entries()
    for (const query of ['?details=true&dry_run=true', '?details=true'])
      assert.deepEqual(countsOf(await app.record(list, query)), [0, 0, 1_503])
    assert.deepEqual(await entries(), before)
    // The versions override the order of the list: the first state is the newer one.
    const versioned = [
      anOrder({ total_amount: '100', state_version: 2 }),
      anOrder({ total_amount: '250', state_version: 1 }),
    ]
    assert.deepEqual(countsOf(await app.record(versioned)), [0, 1, 1])
    await checkLedger(app.service.db)
  })

  test('a list that ends with its first order is written in as many slices as any other (decisions 42 and 71)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const list = Array.from({ length: 2_000 }, (_, n) =>
      anOrder({ order_id: `o-${n}`, products: [], total_amount: '10' }),
    )
    assert.deepEqual(countsOf(await app.record([...list, { ...list[0], total_amount: '20' }])), [2_000, 1, 0])
    // Each slice is a transaction of the embedded database; on PostgreSQL a request is one.
    const [written] = await app.query('select count(distinct xmin::text)::int as transactions from entries')
    assert.equal(written!.transactions, driver === 'pglite' ? 3 : 1)
    const [{ points }] = (await app.query("select points::int from accounts where user_id = 'u-1'")) as [
      { points: number },
    ]
    assert.equal(points, 2_001)
    await checkLedger(app.service.db)
  })

  for (const [noun, key, field, record] of [
    ['players', 'User_id', 'State_version', (n: number, more: object) => aPlayer({ Name: `Asha ${n}`, ...more })],
    [
      'products',
      'product_sku_id',
      'state_version',
      (n: number, more: object) => aProduct({ amount: `${n}.50`, ...more }),
    ],
  ] as const) {
    test(`${noun} with a lower version are stale, with the stored version and other content a conflict`, async (t) => {
      const app = await openTestApp(t)
      const state = (content: number, version?: unknown, more = {}) => record(content, { [field]: version, ...more })
      const send = (list: object[], query = '?details=true') =>
        noun === 'players' ? app.upsertPlayers(list, query) : app.upsertProducts(list, query)
      const refusedIn = (response: Reply) => verdictsOf(response).filter(([, verdict]) => verdict !== 'unchanged')
      const content = async () => (await app.query(`select rev::int, state_version::int as version from ${noun}`))[0]

      assert.deepEqual(countsOf(await send([state(1, 5)])), [1, 0, 0])
      assert.deepEqual(countsOf(await send([state(2, '7')])), [0, 1, 0])
      for (const dryRun of ['?details=true&dry_run=true', '?details=true']) {
        const late = await send([state(1, 5), state(3, 7)], dryRun)
        assert.deepEqual(
          [countsOf(late), refusedIn(late)],
          [
            [0, 0, 2],
            [
              [0, 'stale'],
              [1, 'conflict'],
            ],
          ],
        )
        assert.deepEqual(
          late.body.results.map(({ path }: { path: string }) => path),
          [`data[0].${field}`, `data[1].${field}`],
        )
        if (noun === 'players')
          assert.match(
            late.body.message,
            /Skipped user ids: u-1\. First: data\[1\]\.State_version: this version is stored /,
          )
        assert.deepEqual(await content(), { rev: 2, version: 7 })
      }
      // With equal content only the version changes. Without a version the state is accepted, and the stored version stays.
      await send([state(2, 9)])
      assert.deepEqual(await content(), { rev: 2, version: 9 })
      assert.deepEqual(countsOf(await send([state(4)])), [0, 1, 0])
      assert.deepEqual(await content(), { rev: 3, version: 9 })
      // In one request, in the order sent, beside records without versions.
      const mixed = await send([state(5, 11), state(6, 10), state(6), state(1, undefined, { [key]: 'another' })])
      assert.deepEqual([countsOf(mixed), refusedIn(mixed)], [[1, 2, 1], [[1, 'stale']]])
      const stored = await app.query(`select rev::int, state_version::int as version from ${noun} where rev > 1`)
      assert.deepEqual(stored, [{ rev: 4, version: 11 }])
    })
  }

  test('once a version is forgotten, the next state is accepted whatever its version', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ State_version: 9 })])
    await app.upsertProducts([aProduct({ state_version: 9 })])
    await app.record([anOrder({ state_version: 9 })])
    const { product_sku_id } = aProduct()
    for (const [noun, id] of [
      ['order', anOrder().order_id],
      ['player', 'u-1'],
      ['product', product_sku_id],
    ]) {
      const forget = () => app.ask('POST', `/api/admin/state-versions/${noun}/${id}/forget`)
      assert.deepEqual([(await forget()).status, (await forget()).body], [200, { forgotten: id }])
      assert.equal((await app.ask('POST', `/api/admin/state-versions/${noun}/none/forget`)).status, 404)
    }
    assert.equal((await app.ask('POST', '/api/admin/state-versions/token/x/forget')).status, 404)
    assert.deepEqual(countsOf(await app.upsertPlayers([aPlayer({ State_version: 1, Name: 'Other' })])), [0, 1, 0])
    assert.deepEqual(countsOf(await app.upsertProducts([aProduct({ state_version: 1, amount: '99' })])), [0, 1, 0])
    assert.deepEqual(countsOf(await app.record([anOrder({ state_version: 1, status: 'cancelled' })])), [0, 1, 0])
    await checkLedger(app.service.db)
  })

  test('a version that is not a whole number is refused with its path', async (t) => {
    const app = await openTestApp(t)
    for (const bad of [-1, 1.5, '1.5', '', 'x', 2 ** 53, '9007199254740992', true, []]) {
      const response = await app.upsertProducts([aProduct({ state_version: bad })], '?details=true')
      assert.equal(response.body.results[0]?.path, 'data[0].state_version', JSON.stringify(bad))
      const predicted = await app.predict(anOrder({ state_version: bad }))
      assert.deepEqual([predicted.status, predicted.body.path], [400, 'data.state_version'], JSON.stringify(bad))
    }
  })
})
