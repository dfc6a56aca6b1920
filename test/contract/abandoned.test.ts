/*
 * Clients that disconnect before their requests are done (decision 72).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { sendAndLeave } from '../support/leaving-client.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

/** Blocks all writes until `release` is called. */
async function holdDatabase({ service: { db } }: TestApp) {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const ended = db.transaction(async (tx) => {
    await tx.query('lock table accounts, players, products in exclusive mode')
    held.resolve()
    await release.promise
  }, performance.now() + 60_000)
  await held.promise
  return async () => {
    release.resolve()
    await ended
  }
}

const REQUESTS = {
  orders: ['/api/integration/orders', [anOrder()]],
  players: ['/api/integration/players', [aPlayer({ User_id: 'u-2' })]],
  products: ['/api/integration/products', [aProduct()]],
  adjustments: ['/api/players/u-1/adjustments', { id: 'a-1', points: 5, counts: true, reason: 'a test' }],
  balances: ['/api/admin/balances', [{ user_id: 'u-1', id: 'b-1', points: 5, counts: true, reason: 'a test' }]],
} as const
const WRITTEN = `select (select count(*) from orders)::int as orders, (select count(*) from players)::int as players,
  (select count(*) from products)::int as products, (select count(*) from entries)::int as entries`

forEachService((openTestApp) => {
  for (const way of ['finish', 'reset'] as const) {
    test(`a request whose client disconnects (${way}) while the database is busy is abandoned unwritten, and logged (decision 72)`, async (t) => {
      const app = await openTestApp(t)
      await app.upsertPlayers([aPlayer()])
      const before = await app.query(WRITTEN)
      const release = await holdDatabase(app)
      let arrived = 0
      app.service.app.server.on('request', () => {
        arrived += 1
      })
      const requests = Object.values(REQUESTS).map(([path, data]) => sendAndLeave(app, path, data))
      await eventually('they have arrived', () => arrived === requests.length)
      for (const request of requests) request[way]()
      await eventually('the service has noticed the disconnects', async () => (await connectionsOf(app)) <= 1)
      await release()
      const abandoned = () => app.observations.filter((one) => one.kind === 'request-abandoned')
      await eventually('each is abandoned', () => abandoned().length === requests.length)
      for (const { slicesWritten, slices } of abandoned()) assert.deepEqual([slicesWritten, slices], [0, 1])
      assert.deepEqual(await app.query(WRITTEN), before)

      // Sent again, they are carried out.
      for (const [path, data] of Object.values(REQUESTS)) {
        const { status, text } = await app.ask('POST', path, { body: { data } })
        assert.equal(status, 200, text)
      }
      assert.deepEqual(await app.query(WRITTEN), [{ orders: 1, players: 2, products: 1, entries: 3 }])
    })
  }
})

/** The number of open connections, including the one of the test's own requests. */
function connectionsOf({ service }: TestApp): Promise<number> {
  return new Promise((resolve, reject) =>
    service.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}
