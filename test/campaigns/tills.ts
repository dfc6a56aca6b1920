/*
 * The tills campaign: tills at two services on one PostgreSQL database spend the points of one player concurrently, by orders, by redemptions, or by
 * holds that they confirm. Meanwhile one of the services is killed, the other loses its database at COMMIT, and tills hang up or do not wait for
 * answers. A till without a response sends the same again to the other service, where the first request may still be running. No more may be spent
 * than there was, and nothing twice.
 * `npm run campaign:tills -- --rounds 20 --tills 50` prints a line for each round, and fails at the first point too many.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anOrder, aPlayer } from '../support/builders.ts'
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts'
import { runProcess, type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'

export type TillsCampaign = Readonly<{ rounds: number; tills: number; say: (line: string) => void }>

const PROGRAM = `name: Tills
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: []
points: { expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 }, overdraft: 5 }
`
const GIVEN = 300
const OVERDRAFT = 5
const TRIES_MAX = 1_200
const [CUTS, CUT_EVERY_MS] = [12, 100]
const HANGS_UP_AFTER_MS = 8
/** The most answers that may be lost for a request. */
const LOST_MAX = 2

/** Rejects if more was spent than there was, if something was spent twice, or at an internal error. */
export async function runTillsCampaign({ rounds, tills, say }: TillsCampaign): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-tills-'))
  const server = await openCampaignDatabase()
  const env = { DATABASE_URL: server.url, UPSERT_TIMEOUT_MS: '60000' }
  const data = join(directory, 'data')
  const proxy = await startCuttingProxy(env.DATABASE_URL)
  const services = [await startService({ data, env: { ...env, DATABASE_URL: proxy.url } })]
  try {
    services.push(await startService({ data, env }))
    const [first] = services
    await first!.ask('/api/admin/programs', { method: 'POST', body: { data: { source: PROGRAM } } })
    for (const service of services) await eventually('both services have the program', () => hasProgram(service))
    for (let round = 1; round <= rounds; round += 1)
      say(await runRound({ services, proxy, start: { data, env } }, round, tills))
    const { code, stdout, stderr } = await runProcess(['ledger', 'verify'], { env: { ...env, LAUREL_DATA: data } })
    assert.equal(code, 0, `${stdout}${stderr}`)
  } finally {
    for (const service of services) await service.kill()
    proxy.close()
    await server.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** It takes a service up to a second to load what another has published; until then nothing can be redeemed there. */
async function hasProgram(service: ServiceProcess): Promise<boolean> {
  const { body } = await service.ask('/api/predictions/orders?explain=true', {
    method: 'POST',
    body: { data: anOrder({ products: [] }) },
  })
  return body.explanation?.program.version === 2
}

type Shop = Readonly<{
  services: ServiceProcess[]
  /** Between the first service and the database. */
  proxy: CuttingProxy
  start: Parameters<typeof startService>[0]
}>

async function runRound({ services, proxy, start }: Shop, round: number, tills: number): Promise<string> {
  const userId = `u-${round}`
  await services[0]!.upsert('players', [aPlayer({ User_id: userId })])
  const gift = { id: 'gift', points: GIVEN, counts: false, reason: 'to spend' }
  await services[0]!.ask(`/api/players/${userId}/adjustments`, { method: 'POST', body: { data: gift } })
  let responses = 0
  const killed = (async () => {
    while (responses < tills / 3) await new Promise((resolve) => setTimeout(resolve, 1))
    await services[1]!.kill()
    services[1] = await startService(start)
  })()
  let cuts = 0
  const cutting = setInterval(() => {
    if (cuts < CUTS) proxy.cutCommits(cuts % 2 === 0 ? 'after' : 'before', 1)
    cuts += 1
  }, CUT_EVERY_MS)
  const spent = await Promise.all(
    Array.from({ length: tills }, async (_, till) => {
      const points = 5 + ((till * 7) % 16)
      const send = sending(services, till, () => {
        responses += 1
      })
      const isTaken = await WAYS[till % WAYS.length]!(send, userId, `t-${till}`, points)
      return isTaken ? points : 0
    }),
  ).finally(() => clearInterval(cutting))
  proxy.cutCommits('before', 0)
  await killed
  const accepted = spent.reduce((sum, points) => sum + points, 0)
  const { body } = await services[0]!.ask(`/api/players/${userId}`)
  assert.ok(accepted <= GIVEN + OVERDRAFT, `${accepted} points were spent of ${GIVEN}`)
  assert.deepEqual([body.points, body.held], [GIVEN - accepted, 0], 'the rest is left')
  return `round ${round}: ${tills} tills, ${spent.filter((points) => points > 0).length} took ${accepted} of ${GIVEN} points, ${body.points} left`
}

type Send = (
  path: string,
  data: unknown,
) => Promise<Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>>

/** Sends the same to the two services in turn until it is answered. The first answers may be lost. */
function sending(services: readonly ServiceProcess[], till: number, answered: () => void): Send {
  // Each way of spending loses no, one or two responses, at either service and in either manner.
  const turn = Math.floor(till / WAYS.length)
  const hangsUp = Math.floor(turn / (LOST_MAX + 1)) % 2 === 0
  return async (path, data) => {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const service = services[(till + attempt) % services.length]!
      if (attempt < turn % (LOST_MAX + 1)) {
        await sendWithoutResponse(service, path, data, hangsUp)
        continue
      }
      try {
        const { status, body } = await service.ask(path, { method: 'POST', body: { data } })
        assert.ok(status < 500 || status === 503, `${path} was answered with ${status}`)
        if (status !== 503) {
          answered()
          return { status, body }
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${path} was not answered in ${TRIES_MAX} tries`)
  }
}

/** The client hangs up after a moment, or does not wait for the response. */
async function sendWithoutResponse(
  service: ServiceProcess,
  path: string,
  data: unknown,
  hangsUp: boolean,
): Promise<void> {
  const sent = fetch(new URL(path, service.url), {
    method: 'POST',
    headers: { token: tokenIn(service.data), 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
    ...(hangsUp ? { signal: AbortSignal.timeout(HANGS_UP_AFTER_MS) } : {}),
  }).then(
    (response) => response.text(),
    () => '',
  )
  if (hangsUp) await sent
  else await new Promise((resolve) => setTimeout(resolve, HANGS_UP_AFTER_MS))
}

/** The ways in which a till spends points. Each resolves to whether the redemption was accepted. */
const WAYS: readonly ((send: Send, userId: string, id: string, points: number) => Promise<boolean>)[] = [
  async (send, user_id, id, points) => {
    const order = anOrder({
      order_id: `${user_id}-${id}`,
      user_id,
      products: [],
      total_amount: 1_000,
      points_redeemed: points,
    })
    const { body } = await send('/api/integration/orders?details=true', [order])
    const [skipped] = (body.results ?? []) as readonly { verdict: string }[]
    assert.ok(skipped === undefined || ['unchanged', 'insufficient-points'].includes(skipped.verdict))
    return skipped?.verdict !== 'insufficient-points'
  },
  async (send, userId, id, points) => {
    const { status } = await send(`/api/players/${userId}/redemptions`, { id, points, reason: 'till' })
    assert.ok(status === 200 || status === 409, String(status))
    return status === 200
  },
  async (send, userId, id, points) => {
    const held = await send(`/api/players/${userId}/redemptions`, { id, points, hold: true, reason: 'till' })
    if (held.status === 409) return false
    const { status } = await send(`/api/players/${userId}/redemptions/${id}/confirm`, {})
    assert.equal(status, 200)
    return true
  },
]

if (import.meta.main) {
  const { rounds, tills } = campaignCommand(
    'tills',
    'Tills at two services spend the points of one player concurrently.',
  )
    .option('--rounds <count>', 'number of rounds', wholeFrom(1), 20)
    .option('--tills <count>', 'number of concurrent tills', wholeFrom(3), 50)
    .parse()
    .opts<{ rounds: number; tills: number }>()
  await runTillsCampaign({ rounds, tills, say: console.log })
}
