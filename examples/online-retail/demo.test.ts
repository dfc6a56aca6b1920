import assert from 'node:assert/strict'
import test from 'node:test'
import { reportPredictions } from '../../src/resources/prediction-log/report-predictions.ts'
import { openTestApp } from '../../test/support/test-app.ts'
import { eventually } from '../../test/support/waiting.ts'
import { fillWithDemo, onDaysUntil } from './demo.ts'
import type { OrderState } from './states.ts'

const ALWAYS = { from: '0001-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z' }
const state = (at: string, orderedAt: string) => ({ at, why: 'placed', order: { ordered_at: orderedAt } }) as OrderState

test('days with orders are moved next to each other, up to yesterday, and a return keeps the day of its order', () => {
  const states = [
    state('2010-12-01T08:26:00Z', '2010-12-01T08:26:00Z'),
    state('2011-02-28T10:00:00Z', '2011-02-28T10:00:00Z'),
    state('2011-06-01T09:30:00Z', '2010-12-01T08:26:00Z'),
  ]
  assert.deepEqual(
    onDaysUntil('2026-03-01', states).map(({ at, order }) => [at, order.ordered_at]),
    [
      ['2026-02-27T08:26:00Z', '2026-02-27T08:26:00Z'],
      ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00Z'],
      ['2026-03-01T09:30:00Z', '2026-02-27T08:26:00Z'],
    ],
  )
})

test('the demo fills every page: two programs, returns, corrections, refused records, predictions that came true and others that did not', async (t) => {
  const app = await openTestApp(t)
  await fillWithDemo(app.url, app.service.ownToken)
  const one = async (sql: string) => (await app.query(sql))[0]
  assert.deepEqual(await one('select count(distinct program_version)::int as programs from orders'), { programs: 2 })
  const changes = await app.query('select distinct change from entries where change is not null order by 1')
  assert.deepEqual(
    changes.map(({ change }) => change),
    ['cancelled', 'changed', 'placed'],
  )
  assert.deepEqual(await one(`select count(*)::int as adjustments from entries where kind = 'adjustment'`), {
    adjustments: 6,
  })
  const refused = app.observations.flatMap((one) => (one.kind === 'batch-upserted' ? [one.skipped] : []))
  assert(refused.includes(3), `no request had refused records: ${refused}`)
  const report = () => reportPredictions(app.service.db, ALWAYS, new Date().toISOString(), () => undefined)
  await eventually('predictions are kept', async () => (await report()).noneKept === 0)
  const { orders, cameTrue, differed } = await report()
  assert.deepEqual([orders, cameTrue + differed], [152, 152])
  assert(differed > 0 && differed < cameTrue, `${differed} of 152 differ`)
})
