import { tooManyDecimals } from '../../ingest/order.ts'
import { shortened } from '../../ingest/shown.ts'
import { WHOLE_MAX } from '../../points/arithmetic.ts'
import type { OrderRefusal } from '../../points/ledger/evaluate.ts'
import type { StateRefusal } from '../../points/ledger/revision.ts'
import type { SentOrder } from '../../points/model.ts'

/** A field in the wire's spelling, and a sentence: what is wrong with it and what to do. `verdict` as in RejectedRecord. */
export type FieldFault = Readonly<{ field: string; error: string; verdict?: StateRefusal }>

/** Why a state is not taken, by its version (decision 71); `field` is the wire's name of that. */
export function describeStateRefusal(refusal: StateRefusal, field: 'state_version' | 'State_version'): FieldFault {
  const error =
    refusal === 'stale'
      ? 'a newer state is stored: this one comes too late'
      : 'another state is stored under this version: raise the version with each change'
  return { field, error, verdict: refusal }
}

/** Which field of an order a refusal is about, and what to do. */
export function describeRefusal(order: SentOrder, refusal: OrderRefusal): FieldFault {
  switch (refusal) {
    case 'unknown-player':
      return { field: 'user_id', error: `there is no player ${shortened(order.userId)}: send players first` }
    case 'other-player':
      return { field: 'order_id', error: `order ${shortened(order.id)} belongs to another player` }
    case 'stale':
    case 'conflict':
      return describeStateRefusal(refusal, 'state_version')
    case 'no-program':
      return { field: 'ordered_at', error: `expected a moment at which a program holds, got "${order.at}"` }
    case 'total-decimals':
      return { field: 'total_amount', error: tooManyDecimals(order.total, order.decimals?.total) }
    case 'discount-decimals':
      return { field: 'discount', error: tooManyDecimals(order.discount, order.decimals?.discount) }
    case 'too-many-points':
      return {
        field: 'total_amount',
        error: `expected an order that earns at most ${WHOLE_MAX} points, and leaves no account with more`,
      }
    default:
      return refusal satisfies never
  }
}
