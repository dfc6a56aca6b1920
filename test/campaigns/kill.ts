/*
 * The kill campaign: clients write, a process is killed without warning, and every acknowledged record must be stored. Every order must have
 * earned its points exactly once, even if it was sent again.
 * `npm run campaign:kill -- --rounds 50 --database embedded` prints a line for each round, and fails at the first loss.
 *
 * What SIGKILL proves: nothing acknowledged existed only in the memory of a process. A power failure also loses the memory of the kernel; that is
 * what the fsyncs are for, and they are counted in test/store/embedded.test.ts.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '../../src/database/open.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { type ServiceOptions, type ServiceProcess, startService } from '../support/service-process.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, runCampaign, wholeFrom } from './arguments.ts'

export type Campaign = Readonly<{
  database: CampaignDatabase
  rounds: number
  /** A process is killed after as many acknowledged requests, from the first number to the second. */
  killAfter: readonly [number, number]
  /** Called with a line for each round. */
  say: (line: string) => void
}>

type RecordType = 'players' | 'products' | 'orders'
const RECORD_TYPES: readonly RecordType[] = ['players', 'products', 'orders']

/** The possible states of one record. Its values are increasing numbers, so that a later value is a greater one. */
type Outcome = { acknowledged: number; unknown: number[] }
type Ledger = Readonly<Record<RecordType, Map<string, Outcome>>>
type Tally = { requests: number; records: number; unanswered: number }

const CLIENTS = 4
const KEYS_OF_A_CLIENT = 250
const REQUEST_RECORDS_MAX = 200
/** The players who order. All clients order for all of them, so that their requests contend for the same accounts. */
const BUYERS = 20
/** The process is killed at most this long after the last of these requests was answered. */
const KILL_DELAY_MS_MAX = 30
/** The share of orders that are retries: sent again exactly as they were last. */
const AGAIN_SHARE = 0.3
const READS_AT_A_TIME = 16
/** A single connection for many reads. */
const KEPT_OPEN = { connection: 'keep-alive' }

/** Runs a campaign on a new database. Rejects at the first record that is lost, and at any answer that is neither 200 nor 503. */
export async function runKillCampaign({ database, rounds, killAfter, say }: Campaign): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-kill-'))
  const server = database === 'postgres' ? await startPostgresServer({ durable: true }) : undefined
  const env = server === undefined ? {} : { DATABASE_URL: await server.newDatabase() }
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const options: ServiceOptions = { data, env }
  const ledger: Ledger = { players: new Map(), products: new Map(), orders: new Map() }
  let service = await startService(options)
  try {
    const buyers = Array.from({ length: BUYERS }, (_, buyer) => aPlayer({ User_id: `buyer-${buyer}` }))
    const made = await service.upsert('players', buyers)
    if (made.body.inserted !== BUYERS) throw new Error(`the buyers were not made: ${made.text}`)
    for (let round = 1; round <= rounds; round += 1) {
      const victim = server !== undefined && round % 2 === 0 ? 'server' : 'service'
      const clients = startClients(service, ledger)
      const startedAt = performance.now()
      await clients.acknowledged(between(...killAfter))
      await sleep(between(0, KILL_DELAY_MS_MAX))
      const afterMs = Math.round(performance.now() - startedAt)
      const killedAt = performance.now()
      if (victim === 'server') {
        await server!.kill()
        await server!.restart()
        while ((await service.ask('/readyz')).status !== 200) await sleep(20)
      } else {
        clients.expectSilence()
        await service.kill()
        service = await startService(options)
      }
      const backMs = Math.round(performance.now() - killedAt)
      if (victim === 'server') await sleep(200) // The clients keep writing.
      const { requests, records, unanswered } = await clients.stop()
      const found = await check(service, ledger)
      await checkBalances(service, ledger.orders)
      say(
        `${database} round ${round}: ${victim} killed after ${afterMs} ms, back after ${backMs} ms; ` +
          `${requests} requests with ${records} records acknowledged, ${unanswered} unanswered; ` +
          `${found.players} players, ${found.products} products and ${found.orders} orders there, 0 lost, each earned once`,
      )
    }
    await service.kill()
    await checkWholeLedger(options)
  } finally {
    await service.kill()
    await server?.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

type Clients = Readonly<{
  /** Waits until as many requests are acknowledged. */
  acknowledged: (requests: number) => Promise<void>
  /** From now on the service may be gone, and a client without a response stops. */
  expectSilence: () => void
  /** Stops each client after its current request. */
  stop: () => Promise<Tally>
}>

/** Clients that write as fast as they are answered, each with its own keys, so that it knows the order in which values were sent. */
function startClients(service: ServiceProcess, ledger: Ledger): Clients {
  const tally: Tally = { requests: 0, records: 0, unanswered: 0 }
  let isSilenceExpected = false
  let isStopped = false

  async function run(client: number): Promise<void> {
    while (!isStopped) {
      const recordType = RECORD_TYPES[Math.floor(between(0, RECORD_TYPES.length))]!
      const records = draw(client, recordType, ledger)
      const response = await service
        .upsert(
          recordType,
          records.map(({ key, value }) => RECORD[recordType](key, value)),
        )
        .catch((error) => {
          if (!isSilenceExpected) throw error
          isStopped = true
        })
      if (response?.status === 200) {
        // A retried order counts as skipped. Any other skipped record was valid and should have been written.
        const refused = (response.body.results as { verdict: string }[]).filter(
          ({ verdict }) => verdict !== 'unchanged',
        )
        if (refused.length > 0) throw new Error(`good records were skipped: ${JSON.stringify(refused)}`)
        for (const { key, value } of records) ledger[recordType].set(key, { acknowledged: value, unknown: [] })
        tally.requests += 1
        tally.records += records.length
      } else {
        if (response !== undefined && response.status !== 503)
          throw new Error(`answered ${response.status}: ${response.text}`)
        tally.unanswered += 1
        await sleep(50)
      }
    }
  }

  const running = Promise.all(Array.from({ length: CLIENTS }, (_, client) => run(client)))
  // The function that stops the clients reports the error.
  running.catch(() => {
    isStopped = true
  })
  return {
    acknowledged: async (requests) => {
      const enough = (async () => {
        while (tally.requests < requests && !isStopped) await sleep(1)
      })()
      await Promise.race([enough, running]) // Rejects at a wrong answer.
    },
    expectSilence: () => {
      isSilenceExpected = true
    },
    stop: async () => {
      isStopped = true
      await running
      return tally
    },
  }
}

let lastValue = 0

/** The records of one request, some keys several times, each with a new value, or an order as it was last sent. */
function draw(client: number, recordType: RecordType, ledger: Ledger): { key: string; value: number }[] {
  return Array.from({ length: Math.floor(between(1, REQUEST_RECORDS_MAX + 1)) }, () => {
    const key = `client-${client}-${Math.floor(between(0, KEYS_OF_A_CLIENT))}`
    const outcome = ledger[recordType].get(key) ?? { acknowledged: 0, unknown: [] }
    const last = outcome.unknown.at(-1) ?? outcome.acknowledged
    if (recordType === 'orders' && last > 0 && Math.random() < AGAIN_SHARE) return { key, value: last }
    lastValue += 1
    ledger[recordType].set(key, { ...outcome, unknown: [...outcome.unknown, lastValue] })
    return { key, value: lastValue }
  })
}

const RECORD: Readonly<Record<RecordType, (key: string, value: number) => object>> = {
  players: (key, value) => aPlayer({ User_id: key, Phone: String(value), Name: `Player ${value}` }),
  products: (key, value) => ({ product_sku_id: key, amount: `${value}.25` }),
  orders: (key, value) =>
    anOrder({
      order_id: key,
      user_id: buyerOf(key),
      total_amount: value,
      status: isCancelled(value) ? 'cancelled' : 'placed',
    }),
}

const buyerOf = (orderId: string) => `buyer-${Number(orderId.split('-').at(-1)) % BUYERS}`
const isCancelled = (value: number) => value % 3 === 0

/** What an order with this value earns under the starter program: 1 point for every 10, rounded down. */
const earnedBy = (value: number) => (isCancelled(value) ? 0 : Math.floor(value / 10))

/** Asks the service for every record ever sent. Returns the number stored. */
async function check(service: ServiceProcess, ledger: Ledger): Promise<Readonly<Record<RecordType, number>>> {
  return {
    players: await checkPlayers(service, ledger.players),
    products: await checkByDryRun(service, 'products', ledger.products),
    orders: await checkByDryRun(service, 'orders', ledger.orders),
  }
}

async function checkPlayers(service: ServiceProcess, outcomes: Map<string, Outcome>): Promise<number> {
  const keys = [...outcomes.keys()]
  let found = 0
  await Promise.all(
    Array.from({ length: READS_AT_A_TIME }, async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
        const { status, body, text } = await service.ask(`/api/admin/players/${key}?reveal=true`, {
          headers: KEPT_OPEN,
        })
        const value = status === 200 ? Number(body.phone) : 0
        if (status !== 404 && body?.name !== `Player ${value}`)
          throw new Error(`player ${key} is not one that was sent: ${text}`)
        settle('players', key, outcomes, value)
        if (value > 0) found += 1
      }
    }),
  )
  return found
}

/** A dry run shows whether a record is stored with exactly this value, so the possible values are tried one after the other. */
async function checkByDryRun(
  service: ServiceProcess,
  recordType: 'products' | 'orders',
  outcomes: Map<string, Outcome>,
): Promise<number> {
  const open = new Map([...outcomes].map(([key, { acknowledged, unknown }]) => [key, [acknowledged, ...unknown]]))
  let found = 0
  while (open.size > 0) {
    const asked = [...open].slice(0, 1_000).map(([key, values]) => ({ key, value: values.shift() }))
    const data = asked.map(({ key, value }) => RECORD[recordType](key, value ?? 0))
    const reply = await service.ask(`/api/integration/${recordType}?dry_run=true&details=true`, { body: { data } })
    if (reply.status !== 200) throw new Error(`answered ${reply.status}: ${reply.text}`)
    const results = reply.body.results as { position: number; verdict: string }[]
    if (results.some(({ verdict }) => verdict !== 'unchanged'))
      throw new Error(`a good record is refused: ${reply.text}`)
    const stored = new Set(results.map(({ position }) => position))
    for (const [position, { key, value }] of asked.entries()) {
      if (!stored.has(position) && open.get(key)!.length > 0) continue
      open.delete(key)
      settle(recordType, key, outcomes, stored.has(position) ? value! : 0)
      if (stored.has(position)) found += 1
    }
  }
  return found
}

/** Every buyer must have exactly the points of the stored orders, each earned once. Call it after `check`, which finds the stored orders. */
async function checkBalances(service: ServiceProcess, orders: ReadonlyMap<string, Outcome>): Promise<void> {
  const expected = new Map<string, number>()
  for (const [key, { acknowledged }] of orders)
    expected.set(buyerOf(key), (expected.get(buyerOf(key)) ?? 0) + earnedBy(acknowledged))
  for (const [buyer, points] of expected) {
    const worthNothing = anOrder({ order_id: 'none', user_id: buyer, status: 'cancelled' })
    const reply = await service.ask('/api/predictions/orders?explain=true', { body: { data: worthNothing } })
    const counted = reply.body?.explanation?.level.counted
    if (counted !== points)
      throw new Error(`WRONG: the orders of ${buyer} earn ${points} points, and they have ${counted ?? reply.text}`)
  }
}

/** Checks the database itself, once no other process has it open. */
async function checkWholeLedger({ data, env }: ServiceOptions): Promise<void> {
  const onFatal = (error: Error) => {
    throw error
  }
  const limits = { poolMax: 2, statementTimeoutMs: 60_000, lockTimeoutMs: 60_000, idleInTransactionTimeoutMs: 60_000 }
  const db = await openDb({ ...limits, databaseUrl: env?.DATABASE_URL, directory: data, onFatal })
  try {
    await checkLedger(db)
  } finally {
    await db.close()
  }
}

/** A stored value was committed, so no older one may be found later. */
function settle(recordType: string, key: string, outcomes: Map<string, Outcome>, value: number): void {
  const { acknowledged, unknown } = outcomes.get(key)!
  if (value !== acknowledged && !unknown.includes(value))
    throw new Error(
      `LOST: of ${recordType}, ${key} was acknowledged with ${acknowledged}, later sent with ${unknown.join() || 'nothing'}, and is there with ${value || 'nothing'}`,
    )
  outcomes.set(key, { acknowledged: value, unknown: unknown.filter((other) => other > value) })
}

function between(from: number, to: number): number {
  return from + Math.random() * (to - from)
}

if (import.meta.main) {
  const options = campaignCommand(
    'kill',
    'Kills processes under load, and looks for what was acknowledged and is lost.',
  )
    .option('--rounds <count>', 'kills for each database', wholeFrom(1), 3)
    .addOption(databaseOption())
    .parse()
    .opts<{ rounds: number; database: readonly CampaignDatabase[] }>()
  await runCampaign(async () => {
    for (const database of options.database)
      await runKillCampaign({ database, rounds: options.rounds, killAfter: [2, 80], say: console.log })
  })
}
