import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldStatistics } from '../../src/resources/statistics/fold-statistics.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { openTestAppAt } from '../support/test-app.ts'

const [ROUNDS, ORDERS] = [4, 25]
const NOW = '2026-06-10T12:00:00.000Z'

test('two services on one database count everything once, and give the same answers', async (t) => {
  const url = await testDatabase(t)
  const options = { now: () => new Date(NOW) }
  const services = [await openTestAppAt(t, url, options), await openTestAppAt(t, url, options)]
  const [first] = services as [(typeof services)[number]]
  await first.upsertPlayers(['u-0', 'u-1', 'u-2'].map((User_id) => aPlayer({ User_id, Refercode: User_id })))
  const record = (replica: number, round: number) =>
    services[replica]!.record(
      Array.from({ length: ORDERS }, (_, index) =>
        anOrder({
          order_id: `o-${replica}-${round}-${index}`,
          user_id: `u-${index % 3}`,
          ordered_at: `2026-06-0${1 + (index % 9)}T12:00:00Z`,
        }),
      ),
    )
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all(
      services.flatMap(({ service }, replica) => [
        record(replica, round),
        foldStatistics(service.db),
        service.deps.activity.flush(),
      ]),
    )
  for (const { service } of services) await service.deps.activity.flush()
  assert.deepEqual((await verifyLedger(first.service.db, () => undefined)).differences, [])
  for (const what of ['statistics/orders?per=span', 'statistics/summary', 'sources']) {
    const [one, other] = await Promise.all(services.map((app) => app.ask('GET', `/api/admin/${what}`)))
    assert.deepEqual(one!.body, other!.body, what)
  }
  const { lines } = (await first.ask('GET', '/api/admin/statistics/orders?per=span')).body
  const orders = lines.find(({ measure }: { measure: string }) => measure === 'orders')
  assert.equal(orders.n, services.length * ROUNDS * ORDERS)
  const { sources } = (await first.ask('GET', '/api/admin/sources')).body
  const sent = sources.filter(({ record_type }: { record_type: string }) => record_type === 'orders')
  const sum = (name: string) => sent.reduce((total: number, feed: Record<string, number>) => total + feed[name]!, 0)
  assert.deepEqual([sum('requests'), sum('inserted')], [services.length * ROUNDS, services.length * ROUNDS * ORDERS])
})
