/*
 * The routes declare what they answer, and the commands rely on it: real answers against the declared shapes.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clean } from 'typebox/value'
import { ANSWERS, type RouteName } from '../../src/http/routes/answers.ts'
import { STARTER_PROGRAM } from '../../src/points/starter-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { openTestApp, type Reply, type TestApp } from '../support/test-app.ts'

const NOW = '2026-06-01T12:00:00.000Z'

/** For each route requests whose answers, together, have every field that it declares. They run in this order. */
const REQUESTS: Readonly<Record<RouteName, (app: TestApp) => Promise<Reply>[]>> = {
  'POST /api/integration/players': (app) => [
    app.upsertPlayers([aPlayer(), {}], '?details=true'),
    app.upsertPlayers(Array(1_001).fill({ User_id: 'u-2' }), '?details=true'),
    app.upsertPlayers([aPlayer()]),
  ],
  'POST /api/integration/products': (app) => [
    app.upsertProducts([aProduct(), aProduct(), {}], '?details=true'),
    app.upsertProducts(Array(1_001).fill({ product_sku_id: 'cup' }), '?details=true'),
  ],
  'POST /api/integration/orders': (app) => [
    app.record([anOrder({ refferral_code: 'NOBODY', products: [{ product_sku_id: 'mug' }] })], '?details=true'),
    app.record([anOrder({ order_id: 'o-0', total_amount: 0, products: [] })]),
    app.record(Array(1_001).fill(anOrder({ order_id: 'o-2', user_id: 'nobody' })), '?details=true'),
  ],
  'POST /api/predictions/orders': (app) => [
    app.predict(anOrder()),
    app.predict(anOrder({ refferral_code: 'NOBODY', products: [{ product_sku_id: 'mug' }] }), '?explain=true'),
    app.predict(anOrder({ total_amount: 0, products: [] }), '?explain=true'),
    app.predict(anOrder({ total_amount: 1_000_000 }), '?explain=true'),
  ],
  'POST /api/players/:user_id/adjustments': (app) => [
    app.ask('POST', '/api/players/u-1/adjustments', {
      body: { data: { id: 'a-1', points: 5, counts: false, reason: 'sorry' } },
    }),
  ],
  'POST /api/admin/balances': (app) => [
    app.ask('POST', '/api/admin/balances?details=true', {
      body: { data: [{ user_id: 'u-1', id: 'a-1', points: 5, counts: false, reason: 'sorry' }, {}] },
    }),
    app.ask('POST', '/api/admin/balances?details=true', { body: { data: Array(1_001).fill({ user_id: 'u-1' }) } }),
  ],
  'GET /api/players/:user_id': (app) => [
    app.ask('GET', '/api/players/u-1?explain=true'),
    app.ask('GET', '/api/players/u-1?limit=1'),
  ],
  'GET /api/admin/players/:user_id': (app) => [app.ask('GET', '/api/admin/players/u-1')],
  'POST /api/admin/tokens': (app) => [
    app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'a', scopes: ['predict'] } } }),
    app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'b', scopes: ['admin', 'orders'], expires_at: '2099-01-01T00:00:00Z' } },
    }),
  ],
  'POST /api/admin/tokens/:id/rotate': (app) => [
    tokenId(app).then((id) => app.ask('POST', `/api/admin/tokens/${id}/rotate`)),
  ],
  'POST /api/admin/tokens/:id/revoke': (app) => [
    tokenId(app).then((id) => app.ask('POST', `/api/admin/tokens/${id}/revoke`)),
  ],
  'GET /api/admin/tokens': (app) => [app.ask('GET', '/api/admin/tokens')],
  'POST /api/admin/programs': (app) => [
    app.ask('POST', '/api/admin/programs', {
      body: { data: { source: `${STARTER_PROGRAM}# Again\n`, from: '2027-01-01T00:00:00Z', note: 'next year' } },
    }),
  ],
  'POST /api/admin/programs/:version/withdraw': (app) => [app.ask('POST', '/api/admin/programs/2/withdraw')],
  'GET /api/admin/programs': (app) => [app.ask('GET', '/api/admin/programs')],
  'GET /api/admin/programs/:version': (app) => [
    app.ask('GET', '/api/admin/programs/current'),
    app.ask('GET', '/api/admin/programs/2'),
  ],
}

/** The id of a token that is neither revoked nor expired. */
async function tokenId(app: TestApp): Promise<string> {
  const { body } = await app.ask('GET', '/api/admin/tokens')
  return body.tokens.find(({ revoked_at }: { revoked_at: string | null }) => revoked_at === null).id
}

test('every route answers what it declares, every field that it declares, and no other', async (t) => {
  const app = await openTestApp(t, { now: () => new Date(NOW) })
  assert.deepEqual(Object.keys(REQUESTS).sort(), Object.keys(ANSWERS).sort())
  for (const [name, ask] of Object.entries(REQUESTS) as [RouteName, (typeof REQUESTS)[RouteName]][]) {
    const schema: TSchema = ANSWERS[name]
    const check = Compile(schema)
    const bodies: unknown[] = []
    for (const reply of ask(app)) {
      const { status, body, text } = await reply
      assert.equal(status, 200, `${name}: ${text}`)
      assert(check.Check(body), `${name}: ${JSON.stringify([...check.Errors(body)][0])} in ${text.slice(0, 500)}`)
      assert.deepEqual(Clean(schema, structuredClone(body)), body, `${name} answers what it does not declare`)
      bodies.push(body)
    }
    assert.deepEqual(unseen(schema, bodies), [], `${name} declares what no answer has`)
  }
})

/** The fields of a schema that none of these values has. */
function unseen(schema: TSchema, values: readonly unknown[], path = ''): string[] {
  const { anyOf, items, properties } = schema as { anyOf?: TSchema[]; items?: TSchema; properties?: object }
  const present = values.filter((value) => value !== null)
  if (anyOf !== undefined)
    return anyOf.flatMap((one) => ('type' in one && one.type === 'null' ? [] : unseen(one, present, path)))
  if (items !== undefined) return unseen(items, present.flat(), `${path}[]`)
  if (present.length === 0) return [path]
  return Object.entries(properties ?? {}).flatMap(([field, one]) => {
    const having = present.filter((value) => Object.hasOwn(value as object, field))
    return unseen(
      one as TSchema,
      having.map((value) => (value as Record<string, unknown>)[field]),
      `${path}.${field}`,
    )
  })
}
