/*
 * Jobs whose database, process or owner is lost at a bad moment (decision 125).
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Driver } from '../../src/database/db/driver.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { type JobRunner, openJobRunner } from '../../src/resources/jobs/job-runner.ts'
import type { Observation } from '../../src/telemetry/observation.ts'
import { forEachDatabase, type OpenTestDb } from '../support/databases.ts'
import { createInterceptor, LOSING } from '../support/intercepting.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openAppOn, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const CLAIM = 'returning job_id, kind, request'
const END = 'ended_at = $4'
/** The runner's moments, which tell its transactions from others. */
const RUNNER_AT = '2031-01-01T12:00:00.000Z'

type Jobs = Readonly<{
  app: TestApp
  runner: JobRunner
  observed: readonly Observation[]
  start: (data: object) => Promise<string>
  /** Its state and error. */
  show: (id: string) => Promise<Record<string, unknown>>
  /** The same once it has ended. */
  ended: (id: string) => Promise<Record<string, unknown>>
  change: (sql: string) => Promise<void>
}>

/** A service that runs no jobs by itself, and a runner of jobs on its database, which begins when it is first asked for: it looks every second. */
async function openJobs(t: TestContext, openTestDb: OpenTestDb, through: (driver: Driver) => Driver): Promise<Jobs> {
  const app = await openAppOn(t, (test) => openTestDb(test, { through }))
  const observed: Observation[] = []
  const observe = (observation: Observation) => void observed.push(observation)
  let runner: JobRunner | undefined
  t.after(() => runner?.close())
  const open = () =>
    openJobRunner(
      { ...app.service.deps, observe, now: () => new Date(RUNNER_AT) },
      { directory: temporaryDirectory(t) },
    )
  const show = async (id: string) => (await app.query(`select state, error from jobs where job_id = '${id}'`))[0]!
  const isOpen = async (id: string) => ['waiting', 'running'].includes((await show(id)).state as string)
  return {
    ...{ app, observed, show },
    get runner() {
      runner ??= open()
      return runner
    },
    start: async (data) => (await app.ask('POST', '/api/admin/jobs', { body: { data } })).body.id,
    ended: async (id) => {
      await eventually('the job ends', async () => !(await isOpen(id)))
      return show(id)
    },
    change: (sql) => app.service.db.transaction((tx) => tx.script(sql), performance.now() + 60_000),
  }
}

const failuresIn = (observed: readonly Observation[]) => observed.filter(({ kind }) => kind === 'job-failed')
const interrupt = (id: string) => `update jobs set state = 'interrupted', ended_at = now() where job_id = '${id}'`
const silence = (id: string) => `update jobs set seen_at = now() - interval '1 minute' where job_id = '${id}'`

/** Moves the clock of deadlines forward; timers go on as before. */
function movableClock(t: TestContext): (ms: number) => void {
  const real = performance.now.bind(performance)
  let aheadMs = 0
  t.mock.method(performance, 'now', () => real() + aheadMs)
  return (ms) => {
    aheadMs += ms
  }
}

forEachDatabase((driver, openTestDb) => {
  test('a job runs once even if the answer to the COMMIT of its claim is lost', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    next({ about: RUNNER_AT, at: 'commit' }, LOSING.after)
    const [first, second] = [await jobs.start({ kind: 'backfill' }), await jobs.start({ kind: 'backfill' })]
    jobs.runner.wake()
    assert.deepEqual([(await jobs.ended(first)).state, (await jobs.ended(second)).state], ['done', 'done'])
    const endings = jobs.observed.flatMap((one) => (one.kind === 'job-ended' ? [one.jobId] : []))
    assert.deepEqual(endings, [first, second])
  })

  test('a job runs even if the database is away for a quarter of a minute after the COMMIT of its claim', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    const advance = movableClock(t)
    next({ about: RUNNER_AT, at: 'commit' }, (send) => {
      advance(15_000)
      return LOSING.after(send)
    })
    const id = await jobs.start({ kind: 'backfill' })
    jobs.runner.wake()
    assert.deepEqual(await jobs.ended(id), { state: 'done', error: null })
  })

  test('the tenth waiting job is accepted even if the answer to its COMMIT is lost, and the eleventh is not', async (t) => {
    const { through, next } = createInterceptor()
    const app = await openAppOn(t, (test) => openTestDb(test, { through }))
    const tokens: string[] = []
    for (const name of ['a', 'b', 'c'])
      tokens.push(
        (await app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes: ['admin'] } } })).body.token,
      )
    let started = 0
    const start = () => {
      const headers = { token: tokens[started % tokens.length]! }
      started += 1
      return app.ask('POST', '/api/admin/jobs', { body: { data: { kind: 'verify' } }, headers })
    }
    for (let n = 1; n <= 9; n += 1) assert.equal((await start()).status, 200)
    next({ about: 'verify', at: 'commit' }, LOSING.after)
    assert.deepEqual([(await start()).status, (await start()).status], [200, 503])
    assert.equal((await app.ask('GET', '/api/admin/jobs')).body.jobs.length, 10)
  })

  test('closing waits for a job that is being claimed, and interrupts it', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    const [claiming, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    next({ about: RUNNER_AT, at: CLAIM }, async (send) => {
      claiming.resolve()
      await goOn.promise
      return send()
    })
    const id = await jobs.start({ kind: 'backfill' })
    jobs.runner.wake()
    await claiming.promise
    let isClosed = false
    const closed = jobs.runner.close().then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    const closedEarly = isClosed
    goOn.resolve()
    await closed
    assert.deepEqual([closedEarly, (await jobs.show(id)).state, failuresIn(jobs.observed)], [false, 'interrupted', []])
  })

  test('a result is stored even if the database is away for a quarter of a minute when the job ends', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    const advance = movableClock(t)
    const id = await jobs.start({ kind: 'backfill' })
    next({ about: id, at: END }, () => {
      advance(15_000)
      return LOSING.before()
    })
    jobs.runner.wake()
    assert.deepEqual(await jobs.ended(id), { state: 'done', error: null })
    assert.deepEqual(failuresIn(jobs.observed), [])
  })

  test('a job whose end cannot be stored does not begin again, and the log names it', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    const error = Object.assign(new Error('syntax error'), { code: '42601' })
    const [first, second] = [await jobs.start({ kind: 'backfill' }), await jobs.start({ kind: 'backfill' })]
    next({ about: first, at: END }, async () => {
      throw error
    })
    jobs.runner.wake()
    await eventually('it is logged', () => failuresIn(jobs.observed).length > 0)
    assert.deepEqual(failuresIn(jobs.observed), [{ kind: 'job-failed', jobId: first, job: 'backfill', error }])
    if (driver === 'postgres') await jobs.change(silence(first))
    assert.deepEqual([(await jobs.ended(second)).state, (await jobs.show(first)).state], ['done', 'interrupted'])
  })

  test('a job that another process has marked as interrupted is logged as interrupted, whether it is running or just ending', async (t) => {
    const { through, next } = createInterceptor()
    const jobs = await openJobs(t, openTestDb, through)
    const probe = await jobs.start({ kind: 'probe', source: STARTER_PROGRAM })
    jobs.runner.wake()
    await eventually('it runs', async () => (await jobs.show(probe)).state === 'running')
    await jobs.change(interrupt(probe))
    const endings = () => jobs.observed.flatMap((one) => (one.kind === 'job-ended' ? [[one.jobId, one.state]] : []))
    jobs.runner.wake()
    await eventually('it is stopped', () => endings().length === 1)
    const backfill = await jobs.start({ kind: 'backfill' })
    next({ about: backfill, at: END }, async (send, session) => {
      await session.query(interrupt(backfill))
      return send()
    })
    jobs.runner.wake()
    await eventually('it ends', () => endings().length === 2)
    assert.deepEqual(endings(), [
      [probe, 'interrupted'],
      [backfill, 'interrupted'],
    ])
    assert.deepEqual(
      [(await jobs.show(probe)).state, (await jobs.show(backfill)).state],
      ['interrupted', 'interrupted'],
    )
  })

  test('a job of a kind that only a newer version knows fails, and says so', async (t) => {
    const jobs = await openJobs(t, openTestDb, (driver) => driver)
    const id = await jobs.start({ kind: 'verify' })
    await jobs.change(`update jobs set kind = 'simulation' where job_id = '${id}'`)
    jobs.runner.wake()
    assert.deepEqual(await jobs.ended(id), {
      state: 'failed',
      error: 'unknown job kind simulation in this version',
    })
  })

  for (const [how, state] of [
    ['cancelling a job', 'cancelled'],
    ['closing', 'interrupted'],
  ] as const)
    test(`${how} does not wait until the database is copied`, async (t) => {
      const copying = Promise.withResolvers<void>()
      const jobs = await openJobs(t, openTestDb, (driver) => ({
        ...driver,
        copyTo: async (_directory, deadlineAt, signal) => {
          // As for the second part of a copy, for which everyone waits. Whoever cancels a job has to write that first.
          const session = how === 'closing' ? await driver.session(deadlineAt) : undefined
          copying.resolve()
          await new Promise((resolve) => signal?.addEventListener('abort', resolve))
          session?.release(false)
          throw signal?.reason
        },
      }))
      const id = await jobs.start({ kind: 'verify' })
      jobs.runner.wake()
      await copying.promise
      if (how === 'cancelling a job') await jobs.app.ask('POST', `/api/admin/jobs/${id}/cancel`)
      jobs.runner.wake()
      await new Promise((resolve) => setImmediate(resolve))
      if (how === 'closing') await jobs.runner.close()
      assert.deepEqual([await jobs.ended(id), failuresIn(jobs.observed)], [{ state, error: null }, []])
    })
})
