/*
 * What clients get that send more requests than can be answered (decisions 2, 4 and 113).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Type } from 'typebox'
import { Unavailable } from '../../src/errors.ts'
import { createTokenCache } from '../../src/resources/tokens/cache.ts'
import { newToken } from '../../src/resources/tokens/service.ts'
import type { Scope } from '../../src/scopes.ts'
import { buildApp } from '../../src/server/app.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { eventually } from '../support/waiting.ts'

const REFUSED = '{"error":"too many"}\n'
const ANSWERED = '{"response":1}\n'

/** A server with one route, which refuses while `load.isTooMuch`. */
async function open(t: TestContext) {
  const now = () => new Date()
  const tokens = createTokenCache(now)
  const tokenOf = (scope: Scope) => newToken(scope, [scope], now())
  const [good, other] = [tokenOf('predict'), tokenOf('players')]
  tokens.replace(
    [good, other].map(({ stored }) => ({
      token_id: stored.id,
      name: '',
      digest: stored.digest,
      scopes: stored.scopes,
      created_at: '',
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })),
  )
  const load = { isTooMuch: true }
  const observations: Observation[] = []
  const app = buildApp({
    routes: [
      {
        methods: ['POST'],
        path: '/ask',
        scopes: ['predict'],
        body: { bytesMax: 1e6, timeoutMs: 60_000, bytesPerSecondMin: 0 },
        flags: [],
        timeoutMs: 60_000,
        headers: { 'accept-query': 'application/json' },
        response: Type.Object({ response: Type.Number() }),
        described: { operationId: 'ask', tag: 'service', summary: '', description: '', example: { response: {} } },
        refusal: () => (load.isTooMuch ? new Unavailable('too many', { retryAfterS: 3 }) : undefined),
        handle: async () => ({ response: 1 }),
      },
    ],
    tokenlessRoutes: { isReady: async () => true, metrics: { text: async () => '', contentType: 'text/plain' } },
    tokens,
    now,
    observe: (observation) => observations.push(observation),
    trustedProxies: [],
    corsOrigins: [],
    connectionsMax: 10,
    heldBytesMax: 1e6,
  })
  t.after(() => app.close())
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  return { port, load, drain: app.drain, observations, token: good.issued.token, otherToken: other.issued.token }
}

const BODY = '{"data":{}}'
const head = (token: string, more = '') =>
  `POST /ask HTTP/1.1\r\nhost: x\r\nx-request-id: id-1\r\n${token === '' ? '' : `token: ${token}\r\n`}content-type: application/json\r\n${more}content-length: ${BODY.length}\r\n\r\n`
const request = (token: string, more?: string) => head(token, more) + BODY

/** One connection: sends, and reads answers. */
function connectTo(t: TestContext, port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  return {
    send: (text: string) => socket.write(text),
    ended: once(socket, 'close'),
    /** The next answers, each as a text. */
    responses: async (count: number) => {
      let found: string[] = []
      await eventually(`${count} answers`, async () => {
        found = received.split(/(?=HTTP\/1\.1 \d{3} )/)
        return found.length >= count && found.every((one) => /\r\n\r\n\{.*\}\n?$/s.test(one))
      })
      received = ''
      return found
    },
  }
}

const statusOf = (response: string) => response.slice(9, 12)

test('a prediction that could not be answered in time gets the usual 503, and its connection stays open (decision 113)', async (t) => {
  const { port, load, token } = await open(t)
  const client = connectTo(t, port)
  client.send(request(token))
  const [refused] = await client.responses(1)
  assert.equal(
    refused!.replace(/\r\nDate: [^\r]*/, ''),
    [
      'HTTP/1.1 503 Service Unavailable',
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'accept-query: application/json',
      'x-request-id: id-1',
      'retry-after: 3',
      'content-type: application/json; charset=utf-8',
      `content-length: ${REFUSED.length}`,
      'Connection: keep-alive',
      'Keep-Alive: timeout=75',
      '',
      REFUSED,
    ].join('\r\n'),
  )
  client.send(request(token))
  assert.equal(statusOf((await client.responses(1))[0]!), '503', 'it was not read again')
  load.isTooMuch = false
  client.send(request(token))
  const [answered] = await client.responses(1)
  assert.deepEqual([statusOf(answered!), answered!.endsWith(ANSWERED)], ['200', true])
})

test('pipelined predictions are refused in order, and other requests between them are answered', async (t) => {
  const { port, token } = await open(t)
  const client = connectTo(t, port)
  client.send(`${request(token)}GET /healthz HTTP/1.1\r\n\r\n${request(token)}GET /nothing HTTP/1.1\r\n\r\n`.repeat(30))
  const responses = await client.responses(120)
  assert.deepEqual(responses.map(statusOf), Array(30).fill(['503', '200', '503', '404']).flat())
})

test('a wrong, missing or insufficient token gets 401 even under overload (decisions 2 and 60)', async (t) => {
  const { port, token, otherToken } = await open(t)
  const wrong = newToken('wrong', ['predict'], new Date()).issued.token
  const statuses: string[] = []
  for (const one of ['', wrong, `${token}x`, otherToken, token]) {
    const client = connectTo(t, port)
    client.send(request(one))
    statuses.push(...(await client.responses(1)).map(statusOf))
  }
  assert.deepEqual(statuses, ['401', '401', '401', '401', '503'])
})

test('a request whose body arrives after its head is refused only once the body was read', async (t) => {
  const { port, token } = await open(t)
  const client = connectTo(t, port)
  client.send(head(token))
  client.send(request(token).slice(head(token).length, -2))
  await new Promise((resolve) => setImmediate(resolve))
  client.send(BODY.slice(-2))
  const [response] = await client.responses(1)
  assert.match(statusOf(response!), /^(200|503)$/)
  assert.match(response!, /\r\nConnection: keep-alive\r\n/i)
})

test('while the service stops, a refusal announces the close of the connection, and closes it (decision 113)', async (t) => {
  const { port, drain, token } = await open(t)
  drain()
  const client = connectTo(t, port)
  client.send(request(token) + request(token))
  await client.ended
  const responses = await client.responses(2)
  assert.deepEqual(responses.map(statusOf), ['503', '503'])
  assert.doesNotMatch(responses[0]!, /connection: close/i)
  assert.match(responses[1]!, /connection: close/i)
})

test('each refusal is counted, and their number is logged once a second', async (t) => {
  const { port, observations, token } = await open(t)
  const client = connectTo(t, port)
  client.send(request(token).repeat(7))
  await client.responses(7)
  const { kind, method, route, status } = observations.find((one) => one.kind === 'request-refused')!
  assert.deepEqual([kind, method, route, status], ['request-refused', 'POST', '/ask', 503])
  assert.equal(observations.filter((one) => one.kind === 'request-refused').length, 7)
  await eventually('they are logged', async () => observations.some((one) => one.kind === 'requests-refused'))
  assert.deepEqual(
    observations.filter((one) => one.kind === 'requests-refused'),
    [{ kind: 'requests-refused', count: 7 }],
  )
})
