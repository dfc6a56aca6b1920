/*
 * Orders recorded a second as live shops send them, one in each request, compared with a service that a shop's own team would write. Each run starts
 * both anew.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, oursOf, ratesOf, type Target } from './http.ts'
import { LOAD_CONNECTIONS, type Load, loadOf, type Requests, warmed } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodyOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { ACCOUNT_ENTRIES, onCopy, type Size, withOther, withService } from './testbed.ts'

export async function measureSingleOrders({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  const [data, theirData] = [await testbed.filled(database, size), await testbed.filled('postgres', size)]
  const send = async (target: Target) => {
    let sent = 0
    const requests = singleOrders(() => sent++, size)
    return await warmed(() => loadOf(target, requests, seconds))
  }
  const { theirs, ours } = await alternate<'theirs' | 'ours', Load>(runs, [
    () =>
      onCopy(testbed, theirData, ({ databaseUrl = '' }) =>
        withOther('rules-service.ts', { DATABASE_URL: databaseUrl }, async (other) => ({ theirs: await send(other) })),
      ),
    () => withService(testbed, data, async (service) => ({ ours: await send(service) })),
  ])
  const where = database === 'postgres' ? 'the same PostgreSQL' : 'PostgreSQL, which it needs'
  return [
    figureOf(TARGETS.singleOrders, {
      ...{ database, floor: ratesOf(theirs), ...oursOf(ours) },
      note: `one order of three lines a request, ${LOAD_CONNECTIONS} connections, ${size.players} players with ${ACCOUNT_ENTRIES[database]} entries each; floor: Fastify, a rules engine with ten rules, one prepared query and one prepared write a request on ${where}`,
    }),
  ]
}

/** New orders, one in each request; `next` is the number of the next one. */
export function singleOrders(next: () => number, size: Size): Requests {
  const body = () => bodyOf([anOrder(next(), size)])
  return {
    method: 'POST',
    path: ORDERS_PATH,
    bodies: () => body,
    isExpected: (response) => response.includes('"inserted":1'),
  }
}
