/*
 * Orders that live shops send one a request, many at once (docs/decisions/0105-batch-writes.md).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { testDatabase } from '../support/databases.ts'
import { sendAndLeave } from '../support/leaving-client.ts'
import { forEachService, openTestAppAt, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const PLAYERS = 24
const playersOf = (group: string) =>
  Array.from({ length: PLAYERS }, (_, place) =>
    aPlayer({ User_id: `u-${group}-${place}`, Refercode: `${group}-${place}`, Phone: '' }),
  )

/** Sends one order; the response names no group. */
async function record(app: TestApp, order: object) {
  const { status, text } = await app.ask('POST', '/api/integration/orders?details=true', { body: { data: [order] } })
  return { status, text: text.replaceAll(/atonce|inturn/g, 'group') }
}

/** A state of each player's order: another amount, another status, a code that is somebody's, a player or an amount that is refused. */
const everyState = fc.array(
  fc.record({
    total_amount: fc.oneof({ arbitrary: fc.integer({ min: 0, max: 5_000 }).map(String), weight: 9 }, fc.constant('-')),
    code: fc.option(fc.nat({ max: PLAYERS - 1 }), { nil: undefined }),
    status: fc.constantFrom('placed', 'delivered', 'cancelled'),
    isUnknown: fc.nat({ max: 9 }).map((one) => one === 0),
  }),
  { minLength: PLAYERS, maxLength: PLAYERS },
)

const TABLES = {
  accounts: 'select user_id, points, counted, orders, entries from accounts order by user_id',
  orders: 'select user_id, order_id, rev, points, state::text from orders order by user_id, order_id',
  entries: 'select user_id, order_id, kind, points from entries order by user_id, order_id, kind, points',
}

/** What is recorded of a group of players. */
async function ledgerOf(app: TestApp, group: string) {
  const tables = Object.entries(TABLES).map(async ([table, sql]) => {
    const rows = (await app.query(sql)).filter(({ user_id }) => String(user_id).includes(group))
    return [table, JSON.stringify(rows).replaceAll(group, 'group')] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}

const insertedIn = (text: string) => JSON.parse(text).inserted
const orderOf = (place: number) => anOrder({ order_id: `o-${place}`, user_id: `u-group-${place}` })

forEachService((openTestApp) => {
  test('orders of different players sent at once, one a request, leave the ledger and get the answers that they get one after the other', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00.000Z') })
    await app.upsertPlayers([...playersOf('atonce'), ...playersOf('inturn')])
    await app.ask('POST', '/api/integration/products', { body: { data: [aProduct()] } })
    let round = 0
    const property = fc.asyncProperty(everyState, everyState, async (first, second) => {
      round += 1
      for (const states of [first, second]) {
        const [atOnce, inTurn] = ['atonce', 'inturn'].map((group) =>
          states.map(({ isUnknown, code, ...state }, place) =>
            anOrder({
              ...state,
              refferral_code: code === undefined ? '' : `${group}-${code}`,
              order_id: `o-${group}-${round}-${place}`,
              user_id: `${isUnknown ? 'nobody' : 'u'}-${group}-${place}`,
            }),
          ),
        ) as [object[], object[]]
        const together = await Promise.all(atOnce.map((order) => record(app, order)))
        const alone: typeof together = []
        for (const order of inTurn) alone.push(await record(app, order))
        assert.deepEqual(together, alone)
      }
      assert.deepEqual(await ledgerOf(app, 'atonce'), await ledgerOf(app, 'inturn'))
    })
    await fc.assert(property, { numRuns: 4, endOnFailure: true })
  })

  test('a client that leaves does not stop the others whose orders wait with its own', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers(playersOf('group'))
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = app.service.db.transaction(async (tx) => {
      await tx.query('lock table accounts in exclusive mode')
      held.resolve()
      await release.promise
    }, performance.now() + 60_000)
    await held.promise
    let arrived = 0
    app.service.app.server.on('request', () => {
      arrived += 1
    })
    const staying = [0, 1, 2, 3].map((place) => record(app, orderOf(place)))
    const leaving = [4, 5].map((place) => sendAndLeave(app, '/api/integration/orders', [orderOf(place)]))
    await eventually('all have arrived', () => arrived === staying.length + leaving.length)
    for (const one of leaving) one.reset()
    // What cannot be written together is written alone, and nobody is told that somebody else has left.
    release.resolve()
    await holding
    for (const { status, text } of await Promise.all(staying)) assert.deepEqual([status, insertedIn(text)], [200, 1])
    const abandoned = () => app.observations.filter(({ kind }) => kind === 'request-abandoned').length
    await eventually('those of clients that left are abandoned', () => abandoned() === leaving.length)
    assert.deepEqual(await app.query('select order_id from orders order by order_id'), [
      ...['o-0', 'o-1', 'o-2', 'o-3'].map((order_id) => ({ order_id })),
    ])
  })
})

for (const cut of ['before', 'after'] as const)
  test(`orders written together over a connection that is cut ${cut} COMMIT are recorded once, and each is answered as inserted`, async (t) => {
    const proxy = await startCuttingProxy(await testDatabase(t))
    t.after(() => proxy.close())
    const app = await openTestAppAt(t, proxy.url)
    await app.upsertPlayers(playersOf('group'))
    proxy.cutCommits(cut, 3)
    const responses = await Promise.all(playersOf('group').map((_, place) => record(app, orderOf(place))))
    proxy.cutCommits(cut, 0)
    for (const { status, text } of responses) assert.deepEqual([status, insertedIn(text)], [200, 1])
    assert.deepEqual(await app.query('select count(*)::int as entries, sum(points)::int as points from entries'), [
      { entries: PLAYERS, points: PLAYERS * 120 },
    ])
    const [written] = await app.query('select count(distinct xmin::text)::int as transactions from orders')
    assert(Number(written?.transactions) < PLAYERS, 'none were written together')
  })

test('an account that another process holds holds up its own order only', async (t) => {
  const app = await openTestAppAt(t, await testDatabase(t))
  await app.upsertPlayers(playersOf('group'))
  await app.record([0, 1, 2, 3].map((place) => ({ ...orderOf(place), order_id: `before-${place}` })))
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = app.service.db.transaction(async (tx) => {
    await tx.query('select from accounts where user_id = $1 for update', ['u-group-0'])
    held.resolve()
    await release.promise
  }, performance.now() + 60_000)
  await held.promise
  let isAnswered = false
  const locked = record(app, orderOf(0)).finally(() => {
    isAnswered = true
  })
  const others = await Promise.all([1, 2, 3].map((place) => record(app, orderOf(place))))
  for (const { status, text } of others) assert.deepEqual([status, insertedIn(text)], [200, 1])
  assert.equal(isAnswered, false)
  release.resolve()
  await holding
  assert.equal(insertedIn((await locked).text), 1)
})
