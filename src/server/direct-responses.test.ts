import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import type { Route } from '../routing/route.ts'
import type { Caller } from '../scopes.ts'
import type { Observation } from '../telemetry/observation.ts'
import { createBodyBudget } from './body/body-budget.ts'
import { createConnections } from './connections/connections.ts'
import { respondDirectly } from './direct-responses.ts'

const USUAL = { 'content-type': 'application/json', token: 'known' }
const KNOWN: Caller = { tokenId: 'a', name: 'a', scopes: new Set(['predict']) }

test('usual requests are answered without the framework, and counted with token and trace', async (t) => {
  const { ask, observed } = await openServer(t)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  assert.equal(await ask('GET', '/direct', { ...USUAL, traceparent }, '{"data":7}'), '{"doubled":14}\n')
  assert.equal(await ask('POST', '/direct?explain=true', USUAL, '{"data":8}'), '{"doubled":16,"why":true}\n')
  // Read from the connection in two chunks.
  assert.equal(await ask('GET', '/direct', USUAL, `{"data":"7${' '.repeat(100_000)}"}`), '{"doubled":14}\n')
  assert.match(await ask('GET', '/direct', USUAL, '{"data":'), /"error":"invalid JSON/)
  assert.deepEqual(
    observed.map(
      (one) => one.kind === 'request-answered' && [one.method, one.route, one.status, one.tokenId, one.traceparent],
    ),
    [
      ['GET', '/direct', 200, 'a', traceparent],
      ['POST', '/direct', 200, 'a', undefined],
      ['GET', '/direct', 200, 'a', undefined],
      ['GET', '/direct', 400, 'a', undefined],
    ],
  )
})

test('whatever is unusual about a request leaves it to the framework, with its body', async (t) => {
  const { ask } = await openServer(t, { trustedProxies: ['127.0.0.1'] })
  const others: [string, string, OutgoingHttpHeaders][] = [
    ['PUT', '/direct', {}],
    ['GET', '/direct?', {}],
    ['GET', '/direct?explain=false', {}],
    ['GET', '/other', {}],
    ['GET', '/direct', { token: 'unknown' }],
    ['GET', '/direct', { 'content-type': 'text/json' }],
    ['GET', '/direct', { 'content-encoding': 'gzip' }],
    ['GET', '/direct', { 'x-forwarded-for': '10.0.0.1' }],
    ['GET', '/direct', { 'transfer-encoding': 'chunked' }],
  ]
  for (const [method, path, headers] of others)
    assert.equal(await ask(method, path, { ...USUAL, ...headers }, '{"data":7}'), 'framework: {"data":7}')
  const large = JSON.stringify({ data: 'x'.repeat(300_000) })
  for (const body of ['', large]) assert.equal(await ask('GET', '/direct', USUAL, body), `framework: ${body}`)
})

test('where pages of other origins may ask, the framework answers', async (t) => {
  const { ask } = await openServer(t, { corsOrigins: ['https://shop.example'] })
  assert.equal(await ask('GET', '/direct', USUAL, '{"data":7}'), 'framework: {"data":7}')
})

test('a body for which there is no memory is left to the framework, which refuses it', async (t) => {
  const { ask } = await openServer(t, { heldBytesMax: 5 })
  assert.equal(await ask('GET', '/direct', USUAL, '{"data":7}'), 'framework: {"data":7}')
})

test('a request whose client has left is not passed on: the framework would wait for its body', async (t) => {
  const { ask, observed, passedOn } = await openServer(t, { isReset: true })
  for (const length of [10, 20])
    await assert.rejects(ask('GET', '/direct', { ...USUAL, 'content-length': length }, '{"data":7}'))
  await setTimeout(50)
  assert.deepEqual([observed, passedOn], [[], []])
})

/** With `isReset`, each request is handled only after its connection was reset. */
async function openServer(
  t: TestContext,
  { corsOrigins = [] as string[], trustedProxies = [] as string[], heldBytesMax = 2 ** 20, isReset = false } = {},
) {
  const route: Route = {
    methods: ['GET', 'POST'],
    path: '/direct',
    scopes: ['predict'],
    flags: ['explain'],
    body: { bytesMax: 2 ** 20, timeoutMs: 1_000, bytesPerSecondMin: 0 },
    timeoutMs: 1_000,
    isDirect: true,
    response: Type.Unknown(),
    described: { operationId: '', tag: 'service', summary: '', description: '', example: { response: {} } },
    handle: async ({ data, flags }) => ({ doubled: Number(data) * 2, ...(flags.explain ? { why: true } : {}) }),
  }
  const observed: Observation[] = []
  const connections = createConnections(() => undefined)
  const direct = respondDirectly({
    routes: [route],
    callerWith: ({ headers }) => (headers.token === 'known' ? KNOWN : undefined),
    requestIdOf: () => 'id',
    reservationFor: createBodyBudget(heldBytesMax).reservationFor,
    connections,
    trustedProxies,
    corsOrigins,
    observe: (one) => observed.push(one),
  })
  const passedOn: string[] = []
  const listener = direct((sent, response) => {
    passedOn.push(sent.url!)
    void text(sent).then((body) => response.end(`framework: ${body}`))
  })
  const server = createServer((sent, response) => {
    if (!isReset) return listener(sent, response)
    response.once('close', () => listener(sent, response))
    sent.socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const ask = async (method: string, path: string, headers: OutgoingHttpHeaders, body: string) => {
    const length = headers['transfer-encoding'] === undefined ? { 'content-length': body.length } : {}
    const sent = request({ port, method, path, agent: false, headers: { ...length, ...headers } })
    sent.end(body)
    const [reply] = await once(sent, 'response')
    return await text(reply)
  }
  return { ask, observed, passedOn }
}
