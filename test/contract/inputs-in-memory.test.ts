/*
 * What predictions read is kept in memory on the embedded database (docs/decisions/0156-prediction-fast-path.md).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { readerOf } from '../../src/database/db/reader.ts'
import { type Snapshot, toBalanceQuery } from '../../src/engine/points/ledger/snapshot.ts'
import { balanceAsOf } from '../../src/engine/points/lots/balance.ts'
import { type OrderQuery, readSnapshot } from '../../src/ledger/snapshots.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { openTestApp, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const PLAYERS = ['u-0', 'u-1', 'u-2', 'u-3']
const SKUS = ['tea', 'cup', 'pot']

const PAYS = `name: Points pay
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
money: { decimals: 2 }
points: { expire: { after: P12M } }
redeem: { value: { points: 1, pays: "0.10" } }`

const user = fc.constantFrom(...PLAYERS)
const amount = fc.integer({ min: 1, max: 900 }).map(String)
const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('orders' as const),
      orders: fc.array(
        fc.record({
          ...{ user, amount, order: fc.nat({ max: 12 }), version: fc.constantFrom(undefined, 1, 2) },
          redeemed: fc.constantFrom(0, 0, 3),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('player' as const), user, state: fc.constantFrom('A', 'B') },
      participates: fc.constantFrom(undefined, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('product' as const), sku: fc.constantFrom(...SKUS), amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adjust' as const), user, id: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redeem' as const), user, id: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), order: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), user, state: fc.constantFrom('A', 'B') }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('predict' as const), user, order: fc.nat({ max: 16 }) }) },
)
type Act = (typeof act extends fc.Arbitrary<infer A> ? A : never) & object

async function perform(app: TestApp, one: Act): Promise<unknown> {
  switch (one.kind) {
    case 'orders': {
      const orders = one.orders.map(({ user, order, amount: total_amount, version: state_version, redeemed }) =>
        anOrder({ order_id: `o-${order}`, user_id: user, total_amount, state_version, points_redeemed: redeemed }),
      )
      return app.record(orders)
    }
    case 'player':
      return app.upsertPlayers([
        aPlayer({ User_id: one.user, Refercode: one.user, State: one.state, participates: one.participates }),
      ])
    case 'product':
      return app.upsertProducts([aProduct({ product_sku_id: one.sku, amount: one.amount })])
    case 'adjust': {
      const data = { id: `a-${one.id}`, points: 5, counts: true, reason: 'a test' }
      return app.ask('POST', `/api/players/${one.user}/adjustments`, { body: { data } })
    }
    case 'redeem': {
      const data = { id: `r-${one.id}`, points: 1, hold: one.id > 2, reason: 'a test' }
      return app.ask('POST', `/api/players/${one.user}/redemptions`, { body: { data } })
    }
    case 'forget':
      return app.ask('POST', `/api/admin/state-versions/order/o-${one.order}/forget`)
    case 'fail': {
      // A write that is undone after it has named what it changes.
      const failing = app.service.db.transaction(async (tx) => {
        tx.changes('players', [one.user])
        await tx.query('update players set state = $1 where user_id = $2', [one.state, one.user])
        throw new Error('undone')
      }, performance.now() + 60_000)
      return failing.catch(() => undefined)
    }
    case 'predict':
      return app.predict(orderOf(one.user, one.order))
    default:
      return one satisfies never
  }
}

const orderOf = (user_id: string, order: number) =>
  anOrder({
    ...{ order_id: `o-${order}`, user_id },
    products: SKUS.map((product_sku_id) => ({ product_sku_id, amount: '100', qty: '1' })),
  })

const queryOf = (userId: string, order: number, histories: OrderQuery['histories'] = []): OrderQuery => ({
  ...{ userId, orderId: `o-${order}`, skus: SKUS, code: '', histories },
})

/** What a prediction is given. The order of movements, and which of them are summed, means nothing. */
const shown = (snapshot: Snapshot, { userId, orderId, skus, histories = [] }: OrderQuery) => ({
  profile: snapshot.profiles.get(userId),
  account: snapshot.accounts.get(userId),
  prices: skus.map((sku) => snapshot.catalogue.get(sku)),
  order: snapshot.orders.get(orderId),
  balances: histories.map((query) => {
    const { movements, ...rest } = snapshot.history(query)!
    return { ...rest, balance: balanceAsOf('2099-01-01', movements, []) }
  }),
})

/** Counts the statements that predictions send to the database. */
function countingReads({ service: { db } }: TestApp) {
  let reads = 0
  const { read } = db
  const counting: typeof read = (sql, params, deadlineAt, kind) => {
    if (kind === 'prediction') reads += 1
    return read(sql, params, deadlineAt, kind)
  }
  Object.assign(db, { read: counting })
  return async (act: () => Promise<unknown>) => {
    const before = reads
    await act()
    return reads - before
  }
}

test('after any writes, predictions and failures at once, what predictions are given is what the database holds', async (t) => {
  const app = await openTestApp(t)
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: PAYS } } })
  await app.upsertPlayers(PLAYERS.slice(1).map((id) => aPlayer({ User_id: id, Refercode: id })))
  const readsOf = countingReads(app)
  let inMemory = 0
  const property = fc.asyncProperty(
    fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { maxLength: 8 }),
    async (rounds) => {
      for (const round of rounds) {
        await Promise.all(round.map((one) => perform(app, one)))
        const deadlineAt = performance.now() + 60_000
        for (const userId of PLAYERS)
          for (const [order, histories] of [
            [3, []],
            [99, []],
            [99, [toBalanceQuery(userId)]],
          ] as const) {
            const query = queryOf(userId, order, histories)
            const stored = await readSnapshot(readerOf(app.service.db, deadlineAt), [query])
            let given: Snapshot | undefined
            const reads = await readsOf(async () => {
              given = await app.service.deps.findInputs(query, deadlineAt)
            })
            if (reads === 0) inMemory += 1
            assert.deepEqual(shown(given!, query), shown(stored, query))
          }
      }
    },
  )
  await fc.assert(property, { numRuns: 15, endOnFailure: true })
  assert(inMemory > 10, `${inMemory} were in memory`)
})

test('a prediction after an acknowledged write knows of it, and without one asks no database', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer()])
  await app.upsertProducts([aProduct()])
  const predicted = async () => (await app.predict(anOrder({ order_id: 'o-next' }))).body
  const first = await predicted()
  const readsOf = countingReads(app)
  assert.equal(await readsOf(async () => assert.deepEqual(await predicted(), first)), 0)
  for (let n = 1; n <= 20; n += 1) {
    await app.record([anOrder({ order_id: `o-${n}` })])
    const { total_points, explanation } = (await app.predict(anOrder({ order_id: 'o-next' }), '?explain=true')).body
    assert.equal(explanation.level.counted - total_points, 120 * n)
  }
})

test('recorded orders and orders that redeem are predicted from memory, and as the ledger is after each write', async (t) => {
  const app = await openTestApp(t)
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: PAYS } } })
  await app.upsertPlayers([aPlayer()])
  await app.upsertProducts([aProduct()])
  const give = (id: string) =>
    app.ask('POST', '/api/players/u-1/adjustments', { body: { data: { id, points: 50, counts: false, reason: 'r' } } })
  await give('a')
  const recorded = anOrder({ state_version: 5 })
  await app.record([recorded])
  const next = anOrder({ order_id: 'o-next', points_redeemed: 60 })
  const readsOf = countingReads(app)
  const twice = async (order: object) => {
    const answer = await app.predict(order)
    assert.equal(await readsOf(async () => assert.deepEqual((await app.predict(order)).body, answer.body)), 0)
    return answer
  }
  await eventually('all ids are loaded', async () => (await readsOf(() => app.predict(recorded))) === 0)
  const before = await twice(recorded)
  assert.equal((await twice(next)).status, 200)
  const stale = { ...recorded, state_version: 4, total_amount: 700 }
  assert.equal((await twice(stale)).body.total_points, before.body.total_points)
  await app.ask('POST', '/api/admin/state-versions/order/o-1/forget')
  assert.notEqual((await twice(stale)).body.total_points, before.body.total_points)
  await app.ask('POST', '/api/players/u-1/redemptions', { body: { data: { id: 'r', points: 140, reason: 'r' } } })
  assert.equal((await app.predict(next)).status, 400)
  await give('b')
  assert.equal((await twice(next)).status, 200)
})

const PREDICTION_TIMEOUT_MS = 400

/** A service on which the player `warm` is in memory, and as many predictions wait for the database as can be answered in time. */
async function openCrowded(
  t: TestContext,
  { source, waitingUser }: { source?: string; waitingUser: (index: number) => string },
) {
  const app = await openTestApp(t, { env: { PREDICTION_TIMEOUT_MS: String(PREDICTION_TIMEOUT_MS) } })
  if (source !== undefined) await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  await app.upsertPlayers([aPlayer({ User_id: 'warm' })])
  const predict = (user_id: string, order_id: string) => app.predict(anOrder({ user_id, order_id, products: [] }))
  const { db, deps } = app.service
  const isInMemory = async () => {
    const reads = await countingReads(app)(() => deps.findInputs({ ...queryOf('warm', 1), skus: [] }, soon()))
    return reads === 0
  }
  await eventually('it is in memory', isInMemory)
  const { read } = db
  const last = Promise.withResolvers<void>()
  let statements = 0
  // Each statement takes longer than a prediction may wait, and the second one until the end of the test.
  const slow: typeof read = async <Row extends object>(...[sql, params, deadlineAt, kind]: Parameters<typeof read>) => {
    // Read first: a statement that fails does not count.
    const rows = await read<Row>(sql, params, deadlineAt, kind)
    if (kind !== 'prediction') return rows
    statements += 1
    await (statements === 1 ? sleep(2 * PREDICTION_TIMEOUT_MS) : last.promise)
    return rows
  }
  Object.assign(db, { read: slow })
  await predict(waitingUser(0), 'o-first')
  const waiting = Array.from({ length: 100 }, (_, index) => predict(waitingUser(index + 1), `o-${index}`))
  const isCrowded = async () => deps.refusalOfPrediction(performance.now() + PREDICTION_TIMEOUT_MS) !== undefined
  await eventually('no more are taken', isCrowded)
  const predictAs = async (user_id: string) => {
    const order = anOrder({ user_id, order_id: 'o-last', products: [] })
    const headers = { 'x-request-id': user_id }
    return app.ask('POST', '/api/predictions/orders', { body: { data: order }, headers })
  }
  const release = async () => {
    last.resolve()
    await Promise.all(waiting)
  }
  return { app, predict: predictAs, release }
}

const soon = () => performance.now() + 60_000

test('while as many predictions wait for the database as can be answered in time, one from memory is answered, and others are refused (decisions 113 and 156)', async (t) => {
  const { app, predict, release } = await openCrowded(t, { waitingUser: (index) => `cold-${index}` })
  const [warm, cold, broken] = [await predict('warm'), await predict('cold'), await app.predict({})]
  await release()
  assert.deepEqual([warm.status, cold.status, broken.status], [200, 503, 503], warm.text)
  assert.equal(cold.headers['retry-after'], '1')
})

test('while predictions wait for sums over windows, further ones are refused before the framework, though their inputs are in memory (decision 113)', async (t) => {
  const source = readFileSync(new URL('../../examples/programs/twelve-months.yaml', import.meta.url), 'utf8')
  const { app, predict, release } = await openCrowded(t, { source, waitingUser: () => 'warm' })
  const { status, headers } = await predict('warm')
  await release()
  const refused = app.observations.filter((one) => one.kind === 'request-refused' && one.requestId === 'warm')
  assert.deepEqual([status, headers['retry-after'], refused.length], [503, '1', 1])
})
