/*
 * Predictions a second at 64 connections, compared with a bare route, and with a service that queries the database for each of them. Each run starts
 * every process anew: a service can be in a slow or a quick state for as long as it runs.
 */
import { alternate, type Figure, figureOf, median } from './figures.ts'
import { ORDERS_PATH, oursOf, ratesOf, sendAll, type Target } from './http.ts'
import { askedOften, LOAD_CONNECTIONS, type Load, loadCold, loadOf, predictionsOf, warmed } from './load.ts'
import { redeeming, withPaying } from './paying.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodiesOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { ACCOUNT_ENTRIES, onCopy, type Size, withOther, withService } from './testbed.ts'

export async function measurePredictions(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records, seconds } = round
  const size = sizeOf(records)
  const data = await testbed.filled(database, size)
  const loadWarmed = (target: Target, requests = predictionsOf(size)) => warmed(() => loadOf(target, requests, seconds))
  const { bare, each, warm, cold, recorded, waiting, redeemed } = await withPaying(testbed, data, (paying) =>
    alternate<'bare' | 'each' | 'warm' | 'cold' | 'recorded' | 'waiting' | 'redeemed', Load>(runs, [
      () => withOther('bare.ts', {}, async (target) => ({ bare: await loadWarmed(target) })),
      async () => (database === 'postgres' ? { each: await withQueryEach(round, loadWarmed) } : {}),
      () =>
        withService(testbed, data, async (service) => {
          const warm = await loadWarmed(service)
          const cold = await loadCold(service, size)
          await recordAsked(service, size)
          return { warm, cold, recorded: await loadWarmed(service) }
        }),
      () =>
        withService(testbed, paying, async (service) => {
          const waiting = await loadWarmed(service)
          return { waiting, redeemed: await loadWarmed(service, predictionsOf(size, undefined, redeeming)) }
        }),
    ]),
  )
  const asked = `${LOAD_CONNECTIONS} connections, ${size.players} players with ${ACCOUNT_ENTRIES[database]} entries each, ${size.products} products, three lines an order`
  const often = `${askedOften(size)} orders asked about again and again`
  const route = 'a bare Fastify route with the same body and answer'
  const floor = ratesOf(warm)
  const beside = `${asked}; floor: predictions, in the same run`
  return [
    figureOf(TARGETS.predictions, {
      ...{ database, floor: ratesOf(bare), ...oursOf(warm) },
      note: `${asked}, ${often}, predictions kept; floor: ${route}`,
    }),
    figureOf(TARGETS.predictionsCold, {
      ...{ database, floor: ratesOf(bare), ...oursOf(cold) },
      note: `${asked}, each player asked about once; floor: ${route}`,
    }),
    ...(database === 'postgres'
      ? [
          figureOf(TARGETS.predictionsBesideQuery, {
            ...{ database, floor: ratesOf(each), ...oursOf(warm) },
            note: `${asked}; floor: Fastify and one prepared pg query a request`,
          }),
        ]
      : []),
    figureOf(TARGETS.predictionP99, {
      ...{ database, ours: warm.map(({ p99 }) => p99) },
      note: `${asked}; this machine gives the bare route ${median(bare.map(({ p99 }) => p99)).toFixed(1)} ms`,
    }),
    figureOf(TARGETS.predictionsRecorded, { database, floor, ...oursOf(recorded), note: beside }),
    figureOf(TARGETS.predictionsWaiting, { database, floor, ...oursOf(waiting), note: beside }),
    figureOf(TARGETS.predictionsRedeeming, {
      ...{ database, floor, ...oursOf(redeemed) },
      note: `each redeems 100 points, ${beside}`,
    }),
  ]
}

/** Records the orders that the load asks about. */
async function recordAsked(service: Target, size: Size): Promise<void> {
  const bodies = bodiesOf((index) => anOrder(index, size), { records: askedOften(size), each: 1_000 })
  await sendAll(service, ORDERS_PATH, { bodies, connections: 4 })
}

/** The service that queries for each prediction exists for PostgreSQL only. */
async function withQueryEach<T>({ testbed, records }: Round, act: (service: Target) => Promise<T>): Promise<T> {
  return await onCopy(testbed, await testbed.filled('postgres', sizeOf(records)), ({ databaseUrl = '' }) =>
    withOther('query-each.ts', { DATABASE_URL: databaseUrl }, act),
  )
}
