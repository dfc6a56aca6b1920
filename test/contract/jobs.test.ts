/*
 * Long-running jobs beside the requests, on a snapshot (decision 125).
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before, describe, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import {
  launch,
  newDataDirectory,
  type ServiceProcess,
  type ServiceResponse,
  startService,
  temporaryDirectory,
} from '../support/service-process.ts'
import { openTestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

/** Polling shares the machine with the job. */
const POLL_MS = 200
const GENEROUS = STARTER_PROGRAM.replace('every: 10,', 'every: 5,')
/** Its probe takes seconds, and is still running when it is cancelled or its service ends. */
const LONG_PROBED = [
  'name: Long\nrounding: floor\nredeem: { value: { points: 100, pays: 1 }, step: 100 }\nreferral: { friend: 5, referrer: 7 }\n',
  'levels: { counts: { window: P2M }, ladder: [{ name: Low, from: 0 }, { name: Mid, from: 500 }, { name: Top, from: 2000 }] }\nearn:\n',
  ...Array.from(
    { length: 15 },
    (_, n) =>
      `  - { name: ${n}th, per-amount: { points: 1, every: ${7 + n} }, when: "order.net >= 10 && player.orders >= 0" }\n`,
  ),
].join('')
/** The longer the conditions of a program are, blanks included, the fewer orders its probe tries: this one ends at once. */
const SOON_PROBED = [
  STARTER_PROGRAM,
  ...Array.from(
    { length: 15 },
    (_, n) => `  - { name: ${n}th, fixed: { points: 1 }, when: "true${' '.repeat(1_900)}" }\n`,
  ),
].join('')

const PLAYERS = { of: 'players', done: 3, total: null }

type Jobs = Readonly<{
  service: ServiceProcess
  start: (data: object, headers?: Readonly<Record<string, string>>) => Promise<string>
  show: (id: string, query?: string) => Promise<ServiceResponse>
  /** The job once it has ended. */
  ended: (id: string) => Promise<ServiceResponse['body']>
}>

async function openJobs(t: Pick<TestContext, 'after'>, data: string, env: Record<string, string> = {}): Promise<Jobs> {
  const service = await startService({ data, env })
  t.after(() => service.kill())
  const show: Jobs['show'] = (id, query = '') => service.ask(`/api/admin/jobs/${id}${query}`)
  return {
    service,
    start: async (data, headers = {}) => {
      const { status, body, text } = await service.ask('/api/admin/jobs', { body: { data }, headers })
      assert.equal(status, 200, text)
      return body.id
    },
    show,
    ended: async (id) => {
      await eventually('the job ends', async () => {
        const { state } = (await show(id)).body
        if (state === 'waiting' || state === 'running') await sleep(POLL_MS)
        return !['waiting', 'running'].includes(state)
      })
      return (await show(id, '?reveal=true')).body
    },
  }
}

/** Three players, one with an e-mail address as id, and an order of each. */
async function recordOrders({ service }: Jobs): Promise<void> {
  const ids = ['u-1', 'u-2', 'mira@example.com']
  const orders = ids.map((user_id, n) => anOrder({ order_id: `o-${n}`, user_id }))
  assert.equal(
    (
      await service.upsert(
        'players',
        ids.map((User_id) => aPlayer({ User_id })),
      )
    ).body.inserted,
    3,
  )
  assert.equal((await service.upsert('orders', orders)).body.inserted, 3)
}

for (const database of ['the embedded database', 'PostgreSQL'] as const)
  describe(`on ${database}`, () => {
    const isEmbedded = database !== 'PostgreSQL'
    /** One service for these tests: a start takes as long as its jobs. */
    let jobs: Jobs
    const closers: (() => unknown)[] = []
    before(async () => {
      const t: Pick<TestContext, 'after'> = { after: (close) => void closers.unshift(close as () => unknown) }
      jobs = isEmbedded
        ? await openJobs(t, await newDataDirectory(t))
        : await openJobs(t, temporaryDirectory(t), { DATABASE_URL: await testDatabase(t) })
    })
    after(async () => {
      for (const close of closers) await close()
    })

    test('each kind of job runs beside the service and returns what its command prints (decision 125)', async () => {
      await recordOrders(jobs)
      const { body: second } = await jobs.service.ask('/api/admin/tokens', {
        body: { data: { name: 'second', scopes: ['admin'] } },
      })
      const ids = []
      for (const [place, asked] of [
        { kind: 'backtest', source: GENEROUS, point_value: '0.01' },
        { kind: 'probe', source: SOON_PROBED, seed: 1 },
        { kind: 'verify' },
        { kind: 'report' },
        { kind: 'points-report', from: '2000-01-01', to: '2999-12-31', point_value: '0.01' },
        { kind: 'points-expiring', from: '2000-01-01', to: '2999-12-31' },
      ].entries())
        ids.push(await jobs.start(asked, place % 2 === 0 ? {} : { token: second.token }))
      const [backtest, probe, verify, report, points, expiring] = [
        await jobs.ended(ids[0]!),
        await jobs.ended(ids[1]!),
        await jobs.ended(ids[2]!),
        await jobs.ended(ids[3]!),
        await jobs.ended(ids[4]!),
        await jobs.ended(ids[5]!),
      ]
      for (const job of [backtest, probe, verify, report, points, expiring])
        assert.deepEqual([job.state, job.error], ['done', null])
      const { entries } = (await jobs.service.ask('/api/admin/audit-log?act=result-revealed')).body
      assert.deepEqual(
        entries.map(({ subject }: { subject: string }) => subject).sort(),
        ids.toSorted(),
        'decision 133',
      )
      assert.deepEqual(
        [
          backtest.result.orders,
          backtest.result.points.before,
          backtest.result.points.after,
          backtest.result.cost.after,
        ],
        [3, '360', '720', '7.2'],
      )
      assert.deepEqual(backtest.progress, [{ of: 'orders', done: 3, total: 3 }])
      assert.equal(probe.result.seed, 1)
      assert.deepEqual([verify.result.players, verify.result.orders, verify.result.differing], [3, 3, 0])
      assert.deepEqual([report.result.orders, report.result.none_kept], [3, 3])
      assert.deepEqual(points.result.lines.at(-1), { line: 'closing', points: '360', value: '3.6' })
      assert.deepEqual([points.progress, expiring.progress], [[PLAYERS], [PLAYERS]])
      const { as_of, ...list } = expiring.result
      assert.deepEqual(
        list,
        { quality: 'swept', rows: [], after: null },
        'points never expire under the starter program',
      )
      const moments = [expiring.began_at, as_of, expiring.ended_at]
      assert.deepEqual(moments, moments.toSorted())
      for (const { snapshot_at, pause_ms, began_at, ended_at } of [backtest, verify, report]) {
        assert(began_at <= snapshot_at && snapshot_at <= ended_at, `${began_at} ${snapshot_at} ${ended_at}`)
        assert.equal(typeof pause_ms, isEmbedded ? 'number' : 'object')
      }
      assert.equal(probe.snapshot_at, null, 'a probe reads no database')
      assert(!existsSync(join(jobs.service.data, 'job-snapshot')), 'no copy is left')

      const winners = (body: ServiceResponse['body']) =>
        body.result.winners.map(({ user_id }: { user_id: string }) => user_id)
      assert(winners(backtest).includes('mira@example.com'))
      const viewer = { data: { name: 'viewer', scopes: ['read'] } }
      const { token } = (await jobs.service.ask('/api/admin/tokens', { body: viewer })).body
      const masked = winners((await jobs.service.ask(`/api/admin/jobs/${ids[0]}`, { headers: { token } })).body)
      assert.equal(masked.length, winners(backtest).length)
      for (const shown of masked) assert.match(shown, /^player~/, 'a handle for the scope read')
    })

    test('after a running job is cancelled the next one runs; a waiting job that is cancelled never begins (decision 125)', async () => {
      const [running, waiting, last] = [
        await jobs.start({ kind: 'probe', source: LONG_PROBED }),
        await jobs.start({ kind: 'verify' }),
        await jobs.start({ kind: 'verify' }),
      ]
      const cancel = (id: string) => jobs.service.ask(`/api/admin/jobs/${id}/cancel`, { method: 'POST' })
      assert.equal((await cancel(waiting)).body.state, 'cancelled')
      await eventually('it runs', async () => (await jobs.show(running)).body.progress.length > 0)
      await cancel(running)
      assert.deepEqual(
        [(await jobs.ended(running)).state, (await jobs.ended(waiting)).began_at, (await jobs.ended(last)).state],
        ['cancelled', null, 'done'],
      )
      assert.equal((await cancel(last)).body.state, 'done', 'a finished job is not changed')
    })

    test('tokens take turns with their jobs, however many of one wait (decision 155)', async () => {
      const other = { data: { name: 'takes turns', scopes: ['admin'] } }
      const { token } = (await jobs.service.ask('/api/admin/tokens', { body: other })).body
      const running = await jobs.start({ kind: 'probe', source: LONG_PROBED })
      await eventually('it runs', async () => (await jobs.show(running)).body.state === 'running')
      const verify = { kind: 'verify' }
      const own = [await jobs.start(verify), await jobs.start(verify)]
      const others = [await jobs.start(verify, { token }), await jobs.start(verify, { token })]
      await jobs.service.ask(`/api/admin/jobs/${running}/cancel`, { method: 'POST' })
      const ended = []
      for (const id of [...own, ...others]) ended.push(await jobs.ended(id))
      const begun = ended.toSorted((one, two) => one.began_at.localeCompare(two.began_at))
      assert.deepEqual(
        begun.map(({ id }) => id),
        [others[0], own[0], others[1], own[1]],
      )
    })

    if (isEmbedded)
      test('a command waiting for its job cancels it on Ctrl-C (decision 125)', async () => {
        const list = async (): Promise<ServiceResponse['body'][]> =>
          (await jobs.service.ask('/api/admin/jobs')).body.jobs
        const earlier = new Set((await list()).map(({ id }) => id))
        const probe = await jobs.start({ kind: 'probe', source: LONG_PROBED })
        const command = launch(['ledger', 'verify'], { env: { LAUREL_DATA: jobs.service.data } })
        const verify = async () => (await list()).find(({ id, kind }) => kind === 'verify' && !earlier.has(id))
        await eventually('it is asked for', async () => (await verify()) !== undefined)
        const { code, stdout } = await command.stop('SIGINT')
        assert.deepEqual([code, stdout, (await verify()).state], [1, '', 'cancelled'])
        await jobs.service.ask(`/api/admin/jobs/${probe}/cancel`, { method: 'POST' })
      })
  })

test('after a kill the next service reports the running job as interrupted, and runs the others (decision 125)', async (t) => {
  const data = await newDataDirectory(t)
  const killed = await openJobs(t, data)
  const [first, second] = [
    await killed.start({ kind: 'probe', source: LONG_PROBED }),
    await killed.start({ kind: 'verify' }),
  ]
  await eventually('it runs', async () => (await killed.show(first)).body.state === 'running')
  await killed.service.kill()
  const next = await openJobs(t, data)
  assert.equal((await next.ended(first)).state, 'interrupted')
  assert.equal((await next.ended(second)).state, 'done')
  const third = await next.start({ kind: 'probe', source: LONG_PROBED })
  await eventually('it runs', async () => (await next.show(third)).body.state === 'running')
  assert.equal((await next.service.stop()).code, 0)
  assert.equal((await (await openJobs(t, data)).ended(third)).state, 'interrupted')
})

test('in a process that runs no jobs, starting one is refused at once (decision 125)', async (t) => {
  const app = await openTestApp(t, { jobs: 'nowhere' })
  const { status, body } = await app.ask('POST', '/api/admin/jobs', { body: { data: { kind: 'verify' } } })
  assert.deepEqual([status, body.path], [400, 'data.kind'])
  assert.match(body.error, /^jobs need a service started by laurel serve$/)
})

test('an invalid job request, or one without the scope, is refused at once (decisions 67 and 125)', async (t) => {
  const app = await openTestApp(t)
  const start = (data: unknown, headers = {}) => app.ask('POST', '/api/admin/jobs', { body: { data }, headers })
  const cases: [unknown, string, RegExp][] = [
    [
      {},
      'data.kind',
      /^expected one of backfill, backtest, backup, export, points-expiring, points-report, probe, report, verify, got nothing$/,
    ],
    [{ kind: 'toString' }, 'data.kind', /^expected one of /],
    [{ kind: 'backtest' }, 'data.source', /^source is required$/],
    [{ kind: 'backtest', source: 'name: A' }, 'data.source', /^line 1, /],
    [{ kind: 'probe', source: STARTER_PROGRAM, seed: 1.5 }, 'data.seed', /^expected an integer/],
    [{ kind: 'backtest', source: STARTER_PROGRAM, point_value: '-1' }, 'data.point_value', /^expected the value of/],
    [
      { kind: 'report', from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      'data.to',
      /^expected a timestamp after from/,
    ],
    [{ kind: 'points-report', from: '2026-02-01', to: '2026-01-31' }, 'data.to', /^expected a date not before/],
    [
      { kind: 'points-report', from: '2026-02-01', to: '2026-02-28', known_at: '2999-01-01T00:00:00Z' },
      'data.known_at',
      /^expected a timestamp at least 5 minutes ago/,
    ],
    [
      { kind: 'points-expiring', from: '2026-02-01', to: '2026-02-28', after: '' },
      'data.after',
      /^expected a non-empty identifier/,
    ],
  ]
  for (const [data, path, sentence] of cases) {
    const { status, body } = await start(data)
    assert.deepEqual([status, body.path], [400, path])
    assert.match(body.error, sentence)
  }
  const tokenWith = async (...scopes: string[]) => {
    const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'test', scopes } } })
    return { token: body.token }
  }
  const [editor, viewer] = [await tokenWith('program'), await tokenWith('read')]
  assert.equal((await start({ kind: 'verify' }, editor)).status, 401)
  assert.equal((await start({ kind: 'probe', source: STARTER_PROGRAM }, viewer)).status, 401)
  const { status, body } = await start({ kind: 'probe', source: STARTER_PROGRAM }, editor)
  assert.equal(status, 200)
  const path = `/api/admin/jobs/${body.id}`
  assert.equal((await app.ask('GET', path, { headers: viewer })).status, 200)
  assert.equal((await app.ask('GET', `${path}?reveal=true`, { headers: viewer })).status, 401)
  const revealed = async () => (await app.ask('GET', '/api/admin/audit-log?act=result-revealed')).body.entries
  assert.deepEqual(await revealed(), [])
  assert.equal((await app.ask('POST', `${path}/cancel`, { headers: viewer })).status, 401)
  assert.equal((await app.ask('GET', '/api/admin/jobs/000000000000')).status, 404)
  assert.equal((await app.ask('POST', '/api/admin/jobs/000000000000/cancel')).status, 404)
})

test('at most ten jobs wait, four of a token, and the last fifty finished ones are kept', async (t) => {
  const app = await openTestApp(t)
  const start = (headers = {}) => app.ask('POST', '/api/admin/jobs', { body: { data: { kind: 'verify' } }, headers })
  const tokens = []
  for (const name of ['one', 'other', 'third'])
    tokens.push(
      (await app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes: ['admin'] } } })).body.token,
    )
  const statuses = []
  for (const token of tokens) for (let n = 0; n < 5; n += 1) statuses.push((await start({ token })).status)
  assert.deepEqual(statuses, [...Array(4).fill(200), 429, ...Array(4).fill(200), 429, 200, 200, 503, 503, 503])
  const refused = await start({ token: tokens[0] })
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
  await app.service.db.transaction(
    (tx) =>
      tx.query(`with gone as (delete from jobs) insert into jobs (job_id, kind, state, request, asked_by, asked_at, ended_at)
        select lpad(to_hex(n), 12, '0'), 'verify', 'done', '{}', 'me', now() - make_interval(mins => n), now() - make_interval(mins => n)
        from generate_series(1, 60) n`),
    performance.now() + 60_000,
  )
  await start()
  const { jobs } = (await app.ask('GET', '/api/admin/jobs')).body
  assert.deepEqual([jobs.length, jobs[0].state, jobs.at(-1).id], [51, 'waiting', '000000000032'])
})

test('programs of jobs are read in turn with other work in threads, so that a token that asks for many holds up nobody', async (t) => {
  const app = await openTestApp(t)
  const data = { kind: 'probe', source: SOON_PROBED }
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => app.ask('POST', '/api/admin/jobs', { body: { data } })),
  )
  const count = (status: number, sentence: RegExp) =>
    replies.filter((reply) => reply.status === status && sentence.test(reply.text)).length
  assert.deepEqual(
    [count(200, /"kind":"probe"/), count(429, /^{"error":"(too many requests of this kind|job queue of this token)/)],
    [4, 8],
    JSON.stringify(replies.map(({ text }) => text)),
  )
  assert.notEqual(count(429, /too many requests of this kind/), 0, 'all were read at once')
})
