import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { backfillStatistics } from '../../src/ledger/tallies.ts'
import { requestBackfill } from '../../src/resources/jobs/service.ts'
import { backfillAll, foldStatistics } from '../../src/resources/statistics/fold-statistics.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import {
  good,
  history,
  openWorlds,
  PLAYERS,
  playerOf,
  sourceOf,
  take,
  type World,
  wireOf,
} from '../support/histories.ts'
import { PLAIN_ENTRIES, type PlainEntry, plainBalances, plainLines } from '../support/plain-statistics.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const HISTORIES = 3
const LEDGER = [
  'issued',
  'taken-back',
  'spent',
  'rule',
  'rounding',
  'referral',
  'later',
  'orders',
  'revisions',
  'nothing',
]

const soon = () => performance.now() + 60_000
const differencesIn = async (app: TestApp) => (await verifyLedger(app.service.db, () => undefined)).differences

/** Removes what entries from before the migration lack, and starts the backfill as the migration does. */
const BEFORE_DAYS = `
  update entries set day = null, booked_day = null, change = null, explanation = (explanation::jsonb - 'nothing')::json;
  truncate tallies, statistics_days, statistics_months;
  drop table statistics_backfill;
  ${readFileSync(new URL('../../src/database/migrations/0018.do.statistics-backfill.sql', import.meta.url), 'utf8')
    // A cluster refuses subqueries without columns. Tables are only distributed once they have been migrated this far.
    .replace('select from entries', 'select 1 from entries')}`

const MANY = 20_000

forEachService((openTestApp) => {
  test('the backfill is a job that the service requests by itself, that can be cancelled, and that resumes where it stopped (decision 128)', async (t) => {
    const app = await openTestApp(t, { jobs: { directory: temporaryDirectory(t) } })
    const { db } = app.service
    const entries = `insert into accounts (user_id, points, counted, orders, entries, rev) values ('u-1', ${MANY}, 0, 0, ${MANY}, 1);
      insert into entries (user_id, seq, kind, points, counts, at, recorded_at, adjustment_id)
      select 'u-1', n, 'adjustment', 1, false, '2026-01-01', '2026-01-01', 'a-' || n from generate_series(1, ${MANY}) n;
      insert into account_changes (user_id) values ('u-1');`
    await db.transaction((tx) => tx.script(entries + BEFORE_DAYS), soon())
    const backfills = async () => {
      const { jobs } = (await app.ask('GET', '/api/admin/jobs')).body
      return jobs.filter(({ kind }: { kind: string }) => kind === 'backfill')
    }
    await requestBackfill(app.service.deps)
    const counted = async () => Number((await app.query('select counted from statistics_backfill'))[0]!.counted)
    await eventually('it counts', async () => (await counted()) > 0)
    const [{ id, requested_by }] = await backfills()
    assert.equal(requested_by, 'service')
    await app.ask('POST', `/api/admin/jobs/${id}/cancel`)
    await eventually('it ends', async () =>
      (await backfills()).every(({ state }: { state: string }) => state === 'cancelled'),
    )
    assert((await counted()) < MANY)
    const count = (await backfills()).length
    await requestBackfill(app.service.deps)
    assert.equal((await backfills()).length, count, 'a cancelled backfill is not requested again')
    assert.deepEqual(await differencesIn(app), [])
    const { status, body, text } = await app.ask('POST', '/api/admin/jobs', { body: { data: { kind: 'backfill' } } })
    assert.equal(status, 200, text)
    await eventually(
      'it is done',
      async () => (await app.ask('GET', `/api/admin/jobs/${body.id}`)).body.state === 'done',
    )
    const again = (await app.ask('GET', `/api/admin/jobs/${body.id}`)).body
    assert.deepEqual([again.result, again.progress[0].done], [{ counted: MANY }, MANY])
    await requestBackfill(app.service.deps)
    assert.equal((await backfills()).length, count + 1, 'nothing is left')
    assert.deepEqual(await differencesIn(app), [])
  })

  test('a backfill that failed is requested again after an hour, and one that was cancelled never (decision 128)', async (t) => {
    const now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    await app.query("insert into statistics_backfill values ('', 0, 0, false)")
    const isRequestedAfter = async (state: string, minutes: number) => {
      const ended = new Date(now.getTime() - minutes * 60_000).toISOString()
      await app.query('delete from jobs')
      await app.query(`insert into jobs (job_id, kind, state, request, asked_by, asked_at, ended_at)
        values ('last', 'backfill', '${state}', '{}', 'service', '${ended}', '${ended}')`)
      await requestBackfill(app.service.deps)
      return (await app.query("select job_id from jobs where state = 'waiting'")).length === 1
    }
    const cases = { failed: [false, true], cancelled: [false, false], interrupted: [true, true] }
    for (const [state, expected] of Object.entries(cases))
      assert.deepEqual([await isRequestedAfter(state, 59), await isRequestedAfter(state, 61)], expected, state)
  })

  test('entries from before days were stored are counted page by page, once each, while orders are recorded', async (t) => {
    const { newWorld } = await openWorlds((options) => openTestApp(t, options))
    const worlds: World[] = []
    await fc.assert(
      fc.asyncProperty(history, async ({ program, steps }) => {
        const world = await newWorld(sourceOf(program))
        worlds.push(world)
        for (const one of steps) await take(world, one)
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
    const world = worlds.at(-1)!
    const { app, clock } = world
    const { db } = app.service
    await db.transaction((tx) => tx.script(BEFORE_DAYS), soon())
    assert.deepEqual(await differencesIn(app), [], 'none is counted, which verifying takes into account')
    const record = async (order: string) => {
      const state = { total_amount: 400, discount: 0 as const, products: [], refferral_code: '' as const }
      const sent = PLAYERS.map((player) => wireOf(world, { player, order, state, daysAgo: 0 }))
      await good(app.upsertPlayers(PLAYERS.map((name) => playerOf(world.prefix, name, 'Goa', ''))))
      await good(app.record(sent))
    }
    const page = (entriesMax: number) => db.transaction((tx) => backfillStatistics(tx, entriesMax), soon())
    await record('new 1')
    await page(1)
    for (let pages = 0; pages < 5; pages += 1) await Promise.all([page(7), page(7), page(7)])
    await record('new 2')
    const { backfill } = (await app.ask('GET', '/api/admin/statistics/summary')).body
    // The service runs the backfill, too, and may have finished it.
    assert(backfill === null || (backfill.counted > 0 && backfill.counted <= backfill.entries))
    assert.deepEqual(await differencesIn(app), [], 'some are counted')
    await Promise.all([backfillAll(db, () => false), record('new 3'), backfillAll(db, () => false)])
    await backfillAll(db, () => false)
    assert.deepEqual(await differencesIn(app), [], 'all are counted')
    assert.equal(await page(7), undefined)
    await foldStatistics(db)
    clock.now = new Date(clock.now.getTime() + 60_000)
    const entries = (await app.query(PLAIN_ENTRIES)) as unknown as PlainEntry[]
    assert(
      entries.some(({ is_from_before }) => is_from_before) && entries.some(({ is_from_before }) => !is_from_before),
    )
    for (const basis of ['ordered', 'posted'] as const) {
      const range = { basis, per: 'span' as const, from: '2026-01-01', to: '2044-12-31' }
      const query = `from=${range.from}&to=${range.to}&basis=${basis}`
      const ask = async (what: string) =>
        (await app.ask('GET', `/api/admin/statistics/${what}?${query}&per=span`)).body.lines
      const found = [...(await ask('points')), ...(await ask('rules')), ...(await ask('orders'))]
      assert.deepEqual(
        LEDGER.map((measure) =>
          found.filter((line) => line.measure === measure).map(({ quality: _, as_of: __, ...line }) => line),
        ),
        LEDGER.map((measure) => plainLines(entries, [measure], range)),
      )
      const { figures, backfill: left } = (await app.ask('GET', `/api/admin/statistics/summary?${query}`)).body
      const { balance, debts } = plainBalances(entries, range.to)
      const points = (name: string) => figures.find(({ figure }: { figure: string }) => figure === name).points
      assert.deepEqual([points('balance'), points('debts'), left], [balance, debts, null])
    }
  })
})
