/*
 * The upgrade campaign: data of an older checkout is upgraded by a newer one. An embedded directory is upgraded, used, undone and used by the older
 * one again, also when commands are killed. On PostgreSQL the newer service migrates while the older one serves clients, and then both serve them:
 * orders, predictions and redemptions, each client at both services in turn. No request may fail, and nothing may be lost or counted twice.
 * `npm run campaign:upgrade -- --other /tmp/older --clients 64 --seconds 60` takes this checkout as the newer one.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newTokenText } from '../../src/resources/tokens/service.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import {
  launch,
  runProcess,
  type ServiceOptions,
  type ServiceProcess,
  type ServiceResponse,
  startService,
  THIS_CHECKOUT,
} from '../support/service-process.ts'
import { campaignCommand, readPositive, runCampaign, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'

export type UpgradeCampaign = Readonly<{
  /** The directories of two checkouts. */
  older: string
  newer: string
  clients: number
  /** How long clients send requests, in seconds; the newer service starts after a quarter of it. */
  seconds: number
  /** How many upgrades and undos of the embedded directory are killed. */
  kills: number
  say: (line: string) => void
}>

const PROGRAM = `name: Upgrade
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn:
  - name: base
    per-amount: { points: 1, every: 10, of: net }
points: { expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 }, overdraft: 0 }
`
const EARNED = 10
const anOrderOf = (userId: string, orderId: string) =>
  anOrder({ order_id: orderId, user_id: userId, total_amount: 100, products: [] })

/** Rejects if a request fails, or if something is lost or counted twice. */
export async function runUpgradeCampaign(campaign: UpgradeCampaign): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-upgrade-'))
  try {
    await upgradeDirectory(campaign, join(directory, 'embedded'))
    await upgradeServer(campaign, join(directory, 'postgres'))
    await startTogether(campaign, join(directory, 'together'))
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function upgradeDirectory({ older, newer, kills, say }: UpgradeCampaign, data: string): Promise<void> {
  const env = { LAUREL_DATA: data }
  const migrate = (...args: string[]): Parameters<typeof runProcess> => [['migrate', ...args], { env, checkout: newer }]
  /** Starts a service, records an order and stops it. */
  const recordBy = async (checkout: string, orderId: string) => {
    const service = await startService({ data, checkout })
    if (orderId === 'first') await service.upsert('players', [aPlayer({ User_id: 'u' })])
    assert.equal((await service.upsert('orders', [anOrderOf('u', orderId)])).body.inserted, 1)
    assert.equal((await service.stop()).code, 0)
  }
  const assertRecorded = async (checkout: string, there: string[], missing: string[]) => {
    assert.equal((await runProcess(['ledger', 'verify'], { env, checkout })).code, 0)
    for (const [ids, code] of [
      [there, 0],
      [missing, 1],
    ] as const)
      for (const id of ids) {
        const shown = await runProcess(['order', 'show', id], { env, checkout })
        assert.equal(shown.code, code, `${id}: ${shown.stderr}`)
      }
  }
  await recordBy(older, 'first')
  assert.match((await runProcess(...migrate('--check'))).stderr, /: \d+ steps? to run$/m)
  await recordBy(newer, 'newer')
  await assertRecorded(newer, ['first', 'newer'], [])
  const refused = await runProcess(...migrate('--undo'))
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /1 order recorded since /)
  assert.equal((await runProcess(...migrate('--undo', '--yes'))).code, 0)
  await recordBy(older, 'again')
  await assertRecorded(older, ['first', 'again'], ['newer'])
  say('embedded: upgraded, used, undone, and used by the older version')

  for (let kill = 1; kill <= kills; kill += 1) {
    const outcomes: string[] = []
    for (const args of [[], ['--undo', '--yes']]) {
      const command = launch(['migrate', ...args], { env, checkout: newer })
      await Promise.race([command.ended, sleep(Math.random() * KILLED_WITHIN_MS)])
      const { signal } = await command.kill()
      const continued = await runProcess(...migrate(...args))
      // An undo that was killed after its last rename is done, and says that there is no copy.
      const isDone = args.length > 0 && /no copy to put back/.test(continued.stderr)
      assert(continued.code === 0 || isDone, continued.stderr)
      outcomes.push(`${args[0] ?? 'migrate'} ${signal === null ? 'ended' : 'killed'}`)
    }
    await assertRecorded(older, ['first', 'again'], ['newer'])
    say(`embedded, kill ${kill}: ${outcomes.join(', ')}; the older version verifies`)
  }
}

const KILLED_WITHIN_MS = 4_000

async function upgradeServer(campaign: UpgradeCampaign, data: string): Promise<void> {
  const { older, newer, clients, seconds, say } = campaign
  const server = await openCampaignDatabase({}, 'nothing')
  const env = { DATABASE_URL: server.url, LAUREL_DATA: data }
  const services: ServiceProcess[] = []
  try {
    services.push(await startService({ data, env, checkout: older }))
    const [first] = services
    await first!.ask('/api/admin/programs', { method: 'POST', body: { data: { source: PROGRAM } } })
    const players = Array.from({ length: Math.ceil(clients / 2) }, (_, place) => `u-${place}`)
    await first!.upsert(
      'players',
      players.map((User_id) => aPlayer({ User_id })),
    )
    await sleep(PROGRAM_KNOWN_MS)

    const shop: Shop = { services, until: performance.now() + seconds * 1_000, counts: new Map(), balances: new Map() }
    const serving = Promise.all(Array.from({ length: clients }, (_, client) => serve(shop, client, players)))
    const upgrading = (async () => {
      await sleep(seconds * 250)
      const checked = await runProcess(['migrate', '--check'], { env, checkout: newer })
      assert.match(checked.stderr, /: \d+ steps? to run$/m)
      services.push(await startService({ data, env, checkout: newer }))
      return `the newer service was ready after ${Math.round(services[1]!.readyMs)} ms`
    })()
    const [ready] = await Promise.all([upgrading, serving])
    const counted = [...shop.counts].map(([name, n]) => `${n} ${name}`).join(', ')
    say(`PostgreSQL: ${clients} clients: ${counted}; ${ready}`)

    for (const [place, service] of services.entries())
      for (const [userId, points] of shop.balances) {
        const { body } = await service.ask(`/api/players/${userId}`)
        assert.deepEqual([userId, body.points], [userId, points], `service ${place}`)
      }
    assert.equal((await services.pop()!.stop()).code, 0)
    const verified = await verifyBy(first!)
    assert.equal(verified.differing, 0, JSON.stringify(verified))
    assert.equal(Number(verified.orders), shop.counts.get('orders'))
    say(`PostgreSQL: the older service, still running, verifies ${verified.orders} orders`)
    assert.equal((await services.pop()!.stop()).code, 0)

    say(`PostgreSQL: the older version ${await startAgain({ data, env, checkout: older }, services)}`)
    const { code, stdout, stderr } = await runProcess(['ledger', 'verify'], { env, checkout: newer })
    assert.equal(code, 0, stderr)
    say(`PostgreSQL: the newer version verifies ${stdout.trim()}`)
  } finally {
    for (const service of services) await service.kill()
    await server.close()
  }
}

/** Of a version from before decision 219, and of later ones. */
const REFUSED =
  /schema version \d+, this program knows up to \d+|schema version \d+ is newer than this release supports/
/** It takes a service up to a second to load what was published. */
const PROGRAM_KNOWN_MS = 1_500

/** What clients share. `counts` are of answers, `balances` of points by player. */
type Shop = Readonly<{
  services: readonly ServiceProcess[]
  until: number
  counts: Map<string, number>
  balances: Map<string, number>
}>

/** A client at the services in turn, until the end: it predicts an order, records it, sends it again elsewhere, and redeems a part of its points. */
async function serve(shop: Shop, client: number, players: readonly string[]): Promise<void> {
  const userId = players[client % players.length]!
  for (let turn = 0; performance.now() < shop.until; turn += 1) {
    const [here, elsewhere] = [client + turn, client + turn + 1].map(
      (at) => () => shop.services[at % shop.services.length]!,
    )
    const id = `${client}-${turn}`
    const order = anOrderOf(userId, `o-${id}`)
    const predicted = await send(shop, 'predictions', here!, '/api/predictions/orders', order)
    assert.equal(predicted.body.total_points, EARNED, predicted.text)
    const recorded = await send(shop, 'orders', here!, '/api/integration/orders?details=true', [order])
    assert.equal(recorded.body.inserted, 1, recorded.text)
    shop.balances.set(userId, (shop.balances.get(userId) ?? 0) + EARNED)
    const repeated = await send(shop, 'repetitions', elsewhere!, '/api/integration/orders?details=true', [order])
    assert.deepEqual([repeated.body.inserted, repeated.body.updated], [0, 0], repeated.text)
    const points = 1 + (turn % EARNED)
    const redemption = { id: `r-${id}`, points, reason: 'till' }
    // At most what this client has just earned.
    const redeemed = await send(shop, 'redemptions', elsewhere!, `/api/players/${userId}/redemptions`, redemption)
    assert.equal(redeemed.status, 200, redeemed.text)
    shop.balances.set(userId, shop.balances.get(userId)! - points)
  }
}

async function send(
  { counts }: Shop,
  what: string,
  service: () => ServiceProcess,
  path: string,
  data: unknown,
): Promise<ServiceResponse> {
  const response = await service().ask(path, { method: 'POST', body: { data } })
  assert.equal(response.status, 200, `${path}: ${response.text}`)
  counts.set(what, (counts.get(what) ?? 0) + 1)
  return response
}

/** The result of a verification by a service. It must be the only one on its database: jobs are run by any. */
async function verifyBy(service: ServiceProcess): Promise<Readonly<{ orders: number; differing: number }>> {
  const { body } = await service.ask('/api/admin/jobs', { method: 'POST', body: { data: { kind: 'verify' } } })
  for (;;) {
    const { body: job } = await service.ask(`/api/admin/jobs/${body.id}`)
    if (job.state === 'done') return job.result
    assert(['waiting', 'running'].includes(job.state), JSON.stringify(job))
    await sleep(200)
  }
}

/** Both versions start at once on an empty database. */
async function startTogether({ older, newer, say }: UpgradeCampaign, data: string): Promise<void> {
  const server = await openCampaignDatabase({}, 'nothing')
  // Both would write the first one into the directory.
  const token = newTokenText()
  const env = { DATABASE_URL: server.url, LAUREL_DATA: data, LAUREL_FIRST_TOKEN: token }
  const starting = [older, newer].map((checkout) => startService({ data, env, checkout, token }))
  try {
    const [first, second] = await Promise.allSettled(starting)
    if (first!.status === 'rejected') assert.match(first!.reason.message, REFUSED)
    assert(second!.status === 'fulfilled', 'the newer service starts')
    for (const [place, service] of [first!, second!].entries()) {
      if (service.status === 'rejected') continue
      const written = await service.value.upsert('players', [aPlayer({ User_id: 'u' })])
      assert.equal(written.status, 200, written.text)
      const recorded = await service.value.upsert('orders', [anOrderOf('u', `o-${place}`)])
      assert.equal(recorded.body.inserted, 1, recorded.text)
    }
    const { code, stderr } = await runProcess(['ledger', 'verify'], { env, checkout: newer })
    assert.equal(code, 0, stderr)
    say(`PostgreSQL: both versions at once on an empty database: the newer is ready, the older ${first!.status}`)
  } finally {
    for (const one of starting) await one.then((service) => service.kill()).catch(() => undefined)
    await server.close()
  }
}

/** Starts the older version on the newer schema and records an order, unless it is from before decision 219: that refuses every newer schema. */
async function startAgain(options: ServiceOptions, services: ServiceProcess[]): Promise<string> {
  const service = await startService(options).catch((error: Error) => error)
  if (service instanceof Error) {
    assert.match(service.message, REFUSED)
    return 'refuses to start on the newer schema, as it is from before decision 219'
  }
  services.push(service)
  const { body } = await service.upsert('orders', [anOrderOf('u-0', 'restarted')])
  assert.equal(body.inserted, 1)
  const { orders, differing } = await verifyBy(service)
  assert.equal(differing, 0)
  assert.equal((await services.pop()!.stop()).code, 0)
  return `starts again on the newer schema, records, and verifies ${orders} orders`
}

if (import.meta.main) {
  const { other, clients, seconds, kills } = campaignCommand(
    'upgrade',
    'Data of an older checkout is upgraded, used by both versions, and undone.',
  )
    .requiredOption('--other <checkout>', 'directory of the older checkout, with its packages')
    .option('--clients <count>', 'number of concurrent clients', wholeFrom(2), 64)
    .option('--seconds <seconds>', 'how long clients send requests', readPositive, 60)
    .option('--kills <count>', 'number of upgrades and undos that are killed', wholeFrom(0), 10)
    .parse()
    .opts<{ other: string; clients: number; seconds: number; kills: number }>()
  await runCampaign(() =>
    runUpgradeCampaign({ older: other, newer: THIS_CHECKOUT, clients, seconds, kills, say: console.log }),
  )
}
