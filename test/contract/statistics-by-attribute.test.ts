/*
 * Statistics by an attribute of orders that the program names (decision 168).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { deriveStatistics } from '../../src/ledger/tallies.ts'
import { foldStatistics } from '../../src/resources/statistics/fold-statistics.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const WITHOUT = `name: Test
attributes: { order: { store: text, channel: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
`
const BY_STORE = `${WITHOUT}statistics: { by: store }\n`
const NOW = new Date('2026-06-10T12:00:00Z')
const now = () => NOW

const publish = async (app: TestApp, source: string, from = '2026-01-01T00:00:00Z') => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source, from } } })
  assert.equal(status, 200, text)
}

/** An order of a day in June. */
const order = (order_id: string, day: number, parts: object) =>
  anOrder({ order_id, ordered_at: `2026-06-0${day}T12:00:00Z`, products: [], discount: 0, ...parts })

const record = async (app: TestApp, orders: readonly object[]) => {
  const { status, text } = await app.record(orders)
  assert.equal(status, 200, text)
}

const differencesIn = async (app: TestApp) => (await verifyLedger(app.service.db, () => undefined)).differences

type Line = Readonly<{ day: string; program: number | null; measure: string; key: string; n: number; points: string }>
const linesOf = async (app: TestApp, query = '', what = 'attributes'): Promise<Line[]> => {
  const { status, body, text } = await app.ask('GET', `/api/admin/statistics/${what}${query}`)
  assert.equal(status, 200, text)
  return body.lines
}
const shown = ({ day, key, n, points }: Line) => `${day} ${key}: ${n}, ${points}`

const figuresOf = (app: TestApp) =>
  app.query(`select basis, day::text as day, measure, program, key, n, trim_scale(points) as points from statistics_days
    order by basis, measure, day, key`)

const run = (app: TestApp, sql: string) =>
  app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000)

forEachService((openTestApp) => {
  test('orders and all their points count by the attribute that they had at first, and add up to those of the versions that name it (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    await publish(app, WITHOUT, '2026-06-05T00:00:00Z')
    await app.upsertPlayers([aPlayer()])
    const of = (store: unknown) => ({ attributes: { store } })
    await record(app, [
      order('o-1', 1, { total_amount: 1000, ...of('paris') }),
      order('o-2', 1, { total_amount: 500, ...of('lyon') }),
      order('o-3', 2, { total_amount: 200, ...of('nice') }),
      order('o-4', 2, { total_amount: 300 }),
      order('o-5', 2, { total_amount: 100, ...of(5) }),
      order('o-6', 3, { total_amount: 0, ...of('lyon') }),
      order('o-7', 6, { total_amount: 400, ...of('paris') }),
    ])
    await foldStatistics(app.service.db)
    await record(app, [
      order('o-1', 1, { total_amount: 1000, status: 'returned', ...of('lyon') }),
      order('o-2', 1, { total_amount: 700, attributes: {} }),
      order('o-3', 3, { total_amount: 200 }),
      order('o-6', 3, { total_amount: 0, attributes: { store: 'lyon', channel: 'app' } }),
      order('o-7', 6, { total_amount: 500 }),
    ])
    assert.deepEqual(await differencesIn(app), [], 'before anything is folded')
    const days = [
      '2026-06-01 lyon: 1, 70',
      '2026-06-01 paris: 1, 0',
      '2026-06-02 : 2, 40',
      '2026-06-02 nice: 1, 0',
      '2026-06-03 lyon: 1, 0',
      '2026-06-03 nice: 0, 20',
    ]
    assert.deepEqual((await linesOf(app)).map(shown), days)
    await foldStatistics(app.service.db)
    assert.deepEqual(await differencesIn(app), [])
    const range = '?from=2026-06-01&to=2026-06-30'
    const lines = await linesOf(app, range)
    assert.deepEqual(lines.map(shown), days)
    assert(lines.every(({ measure, program }) => measure === 'attribute' && program === 2))
    assert.deepEqual((await linesOf(app, '?basis=posted')).map(shown), [
      '2026-06-10 : 2, 40',
      '2026-06-10 lyon: 2, 70',
      '2026-06-10 nice: 1, 20',
      '2026-06-10 paris: 1, 0',
    ])
    const recorded = [...(await linesOf(app, range, 'orders')), ...(await linesOf(app, range, 'rules'))]
    const sumOf = (some: readonly Line[]) => some.reduce((sum, { points }) => sum + Number(points), 0)
    const ofVersion = recorded.filter(({ measure, program }) => ['orders', 'later'].includes(measure) && program === 2)
    assert.equal(sumOf(lines), sumOf(ofVersion))
    const csv = await app.ask('GET', `/api/admin/statistics/attributes${range}&per=span`, {
      headers: { accept: 'text/csv' },
    })
    assert.match(
      csv.text,
      /^day,measure,program,key,n,points,as_of,quality\r\n2026-06-01,attribute,2,,2,40,\S+,exact\r\n/,
    )
  })

  test('explanations have the value, of the first recording too, and those of programs that name no attribute are as before (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    await publish(app, WITHOUT, '2026-06-05T00:00:00Z')
    await app.upsertPlayers([aPlayer()])
    const [paris, lyon] = [{ attributes: { store: 'paris' } }, { attributes: { store: 'lyon' } }]
    await record(app, [order('o-1', 1, paris), order('o-2', 6, paris), order('o-3', 1, {})])
    await record(app, [order('o-1', 1, { ...lyon, status: 'returned' })])
    const predicted = async (sent: object) => (await app.predict(sent, '?explain=true')).body.explanation
    assert.equal((await predicted(order('new', 1, lyon))).statistics_by, 'lyon')
    assert.equal((await predicted(order('new', 1, {}))).statistics_by, '')
    assert.equal((await predicted(order('o-1', 1, lyon))).statistics_by, 'paris')
    const of = async (id: string, headers = {}) =>
      (await app.ask('GET', `/api/admin/orders/${id}?explain=true`, { headers })).body
    const valuesOf = ({ revisions }: { revisions: { explanation: object }[] }) =>
      revisions.map(({ explanation }) => ('statistics_by' in explanation ? explanation.statistics_by : null))
    assert.deepEqual(valuesOf(await of('o-1')), ['paris', 'paris'])
    assert.deepEqual(valuesOf(await of('o-2')), [null])
    assert.deepEqual(valuesOf(await of('o-3')), [''])
    assert.deepEqual(
      Object.keys(await predicted(order('new', 6, paris))),
      Object.keys(await predicted(order('new', 6, {}))),
    )
    const kept = await app.query(`select order_id, facts ->> 'statistics_by' as value from orders order by order_id`)
    assert.deepEqual(
      kept.map(({ value }) => value),
      ['paris', null, ''],
    )
    const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'v', scopes: ['read'] } } })
    const forViewer = await of('o-1', { token: body.token })
    assert.deepEqual([forViewer.attributes, valuesOf(forViewer)], [{ store: '•••' }, ['paris', 'paris']])
  })

  test('verifying finds a planted difference of an attribute, and an import derives the same figures (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    await app.upsertPlayers([aPlayer()])
    const sent = order('o-1', 1, { total_amount: 1000, attributes: { store: 'paris' } })
    await record(app, [sent])
    await record(app, [{ ...sent, total_amount: 900 }])
    const differences = async (sql: string) => {
      await run(app, sql)
      return (await differencesIn(app)).filter((one) => one.includes('attribute 2 '))
    }
    // As rows of their own: the service may fold the others at any time.
    const tally = (points: number) =>
      `insert into tallies (day, booked, measure, program, key, n, points)
       values ('2026-06-01', '2026-06-10', 'attribute', 2, 'paris', 0, ${points})`
    assert.deepEqual((await differences(tally(1))).slice(0, 1), [
      'statistics of day 2026-06-01 ordered attribute 2 paris: stored 1 times, 91 points; its entries give 1 times, 90 points',
    ])
    assert.deepEqual(await differences(tally(-1)), [])
    await foldStatistics(app.service.db)
    assert.deepEqual(await differencesIn(app), [])
    assert.equal((await differences("update statistics_months set n = n + 1 where measure = 'attribute'")).length, 2)
    assert.deepEqual(await differences("update statistics_months set n = n - 1 where measure = 'attribute'"), [])
    const explained = (store: string) =>
      `update entries set explanation = (explanation::jsonb || '{"statistics_by": "${store}"}')::json where revision = 2`
    assert.equal((await differences(explained('lyon'))).length, 4, 'of two values on two bases')
    assert.deepEqual(await differences(explained('paris')), [])
    const before = await figuresOf(app)
    await run(app, 'truncate tallies, statistics_days, statistics_months')
    await app.service.db.transaction(deriveStatistics, performance.now() + 60_000)
    await foldStatistics(app.service.db)
    assert.deepEqual(await figuresOf(app), before)
  })

  test('generated orders of several stores count as a plain computation says, whatever is sent again, changed, moved or returned (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    const players = ['u-0', 'u-1', 'u-2']
    await app.upsertPlayers(players.map((User_id) => aPlayer({ User_id, Refercode: '' })))
    const state = fc.record({
      number: fc.nat(7),
      store: fc.constantFrom(undefined, null, 'paris', 'lyon', 'nice'),
      total: fc.constantFrom(0, 9, 10, 250, 1_234),
      day: fc.constantFrom(1, 2, 3),
      status: fc.constantFrom('placed', 'placed', 'placed', 'returned', 'cancelled'),
    })
    /** By order: the store and the day that it had first, and the points and the day that it has now. */
    const plain = new Map<string, { store: string; firstDay: number; day: number; points: number }>()
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(state, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), async (states, size) => {
        round += 1
        const sent = states.map(({ number, store, total, day, status }) => {
          const id = `${round}-${number}`
          const { store: first = store ?? '', firstDay = day } = plain.get(id) ?? {}
          plain.set(id, { store: first, firstDay, day, points: status === 'placed' ? Math.floor(total / 10) : 0 })
          // Undefined: sent without attributes. null: with none.
          const attributes = store === undefined ? {} : { attributes: store === null ? {} : { store } }
          return order(id, day, { user_id: players[number % 3], total_amount: total, status, ...attributes })
        })
        for (let at = 0; at < sent.length; at += size) await record(app, sent.slice(at, at + size))
        await foldStatistics(app.service.db)
      }),
      { numRuns: 6, endOnFailure: true },
    )
    const sums = new Map<string, { n: number; points: number }>()
    const add = (day: number, store: string, n: number, points: number) => {
      const sum = sums.get(`2026-06-0${day} ${store}`) ?? { n: 0, points: 0 }
      sums.set(`2026-06-0${day} ${store}`, { n: sum.n + n, points: sum.points + points })
    }
    for (const { store, firstDay, day, points } of plain.values()) {
      add(firstDay, store, 1, 0)
      add(day, store, 0, points)
    }
    const isCounted = (line: string) => !line.endsWith(': 0, 0')
    assert.deepEqual(
      (await linesOf(app)).map(shown).filter(isCounted),
      [...sums]
        .map(([line, { n, points }]) => `${line}: ${n}, ${points}`)
        .filter(isCounted)
        .sort((one, other) => (one < other ? -1 : 1)),
    )
    assert.deepEqual(await differencesIn(app), [])
  })

  test('an erasure keeps what orders are counted by, so that statistics stay and a later return takes back from the same store (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    const ids = ['zoe@example.com', 'plain']
    await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, Refercode: '' })))
    const orders = ids.map((user_id, index) =>
      order(`o-${index}`, 1, { user_id, total_amount: 1000, attributes: { store: `store-${index}`, channel: 'Zoe' } }),
    )
    await record(app, orders)
    await foldStatistics(app.service.db)
    const before = await figuresOf(app)
    for (const id of ids) {
      const path = `/api/admin/players/${encodeURIComponent(id)}/erase`
      const { status, text } = await app.ask('POST', path, { body: { data: { reason: 'asked to' } } })
      assert.equal(status, 200, text)
    }
    assert.deepEqual(await figuresOf(app), before)
    assert.deepEqual(await differencesIn(app), [])
    assert.deepEqual(
      await app.query(
        `select state -> 'attributes' as attributes, facts ->> 'statistics_by' as value from orders order by order_id`,
      ),
      [
        { attributes: null, value: 'store-0' },
        { attributes: null, value: 'store-1' },
      ],
    )
    await record(
      app,
      orders.map((one) => ({ ...one, status: 'returned', attributes: { store: 'other' } })),
    )
    assert.deepEqual((await linesOf(app)).map(shown), ['2026-06-01 store-0: 1, 0', '2026-06-01 store-1: 1, 0'])
    assert.deepEqual(await differencesIn(app), [])
  })

  test('any text counts, and more lines than a response may have are refused (decision 168)', async (t) => {
    const app = await openTestApp(t, { now })
    await publish(app, BY_STORE)
    await app.upsertPlayers([aPlayer()])
    const texts = ['a\tb', 'a\nb', '\\N', '"', "'; --", '{}', '=1+1', '😀', 'é'.repeat(200), 'constructor', '__proto__']
    const stores = [...texts, ...Array.from({ length: 300 }, (_, index) => `store ${index}`)]
    await record(
      app,
      stores.map((store, index) => order(`o-${index}`, 1, { total_amount: 10 * (index + 1), attributes: { store } })),
    )
    const lines = await linesOf(app)
    assert.deepEqual(
      new Map(lines.map(({ key, n, points }) => [key, `${n}, ${points}`])),
      new Map(stores.map((store, index) => [store, `1, ${index + 1}`])),
    )
    await foldStatistics(app.service.db)
    assert.deepEqual(await differencesIn(app), [])
    await run(
      app,
      `insert into statistics_days (basis, day, measure, program, key, n, points)
       select 'ordered', '2026-05-20', 'attribute', 2, 'cart ' || n, 1, 1 from generate_series(1, 20000) n`,
    )
    const { status, body } = await app.ask('GET', '/api/admin/statistics/attributes?to=2026-06-09')
    assert.deepEqual(
      [status, body.path, body.error],
      [400, 'query.from', 'more than 20000 rows: use a shorter range or per=month'],
    )
  })
})
