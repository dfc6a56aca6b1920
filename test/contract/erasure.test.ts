/*
 * Erasing one person: what identifies a player goes from every table, and every sum stays (docs/privacy.md; decisions 133 and 216).
 */
import assert from 'node:assert/strict'
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { insertSweep } from '../../src/ledger/account-sweeps.ts'
import { documentOf } from '../../src/resources/backtests/backtest-document.ts'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { erasePlayer } from '../../src/resources/personal-data/erase-player.ts'
import { foldStatistics } from '../../src/resources/statistics/fold-statistics.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import { checkLedger } from '../support/ledger-check.ts'
import {
  ERASURE_KEY,
  forEachService,
  openEmbeddedApp,
  openTestApp,
  openTestAppAt,
  type Reply,
  type TestApp,
} from '../support/test-app.ts'

const PROGRAM = `${STARTER_PROGRAM}referral: { friend: 50, referrer: 100 }
redeem: { value: { points: 1, pays: 1 } }
`

/** A player of whom every field is a text that occurs nowhere else. */
const PERSON = {
  Name: 'Zephyrine Quux',
  Email: 'zephyrine@quux.example',
  Phone: '+4917655501234',
  Add: 'Quuxweg 17, Hinterzarten',
  DOB: '23-09-1971',
  Refercode: 'ZEPHYR-1971',
  State: 'Quuxland',
  District: 'Zarten',
  RefBy: 'Aunt Quuxiana',
  Pincode: '798560417',
  Country: 'Zephyria',
}
const TRACES = [
  ...Object.values(PERSON).filter((text) => text !== PERSON.DOB),
  '1971-09-23',
  'wept at the till',
  'QUUX-FRIEND',
]

const erase = (app: TestApp, id: string, query = '') =>
  app.ask('POST', `/api/admin/players/${encodeURIComponent(id)}/erase${query}`, {
    body: { data: { reason: 'request 17' } },
  })
const verdictsOf = ({ body }: Reply) => (body.results as { verdict: string }[]).map(({ verdict }) => verdict)
const adjust = (app: TestApp, id: string, data: object) =>
  app.ask('POST', `/api/players/${encodeURIComponent(id)}/adjustments`, { body: { data } })
const adjustment = { id: 'sorry-1', points: 70, counts: false, reason: 'wept at the till' }

/** The tables in which one of these texts still stands, in any column. */
async function tracesIn(app: TestApp, texts: readonly string[]): Promise<string[]> {
  const tables = await app.query(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const text of texts) {
      const hex = Buffer.from(text).toString('hex')
      const rows = await app.query(
        `select 1 as one from ${name} t where strpos(t::text, '${text}') > 0 or strpos(t::text, '${hex}') > 0`,
      )
      if (rows.length > 0) found.push(`${name}: ${text}`)
    }
  }
  return found
}

/** A player with orders, a referrer, a friend, adjustments, redemptions, a hold and predictions; and a twin with the same figures. */
async function lives(app: TestApp, id: string): Promise<void> {
  await app.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM } } })
  const twin = aPlayer({ User_id: 'twin', Refercode: 'TWIN-CODE' })
  const friend = (of: string, RefBy: string) => aPlayer({ User_id: `friend-of-${of}`, Refercode: '', RefBy })
  await app.upsertPlayers([
    aPlayer({ User_id: 'aunt', Refercode: 'QUUX-FRIEND' }),
    { ...aPlayer({ User_id: id }), ...PERSON },
    twin,
    friend('person', PERSON.Name),
    friend('twin', 'Twin'),
  ])
  for (const [who, code, name] of [
    [id, PERSON.Refercode, 'person'],
    ['twin', 'TWIN-CODE', 'twin'],
  ] as const) {
    const contact = { name: PERSON.Name, email: PERSON.Email, user_id: who }
    await app.predict(anOrder({ ...contact, order_id: `${name}-1` }))
    const first = anOrder({ ...contact, order_id: `${name}-1`, total_amount: '5000', refferral_code: 'QUUX-FRIEND' })
    await app.record([first, anOrder({ ...contact, order_id: `${name}-2`, total_amount: '1000' })])
    await app.record([anOrder({ order_id: `${name}-0`, user_id: `friend-of-${name}`, refferral_code: code })])
    await app.record([anOrder({ order_id: `${name}-9`, user_id: `friend-of-${name}`, refferral_code: code })])
    assert.equal((await adjust(app, who, adjustment)).status, 200)
    const redeem = (data: object) =>
      app.ask('POST', `/api/players/${encodeURIComponent(who)}/redemptions`, { body: { data } })
    assert.equal((await redeem({ id: 'spent', points: 20, hold: false, reason: 'wept at the till' })).status, 200)
    assert.equal((await redeem({ id: 'held', points: 10, hold: true, reason: 'wept at the till' })).status, 200)
  }
  await app.service.deps.predictions.flushAll()
}

const sumsOf = async (app: TestApp, id: string) => {
  const [sums] = await app.query(
    `select points::text as points, counted::text as counted, orders::text as orders, entries::text as entries from accounts where user_id = '${id}'`,
  )
  return sums
}
const statisticsOf = async (app: TestApp) => {
  await app.service.deps.activity.flush()
  await foldStatistics(app.service.db)
  return app.query(
    `select basis, day::text as day, measure, key, n::text as n, points::text as points from statistics_days order by 1, 2, 3, 4`,
  )
}

forEachService((openTestApp) => {
  for (const id of ['person', 'zephyrine@quux.example', '+4917655501234'])
    test(`a player with the ID ${id} is erased from every column of every table, and every sum, statistic and later return is that of a twin (decision 216)`, async (t) => {
      // The clock stands still: no order becomes due for comparison with its prediction between the two looks at the statistics.
      const moment = new Date()
      const app = await openTestApp(t, { now: () => moment })
      await lives(app, id)
      assert.equal((await tracesIn(app, TRACES)).length > 10, true)
      const [before, statistics] = [await sumsOf(app, id), await statisticsOf(app)]

      const dry = await erase(app, id, '?dry_run=true')
      assert.deepEqual([dry.status, dry.body.user_id, dry.body.blanked.orders], [200, id, 2], dry.text)
      assert.deepEqual(await sumsOf(app, id), before)
      assert.deepEqual(await app.query('select * from erasures'), [])

      const erased = await erase(app, id)
      const { user_id: newId, ...told } = erased.body
      assert.equal(erased.status, 200, erased.text)
      const { user_id: _, ...tried } = dry.body
      assert.deepEqual(told, tried)
      assert.equal(newId === id, id === 'person')
      assert.equal(told.replaced, id !== 'person')
      assert.deepEqual(told.blanked, { orders: 2, reasons: 2, redemptions: 2, referred_orders: 2, referred_players: 1 })
      assert.deepEqual([told.deleted.predictions, told.voided_holds], [1, 1])

      // The code of the aunt stands where the aunt is, and in the orders of the twin.
      const texts = [
        ...TRACES.filter((text) => !['QUUX-FRIEND', 'wept at the till'].includes(text)),
        ...(id === 'person' ? [] : [id]),
      ]
      assert.deepEqual(await tracesIn(app, texts), [])
      const own = ['orders', 'entries', 'redemptions'].map(
        (table) => `select t::text as row from ${table} t where user_id = '${newId}'`,
      )
      for (const sql of own)
        for (const { row } of await app.query(sql)) assert.doesNotMatch(String(row), /QUUX-FRIEND|wept/)
      assert.deepEqual(await sumsOf(app, newId), before)
      assert.deepEqual(await statisticsOf(app), statistics)
      const report = await verifyLedger(app.service.db, () => undefined)
      assert.deepEqual([report.differing, report.differences, report.erased], [0, [], 2])
      await checkLedger(app.service.db)

      const now = app.service.deps.now().toISOString()
      const tested = await backtestProgram(app.service.db, { source: PROGRAM, now }, () => undefined)
      const { erased: leftOut, winners, losers, balances } = documentOf(tested, undefined)
      assert.deepEqual([leftOut, winners, losers], [2, [], []])
      assert.equal(balances?.outstanding.difference, '0')

      const again = await erase(app, id)
      assert.deepEqual([again.body.repeated, again.body.user_id, again.body.blanked.orders], [true, newId, 0])

      // Players and new orders are skipped, without the ID.
      const player = await app.upsertPlayers([{ ...aPlayer({ User_id: id }), ...PERSON }], '?details=true')
      assert.deepEqual([player.body.skipped, verdictsOf(player)], [1, ['erased']], player.text)
      assert(!player.text.includes(`"${id}"`) && !player.body.message.includes(id), player.text)
      const versioned = await app.upsertPlayers(
        [{ ...aPlayer({ User_id: id, State_version: 9 }), ...PERSON }],
        '?details=true&dry_run=true',
      )
      assert.deepEqual(verdictsOf(versioned), ['erased'])
      const orders = await app.record(
        [
          anOrder({ user_id: id, order_id: 'person-3' }),
          anOrder({ user_id: id, order_id: 'person-2', total_amount: '900' }),
        ],
        '?details=true',
      )
      assert.deepEqual(verdictsOf(orders), ['erased', 'erased'])
      const repeated = await adjust(app, id, adjustment)
      assert.deepEqual([repeated.status, repeated.body.repeated], [200, true], repeated.text)
      assert.equal((await adjust(app, id, { ...adjustment, id: 'new' })).status, 404)

      // Returns take back what the orders gave, as for the twin; of the friend's first order, too.
      for (const [who, name] of [
        [id, 'person'],
        ['twin', 'twin'],
      ] as const) {
        const returned = {
          order_id: `${name}-1`,
          total_amount: '5000',
          status: 'returned',
          refferral_code: 'QUUX-FRIEND',
        }
        const friend = { order_id: `${name}-0`, user_id: `friend-of-${name}` }
        const changed = await app.record([
          anOrder({ user_id: who, ...returned }),
          anOrder({
            ...friend,
            total_amount: '700',
            refferral_code: name === 'person' ? PERSON.Refercode : 'TWIN-CODE',
          }),
        ])
        assert.equal(changed.body.updated, 2, changed.text)
      }
      assert.deepEqual(await sumsOf(app, newId), await sumsOf(app, 'twin'))
      assert.deepEqual(await sumsOf(app, 'friend-of-person'), await sumsOf(app, 'friend-of-twin'))
      for (const name of ['person', 'twin']) {
        const gone = {
          order_id: `${name}-0`,
          user_id: `friend-of-${name}`,
          status: 'cancelled',
          refferral_code: name === 'person' ? PERSON.Refercode : 'TWIN-CODE',
        }
        assert.equal((await app.record([anOrder(gone)])).body.updated, 1)
      }
      assert.deepEqual(await sumsOf(app, newId), await sumsOf(app, 'twin'))
      assert.deepEqual(await tracesIn(app, texts), [])
      assert.equal((await verifyLedger(app.service.db, () => undefined)).differing, 0)
      await checkLedger(app.service.db)

      const log = await app.ask('GET', '/api/admin/audit-log?act=player-erased')
      const [act] = log.body.entries
      assert.deepEqual([act.subject, act.detail], [app.service.deps.handles.of(newId), { reason: 'request 17' }])

      // A record that rejoins opens the ID for a new person.
      const rejoined = await app.upsertPlayers([{ ...aPlayer({ User_id: id }), rejoin: true }], '?details=true')
      assert.deepEqual([rejoined.body.inserted, rejoined.body.skipped], [1, 0], rejoined.text)
      assert.equal((await app.upsertPlayers([aPlayer({ User_id: id, Name: 'New' })])).body.updated, 1)
      assert.equal((await app.record([anOrder({ user_id: id, order_id: 'person-4' })])).body.inserted, 1)
      await checkLedger(app.service.db)
    })

  test('an export has every record about a player, first a header that says what each kind is, and is recorded in the audit log', async (t) => {
    const app = await openTestApp(t)
    await lives(app, 'person')
    const lines: { kind: string; record: Record<string, unknown> }[] = []
    for (let after = ''; ; ) {
      const page = await app.ask('GET', `/api/admin/players/person/export?limit=3${after}`, {
        headers: { accept: 'application/x-ndjson' },
      })
      assert.equal(page.status, 200, page.text)
      lines.push(
        ...page.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
      const next = /after=([^>&]+)/.exec(String(page.headers.link ?? ''))
      if (next === null) break
      after = `&after=${next[1]}`
    }
    const kinds = Map.groupBy(lines, ({ kind }) => kind)
    assert.deepEqual(Object.keys(lines[0]!.record.kinds as object), [
      'player',
      'account',
      'figures',
      'order',
      'entry',
      'redemption',
      'prediction',
      'difference',
      'act',
    ])
    assert.deepEqual(
      [kinds.get('order')?.length, kinds.get('redemption')?.length, kinds.get('prediction')?.length],
      [2, 2, 1],
    )
    assert.equal(kinds.get('player')?.[0]?.record.email, PERSON.Email)
    assert.equal(kinds.get('entry')?.length, Number((await sumsOf(app, 'person'))?.entries))
    const log = await app.ask('GET', '/api/admin/audit-log?act=player-exported')
    assert(log.body.entries.length > 1)
    assert.equal((await app.ask('GET', '/api/admin/players/nobody/export')).status, 404)
  })

  test('no digest of what an order first said is left, nor an owner who is not there yet, as on a cluster', async (t) => {
    const app = await openTestApp(t)
    const [id, order_id] = ['zoe@quux.example', 'o-1']
    await app.upsertPlayers([aPlayer({ User_id: id })])
    for (const total_amount of ['100', '200']) await app.record([anOrder({ user_id: id, order_id, total_amount })])
    const digests = () => app.query('select 1 as one from orders where first_digests is not null')
    assert.equal((await digests()).length, 1)
    const script = (sql: string) => app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000)
    await script(`delete from order_owners where order_id = '${order_id}'`)
    const early = await erase(app, id)
    assert.equal(early.status, 503, early.text)
    assert.match(early.text, /an order of the player has no owner yet: try again/)
    assert.equal((await digests()).length, 1)
    await script(`insert into order_owners (order_id, user_id) values ('${order_id}', '${id}')`)
    assert.equal((await erase(app, id)).status, 200)
    assert.deepEqual(await digests(), [])
  })

  test('erasing a player while orders are recorded leaves nothing half done', async (t) => {
    const app = await openTestApp(t)
    const id = 'zephyrine@quux.example'
    await app.upsertPlayers([{ ...aPlayer({ User_id: id }), ...PERSON }, aPlayer({ User_id: 'friend', Refercode: '' })])
    const order = (n: number) => anOrder({ user_id: id, order_id: `o-${n}`, total_amount: '1000' })
    const writes = Array.from({ length: 40 }, async (_, n) => {
      const referred = anOrder({ user_id: 'friend', order_id: `f-${n}`, refferral_code: PERSON.Refercode })
      const [recorded, sent] = await Promise.all([
        app.record(n % 3 === 0 ? [order(n), referred] : [order(n)]),
        app.upsertPlayers([{ ...aPlayer({ User_id: id, Name: `Zephyrine ${n}` }), Email: PERSON.Email }]),
      ])
      return [recorded.status, sent.status]
    })
    const erased = await erase(app, id)
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual([...new Set((await Promise.all(writes)).flat())], [200])
    await app.service.deps.predictions.flushAll()
    assert.deepEqual(await tracesIn(app, [id, 'Zephyrine']), [])
    await checkLedger(app.service.db)
  })
})

test('predictions that another process has in memory are not stored after an erasure, and those that it is storing are deleted', async (t) => {
  const databaseUrl = await testDatabase(t)
  const [app, other] = [await openTestAppAt(t, databaseUrl, {}), await openTestAppAt(t, databaseUrl, {})]
  const ids = ['person', 'zephyrine@quux.example', 'stays']
  await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, Refercode: '' })))
  const { predictions } = other.service.deps
  const answered: Parameters<typeof predictions.keep>[0][] = []
  const keep = t.mock.method(predictions, 'keep', (one: (typeof answered)[number]) => void answered.push(one))
  for (const user_id of ids) await other.predict(anOrder({ user_id, order_id: `of-${user_id}` }))
  keep.mock.restore()
  assert.equal(answered.length, 3)
  for (const id of ids.slice(0, 2)) assert.equal((await erase(app, id)).status, 200)
  for (const one of answered) predictions.keep(one)
  await predictions.flushAll()
  const stored = () => app.query('select user_id from predictions order by user_id')
  assert.deepEqual(await stored(), [{ user_id: 'stays' }])

  await app.upsertPlayers([aPlayer({ User_id: 'asha@example.com', Refercode: '' })])
  let erased: Promise<Reply> | undefined
  await other.service.db.transaction(async (tx) => {
    await tx.query(`insert into predictions select 'asha@example.com', 'last', predicted_at, prediction_id, token_id, points, referred, level_before,
      level_after, program_version, order_digest, player_digest, prices_digest, duration_us, kept, seen, ordered_at from predictions`)
    erased = erase(app, 'asha@example.com')
    await setTimeout(300)
  }, performance.now() + 20_000)
  assert.equal((await erased!).status, 200)
  assert.deepEqual(await stored(), [{ user_id: 'stays' }])
})

forEachService((open) => {
  test('accounts that were read before an erasure are stored without the ID that it replaced', async (t) => {
    const app = await open(t)
    const id = 'zephyrine@quux.example'
    await app.upsertPlayers([id, 'stays'].map((User_id) => aPlayer({ User_id, Refercode: '' })))
    for (const user_id of [id, 'stays']) await app.record([anOrder({ user_id, order_id: `of-${user_id}` })])
    const top: [string, string][] = [
      [id, '7'],
      ['stays', '5'],
    ]
    const sums = { players: 2, balance: '12', debts: '0', sampled: 2, levels: [], of_all: true }
    assert.equal((await erase(app, id)).status, 200)
    const sweep = { at: '2026-05-10T12:00:00Z', ...sums, top }
    await app.service.db.transaction((tx) => insertSweep(tx, sweep, '2026-01-01T00:00:00Z'), performance.now() + 60_000)
    assert.deepEqual(await app.query('select top from account_sweeps'), [{ top: [['stays', '5']] }])
  })
})

test('an order that names the player and is recorded by another process while all orders are read does not keep the ID', async (t) => {
  const databaseUrl = await testDatabase(t)
  const [app, other] = [await openTestAppAt(t, databaseUrl, {}), await openTestAppAt(t, databaseUrl, {})]
  const id = 'zephyrine@quux.example'
  await app.upsertPlayers([{ ...aPlayer({ User_id: id }), ...PERSON }, aPlayer({ User_id: 'friend', Refercode: '' })])
  const friend = (order_id: string) => anOrder({ user_id: 'friend', order_id, refferral_code: PERSON.Refercode })
  await app.record([anOrder({ user_id: 'friend', order_id: 'before' })])
  const { deps } = app.service
  let isRead = false
  const transaction: typeof deps.db.transaction = (work, deadlineAt) =>
    deps.db.transaction((tx, attempt) => {
      const query: typeof tx.query = async (sql, params) => {
        const rows = await tx.query(sql, params)
        if (!isRead && sql.includes('json_each')) assert.equal((await other.record([friend('late')])).body.inserted, 1)
        isRead ||= sql.includes('json_each')
        return rows as never
      }
      return work(Object.create(tx, { query: { value: query } }), attempt)
    }, deadlineAt)
  const erasure = { idOrHandle: id, by: 'x', isDryRun: false }
  const erased = await erasePlayer(
    { ...deps, db: { ...deps.db, transaction } },
    erasure,
    { reason: 'request 17' },
    performance.now() + 30_000,
  )
  assert.deepEqual([isRead, erased.counts?.mentions], [true, 1])
  assert.deepEqual(await tracesIn(app, [id, PERSON.Refercode]), [])
  await checkLedger(app.service.db)
})

test('without a key no player of a server is erased, and one sentence says what to set', async (t) => {
  const app = await openTestApp(t, { env: { LAUREL_ERASURE_KEY: '' } })
  await app.upsertPlayers([aPlayer()])
  const refused = await erase(app, 'u-1')
  assert.equal(refused.status, 503)
  assert.match(refused.body.error, /set LAUREL_ERASURE_KEY/)
  assert.equal((await erase(app, 'u-1', '?dry_run=true')).status, 200)
})

test('a reason that names the player is refused, as it is kept', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer()])
  const refused = await app.ask('POST', '/api/admin/players/u-1/erase', {
    body: { data: { reason: 'Asha Rao asked' } },
  })
  assert.deepEqual([refused.status, refused.body.path], [400, 'data.reason'])
  assert.equal((await erase(app, 'u-2')).status, 404)
})

test('the first erasure on an embedded database makes the key beside it, and without it the service does not start again (decision 216)', async (t) => {
  const app = await openEmbeddedApp(t)
  const env = { LAUREL_DATA: app.data, LAUREL_ERASURE_KEY: '' }
  await app.stop()
  const again = await openEmbeddedApp(t, { data: app.data, env })
  await again.upsertPlayers([aPlayer({ User_id: 'asha@example.com' })])
  assert.equal((await erase(again, 'asha@example.com')).status, 200)
  const path = join(app.data, 'erasure-key')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  await again.stop()
  renameSync(path, `${path}.away`)
  await assert.rejects(openEmbeddedApp(t, { data: app.data, env }), /the key with which players were erased is missing/)
  const other = { ...env, ...ERASURE_KEY }
  await assert.rejects(openEmbeddedApp(t, { data: app.data, env: other }), /or another one/)
  renameSync(`${path}.away`, path)
  const last = await openEmbeddedApp(t, { data: app.data, env })
  const sent = await last.upsertPlayers([aPlayer({ User_id: 'asha@example.com' })], '?details=true')
  assert.deepEqual(verdictsOf(sent), ['erased'])
})
