/*
 * How long the audit log and the counts of sources are kept (settings of the shop, decision 70).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { sweepActs } from '../../src/resources/audit-log/service.ts'
import { aPlayer } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const NOW = '2026-06-05T12:00:00.000Z'
const set = async (app: TestApp, data: object) => {
  const { status, text } = await app.ask('PUT', '/api/admin/settings', { body: { data } })
  assert.equal(status, 200, text)
}
/** `count` acts of each of these moments. */
const addActs = (app: TestApp, moments: readonly string[], count = 1) =>
  app.query(`
    insert into acts (at, act_id, by, act, subject, detail)
    select at::timestamptz, 'a-' || n, 'someone', 'signed-in', 'x', '{}'
    from unnest(array['${moments.join("','")}']) as at, generate_series(1, ${count}) as n`)
const actDays = async (app: TestApp) => {
  const rows = await app.query(
    `select to_char(at at time zone 'utc', 'YYYY-MM-DD') as day from acts where by = 'someone' order by at`,
  )
  return rows.map(({ day }) => day)
}

forEachService((openTestApp) => {
  const open = (t: Parameters<typeof openTestApp>[0]) => openTestApp(t, { now: () => new Date(NOW) })

  test('the audit log is kept for ever unless the shop says for how long; what it says takes effect in the next pass', async (t) => {
    const app = await open(t)
    await addActs(app, ['2001-01-01T00:00:00Z', '2025-05-04T23:59:59.999Z', '2025-05-05T00:00:00Z', NOW])
    const sweep = () => sweepActs(app.service.deps)
    await sweep()
    assert.deepEqual(await actDays(app), ['2001-01-01', '2025-05-04', '2025-05-05', '2026-06-05'])
    await set(app, { 'audit-log.keep': 'P13M' })
    await sweep()
    assert.deepEqual(await actDays(app), ['2025-05-05', '2026-06-05'])
    const { body } = await app.ask('GET', '/api/admin/audit-log?act=settings-changed')
    assert.deepEqual(body.entries[0].detail, { 'audit-log.keep': 'P13M' })
    await set(app, { 'audit-log.keep': 'forever' })
    await addActs(app, ['2001-01-01T00:00:00Z'])
    await sweep()
    assert.deepEqual(await actDays(app), ['2001-01-01', '2025-05-05', '2026-06-05'])
  })

  test('more than one slice is deleted in a pass, and what is kept stays', async (t) => {
    const app = await open(t)
    await addActs(app, ['2020-01-01T00:00:00Z', NOW], 1_200)
    await set(app, { 'audit-log.keep': 'P30D' })
    await sweepActs(app.service.deps)
    assert.equal((await actDays(app)).length, 1_200)
  })

  test('counts of sources are kept for 400 days, or for as long as the shop says', async (t) => {
    const app = await open(t)
    await app.upsertPlayers([aPlayer()])
    const { activity } = app.service.deps
    await activity.flush()
    await app.query(`
      insert into feed_days (day, noun, token_id, measure, field, kind, n)
      select old::date, noun, token_id, 'refused', 'DOB', 'k-' || place, 1
      from feed_days, unnest(array['2025-04-30', '2025-05-01', '2026-05-05', '2026-05-06']) as old, generate_series(1, 600) as place
      where measure = 'requests'`)
    const days = async () =>
      (await app.query('select distinct day::text as day from feed_days order by 1')).map(({ day }) => day)
    await activity.sweep()
    assert.deepEqual(await days(), ['2025-05-01', '2026-05-05', '2026-05-06', '2026-06-05'])
    await set(app, { 'sources.keep': 'P30D' })
    await activity.sweep()
    assert.deepEqual(await days(), ['2026-05-06', '2026-06-05'])
    await set(app, { 'sources.keep': null })
    await activity.sweep()
    assert.deepEqual(await days(), ['2026-05-06', '2026-06-05'])
  })
})
