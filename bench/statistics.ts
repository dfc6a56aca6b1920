/*
 * How long the statistics of the console take over five years, and predictions while people look at them. The queries read only the
 * statistics; `--players` puts a ledger of that many accounts beside them, to show that its size does not matter.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { alternate, type Figure, figureOf } from './figures.ts'
import { ANALYZE_LEDGER, accountsWithEntries } from './ledger-rows.ts'
import { LOAD_CONNECTIONS, load, warmed } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { TARGETS } from './targets.ts'
import { type Database, onCopy, type RunningService, runSql, start } from './testbed.ts'

const YEARS = 5
/** Each line of a day exists for both programs. */
const LINES: readonly (readonly [measure: string, key: string])[] = [
  ...['order', 'referral', 'adjustment'].map((key) => ['issued', key] as const),
  ...['order', 'referral'].map((key) => ['taken-back', key] as const),
  ['spent', 'adjustment'],
  ...['base', 'basket', 'silver-bonus', 'gold-bonus', 'weekend'].map((key) => ['rule', key] as const),
  ...['rounding', 'referral', 'later', 'orders'].map((measure) => [measure, ''] as const),
  ...['placed', 'changed', 'cancelled'].map((key) => ['revisions', key] as const),
  ...['nothing-paid', 'rounded-away'].map((key) => ['nothing', key] as const),
  ['level', 'Bronze\tSilver'],
  ...['above', 'below'].map((key) => ['balance', key] as const),
]
const QUESTIONS = 200
const VIEWERS = 5
const ROUTES = ['summary', 'points', 'rules', 'orders', 'levels']
const SPAN_DAYS = [7, 30, 90, 365, YEARS * 365]
const DAY_MS = 86_400_000

const FILL = `
insert into statistics_days (basis, day, measure, program, key, n, points)
select basis, current_date - age, measure, program, key, 40 + age % 17, 1000 + age % 97
from unnest(array['ordered', 'booked']) as basis
cross join generate_series(1, ${YEARS * 365}) as age
cross join generate_series(1, 2) as program
cross join (values ${LINES.map(([measure, key]) => `('${measure}', '${key}')`).join(', ')}) as lines (measure, key);
insert into statistics_months (basis, month, measure, program, key, n, points)
select basis, date_trunc('month', day)::date, measure, program, key, sum(n), sum(points)
from statistics_days group by 1, 2, 3, 4, 5;
analyze statistics_days, statistics_months`

/** Entries of an account, one in five of which is explained. */
const ENTRIES_EACH: Readonly<Record<Database, number>> = { postgres: 10, embedded: 4 }

export async function measureStatistics({
  testbed,
  database,
  runs,
  records,
  seconds,
  players,
}: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  const ledger =
    players === undefined ? [] : [accountsWithEntries(membersOf(players), ENTRIES_EACH[database], 5), ANALYZE_LEDGER]
  const ledgerNote =
    players === undefined
      ? ''
      : `, and ${players} accounts with ${ENTRIES_EACH[database]} entries each, a fifth explained`
  return await onCopy(testbed, await testbed.filled(database, size), async (data) => {
    await runSql(data, [FILL, ...ledger])
    const service = await start(data)
    try {
      let asked = 0
      const question = () => questionAt(asked++)
      await warmed(() => load(service, size, seconds))
      const { statistics, alone, watched } = await alternate(runs, [
        async () => ({ statistics: await p95(service, question) }),
        async () => ({ alone: (await load(service, size, seconds)).p99 }),
        async () => ({
          watched: await whileWatched(service, question, async () => (await load(service, size, seconds)).p99),
        }),
      ])
      return [
        figureOf(TARGETS.statistics, {
          database,
          ours: statistics,
          note: `${QUESTIONS} questions one after the other, none asked twice: ${ROUTES.join(', ')} of ${SPAN_DAYS.join(', ')} days; ${YEARS} years of ${LINES.length * 2} lines a day; ${size.players} players${ledgerNote}`,
        }),
        figureOf(TARGETS.watchedP99, {
          database,
          floor: alone,
          ours: watched,
          note: `${LOAD_CONNECTIONS} connections; ${VIEWERS} viewers ask once a second; floor: p99 without them`,
        }),
      ]
    } finally {
      await service.kill()
    }
  })
}

const membersOf = (players: number) => `select 'member-' || n from generate_series(1, ${players}) as n`

/** A query that was not made in the seconds for which answers are cached: its span ends on another day. */
function questionAt(index: number): string {
  const days = SPAN_DAYS[index % SPAN_DAYS.length]!
  const route = ROUTES[Math.floor(index / SPAN_DAYS.length) % ROUTES.length]!
  const to = Date.now() - (1 + (index % 300)) * DAY_MS
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const by = route === 'summary' ? 'compare=true' : `per=${days > 90 ? 'month' : 'day'}`
  return `/api/admin/statistics/${route}?${by}&basis=${index % 2 === 0 ? 'ordered' : 'booked'}&from=${day(to - days * DAY_MS)}&to=${day(to)}`
}

async function ask({ url, token }: RunningService, path: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${url}${path}`, { headers: { token } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`)
  return performance.now() - startedAt
}

async function p95(service: RunningService, question: () => string): Promise<number> {
  const took: number[] = []
  while (took.length < QUESTIONS) took.push(await ask(service, question()))
  return took.sort((a, b) => a - b)[Math.floor(QUESTIONS * 0.95)]!
}

/** Runs `act` while viewers query once a second each, a fifth of a second apart. */
async function whileWatched<T>(service: RunningService, question: () => string, act: () => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const watch = async (viewer: number) => {
    await sleep((viewer * 1_000) / VIEWERS)
    while (!ending.signal.aborted) await Promise.all([ask(service, question()), sleep(1_000)])
  }
  const watching = Promise.all(Array.from({ length: VIEWERS }, (_, viewer) => watch(viewer)))
  try {
    return await act()
  } finally {
    ending.abort()
    await watching
  }
}
