/*
 * The routes declare the shape of their responses, and the commands rely on it: real answers against the declared shapes.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clean } from 'typebox/value'
import { CHECKED } from '../../scripts/response-shapes.ts'
import { noteBackup } from '../../src/database/backup/last-backup.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { RESPONSES, type RouteName } from '../../src/server/responses.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { sweptAccounts } from '../support/counted-accounts.ts'
import { openTestApp, type Reply, send, type TestApp } from '../support/test-app.ts'
import { unusedFields } from '../support/unused-fields.ts'

const NOW = '2026-06-01T12:00:00.000Z'

type Request = (app: TestApp) => Promise<Reply>

const post =
  (path: string, data?: unknown): Request =>
  (app) =>
    app.ask('POST', path, data === undefined ? {} : { body: { data } })
const get =
  (path: string): Request =>
  (app) =>
    app.ask('GET', path)

const adjustment = { user_id: 'u-1', id: 'a-1', points: 5, counts: false, reason: 'sorry' }
const REFERRING = `${STARTER_PROGRAM}referral: { friend: 50, referrer: 100 }\n`
/** Counts orders by an attribute. */
const COUNTING = 'attributes: { order: { channel: text } }\nstatistics: { by: channel }\n'
/** Selects lines, and gives nothing. */
const SELECTING = REFERRING.replace(
  'referral:',
  `  - { name: none, when: line.sku == "", least: 1, fixed: { points: 1 } }\n${COUNTING}referral:`,
)
const WITH_DAYS = `points: { expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 }, rewards: [{ name: cup, points: 1 }] }
`
const orderWithNotes = anOrder({ refferral_code: 'NOBODY', products: [{ product_sku_id: 'mug' }] })

const CASES = `
players: { a: {}, b: {} }
cases:
  - name: as expected
    orders:
      - { total_amount: 10, expect: { points: 1 } }
  - name: otherwise
    orders:
      - { total_amount: 10, products: [{ product_sku_id: mug }], refferral_code: NOBODY, expect: { points: 2 } }
      - { total_amount: 10, order_id: o-1, user_id: a }
      - { total_amount: 10, order_id: o-1, user_id: b }
      - { total_amount: 0, expect: { points: 0 } }
      - { player: a, redeem: r-1, points: 1, reason: r }
`

/** For each route, requests whose responses together have every declared field. They run one after the other. */
const REQUESTS: Readonly<Record<RouteName, readonly Request[]>> = {
  'POST /api/integration/players': [
    post('/api/integration/players?details=true&unchanged=true', [aPlayer(), {}]),
    post('/api/integration/players?details=true', Array(1_001).fill({ User_id: 'u-2' })),
    post('/api/integration/players', [
      aPlayer(),
      aPlayer({ User_id: 'friend', Refercode: 'FRIEND' }),
      aPlayer({ User_id: 'new' }),
    ]),
  ],
  'POST /api/integration/products': [
    post('/api/integration/products?details=true&unchanged=true', [aProduct(), aProduct(), {}]),
    post('/api/integration/products', [aProduct({ product_sku_id: 'versioned', state_version: 1 })]),
    post('/api/integration/products?details=true', Array(1_001).fill({ product_sku_id: 'cup' })),
  ],
  'POST /api/predictions/orders': [
    post('/api/predictions/orders', anOrder()),
    post('/api/predictions/orders?explain=true', orderWithNotes),
    post('/api/predictions/orders?explain=true', anOrder({ total_amount: 0, products: [] })),
    post('/api/predictions/orders?explain=true', anOrder({ total_amount: 1_000_000 })),
    async (app) => {
      await post('/api/admin/programs', { source: `${SELECTING}${WITH_DAYS}` })(app)
      await post('/api/players/u-1/adjustments', { ...adjustment, id: 'pays' })(app)
      return post('/api/predictions/orders?explain=true', { ...orderWithNotes, order_id: 'o-9' })(app)
    },
    post('/api/predictions/orders?explain=true', anOrder({ order_id: 'o-9', points_redeemed: 1 })),
  ],
  'POST /api/integration/orders': [
    post('/api/integration/orders?details=true&unchanged=true', [orderWithNotes]),
    post('/api/integration/orders', [anOrder({ order_id: 'o-0', total_amount: 0, products: [], currency: 'EUR' })]),
    post('/api/integration/orders?details=true', Array(1_001).fill(anOrder({ order_id: 'o-2', user_id: 'nobody' }))),
    outOfOrder,
    overpaid,
    usedAgain,
  ],
  'POST /api/players/:user_id/adjustments': [
    async (app) => {
      await post('/api/players/u-1/adjustments', { ...adjustment, id: 'waits', usable_on: '2999-01-01' })(app)
      return post('/api/players/u-1/adjustments', adjustment)(app)
    },
  ],
  'POST /api/players/:user_id/adjustments/:adjustment_id/undo': [
    async (app) => {
      await post('/api/players/u-1/adjustments', { ...adjustment, id: 'wrong' })(app)
      return post('/api/players/u-1/adjustments/wrong/undo', { reason: 'r' })(app)
    },
  ],
  'POST /api/players/:user_id/redemptions': [
    post('/api/players/u-1/redemptions', { id: 'r-1', points: 2, hold: true, order_id: 'o-7', reason: 'r' }),
    async (app) => {
      await post('/api/players/u-1/redemptions/r-1/void', { points: 1, reason: 'half' })(app)
      const again = { id: 'r-1', points: 2, hold: true, order_id: 'o-7', reason: 'r' }
      return post('/api/players/u-1/redemptions', again)(app)
    },
    post('/api/players/u-1/redemptions', { id: 'r-2', reward: 'cup', reason: 'r' }),
    post('/api/players/u-1/redemptions', { id: 'r-3', reward: 'cup', hold: true, order_id: 'o-8', reason: 'r' }),
  ],
  'GET /api/players/:user_id/redemptions/:redemption_id': [
    get('/api/players/u-1/redemptions/r-1'),
    get('/api/players/u-1/redemptions/r-3'),
  ],
  'GET /api/players/:user_id/redemptions': [
    get('/api/players/u-1/redemptions'),
    get('/api/players/u-1/redemptions?limit=1'),
  ],
  'POST /api/players/:user_id/redemptions/:redemption_id/confirm': [
    post('/api/players/u-1/redemptions/r-1/confirm', { points: 1 }),
    post('/api/players/u-1/redemptions/r-3/confirm', {}),
  ],
  'POST /api/players/:user_id/redemptions/:redemption_id/void': [
    post('/api/players/u-1/redemptions/r-1/void', { reason: 'r' }),
    post('/api/players/u-1/redemptions/r-3/void', { reason: 'r' }),
    async (app) => {
      await post('/api/players/u-1/redemptions', { id: 'r-4', points: 2, hold: true, reason: 'r' })(app)
      return post('/api/players/u-1/redemptions/r-4/void', { points: 1, reason: 'half' })(app)
    },
  ],
  'POST /api/admin/balances': [
    post('/api/admin/balances?details=true&unchanged=true', [adjustment, {}]),
    post('/api/admin/balances?details=true', Array(1_001).fill({ user_id: 'u-1' })),
  ],
  'GET /api/players/:user_id': [
    async (app) => {
      await post('/api/integration/orders', [{ ...orderWithNotes, order_id: 'o-9' }])(app)
      return get('/api/players/u-1?explain=true')(app)
    },
    get('/api/players/u-1?limit=1'),
  ],
  'GET /api/admin/players': [get('/api/admin/players'), get('/api/admin/players?limit=1')],
  'POST /api/admin/players/search': [
    post('/api/admin/players/search', { user_id: 'u-1' }),
    post('/api/admin/players/search?limit=1', { phone: aPlayer().Phone }),
  ],
  'GET /api/admin/players/:user_id': [get('/api/admin/players/u-1')],
  'GET /api/admin/players/:user_id/export': [get('/api/admin/players/u-1/export?limit=1')],
  'GET /api/admin/players/:user_id/predictions': [predictionOutcomes, get('/api/admin/players/u-1/predictions')],
  'GET /api/admin/products': [get('/api/admin/products'), get('/api/admin/products?limit=1')],
  'GET /api/admin/products/:product_sku_id': [get('/api/admin/products/versioned')],
  'POST /api/admin/players/:user_id/erase': [post('/api/admin/players/new/erase?dry_run=true', { reason: 'asked' })],
  'POST /api/admin/state-versions/:noun/:id/forget': [post('/api/admin/state-versions/player/u-1/forget')],
  'POST /api/admin/tokens': [
    post('/api/admin/tokens', { name: 'lasting', scopes: ['predict'] }),
    post('/api/admin/tokens', { name: 'ending', scopes: ['admin', 'orders'], expires_at: '2099-01-01T00:00:00Z' }),
  ],
  'POST /api/admin/tokens/:id/rotate': [
    async (app) => post(`/api/admin/tokens/${await validTokenId(app, 'lasting')}/rotate`)(app),
    async (app) => post(`/api/admin/tokens/${await validTokenId(app, 'ending')}/rotate`)(app),
  ],
  'POST /api/admin/tokens/:id/revoke': [
    async (app) => post(`/api/admin/tokens/${await validTokenId(app, 'lasting')}/revoke`)(app),
  ],
  'GET /api/admin/tokens': [
    async (app) => {
      await app.service.db.transaction(
        (tx) => tx.query('update tokens set last_used_at = created_at'),
        performance.now() + 60_000,
      )
      return get('/api/admin/tokens')(app)
    },
  ],
  'POST /api/admin/drafts': [
    post('/api/admin/drafts', { name: 'old', source: STARTER_PROGRAM, cases: '', based_on: 1 }),
    post('/api/admin/drafts', { name: 'new', source: '' }),
  ],
  'GET /api/admin/drafts': [get('/api/admin/drafts')],
  'GET /api/admin/drafts/:id': [
    async (app) => get(`/api/admin/drafts/${await draftId(app, 'old')}`)(app),
    async (app) => get(`/api/admin/drafts/${await draftId(app, 'new')}`)(app),
  ],
  'PUT /api/admin/drafts/:id': ['old', 'new'].map((name) => async (app) => {
    const id = await draftId(app, name)
    return app.ask('PUT', `/api/admin/drafts/${id}`, { body: { data: { name, source: '', revision: 1 } } })
  }),
  'DELETE /api/admin/drafts/:id': [async (app) => app.ask('DELETE', `/api/admin/drafts/${await draftId(app, 'new')}`)],
  'POST /api/admin/programs/check': [
    post('/api/admin/programs/check', { source: 'name: [' }),
    post('/api/admin/programs/check', { source: STARTER_PROGRAM, cases: 'cases: 5' }),
    post('/api/admin/programs/check', {
      source: `${STARTER_PROGRAM}referral: { friend: 1, referrer: 1 }\n${COUNTING}`,
      cases: CASES,
    }),
    post('/api/admin/programs/check', {
      source: `${STARTER_PROGRAM}  - { name: gross, when: line.sku == "", per-amount: { points: 1, every: 1, of: lines } }\n`,
      cases: 'cases: [{ name: one, orders: [{ total_amount: 10, discount: 1, expect: { points: 0 } }] }]',
    }),
  ],
  'POST /api/admin/programs/diff': [
    post('/api/admin/programs/diff', { to_source: STARTER_PROGRAM }),
    post('/api/admin/programs/diff', { from_version: 1, to_source: 'name: x' }),
  ],
  'POST /api/admin/simulations': [
    async (app) => {
      const { token } = (await post('/api/admin/tokens', { name: 'viewer', scopes: ['read'] })(app)).body
      const body = { data: { order: { user_id: 'u-1', total_amount: 1 } } }
      return app.ask('POST', '/api/admin/simulations', { body, headers: { token } })
    },
    post('/api/admin/simulations', { order: orderWithNotes }),
    post('/api/admin/simulations', { order: anOrder({ order_id: 'o-20', points_redeemed: 1 }) }),
    post('/api/admin/simulations', { order: { user_id: 'u-1', total_amount: 0 }, under_version: 1 }),
    post('/api/admin/simulations', {
      order: { ...orderWithNotes, order_id: 'o-10' },
      under_source: `${STARTER_PROGRAM}referral: { friend: 50, referrer: 100 }\n${COUNTING}`,
    }),
  ],
  'POST /api/admin/sign-in-codes': [
    async (app) => post('/api/admin/sign-in-codes', { token_id: await validTokenId(app, 'ending') })(app),
  ],
  'GET /api/admin/sessions': [signedIn, get('/api/admin/sessions')],
  'DELETE /api/admin/sessions/:id': [
    async (app) => app.ask('DELETE', `/api/admin/sessions/${(await signedIn(app)).body.sessions[0].id}`),
  ],
  'GET /api/admin/audit-log': [get('/api/admin/audit-log'), get('/api/admin/audit-log?limit=1')],
  'GET /api/admin/acts': [get('/api/admin/acts'), get('/api/admin/acts?limit=1')],
  'POST /api/admin/programs': [
    post('/api/admin/programs', { source: `${STARTER_PROGRAM}# Again\n`, from: '2027-01-01T00:00:00Z', note: 'later' }),
  ],
  'POST /api/admin/programs/:version/withdraw': [post('/api/admin/programs/3/withdraw')],
  'PUT /api/admin/settings': [
    (app) =>
      app.ask('PUT', '/api/admin/settings', {
        body: { data: { 'money.currency': 'EUR', 'players.phone': 'lenient' } },
      }),
    async (app) => {
      await app.upsertPlayers([aPlayer({ User_id: 'inactive', Refercode: '' })])
      await app.query(`update players set updated_at = '2001-01-01T00:00:00Z' where user_id = 'inactive'`)
      return app.ask('PUT', '/api/admin/settings?dry_run=true', { body: { data: { 'players.erase-after': 'P30D' } } })
    },
  ],
  'GET /api/admin/settings': [get('/api/admin/settings')],
  'GET /api/admin/programs': [get('/api/admin/programs')],
  'GET /api/admin/programs/:version': [get('/api/admin/programs/current'), get('/api/admin/programs/3')],
  'GET /api/admin/orders/:order_id': [
    redeemingOrder,
    recordedReferral,
    get('/api/admin/orders/o-1'),
    async (app) => {
      await post('/api/integration/orders', [anOrder({ order_id: 'o-0', total_amount: 0, products: [] })])(app)
      return get('/api/admin/orders/o-0?explain=true')(app)
    },
    get('/api/admin/orders/o-9?explain=true'),
    async (app) => {
      const attributes = { channel: 'app' }
      const products = [{ product_sku_id: 'tea', amount: 1, refunded: { qty: 1 }, attributes }]
      await post('/api/integration/orders', [anOrder({ order_id: 'o-refunded', products, attributes })])(app)
      return get('/api/admin/orders/o-refunded')(app)
    },
  ],
  'GET /api/admin/statistics/summary': [
    get('/api/admin/statistics/summary'),
    get('/api/admin/statistics/summary?compare=true'),
    whileCounting,
    swept('/api/admin/statistics/summary?from=2026-01-01&to=2026-01-31'),
  ],
  'GET /api/admin/statistics/points': [get('/api/admin/statistics/points?from=2026-01-01&to=2026-12-31')],
  'GET /api/admin/statistics/rules': [get('/api/admin/statistics/rules?per=month')],
  'GET /api/admin/statistics/orders': [get('/api/admin/statistics/orders?per=span&basis=booked')],
  'GET /api/admin/statistics/attributes': [get('/api/admin/statistics/attributes?per=month')],
  'GET /api/admin/statistics/predictions': [counted('/api/admin/statistics/predictions')],
  'GET /api/admin/statistics/accounts': [
    get('/api/admin/statistics/accounts'),
    swept('/api/admin/statistics/accounts'),
  ],
  'GET /api/admin/statistics/levels': [levelMoves],
  'GET /api/admin/deviations': [deviations],
  'GET /api/admin/statistics/unknown-products': [unknownProducts],
  'GET /api/admin/sources': [knownSource, counted('/api/admin/sources')],
  'GET /api/admin/sources/:record_type/refusals': [counted('/api/admin/sources/players/refusals')],
  'GET /api/admin/feeds': [get('/api/admin/feeds')],
  'GET /api/admin/feeds/:noun/refusals': [get('/api/admin/feeds/players/refusals')],
  'GET /api/admin/service': [
    counted('/api/admin/service'),
    async (app) => {
      await app.service.db.transaction((tx) => noteBackup(tx, '2026-06-01T03:00:00.000Z'), performance.now() + 10_000)
      return get('/api/admin/service?minutes=2')(app)
    },
  ],
  'POST /api/admin/jobs': [post('/api/admin/jobs', { kind: 'verify' })],
  'POST /api/admin/jobs/:id/cancel': [async (app) => post(`/api/admin/jobs/${await endedJobId(app)}/cancel`)(app)],
  'GET /api/admin/jobs': [get('/api/admin/jobs')],
  'GET /api/admin/jobs/:id': [async (app) => get(`/api/admin/jobs/${await endedJobId(app)}`)(app)],
  'GET /api/admin/orders': [get('/api/admin/orders'), get('/api/admin/orders?limit=1')],
}

/** The sessions after a sign-in by link, with a named token. */
async function signedIn(app: TestApp): Promise<Reply> {
  const code = await post('/api/admin/sign-in-codes', { token_id: await validTokenId(app, 'ending') })(app)
  const headers = { 'x-laurel-console': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify({ data: { code: code.body.code } }))
  assert.equal((await send(app.url, 'POST', '/api/console/session', body, headers)).status, 200)
  return get('/api/admin/sessions')(app)
}

/** An order with every field, which gives its referrer points under a program with a referral. */
async function recordedReferral(app: TestApp): Promise<Reply> {
  const source = `${STARTER_PROGRAM}referral: { friend: 5, referrer: 7, counts: true }\n`
  const published = await post('/api/admin/programs', { source, from: '2026-06-01T12:01:00Z' })(app)
  assert.equal(published.status, 200, published.text)
  const parts = { total_qty: 1, state_version: 1, refferral_code: 'FRIEND', ordered_at: '2026-06-01T12:02:00Z' }
  const { body } = await app.record([anOrder({ order_id: 'referred', user_id: 'new', ...parts })])
  assert.equal(body.inserted, 1, body.message)
  return get('/api/admin/orders/referred')(app)
}

/** More orders than notes are listed, all older than one that is recorded. */
async function outOfOrder(app: TestApp): Promise<Reply> {
  const at = (minute: number) => `2026-06-01T12:0${minute}:00Z`
  await app.record([anOrder({ order_id: 'newest', ordered_at: at(4) })])
  const late = Array.from({ length: 1_001 }, (_, index) =>
    anOrder({ order_id: `late-${index}`, ordered_at: at(3), products: [] }),
  )
  return post('/api/integration/orders?details=true&dry_run=true', late)(app)
}

/** An order that is worth less than what its points paid. */
async function overpaid(app: TestApp): Promise<Reply> {
  const state = (total: number, more: object = {}) =>
    anOrder({ order_id: 'overpaid', total_amount: total, products: [], points_redeemed: 1, ...more })
  assert.equal((await app.record([state(10)])).body.inserted, 1)
  const reply = await post('/api/integration/orders?details=true', [state(0)])(app)
  await app.record([state(0, { status: 'cancelled' })])
  return reply
}

/** An order that is probably another one than that recorded under its id. */
async function usedAgain(app: TestApp): Promise<Reply> {
  const receipt = { order_id: 'used-again', products: [] }
  await app.record([anOrder({ ...receipt, ordered_at: '2026-06-01T12:02:00Z', total_amount: 1 })])
  const next = anOrder({ ...receipt, ordered_at: '2025-06-01T12:02:00Z', total_amount: 2 })
  return post('/api/integration/orders?details=true&dry_run=true', [next])(app)
}

/** An order that is paid with a point. */
async function redeemingOrder(app: TestApp): Promise<Reply> {
  const { body } = await app.record([anOrder({ order_id: 'paid', points_redeemed: 1 })], '?details=true')
  assert.equal(body.inserted, 1, JSON.stringify(body))
  return get('/api/admin/orders/paid')(app)
}

/** After a sweep of all accounts. */
function swept(path: string): Request {
  return async (app) => {
    await sweptAccounts(app)
    return get(path)(app)
  }
}

/** During the backfill of entries from before days were stored. */
async function whileCounting(app: TestApp): Promise<Reply> {
  const script = (sql: string) => app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000)
  await script("insert into statistics_backfill values ('', 0, 0, false)")
  const reply = await get('/api/admin/statistics/summary?basis=booked')(app)
  await script('truncate statistics_backfill')
  return reply
}

/** After products missing from the catalogue were counted. */
async function unknownProducts(app: TestApp): Promise<Reply> {
  app.service.deps.activity.countUnknownProducts(['MUG-9'])
  app.service.deps.activity.countUnknownProducts(['CUP-7'], 'o-1')
  await app.service.deps.activity.flush()
  return get('/api/admin/statistics/unknown-products')(app)
}

/** With an order that was recorded with other points than predicted. */
async function deviations(app: TestApp): Promise<Reply> {
  await app.service.db.transaction(
    (tx) =>
      tx.script(`insert into differed_predictions values ('u-1', 'o-1', '${NOW}', 'order', 1, 'A', 1, 2, 'B', 1)`),
    performance.now() + 60_000,
  )
  return get('/api/admin/deviations?limit=1')(app)
}

/** One prediction that did not come true, and one of an order that is not recorded. */
async function predictionOutcomes(app: TestApp): Promise<Reply> {
  const kept = (orderId: string) =>
    `('u-1', '${orderId}', '2020-01-01', gen_random_uuid(), 'a', 1, false, 'A', 'A', 1, '', '', '', 1, 1, 1)`
  await app.service.db.transaction(
    (tx) =>
      tx.script(`insert into predictions values ${kept('o-0')}, ${kept('unknown')};
        insert into differed_predictions values ('u-1', 'o-0', '${NOW}', 'order', 1, 'A', 1, 2, 'B', 1)`),
    performance.now() + 60_000,
  )
  return get('/api/admin/players/u-1/predictions?limit=1')(app)
}

/** A source: a token with a name and a usual interval. */
async function knownSource(app: TestApp): Promise<Reply> {
  const { id } = (await post('/api/admin/tokens', { name: 'shop', scopes: ['players'] })(app)).body
  await app.service.db.transaction(
    (tx) => tx.script(`insert into feed_last values ('players', '${id}', '${NOW}', 60000)`),
    performance.now() + 60_000,
  )
  return get('/api/admin/sources?from=2026-06-01')(app)
}

/** After counts were written. */
function counted(path: string): Request {
  return async (app) => {
    const { activity } = app.service.deps
    activity.countPredictions({ measure: 'came-true', program: 1, key: '', n: 1, points: 0n })
    activity.countPredictions({ measure: 'asked-kept', program: 0, key: 'a', n: 1, points: 0n })
    await activity.flush()
    return get(path)(app)
  }
}

/** A finished job with every field. */
async function endedJobId(app: TestApp): Promise<string> {
  const { body } = await post('/api/admin/jobs', { kind: 'verify' })(app)
  const set = `state = 'failed', error = 'why', progress = '[{"of":"players","done":1,"total":2}]', result = '{"players":1,"orders":1,"entries":"1","erased":0,"differing":0,"differences":[]}',
    began_at = asked_at, ended_at = asked_at, snapshot_at = asked_at, pause_ms = 5`
  await app.service.db.transaction(
    (tx) => tx.query(`update jobs set ${set} where job_id = '${body.id}'`),
    performance.now() + 60_000,
  )
  return body.id
}

/** After an order that reaches the next level. */
async function levelMoves(app: TestApp): Promise<Reply> {
  await app.record([anOrder({ order_id: 'large', total_amount: 1_000_000 })])
  return get('/api/admin/statistics/levels')(app)
}

async function draftId(app: TestApp, wanted: string): Promise<string> {
  const { drafts } = (await get('/api/admin/drafts')(app)).body
  return drafts.find(({ name }: { name: string }) => name === wanted).id
}

/** The id of the token of that name that is not revoked. */
async function validTokenId(app: TestApp, wanted: string): Promise<string> {
  const { body } = await get('/api/admin/tokens')(app)
  const tokens = body.tokens as readonly { id: string; name: string; revoked_at: string | null }[]
  return tokens.find(({ name, revoked_at }) => name === wanted && revoked_at === null)!.id
}

test('every route answers exactly the fields that it declares', async (t) => {
  const app = await openTestApp(t, { now: () => new Date(NOW) })
  assert.deepEqual(Object.keys(REQUESTS).sort(), Object.keys(RESPONSES).sort())
  for (const [name, requests] of Object.entries(REQUESTS) as [RouteName, readonly Request[]][]) {
    const schema: TSchema = RESPONSES[name]
    const check = Compile(schema)
    const bodies: unknown[] = []
    for (const request of requests) {
      const { status, body, text } = await request(app)
      assert.equal(status, 200, `${name}: ${text}`)
      assert(check.Check(body), `${name}: ${JSON.stringify([...check.Errors(body)][0])} in ${text.slice(0, 500)}`)
      assert.deepEqual(Clean(schema, structuredClone(body)), body, `${name} answers with an undeclared field`)
      bodies.push(body)
    }
    // Which fields the results of jobs have depends on their kind: job-results.test.ts.
    assert.deepEqual(unusedFields(CHECKED[name], bodies), [], `${name} declares a field that no answer has`)
  }
})
