import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Tx } from '../../src/database/db/transaction.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { listOrderPageByTime, listZeroPointOrderPage } from '../../src/resources/orders/store.ts'
import { findPlayersBy } from '../../src/resources/players/store.ts'
import { acceptedType, csvText } from '../../src/server/page-formats.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import {
  forEachPlanningService,
  forEachService,
  type OpenTestApp,
  openTestApp,
  type Reply,
  type TestApp,
} from '../support/test-app.ts'

const get = (app: TestApp, path: string, headers: Record<string, string> = {}) => app.ask('GET', path, { headers })
const search = (app: TestApp, data: object, query = '', method = 'POST', headers = {}) =>
  app.ask(method, `/api/admin/players/search${query}`, { body: { data }, headers })
const tokenFor = async (app: TestApp, scope: string): Promise<Record<string, string>> => {
  const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: scope, scopes: [scope] } } })
  return { token: body.token }
}
const namesOf = (rows: readonly Record<string, string>[], key: string) => rows.map((row) => row[key])

/** The plan of the only statement of `read`, with actual row counts. */
async function planOf(app: TestApp, read: (tx: Tx) => Promise<readonly object[]>): Promise<string> {
  const plan = await app.service.db.transaction(
    (tx) =>
      read({
        ...tx,
        query: (sql: string, params = []) => tx.query(sql.replace(/^with/m, 'explain analyze with'), params),
      } as Tx),
    performance.now() + 60_000,
  )
  return plan.map((line) => Object.values(line).join()).join('\n')
}

/** Keys that would be missed or repeated by a list that treated them as patterns or sorted them by a collation. */
const KEYS = [
  '%',
  '%%',
  '_',
  '__a',
  '\\',
  '\\%',
  "'",
  '"',
  'A',
  'B',
  'a',
  'b',
  'Z',
  'é',
  'e\u0301',
  'ß',
  '中',
  '😀',
  'a😀',
  'a\u{10ffff}b',
  '\u{10ffff}',
  '\u{10ffff}'.repeat(200),
  '\uffff',
  ' a',
  'a b',
  'a,b',
  'a/b',
  '?',
  '#',
  '&x=1',
]

const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

const LISTS = {
  players: {
    key: 'user_id',
    send: (app: TestApp, ids: string[]) => app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id }))),
  },
  products: {
    key: 'sku',
    send: (app: TestApp, ids: string[]) =>
      app.upsertProducts(ids.map((product_sku_id) => aProduct({ product_sku_id }))),
  },
  orders: {
    key: 'order_id',
    send: (app: TestApp, ids: string[]) => app.record(ids.map((order_id) => anOrder({ order_id }))),
  },
} as const

/** Walks a list from page to page by `after`, calling `between` after each page. */
async function walk(
  app: TestApp,
  list: keyof typeof LISTS,
  query: Record<string, string>,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const seen: string[] = []
  let after: string | null = null
  for (let page = 0; page === 0 || after !== null; page += 1) {
    const { status, body }: Reply = await get(
      app,
      `/api/admin/${list}?${new URLSearchParams({ ...query, ...(after === null ? {} : { after }) })}`,
    )
    assert.equal(status, 200, JSON.stringify(body))
    seen.push(...body[list].map((row: Record<string, string>) => row[LISTS[list].key]))
    after = body.after
    await between(page)
  }
  return seen
}

async function filled(openApp: OpenTestApp, t: TestContext): Promise<TestApp> {
  const app = await openApp(t)
  await app.upsertPlayers([aPlayer()])
  for (const { send } of Object.values(LISTS)) assert.equal((await send(app, KEYS)).body.inserted, KEYS.length)
  return app
}

forEachService((openTestApp) => {
  test('pages show each key once, in code point order, with any page size (decision 122)', async (t) => {
    const app = await filled(openTestApp, t)
    for (const list of ['players', 'products', 'orders'] as const) {
      const keys = [...KEYS, ...(list === 'players' ? ['u-1'] : [])].sort(byCodePoint)
      for (const limit of ['1', '4', String(keys.length), '500'])
        assert.deepEqual(await walk(app, list, { limit }), keys)
    }
  })

  test('a prefix is matched exactly: no character is special, and case matters', async (t) => {
    const app = await filled(openTestApp, t)
    for (const list of ['players', 'products', 'orders'] as const) {
      for (const prefix of [...KEYS, 'a', 'nothing', '\u{10ffff}\u{10ffff}']) {
        const expected = KEYS.filter((id) => id.startsWith(prefix)).sort(byCodePoint)
        assert.deepEqual(await walk(app, list, { prefix, limit: '1' }), expected, `${list} ${prefix}`)
      }
    }
  })

  test('inserts between two pages do not shift the following ones', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const ids = (suffix: string) =>
      Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}${suffix}`)
    for (const list of ['players', 'products', 'orders'] as const) {
      const { send } = LISTS[list]
      await send(app, ids(''))
      const seen = await walk(app, list, { limit: '3', prefix: 'k' }, (page) =>
        send(app, [ids('')[page * 3]!, ids('-new')[page * 2]!]),
      )
      assert.deepEqual(seen, [...new Set(seen)].sort(byCodePoint))
      assert.deepEqual(
        ids('').filter((id) => !seen.includes(id)),
        [],
      )
    }
  })

  test('the orders of one player can be listed, and an unknown player has none', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    const owners = ['u-1', 'u-2', 'u-1', 'u-2', 'u-1']
    await app.record(owners.map((user_id, index) => anOrder({ user_id, order_id: `o-${index}` })))
    assert.deepEqual(await walk(app, 'orders', { user_id: 'u-1', limit: '1' }), ['o-0', 'o-2', 'o-4'])
    assert.deepEqual(await walk(app, 'orders', { user_id: 'u-1', prefix: 'o-2' }), ['o-2'])
    assert.deepEqual(await walk(app, 'orders', { user_id: 'nobody' }), [])
  })

  test('orders can be listed by days in the time zone of the program, newest first, with any page size (decision 122)', async (t) => {
    const app = await openTestApp(t)
    const source = `${STARTER_PROGRAM}time-zone: Asia/Kolkata\n`
    const data = { source, from: '2026-04-10T00:00:00Z' }
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data } })).status, 200)
    await app.upsertPlayers([aPlayer()])
    const MOMENTS = [
      ['utc-first', '2026-04-01T00:00:00Z'],
      ['utc-last', '2026-04-01T23:59:59.999Z'],
      ['utc-next', '2026-04-02T00:00:00Z'],
      ['before', '2026-04-30T18:29:59.999Z'],
      ['first', '2026-04-30T18:30:00Z'],
      ['b', '2026-05-01T06:00:00Z'],
      ['😀', '2026-05-01T06:00:00Z'],
      ['a', '2026-05-01T06:00:00Z'],
      ['last', '2026-05-01T18:29:59.999Z'],
      ['after', '2026-05-01T18:30:00Z'],
    ] as const
    await app.record(MOMENTS.map(([order_id, ordered_at]) => anOrder({ order_id, ordered_at })))
    const ofMay = ['last', '😀', 'b', 'a', 'first']
    for (const limit of ['1', '2', '5', '500'])
      assert.deepEqual(await walk(app, 'orders', { from: '2026-05-01', to: '2026-05-01', limit }), ofMay)
    assert.deepEqual(await walk(app, 'orders', { from: '2026-05-01', limit: '2' }), ['after', ...ofMay])
    assert.deepEqual(await walk(app, 'orders', { to: '2026-04-01' }), ['utc-last', 'utc-first'])
    assert.deepEqual(await walk(app, 'orders', { from: '2026-05-03', to: '9998-12-31' }), [])
    assert.equal((await walk(app, 'orders', { from: '1900-01-01', limit: '3' })).length, MOMENTS.length)
    const csv = await get(app, '/api/admin/orders?from=2026-05-01&limit=1', { accept: 'text/csv' })
    assert.match(csv.text, /^order_id,[^\n]*\r\nafter,/)
    assert.match(csv.headers.link as string, /from=2026-05-01/)
  })

  test('orders that earned nothing are listed by the reason counted in the statistics, whatever happened to them later (decision 122)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
    const order = (order_id: string, total_amount: number, parts: object = {}) =>
      anOrder({ order_id, total_amount, products: [], ordered_at: '2026-05-01T12:00:00Z', ...parts })
    const small = ['a', 'b', '😀'].map((id) => order(id, 5, { user_id: id === 'b' ? 'u-2' : 'u-1' }))
    await app.record([
      ...small,
      order('next', 5, { ordered_at: '2026-05-02T00:00:00Z' }),
      order('earns', 500),
      order('free', 5, { discount: 5 }),
      order('gone', 500, { status: 'cancelled' }),
    ])
    // Their first states count: one earns now, one was moved to another day, and a cancelled one had earned.
    await app.record([order('b', 500, { user_id: 'u-2' }), order('earns', 500, { status: 'cancelled' })])
    await app.record([order('a', 5, { ordered_at: '2026-06-01T00:00:00Z' })])
    const rounded = ['next', '😀', 'b', 'a']
    for (const limit of ['1', '2', '4', '500'])
      assert.deepEqual(await walk(app, 'orders', { nothing: 'rounded-away', limit }), rounded)
    const ofDay = { nothing: 'rounded-away', from: '2026-05-01', to: '2026-05-01' }
    assert.deepEqual(await walk(app, 'orders', { ...ofDay, limit: '1' }), rounded.slice(1))
    assert.deepEqual(await walk(app, 'orders', { nothing: 'nothing-paid' }), ['free'])
    assert.deepEqual(await walk(app, 'orders', { nothing: 'not-placed' }), ['gone'])
    assert.deepEqual(await walk(app, 'orders', { nothing: 'ceiling' }), [])
    const { body } = await get(app, '/api/admin/statistics/orders?per=span&from=2026-05-01&to=2026-05-02')
    const counted = body.lines.filter(({ measure }: { measure: string }) => measure === 'nothing')
    for (const { key, n } of counted)
      assert.equal((await walk(app, 'orders', { nothing: key })).length, n, `${key}: ${n}`)
    assert.equal(counted.length, 3)
    const [moved] = (await get(app, '/api/admin/orders?nothing=rounded-away&limit=500')).body.orders.slice(-1)
    assert.deepEqual([moved.order_id, moved.ordered_at, moved.first_at], ['a', '2026-06-01T00:00:00.000Z', undefined])
    await app.query("update entries set explanation = explanation::jsonb - 'nothing'")
    assert.deepEqual(await walk(app, 'orders', { nothing: 'unknown', from: '2026-05-02' }), ['next'])
  })

  test('the orders that give a player points for referrals can be listed', async (t) => {
    const app = await openTestApp(t)
    const source = `${STARTER_PROGRAM}referral: { friend: 5, referrer: 7 }\n`
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    const friends = ['a', 'b', 'c']
    await app.upsertPlayers([
      aPlayer({ Refercode: 'FRIEND' }),
      ...friends.map((User_id) => aPlayer({ User_id, Refercode: '' })),
    ])
    await app.record(
      friends.map((user_id) => anOrder({ user_id, order_id: `of ${user_id}`, refferral_code: 'FRIEND' })),
    )
    await app.record([anOrder({ order_id: 'own' })])
    assert.deepEqual(await walk(app, 'orders', { referrer_id: 'u-1', limit: '1' }), ['of a', 'of b', 'of c'])
    assert.deepEqual(await walk(app, 'orders', { referrer_id: 'u-1', prefix: 'of b' }), ['of b'])
    assert.deepEqual(await walk(app, 'orders', { referrer_id: 'a' }), [])
  })

  test('an order explains its own revisions, newest first, if asked, however many entries its player has', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ total_amount: 500 }), anOrder({ order_id: 'other' })])
    await app.record([anOrder({ total_amount: 200 })])
    const gifts = Array.from({ length: 501 }, (_, at) => ({
      id: `g-${at}`,
      points: 1,
      counts: false,
      reason: 'a gift',
    }))
    const data = gifts.map((gift) => ({ user_id: 'u-1', ...gift }))
    assert.equal((await app.ask('POST', '/api/admin/balances', { body: { data } })).body.inserted, 501)
    const shown = async (query: string) =>
      (await get(app, `/api/admin/orders/o-1${query}`)).body.revisions as Record<string, unknown>[]
    assert.equal(await shown(''), undefined)
    assert.deepEqual(
      (await shown('?explain=true')).map(({ revision, change, points }) => [revision, change, points]),
      [
        [2, 'changed', -30],
        [1, 'placed', 50],
      ],
    )
    const { entries } = (await get(app, '/api/players/u-1?explain=true&limit=3&after=4')).body
    const explained = (all: Record<string, unknown>[]) => all.map(({ explanation }) => explanation)
    assert.deepEqual(explained(await shown('?explain=true')), explained([entries[0], entries[2]]))
  })

  test('an order and a product are shown as stored, with exact numbers', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'friend', Refercode: 'FRIEND' })])
    await app.upsertProducts([aProduct({ amount: '999999999999999.1230', state_version: 7 })])
    const lines = [{ product_sku_id: 'tea', amount: '1200', qty: '2.5' }, {}]
    await app.record([
      anOrder({
        products: lines,
        refferral_code: 'FRIEND',
        total_qty: 3,
        state_version: 2,
        ordered_at: '2026-01-31T12:00:00Z',
      }),
    ])
    const { body: product } = await get(app, '/api/admin/products/tea')
    assert.deepEqual([product.price, product.rev, product.state_version], ['999999999999999.123', 1, 7])
    const { body } = await get(app, '/api/admin/orders/o-1')
    const { recorded_at, updated_at, ...order } = body
    assert.match(recorded_at, /^\d{4}-.*Z$/)
    assert.equal(recorded_at, updated_at)
    assert.deepEqual(order, {
      order_id: 'o-1',
      user_id: 'u-1',
      status: 'placed',
      ordered_at: '2026-01-31T12:00:00.000Z',
      total: '1200',
      discount: '0',
      qty: '3',
      line_count: 2,
      referral_code: 'FRIEND',
      subscript_points: false,
      points: 120,
      referrer_id: null,
      referrer_points: 0,
      program: 1,
      rev: 1,
      state_version: 2,
      lines: [{ sku: 'tea', amount: '1200', qty: '2.5' }, { qty: '1' }],
      currency: null,
    })
    for (const [path, error] of [
      ['orders/o-9', 'order o-9 not found'],
      ['products/cup', 'product cup not found'],
    ] as const) {
      const reply = await get(app, `/api/admin/${path}`)
      assert.deepEqual([reply.status, reply.body], [404, { error }])
    }
  })

  test('players are found by e-mail in any case, by phone with or without a plus, by code and by id, before and after the index is summarised', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([
      aPlayer({ User_id: 'p-1', Email: 'Asha@Example.com', Phone: '+919876543210', Refercode: 'ASHA' }),
      aPlayer({ User_id: 'p-2', Email: 'asha@example.com', Phone: '919876543210', Refercode: 'asha' }),
      aPlayer({ User_id: 'p-3', Email: 'ÄSHA@example.com', Phone: '09876543210', Refercode: '' }),
      aPlayer({ User_id: 'ASHA', Email: '', Phone: '', Refercode: '' }),
    ])
    const cases: [object, string[]][] = [
      [{ email: 'ASHA@example.COM' }, ['p-1', 'p-2']],
      [{ email: 'ÄSHA@EXAMPLE.com' }, ['p-3']],
      [{ email: 'äsha@example.com' }, []],
      [{ email: 'asha' }, []],
      [{ email: '%@example.com' }, []],
      [{ phone: '+91 98765-432 10' }, ['p-1', 'p-2']],
      [{ phone: 919876543210 }, ['p-1', 'p-2']],
      [{ phone: '(0) 9876.543210' }, ['p-3']],
      [{ refer_code: 'ASHA' }, ['p-1']],
      [{ user_id: 'ASHA', refer_code: 'ASHA', email: 'ASHA', phone: 'ASHA' }, ['ASHA', 'p-1']],
      [{ user_id: 'p-3', email: null, phone: '' }, ['p-3']],
    ]
    for (const step of ['none', "select brin_summarize_new_values('players_by_contact')"]) {
      if (step !== 'none') await app.query(step)
      for (const [data, found] of cases)
        assert.deepEqual(
          namesOf((await search(app, data)).body.players, 'user_id'),
          found,
          `${step} ${JSON.stringify(data)}`,
        )
    }
    const first = await search(app, { email: 'asha@example.com' }, '?limit=1', 'QUERY')
    const second = await search(app, { email: 'asha@example.com' }, `?limit=1&after=${first.body.after}`)
    assert.deepEqual(
      [first, second].map(({ body }) => namesOf(body.players, 'user_id')),
      [['p-1'], ['p-2']],
    )
    assert.equal(second.body.after, null)
  })
})

forEachPlanningService((openTestApp) => {
  test('a page of orders that earned nothing uses the index by reason, and reads no more than the page', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
    await app.record(
      Array.from({ length: 2_000 }, (_, index) =>
        anOrder({ order_id: `o-${index}`, ordered_at: at(index), total_amount: index % 2 }),
      ),
    )
    await app.query('analyze entries')
    await app.query('analyze orders')
    // The planner expects five orders: for a page of as many, reading all and sorting them would cost the same.
    const page = { before: { at: at(1_000), id: 'o-1000' }, limit: 2 }
    const text = await planOf(app, (tx) =>
      listZeroPointOrderPage(tx, page, { from: '-infinity', until: at(1_900) }, 'rounded-away'),
    )
    assert.match(text, /Index Scan Backward using entries_of_nothing on entries.*actual.*rows=2\b/)
    assert(!text.includes('Seq Scan on entries'), text)
  })

  test('a page of orders by days uses the index by time, and reads no more than the page', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
    await app.record(
      Array.from({ length: 2_000 }, (_, index) => anOrder({ order_id: `o-${index}`, ordered_at: at(index) })),
    )
    await app.query('analyze orders')
    const page = { before: { at: at(1_000), id: 'o-1000' }, limit: 20 }
    const text = await planOf(app, (tx) => listOrderPageByTime(tx, page, { from: '-infinity', until: at(1_900) }))
    assert.match(text, /Index Scan Backward using orders_by_moment on orders.*rows=2\d\b/)
    assert(!text.includes('Seq Scan on orders'), text)
  })

  test('a search uses indexes, and reads only the part of the table that they select', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers(
      Array.from({ length: 3_000 }, (_, index) =>
        aPlayer({
          User_id: `u-${index}`,
          Email: `c${index}@example.com`,
          Phone: String(index),
          Refercode: `R${index}`,
        }),
      ),
    )
    await app.query("select brin_summarize_new_values('players_by_contact')")
    const sought = { userId: 'u-1', email: 'C17@example.com', phone: '18', referralCode: 'R19' }
    const plan = await app.service.db.transaction((tx) => {
      const explained = {
        ...tx,
        query: (sql: string, params = []) => tx.query(sql.replace(/^with/m, 'explain analyze with'), params),
      }
      return findPlayersBy(explained as Tx, sought, { after: '', limit: 50 })
    }, performance.now() + 60_000)
    const text = plan.map((line) => Object.values(line).join()).join('\n')
    assert.equal(text.split('Bitmap Index Scan on players_by_contact').length, 3, text)
    assert(!text.includes('Seq Scan on players'), text)
    for (const [, rows] of text.matchAll(/Rows Removed by Index Recheck: (\d+)/g)) assert(Number(rows) < 1_500, text)
  })
})

/** Players whose ids, codes and values are all personal data. */
const PEOPLE = [
  aPlayer({
    User_id: 'asha@example.com',
    Add: '1 Road',
    Phone: '+919876543210',
    Refercode: '9876543210',
    RefBy: 'b@c.de',
  }),
  aPlayer({
    User_id: 'u-1',
    Name: '=cmd()',
    Email: 'x@example.com',
    State: '@x',
    District: 'a,"b"\r\nc',
    Country: '+1',
  }),
]
/** What no response to a token with only the scope read may contain. */
const PERSONAL = /asha@|@example|Rao|987654|1 Road|1990-01-31|068201|091234|b@c/
/** Ids and referral codes are shown with the scope `support`. */
const MASKED_FOR_ALL = /Rao|1 Road|1990-01-31|068201|091234|b@c/

const FORMATS = {
  'application/json': (reply: Reply, rows: string) => reply.body[rows],
  'application/x-ndjson': ({ text }: Reply) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  'text/csv': ({ text }: Reply) => parse(text, { columns: true, record_delimiter: '\r\n' }),
} as const

test('a list has the same rows as JSON, NDJSON and CSV, masked in all of them (decisions 67, 122 and 218)', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers(PEOPLE)
  await app.record([
    anOrder({ user_id: 'asha@example.com', refferral_code: '9876543210' }),
    anOrder({ order_id: 'o-2', total_amount: 0, products: [] }),
  ])
  const reader = await tokenFor(app, 'read')
  for (const headers of [{}, reader]) {
    for (const [type, rowsOf] of Object.entries(FORMATS)) {
      for (const list of ['players', 'orders', 'products'] as const) {
        const reply = await get(app, `/api/admin/${list}`, { ...headers, accept: type })
        assert.deepEqual([reply.status, reply.headers['content-type']], [200, `${type}; charset=utf-8`])
        assert.equal(reply.headers['cache-control'], 'no-store')
        assert.doesNotMatch(reply.text, headers === reader ? PERSONAL : MASKED_FOR_ALL)
        const rows = rowsOf(reply, list)
        const json = (await get(app, `/api/admin/${list}`, headers)).body[list]
        assert.deepEqual(
          rows.map((row: object) => Object.keys(row)),
          json.map((row: object) => Object.keys(row)),
        )
        assert.deepEqual(
          namesOf(rows, list === 'orders' ? 'order_id' : 'user_id'),
          namesOf(json, list === 'orders' ? 'order_id' : 'user_id'),
        )
      }
      const found = await search(app, { user_id: 'asha@example.com' }, '', 'POST', { ...headers, accept: type })
      assert.doesNotMatch(found.text, headers === reader ? PERSONAL : MASKED_FOR_ALL)
    }
  }
  const order = await get(app, '/api/admin/orders/o-1', reader)
  assert.doesNotMatch(order.text, PERSONAL)
  assert.deepEqual(
    [order.body.user_id, order.body.referral_code],
    [app.service.deps.handles.of('asha@example.com'), '•••'],
  )
})

test('neither a cursor nor the address of the next page reveals the id that it stands for', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers(PEOPLE)
  const { headers, body } = await get(app, '/api/admin/players?limit=1&prefix=a')
  assert.deepEqual([body.after, headers.link], [null, undefined])
  const first = await get(app, '/api/admin/players?limit=1', { accept: 'text/csv' })
  assert.doesNotMatch(first.headers.link as string, PERSONAL)
  const next = /^<(\?[^>]+)>; rel="next"$/.exec(first.headers.link as string)![1]!
  const second = await get(app, `/api/admin/players${next}`, { accept: 'application/x-ndjson' })
  assert.deepEqual([JSON.parse(second.text).user_id, second.headers.link], ['u-1', undefined])
})

test('texts in CSV are never formulas, and commas, quotes and line breaks are quoted (RFC 4180)', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers(PEOPLE)
  const { text } = await search(app, { user_id: 'u-1' }, '?reveal=true', 'POST', { accept: 'text/csv' })
  const [head, ...rest] = text.split('\r\n')
  assert.match(head!, /^user_id,name,email,phone,address,date_of_birth,gender,/)
  const row = rest.join('\r\n')
  assert(row.includes(`,'=cmd(),`) && row.includes(`,'@x,"a,""b""\r\nc",`) && row.includes(`,'+1,1,`), row)
  assert.deepEqual(
    [
      csvText(['a', 'b'], []),
      csvText(
        ['a', 'b'],
        [
          { a: null, b: -5 },
          { a: '\tx', b: '-5' },
          { a: '-5+1', b: '-5.25' },
        ],
      ),
    ],
    ['a,b\r\n', "a,b\r\n,-5\r\n'\tx,-5\r\n'-5+1,-5.25\r\n"],
  )
})

test('the client chooses the format of a list by Accept; if it accepts none of them, it gets JSON', () => {
  for (const [accept, type] of [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['text/html', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/x-ndjson;q=0.5, text/csv;q=0.4, */*;q=0.1', 'application/x-ndjson'],
    ['application/json, text/csv', 'application/json'],
    ['application/json;q=0, text/csv;q=0', 'application/json'],
    ['text/csv;q=0, */*', 'application/json'],
    [',;q=,', 'application/json'],
  ] as const)
    assert.equal(acceptedType(accept), type, accept ?? 'nothing')
})

test('support can unmask personal data only of a player searched or asked for, and each time is logged', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers(PEOPLE)
  await app.record([anOrder({ user_id: 'asha@example.com' })])
  const [reader, support] = [await tokenFor(app, 'read'), await tokenFor(app, 'support')]
  const sought = { email: 'ASHA@example.com' }
  for (const reply of [
    await search(app, sought, '?reveal=true', 'POST', reader),
    await get(app, '/api/admin/orders/o-1?reveal=true', reader),
  ])
    assert.deepEqual([reply.status, reply.body], [401, { error: 'this token does not have the scope support' }])
  for (const list of ['players', 'orders', 'products'])
    assert.equal((await get(app, `/api/admin/${list}?reveal=true`)).body.path, 'query.reveal')
  assert(!app.observations.some(({ kind }) => kind === 'player-revealed'))
  const { body } = await search(app, sought, '?reveal=true', 'POST', support)
  assert.deepEqual([body.players[0].user_id, body.players[0].email], ['asha@example.com', 'asha@example.com'])
  assert.equal((await get(app, '/api/admin/orders/o-1?reveal=true', support)).body.user_id, 'asha@example.com')
  const logged = app.observations.flatMap((one) => (one.kind === 'player-revealed' ? [one.userId] : []))
  const handle = app.service.deps.handles.of('asha@example.com')
  assert.deepEqual(logged, [handle, handle])
})

const BAD_DAYS = [
  'from=',
  'from=2026-02-30',
  'from=2026-02-01T00:00:00Z',
  'from=1899-12-31',
  'to=9999-12-31',
  'to=x',
  'from=2026-02-02&to=2026-02-01',
  'after=Q1VQLTc&from=2026-02-02',
  'prefix=a&from=2026-02-02',
  'user_id=a&to=2026-02-02',
  'referrer_id=a&to=2026-02-02',
  'nothing=',
  'nothing=rounding',
  'prefix=a&nothing=ceiling',
  'user_id=a&nothing=ceiling&from=2026-02-02',
]

test('an invalid query is refused with its path', async (t) => {
  const app = await openTestApp(t)
  const bad = [
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1&limit=2',
    'after=',
    'after=x',
    'after=%00',
    'after=dQ%3D%3D',
    'prefix=',
    'prefix=%00',
    `prefix=${'x'.repeat(201)}`,
    'x=1',
  ]
  for (const list of ['players', 'products', 'orders']) {
    for (const query of [
      ...bad,
      ...(list === 'orders'
        ? ['user_id=', 'user_id=%00', 'referrer_id=', 'referrer_id=a&user_id=b', ...BAD_DAYS]
        : ['user_id=u-1']),
    ]) {
      const { status, body } = await get(app, `/api/admin/${list}?${query}`)
      assert.deepEqual([status, body.path], [400, `query.${query.split('=')[0]}`], `${list} ${query}`)
    }
  }
  // Neither is a text with a NUL after valid UTF-8 a cursor.
  assert.equal((await get(app, `/api/admin/players?after=${Buffer.from('a\0').toString('base64url')}`)).status, 400)
  for (const [data, path] of [
    [{}, 'data'],
    [{ email: '', phone: ' ', user_id: null }, 'data'],
    [[], 'data'],
    [{ email: 5 }, 'data.email'],
    [{ refer_code: 'a\0' }, 'data.refer_code'],
    [{ phone: true }, 'data.phone'],
  ] as const)
    assert.equal((await search(app, data)).body.path, path)
  assert.equal((await search(app, { email: 'a' }, '?prefix=a')).body.path, 'query.prefix')
})

test('a player may have the id "search", and other methods are refused with the allowed ones', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer({ User_id: 'search' })])
  assert.equal((await get(app, '/api/admin/players/search')).body.user_id, 'search')
  const { status, headers } = await app.ask('PUT', '/api/admin/players/search')
  assert.deepEqual([status, headers.allow], [405, 'GET, POST, QUERY'])
})
