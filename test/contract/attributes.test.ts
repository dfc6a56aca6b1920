/*
 * Attributes of orders and their lines.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const SOURCE = `name: Test
attributes: { product: { category: text }, order: { channel: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: tea, when: line.attributes.category == "tea", per-amount: { points: 1, every: 1 } }
  - { name: app, when: order.attributes.channel == "app", fixed: { points: 5 } }`

const publish = async (app: TestApp) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source: SOURCE } } })
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
