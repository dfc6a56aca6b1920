/*
 * The hostile campaign: requests that no client should send, over raw connections, against a running service: odd methods, versions,
 * headers, addresses, encodings, bodies and tokens, pipelined, truncated and slow. The same seed sends the same requests.
 * `npm run campaign:hostile -- --requests 300000 --seed 1` counts answers by status. It fails at a 500, at a crash of the service, and if a
 * well-behaved client in between is not answered.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import { campaignCommand, runCampaign, wholeFrom } from './arguments.ts'

export type HostileCampaign = Readonly<{
  requests: number
  seed: number
  /** Called with a line of progress now and then. */
  say: (line: string) => void
}>

/** The number of responses by status; `none` counts connections without any. */
export type Statuses = Readonly<Record<string, number>>

const CONNECTIONS_AT_A_TIME = 64
const REQUESTS_OF_A_CONNECTION_MAX = 3
const GOOD_EVERY = 200
/** Closes a connection once everything before it was answered. */
const LAST = Buffer.from('GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')
/** How long to wait while the service waits for the rest of a request. */
const PATIENCE_MS = 500
const PATIENCE_AFTER_RESPONSE_MS = 50

/** Sends `requests` hostile requests to a new service. Rejects at a 500, a crash, or a good request that is not answered with 200. */
export async function runHostileCampaign({ requests, seed, say }: HostileCampaign): Promise<Statuses> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-hostile-'))
  const data = join(directory, 'data')
  cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const service = await startService({ data, env: { LOG_LEVEL: 'info' } })
  const token = tokenIn(data)
  const statuses: Record<string, number> = {}
  let sent = 0
  const random = randomFrom(seed)

  async function run(): Promise<void> {
    while (sent < requests) {
      const count = 1 + Math.floor(random() * Math.min(REQUESTS_OF_A_CONNECTION_MAX, requests - sent))
      const before = sent
      sent += count
      const hasPassed = (mark: number) => Math.floor(before / mark) !== Math.floor((before + count) / mark)
      const bytes = Buffer.concat(Array.from({ length: count }, () => hostileRequest(random, token)).concat(LAST))
      for (const status of await exchange(service, bytes, random)) statuses[status] = (statuses[status] ?? 0) + 1
      if (statuses['500'] !== undefined) throw new Error(`500 for one of: ${JSON.stringify(bytes.toString('latin1'))}`)
      if (hasPassed(GOOD_EVERY)) await checkGood(service)
      if (hasPassed(10_000)) say(`${before + count} sent: ${JSON.stringify(statuses)}`)
    }
  }

  try {
    await service.upsert('players', [aPlayer()])
    await Promise.all(Array.from({ length: CONNECTIONS_AT_A_TIME }, run))
    await checkGood(service)
    const metrics = await service.ask('/metrics')
    const fault = /^laurel_http_request_seconds_count\{.*status="500".*$/m.exec(metrics.text)?.[0]
    if (fault !== undefined) throw new Error(`an internal fault was counted: ${fault}`)
    const { code, stderr } = await service.stop('SIGINT')
    if (code !== 0 || stderr !== '') throw new Error(`the service ended with ${code}: ${stderr}`)
    return statuses
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${service.stderr()}${service.stdout().slice(-2_000)}`, {
      cause: error,
    })
  } finally {
    await service.kill()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function checkGood(service: ServiceProcess): Promise<void> {
  const { status, text } = await service.ask('/api/predictions/orders', { body: { data: anOrder() } })
  if (status !== 200) throw new Error(`a good prediction was answered ${status}: ${text}`)
}

/** Sends bytes whole, in two parts or truncated. Returns the statuses of the responses. */
function exchange({ url }: ServiceProcess, bytes: Buffer, random: () => number): Promise<string[]> {
  const way = random()
  const cutAt = Math.floor(random() * bytes.length)
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const socket = connect(Number(new URL(url).port), '127.0.0.1', async () => {
    if (way < 0.1) return void socket.write(bytes.subarray(0, cutAt), () => socket.destroy())
    if (way < 0.2) return void socket.end(bytes.subarray(0, cutAt))
    if (way < 0.3) {
      socket.write(bytes.subarray(0, cutAt))
      await sleep(5)
      return void socket.write(bytes.subarray(cutAt))
    }
    socket.write(bytes)
  })
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
    clearTimeout(timer)
    timer = setTimeout(() => socket.destroy(), PATIENCE_AFTER_RESPONSE_MS)
  })
  socket.on('error', () => undefined)
  let timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  socket.on('close', () => {
    clearTimeout(timer)
    const found = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!)
    resolve(found.length === 0 ? ['none'] : found)
  })
  return promise
}

const METHODS =
  'GET POST PUT HEAD DELETE OPTIONS TRACE CONNECT PRI QUERY PROPFIND DESCRIBE SETUP SOURCE get G\0T \u00ff'.split(' ')
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'RTSP/1.0',
  'ICE/1.0',
  'HTTP/1.',
  '',
  'X',
]
const PATHS = [
  '/api/predictions/orders',
  '/api/integration/players',
  '/api/integration/products',
  '/api/integration/orders',
  '/api/players/u-1',
  '/api/players/u-1/adjustments',
  '/api/admin/balances',
  '/api/admin/programs',
  '/api/admin/programs/1',
  '/api/admin/programs/1/withdraw',
  '/api/admin/players/u-1',
  '/api/admin/tokens/x/revoke',
  '/console',
  '/console/assets/../../package.json',
  '/api/console/session',
  '/api/admin/acts',
  '/api/admin/drafts/x',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '*',
  '/',
  '//',
  'http://x:99999/healthz',
]
const TAILS = [
  '',
  '',
  '',
  '?explain=true',
  '?dry_run=1',
  '?limit=%00',
  '?after=%ff',
  '?limit=1&after=%00',
  '/%00',
  '/%E0%A4%A',
  '/../..',
  '#x',
  '?',
  '/%2e%2e',
  `/${'x'.repeat(3_000)}`,
  '\u00e9',
  ';a=b',
  '?__proto__=1',
]
const HEADERS = [
  'host: x',
  'host: x\r\nhost: y',
  'expect: 100-continue',
  'expect: x',
  'connection: upgrade\r\nupgrade: websocket',
  'connection: close',
  'connection: keep-alive, te',
  'transfer-encoding: gzip, chunked',
  'content-encoding: gzip',
  'content-type: text/plain',
  'content-type: application/json; charset=utf-16',
  'accept-version: 1.x',
  'x-request-id: \u00ff\u00fe',
  'x-http-method-override: DELETE',
  'token:',
  'token: laurel_000000000000_x',
  'x-forwarded-for: ::1, %00',
  'range: bytes=0-1',
  ' folded: yes',
  'no colon',
  'a\0b: c',
  `long: ${'x'.repeat(17_000)}`,
]
const TEXTS = [
  '',
  '\0',
  '\ud800',
  'a\u202eb',
  '=cmd()',
  "' or 1=1 --",
  '9'.repeat(400),
  '-1',
  '1e309',
  '\u{1f33f}',
  '%00',
  '#{x}',
  '../x',
]
const BODIES: readonly ((random: () => number) => unknown)[] = [
  () => anOrder(),
  () => [anOrder()],
  () => [aPlayer()],
  () => [aProduct()],
  (random) => anOrder({ [oneOf(Object.keys(anOrder()), random)]: odd(random) }),
  (random) => [anOrder({ [oneOf(Object.keys(anOrder()), random)]: odd(random) })],
  (random) => [aPlayer({ [oneOf(Object.keys(aPlayer()), random)]: odd(random) })],
  (random) => [aProduct({ [oneOf(Object.keys(aProduct()), random)]: odd(random) })],
  (random) => ({ source: programText(random), note: odd(random), from: odd(random) }),
  (random) => ({ source: programText(random), from: '2099-01-01T00:00:00Z' }),
  (random) => ({ id: odd(random), points: odd(random), counts: true, reason: odd(random) }),
  (random) => ({ id: 'a', points: '1', counts: true, reason: oneOf(TEXTS, random) }),
  (random) => [
    { user_id: odd(random), id: odd(random), points: odd(random), counts: odd(random), reason: odd(random) },
  ],
  (random) => odd(random),
]

/** A program with arbitrary texts. */
function programText(random: () => number): string {
  const text = () => oneOf(['A', 'B', ...TEXTS], random)
  const ladder = [{ name: text(), from: 0 }]
  const earn = [
    {
      name: text(),
      when: oneOf(['order.net > 1.0', `player.level == "A"`, text()], random),
      fixed: { points: odd(random) },
    },
  ]
  return JSON.stringify({
    name: text(),
    rounding: 'floor',
    levels: { counts: 'lifetime', ladder },
    earn,
    messages: { stays: text() },
  })
}

/** A value of an unexpected type. */
function odd(random: () => number): unknown {
  const values: unknown[] = [
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    [],
    {},
    [[[]]],
    { __proto__: null, constructor: 1 },
  ]
  return random() < 0.5 ? oneOf(TEXTS, random) : oneOf(values, random)
}

/** The bytes of one request. */
function hostileRequest(random: () => number, token: string): Buffer {
  const maybe = (share: number) => random() < share
  if (maybe(0.02)) return Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)))
  const isSane = maybe(0.75)
  const method = isSane ? oneOf(['GET', 'POST', 'POST', 'QUERY'], random) : oneOf(METHODS, random)
  const version = isSane ? 'HTTP/1.1' : oneOf(VERSIONS, random)
  const headers = isSane ? [] : Array.from({ length: Math.floor(random() * 3) }, () => oneOf(HEADERS, random))
  if (maybe(0.9)) headers.push(`token: ${maybe(0.97) ? token : token.slice(0, 40)}`)
  const body = bodyBytes(random)
  if (maybe(0.9)) headers.push('content-type: application/json')
  const isChunked = maybe(0.15)
  if (isChunked) headers.push('transfer-encoding: chunked')
  else if (maybe(0.95))
    headers.push(
      `content-length: ${maybe(0.97) ? body.length : oneOf([-1, 'x', '1, 2', 1e9, body.length + 3], random)}`,
    )
  const head = `${method} ${oneOf(PATHS, random)}${oneOf(TAILS, random)} ${version}\r\n${headers.join('\r\n')}\r\n\r\n`
  const chunk = maybe(0.9) ? body.length.toString(16) : oneOf(['-1', 'zz', 'ffffffffffffffff', '0'], random)
  const framed = isChunked ? [Buffer.from(`${chunk}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')] : [body]
  return Buffer.concat([Buffer.from(head, 'latin1'), ...framed])
}

function bodyBytes(random: () => number): Buffer {
  const way = random()
  if (way < 0.1) return Buffer.alloc(0)
  const bytes = Buffer.from(JSON.stringify({ data: oneOf(BODIES, random)(random) }))
  if (way < 0.15) return bytes.subarray(0, Math.floor(random() * bytes.length))
  if (way < 0.2) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
  if (way < 0.22) return Buffer.from(`{"data":${'['.repeat(40)}`)
  if (way < 0.23) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
  return bytes
}

function oneOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!
}

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

if (import.meta.main) {
  const { requests, seed } = campaignCommand(
    'hostile',
    'Sends requests that no client should send, and looks for a 500.',
  )
    .option('--requests <count>', 'number of requests', wholeFrom(1), 20_000)
    .option('--seed <number>', 'the same seed sends the same requests', wholeFrom(0), 1)
    .parse()
    .opts<{ requests: number; seed: number }>()
  await runCampaign(async () => {
    const statuses = await runHostileCampaign({ requests, seed, say: console.log })
    console.log(`${requests} hostile requests, no 500: ${JSON.stringify(statuses)}`)
  })
}
