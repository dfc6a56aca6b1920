/*
 * The result of each kind of job, of a shop where every declared field has a value: it is what the kind declares, and nothing else is shown.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clean } from 'typebox/value'
import { jsonOf, parseSums } from '../../src/json-sums.ts'
import { JOB_KINDS } from '../../src/resources/jobs/kinds/index.ts'
import { JOB_KIND_NAMES, type JobKindName } from '../../src/resources/jobs/kinds/names.ts'
import { withIncluded } from '../../src/scopes.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { forEachService, type OpenTestApp, send, type TestApp } from '../support/test-app.ts'
import { unusedFields } from '../support/unused-fields.ts'

const programOf = (earn: string) => `name: Club
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Gold, from: 100 }] }
earn: ${earn}
points: { expire: { after: P12M } }
redeem: { value: { points: 100, pays: 1 } }
`
const IN_EFFECT = programOf('[{ name: base, per-amount: { points: 1, every: 10 } }]')
const CANDIDATE = programOf(`
  - { name: base, per-amount: { points: 1, every: 20 } }
  - { name: large, fixed: { points: 500 }, when: order.net >= 5000 }
  - { name: weekend, fixed: { points: 5 }, during: { from: 2026-11-28, until: 2026-11-29 } }
`)
/** It gives points for nothing. The longer the conditions of a program are, blanks included, the fewer orders its probe tries: this one ends at once. */
const PROBED = programOf(`
  - { name: gift, fixed: { points: 5 } }
${Array.from({ length: 15 }, (_, n) => `  - { name: ${n}th, fixed: { points: 1 }, when: "true${' '.repeat(1_900)}" }\n`).join('')}`)

/** Requests whose results together have every declared field, but for those of a probe, which depend on what it finds. */
const REQUESTS: Readonly<Record<JobKindName, readonly object[]>> = {
  backfill: [{}],
  backup: [{}],
  export: [{ noun: 'orders', format: 'ndjson' }],
  backtest: [{ source: CANDIDATE, from: '2026-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z' }],
  'points-expiring': [{ from: '2026-06-01', to: '2028-12-31' }],
  'points-report': [
    { from: '2026-02-01', to: '2026-03-31', known_at: '2026-05-01T00:00:00Z', closed_at: '2026-04-01T00:00:00Z' },
  ],
  probe: [{ source: PROBED, seed: 1 }],
  report: [{}],
  verify: [{}],
}

/** Players who gain, lose and change level under the candidate, points that expire and pay, and a prediction that did not come true. */
async function openShop(t: Parameters<OpenTestApp>[0], open: OpenTestApp) {
  const clock = { now: '2026-01-01T12:00:00.000Z' }
  const app = await open(t, { now: () => new Date(clock.now) })
  const published = await app.ask('POST', '/api/admin/programs', { body: { data: { source: IN_EFFECT } } })
  assert.equal(published.status, 200, published.text)
  await app.upsertPlayers(['u-1', 'u-2'].map((User_id) => aPlayer({ User_id, Refercode: '' })))
  const record = async (day: string, sent: object) => {
    clock.now = `${day}T12:00:00.000Z`
    const { body } = await app.record([anOrder({ products: [], discount: 0, ...sent })])
    assert.equal(body.inserted, 1, JSON.stringify(body))
  }
  await record('2026-01-10', { order_id: 'o-1', user_id: 'u-1', total_amount: 5000 })
  clock.now = '2026-02-10T11:00:00.000Z'
  await app.predict(
    anOrder({ order_id: 'o-2', user_id: 'u-2', products: [], discount: 0, total_amount: 1000 }),
    '?explain=true',
  )
  // A second is written once it is over.
  clock.now = '2026-02-10T11:00:02.000Z'
  await app.service.deps.predictions.flush()
  await record('2026-02-10', { order_id: 'o-2', user_id: 'u-2', total_amount: 1200 })
  await record('2026-03-10', { order_id: 'o-3', user_id: 'u-2', total_amount: 100, points_redeemed: 100 })
  clock.now = '2026-06-01T12:00:00.000Z'
  return { app, now: clock.now }
}

/** The results of a kind, as a job would store them. */
async function resultsOf(kind: JobKindName, app: TestApp, now: string, files: string): Promise<string[]> {
  const context = { server: undefined, now, files, report: () => undefined, isStopped: () => false }
  const results = []
  for (const data of REQUESTS[kind]) {
    const asked = JOB_KINDS[kind].requestIn({ kind, ...data }, new Date(now), { scopes: withIncluded(['program']) })
    const openDatabase = async () => app.service.db
    results.push(jsonOf(await JOB_KINDS[kind].run(asked, { ...context, openDatabase })))
  }
  return results
}

const script = (app: TestApp, sql: string) =>
  app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000)

/** A job of the kind that is done, with this result. */
async function storedJob(app: TestApp, kind: JobKindName, result: string): Promise<string> {
  const { body } = await app.ask('POST', '/api/admin/jobs', { body: { data: { kind, ...REQUESTS[kind][0] } } })
  const ended = 'began_at = asked_at, ended_at = asked_at, snapshot_at = asked_at'
  const text = result.replaceAll("'", "''")
  await script(app, `update jobs set state = 'done', result = '${text}', ${ended} where job_id = '${body.id}'`)
  return body.id
}

forEachService((openTestApp) => {
  test('each kind of job results in the fields that it declares, and in no other', async (t) => {
    const { app, now } = await openShop(t, openTestApp)
    for (const kind of JOB_KIND_NAMES) {
      if (kind === 'verify') await script(app, "update accounts set points = points + 1 where user_id = 'u-1'")
      const schema: TSchema = JOB_KINDS[kind].result
      const check = Compile(schema)
      const results = (await resultsOf(kind, app, now, temporaryDirectory(t))).map((text) => parseSums(text))
      for (const result of results) {
        assert(check.Check(result), `${kind}: ${JSON.stringify([...check.Errors(result)][0])}`)
        assert.deepEqual(Clean(schema, structuredClone(result)), result, `${kind} has an undeclared field`)
      }
      // A page that is not the last has millions of characters.
      const more = kind === 'points-expiring' ? [{ ...(results[0] as object), after: 'u-1' }] : []
      if (kind !== 'probe') assert.deepEqual(unusedFields(schema, [...results, ...more]), [], kind)
    }
  })

  test('without the scope support the result of a job has handles for IDs, and hides sentences and what its kind does not declare (decision 218)', async (t) => {
    const { app, now } = await openShop(t, openTestApp)
    const { token } = (
      await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'viewer', scopes: ['read'] } } })
    ).body
    const { of } = app.service.deps.handles
    for (const kind of JOB_KIND_NAMES) {
      if (kind === 'verify') await script(app, "update accounts set points = points + 1 where user_id = 'u-1'")
      const [text = ''] = await resultsOf(kind, app, now, temporaryDirectory(t))
      const result = JSON.parse(text) as Record<string, unknown>
      if (kind === 'points-expiring') result.after = 'u-1'
      const id = await storedJob(
        app,
        kind,
        JSON.stringify({ ...result, user_name: 'Asha', more: [{ points: 5, at: null }] }),
      )
      const isId = (name: string) => /^user_ids?$/.test(name) || (kind === 'points-expiring' && name === 'after')
      const masked = (name: string, value: string | string[] | null) => {
        if (name === 'differences') return (value as string[]).map(() => '•••')
        if (!isId(name) || value === null) return value
        return Array.isArray(value) ? value.map(of) : of(value)
      }
      const expected = JSON.parse(JSON.stringify(result), masked as Parameters<typeof JSON.parse>[1]) as object
      // Not as the description says: it knows no other field.
      const path = `/api/admin/jobs/${id}`
      const { status, body } = await send(app.url, 'GET', path, undefined, { token })
      assert.equal(status, 200)
      assert.deepEqual(body.result, { ...expected, user_name: '•••', more: [{ points: '•••', at: null }] }, kind)
      assert.doesNotMatch(kind === 'probe' ? '' : JSON.stringify(body.result), /"u-\d/, kind)
      const { ownToken } = app.service
      const revealed = (await send(app.url, 'GET', `${path}?reveal=true`, undefined, { token: ownToken })).body.result
      assert.deepEqual(revealed, { ...result, user_name: 'Asha', more: [{ points: 5, at: null }] }, kind)
    }
  })
})
