/*
 * What can be measured, by name.
 */
import { measureAttributes } from './attributes.ts'
import { measureBackground } from './background.ts'
import { measureBacktest } from './backtest.ts'
import { measureBalances } from './balances.ts'
import { measureCrowded } from './crowded.ts'
import { measureEngine } from './engine.ts'
import type { Figure } from './figures.ts'
import { measureGrowth } from './growth.ts'
import { measureLargeRequest } from './large-request.ts'
import { measureOrders } from './orders.ts'
import { installPeers } from './peers.ts'
import { measurePlayers } from './players.ts'
import { measurePredictions } from './predictions.ts'
import { measureProducts } from './products.ts'
import { logProgress, minutesLeft } from './progress.ts'
import { measureRecount } from './recount.ts'
import type { Round } from './round.ts'
import { measureServices } from './services.ts'
import { measureSingleOrders } from './single-orders.ts'
import { measureStart } from './start.ts'
import { measureStatistics } from './statistics.ts'
import { shownFigure } from './table.ts'
import { type Database, openTestbed } from './testbed.ts'

/** `minutes` is how long it takes with the default options on one database and two cores, about. */
type Measurement = Readonly<{ about: string; minutes: number; measure: (round: Round) => Promise<Figure[]> }>

const ON_DATABASES: Readonly<Record<string, Measurement>> = {
  players: { about: 'new and unchanged players in bulk', minutes: 1, measure: measurePlayers },
  'large-request': {
    about: 'one request of very many players, and the memory it takes',
    minutes: 1,
    measure: measureLargeRequest,
  },
  products: { about: 'new and unchanged products in bulk', minutes: 0.5, measure: measureProducts },
  predictions: {
    about:
      'predictions a second, and how long they take; warm, cold, of recorded orders, and where points wait and pay',
    minutes: 3.5,
    measure: measurePredictions,
  },
  crowded: { about: 'how long predictions take beside bulk upserts', minutes: 1, measure: measureCrowded },
  orders: {
    about: 'orders recorded a second, 100 in each request; new, sent again, and where points wait and pay',
    minutes: 3,
    measure: measureOrders,
  },
  'single-orders': {
    about: 'orders recorded a second, one in each request, beside a service written for the purpose',
    minutes: 1.5,
    measure: measureSingleOrders,
  },
  statistics: {
    about: 'how long statistics take, and predictions beside them',
    minutes: 1,
    measure: measureStatistics,
  },
  start: { about: 'from the start to being ready, on existing data', minutes: 0.5, measure: measureStart },
  backtest: {
    about: 'orders of a backtest, and the memory it takes; runs only when it is named, on PostgreSQL',
    minutes: 5,
    measure: measureBacktest,
  },
  balances: {
    about: 'an account of very many entries, a report of points over --players; runs only when it is named',
    minutes: 5,
    measure: measureBalances,
  },
  recount: {
    about: 'the processor time of figures of accounts, by account; runs only when it is named',
    minutes: 5,
    measure: measureRecount,
  },
  attributes: {
    about: 'predictions and orders where products have 32 attributes; runs only when it is named',
    minutes: 5,
    measure: measureAttributes,
  },
  background: {
    about: 'how long predictions take beside counting of accounts and each kind of job; runs only when it is named',
    minutes: 6,
    measure: measureBackground,
  },
  services: {
    about: 'predictions and orders with one, two and four services on one PostgreSQL; runs only when it is named',
    minutes: 3,
    measure: measureServices,
  },
  growth: {
    about:
      'the figures with very many players beside few, on a server with the advised settings; runs only when it is named',
    minutes: 7,
    measure: measureGrowth,
  },
}
/** Measurements that take long and run only when they are named. */
const ONLY_NAMED = ['backtest', 'balances', 'recount', 'attributes', 'background', 'services', 'growth']
/** Measurements that compare with packages of bench/package.json. */
const WITH_PEERS = ['engine', 'players', 'single-orders']
const BULK = ['players', 'large-request', 'products']

/** Every name that may be given, with its description. */
export const NAMES: readonly (readonly [name: string, about: string])[] = [
  ['engine', 'the engine alone, beside a rules engine'],
  ...Object.entries(ON_DATABASES).map(([name, { about }]) => [name, about] as const),
  ['bulk', BULK.join(', ')],
]

const EVERYTHING = ['engine', ...Object.keys(ON_DATABASES)].filter((name) => !ONLY_NAMED.includes(name))

/** Runs the measurements that are named; without a name, all except those. `onFigure` gets each figure as soon as it is known. */
export async function measureAll(
  named: readonly string[],
  databases: readonly Database[],
  { onFigure, ...options }: Omit<Round, 'testbed' | 'database'> & { onFigure: (figure: Figure) => void },
): Promise<void> {
  const wanted = new Set(named.length === 0 ? EVERYTHING : named.flatMap((name) => (name === 'bulk' ? BULK : [name])))
  const reportAll = (figures: readonly Figure[]) => {
    for (const figure of figures) {
      logProgress(`  ${shownFigure(figure)}`)
      onFigure(figure)
    }
  }
  if (WITH_PEERS.some((name) => wanted.has(name))) installPeers()
  if (wanted.delete('engine')) {
    logProgress('engine')
    reportAll(await measureEngine(options))
  }
  const work = [...wanted].flatMap((name) => databases.map((database) => ({ name, database, ...ON_DATABASES[name]! })))
  if (work.length === 0) return
  const testbed = await openTestbed()
  const startedAt = performance.now()
  for (const [place, { name, database, measure }] of work.entries()) {
    const [done, left] = [work.slice(0, place), work.slice(place)].map((part) =>
      part.reduce((sum, { minutes }) => sum + minutes, 0),
    ) as [number, number]
    const minutes = minutesLeft(done, left, (performance.now() - startedAt) / 60_000)
    logProgress(`${name}, ${database}; about ${Math.ceil(minutes)} min left`)
    reportAll(await measure({ testbed, database, ...options }))
  }
  await testbed.server.stop()
}
