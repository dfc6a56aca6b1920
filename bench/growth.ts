/*
 * The figures with very many players, compared with the same figures at the size of the other measurements.
 */
import { REQUEST_RECORDS, upsertRate, warmUp } from './bulk.ts'
import { changesOf, loadWhileUpserting } from './crowded.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { PLAYERS_PATH, PRODUCTS_PATH } from './http.ts'
import { load, loadCold, warmed } from './load.ts'
import { watchMemory } from './memory.ts'
import { sendingOrders } from './orders.ts'
import { type Round, sizeOf } from './round.ts'
import { aPlayer, aProduct, bodiesOf } from './samples.ts'
import { GROWTH, TARGETS } from './targets.ts'
import { type Database, openTestbed, type Size, withService } from './testbed.ts'

/** Memory is measured over the whole pass. */
type Name = keyof Pick<
  typeof TARGETS,
  | 'start'
  | 'predictions'
  | 'predictionP99'
  | 'predictionsCold'
  | 'playersUnchanged'
  | 'crowdedP99'
  | 'orders'
  | 'playersNew'
  | 'productsNew'
  | 'productsUnchanged'
  | 'largeRequest'
  | 'memory'
>

/** The default number of players. */
export const GROWN: Readonly<Record<Database, number>> = { postgres: 5_000_000, embedded: 500_000 }

/** The settings of the PostgreSQL server that docs/operating.md advises for millions of players. */
export const GROWN_SERVER = { shared_buffers: '2GB', max_wal_size: '8GB', checkpoint_timeout: '30min' } as const

export async function measureGrowth(shared: Round): Promise<Figure[]> {
  const { database, runs, records, players = GROWN[database] } = shared
  const round = { ...shared, testbed: await openTestbed(GROWN_SERVER) }
  const small = sizeOf(records)
  const large = { ...small, players }
  const measured = await alternate<`${'small' | 'large'} ${Name}`>(runs, [
    async () => named('small', await measureAt(round, small)),
    async () => named('large', await measureAt(round, large)),
  ])
  await round.testbed.server.stop()
  const settings = Object.entries(GROWN_SERVER).map(([name, value]) => `${name} ${value}`)
  const server = database === 'postgres' ? `; server with ${settings.join(', ')}` : ''
  const names = Object.keys(measured).flatMap((name) => (name.startsWith('small ') ? [name.slice(6) as Name] : []))
  return names.map((name) => {
    const [floor, ours] = [measured[`small ${name}`], measured[`large ${name}`]]
    const lessIsBetter = TARGETS[name].bound.is === 'at most'
    return figureOf(
      { ...GROWTH, figure: `growth: ${TARGETS[name].figure}`, unit: TARGETS[name].unit, lessIsBetter },
      { database, floor, ours, note: `${players} players; floor: the same with ${small.players}${server}` },
    )
  })
}

function named<Prefix extends string>(prefix: Prefix, figures: Record<Name, number>) {
  const pairs = Object.entries(figures).map(([name, value]) => [`${prefix} ${name}`, value])
  return Object.fromEntries(pairs) as Record<`${Prefix} ${Name}`, number>
}

/** All figures on a fresh copy of data of this size, first those that change nothing. The records sent are spread evenly over those stored. */
async function measureAt({ testbed, database, records, seconds }: Round, size: Size): Promise<Record<Name, number>> {
  const spread = (index: number, count: number) => Math.floor((index * size.players) / count)
  const known = bodiesOf((index) => aPlayer(spread(index, records)), { records, each: REQUEST_RECORDS })
  const added = bodiesOf((index) => aNewPlayer(spread(index, records), 'new'), { records, each: REQUEST_RECORDS })
  const many = records * 2
  const large = bodiesOf((index) => aNewPlayer(spread(index, many), `large-${index % 2}`), {
    records: many,
    each: many,
  })
  const products = bodiesOf(aProduct, { records, each: REQUEST_RECORDS, from: size.products })
  return await withService(testbed, await testbed.filled(database, size), async (service) => {
    const highest = await watchMemory(service.pid)
    const predicted = await warmed(() => load(service, size, seconds))
    const cold = await loadCold(service, size)
    await warmUp(service, PLAYERS_PATH, aPlayer)
    const playersUnchanged = (await upsertRate(service, PLAYERS_PATH, { bodies: known, verdict: 'updated' })).perSecond
    const changes = changesOf(records, (index, edition) => aPlayer(spread(index, records), edition))
    const { crowded } = await loadWhileUpserting(service, size, { changes, seconds })
    const orders = sendingOrders(service, size)
    return {
      start: service.readyMs,
      predictions: predicted.perSecond,
      predictionP99: predicted.p99,
      predictionsCold: cold.perSecond,
      playersUnchanged,
      crowdedP99: crowded,
      orders: (await orders.send(seconds)).perSecond,
      playersNew: (await upsertRate(service, PLAYERS_PATH, { bodies: added, verdict: 'inserted' })).perSecond,
      productsNew: (await upsertRate(service, PRODUCTS_PATH, { bodies: products, verdict: 'inserted' })).perSecond,
      productsUnchanged: (await upsertRate(service, PRODUCTS_PATH, { bodies: products, verdict: 'skipped' })).perSecond,
      largeRequest: (await upsertRate(service, PLAYERS_PATH, { bodies: large, verdict: 'inserted' })).perSecond,
      memory: await highest(),
    }
  })
}

/** A new player, whose keys are next to those of an existing one. */
function aNewPlayer(index: number, suffix: string) {
  const player = aPlayer(index)
  return { ...player, User_id: `${player.User_id}-${suffix}`, Refercode: `${player.Refercode}-${suffix}` }
}
