/*
 * Clients that record the orders of a real shop, and which of their orders must be in a copy of the database.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import type { Place, Shop } from './backup-places.ts'

/** How many states of each order were acknowledged, by its id. */
export type Acknowledged = ReadonlyMap<string, number>

export type RecordingClients = Readonly<{
  /** As of now. */
  acknowledged: () => Acknowledged
  count: () => number
  refused: () => number
  /** Stops each client after its current request. Rejects if an answer was neither 200 nor 503. */
  stop: () => Promise<void>
}>

const AGAIN_MS = 50

/** Each client records the states of its own orders, one after the other, and the same orders with other ids once it is through. */
export function recordOrders(service: ServiceProcess, { states, players }: Shop, clients: number): RecordingClients {
  const acknowledged = new Map<string, number>()
  const placeOf = new Map((players as { User_id: string }[]).map(({ User_id }, place) => [User_id, place]))
  let count = 0
  let refused = 0
  let isStopped = false
  async function run(client: number): Promise<void> {
    const own = states.filter(({ order }) => placeOf.get(order.user_id)! % clients === client % players.length)
    for (let round = 1; ; round += 1)
      for (const { order } of own) {
        const order_id = `${order.order_id}-${client}-${round}`
        for (let isRecorded = false; !isRecorded; ) {
          if (isStopped) return
          const { status, text } = await service.upsert('orders', [{ ...order, order_id }])
          isRecorded = status === 200
          if (status !== 200 && status !== 503) throw new Error(`answered ${status}: ${text}`)
          if (!isRecorded) {
            refused += 1
            await sleep(AGAIN_MS)
          }
        }
        acknowledged.set(order_id, (acknowledged.get(order_id) ?? 0) + 1)
        count += 1
      }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  // `stop` reports the error.
  running.catch(() => {
    isStopped = true
  })
  return {
    acknowledged: () => new Map(acknowledged),
    count: () => count,
    refused: () => refused,
    stop: async () => {
      isStopped = true
      await running
    },
  }
}

/** Every order of a place is in a state that was sent, and those acknowledged in that state or a later one. Returns how many orders there are. */
export async function assertOrders(
  place: Place,
  token: string,
  { statesOf }: Shop,
  acknowledged: Acknowledged,
): Promise<number> {
  const service = await startService({ ...place, token })
  const left = new Set(acknowledged.keys())
  let orders = 0
  try {
    for (let after: string | null = ''; after !== null; ) {
      const { body } = await service.ask(`/api/admin/orders?limit=500${after === '' ? '' : `&after=${after}`}`)
      for (const order of body.orders) {
        orders += 1
        left.delete(order.order_id)
        const sent = statesOf
          .get(order.order_id.split('-')[0])!
          .slice(Math.max(0, (acknowledged.get(order.order_id) ?? 1) - 1))
        const isOneOf = sent.some(
          ({ order: { status = 'placed', total_amount, products } }) =>
            status === order.status && total_amount === order.total && products.length === order.line_count,
        )
        assert(isOneOf, `${JSON.stringify(order)} is in none of the states that were sent: ${JSON.stringify(sent)}`)
      }
      after = body.after
    }
  } finally {
    await service.stop()
  }
  assert.deepEqual([...left].slice(0, 3), [], `LOST: ${left.size} acknowledged orders`)
  return orders
}
