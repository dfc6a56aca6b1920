import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { type ServiceResponse, startService, temporaryDirectory } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

const UPSERT_TIMEOUT_MS = 3_000

function assertUnavailable({ status, headers, body, text }: ServiceResponse): void {
  assert.equal(status, 503, text)
  assert.match(headers.get('retry-after') ?? 'none', /^[1-9]\d*$/)
  if (body.status === undefined) assert.deepEqual(Object.keys(body), ['error'])
}

describe('an outage of the PostgreSQL server', { concurrency: true }, () => {
  for (const how of ['stop', 'kill'] as const) {
    const ended = how === 'stop' ? 'was stopped' : 'crashed'
    test(`while its PostgreSQL server ${ended} the service answers 503 with Retry-After, and recovers by itself`, async (t) => {
      const server = await startPostgresServer({ durable: true })
      t.after(() => server.stop())
      const service = await startService({
        data: join(temporaryDirectory(t), 'data'),
        env: { DATABASE_URL: server.url, PREDICTION_TIMEOUT_MS: '600', UPSERT_TIMEOUT_MS: String(UPSERT_TIMEOUT_MS) },
      })
      t.after(() => service.kill())
      const predict = () => service.ask('/api/predictions/orders', { body: { data: anOrder() } })
      let sent = 0
      const upsertPlayers = () => service.upsert('players', [aPlayer({ User_id: `u-${++sent}` })])
      assert.deepEqual([(await predict()).status, (await upsertPlayers()).status], [200, 200])

      // Clients send requests throughout the outage: no response may be anything but 200 or 503.
      const statuses = new Map<number, number>()
      const acknowledged: number[] = []
      let isOver = false
      const busy = [0, 1, 2, 3].map(async (client) => {
        while (!isOver) {
          const id = sent + 1 // The number of the next upsert.
          const response = await (client % 2 === 0 ? predict() : upsertPlayers())
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          if (client % 2 === 1 && response.status === 200) acknowledged.push(id)
        }
      })
      await eventually('the clients are busy', () => (statuses.get(200) ?? 0) >= 20)
      await server[how]()
      const responses = await Promise.all([
        service.ask('/readyz'),
        predict(),
        upsertPlayers(),
        service.upsert('products', [aProduct()]),
        service.ask('/api/admin/players/u-1'),
        service.ask('/api/admin/tokens', { body: { data: { name: 'x', scopes: ['admin'] } } }),
      ])
      for (const response of responses) assertUnavailable(response)
      assert.equal((await service.ask('/healthz')).status, 200)
      assert.equal((await service.ask('/api/admin/tokens', { headers: { token: 'wrong' } })).status, 401)
      const waitsSince = performance.now()
      const waiting = service.upsert('products', [aProduct({ amount: '7' })])

      await server.restart()
      const backAt = performance.now()
      await eventually('it is ready again', async () => (await service.ask('/readyz')).status === 200)
      // A busy machine may take all the request's time until then.
      const hasTimeLeft = performance.now() - waitsSince < UPSERT_TIMEOUT_MS / 2
      t.diagnostic(`ready ${Math.round(performance.now() - backAt)} ms after the server was back`)
      const { status } = await waiting
      if (hasTimeLeft) assert.equal(status, 200, 'a request with time left survives the outage')
      // Its time limit is short, and the machine may be busy: the first one may still come too late.
      await eventually('predictions are answered again', async () => (await predict()).status === 200)
      isOver = true
      await Promise.all(busy)
      t.diagnostic(`answers of the busy clients: ${JSON.stringify(Object.fromEntries(statuses))}`)
      assert.deepEqual([...statuses.keys()].sort(), [200, 503])
      for (const id of acknowledged.slice(-20))
        assert.equal((await service.ask(`/api/admin/players/u-${id}`)).status, 200, `u-${id} was acknowledged`)
      const { code, stdout, stderr } = await service.stop()
      assert.deepEqual([code, stderr], [0, ''])
      assert.ok(!stdout.includes('request-failed'))
    })
  }
})
