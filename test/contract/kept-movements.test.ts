/*
 * What a balance is computed from, kept with the account (docs/decisions/0166-movements-of-accounts.md): it never says anything else than the entries.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readerOf } from '../../src/database/db/reader.ts'
import { clusterSql, sqlFile } from '../../src/database/db/sql-file.ts'
import { historyKey, type PlayerHistory, toBalanceQuery } from '../../src/engine/points/ledger/snapshot.ts'
import { balanceAsOf } from '../../src/engine/points/lots/balance.ts'
import { listHistories } from '../../src/ledger/histories.ts'
import { keepMovements } from '../../src/ledger/kept-movements.ts'
import { readSnapshot } from '../../src/ledger/snapshots.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts } from '../support/counted-accounts.ts'
import { pointSteps, takePointStep } from '../support/point-histories.ts'
import { act, clean, give, redeem } from '../support/redeeming.ts'
import { forEachService, openServerApp, openTestAppAt, type TestApp } from '../support/test-app.ts'

const program = (more: string) => `name: Points that wait, expire and pay
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
${more}`
const PAYS = program(`points: { pending: { days: 2 }, expire: { after: P20D } }
redeem: { value: { points: 1, pays: "0.10" }, given-back: P9D }
money: { decimals: 2 }`)
const SLIDES = program(`points: { expire: { inactive: P9D } }
redeem: { value: { points: 1, pays: "0.10" }, overdraft: 30 }
money: { decimals: 2 }`)
const NOON = '2026-05-10T12:00:00.000Z'
const soon = () => performance.now() + 60_000

async function publish(app: TestApp, source: string): Promise<void> {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(status, 200, text)
}

async function run({ service }: TestApp, sql: string): Promise<void> {
  await service.db.transaction((tx) => tx.script(sql), soon())
}

/** How many of the accounts of these players, or of all, keep what is of their revision. */
async function keptCount({ query }: TestApp, players?: readonly string[]): Promise<number> {
  const some = players === undefined ? '' : `and user_id in ('${players.join("', '")}')`
  const [row] = await query(
    `select count(*)::int as n from accounts where movements is not null and movements_rev = rev ${some}`,
  )
  return row!.n as number
}

const given = (points: number, place: number) => ({ id: `g-${place}`, points, counts: false, reason: 'r' })

/** A history, told apart neither by the order of its movements nor by which of them are summed. */
function summed({ movements, reinstated, own, redemptions }: PlayerHistory): object {
  const sums = new Map<string, Readonly<{ given: bigint; spent: bigint }>>()
  for (const { day, usableOn, expiresOn, slides, given, spent } of movements) {
    const key = `${day} ${usableOn} ${expiresOn} ${slides}`
    const before = sums.get(key) ?? { given: 0n, spent: 0n }
    sums.set(key, { given: before.given + given, spent: before.spent + spent })
  }
  const byId = redemptions.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { movements: [...sums].sort(), reinstated, own, redemptions: byId }
}

/** Asserts that what is read with the accounts of these players is what their entries give. */
async function assertAsEntries({ service: { db } }: TestApp, players: readonly string[], redemptionId = '') {
  const queries = players.flatMap((userId) => [toBalanceQuery(userId), { userId, orderId: '', redemptionId }])
  const orders = queries.map((query) => {
    return { userId: query.userId, orderId: 'none', skus: [], code: '', histories: [query] }
  })
  const { history } = await readSnapshot(readerOf(db, soon()), orders)
  const entries = await listHistories(readerOf(db, soon()), queries)
  for (const query of queries) {
    const [read, derived] = [history(query)!, entries.get(historyKey(query))!]
    assert.deepEqual(summed(read), summed(derived))
    for (const day of ['2026-05-10', '2026-06-20', '2026-08-01'])
      assert.deepEqual(balanceAsOf(day, read.movements, []), balanceAsOf(day, derived.movements, []))
  }
}

/** As every writer does, so that the accounts are counted anew. */
const NOTED = 'insert into account_changes (user_id) select user_id from accounts'
const STATES = {
  absent: 'update accounts set movements = null, movements_rev = null',
  stale: `update accounts set movements = '2026-05-10 2026-05-10 infinity f f 7', movements_rev = rev - 1`,
  // As a release before these columns does: it gives a point, and leaves them as they are.
  'of an earlier release': `with given as (
      insert into entries (user_id, seq, kind, points, counts, at, adjustment_id, reason, recorded_at, day, booked_day)
      select user_id, entries + 1, 'adjustment', 1, false, '${NOON}', 'by hand ' || rev, 'r', '${NOON}', '2026-05-10', '2026-05-10' from accounts
    )
    update accounts set points = points + 1, entries = entries + 1, rev = rev + 1; ${NOTED}`,
}

const WITHOUT_EARLIER_RELEASE = `delete from entries where adjustment_id like 'by hand %';
  update accounts set points = points - 1, entries = entries - 1, rev = rev + 1; ${NOTED}`

forEachService((open) => {
  test('generated histories: predictions and what balances are computed from are the same whether accounts keep it or not (decision 166)', async (t) => {
    let run_ = 0
    const steps = fc.array(pointSteps({ players: 2, ids: 3, hoursMax: 100, lateDays: [1, 12] }), {
      ...{ minLength: 10, maxLength: 20, size: 'max' as const },
    })
    const clock = { now: NOON }
    const app = await open(t, { now: () => new Date(clock.now) })
    const property = fc.asyncProperty(steps, fc.constantFrom(PAYS, SLIDES), async (some, source) => {
      run_ += 1
      const players = [`a-${run_}`, `b-${run_}`]
      await publish(app, source)
      await app.upsertPlayers(players.map((User_id) => aPlayer({ User_id, Refercode: '' })))
      for (const step of some) await takePointStep(app, clock, step, players)
      const answers = async () => {
        await assertAsEntries(app, players)
        return Promise.all(
          players.flatMap((user_id) =>
            [1, 10, 40].map(async (points_redeemed) => {
              const order = anOrder({ user_id, order_id: 'asked', products: [], total_amount: 90, points_redeemed })
              const { status, body } = await app.predict(order)
              return { status, body }
            }),
          ),
        )
      }
      const present = await answers()
      const written = await keptCount(app, players)
      assert(written > 0, 'accounts keep what was written')
      await run(app, STATES.absent)
      assert.deepEqual(await answers(), present)
      await run(app, STATES.stale)
      assert.deepEqual(await answers(), present)
      for (const userId of players) {
        const data = { id: 'more', points: 3, counts: false, reason: 'r' }
        const { status } = await app.ask('POST', `/api/players/${userId}/adjustments`, { body: { data } })
        assert.equal(status, 200)
      }
      const later = await answers()
      await clean(app)
      await app.service.db.transaction((tx) => keepMovements(tx, players), soon())
      assert(written <= (await keptCount(app, players)), 'they are derived from the entries')
      assert.deepEqual(await answers(), later)
      await clean(app)
      await run(app, STATES['of an earlier release'])
      await assertAsEntries(app, players)
      await run(app, WITHOUT_EARLIER_RELEASE)
    })
    await fc.assert(property, { numRuns: 8, endOnFailure: true })
  })

  test('an order that redeems is predicted with one statement, whether new or with a hold, and recorded with the points that it was told (decision 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer()])
    await give(app, 90)
    await redeem(app, { id: 'h', points: 20, hold: true })
    let reads = 0
    const { db } = app.service
    const { read } = db
    const counting: typeof read = (sql, params, deadlineAt, kind) => {
      if (kind === 'prediction') reads += 1
      return read(sql, params, deadlineAt, kind)
    }
    Object.assign(db, { read: counting })
    const paid = (order_id: string, more: object) =>
      anOrder({ order_id, total_amount: 500, products: [], points_redeemed: 20, ...more })
    for (const order of [paid('o-1', {}), paid('o-2', { redemption_id: 'h' })]) {
      reads = 0
      const predicted = await app.predict(order)
      assert.equal(predicted.status, 200, predicted.text)
      assert.equal(reads, 1)
      await app.record([order])
      const [recorded] = await app.query(`select points from orders where order_id = '${order.order_id}'`)
      assert.equal(recorded!.points, predicted.body.total_points)
    }
    await assertAsEntries(app, ['u-1'], 'h')
    await clean(app)
  })

  test('new orders are recorded without asking for histories again, whether they redeem or not (decision 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer()])
    await give(app, 90)
    await redeem(app, { id: 'h', points: 20, hold: true })
    const historiesSql = sqlFile(new URL('../../src/ledger/histories.ts', import.meta.url).href, 'histories')
    let asked = 0
    const { db } = app.service
    const { inSlices } = db
    const counting: typeof inSlices = (slices, work, deadlineAt, before) =>
      inSlices(
        slices,
        (tx, ...rest) => {
          const query: typeof tx.query = (sql, params) => {
            if (sql === historiesSql) asked += 1
            return tx.query(sql, params)
          }
          return work(Object.assign(Object.create(tx), { query }), ...rest)
        },
        deadlineAt,
        before,
      )
    Object.assign(db, { inSlices: counting })
    const order = anOrder({ products: [], total_amount: 500 })
    for (const [place, more] of [{}, { points_redeemed: 20 }, { points_redeemed: 20, redemption_id: 'h' }].entries()) {
      const { body } = await app.record([{ ...order, ...more, order_id: `o-${place}` }])
      assert.equal(body.inserted, 1)
    }
    assert.equal(asked, 0)
    const { body } = await app.record([{ ...order, order_id: 'o-1', points_redeemed: 10 }])
    assert.deepEqual([body.updated, asked], [1, 1], 'a recorded order asks for those without its own entries')
    await clean(app)
  })

  test('a history that was read before its account was written is not used: nobody spends the same points twice (decision 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer()])
    await give(app, 90)
    await app.record([anOrder({ order_id: 'o-1', products: [], total_amount: 5 })])
    const reader = readerOf(app.service.db, soon())
    const asked = { userId: 'u-1', skus: [], code: '' }
    const queries = [
      { ...asked, orderId: 'o-1' },
      { ...asked, orderId: 'o-2', histories: [toBalanceQuery('u-1')] },
    ]
    const historyAfter = async (meanwhile: () => Promise<unknown>) => {
      let statements = 0
      const query: typeof reader.query = async (sql, params) => {
        statements += 1
        if (statements === 2) await meanwhile()
        return reader.query(sql, params)
      }
      const snapshot = await readSnapshot({ query }, queries)
      assert(statements >= 2)
      return snapshot.history(toBalanceQuery('u-1'))
    }
    assert((await historyAfter(async () => undefined)) !== undefined)
    const spent = () => redeem(app, { id: 'meanwhile', points: 90, hold: true })
    assert.equal(await historyAfter(spent), undefined)
  })

  test('a hold that is confirmed while a cluster reads a history, part by part, is either a hold or spent there (decisions 162 and 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer()])
    await give(app, 90)
    const reader = readerOf(app.service.db, soon())
    const asked = toBalanceQuery('u-1')
    const queries = [{ userId: 'u-1', orderId: 'o-1', skus: [], code: '', histories: [asked] }]
    let partCount = 1
    for (let before = 0; before < partCount; before += 1) {
      await redeem(app, { id: `r-${before}`, points: 10, hold: true })
      const query: typeof reader.query = async <Row extends object>(sql: string, params: readonly unknown[] = []) => {
        const parts = clusterSql(sql, params)
        partCount = parts.length
        const rows: Row[] = []
        for (const [place, part] of parts.entries()) {
          if (place === before) await act(app, `r-${before}`, 'confirm')
          rows.push(...(await reader.query<Row>(part.sql, part.params)))
        }
        return rows
      }
      const history = (await readSnapshot({ query }, queries)).history(asked)
      if (history === undefined) continue
      const spent = history.movements.reduce((sum, movement) => sum + movement.spent, 0n)
      const held = BigInt(history.redemptions.length) * 10n
      assert.equal(spent + held, BigInt(before + 1) * 10n, `confirmed before part ${before + 1}`)
    }
    assert(partCount > 1)
  })

  test('an erasure leaves to others what their accounts keep (decision 166)', async (t) => {
    const app = await open(t)
    await publish(app, `${PAYS}\nreferral: { friend: 5, referrer: 7 }`)
    await app.upsertPlayers([aPlayer({ Refercode: 'CODE-1' }), aPlayer({ User_id: 'u-2', Refercode: '' })])
    const order = anOrder({ user_id: 'u-2', products: [], total_amount: 50, refferral_code: 'CODE-1' })
    assert.equal((await app.record([order])).body.inserted, 1)
    assert.equal(await keptCount(app, ['u-2']), 1)
    const { status, body } = await app.ask('POST', '/api/admin/players/u-1/erase', { body: { data: { reason: 'r' } } })
    assert.deepEqual([status, body.blanked.referred_orders], [200, 1])
    assert.equal(await keptCount(app, ['u-2']), 1)
    await clean(app)
  })

  test('verify names an account that keeps anything else than its entries give (decision 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Refercode: '' })])
    await give(app, 90)
    await redeem(app, { id: 'r', points: 20 })
    await act(app, 'r', 'void')
    await clean(app)
    const sentence = 'account of u-1: the movements that it keeps are not those that its entries give'
    for (const wrong of [
      `movements || ',2026-05-10 2026-05-10 infinity f f 1'`,
      `replace(movements, ' 90', ' 91')`,
      `replace(movements, ' f f ', ' f r ')`,
      `''`,
      `'nonsense'`,
    ]) {
      await run(
        app,
        `create table former as select movements from accounts where user_id = 'u-1';
        update accounts set movements = ${wrong} where user_id = 'u-1'`,
      )
      assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [sentence], wrong)
      await run(
        app,
        `update accounts set movements = former.movements from former where user_id = 'u-1'; drop table former`,
      )
    }
    await clean(app)
  })

  test('an account of very many movements keeps none, and its balance is that of its entries (decision 166)', async (t) => {
    const app = await open(t, { now: () => new Date(NOON) })
    await publish(app, PAYS)
    await app.upsertPlayers([aPlayer()])
    for (let place = 0; place < 60; place += 1) {
      const data = {
        ...given(10, place),
        expires_on: new Date(Date.parse('2026-07-01') + place * 86_400_000).toISOString().slice(0, 10),
      }
      assert.equal((await app.ask('POST', '/api/players/u-1/adjustments', { body: { data } })).status, 200)
    }
    assert.equal(await keptCount(app), 0)
    await foldedAccounts(app)
    await app.service.db.transaction((tx) => keepMovements(tx, ['u-1']), soon())
    assert.equal(await keptCount(app), 0)
    await assertAsEntries(app, ['u-1'])
  })

  test('accounts keep nothing where balances do not depend on the day; once they do, those from before are derived within a day (decision 166)', async (t) => {
    const clock = { now: NOON }
    const app = await open(t, { now: () => new Date(clock.now) })
    await app.upsertPlayers([aPlayer()])
    await give(app, 90)
    await app.record([anOrder({ products: [] })])
    assert.equal(await keptCount(app), 0)
    await publish(app, PAYS)
    clock.now = '2026-05-11T12:00:00.000Z'
    await foldedAccounts(app)
    assert.equal(await keptCount(app), 1)
    await assertAsEntries(app, ['u-1'])
    await give(app, 30)
    assert.equal(await keptCount(app), 1)
    await clean(app)
  })
})

test('two services write to accounts while what they keep is lost and derived: it is never wrong (decision 166)', async (t) => {
  const first = await openServerApp(t, { now: () => new Date(NOON) })
  await publish(first, PAYS)
  const players = ['u-1', 'u-2', 'u-3', 'u-4']
  await first.upsertPlayers(players.map((User_id) => aPlayer({ User_id, Refercode: '' })))
  const second = await openTestAppAt(t, first.databaseUrl, { now: () => new Date(NOON) })
  let isWriting = true
  const write = async (app: TestApp, name: string) => {
    for (let place = 0; place < 40; place += 1) {
      const orders = players.map((user_id) =>
        anOrder({ user_id, order_id: `${name}-${place}-${user_id}`, products: [] }),
      )
      assert.equal((await app.record(orders)).status, 200)
    }
  }
  const derive = async () => {
    while (isWriting) {
      await run(first, `update accounts set movements = null where user_id = 'u-${1 + Math.floor(Math.random() * 4)}'`)
      await second.service.db.transaction((tx) => keepMovements(tx, players), soon())
    }
  }
  const deriving = derive()
  await Promise.all([write(first, 'a'), write(second, 'b')]).finally(() => {
    isWriting = false
  })
  await deriving
  await second.service.db.transaction((tx) => keepMovements(tx, players), soon())
  assert.equal(await keptCount(first), players.length)
  await clean(first)
})
