/*
 * The cost of points that wait, expire and pay: an account of very many entries compared with a usual one, and a report of points over very many
 * accounts.
 */
import { alternate, type Figure, figureOf, median } from './figures.ts'
import { ANALYZE_LEDGER, accountsWithEntries } from './ledger-rows.ts'
import { publish } from './paying.ts'
import { runCommand } from './processes.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, playerOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { type Data, onCopy, type RunningService, runSql, type Size, start } from './testbed.ts'

/** Sixteen entries are about twelve lots and three debits: a usual account. */
const USUAL_ENTRIES = 16
const MANY_ENTRIES = 100_000
const REPORTED_ENTRIES = 5
const QUESTIONS = 11
const HOUSE = 'the-house'

export async function measureBalances(round: Round): Promise<Figure[]> {
  return [...(await measureAccounts(round)), ...(await measureReport(round))]
}

async function measureAccounts({ testbed, database, runs, records }: Round): Promise<Figure[]> {
  const size = { ...sizeOf(records), accounts: 0 }
  return await onCopy(testbed, await testbed.filled(database, size), async (data) => {
    await runSql(data, [
      accountsWithEntries('select user_id from players', USUAL_ENTRIES),
      accountsWithEntries(`select '${HOUSE}'`, MANY_ENTRIES),
      playerLike(HOUSE),
      ANALYZE_LEDGER,
    ])
    const service = await start(data)
    try {
      await publish(service)
      const found = await alternate(runs, [
        async () => {
          const { shown, predicted, held } = await timesOf(service, playerOf(0, size.players), size)
          return { usualShown: shown, usualPredicted: predicted, usualHeld: held }
        },
        async () => timesOf(service, HOUSE, size),
      ])
      const note = `${MANY_ENTRIES} entries, median of ${QUESTIONS}; floor: an account of ${USUAL_ENTRIES} or more`
      return [
        figureOf(TARGETS.balancesShown, { database, floor: found.usualShown, ours: found.shown, note }),
        figureOf(TARGETS.balancesPredicted, { database, floor: found.usualPredicted, ours: found.predicted, note }),
        figureOf(TARGETS.balancesHeld, { database, floor: found.usualHeld, ours: found.held, note }),
      ]
    } finally {
      await service.kill()
    }
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

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** One more player, like any other. */
function playerLike(userId: string): string {
  return `create temp table one as select * from players limit 1; update one set user_id = '${userId}', refer_code = ''; insert into players select * from one`
}
