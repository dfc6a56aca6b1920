import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import test from 'node:test'
import { isWholeToken } from '../../src/resources/tokens/token-text.ts'
import { SCOPES } from '../../src/scopes.ts'
import { RESPONSES } from '../../src/server/responses.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, send, type TestApp } from '../support/test-app.ts'
import { eventually, withinASecond } from '../support/waiting.ts'

async function aToken(app: TestApp, scopes: string[], expires_at?: string): Promise<{ id: string; token: string }> {
  const { status, body } = await app.ask('POST', '/api/admin/tokens', {
    body: { data: { name: 'test', scopes, expires_at } },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const predictWith = (app: TestApp, token: string | undefined) =>
  app.ask('POST', '/api/predictions/orders', { body: { data: anOrder() }, headers: { token } })

forEachService((openTestApp, driver) => {
  test('a token is shown once, works, and only its digest is stored (decision 60)', async (t) => {
    const app = await openTestApp(t)
    const { token } = await aToken(app, ['predict'])
    assert.match(token, /^laurel_[0-9a-f]{12}_[\w-]{43}[0-9a-f]{8}$/)
    assert(isWholeToken(token))
    assert(!isWholeToken(token.replace(/.$/, (last) => (last === '0' ? '1' : '0'))))
    assert.equal((await predictWith(app, token)).status, 200)
    const [stored] = await app.query('select row_to_json(tokens)::text as row from tokens')
    assert(!String(stored!.row).includes(token.slice(20, 60)))
    assert(!(await app.ask('GET', '/api/admin/tokens')).text.includes(token.slice(20, 60)))
  })

  test('a token is refused as soon as it is revoked, rotated or expired (decision 60)', async (t) => {
    let now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const revoked = await aToken(app, ['predict'])
    assert.equal((await app.ask('POST', `/api/admin/tokens/${revoked.id}/revoke`)).status, 200)
    assert.equal((await app.ask('POST', `/api/admin/tokens/${revoked.id}/revoke`)).status, 200)
    assert.equal((await predictWith(app, revoked.token)).status, 401)
    const old = await aToken(app, ['predict'])
    const { body: fresh } = await app.ask('POST', `/api/admin/tokens/${old.id}/rotate`)
    assert.deepEqual(
      [(await predictWith(app, old.token)).status, (await predictWith(app, fresh.token)).status],
      [401, 200],
    )
    const brief = await aToken(app, ['predict'], '2026-06-01T12:00:10Z')
    assert.equal((await predictWith(app, brief.token)).status, 200)
    now = new Date('2026-06-01T12:00:10Z')
    assert.equal((await predictWith(app, brief.token)).status, 401)
    assert.equal((await app.ask('POST', '/api/admin/tokens/000000000000/revoke')).status, 404)
    assert.equal((await app.ask('POST', `/api/admin/tokens/${revoked.id}/rotate`)).status, 404)
  })

  test('of concurrent rotations of a token exactly one succeeds; an expired token cannot be rotated', async (t) => {
    let now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const { id } = await aToken(app, ['predict'])
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => app.ask('POST', `/api/admin/tokens/${id}/rotate`)),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
    const brief = await aToken(app, ['predict'], '2026-06-01T12:00:10Z')
    now = new Date('2026-06-01T12:00:10Z')
    assert.equal((await app.ask('POST', `/api/admin/tokens/${brief.id}/rotate`)).status, 404)
  })

  test('any number of revoked tokens does not crowd out a valid one', async (t) => {
    const app = await openTestApp(t)
    const { token } = await aToken(app, ['predict'])
    await app.service.db.transaction(
      (tx) =>
        tx.query(`insert into tokens (token_id, name, digest, scopes, created_at, revoked_at)
          select 'old-' || n, 'old', '', '["predict"]', now() + interval '1 day', now() from generate_series(1, 10001) n`),
      performance.now() + 10_000,
    )
    await aToken(app, ['players'])
    await app.service.refreshTokens()
    assert.equal((await predictWith(app, token)).status, 200)
  })

  // No other process can use the embedded database.
  if (driver === 'postgres') {
    test('a change made by another process takes effect within a second (decision 60)', async (t) => {
      const app = await openTestApp(t)
      const { id, token } = await aToken(app, ['predict'])
      await app.service.db.transaction(
        (tx) => tx.query('update tokens set revoked_at = created_at where token_id = $1', [id]),
        performance.now() + 5_000,
      )
      await withinASecond('it is refused', async () => (await predictWith(app, token)).status === 401)
    })
  }
})

test('every operation requires a token, and answers the same 401 whatever is wrong with it (specification 5; decision 60)', async (t) => {
  const app = await openTestApp(t)
  const { id, token } = await aToken(app, ['admin'])
  await app.ask('POST', `/api/admin/tokens/${id}/revoke`)
  const wrong = [
    undefined,
    '',
    'x',
    token,
    token.slice(0, -1),
    `${token}x`,
    app.service.ownToken.toUpperCase(),
    `laurel_${'0'.repeat(12)}_${'A'.repeat(43)}${'0'.repeat(8)}`,
    'x'.repeat(10_000),
  ]
  const operations = [
    ['GET', '/api/predictions/orders'],
    ['POST', '/api/integration/players'],
    ['POST', '/api/integration/products'],
    ['GET', '/api/admin/tokens'],
    ['POST', '/api/admin/tokens'],
    ['GET', '/api/admin/players/u-1'],
    ['GET', '/api/admin/programs/current'],
  ] as const
  const texts = new Set<string>()
  for (const [method, path] of operations) {
    for (const bad of wrong) {
      const reply = await app.ask(method, path, {
        headers: { token: bad, 'content-type': 'text/plain' },
        body: 'not even JSON',
      })
      assert.equal(reply.status, 401)
      assert.deepEqual(Object.keys(reply.body), ['error'])
      texts.add(reply.text)
    }
  }
  assert.equal(texts.size, 1)
})

test('the token is checked before the media type, the media type before the JSON, the JSON before its shape (decision 2)', async (t) => {
  const app = await openTestApp(t)
  const ask = async (headers: object, body: string) => {
    const reply = await app.ask('POST', '/api/predictions/orders', { headers: { ...headers }, body })
    return [reply.status, reply.body.path]
  }
  assert.deepEqual(await ask({ token: 'x', 'content-type': 'text/plain' }, '{'), [401, undefined])
  assert.deepEqual(await ask({ 'content-type': 'text/plain' }, '{'), [400, 'header.content-type'])
  assert.deepEqual(await ask({}, '{'), [400, 'body'])
  assert.deepEqual(await ask({}, '{"data":{}}'), [400, 'data.name'])
})

test('two token headers are refused, even if both are valid', async (t) => {
  const app = await openTestApp(t)
  const response = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    const { ownToken } = app.service
    socket.write(
      `GET /api/admin/tokens HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntoken: ${ownToken}\r\ntoken: ${ownToken}\r\n\r\n`,
    )
  })
  assert.match(response, /^HTTP\/1\.1 401 /)
})

/** The scopes of each operation, according to the document. */
function documentedScopes(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync('docs/api.md', 'utf8')
  const rows = text.matchAll(/^\| `((?:GET|POST|PUT|DELETE) \/\S+)` \| ((?:`\w+`(?:, )?)+) \|$/gm)
  return new Map([...rows].map(([, name, scopes]) => [name!, scopes!.replaceAll('`', '').split(', ')]))
}

const INCLUDED: Readonly<Record<string, readonly string[]>> = { support: ['read'], admin: SCOPES }

test('each scope permits the operations listed in docs/api.md and no others; a missing scope is named (decisions 60 and 67)', async (t) => {
  const app = await openTestApp(t)
  const documented = documentedScopes()
  assert.deepEqual([...documented.keys()].sort(), [...Object.keys(RESPONSES), 'GET /metrics'].sort())
  for (const scope of SCOPES) {
    const { token } = await aToken(app, [scope])
    const can = new Set([scope, ...(INCLUDED[scope] ?? [])])
    for (const [name, scopes] of documented) {
      const [method = '', template = ''] = name.split(' ')
      const { status, headers, body } = await app.ask(method, template.replaceAll(/:\w+/g, 'x'), {
        headers: { token, 'x-forwarded-for': '192.0.2.1' },
      })
      const isOpen = scopes.some((one) => can.has(one))
      assert.equal(status !== 401, isOpen, `${scope} for ${name}: ${status}`)
      if (isOpen) continue
      assert.deepEqual(body, { error: `this token does not have the scope ${scopes.join(' or ')}` })
      assert.equal(headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scopes[0]}"`)
    }
  }
})

test('a bearer token works like the header token; if both are sent they must be equal, and every 401 carries a challenge (decision 67)', async (t) => {
  const app = await openTestApp(t)
  const { token } = await aToken(app, ['predict'])
  const { token: other } = await aToken(app, ['predict'])
  const statusOf = async (headers: object) => {
    const reply = await app.ask('POST', '/api/predictions/orders', {
      body: { data: anOrder() },
      headers: { token: undefined, ...headers },
    })
    assert.equal(reply.headers['www-authenticate'], reply.status === 401 ? 'Bearer' : undefined)
    return reply.status
  }
  for (const good of [
    { authorization: `Bearer ${token}` },
    { authorization: `bearer  ${token}` },
    { token, authorization: `Bearer ${token}` },
    { token, authorization: 'Basic c2hvcDpzZWNyZXQ=' },
  ])
    assert.equal(await statusOf(good), 200, JSON.stringify(Object.keys(good)))
  for (const bad of [
    {},
    { authorization: token },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${token}x` },
    { authorization: `Basic ${token}` },
    { token, authorization: `Bearer ${other}` },
    { token: 'x', authorization: `Bearer ${token}` },
  ])
    assert.equal(await statusOf(bad), 401, JSON.stringify(Object.keys(bad)))
})

test('a refused token is logged with the client address and the request id', async (t) => {
  const app = await openTestApp(t)
  const { headers } = await predictWith(app, 'wrong')
  assert.deepEqual(
    app.observations.filter(({ kind }) => kind === 'token-refused'),
    [{ kind: 'token-refused', requestId: headers['x-request-id'], address: '127.0.0.1' }],
  )
})

test('a token without the scope of a request is logged, with the scope', async (t) => {
  const app = await openTestApp(t)
  const { id, token } = await aToken(app, ['read'])
  const { headers } = await app.ask('GET', '/api/admin/tokens', { headers: { token } })
  assert.deepEqual(
    app.observations.filter(({ kind }) => kind === 'scope-refused'),
    [{ kind: 'scope-refused', requestId: headers['x-request-id'], address: '127.0.0.1', scope: 'admin', tokenId: id }],
  )
})

test('personal data is masked for callers with only the scope read, and unmasked for support on request, which is logged (decisions 67 and 218)', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([
    aPlayer({ Name: 'Asha Rao', Email: 'asha@example.com', Phone: '+919847054321', Add: '', Pincode: '682001' }),
    aPlayer({ User_id: 'mail@example.com' }),
  ])
  await app.ask('POST', '/api/players/u-1/adjustments', {
    body: { data: { id: 'a-1', points: 5, counts: true, reason: 'for Asha' } },
  })
  const tokens = { read: '', support: '', account: '' }
  for (const scope of ['read', 'support', 'account'] as const) tokens[scope] = (await aToken(app, [scope])).token
  const get = async (path: string, token: string) => (await app.ask('GET', path, { headers: { token } })).body
  const { of: handleOf } = app.service.deps.handles
  for (const [token, id, name, email] of [
    [tokens.read, handleOf, '•••', '•••'],
    [tokens.support, (userId: string) => userId, 'A••• R•••', 'a•••'],
  ] as const) {
    for (const asked of ['u-1', handleOf('u-1')]) {
      const player = await get(`/api/admin/players/${asked}`, token)
      assert.deepEqual(
        [player.user_id, player.name, player.email, player.phone, player.address, player.date_of_birth, player.pincode],
        [id('u-1'), name, email, '•••', '', '•••', '•••'],
      )
      assert.deepEqual([player.gender, player.state, player.country], ['female', 'Kerala', 'India'])
      const account = await get(`/api/players/${asked}`, token)
      assert.deepEqual(
        [account.user_id, account.name, account.entries[0].reason, account.points],
        [id('u-1'), name, '•••', 5],
      )
    }
    assert.equal((await get('/api/admin/players/mail@example.com', token)).user_id, id('mail@example.com'))
  }
  const own = await get('/api/players/u-1', tokens.account)
  assert.deepEqual([own.name, own.entries[0].reason], ['Asha Rao', 'for Asha'])
  assert.deepEqual(await get('/api/admin/players/u-1?reveal=true', tokens.read), {
    error: 'this token does not have the scope support',
  })
  assert(!app.observations.some(({ kind }) => kind === 'player-revealed'))
  const revealed = await get('/api/admin/players/u-1?reveal=true', tokens.support)
  assert.deepEqual([revealed.name, revealed.email], ['Asha Rao', 'asha@example.com'])
  await get('/api/admin/players/mail@example.com?reveal=true', tokens.support)
  const logged = app.observations.flatMap((one) => (one.kind === 'player-revealed' ? [one] : []))
  assert.deepEqual(
    logged.map(({ userId, tokenId }) => [userId, tokens.support.includes(tokenId)]),
    [
      [handleOf('u-1'), true],
      [handleOf('mail@example.com'), true],
    ],
  )
})

test('an invalid request creates no token', async (t) => {
  const app = await openTestApp(t)
  const cases = [
    [{ scopes: ['predict'] }, 'data.name'],
    [{ name: ' ', scopes: ['predict'] }, 'data.name'],
    [{ name: 'x' }, 'data.scopes'],
    [{ name: 'x', scopes: [] }, 'data.scopes'],
    [{ name: 'x', scopes: 'admin' }, 'data.scopes'],
    [{ name: 'x', scopes: ['predict', 'root'] }, 'data.scopes'],
    [{ name: 'x', scopes: ['predict'], expires_at: '2020-01-01T00:00:00Z' }, 'data.expires_at'],
    [{ name: 'x', scopes: ['predict'], expires_at: 'soon' }, 'data.expires_at'],
  ] as const
  for (const [data, path] of cases) {
    const { status, body } = await app.ask('POST', '/api/admin/tokens', { body: { data } })
    assert.deepEqual([status, body.path], [400, path])
  }
  assert.deepEqual((await app.ask('GET', '/api/admin/tokens')).body.tokens, [])
})

test('after 100 wrong tokens within a minute further ones get 429; a valid token still works, and a missing one is not counted (decision 64)', async (t) => {
  let now = new Date('2026-06-01T12:00:00Z')
  const app = await openTestApp(t, { now: () => now })
  for (let guess = 0; guess < 100; guess += 1) assert.equal((await predictWith(app, `guess-${guess}`)).status, 401)
  const late = await predictWith(app, 'guess-100')
  assert.deepEqual([late.status, late.headers['retry-after'], Object.keys(late.body)], [429, '60', ['error']])
  assert.equal((await predictWith(app, undefined)).status, 401)
  assert.equal((await predictWith(app, app.service.ownToken)).status, 200)
  now = new Date('2026-06-01T12:01:00Z')
  assert.equal((await predictWith(app, 'guess-101')).status, 401)
})

test('wrong tokens from the addresses of a /64 network are counted together', async (t) => {
  const app = await openTestApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const guessFrom = async (address: string) =>
    (await send(app.url, 'GET', '/api/admin/tokens', undefined, { token: 'wrong', 'x-forwarded-for': address })).status
  for (let guess = 0; guess < 100; guess += 1) assert.equal(await guessFrom(`2001:db8::${guess}`), 401)
  assert.deepEqual([await guessFrom('2001:db8::ffff:1'), await guessFrom('2001:db8:0:1::1')], [429, 401])
})

test('healthz and readyz need no token and reveal nothing else; metrics need loopback or a token with their scope (decision 66)', async (t) => {
  const app = await openTestApp(t)
  const open = (path: string, headers: object = {}) => send(app.url, 'GET', path, undefined, { ...headers })
  assert.deepEqual(
    [(await open('/healthz')).body, (await open('/readyz')).body],
    [{ status: 'ok' }, { status: 'ready' }],
  )
  assert.match((await open('/metrics')).text, /laurel_http_request_seconds_count/)
  assert.equal((await open('/metrics', { 'x-forwarded-for': '192.0.2.1' })).status, 401)
  assert.equal((await open('/metrics', { 'x-forwarded-for': '192.0.2.1', token: app.service.ownToken })).status, 200)
  const { token } = await aToken(app, ['predict'])
  assert.equal((await open('/metrics', { 'x-forwarded-for': '192.0.2.1', token })).status, 401)
  app.service.drain()
  const { status, headers, body } = await open('/readyz')
  assert.deepEqual([status, headers['retry-after'], body], [503, '1', { status: 'not ready' }])
})

test('a stopping service answers requests already sent, and announces the close in the last answer of each connection (decision 113)', async (t) => {
  const app = await openTestApp(t)
  const body = JSON.stringify({ data: anOrder() })
  const predict = `POST /api/predictions/orders HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  // Predictions bypass the framework, other routes do not.
  const list = `GET /api/admin/programs HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\n\r\n`
  const [kept, pipelined, listing] = await Promise.all([
    openConnection(app.url),
    openConnection(app.url),
    openConnection(app.url),
  ])
  kept.socket.write(predict)
  listing.socket.write(list)
  await eventually('it is answered', () => kept.received().includes('total_points'))
  await eventually('programs are listed', () => listing.received().includes('200 OK'))
  app.service.drain()
  pipelined.socket.write(predict.repeat(40))
  assert.equal((await app.predict(anOrder())).headers.connection, 'close')
  const stopped = app.service.close()
  kept.socket.write(predict)
  listing.socket.write(list)
  await Promise.all([kept.ended, pipelined.ended, listing.ended, stopped])
  assert.equal(kept.received().split('total_points').length - 1, 2)
  assert.equal(pipelined.received().split('total_points').length - 1, 40)
  assert.equal(pipelined.received().match(/connection: close/gi)?.length, 1)
  assert.equal(listing.received().split('200 OK').length - 1, 2)
  assert.equal(listing.received().match(/connection: close/gi)?.length, 1)
})

test('just before the port closes, connections are kept, and close with their last answers afterwards (decision 113)', async (t) => {
  const app = await openTestApp(t)
  const body = JSON.stringify({ data: anOrder() })
  const predict = `POST /api/predictions/orders HTTP/1.1\r\nhost: x\r\ntoken: ${app.service.ownToken}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  app.service.drain()
  app.service.settle()
  const { socket, received, ended } = await openConnection(app.url)
  const responses = () => received().split('total_points').length - 1
  socket.write(predict)
  await eventually('it is answered', () => responses() === 1)
  assert.doesNotMatch(received(), /connection: close/i)
  const stopped = app.service.close()
  // A client that goes on as long as it may.
  socket.on('data', () =>
    setImmediate(() => socket.writable && !/connection: close/i.test(received()) && socket.write(predict)),
  )
  socket.write(predict)
  await Promise.all([ended, stopped])
  assert.match(received(), /connection: close/i)
})

async function openConnection(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  return { socket, received: () => received, ended: once(socket, 'close') }
}

test('an internal fault is answered with 500 and no details, under a request id that is also logged (decision 4)', async (t) => {
  const app = await openTestApp(t)
  await app.service.db.transaction((tx) => tx.query('drop table players cascade'), performance.now() + 5_000)
  for (const ask of [() => app.predict(anOrder()), () => app.upsertPlayers([aPlayer()])]) {
    const { status, headers, body } = await ask()
    assert.deepEqual([status, body], [500, { error: 'internal error' }])
    const logged = app.observations.find(
      (one) => one.kind === 'request-failed' && one.requestId === headers['x-request-id'],
    )
    assert(logged !== undefined)
  }
  const { headers } = await app.ask('GET', '/nothing', { headers: { 'x-request-id': 'mine-1' } })
  assert.equal(headers['x-request-id'], 'mine-1')
})

test('no log line and no metric contains personal data, bodies or tokens', async (t) => {
  const app = await openTestApp(t)
  const canary = 'CANARY7f3'
  const person = {
    Name: canary,
    Email: `${canary}@example.com`,
    Add: canary,
    State: canary,
    District: canary,
    RefBy: canary,
    Refercode: canary,
  }
  await app.upsertPlayers([
    aPlayer(person),
    aPlayer({ ...person, Gender: canary }),
    aPlayer({ ...person, DOB: canary }),
  ])
  await app.predict(anOrder({ name: canary, email: `${canary}@example.com`, address: canary }))
  await app.predict(anOrder({ name: canary, total_amount: canary }))
  await app.ask('POST', '/api/predictions/orders', { body: `{"data": ${canary}`, headers: { token: canary } })
  await app.ask('POST', '/api/predictions/orders', { body: `{"data": ${canary}` })
  await app.service.db.transaction((tx) => tx.query('drop table players cascade'), performance.now() + 5_000)
  await app.upsertPlayers([aPlayer(person)])
  const logged = JSON.stringify(app.observations, (_, value) =>
    value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value,
  )
  assert(app.observations.length > 5)
  assert(!logged.includes(canary))
  assert(!logged.includes(app.service.ownToken))
  assert(!(await app.ask('GET', '/metrics')).text.includes(canary))
})
