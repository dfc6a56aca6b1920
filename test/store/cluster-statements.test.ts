import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { Driver, Session } from '../../src/database/db/driver.ts'
import { readerOf } from '../../src/database/db/reader.ts'
import { clusterSql } from '../../src/database/db/sql-file.ts'
import { listPlayerMovements } from '../../src/ledger/histories.ts'
import { findOrders } from '../../src/ledger/recorded-orders.ts'
import { countInactive } from '../../src/resources/personal-data/erase-inactive.ts'
import { COMPARE_AFTER_MS } from '../../src/resources/prediction-log/comparisons.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { openTestPostgres } from '../support/databases.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { act, clean, give, redeem } from '../support/redeeming.ts'
import { openAppOn } from '../support/test-app.ts'

const PROGRAM = `name: Everything
rounding: floor
levels: { counts: { window: P1M }, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, fixed: { points: 10 } }]
referral: { friend: 5, referrer: 7 }
redeem: { value: { points: 1, pays: 1 } }`

/** Runs what a cluster runs, and compares its rows with those of the statement unless it writes. `seen` is told how many rows, or 1. */
function twice(driver: Driver, seen: (sql: string, rows: number) => void): Driver {
  const both = (session: Session): Session => ({
    ...session,
    async batch(steps) {
      const ordered = steps.map(({ sql, params = [], ...step }) => {
        const [one, ...others] = clusterSql(sql, params)
        assert.deepEqual(others, [], 'a step is one statement')
        if (one!.sql !== sql) seen(sql, 1)
        return { ...step, ...one! }
      })
      return await session.batch(ordered)
    },
    async query<Row extends object>(sql: string, params: readonly unknown[] = []) {
      const parts = clusterSql(sql, params)
      if (parts[0]!.sql === sql) return await session.query<Row>(sql, params)
      const writes = /^\s*(?:insert|update|delete)\b|\b(?:insert into|delete from|for update)\b/m.test(sql)
      const rows: Row[] = []
      for (const part of parts) rows.push(...(await session.query<Row>(part.sql, part.params)))
      if (!writes) assert.deepEqual(sorted(rows), sorted(await session.query<Row>(sql, params)), sql)
      seen(sql, writes ? 1 : rows.length)
      return rows
    },
  })
  return { ...driver, session: async (...asked) => both(await driver.session(...asked)) }
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()

test('what a cluster runs instead of a statement gives the same rows, and records the same ledger, on one server', async (t) => {
  const rows = new Map<string, number>()
  const through = (driver: Driver) => twice(driver, (sql, more) => rows.set(sql, (rows.get(sql) ?? 0) + more))
  const clock = { ms: Date.parse('2026-05-10T12:00:00Z') }
  const app = await openAppOn(t, (test) => openTestPostgres(test, { through }), { now: () => new Date(clock.ms) })
  const published = await app.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM } } })
  assert.equal(published.status, 200, published.text)
  const players = [
    aPlayer({ Refercode: 'ASHA' }),
    aPlayer({ User_id: 'u-2', Refercode: 'BEN' }),
    ...['u-3', 'u-4', 'u-5'].map((id) => aPlayer({ User_id: id, Refercode: 'SHARED' })),
    aPlayer({ User_id: 'u-6', Refercode: '' }),
  ]
  await app.upsertPlayers(players.map((player) => ({ ...player, State_version: 1 })))
  await app.upsertPlayers(players.map((player) => ({ ...player, Name: 'Changed', State_version: 2 })))
  const order = anOrder()
  const orders = [
    order,
    ...['ASHA', 'SHARED', 'NOBODY'].map((code, index) => ({
      ...order,
      order_id: `o-${index + 2}`,
      user_id: `u-${index + 2}`,
      refferral_code: code,
    })),
  ]
  for (const one of orders) for (const _ of [1, 2]) assert.equal((await app.predict(one)).status, 200)
  await app.service.deps.predictions.flush()
  // Enough for the accounts to be locked first.
  const many = Array.from({ length: 600 }, (_, index) => ({
    ...order,
    order_id: `m-${index}`,
    user_id: `u-${1 + (index % 6)}`,
  }))
  for (const sent of [[{ ...order, total_amount: 7 }, ...orders.slice(1)], many])
    assert.equal((await app.record(sent)).status, 200)
  assert.equal((await app.record(orders.map((one) => ({ ...one, status: 'cancelled' })))).status, 200)
  clock.ms += COMPARE_AFTER_MS + 1_000
  await app.service.deps.predictions.flush()
  for (const one of orders) assert.equal((await app.predict(one)).status, 200)
  await give(app, 100)
  await redeem(app, { id: 'held', points: 30, hold: true })
  await redeem(app, { id: 'spent', points: 20 })
  await act(app, 'held', 'confirm')
  await foldedAccounts(app)
  await sweptAccounts(app)
  const shown = await app.ask('GET', '/api/admin/orders/o-2')
  assert.equal(shown.status, 200, shown.text)
  const known = { after: '', limit: 10, day: '2026-06-01', knownAt: 'infinity' }
  const reader = readerOf(app.service.db, performance.now() + 60_000)
  assert.equal((await listPlayerMovements(reader, known)).length, 6)
  assert.equal((await findOrders(reader, [{ userId: 'u-2', orderId: 'o-2' }]))[0]?.order.id, 'o-2')
  await clean(app)
  const soon = performance.now() + 60_000
  const later = { db: app.service.db, now: () => new Date(clock.ms + 400 * 86_400_000) }
  assert.equal((await countInactive(later, 'P1Y', soon)).count, 6)
  await app.service.db.transaction((tx) => tx.query("insert into order_owners values ('left', 'u-1')"), soon)
  const { differences } = await verifyLedger(app.service.db, () => undefined)
  assert.equal(differences.length, 1)
  const blocks = globSync('src/**/*.sql', { cwd: PROJECT }).flatMap((path) => [
    ...readFileSync(join(PROJECT, path), 'utf8').matchAll(/^-- on a cluster: /gm),
  ])
  assert.equal(
    [...rows.values()].filter((count) => count > 0).length,
    blocks.length,
    [...rows.keys()].map((sql) => sql.split('\n')[2]).join('\n'),
  )
})
