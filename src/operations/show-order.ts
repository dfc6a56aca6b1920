import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { readerOf } from '../store/db/reader.ts'
import { findStoredOrder, type WholeOrder } from '../store/stored-orders.ts'
import type { Deps } from './deps.ts'

/** An order as recorded, with its lines. Errors: NotFound if it was never recorded; Unavailable. */
export async function showOrder({ db }: Pick<Deps, 'db'>, orderId: string, deadlineAt: number): Promise<WholeOrder> {
  const order = await findStoredOrder(readerOf(db, deadlineAt), orderId)
  if (order === undefined) throw new NotFound(`there is no order ${shortened(orderId)}`)
  return order
}
