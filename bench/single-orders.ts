/*
 * Orders recorded a second as live shops send them, one in each request, compared with a service that a shop's own team would write.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, type Target } from './http.ts'
import { LOAD_CONNECTIONS, loadOf, type Requests } from './load.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodyOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { onCopy, type Size, withOther, withService } from './testbed.ts'

export async function measureSingleOrders(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records, seconds } = round
  const size = sizeOf(records)
  const { theirs, ours } = await withService(testbed, await testbed.filled(database, size), async (service) =>
    onCopy(testbed, await testbed.filled('postgres', size), ({ databaseUrl = '' }) =>
      withOther('rules-service.ts', { DATABASE_URL: databaseUrl }, async (other) => {
        const [sendOurs, sendTheirs] = [sendingSingly(service, size), sendingSingly(other, size)]
        await sendTheirs(seconds)
        await sendOurs(seconds)
        return await alternate(runs, [
          async () => ({ theirs: await sendTheirs(seconds) }),
          async () => ({ ours: await sendOurs(seconds) }),
        ])
      }),
    ),
  )
  const where = database === 'postgres' ? 'the same PostgreSQL' : 'PostgreSQL, which it needs'
  return [
    figureOf(TARGETS.singleOrders, {
      database,
      floor: theirs,
      ours,
      note: `one order of three lines a request, ${LOAD_CONNECTIONS} connections, ${size.players} players; floor: Fastify, a rules engine with ten rules, one prepared query and one prepared write a request on ${where}`,
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
    isExpected: (answer) => answer.includes('"inserted":1'),
  }
}

/** A load of new orders; returns how many were recorded a second. Each run continues where the last one ended. */
function sendingSingly(target: Target, size: Size): (seconds: number) => Promise<number> {
  let sent = 0
  const requests = singleOrders(() => sent++, size)
  return async (seconds) => (await loadOf(target, requests, seconds)).perSecond
}
