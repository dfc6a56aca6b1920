import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { createTokenCache } from '../../src/resources/tokens/cache.ts'
import { newToken } from '../../src/resources/tokens/service.ts'
import type { SingleRoute } from '../../src/routing/route.ts'
import { buildApp } from '../../src/server/app.ts'
import { BAD_BODIES, BAD_LINES, BAD_ORDERS, BAD_PLAYERS, BAD_PRODUCTS, withField } from '../support/bad-values.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, openTestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const OPERATIONS = [
  ['GET', '/api/predictions/orders'],
  ['POST', '/api/predictions/orders'],
  ['POST', '/api/integration/players'],
  ['POST', '/api/integration/products'],
] as const

const isWellMade = (error: unknown) =>
  typeof error === 'string' && error.length < 400 && !/\p{Cc}| {4}at |select |insert /u.test(error)

test('every bad value of every field of an order is refused with its path (decisions 4, 8, 9, 20, 21, 23, 30 and 31)', async (t) => {
  const app = await openTestApp(t)
  let cases = 0
  const refused = async (json: string, path: string) => {
    cases += 1
    const { status, body } = await app.ask('POST', '/api/predictions/orders', { body: `{"data":${json}}` })
    assert.deepEqual([status, body?.path], [400, path], json.slice(0, 300))
    assert(isWellMade(body.error), body.error)
  }
  for (const [field, values] of Object.entries(BAD_ORDERS)) {
    for (const value of values) await refused(withField(anOrder(), field, value), `data.${field}`)
  }
  for (const [field, values] of Object.entries(BAD_LINES)) {
    for (const value of values) {
      const line = withField({ product_sku_id: 'tea', amount: '1', qty: '1' }, field, value)
      await refused(withField(anOrder(), 'products', `[{},${line}]`), `data.products[1].${field}`)
    }
  }
  assert(cases > 400, `only ${cases} cases`)
  assert.equal((await app.predict(anOrder())).status, 200)
})

forEachService((openTestApp) => {
  test('every bad value of every field of players and products is skipped with its path, and the valid records in between are stored (decisions 42, 50 and 56)', async (t) => {
    const app = await openTestApp(t)
    const nouns = [
      ['players', BAD_PLAYERS, aPlayer(), 'User_id'],
      ['products', BAD_PRODUCTS, aProduct(), 'product_sku_id'],
    ] as const
    for (const [noun, table, good, key] of nouns) {
      const bad = Object.entries(table).flatMap(([field, values]) =>
        values.map((value) => ({ field, json: withField(good, field, value) })),
      )
      const list = bad.flatMap(({ json }, index) => [json, JSON.stringify({ ...good, [key]: `good-${index}` })])
      const { status, body } = await app.ask('POST', `/api/integration/${noun}?details=true`, {
        body: `{"data":[${list.join(',')}]}`,
      })
      assert.equal(status, 200)
      assert.deepEqual(
        body.results.map(({ path }: { path: string }) => path),
        bad.map(({ field }, index) => `data[${2 * index}].${field}`),
      )
      for (const { error } of body.results) assert(isWellMade(error), error)
      assert.deepEqual([body.inserted, body.updated, body.skipped], [bad.length, 0, bad.length])
      assert.deepEqual(await app.query(`select count(*)::int as stored from ${noun}`), [{ stored: bad.length }])
    }
  })

  test('a record that is not an object is skipped, and unknown fields are ignored, even prototype names (decision 8)', async (t) => {
    const app = await openTestApp(t)
    const hostile =
      '{"product_sku_id":"a","amount":1,"__proto__":{"amount":5},"constructor":1,"toString":null,"hasOwnProperty":[],"x":{"y":[]}}'
    const { body } = await app.ask('POST', '/api/integration/products?details=true', {
      body: `{"data":[null,1,"x",[],true,{"__proto__":{"product_sku_id":"b","amount":1}},${hostile}],"more":1}`,
    })
    assert.deepEqual([body.inserted, body.skipped], [1, 6])
    assert.deepEqual(
      body.results.map(({ path }: { path: string }) => path),
      ['data[0]', 'data[1]', 'data[2]', 'data[3]', 'data[4]', 'data[5].product_sku_id'],
    )
    assert.deepEqual(await app.query('select sku, price::text as price from products'), [{ sku: 'a', price: '1.0000' }])
  })

  test('of 250,000 records, every other one invalid, the valid half is stored', async (t) => {
    const app = await openTestApp(t)
    const list = Array.from({ length: 250_000 }, (_, index) =>
      index % 2 === 0 ? { product_sku_id: `p-${index}`, amount: index } : { product_sku_id: `p-${index}`, amount: 'x' },
    )
    const { status, body } = await app.upsertProducts(list)
    assert.deepEqual([status, body.inserted, body.updated, body.skipped], [200, 125_000, 0, 125_000])
    assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 125_000 }])
  })
})

test('every operation refuses every unreadable body, and nothing is written (decisions 2, 4 and 6)', async (t) => {
  const app = await openTestApp(t)
  for (const [name, body, path] of BAD_BODIES) {
    for (const [method, url] of OPERATIONS) {
      const reply = await app.ask(method, url, { body })
      assert.deepEqual([reply.status, reply.body?.path], [400, path], `${name}, ${method} ${url}`)
      assert(isWellMade(reply.body.error), reply.body.error)
    }
  }
  assert.deepEqual(
    await app.query('select (select count(*)::int from players) + (select count(*)::int from products) as stored'),
    [{ stored: 0 }],
  )
  const deepest = `{"data":[${'['.repeat(30)}${']'.repeat(30)}]}`
  assert.equal((await app.ask('POST', '/api/integration/products', { body: deepest })).status, 200)
})

test('the media type must be application/json, in any letter case, with charset utf-8, spelt with or without its hyphen, or none (decision 2)', async (t) => {
  const app = await openTestApp(t)
  const body = { data: anOrder() }
  const status = async (type: string) =>
    (await app.ask('POST', '/api/predictions/orders', { body, headers: { 'content-type': type } })).status
  for (const good of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; charset="UTF8"',
  ]) {
    assert.equal(await status(good), 200, good)
  }
  for (const bad of [
    'text/plain',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'json',
    '',
    'application/json; version=1',
    'multipart/form-data; boundary=x',
    ';',
  ]) {
    const reply = await app.ask('POST', '/api/predictions/orders', { body, headers: { 'content-type': bad } })
    assert.deepEqual([reply.status, reply.body.path], [400, 'header.content-type'], bad)
  }
  const none = await app.ask('POST', '/api/predictions/orders', { body, headers: { 'content-type': undefined } })
  assert.deepEqual([none.status, none.body.path], [400, 'header.content-type'])
  const packed = await app.ask('POST', '/api/predictions/orders', { body, headers: { 'content-encoding': 'br' } })
  assert.deepEqual([packed.status, packed.body.path], [400, 'header.content-encoding'])
})

test('without a body, or where none is read, any media type is accepted (decisions 1 and 2)', async (t) => {
  const app = await openTestApp(t)
  for (const type of ['text/plain', 'nonsense', ';;', undefined]) {
    const headers = { 'content-type': type }
    assert.equal((await app.ask('GET', '/healthz', { headers })).status, 200, `${type}`)
    assert.equal((await app.ask('GET', '/api/players/nobody', { headers })).status, 404, `${type}`)
    for (const method of ['GET', 'POST', 'QUERY']) {
      const { status, body } = await app.ask(method, '/api/predictions/orders', { headers })
      assert.deepEqual([status, body.path], [400, 'body'], `${method} ${type}`)
    }
  }
})

test('a body above its limit is refused with 413 and path body, with or without Content-Length, and nothing is written (decision 6)', async (t) => {
  const app = await openTestApp(t, { env: { UPSERT_BODY_BYTES_MAX: '2000' } })
  const tooLarge = (size: number) => `{"data":[${JSON.stringify(aProduct())}],"more":"${'x'.repeat(size)}"}`
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    for (const [method, url, size] of [
      ['GET', '/api/predictions/orders', 256 * 1024],
      ['POST', '/api/integration/players', 2000],
      ['POST', '/api/integration/products', 2_000_000],
    ] as const) {
      const { status, body } = await app.ask(method, url, { body: tooLarge(size), headers })
      assert.deepEqual([status, body.path], [413, 'body'], url)
    }
  }
  assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 0 }])
})

test('a list with too many records is refused with 413 and path data, whatever surrounds it, and nothing is written (decision 6)', async (t) => {
  const app = await openTestApp(t, { env: { BATCH_RECORDS_MAX: '3', BATCH_ORDERS_MAX: '2' } })
  const post = (path: string, body: string) => app.ask('POST', path, { body })
  const products = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, n) => aProduct({ product_sku_id: `p-${n}` })))
  for (const tooMany of [
    `{"data":${products(4)}}`,
    `{"more":{},"data":${products(4)}}`,
    `{"data":[],"more":${products(4)}}`,
  ]) {
    const { status, body } = await post('/api/integration/products', tooMany)
    const error = 'expected at most 3 records per request: split the batch'
    assert.deepEqual([status, body], [413, { path: 'data', error }], tooMany.slice(0, 20))
  }
  assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 0 }])
  for (const allowed of [`{"data":${products(3)}}`, `{"more":{},"data":${products(3)}}`])
    assert.equal((await post('/api/integration/products', allowed)).status, 200)
  const orders = await post('/api/integration/orders', JSON.stringify({ data: [anOrder(), anOrder(), anOrder()] }))
  assert.equal(orders.body.error, 'expected at most 2 records per request: split the batch')
})

test('a body of millions of tiny values is refused with 413 before it fills the memory (decision 6)', async (t) => {
  const app = await openTestApp(t)
  const wide = await app.ask('POST', '/api/integration/products', {
    body: `{"data":[{"x":[${Array(10_001).fill(0)}]}]}`,
  })
  assert.deepEqual([wide.status, wide.body.path], [413, 'body'])
  for (const tiny of ['{}', '[]', '1']) {
    const { status, body } = await app.ask('POST', '/api/integration/products', {
      body: `{"data":[${Array(6_000_001).fill(tiny).join(',')}]}`,
    })
    assert.deepEqual([status, body.path], [413, 'data'], tiny)
  }
})

test('parameters with a value other than true or false, and unknown ones, are refused with 400, and nothing is written (decision 12)', async (t) => {
  const app = await openTestApp(t)
  const bad = [
    ['?dry_run=1', 'query.dry_run'],
    ['?dry_run=', 'query.dry_run'],
    ['?dry_run=TRUE', 'query.dry_run'],
    ['?dry_run', 'query.dry_run'],
    ['?dry_run=true&dry_run=false', 'query.dry_run'],
    ['?dryrun=true', 'query.dryrun'],
    ['?explain=true', 'query.explain'],
    ['?__proto__=true', 'query.__proto__'],
    ['?constructor=true', 'query.constructor'],
  ] as const
  for (const [query, path] of bad) {
    const { status, body } = await app.upsertProducts([aProduct()], query)
    assert.deepEqual([status, body.path], [400, path], query)
  }
  assert.equal((await app.predict(anOrder(), '?details=true')).body.path, 'query.details')
  assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 0 }])
})

test('unknown paths get 404 and other methods 405 with Allow, in the error format of the contract (decision 4)', async (t) => {
  const app = await openTestApp(t)
  for (const path of [
    '/',
    '/api',
    '/api/predictions',
    '/api/integration/orders/',
    '/API/predictions/orders',
    '/healthz/',
    `/${'x'.repeat(3000)}`,
  ]) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, Object.keys(body)], [404, ['error']], path)
  }
  const cases = [
    ['DELETE', '/api/predictions/orders', 'GET, POST, QUERY'],
    ['HEAD', '/api/predictions/orders', 'GET, POST, QUERY'],
    ['OPTIONS', '/api/integration/players', 'POST'],
    ['GET', '/api/integration/players', 'POST'],
    ['PUT', '/api/integration/products', 'POST'],
    ['TRACE', '/healthz', 'GET, HEAD'],
    ['PROPFIND', '/metrics', 'GET'],
  ]
  for (const [method, path, allow] of cases) {
    const { status, headers } = await app.ask(method!, path!)
    assert.deepEqual([status, headers.allow], [405, allow], `${method} ${path}`)
  }
  assert.equal((await app.ask('GET', '/api/admin/players/%E0%A4%A')).status, 400)
  assert.equal((await app.ask('GET', `/api/admin/players/${'x'.repeat(2401)}`)).status, 414)
  for (const act of ['revoke', 'rotate'])
    assert.equal((await app.ask('POST', `/api/admin/tokens/%00/${act}`)).status, 404)
  for (const id of ['%00', '..%2f..', 'u%27%20or%201=1', '%F0%9F%8C%BF'.repeat(200)])
    assert.equal((await app.ask('GET', `/api/admin/players/${id}`)).status, 404)
})

test('malformed HTTP is answered in the same error format, and the service keeps running (decision 4)', async (t) => {
  const app = await openTestApp(t)
  const cases: [string, number][] = [
    ['hello\r\n\r\n', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    [`GET /healthz HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'POST /api/integration/products HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['POST /api/integration/products HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n', 400],
  ]
  for (const [text, status] of cases) {
    const reply = await sendRaw(app.url, text)
    assert.match(reply, new RegExp(`^HTTP/1\\.1 ${status} `), text.slice(0, 60))
    assert.deepEqual(
      Object.keys(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))),
      status === 400 ? ['path', 'error'] : ['error'],
    )
  }
  // A request without a Host header.
  assert.match(await sendRaw(app.url, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 200 /)
  // A client that disconnects in the middle of its body.
  await sendRaw(
    app.url,
    `POST /api/integration/products HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"data":`,
    50,
  )
  assert.equal((await app.predict(anOrder())).status, 200)
})

test('methods and versions of other protocols, and unsupported expectations, are not answered with 500 (decision 4)', async (t) => {
  const app = await openTestApp(t)
  const cases: [string, number][] = [
    ['PRI /healthz\r\n\r\n', 405],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['DESCRIBE /x RTSP/1.0\r\n\r\n', 404],
    ['SETUP /healthz RTSP/1.0\r\n\r\n', 405],
    ['CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n', 417],
    ['POST /api/integration/products HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\ncontent-length: 9\r\n\r\n', 417],
  ]
  for (const [text, status] of cases) {
    const reply = await sendRaw(app.url, text)
    assert.match(reply, new RegExp(`^HTTP/1\\.1 ${status} `), text)
    assert.equal(typeof JSON.parse(reply.slice(reply.indexOf('\r\n\r\n'))).error, 'string', text)
  }
  // Errors on a connection meant for a tunnel do not affect anyone else.
  const tunnel = connect(Number(new URL(app.url).port), '127.0.0.1')
  tunnel.write('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', () => tunnel.resetAndDestroy())
  assert.equal((await app.ask('GET', '/healthz')).status, 200)
  assert.equal(
    app.observations.some(({ kind }) => kind === 'request-failed'),
    false,
  )
})

test('garbage after pipelined requests is answered with 400 after them (decision 4)', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer()])
  const body = (order_id: string) => JSON.stringify({ data: [anOrder({ order_id })] })
  const post = (id: string) =>
    `POST /api/integration/orders HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: ${body(id).length}\r\n\r\n${body(id)}`
  for (const [sent, statuses] of [
    [`${post('o-1')}garbage\r\n\r\n`, ['200', '400']],
    [`${post('o-2')}${post('o-3')}\0\0\0`, ['200', '200', '400']],
    [`${post('o-4')}${post('o-5').replace('content-length', 'transfer-encoding: chunked\r\nx')}`, ['200', '400']],
  ] as const) {
    const reply = await sendRaw(app.url, sent)
    assert.deepEqual(
      [...reply.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
      statuses,
    )
    assert.equal(reply.split('"inserted":1').length, statuses.length, reply)
  }
})

/** A service with one route, `POST /one`, and a token for it. */
async function openRoute(
  t: TestContext,
  parts: Pick<SingleRoute, 'body' | 'handle'> & Readonly<{ heldBytesMax?: number }>,
) {
  const { heldBytesMax = 1e6, ...own } = parts
  const now = () => new Date()
  const tokens = createTokenCache(now)
  const { issued, stored } = newToken('test', ['admin'], now())
  tokens.replace([
    {
      ...{ token_id: stored.id, name: '', digest: stored.digest, scopes: ['admin'] },
      ...{ created_at: '', expires_at: null, revoked_at: null, last_used_at: null },
    },
  ])
  const route: SingleRoute = {
    methods: ['POST'],
    path: '/one',
    scopes: ['admin'],
    flags: [],
    timeoutMs: ONE_TIMEOUT_MS,
    response: Type.Object({}),
    described: { operationId: 'one', tag: 'service', summary: '', description: '', example: { response: {} } },
    ...own,
  }
  const tokenlessRoutes = { isReady: async () => true, metrics: { text: async () => '', contentType: 'text/plain' } }
  const app = buildApp({
    routes: [route],
    tokenlessRoutes,
    tokens,
    now,
    observe: () => undefined,
    trustedProxies: [],
    corsOrigins: [],
    connectionsMax: 10,
    heldBytesMax,
  })
  t.after(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const head = `POST /one HTTP/1.1\r\nhost: x\r\ntoken: ${issued.token}\r\ncontent-type: application/json\r\n`
  return { app, url, head }
}

const ONE_TIMEOUT_MS = 60_000

test('a slow body is answered with 408, by its total time and by the minimum rate (decisions 4 and 6)', async (t) => {
  const limits = { bytesMax: 1e6, timeoutMs: 60_000, bytesPerSecondMin: 0 }
  for (const [name, body] of [
    ['in all', { ...limits, timeoutMs: 200 }],
    ['rate', { ...limits, bytesPerSecondMin: 1_000_000, graceMs: 100 }],
  ] as const) {
    const { url, head } = await openRoute(t, { body, handle: async () => ({}) })
    const reply = await sendRaw(url, `${head}content-length: 500\r\n\r\n{`)
    assert.match(reply, /^HTTP\/1\.1 408 /, name)
    assert.match(reply, /connection: close/i)
  }
})

test('the time that a body waited for memory counts towards the deadline of its answer', async (t) => {
  const body = { bytesMax: 2 ** 20, timeoutMs: 60_000, bytesPerSecondMin: 0 }
  const seen: number[] = []
  const handle = async ({ deadlineAt }: Readonly<{ deadlineAt: number }>) => {
    seen.push(performance.now() - (deadlineAt - ONE_TIMEOUT_MS))
    return {}
  }
  const { app, url, head } = await openRoute(t, { body, handle, heldBytesMax: 2 ** 20 })
  const holder = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  holder.write(`${head}content-length: 900000\r\n\r\n{`)
  await once(app.server, 'request')
  const text = '{"data":{}}'.padEnd(600_000)
  const answered = sendRaw(url, `${head}connection: close\r\ncontent-length: 600000\r\n\r\n${text}`)
  await once(app.server, 'request')
  await sleep(0)
  const waitsAt = performance.now()
  await sleep(300)
  const waitedMs = performance.now() - waitsAt
  holder.destroy()
  assert.match(await answered, /^HTTP\/1\.1 200 /)
  assert(seen[0]! >= waitedMs, `of ${waitedMs} ms only ${seen[0]} count`)
})

test('bodies beyond the memory budget are refused with 503 and Retry-After, and the memory is released', async (t) => {
  const app = await openTestApp(t, { env: { BODIES_BYTES_MAX: String(2 ** 20) } })
  const large = { data: [], more: 'x'.repeat(2 ** 20) }
  for (let round = 0; round < 3; round += 1) {
    const refused = await app.ask('POST', '/api/integration/products', { body: large })
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
    assert.equal(
      (await app.ask('POST', '/api/integration/products', { body: { data: [], more: 'x'.repeat(2 ** 20 - 100) } }))
        .status,
      200,
    )
  }
})

test('uploads that exceed the memory budget together wait in turn, and disconnected ones give up their place', async (t) => {
  const app = await openTestApp(t, { env: { BODIES_BYTES_MAX: String(2 ** 20) } })
  const head = `POST /api/integration/products HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json`
  const holding = connect(Number(new URL(app.url).port), '127.0.0.1')
  holding.write(`${head}\r\ncontent-length: 900000\r\n\r\n{"data":[],"more":"`)
  await once(holding, 'connect')
  await app.predict(anOrder())
  const large = { body: { data: [], more: 'x'.repeat(600_000) } }
  const responses = Promise.all(Array.from({ length: 12 }, () => app.ask('POST', '/api/integration/products', large)))
  await sendRaw(app.url, `${head}\r\ncontent-length: 900000\r\n\r\n{"data":[],"more":"`, 50)
  // Small ones overtake those that wait.
  assert.equal((await app.predict(anOrder())).status, 200)
  holding.destroy()
  assert.deepEqual(
    (await responses).map(({ status }) => status),
    Array(12).fill(200),
  )
})

for (const [where, env, fromOf] of [
  ['', {}, (localAddress: string) => ({ localAddress })],
  [
    ' behind a trusted proxy',
    { TRUSTED_PROXIES: '127.0.0.1' },
    (address: string) => ({ headers: { 'x-forwarded-for': address } }),
  ],
] as const)
  test(`one address cannot use up the bodies of a token that others use too${where}`, async (t) => {
    const app = await openTestApp(t, { env: { ...env, BODIES_BYTES_MAX: String(2 ** 20) } })
    const page = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'page', scopes: ['predict'] } } })
    const predictFrom = (address: string, body: string, bytes: number) => {
      const { headers = {}, ...options }: http.RequestOptions = fromOf(address)
      const sent = { ...headers, token: page.body.token, 'content-type': 'application/json', 'content-length': bytes }
      const url = `${app.url}/api/predictions/orders`
      const request = http.request(url, { ...options, method: 'POST', agent: false, headers: sent })
      request.on('error', () => undefined).write(body)
      const status = once(request, 'response').then(([response]) => (response as http.IncomingMessage).statusCode)
      return { status, leave: () => request.destroy() }
    }
    const held = Array.from({ length: 20 }, () => predictFrom('127.0.0.2', '{'.padEnd(60_000), 200_000))
    assert.equal(await Promise.any(held.map(({ status }) => status)), 429, 'it holds all that it may')
    const order = `{"data":${JSON.stringify(anOrder())}}`.padEnd(100_000)
    const status = await predictFrom('127.0.0.1', order, order.length).status
    for (const { leave } of held) leave()
    assert.equal(status, 200)
  })

test('the memory of bodies whose clients disconnect half-way is released', async (t) => {
  const app = await openTestApp(t, { env: { BODIES_BYTES_MAX: String(2 ** 20) } })
  const head = `POST /api/integration/products HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json`
  for (let client = 0; client < 4; client += 1)
    await sendRaw(app.url, `${head}\r\ncontent-length: 900000\r\n\r\n{"data":[],"more":"${'x'.repeat(500_000)}`, 50)
  const large = { body: { data: [], more: 'x'.repeat(2 ** 20 - 100) } }
  await eventually('there is room again', async () => {
    return (await app.ask('POST', '/api/integration/products', large)).status === 200
  })
})

test('a client that disconnects in the middle of its body is not logged as a failure', async (t) => {
  const app = await openTestApp(t)
  await sendRaw(
    app.url,
    `POST /api/integration/products HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"data":`,
    50,
  )
  const { server } = app.service.app
  const connections = promisify(server.getConnections.bind(server))
  await eventually('the service has noticed', async () => (await connections()) === 0)
  assert.equal(
    app.observations.some(({ kind }) => kind === 'request-failed'),
    false,
  )
})

test('slow senders do not delay other clients', async (t) => {
  const app = await openTestApp(t)
  const sockets = Array.from({ length: 50 }, () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `POST /api/integration/products HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"data":`,
    )
    return socket
  })
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.predict(anOrder())))
  for (const socket of sockets) socket.destroy()
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
})

test('clients that pipeline without reading are bounded and disconnected; those that read get every answer in order', async (t) => {
  const app = await openTestApp(t)
  const { port } = new URL(app.url)
  const before = process.memoryUsage().rss
  const { server } = app.service.app
  let parsed = 0
  server.on('request', () => {
    parsed += 1
  })
  const silent = Array.from({ length: 60 }, () => {
    const socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      onread: { buffer: Buffer.alloc(1), callback: () => false },
    })
    socket.on('error', () => undefined)
    socket.write('GET /openapi.json HTTP/1.1\r\n\r\n'.repeat(2_000))
    return socket
  })
  const connections = promisify(server.getConnections.bind(server))
  await eventually('more wait than may', async () => parsed > 2_048)
  await eventually(
    'connections with more than 10,000 waiting requests are closed',
    async () => (await connections()) < 15,
  )
  assert(process.memoryUsage().rss - before < 400 * 2 ** 20, 'memory')
  for (const socket of silent) socket.destroy()
  await eventually('the others are closed', async () => (await connections()) === 0)

  const paths = Array.from({ length: 2_000 }, (_, at) => (at % 3 === 0 ? '/healthz' : `/nothing/${at}`))
  const requests = paths.map((path, at) => `GET ${path} HTTP/1.1\r\nx-request-id: ${at}\r\n\r\n`).join('')
  const reply = await sendRaw(app.url, `${requests}GET /readyz HTTP/1.1\r\nconnection: close\r\n\r\n`)
  assert.deepEqual(
    [...reply.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
    [...paths.map((path) => (path === '/healthz' ? '200' : '404')), '200'],
  )
  assert.deepEqual(
    [...reply.matchAll(/x-request-id: (\d+)\r/g)].map(([, at]) => Number(at)),
    [...paths.keys()],
  )
})

function sendRaw(url: string, text: string, leaveAfterMs?: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(reply))
    socket.write(text)
    if (leaveAfterMs !== undefined) setTimeout(() => socket.destroy(), leaveAfterMs)
  })
}
