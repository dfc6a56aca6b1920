import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { act, clean, give, redeem, show } from '../support/redeeming.ts'
import { openServerApp, openTestAppAt, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const program = (more: string) => `name: Two tills
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: []
${more}`
const PAYS = program('redeem: { value: { points: 1, pays: 1 } }')
const MINUTE_MS = 60_000

const publish = async (app: TestApp, source: string, more: object = {}) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source, ...more } } })
  assert.equal(status, 200, text)
}
const paid = (points: number, more: object = {}) =>
  anOrder({ total_amount: 500, products: [], points_redeemed: points, ...more })

/** Two services on one database, whose clocks are so many minutes apart; `clock` is that of the first. */
async function openTwo(t: TestContext, source: string, { now, apart = 0 }: { now: string; apart?: number }) {
  const clock = { ms: Date.parse(now) }
  const first = await openServerApp(t, { now: () => new Date(clock.ms) })
  await publish(first, source)
  await first.upsertPlayers([aPlayer()])
  const second = await openTestAppAt(t, first.databaseUrl, { now: () => new Date(clock.ms + apart * MINUTE_MS) })
  return { clock, first, second, clean: () => clean(first) }
}

test('a hold that one service has seen lapse, and spent beside, is lapsed for one whose clock is 3 minutes behind, too (decision 154)', async (t) => {
  const { clock, first, second, clean } = await openTwo(t, PAYS, { now: '2026-05-10T12:00:00Z', apart: 3 })
  await give(first, 100)
  for (const [id, use] of [
    ['a', () => act(first, 'a', 'confirm')],
    ['b', () => first.record([paid(100, { redemption_id: 'b' })], '?details=true')],
  ] as const) {
    assert.equal((await redeem(first, { id, points: 100, hold: true })).status, 200)
    clock.ms += 12.5 * MINUTE_MS
    assert.equal((await redeem(second, { id: `beside ${id}`, points: 100 })).status, 200)
    const { status, body } = await use()
    assert.ok(status === 409 || body.results?.[0]?.verdict === 'insufficient-points', `${id} is spent twice`)
    assert.deepEqual([(await show(first)).points, (await show(first)).held], [0, 0])
    assert.equal((await act(second, `beside ${id}`, 'void')).status, 200)
    assert.equal((await act(first, id, 'void')).status, 200)
  }
  await clean()
})

test('on both sides of midnight the same points are spent once, those that end at midnight by the one that still has them (decision 139)', async (t) => {
  const { first, second, clean } = await openTwo(
    t,
    PAYS.replace('redeem', 'points: { expire: { after: P12M } }\nredeem'),
    {
      now: '2026-05-10T23:59:00Z',
      apart: 3,
    },
  )
  await give(first, 100)
  await give(first, 40, { expires_on: '2026-05-11' })
  const pay = async (app: TestApp, id: string, points: number) => (await redeem(app, { id, points })).status
  assert.deepEqual([await pay(second, 'late 1', 110), await pay(second, 'late 2', 100)], [409, 200])
  assert.deepEqual([await pay(first, 'early 1', 50), await pay(first, 'early 2', 40)], [409, 200])
  assert.deepEqual([(await show(first)).points, (await show(second)).points], [0, 0])
  await clean()
})

test('what is held at 23:59 is spent at 00:01, confirmed or by its order, though its points ended at midnight (decision 140)', async (t) => {
  const { clock, first, second, clean } = await openTwo(
    t,
    PAYS.replace('redeem', 'points: { expire: { after: P12M } }\nredeem'),
    {
      now: '2026-05-10T23:59:00Z',
    },
  )
  await give(first, 140, { expires_on: '2026-05-11' })
  await redeem(first, { id: 'a', points: 100, hold: true })
  await redeem(first, { id: 'b', points: 40, hold: true })
  clock.ms += 2 * MINUTE_MS
  assert.deepEqual([(await show(second)).points, (await show(second)).held], [0, 140])
  assert.equal((await act(second, 'a', 'confirm')).status, 200)
  assert.equal((await second.record([paid(40, { redemption_id: 'b' })])).body.inserted, 1)
  const { points, expired, booked } = await show(first)
  assert.deepEqual([points, expired, booked], [0, 0, 0])
  await clean()
})

test('an order that is cancelled, placed and cancelled again gives back once, and resends change nothing (decision 139)', async (t) => {
  const { clock, first, second, clean } = await openTwo(t, PAYS, { now: '2026-05-10T12:00:00Z', apart: 3 })
  await give(first, 100)
  await redeem(first, { id: 'a', points: 100, hold: true })
  const placed = paid(100, { redemption_id: 'a' })
  const cancelled = { ...placed, status: 'cancelled' }
  for (const [order, points] of [
    [placed, 0],
    [cancelled, 100],
    [placed, 0],
    [cancelled, 100],
  ] as const) {
    clock.ms += MINUTE_MS
    assert.equal((await first.record([order])).body.skipped, 0)
    for (const app of [second, first, second]) assert.equal((await app.record([order])).body.skipped, 1)
    assert.deepEqual([(await show(first)).points, (await show(second)).held], [points, 0])
  }
  assert.equal((await act(first, 'a', 'confirm')).status, 409)
  assert.equal((await act(first, 'a', 'void')).status, 409)
  await clean()
})

test('a program that changes or loses redeem leaves open holds to be confirmed or voided; an order goes by the version of its moment (decision 154)', async (t) => {
  const { clock, first, second, clean } = await openTwo(t, PAYS, { now: '2026-05-10T12:00:00Z' })
  await give(first, 100)
  for (const [id, points] of [
    ['a', 25],
    ['b', 25],
    ['c', 25],
    ['d', 25],
  ] as const)
    assert.equal((await redeem(first, { id, points, hold: true })).status, 200)
  const ordered_at = new Date(clock.ms).toISOString()
  clock.ms += MINUTE_MS
  await publish(first, program('redeem: { value: { points: 1, pays: 1 }, step: 10 }'))
  await eventually('the other knows the version', async () => {
    const { body } = await second.predict(anOrder({ order_id: 'new' }), '?explain=true')
    return body.explanation.program.version === 3
  })
  const before = paid(25, { redemption_id: 'a', ordered_at })
  assert.equal((await second.record([before])).body.inserted, 1, 'a checkout that began under the version before')
  const { body } = await second.record([paid(25, { order_id: 'o-2', redemption_id: 'b' })], '?details=true')
  assert.equal(body.results[0].error, 'expected a multiple of 10 points')
  assert.equal((await act(second, 'b', 'confirm')).status, 200)
  clock.ms += MINUTE_MS
  await publish(first, program(''))
  await eventually('the other knows the version', async () => {
    const { body } = await second.predict(anOrder({ order_id: 'new' }), '?explain=true')
    return body.explanation.program.version === 4
  })
  assert.deepEqual([(await show(second)).points, (await show(second)).held], [0, 50])
  assert.equal((await redeem(second, { id: 'e', points: 10 })).status, 400)
  assert.equal((await act(second, 'c', 'confirm')).status, 200)
  clock.ms += 20 * MINUTE_MS
  assert.deepEqual([(await show(second)).points, (await show(second)).held], [25, 0])
  assert.equal((await act(second, 'd', 'void')).status, 200)
  assert.equal((await act(second, 'b', 'void')).status, 200)
  assert.equal((await second.record([{ ...before, status: 'cancelled' }])).body.updated, 1)
  assert.deepEqual([(await show(first)).points, (await show(first)).held], [75, 0])
  await clean()
})

test('another time zone moves no day that is stamped: nothing is spent twice, and nothing is lost (decisions 80 and 138)', async (t) => {
  const zoned = (zone: string) =>
    program(`time-zone: ${zone}\npoints: { expire: { after: P12M } }\nredeem: { value: { points: 1, pays: 1 } }`)
  for (const [before, after] of [
    ['Pacific/Kiritimati', 'Etc/GMT+12'],
    ['Etc/GMT+12', 'Pacific/Kiritimati'],
  ] as const) {
    const { clock, first, clean } = await openTwo(t, zoned(before), { now: '2026-05-10T11:00:00Z' })
    await give(first, 100)
    assert.equal((await redeem(first, { id: 'a', points: 30 })).status, 200)
    assert.equal((await redeem(first, { id: 'b', points: 30, hold: true })).status, 200)
    clock.ms += MINUTE_MS
    await publish(first, zoned(after), { change_zone: true })
    assert.deepEqual([(await show(first)).points, (await show(first)).held], [40, 30], after)
    assert.equal((await redeem(first, { id: 'c', points: 50 })).status, 409)
    assert.equal((await redeem(first, { id: 'd', points: 40 })).status, 200)
    assert.equal((await act(first, 'b', 'confirm')).status, 200)
    assert.equal((await show(first)).points, 0)
    assert.equal((await act(first, 'd', 'void')).status, 200)
    assert.equal((await show(first)).points, 40)
    await clean()
  }
})
