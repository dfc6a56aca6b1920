/*
 * Players without activity for as long as the shop says (setting `players.erase-after`) are erased by the service itself (docs/privacy.md).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { eraseInactive } from '../../src/resources/personal-data/erase-inactive.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts } from '../support/counted-accounts.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const PROGRAM = `${STARTER_PROGRAM}redeem: { value: { points: 1, pays: 1 } }
`
const PHONE = '+4917655501234'
const [THEN, LATER, NOW] = ['2023-01-10T12:00:00.000Z', '2025-06-01T12:00:00.000Z', '2026-01-10T12:00:00.000Z']

const put = (app: TestApp, data: object, query = '') =>
  app.ask('PUT', `/api/admin/settings${query}`, { body: { data } })
const sweep = (app: TestApp) => eraseInactive(app.service.deps)
const erasedIds = async (app: TestApp) =>
  (await app.query(`select user_id from players where row_hash = '\\x00' order by user_id`)).map(
    ({ user_id }) => user_id,
  )

/** Two players who have done nothing since 2023, and one for each kind of activity in 2025. */
async function openShop(
  openTestApp: Parameters<Parameters<typeof forEachService>[0]>[0],
  t: Parameters<typeof openTestApp>[0],
) {
  const clock = { now: THEN }
  const app = await openTestApp(t, { now: () => new Date(clock.now) })
  const player = (User_id: string, parts: object = {}) => aPlayer({ User_id, Refercode: '', ...parts })
  const order = (user_id: string, order_id: string, parts: object = {}) =>
    anOrder({ user_id, order_id, total_amount: '1000', ...parts })
  const post = (path: string, data: object) => app.ask('POST', path, { body: { data } })
  await post('/api/admin/programs', { source: PROGRAM })
  await app.upsertPlayers([
    player('idle', { Name: 'Zephyrine Quux', Refercode: 'ZEPHYR-1971' }),
    player(PHONE, { Phone: PHONE }),
    ...['orders', 'adjusted', 'redeems'].map((id) => player(id)),
    player('changed', { RefBy: 'Zephyrine Quux' }),
  ])
  await app.record([
    order('idle', 'o-1'),
    order(PHONE, 'o-2'),
    order('orders', 'o-3', { refferral_code: 'ZEPHYR-1971' }),
    order('redeems', 'o-4'),
  ])
  clock.now = LATER
  await app.record([order('orders', 'o-5')])
  await post('/api/players/adjusted/adjustments', { id: 'a-1', points: 5, counts: false, reason: 'sorry' })
  await post('/api/players/redeems/redemptions', { id: 'r-1', points: 1, reason: 'gift', hold: true })
  await app.upsertPlayers([player('changed', { RefBy: 'Zephyrine Quux', Pincode: '1234' })])
  clock.now = NOW
  return { app, clock, order }
}

forEachService((openTestApp) => {
  test('players without an order, a change of points or of their record for as long as the shop says are erased, and nobody by default', async (t) => {
    const { app, clock, order } = await openShop(openTestApp, t)
    await sweep(app)
    assert.deepEqual(await erasedIds(app), [])
    assert.equal((await put(app, { 'players.erase-after': 'P1Y' })).status, 200)
    await sweep(app)
    const [moved, ...others] = await erasedIds(app)
    assert.match(String(moved), /^erased-/)
    assert.deepEqual(others, ['idle'])

    const left = await app.query(`
      select state ->> 'referral_code' as code, referrer_id from orders where order_id = 'o-3'
      union all
      select referred_by, name from players where user_id = 'changed'`)
    assert.deepEqual(
      left.map(({ code }) => code),
      ['erased~', ''],
    )
    const sent = await app.record([order('idle', 'o-9'), order(PHONE, 'o-8')], '?details=true')
    assert.deepEqual(
      sent.body.results.map(({ verdict }: { verdict: string }) => verdict),
      ['erased', 'erased'],
    )
    const log = await app.ask('GET', '/api/admin/audit-log?act=player-erased')
    assert.deepEqual(
      log.body.entries.map(({ by, detail }: { by: string; detail: object }) => [by, detail]),
      [1, 2].map(() => ['players.erase-after', { reason: 'no activity for P1Y' }]),
    )
    await checkLedger(app.service.db)

    // Of several processes one erases, within each hour.
    clock.now = '2026-06-02T12:00:00.000Z'
    await app.record([order('orders', 'o-6')])
    await app.query(`update background_work set claimed_at = '${clock.now}' where work = 'inactive-players'`)
    await sweep(app)
    assert.equal((await erasedIds(app)).length, 2)
    clock.now = '2026-06-02T13:00:00.000Z'
    await sweep(app)
    assert.deepEqual((await erasedIds(app)).slice(0, -1), ['adjusted', 'changed', moved, 'idle'])
  })

  test('players who are erased together and have referred each other name nobody afterwards', async (t) => {
    const { app, clock, order } = await openShop(openTestApp, t)
    clock.now = THEN
    const [friend, referrer] = ['a@example.com', 'b@example.com']
    await app.upsertPlayers([
      aPlayer({ User_id: friend, Refercode: '' }),
      aPlayer({ User_id: referrer, Refercode: 'REFERS-1' }),
    ])
    await app.record([order(friend, 'o-a', { refferral_code: 'REFERS-1' })])
    clock.now = NOW
    await put(app, { 'players.erase-after': 'P1Y' })
    await sweep(app)
    const named = await app.query(`
      select user_id from accounts where user_id like '%@example.com'
      union all
      select concat(user_id, referrer_id, facts) from orders where concat(user_id, referrer_id, facts) like '%@example.com%'`)
    assert.deepEqual(named, [])
    await checkLedger(app.service.db)
  })

  test('an order that names a player and is recorded while players are erased does not keep the ID', async (t) => {
    const { app, clock, order } = await openShop(openTestApp, t)
    clock.now = THEN
    const id = 'b@example.com'
    await app.upsertPlayers([aPlayer({ User_id: id, Refercode: 'REFERS-1', RefBy: '' })])
    clock.now = NOW
    await put(app, { 'players.erase-after': 'P1Y' })
    const { deps } = app.service
    let [isErasing, isRecorded] = [false, false]
    const make = () => {
      isErasing = true
      return deps.erasureKey.make()
    }
    const transaction: typeof deps.db.transaction = async (...work) => {
      // Who names players was looked up before the first is erased.
      if (isErasing && !isRecorded) {
        isRecorded = true
        const sent = [order('orders', 'o-late', { refferral_code: 'REFERS-1' })]
        assert.equal((await app.record(sent)).body.inserted, 1)
        // Then account_changes does not name them either.
        await foldedAccounts(app)
      }
      return deps.db.transaction(...work)
    }
    await eraseInactive({ ...deps, db: { ...deps.db, transaction }, erasureKey: { ...deps.erasureKey, make } })
    assert.equal((await erasedIds(app)).length, 3)
    const [late] = await app.query(
      "select facts::text as facts, state::text as state from orders where order_id = 'o-late'",
    )
    assert.doesNotMatch(String(late!.facts) + String(late!.state), /b@example|REFERS-1/)
    await checkLedger(app.service.db)
  })

  test('a player who orders after the list was made is kept, and so is everybody once the setting is reset', async (t) => {
    const { app, order } = await openShop(openTestApp, t)
    await put(app, { 'players.erase-after': 'P1Y' })
    const { deps } = app.service
    let asked = 0
    const shop = () => {
      asked += 1
      return { ...deps.shop(), 'players.erase-after': asked > 2 ? 'never' : 'P1Y' }
    }
    await eraseInactive({ ...deps, shop })
    assert.deepEqual(await erasedIds(app), [])

    await app.query(`delete from background_work where work = 'inactive-players'`)
    let transactions = 0
    const transaction: typeof deps.db.transaction = async (...work) => {
      transactions += 1
      // After the claim and the list.
      if (transactions === 3) assert.equal((await app.record([order('idle', 'o-7')])).body.inserted, 1)
      return deps.db.transaction(...work)
    }
    await eraseInactive({ ...deps, db: { ...deps.db, transaction } })
    assert.match((await erasedIds(app)).join(), /^erased-[^,]+$/)
  })

  test('a dry run of a setting says how many players would be erased and the first of them, or how many rows deleted, and changes nothing', async (t) => {
    const { app } = await openShop(openTestApp, t)
    const effectsOf = async (data: object) => {
      const { status, body, text } = await put(app, data, '?dry_run=true')
      assert.equal(status, 200, text)
      return body
    }
    const { settings, effects } = await effectsOf({ 'players.erase-after': 'P1Y', 'players.pincode': 'text' })
    assert.deepEqual(effects, [{ key: 'players.erase-after', count: 2, players: [PHONE, 'idle'] }])
    const valueIn = (key: string) => settings.find((one: { key: string }) => one.key === key).value
    assert.deepEqual([valueIn('players.erase-after'), valueIn('players.pincode')], ['P1Y', 'text'])
    const many = Array.from({ length: 1_200 }, (_, n) => aPlayer({ User_id: `z-${n}`, Refercode: '' }))
    await app.upsertPlayers(many)
    await app.query(`update players set updated_at = '${THEN}' where user_id like 'z-%'`)
    const [all] = (await effectsOf({ 'players.erase-after': 'P1Y' })).effects
    assert.deepEqual([all.count, all.players.length], [1_202, 100])

    // The program was published then.
    await app.query(`insert into feed_days values ('2001-01-01', 'players', 'x', 'requests', '', '', 1)`)
    const [acts, sources] = (await effectsOf({ 'audit-log.keep': 'P1Y', 'sources.keep': null })).effects
    assert.deepEqual(acts, { key: 'audit-log.keep', count: 1 })
    assert(sources.key === 'sources.keep' && sources.count > 0)
    assert.deepEqual((await effectsOf({ 'audit-log.keep': 'forever' })).effects, [{ key: 'audit-log.keep', count: 0 }])
    const refused = await put(app, { 'players.erase-after': 'P1D' }, '?dry_run=true')
    assert.deepEqual([refused.status, refused.body.path], [400, 'data.players.erase-after'])
    const shown = await app.ask('GET', '/api/admin/settings')
    assert(shown.body.settings.every(({ changed_at }: { changed_at: null }) => changed_at === null))
    assert.deepEqual(await erasedIds(app), [])
  })
})
