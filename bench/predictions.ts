/*
 * Predictions a second at 64 connections, compared with a bare route, and with a service that queries the database for each of them.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import type { Target } from './http.ts'
import { LOAD_CONNECTIONS, load } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { TARGETS } from './targets.ts'
import { onCopy, withOther, withService } from './testbed.ts'

export async function measurePredictions(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records, seconds } = round
  const size = sizeOf(records)
  const data = await testbed.filled(database, size)
  return await withService(testbed, data, (service) =>
    withOther('bare.ts', {}, (bare) =>
      withQueryEach(round, async (queryEach) => {
        const targets = [service, bare, ...(queryEach === undefined ? [] : [queryEach])]
        for (const target of targets) await load(target, size, seconds)
        const measured = await alternate(runs, [
          async () => {
            const { perSecond, p99 } = await load(bare, size, seconds)
            return { bare: perSecond, bareP99: p99 }
          },
          async () => (queryEach === undefined ? {} : { each: (await load(queryEach, size, seconds)).perSecond }),
          async () => {
            const { perSecond, p99 } = await load(service, size, seconds)
            return { ours: perSecond, oursP99: p99 }
          },
        ])
        const asked = `${LOAD_CONNECTIONS} connections, ${size.players} players, ${size.products} products, three lines an order`
        const { ours } = measured
        return [
          figureOf(TARGETS.predictions, {
            database,
            floor: measured.bare,
            ours,
            note: `${asked}, predictions kept; floor: a bare Fastify route with the same body and answer`,
          }),
          ...(queryEach === undefined
            ? []
            : [
                figureOf(TARGETS.predictionsBesideQuery, {
                  database,
                  floor: measured.each,
                  ours,
                  note: `${asked}; floor: Fastify and one prepared pg query a request`,
                }),
              ]),
          figureOf(TARGETS.predictionP99, {
            database,
            ours: measured.oursP99,
            note: `${asked}; this machine gives the bare route ${measured.bareP99.toFixed(1)} ms`,
          }),
        ]
      }),
    ),
  )
}

/** The service that queries for each prediction exists for PostgreSQL only. */
async function withQueryEach<T>(
  { testbed, database, records }: Round,
  act: (service: Target | undefined) => Promise<T>,
): Promise<T> {
  if (database !== 'postgres') return await act(undefined)
  return await onCopy(testbed, await testbed.filled(database, sizeOf(records)), ({ databaseUrl = '' }) =>
    withOther('query-each.ts', { DATABASE_URL: databaseUrl }, act),
  )
}
