/*
 * What can be measured, by name.
 */
import { measureBacktest } from './backtest.ts'
import { measureBalances } from './balances.ts'
import { measureCrowded } from './crowded.ts'
import { measureEngine } from './engine.ts'
import type { Figure } from './figures.ts'
import { measureGrowth } from './growth.ts'
import { measureLargeRequest } from './large-request.ts'
import { measureOrders } from './orders.ts'
import { measurePlayers } from './players.ts'
import { measurePredictions } from './predictions.ts'
import { measureProducts } from './products.ts'
import { logProgress } from './progress.ts'
import type { Round } from './round.ts'
import { measureSingleOrders } from './single-orders.ts'
import { measureStart } from './start.ts'
import { measureStatistics } from './statistics.ts'
import { shownFigure } from './table.ts'
import { type Database, openTestbed } from './testbed.ts'

type Measurement = Readonly<{ about: string; measure: (round: Round) => Promise<Figure[]> }>

const ON_DATABASES: Readonly<Record<string, Measurement>> = {
  players: { about: 'new and unchanged players in bulk', measure: measurePlayers },
  'large-request': { about: 'one request of very many players, and the memory it takes', measure: measureLargeRequest },
  products: { about: 'new and unchanged products in bulk', measure: measureProducts },
  predictions: { about: 'predictions a second, and how long they take', measure: measurePredictions },
  crowded: { about: 'how long predictions take beside bulk upserts', measure: measureCrowded },
  orders: { about: 'orders recorded a second, 100 in each request', measure: measureOrders },
  'single-orders': {
    about: 'orders recorded a second, one in each request, beside a service written for the purpose',
    measure: measureSingleOrders,
  },
  statistics: {
    about: 'how long statistics take, and predictions beside them',
    measure: measureStatistics,
  },
  start: { about: 'from the start to being ready, on existing data', measure: measureStart },
  backtest: {
    about: 'orders of a backtest, and the memory it takes; runs only when it is named, on PostgreSQL',
    measure: measureBacktest,
  },
  balances: {
    about:
      'points that wait, expire and pay, an account of very many entries, a report over --players; runs only when it is named',
    measure: measureBalances,
  },
  growth: {
    about: 'all of these with very many players beside few; runs only when it is named',
    measure: measureGrowth,
  },
}
/** Measurements that take long and run only when they are named. */
const ONLY_NAMED = ['backtest', 'balances', 'growth']
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
  if (wanted.delete('engine')) {
    logProgress('engine')
    reportAll(await measureEngine(options))
  }
  if (wanted.size === 0) return
  const testbed = await openTestbed()
  for (const name of wanted) {
    for (const database of databases) {
      logProgress(`${name}, ${database}`)
      reportAll(await ON_DATABASES[name]!.measure({ testbed, database, ...options }))
    }
  }
  await testbed.server.stop()
}
