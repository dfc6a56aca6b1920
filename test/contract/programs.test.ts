import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishProgram } from '../../src/operations/publish-program.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

const aSource = (points: number, more = '') => `name: Times ${points}   # a comment that stays
rounding: floor
levels:
  counts: lifetime
  ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }]
earn:
  - { name: base, per-amount: { points: ${points}, every: 10 } }
${more}`

const publish = (app: TestApp, data: object) => app.ask('POST', '/api/admin/programs', { body: { data } })
const pointsOf = async (app: TestApp, order: object = {}) =>
  (await app.predict(anOrder({ total_amount: 100, ...order }))).body.total_points

forEachService((openTestApp, driver) => {
  test('a published program holds from its moment on, at once in the service that published it', async (t) => {
    const now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    assert.equal(await pointsOf(app), 10)
    assert.deepEqual((await publish(app, { source: aSource(2) })).body, {
      version: 2,
      name: 'Times 2',
      from: '2026-06-01T12:00:00.000Z',
    })
    assert.equal(await pointsOf(app), 20)
    await publish(app, { source: aSource(3), from: '2026-06-01T12:03:00Z', note: 'from noon on' })
    assert.equal(await pointsOf(app), 20)
    assert.equal(await pointsOf(app, { ordered_at: '2026-06-01T12:03:00Z' }), 30)
    assert.equal(await pointsOf(app, { ordered_at: '2026-06-01T11:59:59Z' }), 10)
    const { body } = await app.ask('GET', '/api/admin/programs')
    assert.deepEqual(
      body.programs.map((one: Record<string, unknown>) => [one.version, one.holds_from, one.holds_now, one.note]),
      [
        [1, '-infinity', false, 'the program of a new database'],
        [2, '2026-06-01T12:00:00.000Z', true, ''],
        [3, '2026-06-01T12:03:00.000Z', false, 'from noon on'],
      ],
    )
    assert.equal((await app.ask('GET', '/api/admin/programs/3')).body.source, aSource(3))
    assert.equal((await app.ask('GET', '/api/admin/programs/current')).body.version, 2)
    assert.equal((await app.ask('GET', '/api/admin/programs/9')).status, 404)
  })

  test('publications at the same time get versions of their own', async (t) => {
    const app = await openTestApp(t)
    const replies = await Promise.all([2, 3, 4, 5].map((points) => publish(app, { source: aSource(points) })))
    assert.deepEqual(replies.map(({ body }) => body.version).sort(), [2, 3, 4, 5])
  })

  test('conditions decide by what is stored of the player', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ State: 'Kerala', DOB: '31-01-1990' })])
    const more = ['player.state == "Kerala"', 'player.age >= 30', 'player.gender == "male"', 'player.known'].map(
      (when, index) => `  - { name: rule-${index}, when: '${when}', fixed: { points: ${10 ** index} } }\n`,
    )
    await publish(app, { source: aSource(1, more.join('')) })
    assert.equal(await pointsOf(app, { total_amount: 0 }), 1011)
    assert.equal(await pointsOf(app, { total_amount: 0, user_id: 'nobody' }), 0)
  })

  if (driver === 'postgres') {
    test('what another process publishes is known within a second', async (t) => {
      const app = await openTestApp(t)
      const { db, now } = app.service.deps
      await publishProgram(
        { db, now, observe: () => undefined },
        { source: aSource(7) },
        'another',
        performance.now() + 5_000,
      )
      await sleep(950)
      assert.equal(await pointsOf(app), 70)
    })
  }
})

test('a program with faults is not published, and the first fault is named with its line', async (t) => {
  const app = await openTestApp(t)
  const cases: [unknown, RegExp][] = [
    [aSource(-1), /line 7, earn\[0\]\.per-amount\.points: expected a number above 0/],
    [aSource(1, '  - { name: x, when: "order.nett > 1", fixed: { points: 1 } }'), /line 8, earn\[1\]\.when: .*nett/],
    [`${aSource(0)}surplus: 1`, /and 1 more$/],
    ['name: [', /line 1/],
    ['', /line 1/],
    ['x'.repeat(200_001), /at most 200000 characters/],
    [5, /expected the text of a program/],
  ]
  for (const [source, error] of cases) {
    const { status, body } = await publish(app, { source })
    assert.deepEqual([status, body.path], [400, 'data.source'])
    assert.match(body.error, error)
  }
  assert.equal((await publish(app, { source: aSource(1), from: 'soon' })).body.path, 'data.from')
  assert.equal((await app.ask('GET', '/api/admin/programs')).body.programs.length, 1)
})
