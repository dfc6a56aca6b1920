import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { anOrder, aPlayer } from '../support/builders.ts'
import { testDatabase } from '../support/databases.ts'
import {
  runProcess,
  type ServiceProcess,
  startService,
  temporaryDirectory,
  tokenIn,
} from '../support/service-process.ts'
import { LONG_TIMEOUTS } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const run = promisify(execFile)
const WORKERS = 2

type Workers = Readonly<{ service: ServiceProcess; pids: readonly number[]; databaseUrl: string }>

/** A service with two workers on its own PostgreSQL database. */
async function started(t: TestContext, env: Record<string, string> = {}): Promise<Workers> {
  const databaseUrl = await testDatabase(t)
  const data = join(temporaryDirectory(t), 'data')
  const service = await startService({
    data,
    env: { DATABASE_URL: databaseUrl, WORKERS: String(WORKERS), ...LONG_TIMEOUTS, ...env },
  })
  t.after(() => service.kill())
  const pids = await childrenOf(service.pid)
  assert.equal(pids.length, WORKERS)
  return { service, pids, databaseUrl }
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'ppid=,pid='])
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([parent]) => parent === pid).map(([, child]) => child!)
}

/** Runs `act` while only this worker can accept connections. */
async function by<T>(pid: number, { pids }: Workers, act: () => Promise<T>): Promise<T> {
  const others = pids.filter((other) => other !== pid)
  for (const other of others) process.kill(other, 'SIGSTOP')
  try {
    return await act()
  } finally {
    for (const other of others) process.kill(other, 'SIGCONT')
  }
}

/** A process that still held the output open would keep `ended` from resolving. */
async function assertGone({ service, pids }: Workers): Promise<void> {
  await service.ended
  for (const pid of [service.pid, ...pids])
    await eventually(`process ${pid} is gone`, async () => !(await isRunning(pid)))
  const { hostname, port } = new URL(service.url)
  const next = createServer().listen(Number(port), hostname)
  await once(next, 'listening')
  next.close()
}

/** A process that has ended may still be a zombie until its parent reaps it. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,stat='])
  return new RegExp(`^ *${pid} +[^Z]`, 'm').test(stdout)
}

type Line = Readonly<{ msg: string; worker?: number; [key: string]: unknown }>

function linesOf(stdout: string): Line[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as Line)
}

const predict = ({ service }: Workers, headers: Record<string, string> = {}, order_id = 'o-1') =>
  service.ask('/api/predictions/orders', { body: { data: anOrder({ order_id }) }, headers })

const TEN = { name: 'ten', fixed: { points: 10 } }

describe('a service of several workers on PostgreSQL', { concurrency: true }, () => {
  test('works as one service from its start to its end', async (t) => {
    const workers = await started(t, { LOG_LEVEL: 'debug' })
    const { service, pids } = workers
    const [one, other] = pids as [number, number]
    const count = async (name: string) => {
      const { status, text } = await service.ask('/metrics')
      assert.equal(status, 200, text)
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length),
      )
    }

    await t.test('every worker answers and records at the one port, and the others see what one records', async () => {
      await by(one, workers, () => service.upsert('players', [aPlayer()]))
      const predicted = await by(one, workers, () => predict(workers))
      const recorded = await by(other, workers, () => service.upsert('orders', [anOrder()]))
      assert.deepEqual([predicted.status, recorded.status, recorded.body.inserted], [200, 200, 1])
      const account = await by(one, workers, () => service.ask('/api/players/u-1'))
      assert.equal(account.body.points, predicted.body.total_points)
    })

    await t.test('/metrics counts for all workers, whichever one answers', async () => {
      for (const pid of [one, other, other]) await by(pid, workers, () => predict(workers))
      for (let request = 0; request < 8; request += 1) {
        assert.equal(await count('laurel_prediction_seconds_count'), 4)
        assert.equal(await count('laurel_records_total{noun="orders",record_type="orders",verdict="inserted"}'), 1)
      }
    })

    await t.test('a token created or revoked by one worker is so for all', async () => {
      const data = { name: 'shop', scopes: ['predict'] }
      const made = await by(one, workers, () => service.ask('/api/admin/tokens', { body: { data } }))
      const { id, token } = made.body
      const statusBy = async (pid: number) => (await by(pid, workers, () => predict(workers, { token }))).status
      await eventually('the other worker accepts the token', async () => (await statusBy(other)) === 200)
      await by(other, workers, () => service.ask(`/api/admin/tokens/${id}/revoke`, { method: 'POST' }))
      assert.equal(await statusBy(other), 401)
      await eventually('the first worker refuses it', async () => (await statusBy(one)) === 401)
    })

    await t.test('a program published by one worker is in effect for all', async () => {
      const ladder = [{ name: 'Only', from: 0 }]
      const program = { name: 'Ten', rounding: 'floor', levels: { counts: 'lifetime', ladder }, earn: [TEN] }
      const body = { data: { source: JSON.stringify(program) } }
      const published = await by(one, workers, () => service.ask('/api/admin/programs', { body }))
      assert.equal(published.status, 200, published.text)
      const pointsBy = async (pid: number) =>
        (await by(pid, workers, () => predict(workers, {}, 'o-2'))).body.total_points
      assert.equal(await pointsBy(one), 10)
      await eventually('the other worker has the program', async () => (await pointsBy(other)) === 10)
    })

    await t.test('an order that one worker recorded is compared with what another predicted', async () => {
      const came = 'laurel_predictions_compared_total{outcome="came-true"}'
      await eventually('it is compared', async () => (await count(came)) === 1)
    })

    await t.test('SIGTERM to all its processes, as systemd sends it, loses nothing that was acknowledged', async () => {
      const acknowledged: string[] = []
      const clients = Array.from({ length: 8 }, async (_, client) => {
        for (let n = 0; ; n += 1) {
          const ids = Array.from({ length: 50 }, (_, place) => `u-${client}-${n}-${place}`)
          const players = ids.map((User_id) => aPlayer({ User_id }))
          const response = await service.upsert('players', players).catch(() => undefined)
          if (response === undefined) return
          assert.equal(response.status, 200, response.text)
          acknowledged.push(...ids)
        }
      })
      await eventually('there is a load', async () => acknowledged.length > 1_000)
      for (const pid of pids) process.kill(pid, 'SIGTERM')
      const { code, stderr } = await service.stop()
      assert.deepEqual([code, stderr], [0, ''])
      await Promise.all(clients)
      await assertGone(workers)
      const client = new pg.Client(workers.databaseUrl)
      await client.connect()
      const { rows } = await client.query('select user_id from players')
      await client.end()
      const stored = new Set(rows.map(({ user_id }) => user_id))
      assert.deepEqual(
        acknowledged.filter((id) => !stored.has(id)),
        [],
      )
    })

    await t.test('its start and its end are logged once, and every line of a worker names the worker', async () => {
      const stdout = service.stdout()
      assert.equal(stdout.match(/^The first token/gm)?.length, 1)
      const lines = linesOf(stdout)
      const workersLogging = (kind: string) => lines.filter(({ msg }) => msg === kind).map(({ worker }) => worker)
      assert.deepEqual(workersLogging('service-started'), [undefined])
      assert.equal(lines.find(({ msg }) => msg === 'service-started')?.workers, WORKERS)
      assert.deepEqual(new Set(workersLogging('order-predicted')), new Set([1, 2]))
      assert.deepEqual(workersLogging('service-stopped').sort(), [1, 2, undefined])
    })
  })

  test('a killed worker ends the service with exit code 1; the others stop cleanly, and no process is left', async (t) => {
    const workers = await started(t)
    process.kill(workers.pids[0]!, 'SIGKILL')
    const { code, stdout, stderr } = await workers.service.ended
    assert.deepEqual([code, stderr], [1, ''])
    const ends = linesOf(stdout).filter(({ msg }) => msg === 'service-stopping' || msg === 'service-stopped')
    assert.match(String(ends[0]!.reason), /^worker [12] ended with SIGKILL$/)
    assert.deepEqual(
      ends.map(({ msg, worker }) => [msg, worker === undefined]),
      [
        ['service-stopping', true],
        ['service-stopping', false],
        ['service-stopped', false],
        ['service-stopped', true],
      ],
    )
    await assertGone(workers)
  })

  test('when the primary is killed the workers finish the requests in progress and exit', async (t) => {
    const workers = await started(t)
    const { service } = workers
    const headers = { token: tokenIn(service.data), 'content-type': 'application/json', expect: '100-continue' }
    const upsert = request(`${service.url}/api/integration/players`, { method: 'POST', headers })
    const answered = once(upsert, 'response')
    upsert.flushHeaders()
    await once(upsert, 'continue') // A worker has accepted the request.
    process.kill(service.pid, 'SIGKILL')
    const stopping = () => linesOf(service.stdout()).filter(({ msg }) => msg === 'service-stopping')
    await eventually('both workers are notified', async () => stopping().length === WORKERS)
    upsert.end(JSON.stringify({ data: [aPlayer()] }))
    const [{ statusCode }] = await answered
    assert.equal(statusCode, 200)
    const { stdout } = await service.ended
    const ends = linesOf(stdout).filter(({ msg }) => msg === 'service-stopped')
    assert.deepEqual(ends.map(({ worker }) => worker).sort(), [1, 2])
    await assertGone(workers)
  })

  test('a second signal ends all of them at once', async (t) => {
    const workers = await started(t)
    // It cannot shut down gracefully.
    process.kill(workers.pids[0]!, 'SIGSTOP')
    process.kill(workers.service.pid, 'SIGINT')
    await eventually('the first signal was received', async () => workers.service.stdout().includes('service-stopping'))
    // One that comes with the first is the same, passed on by npm. The process may end before its output does: only `stop` may signal it then.
    const again = setInterval(() => void workers.service.stop('SIGINT'), 100)
    const { code } = await workers.service.ended.finally(() => clearInterval(again))
    assert.equal(code, 1)
    await assertGone(workers)
  })

  test('a fault at the start is reported once', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const env = {
      DATABASE_URL: await testDatabase(t),
      LAUREL_DATA: join(temporaryDirectory(t), 'data'),
      PORT: String(port),
    }
    const { code, stderr } = await runProcess(['serve', '--workers', '3'], { env })
    assert.match(stderr, new RegExp(`^laurel: port ${port} at 127.0.0.1 is in use[^\\n]*\\n$`))
    assert.equal(code, 2)
  })

  test('on the embedded database several workers are refused with advice, and a count out of bounds on any database', async (t) => {
    const env = { LAUREL_DATA: join(temporaryDirectory(t), 'data'), PORT: '0' }
    const embedded = await runProcess(['serve', '--workers', '2'], { env })
    assert.match(
      embedded.stderr,
      /^laurel: WORKERS is 2, but only one process can hold the embedded database: set DATABASE_URL to a PostgreSQL server, or WORKERS to 1\n$/,
    )
    const tooMany = await runProcess(['serve', '--workers', '65'], { env })
    assert.equal(tooMany.stderr, 'laurel: WORKERS is "65", expected an integer between 1 and 64\n')
    assert.deepEqual([embedded.code, tooMany.code], [2, 2])
  })
})
