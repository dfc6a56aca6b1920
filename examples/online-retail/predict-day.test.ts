import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BUSY_DAY } from './expected.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { type OrderRecord, toOrders } from './records.ts'

const EXTRACT = fileURLToPath(new URL('extract/online-retail-extract.csv', import.meta.url))
const PREDICT_DAY = fileURLToPath(new URL('predict-day.ts', import.meta.url))
const run = promisify(execFile)
const PATIENCE_MS = 60_000

/** A stub service: one point per order, and 400 for one of them. It answers only once `together` requests are waiting. */
async function startStandIn(t: TestContext, refusedId: string, together = 1) {
  const { promise: allAsked, resolve: answerFrom } = Promise.withResolvers<void>()
  const patience = setTimeout(answerFrom, PATIENCE_MS)
  t.after(() => clearTimeout(patience))
  const seen = { most: 0, now: 0, orders: [] as OrderRecord[] }
  const server = createServer(async (request, response) => {
    seen.most = Math.max(seen.most, ++seen.now)
    if (seen.now === together) answerFrom()
    const { data } = (await json(request)) as { data: OrderRecord }
    await allAsked
    await new Promise((resolve) => setTimeout(resolve, 5))
    seen.now -= 1
    const known = request.headers.token === 'secret'
    if (known) seen.orders.push(data)
    const fits = request.method === 'POST' && request.url === '/api/predictions/orders'
    const status = !fits ? 404 : !known ? 401 : data.order_id === refusedId ? 400 : 200
    const answer = { message: 'You will earn 1 point and stay at Bronze.', total_points: 1 }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(status === 200 ? answer : { error: 'no' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function prepare(t: TestContext, orders: readonly OrderRecord[]) {
  const directory = await mkdtemp(join(tmpdir(), 'predict-day-'))
  t.after(() => rm(directory, { recursive: true }))
  const files = { orders: join(directory, 'orders.ndjson'), token: join(directory, 'token') }
  await writeFile(files.orders, orders.map((order) => `${JSON.stringify(order)}\n`).join(''))
  await writeFile(files.token, 'secret\n')
  return files
}

test('every order of the day is predicted once, a few concurrently, and printed in the original order', async (t) => {
  const orders = toOrders(await readInvoices(openCsv(EXTRACT)))
  const ofTheDay = orders.filter((order) => order.ordered_at.startsWith(BUSY_DAY.day))
  const files = await prepare(t, orders)
  const { seen, url } = await startStandIn(t, '', 4)
  const flags = ['--url', url, '--token-file', files.token, '--concurrency', '4']
  const { stdout } = await run(process.execPath, [PREDICT_DAY, files.orders, BUSY_DAY.day, ...flags])
  assert.equal(seen.most, 4)
  assert.deepEqual(new Set(seen.orders), new Set(ofTheDay))
  const lines = stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.slice(1, -2).map((line) => line.split(/\s+/)[0]),
    ofTheDay.map((order) => order.order_id),
  )
  assert.equal(lines.at(-1), `${BUSY_DAY.orders} orders, ${BUSY_DAY.orders} points`)
})

test('a refused order is reported and counted; a wrong token or a day without orders ends the run', async (t) => {
  const orders = toOrders(await readInvoices(openCsv(EXTRACT)))
  const files = await prepare(t, orders)
  const { url } = await startStandIn(t, '539101')
  const attempt = async (day: string, token: string) => {
    await writeFile(files.token, token)
    const flags = ['--url', url, '--token-file', files.token]
    return run(process.execPath, [PREDICT_DAY, files.orders, day, ...flags]).then(
      () => assert.fail('expected to fail'),
      (failed: { stdout: string; stderr: string }) => failed,
    )
  }
  const { stdout } = await attempt(BUSY_DAY.day, 'secret')
  assert.match(stdout, /539101 .* - {2}400 \{"error":"no"\}/)
  assert.match(stdout, /35 orders, 34 points, 1 refused\n$/)
  assert.match((await attempt(BUSY_DAY.day, 'wrong')).stderr, /does not accept the token/)
  assert.match((await attempt('2010-12-25', 'secret')).stderr, /has no order of 2010-12-25/)
})
