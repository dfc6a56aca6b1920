/*
 * What is around a service: how it is started and stopped, the reader of its log, its descriptors, its accept queue, and its data directory.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { EXIT } from '../../src/cli/failure.ts'
import { tokenIdOf } from '../../src/resources/tokens/token-text.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import {
  environmentOf,
  nodeOptions,
  runProcess,
  startService,
  temporaryDirectory,
  tokenIn,
  usedDataDirectory,
} from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'

const FULL_DISK_MODULE = new URL('../support/full-disk.ts', import.meta.url).href

type Command = readonly [program: string, ...args: string[]]

/** Starts a service by any command, in a process of its own. */
function spawnRaw(
  t: TestContext,
  [program, ...args]: Command,
  env: Readonly<Record<string, string>>,
  detached = false,
) {
  const child = spawn(program, args, {
    cwd: PROJECT,
    detached,
    env: { ...environmentOf(env), PORT: '0' } as NodeJS.ProcessEnv,
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

/** The same, and waits until it listens. The test reads its output, or not. */
async function startRaw(t: TestContext, command: Command, env: Readonly<Record<string, string>>, detached = false) {
  const child = spawnRaw(t, command, env, detached)
  let stdout = ''
  const onData = (chunk: Buffer) => {
    stdout += chunk
  }
  child.stdout.on('data', onData)
  const urlIn = () => /"url":"(http[^"]+)"/.exec(stdout)?.[1]
  await eventually('the service listens', () => urlIn() !== undefined || child.exitCode !== null)
  const url = urlIn()
  assert(url !== undefined, stdout)
  return { child, url, stopReading: () => child.stdout.off('data', onData).pause() }
}

test('SIGTERM to the process of npm start stops the service in order, with exit code 0', async (t) => {
  const data = await usedDataDirectory(t)
  const { child, url } = await startRaw(t, ['npm', 'start'], { LAUREL_DATA: data, HOME: temporaryDirectory(t) })
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await ended
  assert.equal(code, 0)
  await assert.rejects(fetch(`${url}/healthz`), 'nothing listens any more')
  const next = await startService({ data })
  assert.equal((await next.stop()).code, 0, 'the directory is free')
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} to the whole group of npm start, as from a terminal or systemd, stops the service in order, too`, async (t) => {
    const [data, home] = [await usedDataDirectory(t), temporaryDirectory(t)]
    const { child } = await startRaw(t, ['npm', 'start'], { LAUREL_DATA: data, HOME: home, STOP_DELAY_MS: '300' }, true)
    let stdout = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    const closed = once(child, 'close')
    process.kill(-child.pid!, signal)
    await closed
    assert.match(stdout, /"msg":"service-stopped"/)
  })

for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  test(`${signal} stops a service in order`, async (t) => {
    const service = await startService({ data: await usedDataDirectory(t) })
    const { code, stdout } = await service.stop(signal)
    assert.equal(code, 0)
    assert.match(stdout, /"msg":"service-stopped"/)
  })

test('SIGUSR1 opens no debugger', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t) })
  process.kill(service.pid, 'SIGUSR1')
  assert.equal((await service.ask('/readyz')).status, 200)
  const { stderr } = await service.stop()
  assert.doesNotMatch(stderr, /Debugger listening/)
})

test('with LOG_REQUESTS=on each request has a line with route, status, duration, request id, token id and trace', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t), env: { LOG_REQUESTS: 'on' } })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const sent = { body: { data: anOrder() }, headers: { traceparent, 'x-request-id': 'mine' } }
  assert.equal((await service.ask('/api/predictions/orders', sent)).status, 200)
  assert.equal((await service.ask('/api/players/nobody', { headers: { traceparent: 'a person' } })).status, 404)
  const { stdout } = await service.stop()
  const lines = stdout.split('\n').filter((line) => line.includes('"request-answered"') && !line.includes('/readyz'))
  const [predicted, looked, ...more] = lines.map((line) => JSON.parse(line))
  assert.deepEqual(more, [])
  const tokenId = tokenIdOf(tokenIn(service.data))
  const route = '/api/predictions/orders'
  assert.deepEqual(
    { ...predicted, time: 0, durationMs: 0 },
    {
      ...{ level: 'info', time: 0, msg: 'request-answered', requestId: 'mine', method: 'POST', route },
      ...{ status: 200, durationMs: 0, tokenId, traceparent },
    },
  )
  assert.deepEqual(
    [looked.route, looked.status, looked.tokenId, looked.traceparent],
    ['/api/players/:user_id', 404, tokenId, undefined],
  )
})

test('a reader of the log that stalls delays nothing: lines are dropped and counted, and the service still stops', async (t) => {
  const data = await usedDataDirectory(t)
  const command = [process.execPath, ...nodeOptions(), 'src/cli/main.ts', 'serve'] as const
  const { child, url, stopReading } = await startRaw(t, command, { LAUREL_DATA: data, LOG_LEVEL: 'debug' })
  stopReading()
  const metric = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(/^laurel_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
  }
  assert.equal(await metric(), 0)
  // A line for each request, longer with a long request id: more than the pipe and the buffer hold.
  const requestId = 'x'.repeat(64)
  while ((await metric()) === 0)
    await Promise.all(
      Array.from({ length: 500 }, () => fetch(`${url}/healthz`, { headers: { 'x-request-id': requestId } })),
    )
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a service whose data directory was replaced ends with 70, and the directory in its place stays as it is', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  cpSync(await usedDataDirectory(t), data, { recursive: true })
  const backup = `${data}-backup`
  cpSync(data, backup, { recursive: true })
  const service = await startService({ data, token: tokenIn(data) })
  renameSync(data, `${data}-old`)
  cpSync(backup, data, { recursive: true })
  const sent = service.upsert('players', [aPlayer()]).then(
    ({ status }) => status,
    () => 'no answer',
  )
  const { code, stderr } = await service.ended
  assert.notEqual(await sent, 200)
  assert.equal(code, EXIT.crashed)
  assert.match(stderr, /was moved, replaced or deleted while in use/)
  const restored = await startService({ data })
  assert.equal((await restored.ask('/api/admin/players/u-1')).status, 404)
  assert.equal((await restored.stop()).code, 0)
})

test('a thousand clients may wait for a service that is busy to accept them', async (t) => {
  const service = await startService({ data: await usedDataDirectory(t) })
  t.after(() => service.kill())
  const port = Number(new URL(service.url).port)
  const limit = '/proc/sys/net/core/somaxconn'
  const count = existsSync(limit) ? Math.min(1_000, Number(readFileSync(limit, 'utf8'))) : 100
  // What stands still accepts nobody; the system connects as many as the queue holds.
  process.kill(service.pid, 'SIGSTOP')
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  process.kill(service.pid, 'SIGCONT')
  const first = await Promise.all(
    sockets.map(async (socket) => {
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      return chunk.subarray(0, 15).toString()
    }),
  )
  assert.deepEqual([...new Set(first)], ['HTTP/1.1 200 OK'])
})

test('where the process may use less than 1 GiB, the start warns about it, and elsewhere it does not', async (t) => {
  const data = await usedDataDirectory(t)
  const allowed = (mib: number) => `--import=data:text/javascript,process.constrainedMemory=()=>${mib * 1024 ** 2}`
  for (const [mib, warns] of [
    [1023, true],
    [1024, false],
    [0, false],
  ] as const) {
    const service = await startService({ data, env: { NODE_OPTIONS: allowed(mib) } })
    const { stdout } = await service.stop()
    const line = stdout.split('\n').find((text) => text.includes('"memory-low"'))
    assert.equal(line?.includes('"limitMib":1023,"advisedMib":1024') ?? false, warns, `${mib} MiB: ${stdout}`)
  }
})

test('on a full disk writes are refused with 503 while reads go on, the log says why, and freeing space is enough', async (t) => {
  const flag = join(temporaryDirectory(t), 'full')
  const data = await usedDataDirectory(t)
  const service = await startService({ data, env: { FULL_DISK: flag, NODE_OPTIONS: `--import=${FULL_DISK_MODULE}` } })
  assert.equal((await service.upsert('players', [aPlayer()])).status, 200)
  writeFileSync(flag, '')
  const manyPlayers = Array.from({ length: 2_000 }, (_, index) => aPlayer({ User_id: `many-${index}` }))
  const refused = await service.upsert('players', manyPlayers)
  assert.equal(refused.status, 503)
  assert.equal(refused.body.error, 'the database cannot write to its disk')
  assert.equal((await service.ask('/healthz')).status, 200)
  assert.equal((await service.ask('/api/admin/players/u-1')).status, 200)
  rmSync(flag)
  await eventually('it writes again', async () => (await service.upsert('players', manyPlayers)).status === 200)
  const { code, stdout } = await service.stop()
  assert.equal(code, 0)
  const line = stdout.split('\n').find((text) => text.includes('"database-failed"'))
  assert(line !== undefined, stdout)
  const { level, requestId, error } = JSON.parse(line)
  assert.deepEqual([level, requestId, error.code], ['warn', refused.headers.get('x-request-id'), '53100'])
  assert.match(error.message, /No space left on device/)
})

test('a start on a full disk is one sentence with exit code 2, and damages nothing', async (t) => {
  const data = await usedDataDirectory(t)
  const flag = join(temporaryDirectory(t), 'full')
  writeFileSync(flag, '')
  const env = { LAUREL_DATA: data, FULL_DISK: flag, NODE_OPTIONS: `--import=${FULL_DISK_MODULE}` }
  const { code, stderr } = await runProcess(['migrate'], { env })
  assert.deepEqual(
    [code, stderr],
    [EXIT.usage, `laurel: cannot open the database in ${data}: the disk is full: free some space\n`],
  )
  assert.equal((await runProcess(['migrate'], { env: { LAUREL_DATA: data } })).code, 0)
})

test('with too few file descriptors a first start says so with exit code 2, and damages nothing; 256 are enough', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const inShell = (count: number) => {
    const command = [process.execPath, ...nodeOptions(), 'src/cli/main.ts', 'serve'].join(' ')
    return ['sh', '-c', `ulimit -n ${count}; exec ${command}`] as const
  }
  for (const count of [24, 32, 64, 96, 255]) {
    const child = spawnRaw(t, inShell(count), { LAUREL_DATA: data })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout.resume()
    const [code] = await once(child, 'close')
    assert.equal(code, EXIT.usage, stderr)
    assert.match(stderr, /the limit of open files is too low: raise it to 1024/)
  }
  const { child } = await startRaw(t, inShell(256), { LAUREL_DATA: data })
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
