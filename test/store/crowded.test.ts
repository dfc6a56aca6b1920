import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { openService } from '../../src/cli/serve/service.ts'
import { readConfig } from '../../src/config.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { anOrder, aProduct } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { send } from '../support/test-app.ts'

test('predictions are answered while every writer waits for a lock', async (t) => {
  const databaseUrl = await testDatabase(t)
  const onFatal = (error: Error) => {
    throw error
  }
  const service = await openService(readConfig({ DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: '4' }), {
    log: () => undefined,
    onFatal,
    createMetrics,
  })
  t.after(() => service.close())
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const ask = (method: string, path: string, data: unknown) =>
    send(url, method, path, Buffer.from(JSON.stringify({ data })), {
      token: service.ownToken,
      'content-type': 'application/json',
    })
  await ask('POST', '/api/integration/products', [aProduct()])
  const holder = new pg.Client(databaseUrl)
  await holder.connect()
  await holder.query('begin')
  await holder.query("select 1 from products where sku = 'tea' for update")
  const writers = Array.from({ length: 8 }, (_, index) =>
    ask('POST', '/api/integration/products', [aProduct({ amount: 10 + index })]),
  )
  for (let round = 0; round < 5; round += 1)
    assert.equal((await ask('POST', '/api/predictions/orders', anOrder())).status, 200)
  await holder.query('rollback')
  await holder.end()
  assert.deepEqual(new Set((await Promise.all(writers)).map(({ status }) => status)), new Set([200]))
})
