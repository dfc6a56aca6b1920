/*
 * `npm run bench:profile`: where the main thread of a service spends its time under a load, by part of the code, in this checkout and in another one.
 * Node samples the stack every millisecond; shares say more than times, as sampling slows the service down, and other processes take time from it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { startService, THIS_CHECKOUT, tokenIn } from '../test/support/service-process.ts'
import { commitOf, databaseOption, databasesOf, machine, wholeNumber } from './command.ts'
import { LOAD_CONNECTIONS, loadOf, predictionsOf } from './load.ts'
import { sendingOrders } from './orders.ts'
import { sizeOf } from './round.ts'
import { singleOrders } from './single-orders.ts'
import { linesOf } from './table.ts'
import { type Database, onCopy, openTestbed, type RunningService, type Size, type Testbed } from './testbed.ts'

/** A load of a service, for so many seconds. Returns how many requests or orders a second were answered. */
type Load = (service: RunningService, size: Size) => (seconds: number) => Promise<number>

const LOADS: Readonly<Record<string, Load>> = {
  predictions: (service, size) => async (seconds) => (await loadOf(service, predictionsOf(size), seconds)).perSecond,
  orders: (service, size) => {
    const orders = sendingOrders(service, size)
    return async (seconds) => (await orders.send(seconds)).perSecond
  },
  'orders one by one': (service, size) => {
    let sent = 0
    const requests = singleOrders(() => sent++, size)
    return async (seconds) => (await loadOf(service, requests, seconds)).perSecond
  },
}

/** The parts, in the order in which a frame is asked for: by the file of its function, with the paths of 6168b5d too. */
const PARTS: readonly (readonly [part: string, file: RegExp])[] = [
  ['garbage collector', /^\(garbage collector\)$/],
  ['native code: sockets, JSON, strings', /^\((?:program|root)\)$/],
  [
    'HTTP and streams of Node',
    /^node:(?:_http|internal\/(?:http|stream|streams|net|timers|process|async)|net|events|_stream)/,
  ],
  ['other modules of Node', /^node:/],
  ['client of the database', /\/node_modules\/pg|\/src\/(?:store|database)\/(?:postgres|embedded|db)\//],
  ['framework and other packages', /\/node_modules\//],
  ['routes, tokens, shares', /\/src\/(?:http|server|routing)\//],
  ['reading of records', /\/src\/(?:ingest|engine\/ingest|bulk)\//],
  ['points engine', /\/src\/(?:points|engine\/points)\//],
  ['statements, operations, ledger', /\/src\/(?:store|database|operations|resources|ledger|audit-log)\//],
  ['metrics and log', /\/src\/telemetry\//],
]

const { against, seconds, records, database } = new Command('npm run bench:profile --')
  .description('Shows where the main thread of a service spends its time, in this checkout and in another one.')
  .allowExcessArguments(false)
  .requiredOption('--against <directory>', 'another checkout, in which npm ci has run', (text) => resolve(text))
  .option('--seconds <count>', 'how long each load runs, after as long a warm-up', wholeNumber, 10)
  .option('--records <count>', 'players in the data; products are a tenth', wholeNumber, 20_000)
  .addOption(databaseOption())
  .parse()
  .opts<{ against: string; seconds: number; records: number; database: Database | 'both' }>()

const checkouts = [against, THIS_CHECKOUT]
const [then, now] = checkouts.map(commitOf)
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${machine()}, ${LOAD_CONNECTIONS} connections, ${records} players\n`,
)
const testbed = await openTestbed()
for (const where of databasesOf(database))
  for (const [name, load] of Object.entries(LOADS)) {
    const profiles = []
    for (const checkout of checkouts) profiles.push(await profileOf(testbed, where, checkout, load))
    console.log(`${name}, ${where}\n\n${tableOf(profiles)}\n`)
  }
await testbed.server.stop()
process.exit(0)

/** Microseconds of the main thread for each request, by part, without those in which it waited. */
type Profile = Readonly<{ perSecond: number; parts: ReadonlyMap<string, number> }>

async function profileOf(testbed: Testbed, where: Database, checkout: string, load: Load): Promise<Profile> {
  const size = { ...sizeOf(records), accounts: 0 }
  const directory = mkdtempSync(join(tmpdir(), 'laurel-profile-'))
  try {
    return await onCopy(
      testbed,
      await testbed.filled(where, size, checkout),
      async ({ directory: data, databaseUrl }) => {
        const env = {
          ...{ DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' },
          NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=1000 --cpu-prof-dir=${directory}`,
        }
        const service = { ...(await startService({ data, env, checkout })), token: tokenIn(data) }
        const run = load(service, size)
        await run(seconds)
        const perSecond = await run(seconds)
        await service.stop()
        return { perSecond, parts: partsIn(directory, perSecond) }
      },
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** As V8 writes it: nodes of the call tree, and which of them each sample met, with the microseconds since the one before. */
type CpuProfile = Readonly<{
  nodes: readonly Readonly<{ id: number; callFrame: Readonly<{ functionName: string; url: string }> }>[]
  samples: readonly number[]
  timeDeltas: readonly number[]
}>

/** Of the last seconds before the stop, as long as the load has run. */
function partsIn(directory: string, perSecond: number): Map<string, number> {
  const main = readdirSync(directory).find((name) => /\.0\.\d+\.cpuprofile$/.test(name))
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(directory, main!), 'utf8')) as CpuProfile
  const partOfNode = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const parts = new Map<string, number>()
  let spent = 0
  for (let at = samples.length - 1; at >= 0 && spent < seconds * 1e6; at -= 1) {
    const part = partOfNode.get(samples[at]!)
    const delta = timeDeltas[at]!
    spent += delta
    if (part !== undefined) parts.set(part, (parts.get(part) ?? 0) + delta / (seconds * perSecond))
  }
  return parts
}

/** Undefined where the thread waited. */
function partOf({ functionName, url }: Readonly<{ functionName: string; url: string }>): string | undefined {
  if (functionName === '(idle)') return undefined
  const place = url === '' ? (functionName.startsWith('(') ? functionName : '(program)') : url
  return PARTS.find(([, file]) => file.test(place))?.[0] ?? 'other'
}

function tableOf(profiles: readonly Profile[]): string {
  const names = [...PARTS.map(([part]) => part), 'other']
  const cells = (value: (profile: Profile) => string) => profiles.map(value)
  const sum = ({ parts }: Profile) => [...parts.values()].reduce((all, one) => all + one, 0)
  const rows = names.map((name) => [name, ...cells(({ parts }) => (parts.get(name) ?? 0).toFixed(1))])
  return linesOf([
    ['microseconds of the main thread', `${then}`, `${now}`],
    ...rows.filter(([, ...found]) => found.some((one) => one !== '0.0')),
    ['sum', ...cells((profile) => sum(profile).toFixed(1))],
    ['a second', ...cells(({ perSecond }) => Math.round(perSecond).toLocaleString('en'))],
  ])
}
