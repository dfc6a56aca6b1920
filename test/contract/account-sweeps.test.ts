import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerOf } from '../../src/database/db/reader.ts'
import { sqlFile } from '../../src/database/db/sql-file.ts'
import { sweepPage } from '../../src/ledger/account-sweeps.ts'
import { estimateOf } from '../../src/resources/statistics/service.ts'
import { sweepAccounts } from '../../src/resources/statistics/sweep-accounts.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { forEachPlanningService, forEachService, type TestApp } from '../support/test-app.ts'

const NOW = '2026-06-10T12:00:00.000Z'
const [FEW_EVERY_MS, HOUR_MS] = [5_000, 3_600_000]

const LADDER =
  'levels: { counts: COUNTS, ladder: [{ name: Low, from: 0 }, { name: Mid, from: 50 }, { name: High, from: 100 }] }'
const sourceOf = (counts: string) =>
  `name: Swept\nrounding: floor\n${LADDER.replace('COUNTS', counts)}\nearn: [{ name: base, per-amount: { points: 1, every: 10 } }]\n`

/** The orders of each of six players, with their age. */
const ORDERS = [
  ['a@example.com', 1500, 1],
  ['b', 600, 10],
  ['b', 600, 200],
  ['c', 700, 60],
  ['d', 100, 400],
  ['e', 100, 3],
] as const

async function openShop(app: TestApp, counts: string): Promise<void> {
  const published = await app.ask('POST', '/api/admin/programs', {
    body: { data: { source: sourceOf(counts), from: '2020-01-01T00:00:00Z' } },
  })
  assert.equal(published.status, 200, published.text)
  const ids = [...new Set(ORDERS.map(([id]) => id)), 'never']
  await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, Refercode: '' })))
  const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * 24 * HOUR_MS).toISOString()
  await app.record(
    ORDERS.map(([user_id, total_amount, days], index) =>
      anOrder({ order_id: `o-${index}`, user_id, total_amount, products: [], ordered_at: daysAgo(days) }),
    ),
  )
  await app.ask('POST', '/api/players/e/adjustments', {
    body: { data: { id: 'x', points: -30, counts: false, reason: 'r' } },
  })
}

const exactly = (n: number) => ({ n, low: n, high: n, as_of: NOW, quality: 'exact' })

forEachService((openTestApp) => {
  for (const { counts, levels } of [
    { counts: 'lifetime', levels: [2, 1, 2] },
    { counts: '{ window: P1M }', levels: [3, 1, 1] },
  ])
    test(`a sweep finds levels, activity and the largest balances under counts: ${counts}`, async (t) => {
      const app = await openTestApp(t, { now: () => new Date(NOW) })
      await openShop(app, counts)
      await sweptAccounts(app)
      await foldedAccounts(app)
      const { body } = await app.ask('GET', '/api/admin/statistics/accounts')
      const { as_of: _, ...found } = body
      assert.deepEqual(found, {
        swept_at: NOW,
        quality: 'swept',
        players: 5,
        balance: '350',
        debts: '-20',
        points: {
          ...{ swept_at: NOW, as_of: NOW, quality: 'exact', day: NOW.slice(0, 10) },
          ...{ outstanding: '350', pending: '0', held: '0', expired: '0' },
        },
        active_30: exactly(3),
        active_90: exactly(4),
        levels: ['Low', 'Mid', 'High'].map((level, place) => ({ level, ...exactly(levels[place]!), quality: 'swept' })),
        top: [
          { user_id: 'a@example.com', points: '150' },
          { user_id: 'b', points: '120' },
          { user_id: 'c', points: '70' },
          { user_id: 'd', points: '10' },
        ].map((row) => ({ ...row, as_of: NOW, quality: 'swept' })),
      })
      const { levels: shown, swept_at } = (await app.ask('GET', '/api/admin/statistics/levels')).body
      assert.deepEqual([shown, swept_at], [found.levels, NOW])
      const summary = (await app.ask('GET', '/api/admin/statistics/summary')).body
      assert.equal(summary.figures.find(({ figure }: { figure: string }) => figure === 'active-30').n, 3)
    })

  test('one of several processes sweeps, every few seconds while accounts are few; one sweep an hour is kept; pages and samples add up', async (t) => {
    let now = new Date(NOW)
    const app = await openTestApp(t, { now: () => now })
    await openShop(app, 'lifetime')
    const sweepAll = async () =>
      (await Promise.all([1, 2, 3].map(() => sweepAccounts(app.service.deps)))).filter(Boolean).length
    assert.equal(await sweepAll(), 1)
    now = new Date(now.getTime() + FEW_EVERY_MS - 1)
    assert.equal(await sweepAll(), 0)
    now = new Date(now.getTime() + 1)
    assert.equal(await sweepAll(), 1)
    now = new Date(now.getTime() + HOUR_MS)
    assert.equal(await sweepAll(), 1)
    const [kept] = await app.query('select count(*)::int as sweeps, count(top)::int as tops from account_sweeps')
    assert.deepEqual(kept, { sweeps: 2, tops: 1 })
    const reader = readerOf(app.service.db, performance.now() + 60_000)
    const question = {
      levelsFrom: [0n, 50n],
      pointsSince: undefined,
      at: NOW,
      oneOf: 2,
      topMax: 1,
    } as const
    const [seen, sampled] = [[] as number[], [] as number[]]
    for (let after: string | null = ''; after !== null; ) {
      const page = await sweepPage(reader, after, 2, question)
      seen.push(page.players)
      sampled.push(page.sampled)
      assert(page.top.length <= 1)
      after = page.last
    }
    assert.deepEqual(seen, [2, 2, 1, 0])
    const [whole] = await app.query(
      'select count(*) filter (where hashtextextended(user_id, 0) % 2 = 0)::int as sampled from accounts',
    )
    assert.equal(
      sampled.reduce((sum, n) => sum + n, 0),
      whole!.sampled,
    )
  })
})

forEachPlanningService((openTestApp) => {
  test('accounts are counted with the orders of each by primary key, even right after a first import without planner statistics', async (t) => {
    const app = await openTestApp(t)
    await app.query(`
      insert into accounts (user_id, points, counted, orders, entries, rev)
      select 'm-' || n, 10, 10, 4, 4, 1 from generate_series(1, 4000) as n`)
    await app.query(`
      insert into orders (user_id, order_id, ordered_at, state, program_version, facts, points, referrer_points, rev, recorded_at, updated_at)
      select 'm-' || n % 4000 + 1, n, now() - n * interval '1 second', '{}', 1, '{}', 10, 0, 1, now(), now()
      from generate_series(1, 20000) as n`)
    const plan = await readerOf(app.service.db, performance.now() + 60_000).query<Record<string, string>>(
      `explain (costs off) ${sqlFile(new URL('../../src/ledger/histories.ts', import.meta.url).href, 'points-of-accounts')}`,
      [Array.from({ length: 2_000 }, (_, index) => `m-${index + 1}`), NOW],
    )
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    assert.match(text, /orders_pkey/)
    assert.doesNotMatch(text, /orders_by_moment/)
  })
})

test('an estimate from a sample lies between its bounds, and the bounds are possible values', () => {
  assert.deepEqual(estimateOf(10, 100, 1_000), { n: 100, low: 41, high: 159 })
  assert.deepEqual(estimateOf(0, 100, 1_000), { n: 0, low: 0, high: 0 })
  assert.deepEqual(estimateOf(100, 100, 1_000), { n: 1_000, low: 1_000, high: 1_000 })
  assert.deepEqual(estimateOf(7, 100, 100), { n: 7, low: 7, high: 7 })
  assert.deepEqual(estimateOf(0, 0, 0), { n: 0, low: 0, high: 0 })
})
