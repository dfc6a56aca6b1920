/*
 * Players who leave the program and come back (`participates`).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const REFERRING = `
name: Referring
rounding: floor
levels:
  counts: lifetime
  ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 100 }]
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
redeem: { value: { points: 1, pays: 1 } }
referral: { friend: 5, referrer: 7 }
`

const publish = async (app: TestApp) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source: REFERRING } } })
  assert.equal(status, 200, text)
}
const accountOf = async (app: TestApp, id = 'u-1') => (await app.ask('GET', `/api/players/${id}?explain=true`)).body
const storedOf = async (app: TestApp, id = 'u-1') => (await app.ask('GET', `/api/admin/players/${id}`)).body
const pointsOf = async (app: TestApp, id?: string) => (await accountOf(app, id)).points
const differences = async (app: TestApp) => (await verifyLedger(app.service.db, () => undefined)).differences

forEachService((openTestApp) => {
  test('a player who has left keeps balance and level, earns nothing, and may still redeem; back again, new orders earn', async (t) => {
    const app = await openTestApp(t)
    await publish(app)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    assert.deepEqual([await pointsOf(app), (await storedOf(app)).participates], [120, true])
    await app.upsertPlayers([aPlayer({ participates: false })])
    assert.equal((await storedOf(app)).participates, false)
    const order = anOrder({ order_id: 'o-2', points_redeemed: 20 })
    const predicted = (await app.predict(order, '?explain=true')).body
    const { before, after } = predicted.explanation.level
    assert.deepEqual([predicted.total_points, before, after], [0, 'Silver', 'Silver'])
    assert.deepEqual(predicted.explanation.not_applied, [
      { rule: 'base', why: 'the player does not participate' },
      { rule: 'referral', kind: 'not-participating', why: 'the player does not participate' },
    ])
    assert.equal(predicted.explanation.nothing, 'not-participating')
    assert.deepEqual(predicted.explanation.notes[0], {
      kind: 'not-participating',
      text: 'the player does not participate: the order earns no points',
    })
    await app.record([order])
    const { points, level, entries } = await accountOf(app)
    assert.deepEqual([points, level], [100, 'Silver'])
    const recorded = entries.find(
      (one: { order_id: string; kind: string }) => one.order_id === 'o-2' && one.kind === 'order',
    )
    const { balance: _, ...explanation } = predicted.explanation
    assert.deepEqual(recorded.explanation, explanation)
    const { body } = await app.ask('GET', '/api/admin/orders?nothing=not-participating')
    assert.deepEqual(
      body.orders.map((one: { order_id: string }) => one.order_id),
      ['o-2'],
    )
    await app.upsertPlayers([aPlayer({ participates: true })])
    await app.record([anOrder({ order_id: 'o-3' })])
    assert.equal(await pointsOf(app), 220)
    assert.deepEqual(await differences(app), [])
  })

  test('whether a player participates counts when an order is first recorded: its later states keep it', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ order_id: 'before' })])
    await app.upsertPlayers([aPlayer({ participates: 'false' })])
    await app.record([anOrder({ order_id: 'before', total_amount: '2000' }), anOrder({ order_id: 'away' })])
    assert.equal(await pointsOf(app), 200)
    await app.upsertPlayers([aPlayer({ participates: 'true' })])
    await app.record([anOrder({ order_id: 'away', total_amount: '5000' })])
    assert.equal(await pointsOf(app), 200)
    await app.record([anOrder({ order_id: 'before', status: 'cancelled' })])
    assert.equal(await pointsOf(app), 0)
    assert.deepEqual(await differences(app), [])
  })

  test('a referrer who has left earns nothing, and a referred player who has left gives nothing', async (t) => {
    const app = await openTestApp(t)
    await publish(app)
    const friend = (id: string, parts: object = {}) => aPlayer({ User_id: id, Refercode: '', ...parts })
    await app.upsertPlayers([aPlayer(), friend('u-2', { participates: false }), friend('u-3'), friend('u-4')])
    const order = (id: string) => anOrder({ order_id: `o-${id}`, user_id: id, refferral_code: 'ASHA' })
    await app.record([order('u-2')])
    assert.deepEqual([await pointsOf(app), await pointsOf(app, 'u-2')], [0, 0])
    await app.record([order('u-3')])
    assert.deepEqual([await pointsOf(app), await pointsOf(app, 'u-3')], [7, 125])
    await app.upsertPlayers([aPlayer({ participates: false })])
    const { total_points, explanation } = (await app.predict(order('u-4'), '?explain=true')).body
    assert.equal(total_points, 125)
    assert.deepEqual(explanation.notes[0], {
      kind: 'not-participating',
      text: 'the referrer does not participate: no points for the referrer',
    })
    await app.record([order('u-4')])
    assert.deepEqual([await pointsOf(app), await pointsOf(app, 'u-4')], [7, 125])
    await app.upsertPlayers([aPlayer({ participates: true })])
    await app.record([{ ...order('u-4'), total_amount: '2000' }])
    assert.deepEqual([await pointsOf(app), await pointsOf(app, 'u-4')], [7, 205])
    assert.deepEqual(await differences(app), [])
  })

  test('a record without the field keeps what is stored, and writes nothing; one that says what is stored neither', async (t) => {
    const app = await openTestApp(t)
    const unchanged = async (...players: object[]) =>
      (await app.upsertPlayers(players, '?unchanged=true')).body.unchanged
    const stored = () => app.query('select participates, rev from players order by user_id')
    await app.upsertPlayers([aPlayer()])
    assert.deepEqual(await stored(), [{ participates: null, rev: 1 }])
    assert.equal(await unchanged(aPlayer(), aPlayer({ participates: true }), aPlayer({ participates: '' })), 3)
    assert.deepEqual(await stored(), [{ participates: null, rev: 1 }])
    assert.equal(await unchanged(aPlayer({ participates: false })), 0)
    assert.equal(await unchanged(aPlayer(), aPlayer({ participates: null })), 2)
    assert.equal(await unchanged(aPlayer(), aPlayer({ participates: false })), 2)
    assert.deepEqual(await stored(), [{ participates: false, rev: 2 }])
    await app.upsertPlayers([aPlayer({ Name: 'Asha R.' })])
    assert.deepEqual(await stored(), [{ participates: false, rev: 3 }])
    await app.upsertPlayers([aPlayer({ Name: '', State_version: 7 })], '?keep_filled=true')
    assert.deepEqual(await stored(), [{ participates: false, rev: 3 }])
    assert.equal(await unchanged(aPlayer({ Name: 'Asha R.', participates: true }), aPlayer({ Name: 'Asha R.' })), 1)
    assert.deepEqual(await stored(), [{ participates: true, rev: 4 }])
  })

  test('several records of a player in one request count one after the other, and many at once are stored', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ participates: false }), aPlayer({ Name: 'Asha R.' })])
    assert.deepEqual([(await storedOf(app)).participates, (await storedOf(app)).rev], [false, 1])
    const many = Array.from({ length: 300 }, (_, n) => aPlayer({ User_id: `n-${n}`, Refercode: '' }))
    const half = (one: object, n: number) => (n % 2 === 0 ? { ...one, participates: n % 4 === 0 } : one)
    await app.upsertPlayers(many.map(half))
    const count = async () =>
      await app.query(
        "select participates, count(*)::int as n from players where user_id like 'n-%' group by 1 order by 1",
      )
    assert.deepEqual(await count(), [
      { participates: false, n: 75 },
      { participates: true, n: 75 },
      { participates: null, n: 150 },
    ])
    await app.upsertPlayers(many.map((one) => ({ ...one, Name: 'Ravi' })))
    assert.deepEqual(
      (await count()).map(({ n }) => n),
      [75, 75, 150],
    )
  })

  test('anything but true or false is refused, and names the field', async (t) => {
    const app = await openTestApp(t)
    const { body } = await app.upsertPlayers([aPlayer({ participates: 'no' })])
    assert.match(body.message, /data\[0\]\.participates: expected true or false, got "no"/)
  })
})
