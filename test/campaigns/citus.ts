/*
 * The Citus campaign, against a cluster that the operator names: `npm run campaign:citus -- --url postgres://postgres@HOST:5432/postgres`. It prints
 * what the cluster is and which of the hottest statements one of its servers answers alone; records orders, plants faults, which `ledger verify` has
 * to find, and takes them away; kills servers and services under load, if it is told how (citus-kills.ts); then two services redeem the points of one
 * player at once, and lose connections (tills.ts). It makes databases of its own on all servers, and drops them. It fails at the first difference.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { clusterSql, sqlFile } from '../../src/database/db/sql-file.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { serversAt } from '../support/cluster.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { runProcess, startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, runCampaign, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'
import { killUnderLoad } from './citus-kills.ts'
import { runTillsCampaign } from './tills.ts'

type CitusCampaign = Readonly<{
  url: string
  players: number
  rounds: number
  /** See `killUnderLoad`; absent: no server is killed. */
  killServer?: string
  kills: number
  say: (line: string) => void
}>
type Ask = <Row extends object>(sql: string, params?: readonly unknown[]) => Promise<Row[]>

/** The hottest statements with questions about one player. */
const HOTTEST: readonly (readonly [file: string, name: string, params: readonly unknown[]])[] = [
  ['ledger/snapshots', 'order-inputs', [['u-1'], ['o-1'], ['a']]],
  ['ledger/snapshots', 'order-records', [['u-1'], ['o-1'], []]],
  ['ledger/histories', 'histories', [['u-1'], [''], ['']]],
  ['ledger/entries', 'entries-window-sums', [['u-1'], ['o-1'], ['2026-01-01'], ['2026-02-01']]],
  ['ledger/entries', 'entries-page', ['u-1', 10, 10]],
]

/** Each fault: how it is planted, and taken away again. */
const FAULTS: readonly (readonly [what: string, plant: string, undo: string])[] = [
  [
    'a balance',
    "update accounts set points = points + 1 where user_id = 'u-0'",
    "update accounts set points = points - 1 where user_id = 'u-0'",
  ],
  [
    'an entry',
    "update entries set points = points + 1 where user_id = 'u-1' and seq = 1",
    "update entries set points = points - 1 where user_id = 'u-1' and seq = 1",
  ],
  [
    'an order',
    "update orders set points = points + 1 where user_id = 'u-2' and order_id = 'o-2'",
    "update orders set points = points - 1 where user_id = 'u-2' and order_id = 'o-2'",
  ],
  [
    'an owner',
    "update order_owners set user_id = 'u-4' where order_id = 'o-3'",
    "update order_owners set user_id = 'u-3' where order_id = 'o-3'",
  ],
  [
    'an owner without an order',
    "insert into order_owners (order_id, user_id) values ('none', 'u-1')",
    "delete from order_owners where order_id = 'none'",
  ],
]

/** Rejects at the first difference. */
export async function runCitusCampaign({ url, players, rounds, killServer, kills, say }: CitusCampaign): Promise<void> {
  const servers = await serversAt(url)
  assert.ok(servers.length > 1, 'the URL leads to no cluster: expected the coordinator of one')
  process.env.LAUREL_TEST_DATABASE_URL = url
  const directory = mkdtempSync(join(tmpdir(), 'laurel-citus-'))
  const database = await openCampaignDatabase()
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => undefined) // The coordinator may be killed.
  const env = { DATABASE_URL: database.url, LAUREL_DATA: join(directory, 'data') }
  const service = await startService({ data: env.LAUREL_DATA, env })
  try {
    await client.connect()
    const ask: Ask = async (sql, params = []) => (await client.query(sql, [...params])).rows
    for (const line of await describeCluster(ask, servers.length)) say(line)
    await record(service, players)
    const verify = () => runProcess(['ledger', 'verify'], { env })
    assert.equal((await verify()).code, 0, 'no difference before a fault is planted')
    for (const [what, plant, undo] of FAULTS) {
      assert.equal((await client.query(plant)).rowCount, 1, what)
      assert.equal((await verify()).code, 1, `ledger verify does not find ${what}`)
      await ask(undo)
    }
    assert.equal((await verify()).code, 0, 'no difference once the faults are gone')
    say(`${players} orders recorded; ${FAULTS.length} planted faults found`)
    if (killServer !== undefined) {
      const start = { data: env.LAUREL_DATA, env: { DATABASE_URL: database.url } }
      await killUnderLoad({ start, servers: servers.length, kills, killServer, say })
      // What a killed server has prepared is committed, or not, within a minute.
      await eventually('no difference after the kills', async () => (await verify()).code === 0)
    }
  } finally {
    await service.kill()
    await client.end()
    await database.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  await runTillsCampaign({ rounds, tills: 30, say })
}

async function describeCluster(ask: Ask, servers: number): Promise<string[]> {
  const [found] = await ask<{ version: string; shards: number }>(
    `select citus_version() || ', PostgreSQL ' || current_setting('server_version') as version,
      (select count(*)::int from pg_dist_shard where logicalrelid = 'players'::regclass) as shards`,
  )
  await ask('set plan_cache_mode = force_custom_plan')
  const lines = [`${found!.version}; 1 coordinator and ${servers - 1} servers, players in ${found!.shards} shards`]
  for (const [file, name, params] of HOTTEST) {
    const plans: string[] = []
    for (const part of clusterSql(sqlFile(pathToFileURL(join(PROJECT, `src/${file}.ts`)).href, name), params)) {
      const plan = await ask<{ 'QUERY PLAN': string }>(`explain (costs off) ${part.sql}`, part.params)
      plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'))
    }
    const isAlone = plans.every((plan) => !/Task Count: (?!1$)|Distributed Subplan/m.test(plan))
    const parts = plans.length === 1 ? '' : ` each of its ${plans.length} parts`
    lines.push(`${name}: ${isAlone ? 'one server answers' : 'several servers answer'}${parts}`)
  }
  return lines
}

async function record({ ask }: Awaited<ReturnType<typeof startService>>, players: number): Promise<void> {
  const ids = Array.from({ length: players }, (_, index) => index)
  const sent = {
    players: ids.map((id) => aPlayer({ User_id: `u-${id}`, Refercode: `C${id}` })),
    products: [aProduct({ product_sku_id: 'a', amount: 10 })],
    orders: ids.map((id) =>
      anOrder({ order_id: `o-${id}`, user_id: `u-${id}`, refferral_code: id % 3 === 0 ? `C${id + 1}` : '' }),
    ),
  }
  for (const [noun, data] of Object.entries(sent)) {
    const { status, body, text } = await ask(`/api/integration/${noun}`, { method: 'POST', body: { data } })
    assert.deepEqual([status, body.inserted], [200, data.length], text)
  }
}

if (import.meta.main) {
  const options = campaignCommand(
    'citus',
    'Records, verifies and redeems on a cluster (Citus), and prints which statements one of its servers answers alone.',
  )
    .requiredOption('--url <url>', 'the coordinator, as a user who may create databases on all servers')
    .option('--players <count>', 'players, each with an order', wholeFrom(10), 1_000)
    .option('--rounds <count>', 'rounds of tills', wholeFrom(1), 3)
    .option(
      '--kill-server <command>',
      'a line of shell that kills a server and starts it again; its number follows, 0: the coordinator',
    )
    .option('--kills <count>', 'how many servers and services it kills, in turn', wholeFrom(1), 20)
    .parse()
    .opts<Omit<CitusCampaign, 'say'>>()
  await runCampaign(() => runCitusCampaign({ ...options, say: (line) => console.log(line) }))
}
