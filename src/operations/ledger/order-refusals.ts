import { shortened } from '../../ingest/shown.ts'
import { WHOLE_MAX } from '../../points/arithmetic.ts'
import type { OrderRefusal } from '../../points/ledger/evaluate.ts'
import type { SentOrder } from '../../points/model.ts'

/** A field in the wire's spelling, and a sentence: what is wrong with it and what to do. */
export type FieldFault = Readonly<{ field: string; error: string }>

/** Which field of an order a refusal is about, and what to do. */
export function describeRefusal(order: SentOrder, refusal: OrderRefusal): FieldFault {
  switch (refusal) {
    case 'unknown-player':
      return { field: 'user_id', error: `there is no player ${shortened(order.userId)}: send players first` }
    case 'other-player':
      return { field: 'order_id', error: `order ${shortened(order.id)} belongs to another player` }
    case 'no-program':
      return { field: 'ordered_at', error: `expected a moment at which a program holds, got "${order.at}"` }
    case 'too-many-points':
      return {
        field: 'total_amount',
        error: `expected an order that earns at most ${WHOLE_MAX} points, and leaves no account with more`,
      }
    default:
      return refusal satisfies never
  }
}
