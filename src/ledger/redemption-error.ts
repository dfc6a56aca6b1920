import { shortened } from '../engine/ingest/shown.ts'
import { WHOLE_MAX } from '../engine/points/arithmetic.ts'
import { type CommandRefusal, type RedeemCommand, VOIDED_PARTS_MAX } from '../engine/points/ledger/redemptions.ts'
import { InvalidInput, NotFound, NotRedeemable } from '../errors.ts'
import { describeRedeemRefusal, notEnough } from './order-refusals.ts'

/** The error for a refused redemption without an order (decision 139). */
export function redemptionError(command: RedeemCommand, refusal: CommandRefusal): Error {
  const points = command.act === 'redeem' && command.reward !== undefined ? 'data.reward' : 'data.points'
  const id = shortened(command.id)
  switch (refusal.kind) {
    case 'not-enough':
      return new NotRedeemable(points, notEnough(refusal), refusal.available - refusal.held)
    case 'used-by-order':
      return new NotRedeemable(
        'id',
        `redemption ${id} pays order ${shortened(refusal.orderId)}: change the order instead`,
        refusal.free,
      )
    case 'is-voided':
      return new NotRedeemable('id', `redemption ${id} is voided: a new one needs a new id`, refusal.free)
    case 'is-confirmed':
      return new NotRedeemable(
        'id',
        `redemption ${id} was confirmed with another amount: void it and redeem again`,
        refusal.free,
      )
    case 'no-redemption':
      return new NotFound(`redemption ${id} not found`)
    case 'other-content':
      if (command.act === 'void')
        return new InvalidInput(
          'data.points',
          `a part of redemption ${id} was voided for this reason with another amount: use another reason for another part`,
        )
      return new InvalidInput(
        'data.id',
        `redemption ${id} already exists with different content: a new one needs a new id`,
      )
    case 'no-reward':
      return new InvalidInput('data.reward', 'expected a reward of the program in effect')
    case 'more-than-held':
      return new InvalidInput(
        'data.points',
        command.act === 'void' ? 'expected at most its remaining points' : 'expected at most the points held',
      )
    case 'too-many-parts':
      return new InvalidInput(
        'data.points',
        `redemption ${id} is at the limit of ${VOIDED_PARTS_MAX} voided parts: void the rest without points`,
      )
    case 'too-many-points':
      return new InvalidInput(
        points,
        `expected a redemption that leaves the account between -${WHOLE_MAX} and ${WHOLE_MAX} points`,
      )
    default:
      return new InvalidInput(points, describeRedeemRefusal(refusal).error)
  }
}
