/*
 * The failover campaign: clients record orders and ask for predictions while the primary PostgreSQL server is killed and its standby takes over at the
 * same address, as with a managed database. Every acknowledged order is there afterwards, once, and the service needs no help.
 * `npm run campaign:failover -- --rounds 20 --clients 64` prints a line for each round, and fails at the first lost order.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder, aPlayer } from '../support/builders.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { runOnce, startPostgresServer } from '../support/postgres-server.ts'
import { orderIdsOf, runProcess, type ServiceProcess, startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, runCampaign, wholeFrom } from './arguments.ts'

export type FailoverCampaign = Readonly<{ rounds: number; clients: number; say: (line: string) => void }>

const PLAYERS = 200
/** How many orders are acknowledged before the primary is killed, and by its successor. */
const ORDERS = 100
const POINTS = 10

/** Rejects at the first acknowledged order that is lost, doubled order, error other than 503, or ledger that does not verify. */
export async function runFailoverCampaign({ rounds, clients, say }: FailoverCampaign): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) say(`round ${round}: ${await failOver(clients)}`)
}

async function failOver(clients: number): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-failover-'))
  const settings = { max_connections: '100', wal_keep_size: '512MB' }
  const primary = await startPostgresServer({ durable: true, settings })
  const standby = await primary.newStandby()
  const proxy = await startCuttingProxy(primary.url)
  const service = await startService({ data: join(directory, 'data'), env: { DATABASE_URL: proxy.url } })
  try {
    const ids = Array.from({ length: PLAYERS }, (_, index) => `u-${index}`)
    await service.upsert(
      'players',
      ids.map((User_id) => aPlayer({ User_id, Refercode: '' })),
    )
    const sent = recordOrders(service, clients)
    await eventually('orders are acknowledged', () => sent.acknowledged.size >= ORDERS)
    await primary.kill()
    const killedAt = performance.now()
    const before = sent.acknowledged.size
    // As long as it takes to notice.
    await sleep(500)
    await runOnce(
      standby.url,
      'select pg_promote()',
      "alter system set synchronous_standby_names = ''",
      'select pg_reload_conf()',
    )
    proxy.switchTo(standby.url)
    await eventually('the successor acknowledges orders', () => sent.acknowledged.size > before)
    const pauseMs = performance.now() - killedAt
    await eventually('orders are acknowledged', () => sent.acknowledged.size >= before + ORDERS)
    sent.stop()
    await sent.ended
    assert.deepEqual(sent.errors, [], 'errors other than 503')
    await assertRecorded(service, proxy.url, sent.acknowledged)
    return `${before} orders acknowledged before and ${sent.acknowledged.size - before} after, none lost or doubled; ${sent.refused} times 503, ${Math.round(pauseMs)} ms without an order`
  } finally {
    await service.kill()
    proxy.close()
    for (const server of [standby, primary]) await server.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Each client sends an order again until it is acknowledged, and predictions in between. */
function recordOrders(service: ServiceProcess, clients: number) {
  const acknowledged = new Set<string>()
  const errors: string[] = []
  let isOver = false
  let refused = 0
  const sendUntilDone = async (path: string, data: unknown): Promise<boolean> => {
    while (!isOver) {
      const { status, text } = await service.ask(path, { method: 'POST', body: { data } })
      if (status === 200) return true
      if (status !== 503) errors.push(`${status}: ${text}`)
      refused += 1
      await sleep(20)
    }
    return false
  }
  const ended = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = 0; !isOver; turn += 1) {
        const order_id = `o-${client}-${turn}`
        const user_id = `u-${(client * 31 + turn) % PLAYERS}`
        const order = anOrder({ order_id, user_id, total_amount: POINTS, products: [] })
        await sendUntilDone('/api/predictions/orders', order)
        if (await sendUntilDone('/api/integration/orders', [order])) acknowledged.add(order_id)
      }
    }),
  )
  const stop = () => {
    isOver = true
  }
  return {
    acknowledged: acknowledged as ReadonlySet<string>,
    errors: errors as readonly string[],
    get refused() {
      return refused
    },
    stop,
    ended,
  }
}

async function assertRecorded(
  service: ServiceProcess,
  databaseUrl: string,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const found = await orderIdsOf(service)
  const there = new Set(found)
  assert.equal(there.size, found.length, 'an order is there twice')
  const missing = [...acknowledged].filter((id) => !there.has(id))
  assert.deepEqual(missing.slice(0, 3), [], `LOST: ${missing.length} acknowledged orders`)
  const { code, stdout, stderr } = await runProcess(['ledger', 'verify'], { env: { DATABASE_URL: databaseUrl } })
  assert.equal(code, 0, `laurel ledger verify ended with ${code}: ${stdout}${stderr}`)
}

if (import.meta.main) {
  const options = campaignCommand(
    'failover',
    'Kills a PostgreSQL server under load, promotes its standby, and looks for lost orders.',
  )
    .option('--rounds <count>', 'failovers', wholeFrom(1), 20)
    .option('--clients <count>', 'concurrent clients', wholeFrom(1), 64)
    .parse()
    .opts<{ rounds: number; clients: number }>()
  await runCampaign(() => runFailoverCampaign({ ...options, say: console.log }))
}
