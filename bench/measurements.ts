/*
 * What can be measured, by name.
 */
import { measureBacktest } from './backtest.ts'
import { measureCrowded } from './crowded.ts'
import { measureEngine } from './engine.ts'
import type { Figure } from './figures.ts'
import { type Database, openGround } from './ground.ts'
import { measureGrowth } from './growth.ts'
import { measureLargeRequest } from './large-request.ts'
import { measureOrders } from './orders.ts'
import { measurePlayers } from './players.ts'
import { measurePredictions } from './predictions.ts'
import { measureProducts } from './products.ts'
import { tell } from './progress.ts'
import type { Round } from './round.ts'
import { measureStart } from './start.ts'
import { shownFigure } from './table.ts'

type Measurement = Readonly<{ about: string; measure: (round: Round) => Promise<Figure[]> }>

const ON_DATABASES: Readonly<Record<string, Measurement>> = {
  players: { about: 'new and unchanged players in bulk', measure: measurePlayers },
  'large-request': { about: 'one request of very many players, and the memory it takes', measure: measureLargeRequest },
  products: { about: 'new and unchanged products in bulk', measure: measureProducts },
  predictions: { about: 'predictions a second, and how long they take', measure: measurePredictions },
  crowded: { about: 'how long predictions take beside bulk upserts', measure: measureCrowded },
  orders: { about: 'orders recorded a second', measure: measureOrders },
  start: { about: 'from the start to being ready, on existing data', measure: measureStart },
  backtest: {
    about: 'orders of a backtest, and the memory it takes; runs only when it is named, on PostgreSQL',
    measure: measureBacktest,
  },
  growth: {
    about: 'all of these with very many players beside few; runs only when it is named',
    measure: measureGrowth,
  },
}
/** Long runs. */
const ONLY_NAMED = ['backtest', 'growth']
const BULK = ['players', 'large-request', 'products']

/** Every name that may be given, and what it means. */
export const NAMES: readonly (readonly [name: string, about: string])[] = [
  ['engine', 'the engine alone, beside a rules engine'],
  ...Object.entries(ON_DATABASES).map(([name, { about }]) => [name, about] as const),
  ['bulk', BULK.join(', ')],
]

const EVERYTHING = ['engine', ...Object.keys(ON_DATABASES)].filter((name) => !ONLY_NAMED.includes(name))

/** Measures what is named, everything but growth if nothing is. Each figure is handed over as soon as it is known. */
export async function measureAll(
  named: readonly string[],
  databases: readonly Database[],
  { told, ...options }: Omit<Round, 'ground' | 'database'> & { told: (figure: Figure) => void },
): Promise<void> {
  const wanted = new Set(named.length === 0 ? EVERYTHING : named.flatMap((name) => (name === 'bulk' ? BULK : [name])))
  const tellAll = (figures: readonly Figure[]) => {
    for (const figure of figures) {
      tell(`  ${shownFigure(figure)}`)
      told(figure)
    }
  }
  if (wanted.delete('engine')) {
    tell('engine')
    tellAll(await measureEngine(options))
  }
  if (wanted.size === 0) return
  const ground = await openGround()
  for (const name of wanted) {
    for (const database of databases) {
      tell(`${name}, ${database}`)
      tellAll(await ON_DATABASES[name]!.measure({ ground, database, ...options }))
    }
  }
  await ground.server.stop()
}
