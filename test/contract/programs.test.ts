import assert from 'node:assert/strict'
import test from 'node:test'
import { publishProgram, readPublication, withdrawProgram } from '../../src/resources/programs/service.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'
import { withinASecond } from '../support/waiting.ts'

const aSource = (points: number, more = '') => `name: Times ${points}   # a comment that stays
rounding: floor
levels:
  counts: lifetime
  ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }]
earn:
  - { name: base, per-amount: { points: ${points}, every: 10 } }
${more}`

const publish = (app: TestApp, data: object) => app.ask('POST', '/api/admin/programs', { body: { data } })
const withdraw = async (app: TestApp, version: number | string) => {
  const { status, body } = await app.ask('POST', `/api/admin/programs/${version}/withdraw`)
  return { status, body }
}
const pointsOf = async (app: TestApp, order: object = {}) =>
  (await app.predict(anOrder({ total_amount: 100, ...order }))).body.total_points

forEachService((openTestApp, driver) => {
  test('a published program takes effect at its time, and without delay in the publishing service', async (t) => {
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
      body.programs.map((one: Record<string, unknown>) => [
        one.version,
        one.effective_from,
        one.is_effective,
        one.note,
      ]),
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

  test('concurrent publications get distinct versions', async (t) => {
    const app = await openTestApp(t)
    const replies = await Promise.all([2, 3, 4, 5].map((points) => publish(app, { source: aSource(points) })))
    assert.deepEqual(replies.map(({ body }) => body.version).sort(), [2, 3, 4, 5])
  })

  test('conditions use the stored player record', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ State: 'Kerala', DOB: '31-01-1990' })])
    const more = ['player.state == "Kerala"', 'player.age >= 30', 'player.gender == "male"', 'player.known'].map(
      (when, index) => `  - { name: rule-${index}, when: '${when}', fixed: { points: ${10 ** index} } }\n`,
    )
    await publish(app, { source: aSource(1, more.join('')) })
    assert.equal(await pointsOf(app, { total_amount: 0 }), 1011)
    assert.equal(await pointsOf(app, { total_amount: 0, user_id: 'nobody' }), 0)
  })

  test('a program may take effect in the past if no recorded order is at or after that time', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
    await app.upsertPlayers([aPlayer()])
    assert.equal((await publish(app, { source: aSource(2), from: '2026-01-01T00:00:00Z' })).status, 200)
    assert.equal(await pointsOf(app, { ordered_at: '2026-01-01T00:00:00Z' }), 20)
    await app.record([anOrder({ order_id: 'o-march', ordered_at: '2026-03-01T10:00:00+01:00' })])
    await app.record([anOrder({ order_id: 'o-may', ordered_at: '2026-05-01T10:00:00Z', status: 'cancelled' })])
    for (const from of ['2026-02-01T00:00:00Z', '2026-05-01T10:00:00Z']) {
      const { status, body } = await publish(app, { source: aSource(3), from })
      assert.deepEqual(
        [status, body],
        [
          400,
          {
            path: 'data.from',
            error:
              'expected a time in the future, or after every recorded order: order o-may was placed at 2026-05-01T10:00:00.000Z',
          },
        ],
      )
    }
    const { body } = await publish(app, { source: aSource(3), from: '2026-05-01T10:00:00.001Z' })
    assert.deepEqual([body.version, await pointsOf(app)], [3, 30])
    // Orders may be slightly in the future. A program that takes effect now is never refused for that.
    await app.record([anOrder({ order_id: 'o-ahead', ordered_at: '2026-06-01T12:04:00Z' })])
    assert.equal((await publish(app, { source: aSource(4) })).status, 200)
    assert.equal((await publish(app, { source: aSource(5), from: '2026-06-01T12:00:00Z' })).status, 200)
    assert.equal(await pointsOf(app), 50)
  })

  test('a version can be withdrawn before it takes effect: it stays listed, never takes effect, and its number is not reused', async (t) => {
    let now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    await publish(app, { source: aSource(2), from: '2026-06-01T12:03:00Z' })
    await publish(app, { source: aSource(3), from: '2026-06-01T12:03:00Z' })
    const later = { ordered_at: '2026-06-01T12:03:00Z' }
    assert.equal(await pointsOf(app, later), 30)
    for (let times = 0; times < 2; times += 1)
      assert.deepEqual(await withdraw(app, 3), { status: 200, body: { withdrawn: 3 } })
    assert.equal(await pointsOf(app, later), 20)
    await withdraw(app, 2)
    assert.equal(await pointsOf(app, later), 10)
    assert.equal((await publish(app, { source: aSource(4), from: '2026-06-01T12:04:00Z' })).body.version, 4)
    now = new Date('2026-06-01T13:00:00Z')
    assert.deepEqual((await withdraw(app, 3)).status, 200)
    const { programs } = (await app.ask('GET', '/api/admin/programs')).body
    const withdrawnAt = '2026-06-01T12:00:00.000Z'
    assert.deepEqual(
      programs.map((one: Record<string, unknown>) => [one.version, one.is_effective, one.withdrawn_at]),
      [
        [1, false, null],
        [2, false, withdrawnAt],
        [3, false, withdrawnAt],
        [4, true, null],
      ],
    )
    const { body } = await app.ask('GET', '/api/admin/programs/3')
    assert.deepEqual([body.source, body.withdrawn_at], [aSource(3), withdrawnAt])
    assert.match(body.withdrawn_by, /^[0-9a-f]{12}$/)
    const withdrawals = app.observations.filter(({ kind }) => kind === 'program-withdrawn')
    assert.deepEqual(
      withdrawals.map((one) => 'version' in one && one.version),
      [3, 2],
    )
  })

  test('a version cannot be withdrawn if it is or was in effect, has orders, or does not exist', async (t) => {
    let now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    await app.upsertPlayers([aPlayer()])
    await publish(app, { source: aSource(2), from: '2026-06-01T12:02:00Z' })
    await app.record([anOrder({ ordered_at: '2026-06-01T12:02:00Z' })])
    const refused = (why: string) => ({
      status: 400,
      body: { path: 'version', error: `expected a version not yet in effect: ${why}` },
    })
    assert.deepEqual(
      await withdraw(app, 2),
      refused('order o-1 was placed under this one, at 2026-06-01T12:02:00.000Z'),
    )
    assert.deepEqual(await withdraw(app, 1), refused('this one has been in effect from the beginning'))
    now = new Date('2026-06-01T12:02:00Z')
    assert.deepEqual(await withdraw(app, 2), refused('this one has been in effect since 2026-06-01T12:02:00.000Z'))
    for (const none of ['3', '0', '02', '-1', 'current', 'x'.repeat(100)]) {
      const { status, body } = await withdraw(app, none)
      assert.equal(status, 404, none)
      assert.match(body.error, /^program version .* not found$/)
    }
    assert.equal(await pointsOf(app), 20)
  })

  test('an order keeps the program it was recorded under, even if that is withdrawn', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
    await app.upsertPlayers([aPlayer()])
    await publish(app, { source: aSource(2), from: '2026-06-01T12:02:00Z' })
    const order = { total_amount: 100, ordered_at: '2026-06-01T12:02:00Z' }
    await app.record([anOrder(order)])
    await app.record([anOrder({ ...order, ordered_at: '2026-06-01T12:00:00Z' })])
    assert.equal((await withdraw(app, 2)).status, 200)
    assert.equal(await pointsOf(app, { total_amount: 300 }), 60)
    assert.equal(await pointsOf(app, { order_id: 'o-2', ordered_at: '2026-06-01T12:02:00Z' }), 10)
  })

  test('concurrent withdrawals and publications all succeed', async (t) => {
    const app = await openTestApp(t)
    await publish(app, { source: aSource(2), from: '2099-01-01T00:00:00Z' })
    const replies = await Promise.all([
      withdraw(app, 2),
      publish(app, { source: aSource(3) }),
      withdraw(app, 2),
      publish(app, { source: aSource(4), from: '2099-01-01T00:00:00Z' }),
    ])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const { programs } = (await app.ask('GET', '/api/admin/programs')).body
    assert.deepEqual(
      programs.map((one: Record<string, unknown>) => [one.version, one.withdrawn_at !== null]),
      [
        [1, false],
        [2, true],
        [3, false],
        [4, false],
      ],
    )
  })

  if (driver === 'postgres') {
    test('publications and withdrawals by another process take effect within a second', async (t) => {
      const app = await openTestApp(t)
      const { db } = app.service.deps
      const another = { db, now: () => new Date('2026-01-01T00:00:00Z'), observe: () => undefined }
      const soon = () => performance.now() + 5_000
      await publishProgram(
        another,
        readPublication({ source: aSource(7), from: '2026-02-01T00:00:00Z' }),
        'another',
        soon(),
      )
      await withinASecond('it is in effect', async () => (await pointsOf(app)) === 70)
      await withdrawProgram(another, '2', 'another', soon())
      await withinASecond('it is no longer in effect', async () => (await pointsOf(app)) === 10)
    })
  }
})

test('a program with faults is not published, and the first fault is reported with its line', async (t) => {
  const app = await openTestApp(t)
  const cases: [unknown, RegExp][] = [
    [aSource(-1), /line 7, column 41, earn\[0\]\.per-amount\.points: expected a number greater than 0/],
    [
      aSource(1, '  - { name: x, when: "order.nett > 1", fixed: { points: 1 } }'),
      /line 8, column 29, earn\[1\]\.when: .*did you mean net\?; see docs\/program-reference\.md#conditions$/,
    ],
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

test('a program text made to be slow is refused with the limit it exceeds, while predictions are answered (decision 117)', async (t) => {
  const app = await openTestApp(t)
  const lengthMax = 195_000
  const keys = Array.from({ length: 16_000 }, (_, index) => `key-${index}`)
  const deep = (open: string) => open.repeat(Math.floor(lengthMax / open.length))
  const costly =
    'order.lines.exists(l, l.sku == line.sku || l.qty > line.qty || l.amount > line.amount || l.price > line.price || l.known)'
  const hostile: [source: string, bound: RegExp][] = [
    [keys.map((key) => `${key}: 1\n`).join(''), /at most 1000 entries/],
    [`{${keys.join(',')}}`, /at most 1000 entries/],
    [`[${deep(',')}`, /at most 50000 YAML tokens/],
    [deep('"'), /at most 50000 YAML tokens/],
    [deep('['), /at most 30 levels/],
    [deep('{a: '), /at most 30 levels/],
    [deep('- '), /at most 30 levels/],
    [aSource(1, `  - { name: costly, fixed: { points: 1 }, when: '${costly}' }\n`), /at most 25000000 steps/],
  ]
  for (const [source, bound] of hostile) {
    const [refused, ...predicted] = await Promise.all([
      publish(app, { source }),
      ...Array.from({ length: 10 }, () => app.predict(anOrder())),
    ])
    assert.equal(refused.status, 400, source.slice(0, 20))
    assert.equal(refused.body.path, 'data.source')
    assert.match(refused.body.error, bound)
    assert.deepEqual(
      predicted.map(({ status }) => status),
      Array(10).fill(200),
    )
  }
})
