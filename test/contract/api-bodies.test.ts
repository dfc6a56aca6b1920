/*
 * Bodies generated from the schemas of the API description: whatever a schema allows, the service accepts.
 */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { OPERATIONS } from '../support/api-description.ts'
import { aPlayer } from '../support/builders.ts'
import { fromSchema } from '../support/from-schema.ts'
import { openTestApp } from '../support/test-app.ts'

const COUNT = 400

/** A program under which amounts may have four decimals. */
const WITH_CENTS = `${STARTER_PROGRAM}money: { decimals: 4 }\n`

type Sent = Record<string, unknown>

/** At the end of the century every date allowed by the schema is in the past. */
const openLateApp = (t: TestContext) => openTestApp(t, { now: () => new Date('2099-12-31T12:00:00Z') })

/** Fields whose validity depends on the program, on the player's balance or on the list of currencies, which no schema can express. */
const DEPENDENT_FIELDS = ['usable_on', 'expires_on', 'points_redeemed', 'redemption_id', 'currency']
const withoutDependentFields = (sent: readonly Sent[]) =>
  sent.map((one) =>
    Object.fromEntries(
      Object.entries(one)
        .filter(([name]) => !DEPENDENT_FIELDS.includes(name))
        .map(([name, value]) => [name, name === 'products' ? withoutRefunds(value) : value]),
    ),
  )

/** Nor can a schema say that a refund is at most its line. */
function withoutRefunds(products: unknown): unknown {
  if (typeof products === 'string') return JSON.stringify(withoutRefunds(JSON.parse(products)))
  if (!Array.isArray(products)) return products
  return products.map(({ refunded: _, ...line }) => line)
}

/** COUNT records for the request of an operation, with distinct values in each of `keys`. */
function records(operationId: string, ...keys: string[]): Sent[] {
  const { requestBody } = OPERATIONS.find((one) => one.operationId === operationId)!
  const { properties } = requestBody!.content['application/json']!.schema as { properties: { data: object } }
  const { data } = properties as { data: { items?: object } }
  const all = fc.sample(fromSchema(data.items ?? data) as fc.Arbitrary<Sent>, { numRuns: 2 * COUNT, seed: 121 })
  const unique = keys.reduce((kept, key) => [...new Map(kept.map((one) => [one[key], one])).values()], all)
  assert(unique.length >= COUNT, `${operationId}: ${unique.length} records`)
  return unique.slice(0, COUNT)
}

test('none of 400 generated players, products, orders and balances is skipped as invalid (decision 110)', async (t) => {
  const app = await openLateApp(t)
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: WITH_CENTS } } })
  const take = async (path: string, data: Sent[]) => {
    const { status, body, text } = await app.ask('POST', `${path}?details=true`, { body: { data } })
    assert.equal(status, 200, text)
    const { results, inserted } = body
    assert.deepEqual([inserted, results[0], data[results[0]?.position]], [data.length, undefined, undefined], path)
  }
  await take('/api/integration/players', records('upsertPlayers', 'User_id'))
  await take('/api/integration/products', records('upsertProducts', 'product_sku_id'))
  // One player each, because no account may hold more than 2^53-1 points.
  for (const [operationId, path, key] of [
    ['recordOrders', '/api/integration/orders', 'order_id'],
    ['adjustPlayers', '/api/admin/balances', 'id'],
  ] as const) {
    const sent = withoutDependentFields(records(operationId, key)).map((one, index) => ({
      ...one,
      user_id: `${operationId}-${index}`,
    }))
    await app.upsertPlayers(sent.map(({ user_id }) => aPlayer({ User_id: user_id })))
    await take(path, sent)
  }
})

test('400 generated orders are predicted, 100 adjustments made, 100 tokens created and 100 player searches run (decision 110)', async (t) => {
  const app = await openLateApp(t)
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: WITH_CENTS } } })
  for (const data of withoutDependentFields(records('predictOrder'))) {
    const { status, text } = await app.ask('POST', '/api/predictions/orders', { body: { data } })
    assert.equal(status, 200, `${text} for ${JSON.stringify(data)}`)
  }
  const adjustments = withoutDependentFields(records('adjustPlayer').slice(0, 100))
  await app.upsertPlayers(adjustments.map((_, index) => aPlayer({ User_id: `u-${index}` })))
  for (const [index, data] of adjustments.entries()) {
    const { status, text } = await app.ask('POST', `/api/players/u-${index}/adjustments`, { body: { data } })
    assert.equal(status, 200, `${text} for ${JSON.stringify(data)}`)
  }
  // Only 100, as each creation reads all tokens; no schema can require an expiry in the future.
  for (const { expires_at: _, ...data } of records('createToken').slice(0, 100)) {
    const { status, text } = await app.ask('POST', '/api/admin/tokens', { body: { data } })
    assert.equal(status, 200, `${text} for ${JSON.stringify(data)}`)
  }
  // No schema can require at least one search field.
  for (const data of records('searchPlayers').slice(0, 100)) {
    const { status, text } = await app.ask('POST', '/api/admin/players/search', {
      body: { data: { ...data, user_id: 'u-1' } },
    })
    assert.equal(status, 200, `${text} for ${JSON.stringify(data)}`)
  }
})
