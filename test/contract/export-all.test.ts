/*
 * An export of everything, imported into an empty database: the same answers about every player on every day.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Db } from '../../src/database/db/transaction.ts'
import { OperatorError } from '../../src/errors.ts'
import { withExportText } from '../../src/resources/exports/export-records.ts'
import { importAll } from '../../src/resources/exports/import-all.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachDatabase, openTestPglite, openTestPostgres } from '../support/databases.ts'
import { history, openWorlds, sourceOf, take } from '../support/histories.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { pointSteps, takePointStep } from '../support/point-histories.ts'
import { openAppOn, type TestApp } from '../support/test-app.ts'

const DAY_MS = 86_400_000

async function exported(db: Db): Promise<string> {
  let text = ''
  await withExportText(db, { noun: 'all', format: 'ndjson', onRows: () => undefined }, async (parts) => {
    for await (const part of parts) text += part
  })
  return text
}

/** In chunks that end within records and characters of more than one byte. */
async function* inChunks(text: string, size = 1_000): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const imported = (db: Db, text: string) => importAll(db, inChunks(text), () => undefined)

/** What the service answers about all players: their entries, redemptions and orders, and their balances on each of these days. */
async function answers(app: TestApp, days: readonly string[]): Promise<string[]> {
  const texts: string[] = []
  const add = async (path: string) => texts.push((await app.ask('GET', path)).text)
  for (const { user_id } of await app.query('select user_id from players order by user_id')) {
    const own = `/api/players/${encodeURIComponent(String(user_id))}`
    await add(`${own}?limit=1000&explain=true`)
    await add(`${own}/redemptions`)
    for (const day of days) await add(`${own}?limit=1&at=${day}`)
  }
  for (const { order_id } of await app.query('select order_id from orders order by order_id'))
    await add(`/api/admin/orders/${encodeURIComponent(String(order_id))}?explain=true`)
  return texts
}

const POINTS = (months: number, earn: string, expire: string, more = '') => `
name: Points
time-zone: Asia/Kolkata
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 100 }] }
earn: [{ name: base, per-amount: { points: ${earn}, every: 10 } }]
points: { pending: { days: ${months} }, expire: { ${expire} }${more} }
redeem: { value: { points: 1, pays: 1 }, given-back: P1M }
`

const VERSIONS = [
  POINTS(2, '1', 'after: P3M'),
  POINTS(3, '2.5', 'inactive: P25D'),
  POINTS(4, '3', 'after: P2M, at-end-of: month', ', earlier-points: P1M'),
]

const USERS = ['p-1', 'p-2', 'p-3']

/** Orders placed, changed, returned and placed again, adjustments, some undone, redemptions, some voided, and two more versions of the program. */
async function livePoints(app: TestApp, clock: { now: string }, seed: number): Promise<void> {
  const post = (path: string, data: object) => app.ask('POST', path, { body: { data } })
  await app.upsertPlayers(USERS.map((User_id) => aPlayer({ User_id, Refercode: '' })))
  const steps = pointSteps({ players: USERS.length, ids: 4, hoursMax: 200, lateDays: [3, 40] })
  const taken = fc.sample(fc.array(steps, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed })[0]!
  for (const [place, step] of taken.entries()) {
    if (place % 20 === 0) {
      const { status, text } = await post('/api/admin/programs', { source: VERSIONS[place / 20] })
      assert.equal(status, 200, text)
    }
    await takePointStep(app, clock, step, USERS)
    const own = `/api/players/${USERS[step.player]}`
    if (step.act === 'adjust' && step.id === 0) await post(`${own}/adjustments/${clock.now}/undo`, { reason: 'wrong' })
    if (step.act === 'redeem' && step.id === 0)
      await post(`${own}/redemptions/${clock.now}/void`, { points: 1, reason: 'back' })
    if (step.act === 'redeem' && step.id === 1)
      await post(`${own}/redemptions`, { id: `h ${clock.now}`, points: 1, reason: 'hold', hold: true })
  }
  // Points that are given back when they have expired.
  await post('/api/players/p-1/adjustments', { id: 'gift', points: 1_000, counts: false, reason: 'gift' })
  const order = anOrder({ order_id: 'paid', user_id: 'p-1', total_amount: 500, products: [] })
  await app.record([{ ...order, points_redeemed: 40 }])
  clock.now = new Date(Date.parse(clock.now) + 120 * DAY_MS).toISOString()
  await app.record([{ ...order, status: 'returned' }])
  await app.record([{ ...order, status: 'placed' }])
}

forEachDatabase((driver, openTestDb) => {
  const openOther = driver === 'pglite' ? openTestPostgres : openTestPglite

  test('an export of everything, imported into an empty database, gives the same answers on every day: generated histories of points', async (t) => {
    const clock = { now: '2026-01-01T06:00:00.000Z' }
    const now = () => new Date(clock.now)
    const db = await openTestDb(t)
    const app = await openAppOn(t, async () => db, { now })
    await livePoints(app, clock, 5)
    const text = await exported(app.service.db)
    for (const part of ['"change":"undone"', '"kind":"reinstated"', '"voided_parts":', '"state":"held"', '"version":3'])
      assert.ok(text.includes(part), part)
    const other = await openOther(t)
    assert.equal(await imported(other, text), text.split('\n').length - 2)
    assert.equal(await exported(other), text, 'the export of the import')
    const there = await openAppOn(t, async () => other, { now })
    const days = Array.from({ length: 60 }, (_, n) =>
      new Date(Date.parse('2026-01-01') + n * 10 * DAY_MS).toISOString().slice(0, 10),
    )
    assert.deepEqual(await answers(there, days), await answers(app, days))
    await checkLedger(other)
  })

  test('the same of generated histories of orders, referrals, levels and program versions', async (t) => {
    const db = await openTestDb(t)
    const { newWorld } = await openWorlds((options) => openAppOn(t, async () => db, options))
    const { program, steps } = fc.sample(history, { numRuns: 1, seed: 11 })[0]!
    const world = await newWorld(sourceOf(program))
    for (const step of steps) await take(world, step)
    const text = await exported(db)
    const other = await openOther(t)
    await imported(other, text)
    assert.equal(await exported(other), text)
    const there = await openAppOn(t, async () => other, { now: () => world.clock.now })
    assert.deepEqual(await answers(there, ['2040-01-01']), await answers(world.app, ['2040-01-01']))
    await checkLedger(other)
  })
})

test('who does not participate earns nothing after an import of everything either, and who was erased stays so, also under an ID that was replaced', async (t) => {
  const app = await openAppOn(t, openTestPostgres)
  const gone = ['gone', 'asha@example.com']
  await app.upsertPlayers(['left', ...gone].map((User_id) => aPlayer({ User_id, participates: User_id !== 'left' })))
  for (const id of gone)
    await app.ask('POST', `/api/admin/players/${id}/erase`, { body: { data: { reason: 'asked for it' } } })
  const text = await exported(app.service.db)
  const db = await openTestPglite(t)
  await imported(db, text)
  assert.equal(await exported(db), text)
  const there = await openAppOn(t, async () => db)
  const { body } = await there.record([anOrder({ user_id: 'left' })])
  assert.equal(body.inserted, 1, body.message)
  assert.equal((await there.ask('GET', '/api/players/left')).body.points, 0)
  const sent = gone.map((User_id) => aPlayer({ User_id }))
  const again = await there.upsertPlayers(sent, '?details=true')
  assert.deepEqual(
    again.body.results.map(({ verdict }: { verdict: string }) => verdict),
    ['erased', 'erased'],
  )
})

test('a file that is not whole, none of ours or of another ledger, and a database that is not empty, are refused with one sentence and nothing is stored', async (t) => {
  const clock = { now: '2026-01-01T06:00:00.000Z' }
  const app = await openAppOn(t, openTestPglite, { now: () => new Date(clock.now) })
  await livePoints(app, clock, 3)
  const text = await exported(app.service.db)
  const other = await openTestPostgres(t)
  const refused = (changed: string, expected: RegExp) =>
    assert.rejects(imported(other, changed), (error: Error) => {
      assert.ok(error instanceof OperatorError)
      assert.match(error.message, expected)
      return true
    })
  const lines = text.trimEnd().split('\n')
  const without = (place: number) => lines.toSpliced(place, 1).join('\n')
  await refused('', /^the file is not whole: export it again$/)
  await refused(without(-1), /^the file is not whole: export it again$/)
  await refused(without(5), /^the file is not whole: export it again$/)
  await refused(`${text}${lines[0]}`, /^the file is not whole: export it again$/)
  await refused(
    text.slice(0, text.length / 2),
    /^(the file is not whole: export it again|expected a file made by laurel export all)$/,
  )
  await refused('name,price\n', /^expected a file made by laurel export all$/)
  await refused(text.replace('"noun":"players"', '"noun":"tokens"'), /^expected a file made by laurel export all$/)
  const entry = lines.find((line) => line.includes('"kind":"order"'))!
  const { points } = JSON.parse(entry)
  const more = text.replace(entry, entry.replace(`"points":${points}`, `"points":${points + 1}`))
  await refused(more, /^the ledger in the file has differences, and nothing was imported: \S/)
  await refused(text.replace('"seq":1', '"seq":"x"'), /^a record cannot be stored: /)
  await imported(other, text)
  await refused(text, /^the database is not empty \(it has .*\): restore into a new data directory or database$/)
})
