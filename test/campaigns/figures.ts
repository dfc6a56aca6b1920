/*
 * The figures campaign: clients record orders, adjustments, redemptions and holds, and at random instants somebody asks for the summary. A plain count
 * of what was sent says between which values each figure must lie, given its own `as_of`: what was answered before that is included, what was
 * sent after the response is not. In the end, every figure is exact and equal to the count.
 * `npm run campaign:figures -- --players 3000 --seconds 30 --database both` prints how old the figures were, and fails at the first one that is wrong,
 * or older than a minute.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder, aPlayer } from '../support/builders.ts'
import { embeddedTemplate } from '../support/database-templates.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { eventually } from '../support/waiting.ts'
import { type CampaignDatabase, campaignCommand, databaseOption, runCampaign, wholeFrom } from './arguments.ts'
import { openCampaignDatabase } from './campaign-database.ts'

export type FiguresCampaign = Readonly<{
  database: CampaignDatabase
  players: number
  seconds: number
  say: (line: string) => void
}>

const PROGRAM = `name: Figures
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1 } }]
points: { pending: { days: 3 }, expire: { after: P12M } }
redeem: { value: { points: 1, pays: 1 }, hold: PT48H }
`
const CLIENTS = 8
const ORDERS_EACH = 20
const ASK_WITHIN_MS = 400
const AGE_MAX_MS = 60_000

/** What a figure counts: players or orders, or points. */
const COUNTED = {
  issued: 'points',
  spent: 'points',
  orders: 'n',
  outstanding: 'points',
  pending: 'points',
  held: 'points',
  expired: 'points',
  'active-30': 'n',
  'active-90': 'n',
  adjusted: 'points',
  'adjusted-net': 'points',
  balance: 'points',
  debts: 'points',
  'taken-back': 'points',
  nothing: 'n',
} as const
type Name = keyof typeof COUNTED

const isCounted = (figure: string): figure is Name => figure in COUNTED

/** What a request adds to figures, from when it was sent until it was answered, in milliseconds of the clock. */
type Effect = Readonly<{ sentAt: number; answeredAt: number; adds: Partial<Record<Name, number>> }>

type Asked = Readonly<{
  figures: readonly Readonly<{
    figure: string
    as_of: string
    quality: string
    n: number | null
    points: string | null
  }>[]
  answeredAt: number
}>

/** Rejects at the first figure that lies outside its bounds, or is older than a minute. */
export async function runFiguresCampaign({ database, players, seconds, say }: FiguresCampaign): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-figures-'))
  const server = database === 'postgres' ? await openCampaignDatabase() : undefined
  const data = join(directory, 'data')
  if (server === undefined) cpSync((await embeddedTemplate()).directory, data, { recursive: true })
  const service = await startService({ data, env: { DATABASE_URL: server?.url, UPSERT_TIMEOUT_MS: '60000' } })
  try {
    const published = await service.ask('/api/admin/programs', { method: 'POST', body: { data: { source: PROGRAM } } })
    assert.equal(published.status, 200, published.text)
    const ids = Array.from({ length: players }, (_, index) => `u-${index}`)
    await service.upsert(
      'players',
      ids.map((User_id) => aPlayer({ User_id, Refercode: '' })),
    )
    const effects: Effect[] = []
    const asked: Asked[] = []
    const endAt = performance.now() + seconds * 1_000
    const isOver = () => performance.now() > endAt
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      runClient(
        service,
        client,
        ids.filter((_, index) => index % CLIENTS === client),
        effects,
        isOver,
      ),
    )
    while (!isOver()) {
      asked.push(await askForFigures(service))
      await sleep(Math.random() * ASK_WITHIN_MS)
    }
    await Promise.all(clients)
    const ages = asked.flatMap((one) => agesOf(one, effects))
    const last = await settled(service)
    for (const { figure, n, points } of last.figures) {
      if (!isCounted(figure)) continue
      const { least } = boundsOf(figure, effects, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
      assert.equal(Number(COUNTED[figure] === 'n' ? n : points), least, `${figure} in the end`)
    }
    ages.sort((a, b) => a - b)
    say(
      `${database}: ${effects.length} requests for ${players} players, ${asked.length} summaries; figures of accounts ` +
        `${Math.round(ages[ages.length >> 1]!)} ms old in the median, ${Math.round(ages.at(-1)!)} ms at most`,
    )
  } finally {
    await service.kill()
    await server?.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Waits until every figure is as of now. */
async function settled(service: ServiceProcess): Promise<Asked> {
  let last: Asked | undefined
  await eventually('every figure is exact', async () => {
    last = await askForFigures(service)
    return last.figures.every(({ figure, quality }) => !isCounted(figure) || quality === 'exact')
  })
  return last!
}

let questions = 0

/** The summary of a span that was not asked for before: a response is cached for some seconds. */
async function askForFigures(service: ServiceProcess): Promise<Asked> {
  questions += 1
  const from = new Date(Date.now() - (40 + (questions % 300)) * 86_400_000).toISOString().slice(0, 10)
  const { status, body, text } = await service.ask(`/api/admin/statistics/summary?from=${from}`)
  assert.equal(status, 200, text)
  return { figures: body.figures, answeredAt: Date.now() }
}

/** Checks a response; the ages of its figures of accounts. Errors: AssertionError. */
function agesOf({ figures, answeredAt }: Asked, effects: readonly Effect[]): number[] {
  return figures.flatMap(({ figure, as_of, quality, n, points }) => {
    if (!isCounted(figure)) return []
    const value = COUNTED[figure] === 'n' ? n : points
    // Before accounts were first counted.
    if (value === null) return []
    const at = Date.parse(as_of)
    const { least, most } = boundsOf(figure, effects, at, answeredAt)
    const about = `${figure}, ${quality} as of ${as_of}: ${value}, expected ${least} to ${most}`
    assert(Number(value) >= least && Number(value) <= most, about)
    const ageMs = answeredAt - at
    assert(ageMs < AGE_MAX_MS, `${about}; it is ${ageMs} ms old`)
    return [ageMs]
  })
}

/** The bounds of a figure as of a moment, in a response that arrived at another. */
function boundsOf(name: Name, effects: readonly Effect[], at: number, answeredAt: number) {
  let [least, most] = [0, 0]
  for (const effect of effects) {
    const added = effect.adds[name] ?? 0
    const isIncluded = effect.answeredAt < at
    if (!isIncluded && effect.sentAt > answeredAt) continue
    least += isIncluded ? added : Math.min(0, added)
    most += isIncluded ? added : Math.max(0, added)
  }
  return { least, most }
}

type Purse = { spendable: number; hasOrdered: boolean; hold: Readonly<{ id: string; points: number }> | undefined }

/** Records what its own players do, one request after the other. */
async function runClient(
  service: ServiceProcess,
  client: number,
  ids: readonly string[],
  effects: Effect[],
  isOver: () => boolean,
): Promise<void> {
  const purses = new Map(ids.map((id): [string, Purse] => [id, { spendable: 0, hasOrdered: false, hold: undefined }]))
  const record = async (adds: Effect['adds'], path: string, data: object) => {
    const sentAt = Date.now()
    const { status, text } = await service.ask(path, { method: 'POST', body: { data } })
    assert.equal(status, 200, text)
    effects.push({ sentAt, answeredAt: Date.now(), adds })
  }
  for (let turn = 0; !isOver(); turn += 1) {
    const id = ids[Math.floor(Math.random() * ids.length)]!
    const purse = purses.get(id)!
    const points = 1 + Math.floor(Math.random() * 50)
    const name = `${client}-${turn}`
    const redemptions = `/api/players/${id}/redemptions`
    if (turn % 3 === 0) {
      const some = Array.from({ length: ORDERS_EACH }, (_, place) => ids[(turn + place * 7) % ids.length]!)
      const newcomers = new Set(some.filter((one) => !purses.get(one)!.hasOrdered))
      for (const one of newcomers) purses.get(one)!.hasOrdered = true
      const given = points * some.length
      const orders = some.map((user_id, place) =>
        anOrder({ order_id: `o-${name}-${place}`, user_id, total_amount: points, products: [] }),
      )
      await record(
        {
          ...{ orders: some.length, issued: given, pending: given, balance: given },
          ...{ 'active-30': newcomers.size, 'active-90': newcomers.size },
        },
        '/api/integration/orders',
        orders,
      )
    } else if (purse.hold !== undefined) {
      const { hold } = purse
      purse.hold = undefined
      purse.spendable += hold.points
      await record({ held: -hold.points }, `${redemptions}/${hold.id}/void`, { reason: 'r' })
    } else if (purse.spendable < points) {
      purse.spendable += points
      const adds = { issued: points, outstanding: points, balance: points, adjusted: points, 'adjusted-net': points }
      await record(adds, `/api/players/${id}/adjustments`, { id: name, points, counts: false, reason: 'r' })
    } else {
      const isHold = turn % 3 === 1
      purse.spendable -= points
      if (isHold) purse.hold = { id: name, points }
      const adds: Effect['adds'] = isHold
        ? { held: points }
        : { spent: -points, outstanding: -points, balance: -points }
      await record(adds, redemptions, { id: name, points, hold: isHold, reason: 'r' })
    }
  }
}

if (import.meta.main) {
  const options = campaignCommand('figures', 'Recomputes the figures of the summary while players are loaded.')
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
