/*
 * Orders recorded a second, compared with a bare INSERT of the rows that the service writes for them. Each run starts every process anew.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { ORDERS_PATH, oursOf, overConnections, type Rate, ratesOf, type Target } from './http.ts'
import { type OrderMaker, warmed } from './load.ts'
import { type Inserter, openInserter, REQUEST_ORDERS } from './order-rows.ts'
import { redeeming, withPaying } from './paying.ts'
import { type Round, sizeOf } from './round.ts'
import { anOrder, bodyOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { ACCOUNT_ENTRIES, EMPTY, onCopy, type Size, withService } from './testbed.ts'
import { watchThreads } from './threads.ts'

const CONNECTIONS = 32

export async function measureOrders(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records, seconds } = round
  const size = sizeOf(records)
  const data = await testbed.filled(database, size)
  const { inserted, recorded, again, waiting, redeemed } = await withPaying(testbed, data, (paying) =>
    alternate<'inserted' | 'recorded' | 'again' | 'waiting' | 'redeemed', Rate>(runs, [
      async () => ({ inserted: await insertRate(round) }),
      () =>
        withService(testbed, data, async (service) => {
          const orders = sendingOrders(service, size)
          const recorded = await warmed(() => orders.send(seconds))
          return { recorded, again: await orders.sendAgain(seconds) }
        }),
      () =>
        withService(testbed, paying, async (service) => {
          const [orders, redemptions] = [sendingOrders(service, size), sendingOrders(service, size, redeeming)]
          const waiting = await warmed(() => orders.send(seconds))
          return { waiting, redeemed: await warmed(() => redemptions.send(seconds)) }
        }),
    ]),
  )
  const sent = `requests of ${REQUEST_ORDERS}, three lines each, ${CONNECTIONS} connections, ${size.players} players with ${ACCOUNT_ENTRIES[database]} entries each`
  const rows = 'prepared INSERT of order and entry rows like ours'
  const inserts =
    database === 'postgres'
      ? `${rows}, ${CONNECTIONS} connections`
      : `${rows} into PGlite as it is published, one after the other`
  const floor = ratesOf(recorded)
  const beside = `${sent}; floor: orders recorded, in the same run`
  return [
    figureOf(TARGETS.orders, {
      ...{ database, floor: ratesOf(inserted), ...oursOf(recorded) },
      note: `${sent}; floor: ${inserts}`,
    }),
    figureOf(TARGETS.ordersAgain, { database, floor, ...oursOf(again), note: beside }),
    figureOf(TARGETS.ordersWaiting, { database, floor, ...oursOf(waiting), note: beside }),
    figureOf(TARGETS.ordersRedeeming, {
      ...{ database, floor, ...oursOf(redeemed) },
      note: `each redeems 100 points, ${beside}`,
    }),
  ]
}

/** A load of orders over many connections, which runs for the given seconds. Errors: if an order was not recorded, or not known. */
export type SendingOrders = Readonly<{
  /** Sends new orders. Each run continues where the last one ended. */
  send: (seconds: number) => Promise<Rate>
  /** Sends the orders that are recorded again, unchanged, in the same order. */
  sendAgain: (seconds: number) => Promise<Rate>
}>

/** Creates a load of orders. `as` turns each sample order into the one that is sent. */
export function sendingOrders(service: Target, size: Size, as: OrderMaker = (order) => order): SendingOrders {
  let recorded = 0
  const sending = async (forSeconds: number, verdict: 'inserted' | 'skipped', fromOf: (request: number) => number) => {
    const endAt = performance.now() + forSeconds * 1_000
    let requests = 0
    let seconds = 0
    const { count, threads } = await watchThreads(service.pid, async () => {
      seconds = await overConnections(service, CONNECTIONS, async (send) => {
        while (performance.now() < endAt) {
          const from = fromOf(requests)
          requests += 1
          const orders = Array.from({ length: REQUEST_ORDERS }, (_, index) => as(anOrder(from + index, size)))
          const response = (await send(ORDERS_PATH, bodyOf(orders))) as Record<typeof verdict | 'message', unknown>
          if (response[verdict] !== REQUEST_ORDERS) throw new Error(String(response.message))
        }
      })
      return requests * REQUEST_ORDERS
    })
    return { count, rate: { perSecond: count / seconds, threads } }
  }
  return {
    async send(seconds) {
      const before = recorded
      const { count, rate } = await sending(seconds, 'inserted', (request) => before + request * REQUEST_ORDERS)
      recorded += count
      return rate
    },
    async sendAgain(seconds) {
      const known = recorded
      return (await sending(seconds, 'skipped', (request) => (request * REQUEST_ORDERS) % known)).rate
    },
  }
}

/** The floor: on tables that are as empty as those of the service's orders are when it starts. */
async function insertRate(round: Round): Promise<Rate> {
  const { testbed, database, seconds } = round
  return await onCopy(testbed, await testbed.filled(database, EMPTY), async (data) => {
    const inserter = await openInserter(round, data, CONNECTIONS)
    const atOnce = database === 'postgres' ? CONNECTIONS : 1
    try {
      await inserting(inserter, atOnce, seconds)
      return { perSecond: await inserting(inserter, atOnce, seconds), threads: undefined }
    } finally {
      await inserter.close()
    }
  })
}

async function inserting({ insertRequest }: Inserter, atOnce: number, seconds: number): Promise<number> {
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  let inserted = 0
  const insert = async () => {
    for (; performance.now() < endAt; inserted += REQUEST_ORDERS) await insertRequest()
  }
  await Promise.all(Array.from({ length: atOnce }, insert))
  return (inserted / (performance.now() - startedAt)) * 1_000
}
