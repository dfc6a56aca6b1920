/*
 * The stop campaign: clients behind a load balancer send as fast as they are answered, on persistent connections, and the service is told to
 * stop. Every request sent must be answered. The balancer polls /readyz, and sends nothing more once that answers 503.
 * `npm run campaign:stop -- --rounds 20 --database both --delay 1000` prints a line for each round, and fails at the first lost request. With
 * `--stay` nobody looks at /readyz: clients go on until they cannot connect, and at most one request in 10,000 may be lost.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import { send } from '../support/test-app.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, runCampaign, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'

export type StopCampaign = Readonly<{
  database: CampaignDatabase
  rounds: number
  /** STOP_DELAY_MS */
  delayMs: number
  /** Whether clients go on sending until they cannot connect. */
  stay?: boolean
  /** Called with a line for each round. */
  say: (line: string) => void
}>

type Tally = { answered: number; afterSignal: number; lost: string[] }

const CLIENTS = 64
const STOP_AFTER_MS = [200, 800] as const
const BALANCER_POLL_MS = 20
/** Of the requests of clients that stay. */
const LOST_SHARE_MAX = 1 / 10_000

/**
 * Runs a campaign on a new database. Rejects at the first round with a lost request (if clients stay: at the end, if too many were lost), or with an
 * answer other than 200 and 503 (a busy machine may be overloaded).
 */
export async function runStopCampaign({ database, rounds, delayMs, stay = false, say }: StopCampaign): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-stop-'))
  const server = database === 'postgres' ? await openCampaignDatabase() : undefined
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const all = { answered: 0, lost: 0 }
  try {
    for (let round = 1; round <= rounds; round += 1) {
      // On PostgreSQL every other round has several workers.
      const workers = server !== undefined && round % 2 === 0 ? 2 : 1
      const env = { DATABASE_URL: server?.url, WORKERS: String(workers), STOP_DELAY_MS: String(delayMs) }
      const service = await startService({ data, env })
      try {
        await service.upsert('players', [aPlayer()])
        const { answered, afterSignal, lost } = await stopUnderLoad(service, stay)
        say(
          `${database} round ${round}: ${workers} worker${workers > 1 ? 's' : ''}, ${answered} answered, ` +
            `${afterSignal} of them after the signal, ${lost.length} lost${lost.length > 0 ? `: ${[...new Set(lost)].join('; ')}` : ''}`,
        )
        all.answered += answered
        all.lost += lost.length
        if (!stay && lost.length > 0)
          throw new Error(`LOST: ${lost.length} requests were not answered: ${lost.slice(0, 5).join('; ')}`)
      } finally {
        await service.kill()
      }
    }
    if (stay) say(`${database}: ${all.lost} of ${all.answered} requests lost`)
    if (all.lost > all.answered * LOST_SHARE_MAX) throw new Error(`LOST: ${all.lost} of ${all.answered} requests`)
  } finally {
    await server?.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function stopUnderLoad(service: ServiceProcess, stay: boolean): Promise<Tally> {
  const tally: Tally = { answered: 0, afterSignal: 0, lost: [] }
  const balancer = { isOpen: true, isStopping: false }
  const clients = Array.from({ length: CLIENTS }, (_, client) => runClient(service, client, balancer, tally))
  const looking = (async () => {
    while (balancer.isOpen && !stay) {
      await sleep(BALANCER_POLL_MS)
      const { status } = await fetch(`${service.url}/readyz`, { headers: { connection: 'close' } })
      balancer.isOpen = status === 200
    }
  })()
  const [from, to] = STOP_AFTER_MS
  await sleep(from + Math.random() * (to - from))
  balancer.isStopping = true
  const ended = await service.stop()
  await looking
  await Promise.all(clients)
  if (ended.code !== 0) throw new Error(`the service ended with ${ended.code}: ${ended.stderr}`)
  return tally
}

/** Predicts and records in turn as long as the balancer sends requests to the service. */
async function runClient(
  { url, data }: ServiceProcess,
  client: number,
  balancer: Readonly<{ isOpen: boolean; isStopping: boolean }>,
  tally: Tally,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { token: tokenIn(data), 'content-type': 'application/json' }
  for (let turn = 0; balancer.isOpen; turn += 1) {
    const order = anOrder({ order_id: `o-${client}-${turn}` })
    const isRecorded = turn % 4 === 0
    const path = isRecorded ? '/api/integration/orders' : '/api/predictions/orders'
    const body = Buffer.from(JSON.stringify({ data: isRecorded ? [order] : order }))
    try {
      const { status, text } = await send(url, 'POST', path, body, headers, agent)
      if (status !== 200 && status !== 503) throw new Error(`${status} ${text}`)
      tally.answered += 1
      if (balancer.isStopping) tally.afterSignal += 1
    } catch (error) {
      // What could not be sent is not lost.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') tally.lost.push((error as Error).message)
      break
    }
  }
  agent.destroy()
}

if (import.meta.main) {
  const options = campaignCommand('stop', 'Stops a service under load, and looks for requests without an answer.')
    .option('--rounds <count>', 'stops for each database', wholeFrom(1), 3)
    .option('--stay', 'clients go on until they cannot connect')
    .option('--delay <ms>', 'STOP_DELAY_MS', wholeFrom(0), 1_000)
    .addOption(databaseOption())
    .parse()
    .opts<{ rounds: number; delay: number; stay?: boolean; database: readonly CampaignDatabase[] }>()
  const { rounds, delay: delayMs, stay = false } = options
  await runCampaign(async () => {
    for (const database of options.database)
      await runStopCampaign({ database, rounds, delayMs, stay, say: console.log })
  })
}
