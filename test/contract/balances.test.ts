import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const program = (more: string) => `name: With days
time-zone: Asia/Kolkata
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
referral: { friend: 5, referrer: 7 }
${more}`

const PENDING_AND_EXPIRING = 'points: { pending: { days: 14 }, expire: { after: P12M, at-end-of: month } }'

const publish = (app: TestApp, source: string, from?: string) =>
  app.ask('POST', '/api/admin/programs', { body: { data: { source, from } } })
const show = async (app: TestApp, query = '', userId = 'u-1') =>
  (await app.ask('GET', `/api/players/${userId}${query}`)).body
const adjust = (app: TestApp, data: object, userId = 'u-1') =>
  app.ask('POST', `/api/players/${userId}/adjustments`, {
    body: { data: { id: 'a', counts: false, reason: 'r', ...data } },
  })
const balance = async (app: TestApp, query = '', userId = 'u-1') => {
  const { points, pending, expired, booked } = await show(app, query, userId)
  return [points, pending, expired, booked]
}

forEachService((openTestApp) => {
  test('points become usable and expire by the calendar alone, without any entry (decision 138)', async (t) => {
    let now = '2026-05-20T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program(PENDING_AND_EXPIRING))
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'RAVI' })])
    // Already the 21st in Kolkata.
    now = '2026-05-20T20:00:00.000Z'
    await app.record([anOrder({ refferral_code: 'RAVI' })])
    const waiting = await show(app)
    const lot = { usable_on: '2026-06-04', expires_on: '2027-07-01' }
    assert.deepEqual(
      [waiting.points, waiting.pending, waiting.held, waiting.expired, waiting.booked, waiting.next_expiry],
      [0, 125, 0, 0, 125, null],
    )
    assert.deepEqual(waiting.lots, [{ points: 125, ...lot }])
    assert.deepEqual(
      [waiting.earned, waiting.level],
      [125, 'Bronze'],
      'points count towards the level at the time of the order',
    )
    const { usable_on, expires_on } = waiting.entries[0]
    assert.deepEqual({ usable_on, expires_on }, lot)
    assert.deepEqual(
      await balance(app, '', 'u-2'),
      [0, 7, 0, 7],
      'the points of the referrer are pending as long as those of the friend',
    )
    now = '2026-06-03T18:29:59.999Z'
    assert.deepEqual(await balance(app), [0, 125, 0, 125])
    now = '2026-06-03T18:30:00.000Z'
    const usable = await show(app)
    assert.deepEqual(usable.lots, [{ points: 125, expires_on: '2027-07-01' }])
    assert.deepEqual(usable.next_expiry, { points: 125, on: '2027-07-01' })
    assert.deepEqual(await balance(app), [125, 0, 0, 125])
    now = '2027-06-30T18:30:00.000Z'
    assert.deepEqual(await balance(app), [0, 0, 125, 125])
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
    const moveDays = "update entries set expires_on = expires_on - 1 where user_id = 'u-1'"
    await app.service.db.transaction((tx) => tx.script(moveDays), performance.now() + 60_000)
    const { differences } = await verifyLedger(app.service.db, () => undefined)
    assert.deepEqual(differences, [
      'account of u-1: the movements that it keeps are not those that its entries give',
      'order o-1 of u-1: stored with the dates 2026-06-04 to 2027-06-30, its program gives 2026-06-04 to 2027-07-01',
    ])
  })

  test('points usable on the first of a month expire with those of its other days, and orders recorded before that rule keep their days (decision 220)', async (t) => {
    let now = '2026-06-01T06:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    const { db } = app.service
    const run = (sql: string) => db.transaction((tx) => tx.script(sql), performance.now() + 60_000)
    const differences = async () => (await verifyLedger(db, () => undefined)).differences
    await publish(app, program('').replace('referral: { friend: 5, referrer: 7 }', ''), '2026-01-01T00:00:00Z')
    await publish(app, program('points: { expire: { after: P12M, at-end-of: month } }'))
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: 'RAVI' })])
    await app.record([anOrder({ refferral_code: 'RAVI' }), anOrder({ order_id: 'o-2', total_amount: 100 })])
    assert.deepEqual((await show(app)).lots, [{ points: 135, expires_on: '2027-07-01' }])
    // As the code before this rule recorded it: that kept no movements.
    await run(`
      update accounts set movements = null, movements_rev = null;
      update entries set expires_on = '2027-06-01' where order_id = 'o-1';
      update orders set facts = (facts::jsonb - 'rounds_first_days')::json where order_id = 'o-1'`)
    assert.deepEqual(await differences(), [])
    now = '2026-06-02T06:00:00.000Z'
    const again = await app.record([anOrder({ refferral_code: 'RAVI', total_amount: 700 })])
    assert.deepEqual(again.body.updated, 1, again.text)
    const lots = [
      { points: 75, expires_on: '2027-06-01' },
      { points: 10, expires_on: '2027-07-01' },
    ]
    assert.deepEqual((await show(app)).lots, lots)
    assert.deepEqual(await differences(), [])
    await run(`
      update accounts set movements = null, movements_rev = null;
      update entries set expires_on = '2027-06-01' where order_id = 'o-2'`)
    assert.deepEqual(await differences(), [
      'order o-2 of u-1: stored with the dates 2026-06-01 to 2027-06-01, its program gives 2026-06-01 to 2027-07-01',
    ])
  })

  test('if points have dates, a program with another time zone is published only on explicit request (decision 80)', async (t) => {
    const app = await openTestApp(t)
    await publish(app, program('').replace('Asia/Kolkata', 'Europe/Paris'))
    assert.equal((await publish(app, program(PENDING_AND_EXPIRING))).status, 200)
    const other = program('').replace('Asia/Kolkata', 'Europe/Paris')
    const { status, body } = await publish(app, other)
    assert.deepEqual([status, body.path], [400, 'data.source'])
    assert.match(body.error, /^time-zone: expected Asia\/Kolkata, got Europe\/Paris: /)
    assert.equal((await publish(app, program('').replace('floor', 'ceil'))).status, 200)
    const changed = await app.ask('POST', '/api/admin/programs', {
      body: { data: { source: other, change_zone: true } },
    })
    assert.equal(changed.status, 200)
  })

  test('a returned order takes back its own points: expired ones are not taken twice, spent ones are owed (decision 138)', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program('points: { expire: { after: P1M } }'))
    await app.upsertPlayers([aPlayer()])
    const first = anOrder({ order_id: 'o-1' })
    const second = anOrder({ order_id: 'o-2', total_amount: 2000 })
    await app.record([first])
    now = '2026-02-01T12:00:00.000Z'
    await app.record([second])
    now = '2026-02-12T12:00:00.000Z'
    assert.deepEqual(await balance(app), [200, 0, 120, 320])
    await app.record([{ ...first, status: 'returned' }])
    assert.deepEqual(await balance(app), [200, 0, 0, 200])
    await adjust(app, { id: 'spent', points: -150 })
    await app.record([{ ...second, status: 'returned' }])
    assert.deepEqual(await balance(app), [-150, 0, 0, -150])
    await app.record([anOrder({ order_id: 'o-3' })])
    assert.deepEqual(await balance(app), [-30, 0, 0, -30])
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('points that are pending until the order is fulfilled follow its state', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program('points: { pending: { days: 3, after: fulfilled } }'))
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    now = '2026-02-10T12:00:00.000Z'
    assert.deepEqual((await show(app)).lots, [{ points: 120, usable_on: null, expires_on: null }])
    const fulfilled = anOrder({ fulfilled_at: '2026-02-09T12:00:00.000Z' })
    assert.equal((await app.record([fulfilled])).body.updated, 1)
    assert.deepEqual((await show(app)).lots, [{ points: 120, usable_on: '2026-02-12', expires_on: null }])
    assert.equal(
      (await app.record([anOrder()])).body.skipped,
      1,
      'a fulfilled order stays so if a state does not mention it',
    )
    now = '2026-02-12T12:00:00.000Z'
    assert.deepEqual(await balance(app), [120, 0, 0, 120])
    const { entries } = await show(app)
    assert.deepEqual(
      entries.map(({ points, usable_on }: Record<string, unknown>) => [points, usable_on]),
      [
        [120, '2026-02-12'],
        [-120, null],
        [120, null],
      ],
    )
    const { body } = await app.record([anOrder({ fulfilled_at: '2026-02-12T12:06:00.000Z' })], '?details=true')
    assert.equal(body.results[0].path, 'data[0].fulfilled_at')
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('an order that was final before its ordered_at is recorded and returned like any other, and its points wait from then (decision 138)', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program('points: { pending: { days: 3, after: fulfilled }, expire: { after: P1M } }'))
    await app.upsertPlayers([aPlayer()])
    now = '2026-02-10T12:00:00.000Z'
    // Paid on the day before the order was invoiced.
    const prepaid = anOrder({ ordered_at: '2026-02-10T11:00:00.000Z', fulfilled_at: '2026-02-09T11:00:00.000Z' })
    assert.equal((await app.record([prepaid])).body.inserted, 1)
    assert.deepEqual((await show(app)).lots, [{ points: 120, usable_on: '2026-02-12', expires_on: '2026-03-12' }])
    assert.equal((await app.record([prepaid])).body.skipped, 1)
    assert.equal((await app.record([{ ...prepaid, status: 'returned' }])).body.updated, 1)
    assert.deepEqual([(await show(app)).lots, (await show(app)).booked], [[], 0])
    // The time of a computer that has none: the points expired long ago.
    await app.record([anOrder({ order_id: 'o-2', fulfilled_at: '1970-01-01T00:00:00.000Z' })])
    assert.deepEqual(await balance(app), [0, 0, 120, 120])
    await app.record([anOrder({ order_id: 'o-2', fulfilled_at: '2026-02-10T12:00:00.000Z' })])
    assert.deepEqual(await balance(app), [0, 120, 0, 120])
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('an order extends points that expire after inactivity, even if it is returned', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program('points: { expire: { inactive: P2M } }'))
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    now = '2026-03-01T12:00:00.000Z'
    await app.record([anOrder({ order_id: 'o-2' })])
    await app.record([anOrder({ order_id: 'o-2', status: 'returned' })])
    now = '2026-04-30T12:00:00.000Z'
    assert.deepEqual((await show(app)).next_expiry, { points: 120, on: '2026-05-01' })
    now = '2026-05-01T12:00:00.000Z'
    assert.deepEqual(await balance(app), [0, 0, 120, 120])
  })

  test('a version assigns earlier points an expiry, and later versions do not change it', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    assert.equal('lots' in (await show(app)), false, 'answers of a shop without dates are unchanged')
    const ending = program('points: { expire: { after: P12M }, earlier-points: P6M }')
    now = '2026-02-01T12:00:00.000Z'
    await publish(app, ending)
    assert.deepEqual((await show(app)).lots, [{ points: 120, expires_on: '2026-08-01' }])
    now = '2026-03-01T12:00:00.000Z'
    await publish(app, ending)
    assert.deepEqual((await show(app)).lots, [{ points: 120, expires_on: '2026-08-01' }])
    now = '2026-08-01T12:00:00.000Z'
    assert.deepEqual(await balance(app), [0, 0, 120, 120])
  })

  test('a balance can be asked as of a day, and as known at a given time (decision 138)', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await publish(app, program(PENDING_AND_EXPIRING))
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    now = '2026-02-10T12:00:00.000Z'
    await app.record([anOrder({ order_id: 'late', total_amount: 50, ordered_at: '2026-01-09T12:00:00.000Z' })])
    await adjust(app, { points: -20 })
    assert.deepEqual(await balance(app), [105, 0, 0, 105])
    assert.deepEqual(await balance(app, '?at=2026-02-09'), [125, 0, 0, 125], 'the spending had not happened')
    assert.deepEqual(await balance(app, '?at=2026-01-23'), [5, 120, 0, 125])
    assert.deepEqual(await balance(app, '?at=2026-01-08'), [0, 0, 0, 0])
    assert.deepEqual(
      await balance(app, '?at=2027-02-01'),
      [5, 0, 100, 105],
      'the late order falls under the previous version',
    )
    const known = '?known_at=2026-02-01T00:00:00Z'
    assert.equal((await show(app, known)).as_of, '2026-02-01T00:00:00.000Z')
    assert.deepEqual(await balance(app, known), [120, 0, 0, 120], 'the late order was not known')
    assert.deepEqual(await balance(app, `${known}&at=2026-01-23`), [0, 120, 0, 120])
    const first = await show(app, `${known}&at=2026-01-23`)
    await app.record([anOrder({ order_id: 'later' })])
    const { points, pending, expired, lots } = await show(app, `${known}&at=2026-01-23`)
    assert.deepEqual([points, pending, expired, lots], [first.points, first.pending, first.expired, first.lots])
    for (const query of ['at=2026-02-30', 'at=today', 'known_at=2026-02-10T11:56:00Z', 'known_at=yesterday'])
      assert.equal((await show(app, `?${query}`)).path, `query.${query.split('=')[0]}`)
  })

  test('a balance as known at a given time ignores versions published or withdrawn later (decision 138)', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder()])
    const ends = program('points: { expire: { after: P12M }, earlier-points: P1M }')
    now = '2026-02-01T12:00:00.000Z'
    const { body } = await publish(app, ends, '2026-04-01T00:00:00.000Z')
    const asked = (knownAt: string) => show(app, `?at=2026-06-01&known_at=${knownAt}`)
    const ofBefore = '2026-01-20T00:00:00.000Z'
    const ofThen = '2026-02-10T00:00:00.000Z'
    now = '2026-02-20T12:00:00.000Z'
    const lives = { points: 120, expired: 0 }
    const ended = { points: 0, expired: 120 }
    const balanceAt = async (knownAt: string) => {
      const { points, expired } = await asked(knownAt)
      return { points, expired }
    }
    assert.deepEqual([await balanceAt(ofBefore), await balanceAt(ofThen)], [lives, ended])
    assert.equal(
      (await app.ask('POST', `/api/admin/programs/${body.version}/withdraw`, { body: { data: {} } })).status,
      200,
    )
    now = '2026-02-25T12:00:00.000Z'
    const ofNow = '2026-02-22T00:00:00.000Z'
    assert.deepEqual(
      [await balanceAt(ofBefore), await balanceAt(ofThen), await balanceAt(ofNow)],
      [lives, ended, lives],
    )
  })

  test('an adjustment can set the dates of its points; otherwise the program does (decision 138)', async (t) => {
    let now = '2026-01-10T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    await app.upsertPlayers([aPlayer()])
    const named = { id: 'g', points: 100, usable_on: '2026-02-01', expires_on: '2026-03-01' }
    assert.equal((await adjust(app, named)).body.path, 'data.usable_on', 'no program gives points dates')
    await publish(app, program(PENDING_AND_EXPIRING))
    const { body } = await adjust(app, named)
    assert.deepEqual(body.lots, [{ points: 100, usable_on: '2026-02-01', expires_on: '2026-03-01' }])
    await adjust(app, { id: 'now', points: 5 })
    now = '2026-01-11T12:00:00.000Z'
    assert.deepEqual((await adjust(app, named)).body.repeated, true)
    assert.deepEqual((await adjust(app, { id: 'now', points: 5 })).body.repeated, true)
    assert.deepEqual((await adjust(app, { ...named, expires_on: '2026-03-02' })).body.path, 'data.id')
    assert.deepEqual((await show(app)).lots, [
      { points: 5, expires_on: '2027-02-01' },
      { points: 100, usable_on: '2026-02-01', expires_on: '2026-03-01' },
    ])
    const wrong: [object, string][] = [
      [{ usable_on: '2026-02-30' }, 'data.usable_on'],
      [{ expires_on: 'never' }, 'data.expires_on'],
      [{ usable_on: '2026-03-01', expires_on: '2026-03-01' }, 'data.expires_on'],
      [{ expires_on: '2026-01-11' }, 'data.expires_on'],
      [{ points: -1, expires_on: '2026-03-01' }, 'data.expires_on'],
    ]
    for (const [more, path] of wrong)
      assert.equal((await adjust(app, { id: 'w', points: 1, ...more })).body.path, path, JSON.stringify(more))
    const lots = [
      { user_id: 'u-1', id: 'l-1', points: 30, counts: false, reason: 'moved in', expires_on: '2026-06-01' },
      { user_id: 'u-1', id: 'l-2', points: 40, counts: false, reason: 'moved in', expires_on: '2026-09-01' },
    ]
    const brought = (query: string) => app.ask('POST', `/api/admin/balances${query}`, { body: { data: lots } })
    assert.deepEqual((await brought('?dry_run=true')).body.inserted, 2)
    assert.deepEqual((await brought('')).body.inserted, 2)
    assert.deepEqual((await brought('')).body.skipped, 2)
    assert.deepEqual(await balance(app), [75, 100, 0, 175])
    assert.deepEqual((await show(app)).next_expiry, { points: 30, on: '2026-06-01' })
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })

  test('what an account shows has all its digits, also where a sum exceeds 2^53-1 (decision 20)', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-01-10T12:00:00.000Z') })
    await app.upsertPlayers([aPlayer()])
    const published = await publish(app, program(`${PENDING_AND_EXPIRING}\nredeem: { value: { points: 1, pays: 1 } }`))
    assert.equal(published.status, 200, published.text)
    const waiting = { counts: true, usable_on: '2026-02-01', expires_on: '2026-03-01' }
    await adjust(app, { ...waiting, id: 'a', points: '9007199254740991' })
    await adjust(app, { id: 'b', points: '-9007199254740991' })
    const { text } = await adjust(app, { ...waiting, id: 'c', points: '9007199254740990', counts: false })
    const sums = ['"points":-9007199254740991', '"pending":18014398509481981', '"lots":[{"points":18014398509481981,']
    for (const sum of sums) assert(text.includes(sum), text)
    const ask = async (method: string, path: string, data?: unknown) =>
      (await app.ask(method, path, data === undefined ? {} : { body: { data } })).text
    assert((await ask('GET', '/api/players/u-1')).includes(sums[1]!))
    const predicted = { available: '-9007199254740991', pending: '18014398509481981', held: '0' }
    const before = `"before":${JSON.stringify(predicted).replaceAll(/"(-?\d+)"/g, '$1')}`
    const order = anOrder({ total_amount: 0 })
    const [prediction, simulation] = [
      await ask('POST', '/api/predictions/orders?explain=true', order),
      await ask('POST', '/api/admin/simulations', { order }),
    ]
    assert(prediction.includes(before), prediction)
    assert(simulation.includes(before), simulation)
    await adjust(app, { id: 'd', points: '-9007199254740990' })
    const refused = await ask('POST', '/api/players/u-1/redemptions', { id: 'r', points: 1, hold: true, reason: 'r' })
    assert.match(refused, /"available":-18014398509481981\}/)
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })
})
