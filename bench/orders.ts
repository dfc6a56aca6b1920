/*
 * Orders recorded a second, compared with a bare INSERT of the rows that the service writes for them.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, overConnections, type Target } from './http.ts'
import { type Inserter, openInserter, REQUEST_ORDERS } from './order-rows.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodyOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { EMPTY, onCopy, type Size, withService } from './testbed.ts'

const CONNECTIONS = 32

export async function measureOrders(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records, seconds } = round
  const size = sizeOf(records)
  const atOnce = database === 'postgres' ? CONNECTIONS : 1
  const { inserted, recorded } = await withService(testbed, await testbed.filled(database, size), async (service) =>
    onCopy(testbed, await testbed.filled(database, EMPTY), async (data) => {
      const inserter = await openInserter(round, data, CONNECTIONS)
      try {
        const orders = sendingOrders(service, size)
        await orders(seconds)
        return await alternate(runs, [
          async () => ({ inserted: await insertRate(inserter, atOnce, seconds) }),
          async () => ({ recorded: await orders(seconds) }),
        ])
      } finally {
        await inserter.close()
      }
    }),
  )
  const floor =
    database === 'postgres'
      ? `prepared INSERT of the same order and entry rows, ${CONNECTIONS} connections`
      : 'prepared INSERT of the same order and entry rows into PGlite as it is published, one after the other'
  return [
    figureOf(TARGETS.orders, {
      database,
      floor: inserted,
      ours: recorded,
      note: `requests of ${REQUEST_ORDERS}, three lines each, ${CONNECTIONS} connections, ${size.players} players; floor: ${floor}`,
    }),
  ]
}

/**
 * Creates a load of new orders that runs for the given seconds and returns how many were recorded a second. Each run continues where the last one
 * ended. `as` turns each sample order into the one that is sent. Errors: if an order was not inserted.
 */
export function sendingOrders(
  service: Target,
  size: Size,
  as: (order: ReturnType<typeof anOrder>) => object = (order) => order,
): (seconds: number) => Promise<number> {
  let sent = 0
  return async (forSeconds) => {
    const endAt = performance.now() + forSeconds * 1_000
    let recorded = 0
    const seconds = await overConnections(service, CONNECTIONS, async (send) => {
      while (performance.now() < endAt) {
        const from = sent
        sent += REQUEST_ORDERS
        const orders = Array.from({ length: REQUEST_ORDERS }, (_, index) => as(anOrder(from + index, size)))
        const answer = (await send(ORDERS_PATH, bodyOf(orders))) as { inserted: number; message: string }
        const { inserted, message } = answer
        if (inserted < REQUEST_ORDERS) throw new Error(message)
        recorded += inserted
      }
    })
    return recorded / seconds
  }
}

async function insertRate({ insertRequest }: Inserter, atOnce: number, seconds: number): Promise<number> {
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  let inserted = 0
  const inserting = async () => {
    for (; performance.now() < endAt; inserted += REQUEST_ORDERS) await insertRequest()
  }
  await Promise.all(Array.from({ length: atOnce }, inserting))
  return (inserted / (performance.now() - startedAt)) * 1_000
}
