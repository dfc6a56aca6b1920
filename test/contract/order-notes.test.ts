import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { clean, give } from '../support/redeeming.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const LOOKS = `name: Looks at history
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 1 } }
  - { name: welcome, when: player.orders == 0, fixed: { points: 500 } }
redeem: { value: { points: 1, pays: 1 } }
`
const BLIND = LOOKS.replace(/ {2}- \{ name: welcome.*\n/, '')

const order = (id: string, day: number, more: object = {}) =>
  anOrder({
    order_id: id,
    ordered_at: `2026-05-${String(day).padStart(2, '0')}T12:00:00.000Z`,
    total_amount: 100,
    discount: 0,
    products: [],
    ...more,
  })

forEachService((openTestApp) => {
  const open = async (t: Parameters<typeof openTestApp>[0], source: string): Promise<TestApp> => {
    const app = await openTestApp(t, { now: () => new Date('2026-05-20T12:00:00.000Z') })
    const data = { source, from: '2026-01-01T00:00:00Z' }
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data } })).status, 200)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
    return app
  }
  const notesOf = (body: { notes?: { position: number; key: string; kind: string }[] }) =>
    (body.notes ?? []).map(({ position, key, kind }) => [position, key, kind])

  test('a new order that is older than one recorded before it is named, and counted by a dry run, where the program looks at history (decision 123)', async (t) => {
    const app = await open(t, LOOKS)
    assert.deepEqual(notesOf((await app.record([order('o-5', 5)], '?details=true')).body), [])
    const list = [
      order('o-3', 3),
      order('o-4', 4),
      order('o-9', 9),
      order('o-7', 7),
      order('other', 1, { user_id: 'u-2' }),
      order('o-5', 5, { total_amount: 50 }),
    ]
    const late = [
      [0, 'o-3', 'out-of-order'],
      [1, 'o-4', 'out-of-order'],
      [3, 'o-7', 'out-of-order'],
    ]
    const dry = (await app.record(list, '?dry_run=true')).body
    assert.deepEqual([dry.out_of_order, dry.notes], [3, undefined])
    assert.deepEqual(notesOf((await app.record(list, '?dry_run=true&details=true')).body), late)
    const written = (await app.record(list, '?details=true')).body
    assert.deepEqual([notesOf(written), written.out_of_order], [late, 3])
    assert.match(written.notes[0].text, /^it is older than an order of 2026-05-05T12:00:00.000Z recorded before/)
    // The same again is no news.
    assert.deepEqual(notesOf((await app.record(list, '?details=true')).body), [])
    await clean(app)
  })

  test('where a program does not look at history, nothing is said of it (decision 123)', async (t) => {
    const app = await open(t, BLIND)
    await app.record([order('o-5', 5)])
    const { body } = await app.record([order('o-3', 3)], '?dry_run=true&details=true')
    assert.deepEqual([body.inserted, body.out_of_order, body.notes], [1, undefined, undefined])
  })

  test('an order of quite another day and content than the one recorded under its id is named, and counted by a dry run', async (t) => {
    const app = await open(t, BLIND)
    const lines = [{ product_sku_id: 'TEA', qty: 1, amount: 10 }]
    const on = (day: string, more: object = {}) => order('1001', 1, { ordered_at: `${day}T12:00:00.000Z`, ...more })
    await app.record([on('2026-01-02')])
    const names = async (state: object, query = '?dry_run=true&details=true') => {
      const { body } = await app.record([state], query)
      assert.equal(body.used_again, body.notes?.length)
      return notesOf(body)
    }
    const named = [[0, '1001', 'used-again']]
    assert.deepEqual(await names(on('2025-07-05', { total_amount: 50 })), named)
    assert.deepEqual(await names(on('2025-07-05', { products: lines })), named)
    assert.deepEqual(await names(on('2025-07-05', { discount: 1 })), named)
    for (const status of ['cancelled', 'returned'])
      for (const content of [{ total_amount: 50 }, { discount: 1 }, { total_amount: 0, products: lines }])
        assert.deepEqual(await names(on('2025-07-05', { status, ...content })), named)
    // The lines of an export may come in another sequence.
    const two = [...lines, { product_sku_id: 'CUP', qty: 2 }]
    await app.record([{ ...on('2026-01-02', { products: two }), order_id: '1003' }])
    const apart = (products: object[]) => names({ ...on('2025-07-05', { products }), order_id: '1003' })
    assert.deepEqual(await apart(two.toReversed()), [])
    assert.deepEqual(await apart([two[0]!, two[0]!]), [[0, '1003', 'used-again']])
    // A new state of the recorded order, or its day set right.
    for (const state of [
      on('2025-07-05'),
      on('2025-07-06', { total_amount: 50 }),
      on('2025-07-05', { status: 'returned' }),
      on('2025-07-05', { total_amount: 0, status: 'returned' }),
      on('2025-07-06', { total_amount: 50, status: 'cancelled' }),
      order('1001', 1, { ordered_at: undefined, total_amount: 50 }),
      order('1002', 1, { total_amount: 50 }),
    ])
      assert.deepEqual(await names(state), [])
    const again = on('2025-07-05', { total_amount: 50 })
    const dry = (await app.record([again], '?dry_run=true')).body
    assert.deepEqual([dry.updated, dry.used_again, dry.notes], [1, 1, undefined])
    const { notes } = (await app.record([again], '?details=true')).body
    assert.equal(notes[0].ordered_at, '2026-01-02T12:00:00.000Z')
    assert.match(
      notes[0].text,
      /^the order recorded under this ID is of 2026-01-02T12:00:00.000Z and has other amounts/,
    )
    assert.deepEqual(await names(again), [])
    await clean(app)
  })

  test('an order that is reduced below what its points paid is recorded, with how many points pay too much (decision 139)', async (t) => {
    const app = await open(t, BLIND)
    await give(app, 100)
    const paid = (total: number, more: object = {}) =>
      order('o-1', 20, { total_amount: total, points_redeemed: 80, ...more })
    assert.deepEqual(notesOf((await app.record([paid(100)], '?details=true')).body), [])
    const { body } = await app.record([paid(50)], '?details=true')
    assert.deepEqual([body.updated, notesOf(body), body.notes[0].points], [1, [[0, 'o-1', 'overpaid']], 30])
    assert.deepEqual(notesOf((await app.record([paid(50)], '?details=true')).body), [])
    const reduced = await app.record([paid(50, { points_redeemed: 50 })], '?details=true')
    assert.deepEqual([reduced.body.updated, notesOf(reduced.body)], [1, []])
    await clean(app)
  })
})
