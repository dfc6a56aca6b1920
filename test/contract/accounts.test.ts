import assert from 'node:assert/strict'
import test from 'node:test'
import type { Db, Tx } from '../../src/database/db/transaction.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const show = async (app: TestApp, query = '', userId = 'u-1') =>
  (await app.ask('GET', `/api/players/${userId}${query}`)).body
const adjust = (app: TestApp, data: object, userId = 'u-1') =>
  app.ask('POST', `/api/players/${userId}/adjustments`, { body: { data } })
const balances = (app: TestApp, data: object[], query = '') =>
  app.ask('POST', `/api/admin/balances${query}`, { body: { data } })
const verify = (app: TestApp) => verifyLedger(app.service.db, () => undefined)

const windowed = `name: Windowed
rounding: floor
levels: { counts: { window: P1M }, ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 100 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
referral: { friend: 5, referrer: 7, counts: true }`

forEachService((openTestApp, driver) => {
  test('a player is shown with points, level and entries, newest first, page by page', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    assert.deepEqual(await show(app), {
      user_id: 'u-1',
      name: 'Asha Rao',
      points: 0,
      earned: 0,
      level: 'Bronze',
      next: { name: 'Silver', missing: 500 },
      entries: [],
      after: null,
    })
    const at = (day: number) => `2026-05-0${day}T00:00:00.000Z`
    for (const day of [1, 2, 3]) {
      await app.record([anOrder({ order_id: `o-${day}`, total_amount: day * 1000, ordered_at: at(day) })])
    }
    const first = await show(app, '?limit=2')
    assert.deepEqual([first.points, first.earned, first.level], [600, 600, 'Silver'])
    const entry = { kind: 'order', counts: true, revision: 1, program: 1, change: 'placed' }
    assert.deepEqual(
      first.entries.map(({ recorded_at, ...shown }: { recorded_at: string }) => shown),
      [
        { ...entry, seq: 3, points: 300, order_id: 'o-3', at: at(3) },
        { ...entry, seq: 2, points: 200, order_id: 'o-2', at: at(2) },
      ],
    )
    const second = await show(app, `?limit=2&after=${first.after}&explain=true`)
    assert.deepEqual(
      second.entries.map(({ seq, explanation }: { seq: number; explanation: object }) => [seq, explanation]),
      [
        [
          1,
          {
            earned: [{ rule: 'base', points: '100', because: { net: '1000', points: '1', every: '10' } }],
            not_applied: [],
            rounding: '0',
            level: {
              before: 'Bronze',
              after: 'Bronze',
              upgraded: false,
              counted: 100,
              next: { name: 'Silver', missing: 400 },
            },
            notes: [{ kind: 'unknown-product', text: 'product tea is not in the catalogue', line: 0, sku: 'tea' }],
            program: { version: 1, name: 'Starter' },
          },
        ],
      ],
    )
    assert.equal(second.after, null)
    assert.equal((await app.ask('GET', '/api/players/nobody')).status, 404)
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'after=0', 'after=-1', 'after=x', 'limit=1&limit=2', 'x=1'])
      assert.equal((await app.ask('GET', `/api/players/u-1?${query}`)).body.path, `query.${query.split('=')[0]}`)
  })

  test('a history says what happened to an order, when it was recorded and when it took place (decision 81)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const early = '2026-05-01T00:00:00.000Z'
    const order = anOrder({ total_amount: 1000, ordered_at: early })
    const moved = { ordered_at: '2026-05-02T00:00:00.000Z' }
    for (const state of [
      {},
      { discount: 1 },
      moved,
      { ...moved, status: 'cancelled' },
      { ...moved, status: 'returned' },
    ])
      await app.record([{ ...order, ...state }])
    await adjust(app, { id: 'a', points: 20, counts: true, reason: 'r' })
    const { entries } = await show(app)
    type Shown = { seq: number; change?: string; revision?: number; points: number; at: string; recorded_at: string }
    const shown = (entries as Shown[]).toReversed()
    assert.deepEqual(
      shown.map(({ change, revision, points, at }) => [change, revision, points, at.slice(0, 10)]),
      [
        ['placed', 1, 100, '2026-05-01'],
        ['changed', 2, -1, '2026-05-01'],
        ['moved', 3, -99, '2026-05-01'],
        ['moved', 3, 100, '2026-05-02'],
        ['cancelled', 4, -100, '2026-05-02'],
        ['returned', 5, 0, '2026-05-02'],
        [undefined, undefined, 20, shown.at(-1)!.recorded_at.slice(0, 10)],
      ],
    )
    assert.deepEqual(
      shown.map(({ recorded_at }) => recorded_at),
      shown.map(({ recorded_at }) => recorded_at).sort(),
    )
    const stamps = await app.query(
      "select kind, bool_and(day is not null and booked_day is not null and by <> '') as stamped from entries group by kind order by kind",
    )
    assert.deepEqual(stamps, [
      { kind: 'adjustment', stamped: true },
      { kind: 'order', stamped: true },
    ])
  })

  test('entries from before days were stored are shown without them', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ ordered_at: '2026-05-01T00:00:00.000Z' })])
    const forget = `
      update entries set day = null, booked_day = null, change = null;
      truncate tallies, statistics_days, statistics_months`
    await app.service.db.transaction((tx) => tx.script(forget), performance.now() + 60_000)
    const { entries } = await show(app)
    assert.deepEqual([entries.length, 'change' in entries[0], typeof entries[0].recorded_at], [1, false, 'string'])
    assert.deepEqual((await verify(app)).differences, [])
  })

  test('a long history is paged from the newest entry to the oldest, with any page size', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const COUNT = 113
    const gifts = Array.from({ length: COUNT }, (_, index) => ({
      user_id: 'u-1',
      id: `g-${index + 1}`,
      points: index + 1,
      counts: true,
      reason: 'r',
    }))
    assert.equal((await balances(app, gifts)).body.inserted, COUNT)
    const newestFirst = Array.from({ length: COUNT }, (_, index) => COUNT - index)
    for (const limit of [7, 25, 113, 500]) {
      const walked: number[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const page = await show(app, `?limit=${limit}${after === undefined ? '' : `&after=${after}`}`)
        walked.push(...page.entries.map(({ seq }: { seq: number }) => seq))
        after = page.after
      }
      assert.deepEqual(walked, newestFirst, `pages of ${limit}`)
    }
  })

  test('an adjustment is made once per id, and counts towards the level only if it says so', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    const gift = { id: 'g-1', points: 700, counts: true, reason: 'welcome' }
    const { status, body } = await adjust(app, gift)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.points, body.earned, body.level, body.next, body.repeated],
      [700, 700, 'Silver', { name: 'Gold', missing: 1300 }, false],
    )
    assert.equal((await adjust(app, { ...gift, points: '0700', counts: 'true' })).body.repeated, true)
    for (const other of [{ points: 701 }, { counts: false }, { reason: 'other' }]) {
      const { status, body } = await adjust(app, { ...gift, ...other })
      assert.deepEqual([status, body.path], [400, 'data.id'])
    }
    await adjust(app, { id: 'spent', points: '-900', counts: 'false', reason: 'spent at the till' })
    await adjust(app, gift, 'u-2')
    const shown = await show(app)
    assert.deepEqual([shown.points, shown.earned, shown.level], [-200, 700, 'Silver'])
    assert.deepEqual(
      shown.entries.map(({ id, points, counts, reason }: Record<string, unknown>) => [id, points, counts, reason]),
      [
        ['spent', -900, false, 'spent at the till'],
        ['g-1', 700, true, 'welcome'],
      ],
    )
    assert.equal((await show(app, '', 'u-2')).points, 700)
    assert.equal((await adjust(app, gift, 'nobody')).status, 404)
  })

  test('an invalid adjustment is refused with the path of the fault', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const good = { id: 'a', points: 1, counts: true, reason: 'r' }
    const cases: [object, string][] = [
      [{ id: '' }, 'data.id'],
      [{ points: 1.5 }, 'data.points'],
      [{ points: '+1' }, 'data.points'],
      [{ points: '9007199254740992' }, 'data.points'],
      [{ counts: 'yes' }, 'data.counts'],
      [{ reason: ' ' }, 'data.reason'],
      [{ reason: null }, 'data.reason'],
    ]
    for (const [part, path] of cases) {
      const { status, body } = await adjust(app, { ...good, ...part })
      assert.deepEqual([status, body.path], [400, path])
    }
    assert.equal((await adjust(app, { ...good, points: '9007199254740991' })).body.points, 9007199254740991)
    const { status, body } = await adjust(app, { ...good, id: 'b' })
    assert.deepEqual([status, body.path], [400, 'data.points'])
    assert.deepEqual((await show(app)).entries.length, 1)
  })

  test('an adjustment sent many times concurrently is made once', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    const gift = { id: 'g', points: 10, counts: true, reason: 'r' }
    const replies = await Promise.all(Array.from({ length: 12 }, () => adjust(app, gift)))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    assert.equal(replies.filter(({ body }) => !body.repeated).length, 1)
    assert.equal((await show(app)).points, 10)
  })

  test('imported opening balances are taken once, and a dry run previews them', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2' })])
    const balance = (user_id: string, points: number, more: object = {}) => ({
      user_id,
      id: 'moved-in',
      points,
      counts: true,
      reason: 'balance of the old program',
      ...more,
    })
    const data = [
      balance('u-1', 2500),
      balance('u-2', -5, { counts: false }),
      balance('u-1', 2500),
      balance('u-1', 1),
      balance('nobody', 1),
      { user_id: 'u-1' },
    ]
    const dry = await balances(app, data, '?dry_run=true&details=true')
    assert.deepEqual((await show(app)).entries, [])
    const { body } = await balances(app, data, '?details=true')
    assert.deepEqual({ ...dry.body, message: `Dry run: ${body.message}` }, dry.body)
    assert.deepEqual({ ...dry.body, message: body.message }, body)
    assert.deepEqual([body.inserted, body.updated, body.skipped], [2, 0, 4])
    assert.deepEqual(
      body.results.map(({ verdict, path }: Record<string, string>) => path ?? verdict),
      ['unchanged', 'data[3].id', 'data[4].user_id', 'data[5].id'],
    )
    assert.deepEqual((await balances(app, data)).body.inserted, 0)
    const shown = await show(app)
    assert.deepEqual([shown.points, shown.level], [2500, 'Gold'])
    assert.deepEqual([(await show(app, '', 'u-2')).points, (await show(app, '', 'u-2')).earned], [-5, 0])
    assert.equal(
      (await app.predict(anOrder({ total_amount: 100 }))).body.message,
      'You will earn 10 points and stay at Gold.',
    )
  })

  test('with a window the level depends on the points of the last months only', async (t) => {
    let now = new Date('2026-05-15T00:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    await app.ask('POST', '/api/admin/programs', { body: { data: { source: windowed } } })
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ total_amount: 1000, ordered_at: '2026-05-15T00:00:00Z' })])
    await adjust(app, { id: 'a', points: 20, counts: true, reason: 'r' })
    const summary = async () => {
      const { points, earned, level } = await show(app)
      return [points, earned, level]
    }
    assert.deepEqual(await summary(), [120, 120, 'Silver'])
    now = new Date('2026-06-14T23:59:59Z')
    assert.deepEqual(await summary(), [120, 120, 'Silver'])
    now = new Date('2026-06-15T00:00:00Z')
    assert.deepEqual(await summary(), [120, 0, 'Bronze'])
  })

  test('verifying the ledger finds no fault in what was recorded, and every sum that was tampered with', async (t) => {
    const app = await openTestApp(t)
    await app.ask('POST', '/api/admin/programs', {
      body: { data: { source: windowed, from: '2020-01-01T00:00:00Z' } },
    })
    const ids = Array.from({ length: 30 }, (_, index) => `u-${index}`)
    await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, Refercode: User_id })))
    const order = (index: number, more: object = {}) =>
      anOrder({
        order_id: `o-${index}`,
        user_id: `u-${index % 30}`,
        refferral_code: `u-${(index + 1) % 30}`,
        total_amount: 10 * index,
        ordered_at: '2026-04-01T00:00:00Z',
        ...more,
      })
    await app.record(Array.from({ length: 90 }, (_, index) => order(index)))
    await app.record([order(3, { status: 'cancelled' }), order(4, { ordered_at: '2026-04-02T00:00:00Z' })])
    await app.record([order(3, { status: 'cancelled', ordered_at: '2026-04-03T00:00:00Z' })])
    await app.record([order(90, { total_amount: 0 })])
    await adjust(app, { id: 'a', points: 20, counts: false, reason: 'r' })
    const clean = await verify(app)
    assert.deepEqual(clean.differences, [])
    assert.deepEqual([clean.players, clean.orders, clean.entries, clean.differing], [30, 91, 129n, 0])

    const tampered = async (sql: string) => {
      const undo = new Error('undo')
      let found: readonly string[] = []
      const attempt = app.service.db.transaction(async (tx) => {
        await tx.script(sql)
        // The snapshot of this transaction has already been taken.
        const running: Tx = {
          ...tx,
          query: (text, params) => (text.startsWith('set transaction') ? Promise.resolve([]) : tx.query(text, params)),
        }
        const inside: Db = {
          ...app.service.db,
          read: (text, params) => tx.query(text, params),
          transaction: (work) => work(running, 1),
        }
        found = (await verifyLedger(inside, () => undefined)).differences
        throw undo
      }, performance.now() + 20_000)
      await assert.rejects(attempt, undo)
      return found
    }
    const cases: [string, RegExp][] = [
      ["update accounts set points = points + 1 where user_id = 'u-5'", /^account of u-5: stored points \d+/],
      ["update accounts set counted = 0 where user_id = 'u-5'", /^account of u-5/],
      [
        "update accounts set orders = 9 where user_id = 'u-5'",
        /^account of u-5: stored orders 9; its entries give orders 3/,
      ],
      ["delete from accounts where user_id = 'u-5'", /^account of u-5: stored orders nothing/],
      ["update entries set points = points + 1 where user_id = 'u-5' and seq = 1", /o-5 for u-5|account of u-5/],
      ["delete from entries where user_id = 'u-5' and seq = 2", /account of u-5/],
      [
        "delete from entries where order_id = 'o-90'; update accounts set entries = entries - 1 where user_id = 'u-0'",
        /order points of order o-90 for u-0 .*its entries give points nothing/,
      ],
      ["update entries set seq = 99 where user_id = 'u-5' and seq = 2", /entry numbers have gaps/],
      [
        "update orders set points = points + 1 where order_id = 'o-7'",
        /order o-7 of u-7: stored points 13, its program gives 12/,
      ],
      [
        "update orders set referrer_points = 8 where order_id = 'o-7'",
        /referral points of order o-7 for u-8 .*points 8; .*points 7/,
      ],
      [
        "update orders set referrer_id = 'u-20' where order_id = 'o-7'",
        /referral 7 points for u-20, its program gives 7 points for u-8/,
      ],
      [
        "update orders set program_version = 99 where order_id = 'o-7'",
        /order o-7 of u-7: it cannot be computed \(program version 99/,
      ],
      ["update orders set facts = '{}' where order_id = 'o-7'", /order o-7 of u-7: it cannot be computed/],
      [
        "update orders set rev = 0 where order_id = 'o-7'",
        /order points of order o-7 .*stored revision 0; .*revision 1/,
      ],
      [
        "update orders set ordered_at = '2001-01-01' where order_id = 'o-7'",
        /order points of order o-7 for u-7 at 2001/,
      ],
      [
        "update entries set at = '2001-01-01' where order_id = 'o-7' and kind = 'order'",
        /order points of order o-7 for u-7 at 2001/,
      ],
      ["update entries set seq = 0 where user_id = 'u-5' and seq = 1", /entry numbers have gaps/],
      [
        "update accounts set first_order_id = 'none' where user_id = 'u-5'",
        /u-5: stored first order none; its entries give first order nothing/,
      ],
      [
        "delete from entries where user_id = 'u-5' and kind = 'referral'; update accounts set points = points - 7, counted = counted - 7, entries = entries - 1 where user_id = 'u-5'",
        /referral points of order o-4 for u-5|entry numbers/,
      ],
      ["update order_owners set user_id = 'u-1' where order_id = 'o-7'", /order o-7 of u-7: its owner is u-1/],
      ["delete from orders where order_id = 'o-7'", /order o-7 has an owner but is not recorded/],
    ]
    for (const [sql, expected] of cases) {
      const found = await tampered(sql)
      assert(
        found.some((difference) => expected.test(difference)),
        `${driver}: ${sql} gave ${found.join('; ') || 'nothing'}`,
      )
    }
    assert.deepEqual((await verify(app)).differences, [])
  })
})
