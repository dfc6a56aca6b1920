import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import {
  newDataDirectory,
  runCommand,
  type ServiceOptions,
  startService,
  temporaryDirectory,
} from '../support/service-process.ts'

/** A service that has predicted two orders, and recorded them with a third: one as predicted, one with more in it. */
async function startPredicted(t: TestContext, options: ServiceOptions) {
  const service = await startService(options)
  t.after(() => service.stop())
  await service.upsert(
    'players',
    [1, 2, 3].map((n) => aPlayer({ User_id: `u-${n}`, Refercode: '' })),
  )
  const order = (n: number, parts: object = {}) => anOrder({ order_id: `o-${n}`, user_id: `u-${n}`, ...parts })
  for (const n of [1, 2]) {
    const { status } = await service.ask('/api/predictions/orders', { body: { data: order(n) } })
    assert.equal(status, 200)
  }
  const recorded = await service.upsert('orders', [order(1), order(2, { total_amount: 6_000 }), order(3)])
  assert.equal(recorded.body.inserted, 3)
  return service
}

const TEXT = `predictions kept: 2 of 2
orders recorded       3
  no prediction kept  1
  predicted           2
    came true         1  50.0 %
    differed          1  50.0 %

what differed
  changed order  1  100.0 %

changed order, for example
  order o-2 of u-2, first recorded <at>
    predicted 120 points and Bronze, by program 1
    recorded  600 points and Silver, by program 1
`

const JSON_REPORT = {
  predictions: { kept: 2, answered: 2 },
  orders: 3,
  none_kept: 1,
  predicted: 2,
  came_true: 1,
  differed: 1,
  equal_at_first: 1,
  changed_later: 0,
  by_reason: { program: 0, player: 0, price: 0, referral: 0, order: 1, moment: 0, 'not-known': 0, unexplained: 0 },
  by_reasons: [
    {
      reasons: ['order'],
      orders: 1,
      examples: [
        {
          order_id: 'o-2',
          user_id: 'u-2',
          recorded_at: '<at>',
          predicted: { points: 120, level: 'Bronze', program: 1 },
          recorded: { points: 600, level: 'Silver', program: 1 },
          points_now: 600,
        },
      ],
    },
  ],
}

const withoutMoments = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<at>')

test('on the embedded database the report waits for the service to stop (decision 65), and then says what differed', async (t) => {
  const service = await startPredicted(t, { data: await newDataDirectory(t) })
  const env = { LAUREL_DATA: service.data }
  const held = await runCommand(['predictions', 'report'], env)
  assert.deepEqual([held.code, held.stdout], [2, ''])
  assert.match(held.stderr, /^laurel: the service at http\S+ holds the database: stop it [^\n]+PostgreSQL\n$/)
  await service.stop()
  const { code, stdout, stderr } = await runCommand(['predictions', 'report'], env)
  assert.deepEqual([code, withoutMoments(stdout), stderr], [0, TEXT, ''])
})

test('on PostgreSQL the report runs beside the service, as text, as JSON, and for a range', async (t) => {
  const env = { DATABASE_URL: await testDatabase(t) }
  const service = await startPredicted(t, { data: join(temporaryDirectory(t), 'data'), env })
  await service.stop() // Predictions are written within a second, or when the service stops.
  const again = await startService({ data: service.data, env })
  t.after(() => again.stop())
  const run = (...options: string[]) => runCommand(['predictions', 'report', ...options], env)
  const [text, json, before, wrong] = await Promise.all([
    run(),
    run('--json', '--from', '2020-01-01T00:00:00+01:00', '--to', '2999-01-01T00:00:00Z'),
    run('--to', '2020-01-01'),
    run('--from', 'yesterday'),
  ])
  assert.deepEqual([text.code, withoutMoments(text.stdout), text.stderr], [0, TEXT, ''])
  assert.deepEqual([json.code, JSON.parse(withoutMoments(json.stdout))], [0, JSON_REPORT])
  assert.match(before.stdout, /^predictions kept: 0 of 0\norders recorded +0\n/)
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /^laurel: --from is "yesterday": expected a moment like \S+, or a date like \S+\n$/)
})
