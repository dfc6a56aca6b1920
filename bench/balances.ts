/*
 * The cost of points that wait, expire and pay: predictions and orders compared with a program without them, an account of very many entries with
 * a usual one, and a report of points over very many accounts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { STARTER_PROGRAM } from '../src/engine/points/starter-program.ts'
import { alternate, type Figure, figureOf, median } from './figures.ts'
import { ANALYZE_LEDGER, accountsWithEntries } from './ledger-rows.ts'
import { LOAD_CONNECTIONS, load } from './load.ts'
import { sendingOrders } from './orders.ts'
import { runCommand } from './processes.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, playerOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { type Data, onCopy, type RunningService, runSql, type Size, start } from './testbed.ts'

const POINTS_PROGRAM = `${STARTER_PROGRAM}
money: { decimals: 2 }
points: { pending: { days: 14 }, expire: { after: P12M, at-end-of: month } }
redeem: { value: { points: 100, pays: "1" }, hold: P3D }
`
/** Sixteen entries are about twelve lots and three debits: a usual account. */
const USUAL_ENTRIES = 16
const MANY_ENTRIES = 100_000
const REPORTED_ENTRIES = 5
const QUESTIONS = 11
const SWEEP_TIMEOUT_MS = 20 * 60_000
const HOUSE = 'the-house'

export async function measureBalances(round: Round): Promise<Figure[]> {
  return [...(await measureLoads(round)), ...(await measureReport(round))]
}

async function measureLoads({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  return await onCopy(testbed, await testbed.filled(database, size), async (data) => {
    await runSql(data, [
      'truncate accounts, entries',
      accountsWithEntries('select user_id from players', USUAL_ENTRIES),
      accountsWithEntries(`select '${HOUSE}'`, MANY_ENTRIES),
      playerLike(HOUSE),
      ANALYZE_LEDGER,
    ])
    return await onCopy(testbed, data, async (copy) => {
      const [plain, paying] = [await start(data), await start(copy)]
      try {
        await publish(paying)
        for (const service of [plain, paying]) await untilSwept(service)
        const orders = sendingOrders(plain, size)
        const waiting = sendingOrders(paying, size)
        const redeeming = sendingOrders(paying, size, (order) => ({
          ...order,
          order_id: `paid-${order.order_id}`,
          points_redeemed: 100,
        }))
        for (const warm of [orders, waiting, redeeming]) await warm(seconds)
        for (const service of [plain, paying]) await load(service, size, seconds)
        const found = await alternate(runs, [
          async () => ({ asked: (await load(plain, size, seconds)).perSecond }),
          async () => ({ askedWith: (await load(paying, size, seconds)).perSecond }),
          async () => ({ recorded: await orders(seconds) }),
          async () => ({ recordedWith: await waiting(seconds) }),
          async () => ({ redeemed: await redeeming(seconds) }),
          async () => {
            const { shown, predicted, held } = await timesOf(paying, playerOf(0, size.players), size)
            return { usualShown: shown, usualPredicted: predicted, usualHeld: held }
          },
          async () => timesOf(paying, HOUSE, size),
        ])
        const accounts = `${size.players} accounts of ${USUAL_ENTRIES} entries or more`
        const loaded = `${accounts}; floor: the same without points and redeem in the program`
        const many = `${MANY_ENTRIES} entries, median of ${QUESTIONS}; floor: an account of ${USUAL_ENTRIES} or more`
        return [
          figureOf(TARGETS.balancesPredictions, {
            ...{ database, floor: found.asked, ours: found.askedWith },
            note: `${LOAD_CONNECTIONS} connections, ${loaded}`,
          }),
          figureOf(TARGETS.balancesOrders, {
            ...{ database, floor: found.recorded, ours: found.recordedWith, note: loaded },
          }),
          figureOf(TARGETS.balancesRedeeming, {
            ...{ database, floor: found.recorded, ours: found.redeemed, note: `each redeems 100 points; ${loaded}` },
          }),
          figureOf(TARGETS.balancesShown, {
            ...{ database, floor: found.usualShown, ours: found.shown, note: many },
          }),
          figureOf(TARGETS.balancesPredicted, {
            ...{ database, floor: found.usualPredicted, ours: found.predicted, note: many },
          }),
          figureOf(TARGETS.balancesHeld, {
            ...{ database, floor: found.usualHeld, ours: found.held, note: many },
          }),
        ]
      } finally {
        await Promise.all([plain.kill(), paying.kill()])
      }
    })
  })
}

async function measureReport({ testbed, database, records, players = records }: Round): Promise<Figure[]> {
  return await onCopy(testbed, await testbed.filled(database, { players: 0, products: 0 }), async (data) => {
    const service = await start(data)
    await publish(service)
    await service.stop()
    const users = `select 'p-' || lpad(n::text, 9, '0') from generate_series(1, ${players}) as n`
    await runSql(data, [accountsWithEntries(users, REPORTED_ENTRIES), ANALYZE_LEDGER])
    const idle = await report(data, '2001-01-01', '2001-02-01')
    const whole = await report(data, dayAgo(365), dayAgo(0))
    return [
      figureOf(TARGETS.balancesReport, {
        ...{ database, ours: (players / whole.ms) * 1_000 },
        note: `${players} accounts of ${REPORTED_ENTRIES} entries, a year, the start of the command included: ${(whole.ms / 1_000).toFixed(1)} s`,
      }),
      figureOf(TARGETS.balancesReportMemory, {
        ...{ database, floor: idle.megabytes, ours: whole.megabytes },
        note: `${players} accounts; floor: a report of days before all of them`,
      }),
    ]
  })
}

async function report({ directory, databaseUrl }: Data, from: string, to: string) {
  const env = { LAUREL_DATA: directory, DATABASE_URL: databaseUrl }
  return await runCommand(['points', 'report', '--json', '--from', from, '--to', to], env)
}

/** Waits until a service has swept all accounts, as it does after its start: measurements would otherwise include that work. */
async function untilSwept(service: RunningService): Promise<void> {
  const giveUpAt = performance.now() + SWEEP_TIMEOUT_MS
  while (performance.now() < giveUpAt) {
    const { swept_at: sweptAt, points } = await ask(service, '/api/admin/statistics/accounts')
    if (sweptAt !== null && points !== null) return
    await sleep(1_000)
  }
  throw new Error('the service has not swept all accounts')
}

/** How long it takes to show an account, to predict an order of its player, and to hold points, one after the other. */
async function timesOf(service: RunningService, userId: string, size: Size) {
  const order = { ...anOrder(0, size), order_id: 'asked', user_id: userId, points_redeemed: 100 }
  const shown = await medianMs(() => ask(service, `/api/players/${userId}?limit=1`))
  const predicted = await medianMs(() => ask(service, '/api/predictions/orders?explain=true', order))
  const held = await medianMs(async () => {
    const path = `/api/players/${userId}/redemptions`
    holds += 1
    await ask(service, path, { id: `hold-${holds}`, points: 1, hold: true, reason: 'bench' })
  })
  return { shown, predicted, held }
}

let holds = 0

async function medianMs(act: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  while (took.length < QUESTIONS) {
    const startedAt = performance.now()
    await act()
    took.push(performance.now() - startedAt)
  }
  return median(took)
}

async function ask({ url, token }: RunningService, path: string, data?: object): Promise<Record<string, unknown>> {
  const sent = data === undefined ? {} : { method: 'POST', body: JSON.stringify({ data }) }
  const response = await fetch(`${url}${path}`, { ...sent, headers: { token, 'content-type': 'application/json' } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Record<string, unknown>
}

async function publish(service: RunningService): Promise<void> {
  await ask(service, '/api/admin/programs', { source: POINTS_PROGRAM })
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** One more player, like any other. */
function playerLike(userId: string): string {
  return `create temp table one as select * from players limit 1; update one set user_id = '${userId}', refer_code = ''; insert into players select * from one`
}
