/*
 * A program in which points wait, expire and pay, for measurements beside the program that the service begins with.
 */
import { STARTER_PROGRAM } from '../src/engine/points/starter-program.ts'
import { KEEP_MOVEMENTS } from './ledger-rows.ts'
import type { OrderMaker } from './load.ts'
import { type Data, onCopy, type RunningService, runSql, start, type Testbed } from './testbed.ts'

const POINTS_PROGRAM = `${STARTER_PROGRAM}
money: { decimals: 2 }
points: { pending: { days: 14 }, expire: { after: P12M, at-end-of: month } }
redeem: { value: { points: 100, pays: "1" }, hold: P3D }
`

/** Publishes the program on a copy of the data, lets accounts keep their movements, runs `act` on the copy while no service runs on it, and deletes it. */
export async function withPaying<T>(testbed: Testbed, data: Data, act: (paying: Data) => Promise<T>): Promise<T> {
  return await onCopy(testbed, data, async (copy) => {
    const service = await start(copy)
    await publish(service)
    await service.stop()
    await runSql(copy, [KEEP_MOVEMENTS, 'vacuum (analyze) accounts'])
    return await act(copy)
  })
}

/** Publishes a program, by default that one; it holds at once. */
export async function publish(service: RunningService, source = POINTS_PROGRAM): Promise<void> {
  const { status, text } = await service.ask('/api/admin/programs', { body: { data: { source } } })
  if (status !== 200) throw new Error(`the program was not published: ${text}`)
}

/** The order, which redeems points, under an id of its own. */
export const redeeming: OrderMaker = (order) => ({ ...order, order_id: `paid-${order.order_id}`, points_redeemed: 100 })
