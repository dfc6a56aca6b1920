import assert from 'node:assert/strict'
import test from 'node:test'
import { createPlayerQueue } from '../../src/ledger/player-queue.ts'
import { openOrderWrites, recordSentOrders } from '../../src/resources/orders/record-orders.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { sentRecords } from '../support/sent-records.ts'
import { forEachService } from '../support/test-app.ts'

const PLAYERS = 10
const REPLICAS = 12
const OF_CATALOGUE = `name: Catalogue
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1, of: catalogue } }]`

forEachService((openTestApp) => {
  test('orders of the same players sent to many replicas concurrently have the same result as one after the other', async (t) => {
    const app = await openTestApp(t)
    const users = Array.from({ length: PLAYERS }, (_, index) => `u${index}`)
    await app.upsertPlayers(users.map((id) => aPlayer({ User_id: id, Refercode: id })))
    // Each process has its own queue; they share only the database.
    const options = { details: true, dryRun: false, by: 't-1', scopes: new Set<never>(), timeoutMs: 20_000 }
    const sendTo = async (replica: number, orders: readonly object[]) => {
      const deps = { ...app.service.deps, playerQueue: createPlayerQueue() }
      const { counts } = await recordSentOrders(deps, openOrderWrites(deps), sentRecords([orders]), options)
      return { replica, ...counts }
    }
    const own = (replica: number) =>
      users.map((_, place) => {
        const user = (place * 7 + replica * 3) % PLAYERS
        return anOrder({ order_id: `own-${user}-${replica}`, user_id: `u${user}`, total_amount: 100 })
      })
    const shared = users.map((user_id) => anOrder({ order_id: `shared-${user_id}`, user_id, total_amount: 100 }))
    const done = await Promise.all(
      Array.from({ length: REPLICAS }, (_, replica) => sendTo(replica, [...own(replica), ...shared])),
    )
    assert.equal(
      done.reduce((sum, { inserted }) => sum + inserted, 0),
      PLAYERS * REPLICAS + PLAYERS,
    )
    const accounts = await app.query('select points, orders, entries from accounts order by user_id')
    const each = { points: 10 * (REPLICAS + 1), orders: REPLICAS + 1, entries: REPLICAS + 1 }
    assert.deepEqual(
      accounts,
      users.map(() => each),
    )
  })

  test('a price that another process has stored counts for the next order and prediction', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.upsertProducts([aProduct()])
    await app.ask('POST', '/api/admin/programs', { body: { data: { source: OF_CATALOGUE } } })
    const order = (order_id: string) => anOrder({ order_id })
    const pointsOf = async (id: string) => {
      await app.record([order(id)])
      const [recorded] = await app.query(`select points from orders where order_id = '${id}'`)
      return Number(recorded!.points)
    }
    const before = await pointsOf('o-before')
    const predicted = (await app.predict(order('o-next'))).body.total_points
    await app.query("update products set price = 2 * price where sku = 'tea'")
    assert.equal(await pointsOf('o-after'), 2 * before)
    // On the embedded database there is no other process.
    if (app.service.db.hasOtherWriters)
      assert.equal((await app.predict(order('o-next'))).body.total_points, 2 * predicted)
  })
})
