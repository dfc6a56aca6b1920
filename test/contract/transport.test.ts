/*
 * HTTP behaviour beyond the contract, for proxies, browsers and clients: early refusals, gzip, CORS, request ids, ETags.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import test from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { anOrder, aPlayer } from '../support/builders.ts'
import { openTestApp, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const MIB = 1024 * 1024

test('the refusal of a large body arrives 50 out of 50 times, with fetch and with a proxy that sends before it reads (decision 74)', async (t) => {
  const app = await openTestApp(t, { env: { UPSERT_BODY_BYTES_MAX: String(MIB) } })
  const large = new Uint8Array(4 * MIB).fill(0x20)
  const refused = async (token: string) => {
    const reply = await fetch(`${app.url}/api/integration/players`, {
      method: 'POST',
      headers: { token, 'content-type': 'application/json' },
      body: large,
    })
    assert.match(await reply.text(), /"error"/)
    return reply.status
  }
  for (const [token, status] of [
    ['wrong', 401],
    [app.service.ownToken, 413],
  ] as const) {
    const statuses = new Set<number>()
    for (let times = 0; times < 25; times += 1) statuses.add(await refused(token))
    assert.deepEqual(statuses, new Set([status]))
  }
  for (let times = 0; times < 50; times += 1) {
    const { received, broken } = await sendWholeBeforeReading(app, 'wrong', 4 * MIB)
    assert.equal(broken, undefined)
    assert.match(received, /^HTTP\/1\.1 401 /)
  }
})

/** As nginx talks to an upstream: it sends the whole request before it reads, with one request per connection. */
function sendWholeBeforeReading(app: TestApp, token: string, bytes: number) {
  return new Promise<{ received: string; broken: Error | undefined }>((resolve) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1').pause()
    let received = ''
    let broken: Error | undefined
    const head = `POST /api/integration/players HTTP/1.0\r\nconnection: close\r\ntoken: ${token}\r\ncontent-type: application/json\r\n`
    socket.on('error', (error) => {
      broken = error
    })
    socket.on('close', () => resolve({ received, broken }))
    socket.write(`${head}content-length: ${bytes}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes, ' '), () => {
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.resume()
    })
  })
}

test('a client that keeps sending for more than 100 MiB after a refusal is cut off (decision 74)', async (t) => {
  const app = await openTestApp(t)
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = new Promise((resolve) => socket.on('error', resolve).on('close', resolve))
  socket.write(
    'POST /api/integration/players HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n',
  )
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, ' '), Buffer.from('\r\n')])
  let sentMib = 0
  const sendMore = () => {
    while (!socket.destroyed && sentMib < 1_000) {
      sentMib += 1
      if (!socket.write(chunk)) return void socket.once('drain', sendMore)
    }
  }
  sendMore()
  await closed
  assert.match(received, /^HTTP\/1\.1 401 /)
  assert(sentMib > 90 && sentMib < 200, `${sentMib} MiB`)
})

test('one address may have half of CONNECTIONS_MAX, so that others still connect; a trusted proxy may have all (decision 155)', async (t) => {
  const askFrom = async (app: TestApp, localAddress: string) => {
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', localAddress })
    t.after(() => socket.destroy())
    const { promise, resolve } = Promise.withResolvers<boolean>()
    socket.on('error', () => undefined).on('close', () => resolve(false))
    socket.on('data', () => resolve(true)).write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    return { socket, isAnswered: await promise }
  }
  const answeredOf = async (app: TestApp, localAddress: string, count: number) => {
    const asked = await Promise.all(Array.from({ length: count }, () => askFrom(app, localAddress)))
    return asked.filter(({ isAnswered }) => isAnswered).map(({ socket }) => socket)
  }
  const app = await openTestApp(t, { env: { CONNECTIONS_MAX: '7' } })
  const held = await answeredOf(app, '127.0.0.2', 7)
  assert.equal(held.length, 4)
  assert.equal((await answeredOf(app, '127.0.0.3', 3)).length, 3)
  held[0]!.destroy()
  await eventually('there is room again', async () => (await askFrom(app, '127.0.0.2')).isAnswered)

  const behind = await openTestApp(t, { env: { CONNECTIONS_MAX: '7', TRUSTED_PROXIES: '127.0.0.2' } })
  assert.equal((await answeredOf(behind, '127.0.0.2', 7)).length, 7)
})

test('repeated slashes in a path count as one (decision 2)', async (t) => {
  const app = await openTestApp(t)
  assert.equal((await app.ask('POST', '/api//predictions///orders', { body: { data: anOrder() } })).status, 200)
  const refused = await app.ask('DELETE', '/api//predictions///orders')
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, QUERY'])
  assert.equal((await app.ask('GET', '/api//nothing')).status, 404)
})

test('no cache may keep what needs no token but says how this process is, the metrics included', async (t) => {
  const app = await openTestApp(t)
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await app.ask('GET', path)).headers['cache-control'], 'no-store', path)
})

test('a field of an order in the query string is refused with where it belongs', async (t) => {
  const app = await openTestApp(t)
  const { status, body } = await app.ask('GET', '/api/predictions/orders?user_id=u-1&total_amount=5')
  assert.deepEqual([status, body.path], [400, 'query.user_id'])
  assert.match(body.error, /: send the order in the body$/)
  const other = await app.ask('GET', '/api/predictions/orders?limit=5')
  assert.equal(other.body.error, 'expected no other parameter than explain')
})

test('a connection stays usable after a refusal if the whole body has arrived', async (t) => {
  const app = await openTestApp(t)
  const { status, headers } = await app.ask('POST', '/api/predictions/orders', { body: '{' })
  assert.deepEqual([status, headers.connection], [400, 'keep-alive'])
})

test('every answer has a request id, that of the caller if it is well-formed, and X-Content-Type-Options (decision 79)', async (t) => {
  const app = await openTestApp(t)
  for (const [method, path] of [
    ['GET', '/healthz'],
    ['GET', '/openapi.json'],
    ['GET', '/nothing'],
    ['DELETE', '/healthz'],
    ['POST', '/api/predictions/orders'],
  ] as const) {
    const own = await app.ask(method, path)
    assert.match(String(own.headers['x-request-id']), /^[\w-]{36}$/, path)
    assert.equal(own.headers['x-content-type-options'], 'nosniff', path)
    const theirs = await app.ask(method, path, { headers: { 'x-request-id': 'shop.42' } })
    assert.equal(theirs.headers['x-request-id'], 'shop.42', path)
  }
  const ok = await app.predict(anOrder())
  assert.deepEqual([ok.status, String(ok.headers['x-request-id']).length], [200, 36])
  for (const raw of ['nonsense\r\n\r\n', 'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n'])
    assert.match(await sendRaw(app.url, raw), /\r\nx-request-id: [\w-]{36}\r\n/)
})

test('bytes that are not HTTP get the same answer on the port of the console, behind the answers before them', async (t) => {
  const app = await openTestApp(t, { env: { CONSOLE_PORT: '0' } })
  const { consoleServer } = app.service.app
  await once(consoleServer!.listen({ host: '127.0.0.1', port: 0 }), 'listening')
  const { port } = consoleServer!.address() as AddressInfo
  const responses = ['nonsense\r\n\r\n', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nnonsense\r\n\r\n'].map((raw) =>
    [app.url, `http://127.0.0.1:${port}`].map(async (url) =>
      (await sendRaw(url, raw)).replace(/^(x-request-id|date): .*$/gim, '$1'),
    ),
  )
  for (const pair of responses) {
    const [api, beside] = await Promise.all(pair)
    assert.match(api!, /^\{"path":"request".*\}\n$/m)
    assert.equal(beside, api)
  }
})

test('every JSON body ends with a newline', async (t) => {
  const app = await openTestApp(t)
  const replies = [
    await app.predict(anOrder()),
    await app.predict({}),
    await app.ask('GET', '/healthz'),
    await app.ask('GET', '/nothing'),
    await app.ask('GET', '/openapi.json'),
    await app.ask('GET', '/schemas/program.json'),
  ]
  for (const { text } of replies) assert.match(text, /^\{.*[^\n]\n$/s)
  assert.match(await sendRaw(app.url, 'nonsense\r\n\r\n'), /\}\n$/)
})

test('a body sent without a length gets an error that says so', async (t) => {
  const app = await openTestApp(t)
  const sent = (path: string) =>
    sendRaw(
      app.url,
      `GET ${path} HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\n\r\n{"data":{}}`,
    )
  const response = await sent('/api/predictions/orders')
  assert.match(response, /"error":"the request has no body: a client or proxy probably dropped it/)
  assert.equal(response.match(/HTTP\/1\.1 /g)?.length, 1, 'one request, one answer')
  assert.match(
    await sent('/healthz'),
    /"error":"this is not an HTTP\/1\.1 request, but looks like the body of one: send its length in Content-Length"/,
  )
  assert.doesNotMatch(await sendRaw(app.url, 'nonsense\r\n\r\n'), /Content-Length"/)
})

test('the API description and the program schema support HEAD and conditional requests', async (t) => {
  const app = await openTestApp(t)
  for (const path of ['/openapi.json', '/schemas/program.json', '/schemas/cases.json']) {
    const got = await app.ask('GET', path)
    const head = await app.ask('HEAD', path)
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', got.headers.etag])
    const etag = String(got.headers.etag)
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const again = await app.ask('GET', path, { headers: { 'if-none-match': known } })
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    }
    assert.equal((await app.ask('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200)
  }
})

test('answers above 1 KiB are compressed for clients that accept gzip, and no others', async (t) => {
  const app = await openTestApp(t)
  const plain = await app.ask('GET', '/openapi.json')
  const encodingOf = async (path: string, accepted?: string) =>
    (await app.ask('GET', path, accepted === undefined ? {} : { headers: { 'accept-encoding': accepted } })).headers[
      'content-encoding'
    ]
  for (const accepted of ['gzip', 'br, gzip;q=0.5', 'GZIP', 'x-gzip'])
    assert.equal(await encodingOf('/openapi.json', accepted), 'gzip', accepted)
  for (const accepted of ['br', 'gzip;q=0', 'gzip;q=0.0', 'identity'])
    assert.equal(await encodingOf('/openapi.json', accepted), undefined, accepted)
  assert.equal(await encodingOf('/openapi.json'), undefined)
  assert.equal(await encodingOf('/healthz', 'gzip'), undefined)
  assert.equal(plain.headers.vary, 'accept-encoding')
  const reply = await fetch(`${app.url}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(await reply.text(), plain.text)
  const bytes = await rawBody(
    app.url,
    'GET /openapi.json HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n',
  )
  assert.equal(gunzipSync(bytes).toString(), plain.text)
})

test('request bodies may be gzipped, and limits apply to the inflated size', async (t) => {
  const app = await openTestApp(t, { env: { UPSERT_BODY_BYTES_MAX: String(MIB) } })
  const send = (body: Uint8Array, encoding = 'gzip') =>
    app.ask('POST', '/api/integration/players', {
      body,
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    })
  const players = Buffer.from(JSON.stringify({ data: [aPlayer()] }))
  assert.equal((await send(gzipSync(players))).body.inserted, 1)
  assert.equal((await send(gzipSync(players), 'GZip')).body.updated, 1)
  assert.equal((await send(players, 'identity')).body.updated, 1)
  const predicted = await app.ask('POST', '/api/predictions/orders', {
    body: gzipSync(JSON.stringify({ data: anOrder() })),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  })
  assert.equal(predicted.status, 200)
  const bomb = gzipSync(Buffer.alloc(200 * MIB, ' '))
  const refusals = [
    [await send(bomb), 413, 'body'],
    [await send(players), 400, 'body'],
    [await send(gzipSync(players).subarray(0, 40)), 400, 'body'],
    [await send(Buffer.alloc(0)), 400, 'body'],
    [await send(players, 'br'), 400, 'header.content-encoding'],
    [await send(players, 'gzip, gzip'), 400, 'header.content-encoding'],
  ] as const
  for (const [{ status, body }, expected, path] of refusals) assert.deepEqual([status, body.path], [expected, path])
})

test('pages of other origins may call the service only if a setting names their origin', async (t) => {
  const preflight = {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  const closed = await openTestApp(t)
  const refused = await closed.ask('OPTIONS', '/api/predictions/orders', { headers: preflight })
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [405, undefined])
  const app = await openTestApp(t, { env: { CORS_ORIGINS: 'https://shop.example, http://localhost:5173' } })
  const allowed = await app.ask('OPTIONS', '/api/predictions/orders', { headers: { ...preflight, token: undefined } })
  assert.equal(allowed.status, 204)
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://shop.example')
  assert.match(String(allowed.headers['access-control-allow-headers']), /authorization.*content-type.*token/)
  assert.equal(allowed.headers['access-control-allow-credentials'], undefined)
  const bare = await app.ask('OPTIONS', '/api/predictions/orders', {
    headers: { origin: 'https://shop.example', token: undefined },
  })
  assert.equal(bare.status, 204, 'a preflight that names no method')
  for (const [origin, expected] of [
    ['https://shop.example', 'https://shop.example'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['https://evil.example', undefined],
  ]) {
    const good = await app.ask('POST', '/api/predictions/orders', { body: { data: anOrder() }, headers: { origin } })
    assert.deepEqual([good.status, good.headers['access-control-allow-origin']], [200, expected])
    const long = await app.ask('GET', '/openapi.json', { headers: { origin } })
    assert.match(String(long.headers.vary), /^Origin, accept-encoding$/)
    const bad = await app.ask('GET', '/nothing', { headers: { origin } })
    assert.deepEqual([bad.status, bad.headers['access-control-allow-origin']], [404, expected])
  }
})

test('pages of allowed origins may use every method of the API, and conditional requests', async (t) => {
  const app = await openTestApp(t, { env: { CORS_ORIGINS: 'https://shop.example' } })
  const described = await app.ask('GET', '/openapi.json', { headers: { origin: 'https://shop.example' } })
  const operations = Object.entries(described.body.paths as Record<string, object>).flatMap(([path, item]) =>
    ['get', 'head', 'post', 'put', 'patch', 'delete', 'query']
      .filter((method) => method in item)
      .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '0a1b2c3d4e5f') })),
  )
  assert(operations.some(({ method }) => method === 'DELETE'))
  for (const { method, path } of operations) {
    const { status, headers } = await app.ask('OPTIONS', path, {
      headers: {
        token: undefined,
        origin: 'https://shop.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'if-none-match,token',
      },
    })
    assert.equal(status, 204)
    assert(String(headers['access-control-allow-methods']).split(', ').includes(method), `${method} ${path}`)
    assert.match(String(headers['access-control-allow-headers']), /\bif-none-match\b.*\btoken\b/)
  }
  assert.match(String(described.headers['access-control-expose-headers']), /\betag\b/)
})

async function sendRaw(url: string, text: string): Promise<string> {
  const all = await rawResponse(url, text)
  return all.toString()
}

async function rawBody(url: string, text: string): Promise<Buffer> {
  const all = await rawResponse(url, text)
  return all.subarray(all.indexOf('\r\n\r\n') + 4)
}

function rawResponse(url: string, text: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const chunks: Uint8Array[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
    socket.write(text)
  })
}
