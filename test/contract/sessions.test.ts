/*
 * Signing in to the console: who gets a cookie, when it is accepted, and what ends the session.
 */
import assert from 'node:assert/strict'
import type http from 'node:http'
import test, { type TestContext } from 'node:test'
import { newToken } from '../../src/resources/tokens/service.ts'
import { aPlayer } from '../support/builders.ts'
import {
  forEachService,
  openServerApp,
  openTestApp,
  openTestAppAt,
  type Reply,
  send,
  type TestApp,
} from '../support/test-app.ts'
import { eventually, withinASecond } from '../support/waiting.ts'

/** Headers that a browser adds to requests from the console's own page. */
const OWN_PAGE = { 'x-laurel-console': '1', 'sec-fetch-site': 'same-origin' }
const HTTPS = { host: 'loyalty.example.com', 'x-forwarded-proto': 'https' }
const SESSION = '/api/console/session'

type Headers = http.OutgoingHttpHeaders

async function aToken(app: TestApp, scopes: readonly string[], name = 'asha'): Promise<{ id: string; token: string }> {
  return (await app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes } } })).body
}

const call = ({ url }: Pick<TestApp, 'url'>, method: string, path: string, headers: Headers = {}, data?: unknown) =>
  send(url, method, path, data === undefined ? undefined : Buffer.from(JSON.stringify({ data })), {
    ...(data === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  })

const signIn = (app: Pick<TestApp, 'url'>, data: object, headers: Headers = {}) =>
  call(app, 'POST', SESSION, { ...OWN_PAGE, ...headers }, data)

/** `name=value` of the cookie that a response sets. */
function cookieOf({ status, headers, text }: Reply): string {
  assert.equal(status, 200, text)
  return headers['set-cookie']![0]!.split(';')[0]!
}

/** A session of a token with these scopes. */
async function aSession(app: TestApp, scopes: readonly string[] = ['read']) {
  const { id, token } = await aToken(app, scopes)
  const reply = await signIn(app, { token })
  return { tokenId: id, token, cookie: cookieOf(reply), body: reply.body }
}

const statusWith = async (app: Pick<TestApp, 'url'>, cookie: string, headers: Headers = OWN_PAGE) =>
  (await call(app, 'GET', '/api/admin/programs', { cookie, ...headers })).status

forEachService((openTestApp) => {
  test('a token signs in, and the session has its scopes until it signs out (decision 131)', async (t) => {
    const app = await openTestApp(t)
    const { tokenId, token, cookie, body } = await aSession(app, ['read', 'program'])
    assert.match(cookie, /^laurel-console=[\w-]{43}$/)
    assert.deepEqual(
      [body.token, body.scopes, body.role, body.masked, body.time_zone],
      [{ id: tokenId, name: 'asha' }, ['read', 'program'], 'editor', true, 'UTC'],
    )
    const who = await call(app, 'GET', SESSION, { cookie, ...OWN_PAGE })
    assert.deepEqual([who.status, who.body, who.headers['cache-control']], [200, body, 'no-store'])
    assert.equal(await statusWith(app, cookie), 200)
    const refused = await call(app, 'GET', '/api/admin/tokens', { cookie, ...OWN_PAGE })
    assert.deepEqual([refused.status, refused.body.error], [401, 'this token does not have the scope admin'])
    const [stored] = await app.query('select row_to_json(sessions)::text as row from sessions')
    assert(!String(stored!.row).includes(cookie.split('=')[1]!) && !String(stored!.row).includes(token))

    const out = await call(app, 'DELETE', SESSION, { cookie, ...OWN_PAGE })
    assert.match(String(out.headers['set-cookie']), /^laurel-console=; .*Max-Age=0$/)
    assert.equal(out.headers['clear-site-data'], '"cache", "storage"')
    assert.equal(await statusWith(app, cookie), 401)
    assert.equal((await call(app, 'DELETE', SESSION, { cookie, ...OWN_PAGE })).status, 200)
  })

  test('a session ends when its token is revoked, or when an admin ends it (decision 131)', async (t) => {
    const app = await openTestApp(t)
    const [one, other] = [await aSession(app), await aSession(app)]
    await app.ask('POST', `/api/admin/tokens/${one.tokenId}/revoke`)
    assert.deepEqual([await statusWith(app, one.cookie), await statusWith(app, other.cookie)], [401, 200])
    const { sessions } = (await app.ask('GET', '/api/admin/sessions')).body
    assert.deepEqual(
      sessions.map(({ token_id, name, browser }: Record<string, string>) => [token_id, name, browser]),
      [[other.tokenId, 'asha', 'other']],
    )
    assert.equal((await app.ask('DELETE', `/api/admin/sessions/${sessions[0].id}`)).status, 200)
    assert.equal(await statusWith(app, other.cookie), 401)
    assert.equal((await app.ask('DELETE', `/api/admin/sessions/${sessions[0].id}`)).status, 404)
  })

  test('a session ends after 30 minutes without activity, and after 12 hours in any case (decision 131)', async (t) => {
    let now = new Date('2026-06-01T08:00:00Z')
    const later = (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000)
    }
    const app = await openTestApp(t, { now: () => now })
    const idle = (await aSession(app)).cookie
    later(29)
    // Automatic refreshes of a page are not activity.
    assert.equal(await statusWith(app, idle, { ...OWN_PAGE, 'x-laurel-console': '0' }), 200)
    later(1)
    assert.equal(await statusWith(app, idle), 401)
    const busy = (await aSession(app)).cookie
    for (let half = 1; half < 36; half += 1) {
      later(20)
      assert.equal(await statusWith(app, busy), 200, `after ${half} times 20 minutes`)
    }
    later(20)
    assert.equal(await statusWith(app, busy), 401)
  })

  test('each sign-in starts a new session and ends the previous one of the browser; a token has at most 20 (decision 131)', async (t) => {
    let now = new Date('2026-06-01T08:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const { token } = await aToken(app, ['read'])
    const first = cookieOf(await signIn(app, { token }))
    const second = cookieOf(await signIn(app, { token }, { cookie: first }))
    assert.notEqual(first, second)
    assert.deepEqual([await statusWith(app, first), await statusWith(app, second)], [401, 200])
    const cookies = [second]
    for (let more = 0; more < 20; more += 1) {
      now = new Date(now.getTime() + 1_000)
      cookies.push(cookieOf(await signIn(app, { token })))
    }
    const statuses = await Promise.all(cookies.map((cookie) => statusWith(app, cookie)))
    assert.deepEqual(statuses, [401, ...Array(20).fill(200)])
  })

  test('a one-time link signs in once, within ten minutes, as the token it was created for (decision 131)', async (t) => {
    let now = new Date('2026-06-01T08:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const first = await aToken(app, ['admin'], 'first')
    const { id } = await aToken(app, ['read'])
    const make = async (data: object) => (await app.ask('POST', '/api/admin/sign-in-codes', { body: { data } })).body
    const made = await make({ token_id: id })
    const replies = await Promise.all([1, 2, 3].map(() => signIn(app, { code: made.code })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401])
    const used = replies.find(({ status }) => status === 401)!
    assert.equal(used.body.error, 'this link was already used or has expired')
    assert.equal(replies.find(({ status }) => status === 200)!.body.token.id, id)
    // The token of the test is not stored, so the link is for the oldest one with the scope admin.
    const own = await make({})
    assert.equal(own.token_id, first.id)
    now = new Date('2026-06-01T08:10:00Z')
    assert.equal((await signIn(app, { code: own.code })).status, 401)
    const late = await make({ token_id: id })
    await app.ask('POST', `/api/admin/tokens/${id}/revoke`)
    assert.equal((await signIn(app, { code: late.code })).status, 401)
    assert.equal((await make({ token_id: id })).path, 'data.token_id')
    const stored = JSON.stringify(await app.query('select * from sign_in_codes'))
    assert(!stored.includes(own.code))
  })
})

test('over HTTPS the cookie is bound to this host and HTTPS; over plain HTTP only loopback gets one (decision 131)', async (t) => {
  const app = await openTestApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { token } = await aToken(app, ['read'])
  const secure = await signIn(app, { token }, HTTPS)
  assert.match(
    String(secure.headers['set-cookie']),
    /^__Host-laurel=[\w-]{43}; Secure; HttpOnly; SameSite=Strict; Path=\/$/,
  )
  for (const host of ['localhost:8080', '127.0.0.1', 'shop.localhost:1', '[::1]:8080']) {
    const { headers } = await signIn(app, { token }, { host })
    assert.match(String(headers['set-cookie']), /^laurel-console=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/, host)
  }
  for (const host of ['loyalty.example.com', '192.0.2.1:8080', 'localhost.example.com', '127.0.0.1.example.com']) {
    const { status, headers, body } = await signIn(app, { token }, { host })
    assert.deepEqual([status, body.path, headers['set-cookie']], [400, 'url', undefined], host)
    assert.match(body.error, /^HTTPS required .*TRUSTED_PROXIES/)
  }
  // Each is accepted only over its own scheme.
  const cookie = cookieOf(secure)
  assert.equal(await statusWith(app, cookie, { ...OWN_PAGE, ...HTTPS }), 200)
  assert.equal(await statusWith(app, cookie), 401)
  assert.equal(await statusWith(app, cookie.replace('__Host-laurel', 'laurel-console'), { ...OWN_PAGE, ...HTTPS }), 401)
})

test('X-Forwarded-Proto is ignored unless the proxy is trusted (decision 131)', async (t) => {
  const app = await openTestApp(t)
  const { token } = await aToken(app, ['read'])
  const { status, body } = await signIn(app, { token }, HTTPS)
  assert.deepEqual([status, body.path], [400, 'url'])
})

test('a cookie is accepted only in requests from pages of the console itself, and never beside a token (decision 131)', async (t) => {
  const app = await openTestApp(t)
  const { token, cookie } = await aSession(app, ['support'])
  const { token: other } = await aToken(app, ['predict'])
  await app.upsertPlayers([aPlayer()])
  const origin = app.url
  const host = new URL(app.url).host
  const search = (headers: Headers) =>
    call(app, 'POST', '/api/admin/players/search', { cookie, host, ...headers }, { user_id: 'u-1' })
  const read = (headers: Headers) => call(app, 'GET', '/api/admin/players', { cookie, host, ...headers })
  const mark = { 'x-laurel-console': '1' }
  const cases: readonly (readonly [headers: Headers, reads: boolean, writes: boolean])[] = [
    [{}, false, false],
    [{ origin }, false, false],
    [{ 'sec-fetch-site': 'same-origin' }, false, false],
    [{ ...mark, 'sec-fetch-site': 'same-origin' }, true, true],
    [{ ...mark, 'sec-fetch-site': 'same-site', origin }, false, false],
    [{ ...mark, 'sec-fetch-site': 'cross-site', origin }, false, false],
    [{ ...mark, 'sec-fetch-site': 'none' }, false, false],
    [{ 'x-laurel-console': 'true', 'sec-fetch-site': 'same-origin' }, false, false],
    // From browsers that do not say where a request comes from.
    [mark, true, false],
    [{ ...mark, origin }, true, true],
    [{ ...mark, origin: 'null' }, true, false],
    [{ ...mark, origin: 'http://evil.example' }, true, false],
    [{ ...mark, origin: origin.replace('http:', 'https:') }, true, false],
    [{ ...mark, origin: `${origin}.evil.example` }, true, false],
    // A token takes precedence, valid or not.
    [{ ...OWN_PAGE, token: other }, false, false],
    [{ ...OWN_PAGE, token: 'wrong' }, false, false],
    [{ ...OWN_PAGE, authorization: 'Bearer wrong' }, false, false],
    [{ token }, true, true],
  ]
  for (const [headers, reads, writes] of cases) {
    const statuses = [(await read(headers)).status, (await search(headers)).status]
    assert.deepEqual(statuses, [reads ? 200 : 401, writes ? 200 : 401], JSON.stringify(headers))
  }
  for (const headers of [
    {},
    { 'x-laurel-console': '1', 'sec-fetch-site': 'cross-site' },
    { 'x-laurel-console': '1' },
  ]) {
    const reply = await call(app, 'POST', SESSION, headers, { token })
    assert.deepEqual([reply.status, reply.body.path], [400, 'header.x-laurel-console'])
    const out = await call(app, 'DELETE', SESSION, { cookie, ...headers })
    assert.equal(out.headers['set-cookie'], undefined)
  }
  assert.equal((await read(OWN_PAGE)).status, 200)
})

test('wrong tokens, links and cookies count as guesses (decisions 64 and 131)', async (t) => {
  const app = await openTestApp(t)
  const { cookie } = await aSession(app)
  const wrong = [
    () => signIn(app, { token: 'wrong' }),
    () => signIn(app, { code: 'wrong' }),
    () => call(app, 'GET', '/api/admin/programs', { ...OWN_PAGE, cookie: 'laurel-console=wrong' }),
    () => call(app, 'GET', '/api/admin/programs', { ...OWN_PAGE, cookie: `laurel-console=${'A'.repeat(43)}` }),
  ]
  for (let guess = 0; guess < 100; guess += 1) assert.equal((await wrong[guess % 4]!()).status, 401)
  for (const one of wrong) assert.equal((await one()).status, 429)
  // A request whose cookie is not considered is no guess, and a valid session keeps working.
  assert.equal((await call(app, 'GET', '/api/admin/programs', { cookie: 'laurel-console=wrong' })).status, 401)
  assert.equal(await statusWith(app, cookie), 200)
})

test('an invalid sign-in is refused, and so is any sign-in where there is no console (decision 131)', async (t) => {
  const app = await openTestApp(t)
  const { token } = await aToken(app, ['read'])
  for (const [data, path] of [
    [{}, 'data'],
    [{ token, code: 'x' }, 'data'],
    [{ token: 5 }, 'data.token'],
    [[], 'data'],
    [{ token: 'x'.repeat(9_000) }, 'body'],
  ] as const) {
    const { status, body } = await signIn(app, data)
    assert.deepEqual([status === 400 || status === 413, body.path], [true, path])
  }
  for (const env of [{ CONSOLE: 'off' }, { CONSOLE_PORT: '0' }] as Record<string, string>[]) {
    const without = await openTestApp(t, { env })
    const made = await aToken(without, ['read'])
    assert.equal((await signIn(without, { token: made.token })).status, 404)
    const reply = await call(without, 'GET', '/api/admin/programs', {
      ...OWN_PAGE,
      cookie: `laurel-console=${'A'.repeat(43)}`,
    })
    assert.equal(reply.status, 401)
  }
})

test('a console on its own port signs in only there, and its cookies are accepted only there (decision 131)', async (t) => {
  const app = await openTestApp(t, { env: { CONSOLE_PORT: '0' } })
  const beside = { url: await listening(app, t) }
  const { token } = await aToken(app, ['read'])
  const cookie = cookieOf(await signIn(beside, { token }))
  assert.deepEqual([await statusWith(beside, cookie), await statusWith(app, cookie)], [200, 401])
})

async function listening({ service }: TestApp, t: TestContext): Promise<string> {
  const server = service.app.consoleServer!
  await new Promise<void>((done) => server.listen({ host: '127.0.0.1', port: 0 }, done))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test('a session starts and ends on every replica within a second (decision 131)', async (t) => {
  const one = await openServerApp(t)
  const other = await openTestAppAt(t, one.databaseUrl)
  const { cookie } = await aSession(one)
  await withinASecond('the other replica accepts it', async () => (await statusWith(other, cookie)) === 200)
  await call(other, 'DELETE', SESSION, { cookie, ...OWN_PAGE })
  await withinASecond('it has ended', async () => (await statusWith(one, cookie)) === 401)
  const next = await aSession(one)
  await withinASecond('the other replica accepts it', async () => (await statusWith(other, next.cookie)) === 200)
  await other.ask('POST', `/api/admin/tokens/${next.tokenId}/revoke`)
  await withinASecond('it ended with its token', async () => (await statusWith(one, next.cookie)) === 401)
})

test('activity at one replica keeps a session alive at another (decision 131)', async (t) => {
  let now = new Date()
  const one = await openServerApp(t, { now: () => now })
  const other = await openTestAppAt(t, one.databaseUrl, { now: () => now })
  const { cookie } = await aSession(one)
  now = new Date(now.getTime() + 29 * 60_000)
  assert.equal(await statusWith(one, cookie), 200)
  const [{ used }] = (await one.query(`select last_used_at::text as used from sessions`)) as [{ used: string }]
  await eventually('the use is stored', async () => {
    const [row] = (await one.query(`select last_used_at::text as used from sessions`)) as [{ used: string }]
    return row.used !== used
  })
  now = new Date(now.getTime() + 2 * 60_000)
  await eventually('the other replica accepts it', async () => (await statusWith(other, cookie)) === 200)
})

test('no cookie, token or sign-in code is logged, and a hostile name is treated as text (decision 131)', async (t) => {
  const app = await openTestApp(t)
  const hostile = `</script><img src=x onerror=alert(1)>"; Path=/; \u2028`
  const { id, token } = newToken(hostile, ['admin'], new Date()).issued
  await app.service.db.transaction(
    (tx) => tx.query(`insert into tokens select $1, $2, sha256($3::bytea), '["admin"]', now()`, [id, hostile, token]),
    performance.now() + 60_000,
  )
  await app.service.refreshTokens()
  const reply = await signIn(app, { token }, { 'user-agent': hostile.slice(0, -1) })
  const cookie = cookieOf(reply)
  const { code } = (await app.ask('POST', '/api/admin/sign-in-codes', { body: { data: { token_id: id } } })).body
  await signIn(app, { code: `${code}x` })
  await signIn(app, { code })
  assert.equal(reply.body.token.name, hostile)
  const [session] = (await app.ask('GET', '/api/admin/sessions')).body.sessions
  assert.deepEqual([session.name, session.browser], [hostile, 'other'])
  const logged = JSON.stringify(app.observations)
  for (const secret of [cookie.split('=')[1]!, token, code]) assert(!logged.includes(secret))
  const acts = await app.ask('GET', '/api/admin/audit-log')
  assert.deepEqual(
    acts.body.entries.map(({ act, name }: Record<string, string>) => [act, name]),
    [
      ['signed-in', hostile],
      ['signed-in', hostile],
    ],
  )
  for (const secret of [cookie.split('=')[1]!, token, code]) assert(!acts.text.includes(secret))
})
