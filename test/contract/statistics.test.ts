import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayAfter } from '../../src/engine/points/calendar.ts'
import { foldStatistics } from '../../src/resources/statistics/fold-statistics.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts } from '../support/counted-accounts.ts'
import { history, openWorlds, sourceOf, take, type World } from '../support/histories.ts'
import { PLAIN_ENTRIES, type PlainEntry, plainBalances, plainLines } from '../support/plain-statistics.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const PROGRAM = `
name: Kolkata
time-zone: Asia/Kolkata
rounding: floor
levels:
  counts: lifetime
  ladder:
    - { name: Bronze, from: 0 }
    - { name: Silver, from: 100 }
earn:
  - name: base
    when: order.net < 5000
    per-amount: { points: 1, every: 30 }
  - name: gift
    when: order.subscript_points
    fixed: { points: 5 }
referral: { friend: 7, referrer: 3 }
`
/** Two in the morning of 2 June in Kolkata. */
const EVENING = '2026-06-01T20:30:00Z'

const [HISTORIES, SPANS] = [4, 20]
const LISTS = {
  points: ['issued', 'taken-back', 'spent'],
  rules: ['rule', 'rounding', 'referral', 'later'],
  orders: ['orders', 'revisions', 'nothing'],
}

const differencesIn = async (app: TestApp) => (await verifyLedger(app.service.db, () => undefined)).differences

async function linesOf(app: TestApp, basis: 'ordered' | 'booked'): Promise<string[]> {
  const rows = await app.query(
    `select concat_ws(' ', day, measure, nullif(key, '')) || ': ' || n || ', ' || trim_scale(points) as line
     from statistics_days where basis = '${basis}' order by day, measure, key`,
  )
  return rows.map(({ line }) => String(line))
}

forEachService((openTestApp, driver) => {
  test('statistics count by the day of the order and by the day of recording (decision 80)', async (t) => {
    const now = new Date('2026-06-10T19:00:00.000Z')
    const app = await openTestApp(t, { now: () => now })
    const published = await app.ask('POST', '/api/admin/programs', {
      body: { data: { source: PROGRAM, from: '2026-01-01T00:00:00Z' } },
    })
    assert.equal(published.status, 200, published.text)
    await app.upsertPlayers([
      aPlayer({ User_id: 'u-1', Refercode: 'ONE' }),
      aPlayer({ User_id: 'u-2', Refercode: 'TWO' }),
    ])
    const order = (order_id: string, parts: object) =>
      anOrder({ order_id, user_id: 'u-1', ordered_at: EVENING, products: [], ...parts })
    await app.record([
      order('o-1', { total_amount: 4000, refferral_code: 'TWO' }), // 133.333333, 7 for the friend and 3 for who referred
      order('o-2', { total_amount: 20 }),
      order('o-3', { total_amount: 20, discount: 20 }),
      order('o-4', { total_amount: 6000 }),
      order('o-5', { total_amount: 300, status: 'cancelled' }),
    ])
    await app.record([order('o-1', { total_amount: 4000, refferral_code: 'TWO', status: 'returned' })])
    await app.ask('POST', '/api/players/u-1/adjustments', {
      body: { data: { id: 'a', points: -50, counts: false, reason: 'spent' } },
    })
    assert.deepEqual(await differencesIn(app), [], 'before anything is folded')
    await foldStatistics(app.service.db)
    assert.deepEqual(await app.query('select * from tallies'), [])
    assert.deepEqual(await differencesIn(app), [])
    const issued = [
      'issued order: 1, 140',
      'issued referral: 1, 3',
      'later: 1, -140',
      'level Bronze\tSilver: 1, 0',
      'nothing no-rule-applies: 1, 0',
      'nothing not-placed: 1, 0',
      'nothing nothing-paid: 1, 0',
      'nothing rounded-away: 1, 0',
      'orders: 5, 140',
      'referral: 1, 7',
      'revisions cancelled: 1, 0',
      'revisions placed: 4, 0',
      'revisions returned: 1, 0',
      'rounding: 2, -1',
      'rule base: 2, 134',
    ]
    const taken = ['taken-back order: 1, -140', 'taken-back referral: 1, -3']
    assert.deepEqual(
      (await linesOf(app, 'ordered')).filter((line) => line.startsWith('2026-06-02')),
      [...issued, ...taken].map((line) => `2026-06-02 ${line}`).sort(),
    )
    // Recorded at half past midnight on 11 June in that zone.
    assert.deepEqual(
      await linesOf(app, 'booked'),
      [...issued, ...taken, 'debts: 0, -50', 'balance: 0, 0', 'spent adjustment: 1, -50']
        .map((line) => `2026-06-11 ${line}`)
        .sort(),
    )
  })

  test('verifying finds a figure that does not match the entries, and a lost tally', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const tampered = async (sql: string) => {
      await app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000)
      return (await differencesIn(app)).length > 0
    }
    await app.record([anOrder({ order_id: 'o-1' })])
    assert(await tampered("delete from tallies where measure = 'issued'"))
    await tampered(
      'truncate tallies, statistics_days, statistics_months; update entries set day = null, booked_day = null',
    )
    assert.deepEqual(await differencesIn(app), [])
    await app.record([anOrder({ order_id: 'o-2' })])
    await foldStatistics(app.service.db)
    assert.deepEqual(await differencesIn(app), [])
    assert(await tampered("update statistics_months set points = points + 0.000001 where measure = 'rule'"))
    await tampered("update statistics_months set points = points - 0.000001 where measure = 'rule'")
    assert(await tampered("update statistics_days set n = n + 1 where measure = 'orders'"))
  })

  test('points are shown by day on either basis, whether folded or not', async (t) => {
    let now = new Date('2026-06-10T12:00:00.000Z')
    const app = await openTestApp(t, { now: () => now })
    await app.upsertPlayers([aPlayer()])
    const ask = (query = '') => app.ask('GET', `/api/admin/statistics/points${query}`)
    const order = anOrder({ total_amount: 1000, ordered_at: '2026-06-01T12:00:00Z' })
    await app.record([order])
    await foldStatistics(app.service.db)
    await app.record([{ ...order, status: 'returned' }])
    const about = { as_of: '2026-06-10T12:00:00.000Z', per: 'day' }
    const line = { program: 1, key: 'order', n: 1, as_of: about.as_of, quality: 'exact' }
    const ordered = [
      { ...line, day: '2026-06-01', measure: 'issued', points: '100' },
      { ...line, day: '2026-06-01', measure: 'taken-back', points: '-100' },
    ]
    const lastDays = { from: '2026-05-12', to: '2026-06-10' }
    assert.deepEqual((await ask()).body, { ...about, basis: 'ordered', ...lastDays, lines: ordered })
    const posted = ordered.map((one) => ({ ...one, day: '2026-06-10' }))
    assert.deepEqual((await ask('?basis=posted')).body, { ...about, basis: 'posted', ...lastDays, lines: posted })
    // Its former name (decision 219).
    assert.deepEqual((await ask('?basis=booked')).body, { ...about, basis: 'booked', ...lastDays, lines: posted })
    const june = await ask('?from=2026-06-02&to=2026-06-30')
    assert.deepEqual(june.body, { ...about, basis: 'ordered', from: '2026-06-02', to: '2026-06-30', lines: [] })
    for (const query of ['from=1', 'to=2026-02-30', 'basis=x', 'from=2026-07-01', 'from=2020-01-01', 'per=week'])
      assert.deepEqual(
        [(await ask(`?${query}`)).status, (await ask(`?${query}`)).body.path],
        [400, `query.${query.split('=')[0]}`],
      )
    assert.deepEqual((await ask('?from=2020-01-01&per=month')).body.lines, ordered)
    // Answers are cached for a few seconds, as as_of shows.
    await app.record([anOrder({ order_id: 'o-2', total_amount: 500, ordered_at: '2026-06-09T12:00:00Z' })])
    assert.deepEqual((await ask()).body, { ...about, basis: 'ordered', ...lastDays, lines: ordered })
    now = new Date('2026-06-10T12:00:05.000Z')
    const later = await ask()
    assert.deepEqual([later.body.as_of, later.body.lines.length], [now.toISOString(), 3])
    const csv = await app.ask('GET', '/api/admin/statistics/points?per=span', { headers: { accept: 'text/csv' } })
    assert.equal(
      csv.text,
      [
        'day,measure,program,key,n,points,as_of,quality',
        `2026-05-12,issued,1,order,2,150,${later.body.as_of},exact`,
        `2026-05-12,taken-back,1,order,1,-100,${later.body.as_of},exact`,
        '',
      ].join('\r\n'),
    )
    assert.equal(csv.headers.link, undefined)
  })

  test('a summary compares with the same weekdays before, with balances as of the end of each span', async (t) => {
    let now = new Date('2026-06-03T12:00:00.000Z')
    const app = await openTestApp(t, { now: () => now })
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ order_id: 'o-1', total_amount: 1000 }), anOrder({ order_id: 'o-2', total_amount: 0 })])
    now = new Date('2026-06-10T12:00:00.000Z')
    await app.record([anOrder({ order_id: 'o-3', total_amount: 300 }), anOrder({ order_id: 'o-1', total_amount: 900 })])
    const adjust = (id: string, points: number) =>
      app.ask('POST', '/api/players/u-1/adjustments', { body: { data: { id, points, counts: false, reason: 'r' } } })
    await adjust('a', 20)
    await adjust('b', -150)
    await foldedAccounts(app)
    const { body } = await app.ask(
      'GET',
      '/api/admin/statistics/summary?from=2026-06-04&to=2026-06-10&compare=true&basis=posted',
    )
    assert.deepEqual(body.before, { from: '2026-05-28', to: '2026-06-03' })
    const figures = body.figures.map((one: Record<string, unknown>) => [
      one.figure,
      [one.n, one.points],
      [one.n_before, one.points_before],
    ])
    assert.deepEqual(figures, [
      ['issued', [2, '50'], [1, '100']],
      ['taken-back', [1, '-10'], [0, '0']],
      ['spent', [1, '-150'], [0, '0']],
      ['adjusted', [1, '20'], [0, '0']],
      ['adjusted-net', [2, '-130'], [0, '0']],
      ['orders', [1, '30'], [2, '100']],
      ['revisions', [2, null], [2, null]],
      ['nothing', [0, null], [1, null]],
      ['asked', [0, null], [0, null]],
      ['came-true', [0, null], [0, null]],
      ['differed', [0, '0'], [0, '0']],
      ['not-compared', [0, null], [0, null]],
      ['balance', [null, '0'], [null, '100']],
      ['debts', [null, '-10'], [null, '0']],
      ['outstanding', [null, '0'], [null, null]],
      ['pending', [null, '0'], [null, null]],
      ['held', [null, '0'], [null, null]],
      ['expired', [null, '0'], [null, null]],
      ['active-30', [1, null], [null, null]],
      ['active-90', [1, null], [null, null]],
    ])
    const alone = await app.ask('GET', '/api/admin/statistics/summary')
    assert.equal(alone.body.before, null)
    assert.deepEqual(
      alone.body.figures.find(({ figure }: { figure: string }) => figure === 'orders'),
      {
        ...{ figure: 'orders', as_of: now.toISOString(), quality: 'exact', n: 3, points: '130' },
        ...{ n_before: null, points_before: null },
      },
    )
  })

  test('in any history, time zone and span the statistics match a plain computation over all entries', async (t) => {
    const { newWorld, checkLedgers } = await openWorlds((options) => openTestApp(t, options))
    let world: World | undefined
    await fc.assert(
      fc.asyncProperty(history, async ({ program, steps }) => {
        world = await newWorld(sourceOf(program))
        for (const one of steps) await take(world, one)
        await foldStatistics(world.app.service.db)
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
    const { app } = world!
    const entries = (await app.query(PLAIN_ENTRIES)) as unknown as PlainEntry[]
    const days = [...new Set(entries.flatMap(({ day, booked_day }) => [day, booked_day]))].sort()
    const ranges = fc.record({
      basis: fc.constantFrom('ordered' as const, 'posted' as const),
      per: fc.constantFrom('day' as const, 'month' as const, 'span' as const),
      from: fc.constantFrom(...days),
      length: fc.oneof(fc.nat(40), fc.nat(399), fc.nat(7_000)),
    })
    await fc.assert(
      fc.asyncProperty(ranges, async ({ basis, per, from, length }) => {
        const to = dayAfter(from, per === 'day' ? Math.min(length, 399) : length)
        const range = { basis, per, from, to }
        const ask = async (what: string, query: object) => {
          const { status, text, body } = await app.ask(
            'GET',
            `/api/admin/statistics/${what}?${new URLSearchParams({ ...query })}`,
          )
          assert.equal(status, 200, text)
          return body
        }
        for (const [what, measures] of Object.entries(LISTS)) {
          const { lines } = await ask(what, range)
          const found = lines.map(({ quality: _, as_of: __, ...line }: { quality: string; as_of: string }) => line)
          assert.deepEqual(found, plainLines(entries, measures, range), what)
        }
        const { moves } = await ask('levels', range)
        assert.deepEqual(
          moves.map(({ day, before, after, n }: Record<string, unknown>) => [day, before, after, n]),
          plainLines(entries, ['level'], range).map(({ day, key, n }) => [day, ...key.split('\t'), n]),
        )
        const { figures } = await ask('summary', { basis, from, to })
        const figure = (name: string) => figures.find((one: { figure: string }) => one.figure === name)
        const { balance, debts } = plainBalances(entries, to)
        assert.deepEqual([figure('balance').points, figure('debts').points], [balance, debts])
        const orders = plainLines(entries, ['orders'], { ...range, per: 'span' })
        assert.equal(
          figure('orders').n,
          orders.reduce((sum, { n }) => sum + n, 0),
        )
      }),
      { numRuns: SPANS, endOnFailure: true },
    )
    await checkLedgers()
  })

  test('several processes folding while orders are recorded lose nothing and count nothing twice', async (t) => {
    const app = await openTestApp(t)
    const ids = Array.from({ length: 8 }, (_, index) => `u-${index}`)
    await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, Refercode: User_id })))
    const record = (user_id: string) =>
      app.record(
        Array.from({ length: 30 }, (_, index) =>
          anOrder({ order_id: `${user_id}-${index}`, user_id, ordered_at: `2026-0${1 + (index % 9)}-01T00:00:00Z` }),
        ),
      )
    const fold = () => foldStatistics(app.service.db)
    await Promise.all(ids.flatMap((id) => [record(id), fold(), fold()]))
    assert.deepEqual(await differencesIn(app), [])
    await Promise.all([fold(), fold(), fold()])
    await fold()
    const [sum] = await app.query(
      "select sum(n)::int as orders, (select count(*) from tallies)::int as waiting from statistics_months where basis = 'ordered' and measure = 'orders'",
    )
    assert.deepEqual(sum, { orders: 240, waiting: 0 }, driver)
    assert.deepEqual(await differencesIn(app), [])
  })
})
