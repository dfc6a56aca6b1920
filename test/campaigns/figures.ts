/*
 * The figures campaign: clients predict and record orders, and record adjustments, redemptions and holds, and at random instants somebody asks for
 * statistics. A plain count of what was sent says between which values each figure must lie, given its own `as_of` and `quality`: what was answered
 * before that is included, what was sent after the response is not. In the end, after a restart, every figure is equal to the count.
 * `npm run campaign:figures -- --players 3000 --seconds 30 --database both` prints how old the figures were, and fails at the first one that is wrong,
 * or older than a minute, and if the summary has a figure that is not counted.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runSql } from '../../bench/testbed.ts'
import { aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, runCampaign, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'
import { OLDEST_DAYS, PROGRAM, runClient } from './figures-clients.ts'
import { type Count, createCount, dayAgo } from './figures-count.ts'
import { assertTop, everyQuestion, nextQuestion, type Shown, shownIn } from './figures-shown.ts'

export type FiguresCampaign = Readonly<{
  database: CampaignDatabase
  players: number
  seconds: number
  say: (line: string) => void
}>

const CLIENTS = 8
const ASK_WITHIN_MS = 400
const AGE_MAX_MS = 60_000
/** By then, predictions counted in memory are written, usually within 2 seconds, and orders are compared, usually after 5. */
const [COUNTED_WITHIN_MS, COMPARED_WITHIN_MS] = [15_000, 60_000]
/** Days that end during the campaign would change figures. */
const DAY_LEFT_MS = 180_000
const DAY_MS = 86_400_000

// biome-ignore lint/suspicious/noExplicitAny: as in ServiceResponse.
type Asked = Readonly<{ question: string; body: any; answeredAt: number }>

/** Rejects at the first figure that lies outside its bounds, or is older than a minute. */
export async function runFiguresCampaign({ database, players, seconds, say }: FiguresCampaign): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < DAY_LEFT_MS + seconds * 1_000) await sleep(leftMs)
  const directory = mkdtempSync(join(tmpdir(), 'laurel-figures-'))
  const server = database === 'postgres' ? await openCampaignDatabase() : undefined
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const start = () => startService({ data, env: { DATABASE_URL: server?.url, UPSERT_TIMEOUT_MS: '60000' } })
  let service = await start()
  try {
    const program = { source: PROGRAM, from: `${dayAgo(2 * OLDEST_DAYS)}T00:00:00Z` }
    const published = await service.ask('/api/admin/programs', { method: 'POST', body: { data: program } })
    assert.equal(published.status, 200, published.text)
    const ids = Array.from({ length: players }, (_, index) => `u-${index}`)
    await service.upsert(
      'players',
      ids.map((User_id) => aPlayer({ User_id, Refercode: '' })),
    )
    const count = createCount()
    const asked: Asked[] = []
    let endAt = Number.POSITIVE_INFINITY
    const isOver = () => performance.now() > endAt
    const clients = Array.from({ length: CLIENTS }, (_, name) =>
      runClient({ service, count, name, ids: ids.filter((_, index) => index % CLIENTS === name), isOver }),
    )
    const asking = async () => {
      await eventually('accounts are counted and swept while players are loaded', async () => {
        const { body } = await ask(service, 'accounts')
        return body.points !== null && body.swept_at !== null
      })
      endAt = performance.now() + seconds * 1_000
      while (!isOver()) {
        asked.push(await ask(service, nextQuestion()))
        await sleep(Math.random() * ASK_WITHIN_MS)
      }
    }
    await Promise.all([...clients, asking()])
    const ages = asked.flatMap((one) => agesOf(one, count)).sort((a, b) => a - b)
    await assertCompared(service, count)
    await service.stop()
    // So that accounts are swept as soon as the service starts again.
    await runSql({ directory: data, ...(server && { databaseUrl: server.url }) }, ['delete from background_work'])
    service = await start()
    await assertSettled(service, count)
    say(
      `${database}: ${players} players, ${asked.length} responses; figures of accounts ` +
        `${Math.round(ages[ages.length >> 1]!)} ms old in the median, ${Math.round(ages.at(-1)!)} ms at most`,
    )
  } finally {
    await service.kill()
    await server?.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function ask(service: ServiceProcess, question: string): Promise<Asked> {
  const { status, body, text } = await service.ask(`/api/admin/statistics/${question}`)
  assert.equal(status, 200, text)
  return { question, body, answeredAt: Date.now() }
}

/** Checks a response; the ages of its figures of accounts. Errors: AssertionError. */
function agesOf({ question, body, answeredAt }: Asked, count: Count): number[] {
  if (question === 'accounts') assertTop(body, answeredAt, count)
  return shownIn(question, body, count).flatMap((shown) => {
    const { name, value, as_of, quality, isOfAccounts } = shown
    const at = Date.parse(as_of)
    const { least, most } = boundsOf(shown, count, answeredAt)
    const about = `${question}: ${name}, ${quality} as of ${as_of}: ${value}, expected ${least} to ${most}`
    assert(value >= least && value <= most, about)
    const ageMs = answeredAt - at
    assert(!isOfAccounts || ageMs < AGE_MAX_MS, `${about}; it is ${ageMs} ms old`)
    return isOfAccounts ? [ageMs] : []
  })
}

/** What is counted in memory comes later, and of what is sampled, any part may be missing. */
function boundsOf({ name, as_of, quality }: Shown, count: Count, answeredAt: number) {
  const at = Date.parse(as_of)
  if (name === 'summary not-compared n') return count.boundsOf('summary orders n', 0, answeredAt)
  const lateMs = quality !== 'counted' ? 0 : name === 'summary asked n' ? COUNTED_WITHIN_MS : COMPARED_WITHIN_MS
  const { least, most } = count.boundsOf(name, at - lateMs, answeredAt)
  return { least: quality === 'sampled' ? 0 : least, most }
}

/** Waits until every order was compared with its prediction, and checks how often that came true. */
async function assertCompared(service: ServiceProcess, count: Count): Promise<void> {
  const totalOf = (name: string) => count.boundsOf(`summary ${name} n`, Number.POSITIVE_INFINITY, 0).least
  const linesOf = async () => {
    const { body } = await ask(service, `predictions?per=span&from=${dayAgo(OLDEST_DAYS)}`)
    const found = (measure: string) =>
      body.lines
        .filter((one: { measure: string }) => one.measure.startsWith(measure))
        .reduce((sum: number, { n }: { n: number }) => sum + n, 0)
    const isWhole = !body.lines.some(({ quality }: { quality: string }) => quality === 'sampled')
    const compared = ['came-true', 'differed', 'none-kept', 'not-compared'].map(found)
    return { isWhole, found, orders: compared.reduce((sum, n) => sum + n, 0), asked: found('asked-') }
  }
  await eventually('all predictions are counted and all orders compared', async () => {
    const { orders, asked } = await linesOf()
    assert(orders <= totalOf('orders') && asked <= totalOf('asked'), `${orders} orders, ${asked} predictions`)
    return orders === totalOf('orders') && asked === totalOf('asked')
  })
  const { isWhole, found } = await linesOf()
  for (const name of ['came-true', 'differed'])
    assert(isWhole ? found(name) === totalOf(name) : found(name) <= totalOf(name), `${found(name)} ${name}`)
}

/** Waits until every figure is as of now, and checks that it is equal to the count. */
async function assertSettled(service: ServiceProcess, count: Count): Promise<void> {
  const since = Date.now()
  await eventually('accounts are swept and every figure of them is exact', async () => {
    const { body } = await ask(service, 'accounts')
    return Date.parse(body.swept_at) > since && body.points.quality === 'exact'
  })
  for (const question of everyQuestion()) {
    const { body, answeredAt } = await ask(service, question)
    if (question === 'accounts') assertTop(body, answeredAt, count)
    for (const shown of shownIn(question, body, count)) {
      // Those of predictions have been checked.
      if (shown.quality === 'sampled' || shown.quality === 'counted') continue
      const { least } = count.boundsOf(shown.name, Number.POSITIVE_INFINITY, 0)
      assert.equal(shown.value, least, `${question}: ${shown.name} in the end`)
    }
  }
}

if (import.meta.main) {
  const options = campaignCommand('figures', 'Recomputes the figures of statistics while players are loaded.')
    .option('--players <count>', 'players', wholeFrom(CLIENTS), 3_000)
    .option('--seconds <count>', 'duration of loading players', wholeFrom(1), 30)
    .addOption(databaseOption())
    .parse()
    .opts<{ players: number; seconds: number; database: readonly CampaignDatabase[] }>()
  const { players, seconds } = options
  await runCampaign(async () => {
    for (const database of options.database) await runFiguresCampaign({ database, players, seconds, say: console.log })
  })
}
