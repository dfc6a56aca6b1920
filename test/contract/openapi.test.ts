import assert from 'node:assert/strict'
import test from 'node:test'
import { Compile } from 'typebox/compile'
import { BAD_ORDERS, BAD_PLAYERS, BAD_PRODUCTS, withField } from '../support/bad-values.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { openTestApp, send } from '../support/test-app.ts'

/** Forms that the service accepts besides the plainest one: numbers as texts, null for optional fields, a list as a text. */
const GOOD = {
  '/api/predictions/orders': {
    total_amount: [1200, '0012'],
    products: [[], '[]', [{}], [{ qty: null }]],
    phone: [5, null],
    subscript_points: ['true', false, null],
  },
  '/api/integration/players': { Phone: ['', 91, null], Pincode: [1, '01'], Email: ['', null], Add: [null, ''] },
  '/api/integration/products': { amount: [0, '4.50', 4.5] },
} as const

test('the API description needs no token, and its schemas agree with what the service takes (decision 66)', async (t) => {
  const app = await openTestApp(t)
  const { status, body } = await send(app.url, 'GET', '/openapi.json', undefined, {})
  assert.deepEqual(
    [status, body.openapi, Object.keys(body.paths)],
    [
      200,
      '3.1.0',
      [
        '/api/predictions/orders',
        '/api/integration/players',
        '/api/integration/products',
        '/api/integration/orders',
        '/api/players/{user_id}',
        '/api/players/{user_id}/adjustments',
        '/api/admin/balances',
      ],
    ],
  )
  const operations = [
    ['/api/predictions/orders', 'get', anOrder(), BAD_ORDERS, (data: unknown) => data],
    ['/api/integration/players', 'post', aPlayer(), BAD_PLAYERS, (data: unknown) => [data]],
    ['/api/integration/products', 'post', aProduct(), BAD_PRODUCTS, (data: unknown) => [data]],
  ] as const
  for (const [path, method, good, bad, envelope] of operations) {
    const check = Compile(body.paths[path][method].requestBody.content['application/json'].schema)
    assert(check.Check({ data: envelope(good) }), path)
    for (const [field, values] of Object.entries(GOOD[path])) {
      for (const value of values)
        assert(
          check.Check({ data: envelope({ ...good, [field]: value }) }),
          `${path} ${field} ${JSON.stringify(value)}`,
        )
    }
    for (const [field, values] of Object.entries(bad)) {
      // A schema cannot express everything (dates that exist, NUL), but it must refuse wrong types and missing fields.
      for (const value of ['{}', 'true', 'ABSENT'].filter((one) => values.includes(one))) {
        assert(!check.Check({ data: envelope(JSON.parse(withField(good, field, value))) }), `${path} ${field} ${value}`)
      }
    }
  }
})
