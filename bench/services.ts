/*
 * Several services on one PostgreSQL: predictions and orders a second with one, two and four of them, with the same number of connections in all. On a
 * machine whose cores are all busy with one service, they show what a further one costs, not what it brings.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { oursOf, ratesOf } from './http.ts'
import { LOAD_CONNECTIONS, type Load, loadOnAll, predictionsOf, type Requests, warmed } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { singleOrders } from './single-orders.ts'
import { TARGETS } from './targets.ts'
import { onCopy, start } from './testbed.ts'

const COUNTS = [1, 2, 4] as const
type Name = `${'predictions' | 'orders'} ${(typeof COUNTS)[number]}`

export async function measureServices({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  if (database !== 'postgres') return []
  const size = sizeOf(records)
  const data = await testbed.filled(database, size)
  const measureWith = (count: (typeof COUNTS)[number]) => () =>
    onCopy(testbed, data, async (copy) => {
      const services = await Promise.all(Array.from({ length: count }, () => start(copy)))
      const loadWarmed = (requests: Requests) => warmed(() => loadOnAll(services, requests, seconds))
      let sent = 0
      try {
        return {
          [`predictions ${count}`]: await loadWarmed(predictionsOf(size)),
          [`orders ${count}`]: await loadWarmed(singleOrders(() => sent++, size)),
        }
      } finally {
        await Promise.all(services.map((service) => service.kill()))
      }
    })
  const measured = await alternate<Name, Load>(runs, COUNTS.map(measureWith))
  const figuresOf = (what: 'predictions' | 'orders') =>
    COUNTS.slice(1).map((count) =>
      figureOf(
        { ...TARGETS[`${what}OfServices`], figure: `${what} of ${count} services` },
        {
          ...{ database, floor: ratesOf(measured[`${what} 1`]), ...oursOf(measured[`${what} ${count}`]) },
          note: `${LOAD_CONNECTIONS} connections in all, ${size.players} players; floor: one service`,
        },
      ),
    )
  return [...figuresOf('predictions'), ...figuresOf('orders')]
}
