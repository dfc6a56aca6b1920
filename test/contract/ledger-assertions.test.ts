import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import type { Queryable } from '../../src/database/db/driver.ts'
import type { Deps } from '../../src/deps.ts'
import { readOrder } from '../../src/engine/ingest/order.ts'
import { recordOrders } from '../../src/engine/points/ledger/record.ts'
import type { Entry, SentOrder } from '../../src/engine/points/model.ts'
import { readSnapshot, toOrderQuery } from '../../src/ledger/snapshots.ts'
import { type ComputedSlice, writeSlices } from '../../src/ledger/write-slices.ts'
import { createTokenCache } from '../../src/resources/tokens/cache.ts'
import { newToken } from '../../src/resources/tokens/service.ts'
import { buildApp } from '../../src/server/app.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, send } from '../support/test-app.ts'

const soon = () => performance.now() + 20_000
const NOW = new Date('2026-06-01T00:00:00Z')

/** The computed result of recording an order, with a fault planted in its first entry. */
async function brokenSlice(
  { programs }: Deps,
  db: Queryable,
  order: SentOrder,
  fault: Partial<Entry>,
): Promise<ComputedSlice<{ done: string }>> {
  const before = await readSnapshot(db, [toOrderQuery(order, programs(), NOW.toISOString())])
  const { accounts, orders, entries } = recordOrders([order], before, programs(), NOW.toISOString())
  const [first, ...others] = entries
  return {
    change: { accounts, orders, entries: [{ ...first!, ...fault }, ...others] },
    before,
    verdicts: [{ done: 'inserted' }],
  }
}

/** A server whose only route records an order with a fault, and its observations. */
async function serving(deps: Deps, order: SentOrder, fault: Partial<Entry>) {
  const observations: Observation[] = []
  const now = () => NOW
  const { issued, stored } = newToken('test', ['admin'], NOW)
  const at = NOW.toISOString()
  const app = buildApp({
    routes: [
      {
        methods: ['POST'],
        path: '/write',
        scopes: ['admin'],
        flags: [],
        timeoutMs: 20_000,
        response: Type.Array(Type.String()),
        described: { operationId: 'write', tag: 'service', summary: '', description: '', example: { response: [] } },
        handle: ({ deadlineAt }) =>
          writeSlices(deps, [[order]], {
            compute: (db, [only]) => brokenSlice(deps, db, only!, fault),
            wanted: [{ userId: order.userId }],
            at,
            deadlineAt,
          }),
      },
    ],
    tokenlessRoutes: { isReady: async () => true, metrics: { text: async () => '', contentType: 'text/plain' } },
    tokens: createTokenCache(now, { id: stored.id, digest: Buffer.from(stored.digest, 'hex') }),
    now,
    observe: (observation) => observations.push(observation),
    trustedProxies: [],
    corsOrigins: [],
    connectionsMax: 10,
    heldBytesMax: 1e6,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, observations, write: () => send(url, 'POST', '/write', undefined, { token: issued.token }) }
}

forEachService((openTestApp, driver) => {
  test('a ledger change that does not add up is answered with 500, logged with its order, and not written', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    const stored = () =>
      app.query(
        `select (select json_agg(a) from accounts a)::text as accounts, (select json_agg(o) from orders o)::text as orders,
          (select json_agg(e) from entries e)::text as entries, (select json_agg(o) from order_owners o)::text as owners`,
      )
    const before = await stored()
    const order = readOrder(anOrder({ order_id: 'o-2' }), 'data', NOW)
    const faults: [Partial<Entry>, RegExp][] = [
      [{ points: 1_000n }, /^order o-2: its order entries for u-1 at 2026-06-01T00:00:00\.000Z are off by 880 points$/],
      [{ seq: 5n }, /^order o-2: its entry for u-1 is number 5, and the one before it is number 1$/],
    ]
    for (const [fault, sentence] of faults) {
      const { app: server, observations, write } = await serving(app.service.deps, order, fault)
      t.after(() => server.close())
      const { status, body, headers } = await write()
      assert.deepEqual([status, body], [500, { error: 'internal error' }])
      const failed = observations.filter((one) => one.kind === 'request-failed')
      assert.equal(failed.length, 1)
      assert.equal(failed[0]!.requestId, headers['x-request-id'])
      assert.match((failed[0]!.error as Error).message, sentence)
      assert.deepEqual(await stored(), before)
    }
    const { app: server, write } = await serving(app.service.deps, order, {})
    t.after(() => server.close())
    assert.equal((await write()).status, 200, 'without a fault it is written')
    assert.equal((await app.query('select order_id from orders')).length, 2)
  })
  test('slices before one that does not add up stay written only if each slice is its own transaction (decision 42)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    const { deps } = app.service
    const read = (order: object) => readOrder(anOrder(order), 'data', NOW)
    const orders = [read({}), read({ order_id: 'o-2', user_id: 'u-2' })]
    const writing = writeSlices(
      deps,
      orders.map((order) => [order]),
      {
        compute: (db, [order]) => brokenSlice(deps, db, order!, order!.id === 'o-2' ? { points: 1n } : {}),
        wanted: [{ userId: 'u-1' }, { userId: 'u-2' }],
        at: NOW.toISOString(),
        deadlineAt: soon(),
      },
    )
    await assert.rejects(writing, assert.AssertionError)
    const left = driver === 'pglite' ? [{ order_id: 'o-1' }] : []
    for (const table of ['orders', 'entries', 'order_owners'])
      assert.deepEqual(await app.query(`select order_id from ${table}`), left, table)
  })
})
