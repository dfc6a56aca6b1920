import { readerOf } from '../../database/db/reader.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { findStoredOrder, type WholeOrder } from './store.ts'

/** An order as recorded, with its lines. Errors: NotFound if it was never recorded; Unavailable. */
export async function showOrder({ db }: Pick<Deps, 'db'>, orderId: string, deadlineAt: number): Promise<WholeOrder> {
  const order = await findStoredOrder(readerOf(db, deadlineAt), orderId)
  if (order === undefined) throw new NotFound(`there is no order ${shortened(orderId)}`)
  return order
}
