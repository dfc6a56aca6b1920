import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { runCommand } from '../support/run-command.ts'
import { openEmbeddedApp, openServerApp, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

type Post = (path: string, data: unknown) => Promise<{ status: number; body: { inserted?: number } }>

/** Has a service predict two orders, then records them and a third: one as predicted, one with more lines. */
async function predictAndRecord(post: Post): Promise<void> {
  await post(
    '/api/integration/players',
    [1, 2, 3].map((n) => aPlayer({ User_id: `u-${n}`, Refercode: '' })),
  )
  const order = (n: number, parts: object = {}) => anOrder({ order_id: `o-${n}`, user_id: `u-${n}`, ...parts })
  for (const n of [1, 2]) assert.equal((await post('/api/predictions/orders', order(n))).status, 200)
  const orders = [order(1), order(2, { total_amount: 6_000 }), order(3)]
  assert.equal((await post('/api/integration/orders', orders)).body.inserted, 3)
}

async function predictionsKept({ query }: TestApp): Promise<void> {
  const kept = async () => (await query('select count(*)::int8 as n from predictions'))[0]!.n
  await eventually('the predictions are written', async () => (await kept()) === 2)
}

const TEXT = `as of <at>, counted
predictions kept: 2 of 2
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
  as_of: '<at>',
  quality: 'counted',
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

test('on the embedded database the report says what differed, while the service runs and without it (decision 125)', async (t) => {
  const app = await openEmbeddedApp(t)
  await predictAndRecord((path, data) => app.ask('POST', path, { body: { data } }))
  const env = { LAUREL_DATA: app.data }
  await predictionsKept(app)
  const held = await runCommand(['predictions', 'report'], env)
  assert.deepEqual([held.code, withoutMoments(held.stdout), held.stderr], [0, TEXT, ''])
  await app.stop()
  const { code, stdout, stderr } = await runCommand(['predictions', 'report'], env)
  assert.deepEqual([code, withoutMoments(stdout), stderr], [0, TEXT, ''])
})

test('on PostgreSQL the report runs beside the service, as text, as JSON, and for a range', async (t) => {
  const app = await openServerApp(t)
  await predictAndRecord((path, data) => app.ask('POST', path, { body: { data } }))
  await predictionsKept(app)
  const env = { DATABASE_URL: app.databaseUrl }
  const run = (...options: string[]) => runCommand(['predictions', 'report', ...options], env)
  const [text, json, before, wrong] = await Promise.all([
    run(),
    run('--json', '--from', '2020-01-01T00:00:00+01:00', '--to', '2999-01-01T00:00:00Z'),
    run('--to', '2020-01-01'),
    run('--from', 'yesterday'),
  ])
  assert.deepEqual([text.code, withoutMoments(text.stdout), text.stderr], [0, TEXT, ''])
  assert.deepEqual([json.code, JSON.parse(withoutMoments(json.stdout))], [0, JSON_REPORT])
  assert.match(before.stdout, /^as of \S+Z, counted\npredictions kept: 0 of 0\norders recorded +0\n/)
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /^laurel: --from is "yesterday": expected a timestamp like \S+, or a date like \S+\n$/)
})
