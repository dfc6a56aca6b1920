/*
 * Servers of a cluster and services are killed while orders are predicted and recorded. Whoever gets no answer, or 503, sends the same again.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { anOrder, aPlayer } from '../support/builders.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'

/** `killServer` is a line of shell that kills a server and starts it again, given its number: 0 is the coordinator. */
type Killing = Readonly<{
  start: Parameters<typeof startService>[0] & Readonly<{ env: { DATABASE_URL: string } }>
  servers: number
  kills: number
  killServer: string
  say: (line: string) => void
}>

const PLAYERS = 200
const SENDERS = 12
const [BEFORE_MS, AGAIN_MS] = [4_000, 50]
const TRIES_MAX = 2_400

/** Rejects at an answer with another status than 200 and 503, and if an acknowledged order is missing or was recorded twice. */
export async function killUnderLoad({ start, servers, kills, killServer, say }: Killing): Promise<void> {
  const services = [await startService(start), await startService(start)]
  const acknowledged = new Set<string>()
  let isOver = false
  try {
    await services[0]!.upsert(
      'players',
      Array.from({ length: PLAYERS }, (_, id) => aPlayer({ User_id: `k-${id}`, Refercode: `K${id}` })),
    )
    let sent = 0
    let longestMs = 0
    const send = async () => {
      while (!isOver) {
        const number = sent++
        const refferral_code = number % 5 === 0 ? `K${(number + 1) % PLAYERS}` : ''
        const order = anOrder({ order_id: `k-${number}`, user_id: `k-${number % PLAYERS}`, refferral_code })
        for (const [path, data] of [
          ['/api/predictions/orders', order],
          ['/api/integration/orders', [order]],
        ] as const)
          longestMs = Math.max(longestMs, await until200(services, number, path, data))
        acknowledged.add(order.order_id)
      }
    }
    const sending = Promise.all(Array.from({ length: SENDERS }, send))
    // It may fail before it is awaited.
    sending.catch(() => undefined)
    const sendFor = (ms: number) => Promise.race([sending, sleep(ms)])
    const killed: Record<string, number> = {}
    for (let kill = 0; kill < kills; kill += 1) {
      await sendFor(BEFORE_MS)
      const what = kill % (servers + 1)
      if (what < servers) await promisify(execFile)('sh', ['-c', `${killServer} ${what}`])
      else {
        await services[1]!.kill()
        services[1] = await startService(start)
      }
      const name = what === 0 ? 'coordinator' : what < servers ? 'server' : 'service'
      killed[name] = (killed[name] ?? 0) + 1
    }
    await sendFor(BEFORE_MS)
    isOver = true
    await sending
    assert.deepEqual(await firstRecordings(start.env.DATABASE_URL), [...acknowledged].sort())
    const longest = `the longest waited ${(longestMs / 1_000).toFixed(1)} s`
    say(`${JSON.stringify(killed)} killed; ${acknowledged.size} orders acknowledged, each recorded once; ${longest}`)
  } finally {
    isOver = true
    for (const service of services) await service.kill()
  }
}

/** Sends the same to the services in turn until it is answered with 200. Returns how long that took, in milliseconds. */
async function until200(
  services: readonly ServiceProcess[],
  first: number,
  path: string,
  data: unknown,
): Promise<number> {
  const beganAt = performance.now()
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const service = services[(first + attempt) % services.length]!
    const reply = await service.ask(path, { method: 'POST', body: { data } }).catch(() => undefined)
    if (reply?.status === 200) return performance.now() - beganAt
    assert.ok(
      reply === undefined || reply.status === 503,
      `${path} was answered with ${reply?.status}: ${reply?.text}\n${failuresIn(service)}`,
    )
    await sleep(AGAIN_MS)
  }
  throw new Error(`${path} was not answered in ${TRIES_MAX} tries`)
}

/** What a service has logged about requests that it answered with 500. */
function failuresIn(service: ServiceProcess): string {
  return service
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"request-failed"'))
    .join('\n')
}

/** The ids of the orders sent here, once for each time that they were recorded first. */
async function firstRecordings(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ order_id: string }>(
      `select e.order_id from entries e join orders o on o.user_id = e.user_id and o.order_id = e.order_id
       where e.kind = 'order' and e.revision = 1 and e.user_id like 'k-%'`,
    )
    return rows.map(({ order_id }) => order_id).sort()
  } finally {
    await client.end()
  }
}
