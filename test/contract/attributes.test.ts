/*
 * Attributes of orders and their lines.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const SOURCE = `name: Test
attributes: { product: { category: text }, order: { channel: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: tea, when: line.attributes.category == "tea", per-amount: { points: 1, every: 1 } }
  - { name: app, when: order.attributes.channel == "app", fixed: { points: 5 } }`

const publish = async (app: TestApp, source = SOURCE) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(status, 200, text)
}

const order = (parts: object = {}) =>
  anOrder({
    ...{ total_amount: 100, discount: 0, attributes: { channel: 'app', store: 'Kochi' } },
    products: [
      { product_sku_id: 'A', amount: '60', attributes: { category: 'tea', brand: 'X' } },
      { product_sku_id: 'B', amount: '40' },
    ],
    ...parts,
  })

forEachService((openTestApp) => {
  test('attributes count in predictions and on record, are kept until they are sent again, and the ledger verifies', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await publish(app)
    const points = async (sent: object) => (await app.predict(sent)).body.total_points
    assert.equal(await points(order()), 65)
    await app.record([order()])
    const { attributes: _, ...without } = order() as Record<string, unknown>
    assert.equal((await app.record([without])).body.updated, 0)
    assert.equal(await points({ ...without, attributes: {} }), 60)
    assert.equal((await app.record([order({ attributes: { store: 'Kochi', channel: 'app' } })])).body.updated, 0)
    assert.equal((await app.record([{ ...without, attributes: {} }])).body.updated, 1)
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
    const { body } = await app.ask('GET', '/api/admin/orders/o-1?reveal=true')
    assert.deepEqual([body.attributes, body.points], [undefined, 60])
    assert.deepEqual(body.lines[0].attributes, { brand: 'X', category: 'tea' })
  })

  test('products keep attributes until they are sent again, in whatever batch, and unchanged ones are not written', async (t) => {
    const app = await openTestApp(t)
    const upsert = async (...products: object[]) => {
      const { status, body, text } = await app.ask('POST', '/api/integration/products?unchanged=true', {
        body: { data: products },
      })
      assert.equal(status, 200, text)
      return [body.inserted, body.updated, body.unchanged]
    }
    const shown = async (sku: string) => {
      const { body } = await app.ask('GET', `/api/admin/products/${sku}`)
      return [body.price, body.attributes, body.rev]
    }
    const tea = aProduct({ product_sku_id: 'TEA', amount: '5', attributes: { tags: ['green'], category: 'tea' } })
    const plain = { product_sku_id: 'TEA', amount: '5.00' }
    assert.deepEqual(await upsert(tea, aProduct({ product_sku_id: 'CUP', amount: '9' })), [2, 0, 0])
    assert.deepEqual(await shown('TEA'), ['5', { category: 'tea', tags: ['green'] }, 1])
    assert.deepEqual(await shown('CUP'), ['9', {}, 1])
    assert.deepEqual(await upsert(plain), [0, 0, 1])
    assert.deepEqual(await upsert({ ...plain, attributes: { category: 'tea', tags: ['green'] } }), [0, 0, 1])
    assert.deepEqual(await upsert({ ...plain, amount: '6' }), [0, 1, 0])
    assert.deepEqual(await shown('TEA'), ['6', { category: 'tea', tags: ['green'] }, 2])
    assert.deepEqual(await upsert({ ...plain, amount: '6', attributes: { category: 'coffee' } }), [0, 1, 0])
    assert.deepEqual(await upsert({ ...plain, amount: '6', attributes: {} }), [0, 1, 0])
    assert.deepEqual(await upsert({ ...plain, amount: '6', attributes: {} }), [0, 0, 1])
    assert.deepEqual(await shown('TEA'), ['6', {}, 4])
    const many = Array.from({ length: 150 }, (_, index) =>
      aProduct({ product_sku_id: `P-${index}`, attributes: { category: `c${index % 3}` } }),
    )
    assert.deepEqual(await upsert(...many, tea), [150, 1, 0])
    assert.deepEqual(await app.query('select count(*)::int as sets from product_attributes'), [{ sets: 5 }])
  })

  test('an order keeps the attributes that its products had when it first had them, and its lines say more (decision 161)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const product = (sku: string, category: string) => aProduct({ product_sku_id: sku, attributes: { category } })
    await app.upsertProducts([product('A', 'tea'), product('B', 'cups')])
    const lines = (...skus: string[]) => skus.map((sku) => ({ product_sku_id: sku, amount: '50' }))
    const sent = (parts: object = {}) => order({ attributes: {}, products: lines('A', 'B'), ...parts })
    // Recorded under a program that declares none.
    await app.record([sent({ order_id: 'before', ordered_at: '2026-01-01T00:00:00Z' })])
    await publish(app)
    const points = async (one: object) => (await app.predict(one)).body.total_points
    for (const _ of [1, 2]) assert.equal(await points(sent()), 50)
    await app.record([sent()])
    const mixed = [{ ...lines('A')[0], attributes: { category: 'cups' } }, ...lines('B')]
    assert.equal(await points(sent({ order_id: 'o-2', products: mixed })), 0)
    await app.upsertProducts([product('A', 'coffee'), product('B', 'tea'), product('C', 'tea')])
    assert.equal(await points(sent()), 50, 'as first recorded')
    assert.equal(await points(sent({ products: lines('A', 'C') })), 100, 'a product that is new in the order')
    assert.equal(await points(sent({ order_id: 'o-3' })), 50, 'B is tea by now')
    await app.record([sent({ products: lines('A', 'C') })])
    const { body: shown } = await app.ask('GET', '/api/admin/orders/o-1')
    assert.equal(shown.points, 100)
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
    const { body } = await app.ask('POST', '/api/admin/simulations', {
      body: { data: { order: sent({ order_id: 'before' }), under_version: 2 } },
    })
    assert.equal(body.compared.total_points, 50, 'a later program sees what was stored before it')
    const now = app.service.deps.now().toISOString()
    const { tally } = await backtestProgram(app.service.db, { source: SOURCE, now }, () => undefined)
    assert.deepEqual([tally.points.after, tally.unlikeLedger], [150n, 0], 'in a backtest, too')
  })

  test('orders keep the attributes of their products when their referrer is erased, and when their player is', async (t) => {
    const app = await openTestApp(t)
    await publish(app, `${SOURCE}\nreferral: { friend: 5, referrer: 7 }`)
    // As a code it stands in the facts of orders, where attributes have the same name.
    await app.upsertPlayers([aPlayer({ Refercode: 'attributes' }), aPlayer({ User_id: 'u-2', Refercode: '' })])
    await app.upsertProducts([aProduct({ product_sku_id: 'A', attributes: { category: 'tea' } })])
    const lines = [{ product_sku_id: 'A', amount: '60' }]
    const sent = order({ user_id: 'u-2', refferral_code: 'attributes', attributes: {}, products: lines })
    await app.record([sent])
    for (const id of ['u-1', 'u-2']) {
      const data = { reason: 'asked to' }
      const erased = await app.ask('POST', `/api/admin/players/${id}/erase`, { body: { data } })
      assert.equal(erased.status, 200, erased.text)
      const facts = await app.query("select (facts -> 'attributes' ->> 'A') is not null as has from orders")
      assert.deepEqual(facts, [{ has: true }])
      assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
      const now = app.service.deps.now().toISOString()
      const { tally } = await backtestProgram(app.service.db, { source: SOURCE, now }, () => undefined)
      assert.equal(tally.unlikeLedger, 0)
      const later = await app.record([{ ...sent, products: [...lines, { amount: id === 'u-1' ? '1' : '2' }] }])
      assert.equal(later.status, 200, later.text)
    }
  })

  test('attributes are shown masked, and an erasure removes them', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([order()])
    const shown = async (query = '') => {
      const { body } = await app.ask('GET', `/api/admin/orders/o-1${query}`)
      return [body.attributes, body.lines[0].attributes]
    }
    assert.deepEqual(await shown('?reveal=true'), [
      { channel: 'app', store: 'Kochi' },
      { brand: 'X', category: 'tea' },
    ])
    assert.deepEqual(await shown(), [
      { channel: '•••', store: '•••' },
      { brand: '•••', category: '•••' },
    ])
    const erased = await app.ask('POST', '/api/admin/players/u-1/erase', { body: { data: { reason: 'asked' } } })
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual(await shown('?reveal=true'), [undefined, undefined])
    const [stored] = await app.query('select state from orders')
    assert.doesNotMatch(JSON.stringify(stored), /Kochi|tea/)
  })

  test('attributes that are too many, too large, nested or badly named are refused with their path, and other values ignored', async (t) => {
    const app = await openTestApp(t)
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, 1]))
    const long = 'x'.repeat(201)
    const cases: [unknown, RegExp][] = [
      [many, /^expected at most 32 attributes, got 33$/],
      [{ A: 1 }, /^expected names of 1 to 40 lower-case letters.*, got "A"$/],
      [JSON.parse('{"__proto__": 1}'), /^expected names of/],
      [{ constructor: 1 }, /^expected names of/],
      [{ a: { b: 1 } }, /^expected a string, a number with at most 4 decimal places, a boolean.*, got an object$/],
      [{ a: 1.23456 }, /^expected a string, a number/],
      [{ a: [1] }, /^expected a string, got 1$/],
      [{ a: long }, /^expected a string of at most 200 characters/],
      [{ a: Array(33).fill('') }, /^expected at most 32 strings in an attribute, got 33$/],
      [
        {
          a: 'é'.repeat(200),
          b: 'é'.repeat(200),
          c: 'é'.repeat(200),
          d: 'é'.repeat(200),
          e: 'é'.repeat(200),
          f: 'é'.repeat(100),
        },
        /^expected attributes of at most 2048 bytes as JSON, got 22\d\d$/,
      ],
    ]
    for (const [attributes, error] of cases) {
      const { status, body } = await app.predict(order({ attributes }))
      assert.deepEqual([status, body.path], [400, 'data.attributes'], JSON.stringify(attributes))
      assert.match(body.error, error)
    }
    const products = [{ product_sku_id: 'A', attributes: { a: 'x'.repeat(195) } }]
    assert.equal((await app.predict(order({ products }))).body.path, 'data.products[0].attributes')
    for (const attributes of [[], 'text', 7, null]) assert.equal((await app.predict(order({ attributes }))).status, 200)
  })
})
