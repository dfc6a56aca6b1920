import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { distributeTables } from '../../src/database/db/distribute.ts'
import { migrate } from '../../src/database/db/migrate.ts'
import type { Db } from '../../src/database/db/transaction.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { foldAccounts } from '../../src/resources/statistics/fold-accounts.ts'
import { sumBalances } from '../../src/resources/statistics/sum-balances.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { emptyTestDatabase, openOnServer } from '../support/databases.ts'
import { isOnCluster } from '../support/on-cluster.ts'
import { runOnce } from '../support/postgres-server.ts'
import { forEachService, openAppOn, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const DAY_MS = 86_400_000
const HISTORIES = 2
/** Longer than it takes to see that a server has prepared to commit, before it is told to. */
const DELAY_MS = 300
const NOON = Date.parse('2026-05-10T12:00:00Z')

const PLAIN = `name: Plain
rounding: floor
levels: { counts: { window: P1M }, ladder: [{ name: Low, from: 0 }, { name: High, from: 50 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
`
const programIn = (zone: string) => `${PLAIN}time-zone: ${zone}
money: { decimals: 2 }
points: { pending: { days: 3 }, expire: { inactive: P1M } }
redeem: { value: { points: 100, pays: "1.00" }, hold: PT48H }
`

const PLAYERS = ['u-0', 'u-1', 'mira@example.com']
const player = fc.constantFrom(...PLAYERS)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ order: player, total: fc.nat(2_000), daysAgo: fc.nat(20) }) },
  fc.record({ returned: fc.nat(5) }),
  fc.record({ adjusted: player, points: fc.integer({ min: -80, max: 120 }).filter((points) => points !== 0) }),
  fc.record({ redeemed: player, points: fc.integer({ min: 1, max: 60 }), hold: fc.boolean() }),
  fc.record({ waited: fc.integer({ min: 1, max: 40 * 24 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

type Shop = Readonly<{ app: TestApp; clock: { ms: number } }>

async function take({ app, clock }: Shop, one: Step, index: number): Promise<void> {
  if ('waited' in one) clock.ms += one.waited * 3_600_000
  else if ('order' in one)
    await app.record([
      anOrder({
        ...{ order_id: `o-${index}`, user_id: one.order, total_amount: one.total, products: [] },
        ordered_at: new Date(clock.ms - one.daysAgo * DAY_MS).toISOString(),
      }),
    ])
  else if ('returned' in one) {
    const [found] = await app.query('select state, user_id, order_id, ordered_at::text from orders limit 1')
    if (found === undefined) return
    const { total } = found.state as { total: string }
    const { user_id, order_id, ordered_at } = found as Record<string, string>
    const at = { ordered_at: new Date(ordered_at!).toISOString(), status: 'returned' }
    await app.record([anOrder({ ...{ order_id, user_id, products: [] }, total_amount: Number(total), ...at })])
  } else if ('adjusted' in one)
    await app.ask('POST', `/api/players/${one.adjusted}/adjustments`, {
      body: { data: { id: `a-${index}`, points: one.points, counts: false, reason: 'r' } },
    })
  else
    await app.ask('POST', `/api/players/${one.redeemed}/redemptions`, {
      body: { data: { id: `r-${index}`, points: one.points, hold: one.hold, reason: 'r' } },
    })
}

const sumsOf = async (app: TestApp): Promise<Record<'outstanding' | 'pending' | 'held' | 'expired', string>> => {
  const sums = { outstanding: 0, pending: 0, held: 0, expired: 0 }
  for (const id of PLAYERS) {
    const { points, pending, held, expired } = (await app.ask('GET', `/api/players/${id}`)).body
    sums.outstanding += Math.max(0, points + held)
    sums.pending += pending
    sums.held += held
    sums.expired += expired
  }
  const [outstanding, pending, held, expired] = Object.values(sums).map(String) as [string, string, string, string]
  return { outstanding, pending, held, expired }
}

const differencesIn = async (app: TestApp) => (await verifyLedger(app.service.db, () => undefined)).differences
const figuresOf = async (app: TestApp, query = '') => {
  const { figures } = (await app.ask('GET', `/api/admin/statistics/summary${query}`)).body
  return (name: string) => figures.find(({ figure }: { figure: string }) => figure === name)
}

forEachService((openTestApp) => {
  const open = async (t: Parameters<typeof openTestApp>[0], source: string): Promise<Shop> => {
    const clock = { ms: NOON }
    const app = await openTestApp(t, { now: () => new Date(clock.ms) })
    const { status, text } = await app.ask('POST', '/api/admin/programs', {
      body: { data: { source, from: '2026-01-01T00:00:00Z' } },
    })
    assert.equal(status, 200, text)
    await app.upsertPlayers(PLAYERS.map((User_id) => aPlayer({ User_id, Refercode: '' })))
    return { app, clock }
  }

  test('outstanding points are valued exactly by the program in effect, or else by the setting (decision 128)', async (t) => {
    const clock = { ms: NOON }
    const app = await openTestApp(t, { now: () => new Date(clock.ms) })
    const worth = async () => {
      clock.ms += 10_000
      await foldedAccounts(app)
      return (await app.ask('GET', '/api/admin/statistics/summary')).body.worth
    }
    const set = async (data: object) =>
      assert.equal((await app.ask('PUT', '/api/admin/settings', { body: { data } })).status, 200)
    await app.upsertPlayers([aPlayer()])
    const data = { id: 'gift', points: 1_001, counts: false, reason: 'a gift' }
    assert.equal((await app.ask('POST', '/api/players/u-1/adjustments', { body: { data } })).status, 200)
    assert.equal(await worth(), null)
    await set({ 'money.point-value': '0.0125', 'money.currency': 'EUR' })
    assert.deepEqual(await worth(), {
      each: '0.0125',
      by: 'setting',
      version: null,
      outstanding: '12.5125',
      currency: 'EUR',
      as_of: new Date(clock.ms).toISOString(),
      quality: 'exact',
    })
    const source = `${STARTER_PROGRAM}redeem: { value: { points: 300, pays: "1" }, step: 300 }\n`
    const published = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
    assert.equal(published.status, 200, published.text)
    clock.ms += 60_000
    const { version } = published.body
    const { as_of: _, quality, ...rest } = await worth()
    assert.deepEqual(rest, { each: '1/300', by: 'program', version, outstanding: '1001/300', currency: 'EUR' })
    assert.equal(quality, 'exact')
  })

  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago'])
    test(`in any history, in ${zone}, the figures are the sums of what the accounts show, even after days without orders, counting only accounts that changed or are due (decisions 128 and 207)`, async (t) => {
      const { app, clock } = await open(t, programIn(zone))
      let index = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
          for (const one of steps) {
            index += 1
            await take({ app, clock }, one, index)
          }
          clock.ms += 6 * 60_000
          for (const days of [0, 4, 33]) {
            clock.ms += days * DAY_MS
            await foldedAccounts(app)
            const { points } = (await app.ask('GET', '/api/admin/statistics/accounts')).body
            const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(clock.ms)
            const at = new Date(clock.ms).toISOString()
            const stated = { swept_at: at, as_of: at, quality: 'exact', day }
            assert.deepEqual(points, { ...stated, ...(await sumsOf(app)) })
            const figure = await figuresOf(app)
            assert.equal(figure('outstanding').points, points.outstanding)
            assert.deepEqual(await differencesIn(app), [])
          }
        }),
        { numRuns: HISTORIES, endOnFailure: true },
      )
      await app.service.db.transaction(
        (tx) => tx.script('update account_totals set outstanding = outstanding + 1'),
        performance.now() + 60_000,
      )
      assert.match(
        (await differencesIn(app)).join(),
        /^outstanding points of all accounts: stored \d+; the accounts give /,
      )
    })

  test('a hold that lapses leaves the figures the same day, though nothing was written, and no other account is counted (decision 207)', async (t) => {
    const { app, clock } = await open(t, programIn('UTC').replace('hold: PT48H', 'hold: PT2H'))
    const ask = async (path: string, data: object) => {
      const { status, text } = await app.ask('POST', path, { body: { data } })
      assert.equal(status, 200, text)
    }
    for (const id of ['u-0', 'u-1'])
      await ask(`/api/players/${id}/adjustments`, { id, points: 100, counts: false, reason: 'r' })
    await ask('/api/players/u-0/redemptions', { id: 'h', points: 40, hold: true, reason: 'r' })
    await foldedAccounts(app)
    const held = async () => (await app.ask('GET', '/api/admin/statistics/accounts')).body.points.held
    assert.equal(await held(), '40')
    // What is stored of the other account would be mended by a count.
    await app.service.db.transaction(
      (tx) => tx.script("update account_figures set expired = 7 where user_id = 'u-1'"),
      performance.now() + 60_000,
    )
    clock.ms += 3 * 3_600_000
    await foldedAccounts(app)
    assert.equal(await held(), '0')
    assert.deepEqual(await app.query("select expired::int as expired from account_figures where user_id = 'u-1'"), [
      { expired: 7 },
    ])
  })

  test('metrics show outstanding and pending points, and the moment for which they are known (decisions 128 and 207)', async (t) => {
    const { app, clock } = await open(t, PLAIN)
    const record = (order_id: string) =>
      app.record([
        anOrder({ order_id, user_id: 'u-0', total_amount: 300, products: [], ordered_at: '2026-05-10T00:00:00Z' }),
      ])
    const metrics = async () => {
      await foldedAccounts(app)
      await sumBalances(app.service.deps)
      const { text } = await app.ask('GET', '/metrics')
      return ['outstanding_points', 'pending_points', 'outstanding_points_timestamp_seconds'].map((name) =>
        Number(text.match(new RegExp(`^laurel_${name} (.+)$`, 'm'))?.[1]),
      )
    }
    await record('o-1')
    assert.deepEqual(await metrics(), [30, 0, NOON / 1_000])
    const figure = await figuresOf(app, '?from=2026-05-01&to=2026-05-09')
    assert.deepEqual([figure('balance').points, figure('balance').as_of], ['0', '2026-05-10T00:00:00.000Z'])
    assert.deepEqual([figure('outstanding').points, figure('outstanding').as_of], ['30', '2026-05-10T12:00:00.000Z'])
    clock.ms += DAY_MS
    const source = programIn('UTC')
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    clock.ms += 60_000
    await app.record([anOrder({ order_id: 'o-2', user_id: 'u-0', total_amount: 400, products: [] })])
    assert.deepEqual(await metrics(), [30, 40, clock.ms / 1_000])
  })

  test('levels with a window are correct even after days without orders', async (t) => {
    const { app, clock } = await open(t, PLAIN)
    const levels = async () => {
      await sweptAccounts(app)
      const { levels } = (await app.ask('GET', '/api/admin/statistics/accounts')).body
      return levels.map(({ n }: { n: number }) => n)
    }
    const order = { user_id: 'u-0', total_amount: 600, products: [] }
    await app.record([anOrder({ ...order, order_id: 'o-1', ordered_at: '2026-05-10T00:00:00Z' })])
    assert.deepEqual(await levels(), [0, 1])
    clock.ms += 29 * DAY_MS
    assert.deepEqual(await levels(), [0, 1])
    clock.ms += 2 * DAY_MS
    assert.deepEqual(await levels(), [1, 0])
  })
})

if (isOnCluster)
  describe('on a cluster, one of whose servers is slow (decisions 162 and 207)', () => {
    test('accounts that are due are counted once, also before it has committed', async (t) => {
      const { server, one, other } = await countedOnSlowServer(t)
      await foldAccounts({ ...one, now: () => new Date(NOON) })
      server.delay()
      const first = foldAccounts(one)
      await eventually('the other server has prepared to commit', server.hasPrepared)
      server.hold()
      let isOver = false
      const second = foldAccounts(other).finally(() => {
        isOver = true
      })
      await eventually('the second count waits, or is over', async () => isOver || (await server.waits()))
      server.release()
      await Promise.all([first, second])
      await eventually('accounts are counted', () => foldAccounts(one))
      assert.deepEqual(await differencesOf(one.db), [])
    })

    test('a verification sees one moment of all servers, also while it waits for one of them', async (t) => {
      const { server, one: verifying, other: counting } = await countedOnSlowServer(t)
      assert.deepEqual(await differencesOf(verifying.db), [])
      server.delay()
      server.hold()
      const differences = differencesOf(verifying.db)
      await eventually('the verification waits for the other server', server.holdsBack)
      let isOver = false
      const counted = foldAccounts(counting).finally(() => {
        isOver = true
      })
      await eventually('accounts are counted, or wait', async () => isOver || (await server.coordinatorWaits()))
      server.release()
      await counted
      assert.deepEqual(await differences, [])
    })
  })

const differencesOf = async (db: Db) => (await verifyLedger(db, () => undefined)).differences

/** An account on a slow server, for two services: it was counted before its last order, and is due. */
async function countedOnSlowServer(t: TestContext) {
  const databaseUrl = await emptyTestDatabase(t)
  const server = await slowServer(t, databaseUrl)
  const app = await openAppOn(t, () => openOnServer(t, databaseUrl), { now: () => new Date(NOON) })
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: programIn('UTC') } } })
  await app.upsertPlayers([aPlayer({ User_id: 'u-0' })])
  await app.record([anOrder({ order_id: 'o-1', user_id: 'u-0', total_amount: 600, products: [] })])
  await foldedAccounts(app)
  await app.record([anOrder({ order_id: 'o-2', user_id: 'u-0', total_amount: 600, products: [] })])
  const { programs } = app.service.deps
  // A service counts by itself, too.
  await app.service.close()

  const afterPending = () => new Date(NOON + 4 * DAY_MS)
  const open = async () => ({ db: await openOnServer(t, databaseUrl), now: afterPending, programs })
  const [one, other] = [await open(), await open()]
  return { server, one, other }
}

const waitingSql =
  "select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

/**
 * Distributes the database into one shard, and leads what the coordinator sends to the server of this shard through a proxy. `delay` delays it on the
 * connections that are open now, and `hold` keeps it back there until `release`.
 */
async function slowServer(t: TestContext, databaseUrl: string) {
  const sockets = new Set<Socket>()
  const delayed = new Set<Socket>()
  const waiting: (() => void)[] = []
  let isHeld = false
  const db = await openOnServer(t, databaseUrl)
  await migrate(db, performance.now() + 60_000)
  await distributeTables(db, 1)
  const placed = `select n.nodeid, n.nodename as host, n.nodeport as port from pg_dist_shard_placement p join pg_dist_node n using (nodename, nodeport)
    where p.shardid = (select shardid from pg_dist_shard where logicalrelid = 'players'::regclass)`
  const [{ nodeid, host, port }] = (await db.read<{ nodeid: number; host: string; port: number }>(
    placed,
    [],
    performance.now() + 60_000,
  )) as [{ nodeid: number; host: string; port: number }]
  const proxy = createServer((client) => {
    const behind = connect(port, host)
    sockets.add(client)
    for (const [one, to] of [
      [client, behind],
      [behind, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => to.destroy())
    client.on('data', (bytes) => {
      const send = () => void behind.write(bytes)
      if (!delayed.has(client)) send()
      else setTimeout(() => (isHeld ? waiting.push(send) : send()), DELAY_MS)
    })
    behind.on('data', (bytes) => client.write(bytes))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = proxy.address() as AddressInfo
  await runOnce(databaseUrl, `select citus_update_node(${nodeid}, '127.0.0.1', ${address.port})`)
  const direct = new URL(databaseUrl)
  direct.host = `${host}:${port}`
  const client = new pg.Client({ connectionString: direct.href })
  await client.connect()
  t.after(() => client.end())
  const isThere = async (sql: string) => (await client.query(sql)).rows.length > 0
  return {
    delay: () => sockets.forEach((socket) => void delayed.add(socket)),
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      delayed.clear()
      for (const send of waiting.splice(0)) send()
    },
    hasPrepared: () => isThere('select from pg_prepared_xacts where database = current_database()'),
    holdsBack: () => waiting.length > 0,
    waits: () => isThere(waitingSql),
    coordinatorWaits: async () => (await db.read(waitingSql, [], performance.now() + 60_000)).length > 0,
  }
}
