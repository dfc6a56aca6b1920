/*
 * The overload campaign: predictions are sent at a fixed rate of one, two, five and ten times what a service can answer. It must keep answering
 * about as many as before, and refuse the others at once.
 * `npm run campaign:overload -- --database both --seconds 10 --multiples 2,5,10` prints a table. Other processes on the machine
 * affect its figures, and the load generator needs a core to itself: the short round in `npm test` asserts none of them.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type Offered, offerLoad } from '../support/open-loop.ts'
import { processorSecondsOf, type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import {
  type CampaignDatabase,
  campaignCommand,
  databaseOption,
  readPositive,
  readPositives,
  runCampaign,
  wholeFrom,
} from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'

export type OverloadCampaign = Readonly<{
  database: CampaignDatabase
  seconds: number
  /** The multiples of the capacity to offer; 1 comes first. */
  multiples: readonly number[]
  /** Requests per second at which the search for the capacity starts. */
  startPerSecond: number
  /** Opened before the first request, as a proxy does. */
  connections: number
  /** PREDICTION_TIMEOUT_MS. The shorter it is, the fewer connections are enough for overload. */
  timeoutMs: number
  say: (line: string) => void
}>

/** A load and its outcome. `generatorCpuS` and `serviceCpuS` show whether the generator, the service or the machine was the limit. */
export type OverloadRow = Readonly<{
  multiple: number
  offered: Offered
  goodput: number
  generatorCpuS: number
  serviceCpuS: number
}>

const PLAYERS = 500
/** Sums a window for each prediction: inputs that are in memory never wait, so a service that needs no others is not overloaded by one generator. */
const PROGRAM = readFileSync(new URL('../../examples/programs/twelve-months.yaml', import.meta.url), 'utf8')
/** The factor by which the load is raised in the search for the capacity. */
const STEP = 1.5
/** How long each load of that search lasts at least: a shorter one would count mostly what waits in connections. */
const SEARCH_SECONDS_MIN = 0.3

/** Offers the loads to one service in turn. Returns a row for each multiple. */
export async function runOverloadCampaign(campaign: OverloadCampaign): Promise<OverloadRow[]> {
  const { database, seconds, multiples, timeoutMs, say } = campaign
  const directory = mkdtempSync(join(tmpdir(), 'laurel-overload-'))
  const server = database === 'postgres' ? await openCampaignDatabase({ durable: true }) : undefined
  const env = server === undefined ? {} : { DATABASE_URL: server.url }
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const service = await startService({ data, env: { ...env, PREDICTION_TIMEOUT_MS: String(timeoutMs) } })
  try {
    const players = Array.from({ length: PLAYERS }, (_, index) => aPlayer({ User_id: `p-${index}` }))
    await service.upsert('players', players)
    const published = await service.ask('/api/admin/programs', { method: 'POST', body: { data: { source: PROGRAM } } })
    if (published.status !== 200) throw new Error(published.text)
    const offer = (perSecond: number, forSeconds: number) =>
      offerLoad({ ...predictionsOf(service), perSecond, seconds: forSeconds, connections: campaign.connections })
    const capacity = await capacityOf(campaign, (perSecond) =>
      offer(perSecond, Math.max(SEARCH_SECONDS_MIN, seconds / 3)),
    )
    say(`${database}: capacity ${capacity} a second`)
    say(HEAD)
    const rows: OverloadRow[] = []
    for (const multiple of [1, ...multiples]) {
      const before = await cpuSeconds(service)
      const offered = await offer(capacity * multiple, seconds)
      const after = await cpuSeconds(service)
      const row = {
        multiple,
        offered,
        goodput: answeredPerSecond(offered),
        generatorCpuS: after.generator - before.generator,
        serviceCpuS: after.service - before.service,
      }
      rows.push(row)
      say(lineOf(row, rows[0]!.goodput))
    }
    return rows
  } finally {
    await service.kill()
    await server?.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function cpuSeconds({ url }: ServiceProcess): Promise<Readonly<{ generator: number; service: number }>> {
  const service = await processorSecondsOf(url)
  const { user, system } = process.cpuUsage()
  return { generator: (user + system) / 1e6, service }
}

/** The most answers per second, found by raising the load until more than a tenth is not answered in time. */
async function capacityOf(
  { startPerSecond }: OverloadCampaign,
  offer: (perSecond: number) => Promise<Offered>,
): Promise<number> {
  await offer(startPerSecond)
  let best = 0
  for (let perSecond = startPerSecond; ; perSecond *= STEP) {
    const answered = answeredPerSecond(await offer(perSecond))
    best = Math.max(best, answered)
    // Less than a tenth of where the search starts is that of a busy machine, and ten times as much might not overload the service later.
    if (answered < 0.9 * perSecond) return Math.round(Math.max(best, startPerSecond / 10))
  }
}

function answeredPerSecond({ responses, seconds }: Offered): number {
  return responses.filter(({ status }) => status === 200).length / seconds
}

function predictionsOf({ url, data }: ServiceProcess) {
  const token = tokenIn(data)
  const requestOf = (index: number) => {
    const body = JSON.stringify({ data: anOrder({ user_id: `p-${index}`, order_id: `o-${index}` }) })
    const head = [
      'POST /api/predictions/orders HTTP/1.1',
      'host: laurel',
      `token: ${token}`,
      'content-type: application/json',
    ]
    return Buffer.from(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const requests = Array.from({ length: PLAYERS }, (_, index) => requestOf(index))
  return { url, requestAt: (index: number) => requests[index % PLAYERS]! }
}

const HEAD =
  'times   sent/s  answered/s   share  p95 ms  refused/s  p95 ms  other  unsent/s  lost  CPU s: generator  service'

function lineOf({ multiple, offered, goodput, generatorCpuS, serviceCpuS }: OverloadRow, goodputAtOne: number): string {
  const { responses, sent, unsent, lost, seconds } = offered
  const msOf = (status: number) => responses.filter((response) => response.status === status).map(({ ms }) => ms)
  const refused = msOf(503)
  const cells: [text: string, width: number][] = [
    [String(multiple), 5],
    [(sent / seconds).toFixed(0), 9],
    [goodput.toFixed(0), 12],
    [`${((100 * goodput) / goodputAtOne).toFixed(0)} %`, 8],
    [p95(msOf(200)), 8],
    [(refused.length / seconds).toFixed(0), 11],
    [p95(refused), 8],
    [String(responses.filter(({ status }) => status !== 200 && status !== 503).length), 7],
    [(unsent / seconds).toFixed(0), 10],
    [String(lost), 6],
    [generatorCpuS.toFixed(1), 18],
    [serviceCpuS.toFixed(1), 9],
  ]
  return cells.map(([text, width]) => text.padStart(width)).join('')
}

function p95(ms: number[]): string {
  ms.sort((a, b) => a - b)
  return ms.length === 0 ? '-' : ms[Math.floor(ms.length * 0.95)]!.toFixed(0)
}

if (import.meta.main) {
  const options = campaignCommand(
    'overload',
    'Offers more predictions than a service can answer, and prints what came of it.',
  )
    .option('--seconds <count>', 'duration of each load', readPositive, 10)
    .option(
      '--multiples <list>',
      'offered loads, as multiples of the capacity, one after the other',
      readPositives,
      [2, 5, 10],
    )
    .option('--connections <count>', 'connections of the load, each with one request at a time', wholeFrom(1), 4_000)
    .addOption(databaseOption('embedded'))
    .parse()
    .opts<{
      seconds: number
      multiples: readonly number[]
      connections: number
      database: readonly CampaignDatabase[]
    }>()
  await runCampaign(async () => {
    for (const database of options.database)
      await runOverloadCampaign({ ...options, database, startPerSecond: 1_500, timeoutMs: 500, say: console.log })
  })
}
