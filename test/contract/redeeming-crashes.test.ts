/*
 * Redemptions whose database connection breaks at each statement of their transaction, and which are then sent again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Driver, Session } from '../../src/database/db/driver.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts } from '../support/counted-accounts.ts'
import { forEachDatabase } from '../support/databases.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { openAppOn, type Reply, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Pay with points
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { pending: { days: 14 }, expire: { after: P12M } }
redeem: { value: { points: 100, pays: "1.00" }, given-back: P30D }
`
const MAY = '2026-05-10T12:00:00.000Z'
/** The players' points expire in July; in August they are given back as new ones. */
const AUGUST = '2026-08-01T12:00:00.000Z'

/** `isTriedAlone`: it is written together with others, and again alone if that fails before its COMMIT. */
type Act = Readonly<{ before?: Step; act: Step; at: string; isTriedAlone?: true }>
type Step = (app: TestApp, userId: string) => Promise<Reply>

const redemption =
  (path: string, data: object): Step =>
  (app, userId) =>
    app.ask('POST', `/api/players/${userId}/redemptions${path}`, { body: { data } })
const order =
  (more: object): Step =>
  (app, userId) =>
    app.record([anOrder({ ...{ order_id: `o-${userId}`, user_id: userId, total_amount: 20, products: [] }, ...more })])

const hold = redemption('', { id: 'r', points: 300, hold: true, reason: 'checkout' })
const spend = redemption('', { id: 'r', points: 300, reason: 'checkout' })
const voiding = redemption('/r/void', { reason: 'payment failed' })
const paid = { points_redeemed: 300 }

const ACTS: Readonly<Record<string, Act>> = {
  hold: { act: hold, at: MAY },
  'spend at once': { act: spend, at: MAY },
  confirm: { before: hold, act: redemption('/r/confirm', { points: 200 }), at: MAY },
  'void a hold': { before: hold, act: voiding, at: MAY },
  'void what is spent, after it would have expired': { before: spend, act: voiding, at: AUGUST },
  'an order that redeems': { act: order(paid), at: MAY, isTriedAlone: true },
  'an order that uses a hold': {
    before: hold,
    act: order({ ...paid, redemption_id: 'r' }),
    at: MAY,
    isTriedAlone: true,
  },
  'a return, after the points would have expired': {
    ...{ before: order(paid), act: order({ ...paid, status: 'returned' }), at: AUGUST, isTriedAlone: true },
  },
}

/** A driver that cuts the next transaction of a player before its n-th statement after BEGIN is sent, or after the last one was executed. */
function cuttable() {
  let next: Readonly<{ userId: string; n: number }> | undefined
  let statements = 0
  const through = (driver: Driver): Driver => ({
    ...driver,
    session: async (...asked) => cuttableSession(await driver.session(...asked)),
  })
  function cuttableSession(session: Session): Session {
    let sent = 0
    let n = Number.POSITIVE_INFINITY
    let hasEnded = false
    const end = () => {
      hasEnded = true
      throw new Error('the connection ends here')
    }
    const send = async <T>(statement: () => Promise<T>, isLast = false): Promise<T> => {
      sent += 1
      if (hasEnded || sent === n) end()
      const response = await statement()
      if (isLast && n === sent + 1) end()
      if (n < Number.POSITIVE_INFINITY) statements = sent
      return response
    }
    return {
      query: (sql, params) => {
        if (sql === 'begin' || sql.startsWith('set local')) return session.query(sql)
        if (sent === 0 && next !== undefined && JSON.stringify(params).includes(`"${next.userId}"`)) {
          n = next.n
          next = undefined
        }
        return send(() => session.query(sql, params), sql === 'commit')
      },
      script: (sql) => send(() => session.script(sql)),
      // One after the other, so that each can be cut.
      async batch(steps) {
        const written: number[] = []
        for (const step of steps) {
          const done = await send(() => session.batch([step]))
          written.push(...done.rowCounts)
          if (done.error !== undefined) return { rowCounts: written, error: done.error }
        }
        return { rowCounts: written }
      },
      release: (broken) => session.release(broken || hasEnded),
    }
  }
  const cut = (userId: string, n: number) => {
    next = { userId, n }
  }
  return { through, cut, statements: () => statements }
}

/** More statements than any of these transactions has. */
const STATEMENTS_MAX = 20

forEachDatabase((_, openTestDb) => {
  test('a redemption cut at any statement is done once or not at all, and sending it again gives the same result as without the cut', async (t) => {
    const cuts = cuttable()
    let now = MAY
    const options = { now: () => new Date(now) }
    const app = await openAppOn(t, (test) => openTestDb(test, { through: cuts.through }), options)
    await openAccounts(app)
    for (const [name, { before, act, at, isTriedAlone }] of Object.entries(ACTS)) {
      const prepare = async (userId: string) => {
        now = MAY
        assert.equal((await before?.(app, userId))?.status ?? 200, 200)
        now = at
        return stateOf(app, userId)
      }
      const calm = userOf(name, 0)
      const begun = await prepare(calm)
      cuts.cut(calm, STATEMENTS_MAX)
      const response = await act(app, calm)
      assert.equal(response.status, 200, response.text)
      const statements = cuts.statements()
      assert(statements > 4 && statements < STATEMENTS_MAX, `${name} has ${statements} statements`)
      const done = await stateOf(app, calm)
      assert.notDeepEqual(done, begun)

      for (let n = 1; n <= statements + 1; n += 1) {
        const userId = userOf(name, n)
        assert.deepEqual(await prepare(userId), begun)
        cuts.cut(userId, n)
        const cut = await act(app, userId)
        const isMadeUpFor = isTriedAlone === true && n < statements
        const isDone = n > statements || isMadeUpFor
        const expected = [isMadeUpFor ? 200 : 500, isDone ? done : begun]
        assert.deepEqual([cut.status, await stateOf(app, userId)], expected, `${name}, cut at ${n}`)
        const again = await act(app, userId)
        assert.equal(again.status, 200, again.text)
        if ('repeated' in again.body) assert.equal(again.body.repeated, isDone)
        else assert.equal(again.body.skipped, isDone ? 1 : 0)
        assert.deepEqual(await stateOf(app, userId), done, `${name}, cut at ${n} and sent again`)
      }
    }
    // The clock of this test goes back, which that of a service does not: accounts that were counted before are counted as of now.
    const countAll = 'insert into account_changes (user_id) select user_id from accounts'
    await app.service.db.transaction((tx) => tx.query(countAll), performance.now() + 60_000)
    await foldedAccounts(app)
    await checkLedger(app.service.db)
  })
})

/** A player for each cut of each act; number 0 is never cut. */
function userOf(act: string, n: number): string {
  return `player-${Object.keys(ACTS).indexOf(act)}-${n}-cut`
}

/** Gives each of them 540 points that expire in July. */
async function openAccounts(app: TestApp): Promise<void> {
  assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM } } })).status, 200)
  const places = Array.from({ length: STATEMENTS_MAX }, (_, n) => n)
  const userIds = Object.keys(ACTS).flatMap((name) => places.map((n) => userOf(name, n)))
  await app.upsertPlayers(userIds.map((User_id) => aPlayer({ User_id })))
  const given = { id: 'opening', points: 540, counts: false, reason: 'opening', expires_on: '2026-07-01' }
  const data = userIds.map((user_id) => ({ user_id, ...given }))
  assert.equal((await app.ask('POST', '/api/admin/balances', { body: { data } })).body.inserted, userIds.length)
}

async function stateOf(app: TestApp, userId: string): Promise<string[]> {
  const account = await app.ask('GET', `/api/players/${userId}`)
  const redemptions = await app.ask('GET', `/api/players/${userId}/redemptions`)
  return [account, redemptions].map(({ text }) => text.replaceAll(userId, 'somebody'))
}
