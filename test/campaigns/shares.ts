/*
 * The shares campaign: one client at a time takes all that it can get, while 64 connections of another token predict. Predictions must hardly
 * notice, memory must stay where it was, and everything must be closed a minute after.
 * `npm run campaign:shares -- --database both --seconds 10` prints a table. The attacker needs a core to itself, and other processes on the
 * machine affect the figures: the short round in `npm test` asserts none of the times.
 */
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, readPositive, runCampaign } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'
import { ATTACK_NAMES, type Attack, type AttackName, assertExpected, type ResponseCounts } from './shares-attacks.ts'

export type SharesCampaign = Readonly<{
  database: CampaignDatabase
  attacks: readonly AttackName[]
  /** How long predictions are timed alone, and beside each attack. */
  seconds: number
  /** How much of each attack, from 0 to 1. */
  share: number
  say: (line: string) => void
}>

/** Predictions alone and beside an attack: percentiles in milliseconds, and how many had another status than 200. */
export type SharesRow = Readonly<{
  attack: AttackName
  alone: Timed
  beside: Timed
  /** What the attacker got. */
  responses: ResponseCounts
  /** Resident memory at its highest, less that before the attack. */
  memoryMb: number
  /** Connections still open after the attack, when all of them were closed or a minute had passed. */
  leftOpen: number
}>

type Timed = Readonly<{ count: number; others: number; p50: number; p99: number }>

const CONNECTIONS = 64
const PLAYERS = 500
const SETTLED_MS = 60_000
/** The scopes of each attacker: what one token of a role, or of a page, may do. */
const SCOPES: Readonly<Record<AttackName, readonly string[]>> = {
  bodies: ['predict'],
  uploads: ['players'],
  pipelined: [],
  'test-orders': ['program'],
  simulations: ['read'],
  diffs: ['read'],
  jobs: ['program', 'read'],
  publications: ['publish'],
}

/** Attacks one service in turn. Returns a row for each attack. Errors: an attack got other responses than it should. */
export async function runSharesCampaign(campaign: SharesCampaign): Promise<SharesRow[]> {
  const { database, attacks, say } = campaign
  const directory = mkdtempSync(join(tmpdir(), 'laurel-shares-'))
  const server = database === 'postgres' ? await openCampaignDatabase({ durable: true }) : undefined
  const env: Record<string, string> = server === undefined ? {} : { DATABASE_URL: server.url }
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const service = await startService({ data, env })
  try {
    await service.upsert(
      'players',
      Array.from({ length: PLAYERS }, (_, index) => aPlayer({ User_id: `p-${index}` })),
    )
    const token = await newToken(service, 'shop', ['predict'])
    await predictFor(service, token, 2)
    say(`${database}\n${HEAD}`)
    const rows: SharesRow[] = []
    for (const attack of attacks) {
      const row = await attackOnce(campaign, service, attack, token)
      rows.push(row)
      say(lineOf(row))
    }
    return rows
  } finally {
    await service.kill()
    await server?.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function attackOnce(
  { seconds, share }: SharesCampaign,
  service: ServiceProcess,
  name: AttackName,
  token: string,
): Promise<SharesRow> {
  const scopes = SCOPES[name]
  const theirs = scopes.length === 0 ? '' : await newToken(service, name, scopes)
  const alone = await predictFor(service, token, seconds)
  const before = { memoryMb: memoryMb(service), open: openConnections(service) }
  let most = before.memoryMb
  const watching = setInterval(() => {
    most = Math.max(most, memoryMb(service))
  }, 50)
  const attacker = new Worker(new URL('./shares-attacks.ts', import.meta.url), {
    workerData: { name, url: service.url, token: theirs, share } satisfies Attack,
  })
  attacker.on('error', (error) => console.error(error))
  // From the first moment: most attacks are at their worst when they begin.
  const beside = await predictFor(service, token, seconds)
  clearInterval(watching)
  attacker.postMessage('stop')
  const exited = once(attacker, 'exit')
  const [responses] = (await once(attacker, 'message')) as [ResponseCounts]
  await exited
  assertExpected(name, responses)
  const endsAt = performance.now() + SETTLED_MS
  while (openConnections(service) > before.open && performance.now() < endsAt) await sleep(100)
  return {
    ...{ attack: name, alone, beside, responses },
    memoryMb: most - before.memoryMb,
    leftOpen: Math.max(0, openConnections(service) - before.open),
  }
}

async function newToken(service: ServiceProcess, name: string, scopes: readonly string[]): Promise<string> {
  const { body } = await service.ask('/api/admin/tokens', { body: { data: { name, scopes } } })
  return body.token
}

/** Each of the connections sends its next prediction as soon as the last is answered. */
async function predictFor({ url }: ServiceProcess, token: string, seconds: number): Promise<Timed> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const times: number[] = []
  let others = 0
  const endsAt = performance.now() + seconds * 1_000
  const one = async (connection: number) => {
    for (let index = connection; performance.now() < endsAt; index += CONNECTIONS) {
      const startedAt = performance.now()
      const status = await predictOnce(url, token, agent, index)
      times.push(performance.now() - startedAt)
      if (status !== 200) others += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => one(connection)))
  agent.destroy()
  times.sort((a, b) => a - b)
  const percentile = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { count: times.length, others, p50: percentile(0.5), p99: percentile(0.99) }
}

function predictOnce(url: string, token: string, agent: Agent, index: number): Promise<number> {
  const body = JSON.stringify({ data: anOrder({ user_id: `p-${index % PLAYERS}`, order_id: `o-${index}` }) })
  const { promise, resolve } = Promise.withResolvers<number>()
  const headers = { token, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  request(`${url}/api/predictions/orders`, { method: 'POST', agent, headers }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0))
  })
    .on('error', () => resolve(0))
    .end(body)
  return promise
}

/** Of the process, as Linux counts it. */
function memoryMb({ pid }: ServiceProcess): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

/** Connections that the service has accepted and not closed: of its port, those established. */
function openConnections({ url }: ServiceProcess): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  return lines.filter((line) => new RegExp(`^\\s*\\d+: \\w+:${port} \\w+:(?!0000)\\w{4} (?!06)`).test(line)).length
}

/** What an attack took beyond its share: predictions may take twice as long at the 99th percentile, the service 300 MB more; no connection stays open. */
export function beyondBounds({ alone, beside, memoryMb, leftOpen }: Omit<SharesRow, 'attack' | 'responses'>): string[] {
  const times = beside.p99 / alone.p99
  return [
    ...(times > 2 ? [`p99 of predictions ${times.toFixed(1)} times, expected at most 2`] : []),
    ...(memoryMb > 300 ? [`${memoryMb.toFixed(0)} MB more memory, expected at most 300`] : []),
    ...(leftOpen > 0 ? [`${leftOpen} connections left open, expected none`] : []),
  ]
}

const HEAD = 'attack         alone: p50   p99 ms  beside: p50   p99 ms  times  not 200  memory MB  left open  answers'

function lineOf({ attack, alone, beside, responses, memoryMb, leftOpen }: SharesRow): string {
  const cells: [text: string, width: number][] = [
    [attack.padEnd(13), 13],
    [alone.p50.toFixed(1), 12],
    [alone.p99.toFixed(1), 9],
    [beside.p50.toFixed(1), 13],
    [beside.p99.toFixed(1), 9],
    [(beside.p99 / alone.p99).toFixed(1), 7],
    [String(beside.others), 9],
    [memoryMb.toFixed(0), 11],
    [String(leftOpen), 11],
  ]
  const got = Object.entries(responses).map(([status, count]) => `${count} x ${status}`)
  return `${cells.map(([text, width]) => text.padStart(width)).join('')}  ${got.join(', ') || 'none'}`
}

if (import.meta.main) {
  const options = campaignCommand(
    'shares',
    'Attacks a service with what one token may do, and times the predictions of another.',
  )
    .option('--seconds <count>', 'duration of timing predictions alone, and beside each attack', readPositive, 10)
    .option('--attacks <list>', `of ${ATTACK_NAMES.join(', ')}`, (text: string) => text.split(',') as AttackName[], [
      ...ATTACK_NAMES,
    ])
    .addOption(databaseOption('both'))
    .parse()
    .opts<{ seconds: number; attacks: readonly AttackName[]; database: readonly CampaignDatabase[] }>()
  await runCampaign(async () => {
    const beyond: string[] = []
    for (const database of options.database) {
      const rows = await runSharesCampaign({ ...options, database, share: 1, say: console.log })
      beyond.push(...rows.flatMap((row) => beyondBounds(row).map((bound) => `${row.attack}, ${database}: ${bound}`)))
    }
    if (beyond.length > 0) throw new Error(`beyond the bounds:\n${beyond.join('\n')}`)
  })
}
