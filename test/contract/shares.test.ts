import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import test from 'node:test'
import { anOrder } from '../support/builders.ts'
import { openTestApp, type Reply, type TestApp } from '../support/test-app.ts'

const LINES = 500
const lines = Array.from({ length: LINES }, (_, n) => ({ product_sku_id: `s-${n}`, qty: '1', amount: '1' }))
/** As many rules as a program may have, which look at each line of an order. */
const SOURCE = `name: Many rules
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn:
${Array.from({ length: 200 }, (_, n) => `  - { name: rule-${n}, when: 'order.lines.exists(l, l.qty > ${n} && l.sku != "x-${n}")', fixed: { points: 1 } }`).join('\n')}
`
const CASES = `cases: [{ name: many, orders: [{ order_id: o-1, total_amount: '500', products: ${JSON.stringify(lines)}, expect: { points: 1 } }] }]`

const WORK = {
  checks: { path: '/api/admin/programs/check', scope: 'program', data: { source: SOURCE, cases: CASES } },
  diffs: { path: '/api/admin/programs/diff', scope: 'read', data: { from_source: SOURCE, to_source: 'name: x\n' } },
  simulations: {
    path: '/api/admin/simulations',
    scope: 'read',
    data: { order: { user_id: 'u-1', total_amount: '500', products: lines }, under_source: SOURCE },
  },
  publications: {
    path: '/api/admin/programs',
    scope: 'publish',
    data: { source: SOURCE, from: '2099-01-01T00:00:00Z' },
  },
} as const

const askWith = async (app: TestApp, { path, scope, data }: (typeof WORK)[keyof typeof WORK]) => {
  const made = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: scope, scopes: [scope] } } })
  const headers = { token: made.body.token }
  return () => app.ask('POST', path, { body: { data }, headers })
}

/** Whether work had room: it was done; or, on a busy machine, it ended after 5 seconds or with 256 MB, or waited for its turn for 10 seconds. */
const isDone = ({ status, text }: Reply) =>
  status === 200 || /this takes more than |timed out waiting for other requests/.test(text)

for (const [name, work] of Object.entries(WORK)) {
  test(`of the ${name} of a token one runs and four wait; more get 429 with Retry-After, and another token its turn`, async (t) => {
    const app = await openTestApp(t)
    const [ask, askOther] = [await askWith(app, work), await askWith(app, work)]
    const [other, ...replies] = await Promise.all([askOther(), ...Array.from({ length: 8 }, ask)])
    assert(isDone(other), other.text)
    const refused = replies.filter(({ status }) => status === 429)
    for (const reply of replies) assert(refused.includes(reply) || isDone(reply), `${reply.status}: ${reply.text}`)
    // The first may end before the last is sent.
    assert(refused.length >= 1 && refused.length <= 3, `${refused.length} of 8 are refused`)
    const error = 'too many requests of this kind by this token (1 running, 4 waiting): retry after a response'
    for (const { status, headers, body } of refused)
      assert.deepEqual([status, headers['retry-after'], body], [429, '2', { error }])
    assert(isDone(await ask()), 'a token whose work has ended has room again')
  })
}

for (const name of ['checks', 'simulations'] as const) {
  test(`${name} that take long run in a thread: predictions are answered in the meantime`, async (t) => {
    const app = await openTestApp(t)
    const ask = await askWith(app, WORK[name])
    let isAnswered = false
    const asked = Promise.all(Array.from({ length: 3 }, ask)).finally(() => {
      isAnswered = true
    })
    let predicted = 0
    for (; !isAnswered; predicted += 1) assert.equal((await app.predict(anOrder())).status, 200)
    await asked
    assert(predicted > 20, `${predicted} predictions beside three ${name}`)
  })
}

/** A body whose first bytes are sent, and no more. */
function beginBody(app: TestApp, path: string, token: string, localAddress: string, announced: number, sent: number) {
  const headers = { token, 'content-type': 'application/json', 'content-length': announced }
  const request = http.request(`${app.url}${path}`, { method: 'POST', agent: false, localAddress, headers })
  request.on('error', () => undefined).write('{"data":[],"more":"'.padEnd(sent, 'x'))
  let isAnswered = false
  request.on('response', () => {
    isAnswered = true
  })
  return { request, isAnswered: () => isAnswered }
}

const MIB = 2 ** 20
const PLAYERS = '/api/integration/players'

test('a third upload beside two that do not arrive is accepted: these keep only the memory of what has come', async (t) => {
  const app = await openTestApp(t, { env: { BODIES_BYTES_MAX: String(8 * MIB) } })
  const token = app.service.ownToken
  // Together they have the share of their token and address.
  const slow = [0, 1].map(() => beginBody(app, PLAYERS, token, '127.0.0.1', 2 * MIB, 1_000))
  await Promise.all(slow.map(({ request }) => once(request, 'socket')))
  await app.predict(anOrder())
  const { status } = await app.ask('POST', PLAYERS, { body: { data: [], more: 'x'.repeat(2 * MIB) } })
  assert.equal(status, 200)
  assert.deepEqual(
    slow.map(({ isAnswered }) => isAnswered()),
    [false, false],
    'it did not wait until they were refused for being slow',
  )
  for (const { request } of slow) request.destroy()
})

test('a prediction waits for the memory of its body no longer than for its response, and then gets 503', async (t) => {
  const env = { BODIES_BYTES_MAX: String(MIB), PREDICTION_BODY_BYTES_MAX: String(MIB), PREDICTION_TIMEOUT_MS: '500' }
  const app = await openTestApp(t, { env })
  const tokens = await Promise.all(
    ['one', 'other'].map(async (name) => {
      const data = { name, scopes: ['players'] }
      return (await app.ask('POST', '/api/admin/tokens', { body: { data } })).body.token as string
    }),
  )
  // Two tokens from two addresses have all of it, and what has arrived they keep.
  const holding = tokens.map((token, n) => beginBody(app, PLAYERS, token, `127.0.0.${n + 2}`, MIB / 2, MIB / 2 - 1))
  await Promise.all(holding.map(({ request }) => once(request, 'socket')))
  await app.ask('GET', '/api/admin/settings')
  const order = { ...anOrder(), more: 'x'.repeat(MIB / 2) }
  const { status, headers, body } = await app.predict(order)
  const error = 'too many large requests at the same time'
  assert.deepEqual([status, headers['retry-after'], body], [503, '5', { error }])
  assert.deepEqual(
    holding.map(({ isAnswered }) => isAnswered()),
    [false, false],
    'the others still arrive',
  )
  for (const { request } of holding) request.destroy()
})
