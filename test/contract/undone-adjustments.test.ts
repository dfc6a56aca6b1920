import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { aPlayer } from '../support/builders.ts'
import { forEachService, type OpenTestApp, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Points that end
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 100 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { expire: { after: P1M } }
`

const adjust = (app: TestApp, id: string, points: number, more: object = {}) =>
  app.ask('POST', '/api/players/u-1/adjustments', {
    body: { data: { id, points, counts: true, reason: 'r', ...more } },
  })
const undo = (app: TestApp, id: string, userId = 'u-1') =>
  app.ask('POST', `/api/players/${userId}/adjustments/${id}/undo`, { body: { data: { reason: 'wrong customer' } } })
const show = async (app: TestApp) => (await app.ask('GET', '/api/players/u-1')).body
const clean = async (app: TestApp) =>
  assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])

forEachService((openTestApp) => {
  const open = async (t: Parameters<OpenTestApp>[0], env: { now: string }) => {
    const app = await openTestApp(t, { now: () => new Date(env.now) })
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM } } })).status, 200)
    await app.upsertPlayers([aPlayer({ Refercode: '' }), aPlayer({ User_id: 'u-2', Refercode: '' })])
    return app
  }

  test('an adjustment is undone once, by a separate entry, as if it had never been made (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, env)
    await adjust(app, 'gift', 150)
    env.now = '2026-05-20T12:00:00.000Z'
    await adjust(app, 'till', -50)
    const before = await show(app)
    assert.deepEqual([before.points, before.level, before.earned], [100, 'Silver', 100])
    const undone = await undo(app, 'till')
    assert.deepEqual([undone.status, undone.body.repeated, undone.body.points], [200, false, 150])
    assert.deepEqual(undone.body.lots, [{ points: 150, expires_on: '2026-06-10' }], 'back in its lot')
    const again = await undo(app, 'till')
    assert.deepEqual([again.status, again.body.repeated, again.body.points], [200, true, 150])
    const gone = await undo(app, 'gift')
    assert.deepEqual([gone.body.points, gone.body.level, gone.body.earned, gone.body.lots], [0, 'Bronze', 0, []])
    const { entries } = await show(app)
    assert.deepEqual(
      entries.map(({ kind, points, id, change, at }: Record<string, unknown>) => [kind, points, id, change, at]),
      [
        ['adjustment', -150, 'undo:gift', 'undone', '2026-05-10T12:00:00.000Z'],
        ['adjustment', 50, 'undo:till', 'undone', '2026-05-20T12:00:00.000Z'],
        ['adjustment', -50, 'till', undefined, '2026-05-20T12:00:00.000Z'],
        ['adjustment', 150, 'gift', undefined, '2026-05-10T12:00:00.000Z'],
      ],
    )
    await clean(app)
  })

  test('spent points of an undone gift are owed, and expired ones are not taken twice (decision 139)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, env)
    await adjust(app, 'gift', 100)
    await adjust(app, 'till', -30)
    env.now = '2026-07-01T12:00:00.000Z'
    assert.deepEqual([(await show(app)).points, (await show(app)).expired], [0, 70])
    await undo(app, 'gift')
    assert.deepEqual([(await show(app)).points, (await show(app)).expired], [-30, 0])
    await clean(app)
  })

  test('an adjustment that cannot be undone is refused with the reason, and nothing changes (decision 139)', async (t) => {
    const app = await open(t, { now: '2026-05-10T12:00:00.000Z' })
    await adjust(app, 'a-1', 10)
    await undo(app, 'a-1')
    await adjust(app, 'a-2', 5)
    await adjust(app, 'undo:a-2', 1)
    const cases: [id: string, userId: string, status: number, error: string][] = [
      ['a-9', 'u-1', 404, 'player u-1 has no adjustment a-9'],
      ['a-2', 'u-2', 404, 'player u-2 has no adjustment a-2'],
      ['a-2', 'u-9', 404, 'player u-9 not found: send players first'],
      ['undo:a-1', 'u-1', 400, 'adjustment undo:a-1 undoes another one: make a new adjustment instead'],
      ['a-2', 'u-1', 400, 'adjustment undo:a-2 already exists: make a new adjustment instead'],
    ]
    for (const [id, userId, status, error] of cases) {
      const response = await undo(app, id, userId)
      assert.deepEqual([response.status, response.body.error], [status, error])
    }
    const other = await adjust(app, 'undo:a-1', -10, { reason: 'wrong customer' })
    assert.deepEqual([other.status, other.body.path], [400, 'data.id'])
    const blank = await app.ask('POST', '/api/players/u-1/adjustments/a-2/undo', { body: { data: { reason: ' ' } } })
    assert.deepEqual([blank.status, blank.body.path], [400, 'data.reason'])
    assert.equal((await show(app)).points, 6)
    await clean(app)
  })
})
