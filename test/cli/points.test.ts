import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder, aPlayer } from '../support/builders.ts'
import { runCommand } from '../support/run-command.ts'
import { openEmbeddedApp, openServerApp } from '../support/test-app.ts'

type Post = (path: string, data: unknown) => Promise<{ status: number; body: { inserted?: number } }>

/** Two players with points that expire, and an order. */
async function record(post: Post): Promise<void> {
  const source = `name: Pay with points
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: { pending: { days: 0 } }
redeem: { value: { points: 100, pays: 1 }, step: 100 }
`
  assert.equal((await post('/api/admin/programs', { source })).status, 200)
  const players = ['u-1', 'mira@example.com']
  await post(
    '/api/integration/players',
    players.map((User_id) => aPlayer({ User_id, Refercode: '' })),
  )
  assert.equal((await post('/api/integration/orders', [anOrder()])).body.inserted, 1)
  for (const [place, id] of players.entries()) {
    const gift = { id: 'gift', points: 100, counts: false, reason: 'r', expires_on: `2970-03-0${place + 1}` }
    assert.equal((await post(`/api/players/${id}/adjustments`, gift)).status, 200)
  }
}

const SPAN = ['--from', '2000-01-01', '--to', '2969-12-31']
const TEXT = `2 players, 2000-01-01 to 2969-12-31, as of <moment>, exact
a point is worth 0.01 (redeem.value of version 2)

                 points  value
opening               0      0
late                  0      0
issued              120    1.2
redeemed              0      0
adjusted            200      2
reinstated            0      0
expired               0      0
value-change          0      0
closing             320    3.2
  of it pending       0      0
  less owed           0      0

issued: points from orders and referrals of the period, less reversed points.
laurel stats counts all points issued, including by adjustments, and reversed points separately.

by kind and version  opening  late  given  spent  expired  closing
adjustment                 0     0    200      0        0      200
order, version 2           0     0    120      0        0      120

expires in  points  value
2970-02        100      1
2970-03        100      1
never          120    1.2

earned in  given  spent          expired          open
<month>      320      0  0.00 %        0  0.00 %   320  100.00 %
`
const FIGURES = [
  'opening',
  'late',
  'issued',
  'redeemed',
  'adjusted',
  'reinstated',
  'expired',
  'value-change',
  'closing',
  'pending',
  'owed',
]
const POINTS = ['0,0', '0,0', '120,1.2', '0,0', '200,2', '0,0', '0,0', '0,0', '320,3.2', '0,0', '0,0']
const sourceLines = (source: string, points: number) =>
  ['opening,0', 'late,0', `given,${points}`, 'spent,0', 'expired,0', `closing,${points}`].map(
    (figures) => `sources,,${source},${figures},,<moment>,exact`,
  )
const CSV = [
  'table,month,kind,program,measure,points,value,as_of,quality',
  ...FIGURES.map((measure, place) => `lines,,,,${measure},${POINTS[place]},<moment>,exact`),
  ...sourceLines('adjustment,', 200),
  ...sourceLines('order,2', 120),
  ...['2970-02,,,closing,100,1', '2970-03,,,closing,100,1', 'never,,,closing,120,1.2'].map(
    (figures) => `ends,${figures},<moment>,exact`,
  ),
  ...['given,320', 'spent,0', 'expired,0', 'open,320'].map((figures) => `months,<month>,,,${figures},,<moment>,exact`),
  '',
].join('\r\n')
const ENDINGS_CSV = [
  'user_id,points,on,last_day,as_of,quality',
  'mira@example.com,100,2970-03-02,2970-03-01,<moment>,swept',
  'u-1,100,2970-03-01,2970-02-28,<moment>,swept',
  '',
].join('\r\n')
/** Moments, which are now, and the date of the orders: today. */
const withoutNow = (text: string) =>
  text.replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, '<moment>').replace(/\b20[2-8]\d-\d\d\b(?!-)/g, '<month>')

async function assertReports(env: Record<string, string>): Promise<void> {
  const startedAt = new Date().toISOString()
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['points', ...args], env)
    assert.deepEqual([code, stderr], [0, ''])
    return stdout
  }
  assert.equal(withoutNow(await run('report', ...SPAN)), TEXT)
  assert.equal(withoutNow(await run('report', ...SPAN, '--csv')), CSV)
  const { lines, point_value, as_of, quality } = JSON.parse(
    await run('report', ...SPAN, '--json', '--point-value', '0.5'),
  )
  assert.deepEqual(lines.at(-1), { line: 'closing', points: '320', value: '160' })
  assert.deepEqual(point_value, { each: '0.5', by: 'asked' })
  assert(startedAt <= as_of && as_of <= new Date().toISOString(), as_of)
  assert.equal(quality, 'exact')
  const first = await run('expiring', '--from', '2970-03-01', '--to', '2970-03-01')
  assert.equal(withoutNow(first), 'as of <moment>, swept\n2970-03-01  (last day 2970-02-28)         100  u-1\n')
  const march = ['expiring', '--from', '2970-03-01', '--to', '2970-03-31']
  assert.equal(withoutNow(await run(...march, '--csv')), ENDINGS_CSV)
  assert.match(await run(...march, '--json'), /"as_of":"[^"]+Z","quality":"swept","points":100\}$/m)
  // What was reported at a moment says so; its opening is as of the moment at which the days before were.
  const closed = [...SPAN, '--known-at', '2026-04-01T00:00:00Z', '--closed-at', '2026-03-01T00:00:00Z']
  assert.match(
    await run('report', ...closed),
    /^0 players, \S+ to \S+, as known at 2026-04-01T00:00:00\.000Z, exact, opening as known at 2026-03-01T00:00:00\.000Z$/m,
  )
  const csv = await run('report', ...closed, '--csv')
  assert.match(csv, /^lines,,,,opening,0,,2026-03-01T00:00:00\.000Z,exact\r$/m)
  assert.match(csv, /^lines,,,,late,0,,2026-04-01T00:00:00\.000Z,exact\r$/m)
}

test('on the embedded database points are reported while the service runs and without it (decisions 125 and 143)', async (t) => {
  const app = await openEmbeddedApp(t)
  await record((path, data) => app.ask('POST', path, { body: { data } }))
  const env = { LAUREL_DATA: app.data }
  await assertReports(env)
  await app.stop()
  await assertReports(env)
})

test('on PostgreSQL points are reported beside the service; an invalid question is refused with its option (decision 143)', async (t) => {
  const app = await openServerApp(t)
  await record((path, data) => app.ask('POST', path, { body: { data } }))
  const env = { DATABASE_URL: app.databaseUrl }
  await assertReports(env)
  const cases: [string[], RegExp][] = [
    [['report', '--from', '2970-03-01', '--to', '2970-02-01'], /^laurel: --to: expected a date not before/],
    [
      ['report', ...SPAN, '--known-at', '2999-01-01T00:00:00Z'],
      /^laurel: --known-at: expected a timestamp at least 5 min/,
    ],
    [
      ['report', ...SPAN, '--known-at', '2026-04-01T00:00:00Z', '--closed-at', '2026-04-02T00:00:00Z'],
      /^laurel: --closed-at: expected a timestamp not after 2026-04-01T00:00:00.000Z/,
    ],
    [['report', ...SPAN, '--point-value', '-1'], /^laurel: --point-value: expected the value of a point/],
    [['expiring', '--from', 'today', '--to', '2970-02-01'], /^laurel: --from: expected a date like/],
    [['expiring', ...SPAN, '--csv', '--json'], /cannot be used with option '--json'/],
  ]
  for (const [args, sentence] of cases) {
    const { code, stdout, stderr } = await runCommand(['points', ...args], env)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, sentence)
  }
})
