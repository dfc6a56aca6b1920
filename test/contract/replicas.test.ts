import assert from 'node:assert/strict'
import test from 'node:test'
import { createPlayerQueue } from '../../src/ledger/player-queue.ts'
import { openOrderWrites, recordSentOrders } from '../../src/resources/orders/record-orders.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { sentRecords } from '../support/sent-records.ts'
import { forEachService } from '../support/test-app.ts'

const PLAYERS = 10
const REPLICAS = 12

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
})
