/*
 * The watching campaign: a real Prometheus loads the alerts of ops/prometheus and scrapes a service with orders, and each query of the board in
 * ops/grafana yields something.
 * `npm run campaign:watching` prints a line for each query. Not part of `npm test`, as it needs `prometheus`.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { anOrder, aPlayer } from '../support/builders.ts'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'
import { freePort } from '../support/postgres-server.ts'
import { startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, runCampaign } from './arguments.ts'

/** What a rate needs: some scrapes before and after each event. */
const SCRAPES = 4
const RANGE = '1m'

type Rule = Readonly<{ name: string; health: string; state: string }>
/** What Prometheus answers to a query, or to the question for its rules. */
type Answer = Readonly<{
  status: string
  error?: string
  data?: {
    result?: readonly Readonly<{ value: readonly [time: number, value: string] }>[]
    groups?: readonly Readonly<{ rules: readonly Rule[] }>[]
  }
}>
type Board = Readonly<{
  panels: readonly Readonly<{ title: string; targets?: readonly Readonly<{ expr: string }>[] }>[]
}>

async function runWatchingCampaign(program: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-watching-'))
  const service = await startService({ data: join(directory, 'data') })
  const port = await freePort()
  cpSync(join(PROJECT, 'ops/prometheus'), directory, { recursive: true })
  const config = parse(readDocument('ops/prometheus/prometheus.yaml'))
  const [job] = config.scrape_configs
  const scrape = { ...job, scrape_interval: '1s', static_configs: [{ targets: [new URL(service.url).host] }] }
  writeFileSync(
    join(directory, 'prometheus.yaml'),
    stringify({ global: { evaluation_interval: '1s' }, ...config, scrape_configs: [scrape] }),
  )
  const prometheus = spawn(
    program,
    [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ask = async (path: string) => (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as Answer
  const query = (expr: string) => ask(`query?query=${encodeURIComponent(expr)}`)
  const scraped = (scrapes: number) =>
    eventually('it has scraped', async () => {
      const found = await query('count_over_time(up{job="laurel"}[1h])').catch(() => undefined)
      return Number(found?.data?.result?.[0]?.value[1] ?? 0) >= scrapes
    })
  try {
    await scraped(SCRAPES)
    await service.upsert('players', [aPlayer()])
    for (const order_id of ['o-1', 'o-2']) {
      const order = anOrder({ order_id })
      await service.ask('/api/predictions/orders', { body: { data: order } })
      await service.upsert('orders', [order])
    }
    await scraped(3 * SCRAPES)

    for (const { name, health, state } of (await ask('rules')).data!.groups![0]!.rules) {
      console.log(`alert ${name}: ${health}, ${state}`)
      if (health !== 'ok') throw new Error(`the alert ${name} cannot be evaluated`)
    }
    const board: Board = JSON.parse(readDocument('ops/grafana/laurel.json'))
    for (const { title, targets = [] } of board.panels)
      for (const { expr } of targets) {
        const asked = expr.replaceAll(/\$__(rate_interval|range)/g, RANGE).replaceAll('$instance', '.*')
        const { status, error, data } = await query(asked)
        if (status !== 'success') throw new Error(`${title}: ${asked}: ${error}`)
        const rows = data?.result ?? []
        console.log(`${title}: ${rows.length} rows, such as ${rows[0]?.value[1]}`)
        if (rows.length === 0) throw new Error(`${title}: nothing is found by ${asked}`)
      }
  } finally {
    prometheus.kill()
    await service.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

const { program } = campaignCommand(
  'watching',
  'Lets a real Prometheus scrape a service, evaluate the alerts and answer the queries of the board.',
)
  .option('--program <path>', 'Prometheus', 'prometheus')
  .parse()
  .opts<{ program: string }>()
await runCampaign(() => runWatchingCampaign(program))
