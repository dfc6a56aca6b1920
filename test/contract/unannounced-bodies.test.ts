import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openTestApp, type TestApp } from '../support/test-app.ts'

const REQUESTS = 100

const sender =
  (app: TestApp, agent: http.Agent) =>
  async (method: string, path: string, body: string, headers: http.OutgoingHttpHeaders) => {
    const sent = http.request(`${app.url}${path}`, {
      method,
      agent,
      headers: { token: app.service.ownToken, ...headers },
    })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(await text(response)) }
  }

const JSON_TYPE = { 'content-type': 'application/json' }

test('a body of a GET without Content-Length is refused with its connection, and no later request is answered for it', async (t) => {
  const app = await openTestApp(t)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2 })
  t.after(() => agent.destroy())
  const send = sender(app, agent)
  for (let position = 0; position < REQUESTS; position += 1) {
    // node:http sends the body of a GET without a length and without chunks.
    const refused = await send('GET', '/api/predictions/orders', '{"data":{}}', { 'content-type': 'application/json' })
    assert.deepEqual([refused.status, refused.body.path, refused.headers.connection], [400, 'body', 'close'])
    assert.match(refused.body.error, /the request has no body/)
    const product = JSON.stringify({ data: [{ product_sku_id: `p-${position}`, amount: '1' }] })
    const headers = { 'content-type': 'application/json', 'content-length': product.length }
    const { status, body } = await send('POST', '/api/integration/products', product, headers)
    assert.deepEqual([status, body.inserted], [200, 1])
  }
})

test('the same holds for a request that is refused before its body is looked at', async (t) => {
  const app = await openTestApp(t)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const send = sender(app, agent)
  const refusals: [path: string, headers: http.OutgoingHttpHeaders, status: number][] = [
    ['/api/predictions/orders', { token: 'wrong', ...JSON_TYPE }, 401],
    ['/api/predictions/orders?explain=perhaps', JSON_TYPE, 400],
  ]
  for (const [path, headers, expected] of refusals) {
    const { status, headers: answered } = await send('GET', path, '{"data":{}}', headers)
    assert.deepEqual([status, answered.connection], [expected, 'close'])
    assert.equal((await send('GET', '/healthz', '', {})).status, 200)
  }
})

test('a request whose empty body is announced keeps its connection', async (t) => {
  const app = await openTestApp(t)
  for (const headers of [{ 'content-length': '0' }, { 'content-length': '0', 'content-encoding': 'gzip' }]) {
    const { status, headers: answered, body } = await app.ask('GET', '/api/predictions/orders', { body: '', headers })
    assert.deepEqual([status, body.path, answered.connection === 'close'], [400, 'body', false])
    assert.match(body.error, /^the request has no body: /)
  }
})
