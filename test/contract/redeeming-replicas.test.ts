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

/** Two services on one database; the clock of the second is `apart` minutes ahead of `clock`, that of the first. */
async function openTwo(t: TestContext, source: string, { now, apart = 0 }: { now: string; apart?: number }) {
  const clock = { ms: Date.parse(now) }
  const first = await openServerApp(t, { now: () => new Date(clock.ms) })
  await publish(first, source)
  await first.upsertPlayers([aPlayer()])
  const second = await openTestAppAt(t, first.databaseUrl, { now: () => new Date(clock.ms + apart * MINUTE_MS) })
  return { clock, first, second, clean: () => clean(first) }
}

test('a hold that one service has seen lapse is lapsed for a service whose clock is 3 minutes behind, too (decision 154)', async (t) => {
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

test('two services on either side of midnight spend the same points once; points that expire at midnight only before it (decision 139)', async (t) => {
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

test('points held at 23:59 can be spent at 00:01, confirmed or by an order, though they expired at midnight (decision 139)', async (t) => {
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

test('an order that is cancelled, placed and cancelled again gives points back once each time, and resending changes nothing (decision 139)', async (t) => {
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

test('open holds can be confirmed or voided after a program changes or drops redeem; an order follows the version of its time (decision 154)', async (t) => {
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
  await eventually('the other service has the version', async () => {
    const { body } = await second.predict(anOrder({ order_id: 'new' }), '?explain=true')
    return body.explanation.program.version === 3
  })
  const before = paid(25, { redemption_id: 'a', ordered_at })
  assert.equal((await second.record([before])).body.inserted, 1, 'a checkout that began under the previous version')
  const { body } = await second.record([paid(25, { order_id: 'o-2', redemption_id: 'b' })], '?details=true')
  assert.equal(body.results[0].error, 'expected a multiple of 10 points')
  assert.equal((await act(second, 'b', 'confirm')).status, 200)
  clock.ms += MINUTE_MS
  await publish(first, program(''))
  await eventually('the other service has the version', async () => {
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

test('another time zone changes no stored day: nothing is spent twice, and nothing is lost (decisions 80 and 138)', async (t) => {
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
