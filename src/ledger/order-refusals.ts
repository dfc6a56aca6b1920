import type { RejectionReason } from '../engine/ingest/batch.ts'
import { FEWER_DECIMALS, tooManyDecimals } from '../engine/ingest/order.ts'
import { expected, shortened } from '../engine/ingest/shown.ts'
import { WHOLE_MAX } from '../engine/points/arithmetic.ts'
import type { CurrencyRefusal } from '../engine/points/ledger/currency-refusal.ts'
import type { NotEnough, RedeemRefusal } from '../engine/points/ledger/debits.ts'
import type { OrderRefusal } from '../engine/points/ledger/evaluate-order.ts'
import type { StateRefusal } from '../engine/points/ledger/state-versions.ts'
import type { SentOrder } from '../engine/points/model.ts'
import type { UserId } from '../engine/points/units.ts'

/** A field in the wire's spelling, and a sentence that says what is wrong with it and what to do. `hidesKey`: the record's key is not repeated. */
export type FieldIssue = Readonly<{ field: string; error: string; hidesKey?: true }> & RejectionReason

/** Why a state was refused because of its version (decision 71); `field` is the wire's name for the version. */
export function describeStateRefusal(refusal: StateRefusal, field: 'state_version' | 'State_version'): FieldIssue {
  const error =
    refusal === 'stale'
      ? 'a newer version is already stored'
      : 'this version is stored with other content: increase it with each change'
  return { field, error, verdict: refusal }
}

/** The issue of a record of or for a player who was erased (decision 216); `field` is the wire's name for the player's id. */
export function erasedPlayer(field: 'user_id' | 'User_id'): FieldIssue {
  return {
    field,
    error: 'the player was erased: a player record with rejoin true opens the ID again',
    verdict: 'erased',
  }
}

/** The issue of a record for a player who is not there. */
export function unknownPlayer(userId: UserId): FieldIssue {
  return {
    field: 'user_id',
    error: `player ${shortened(userId)} not found: send players first`,
    kind: 'unknown player',
  }
}

/** The field of an order that a refusal is about, and a sentence that says what to do. */
export function describeRefusal(order: SentOrder, refusal: OrderRefusal): FieldIssue {
  if (typeof refusal !== 'string') {
    const { kind } = refusal
    return kind === 'currency' || kind === 'other-currency'
      ? describeCurrencyRefusal(order, refusal as CurrencyRefusal)
      : describeRedeemRefusal(refusal as RedeemRefusal)
  }
  switch (refusal) {
    case 'erased':
      return erasedPlayer('user_id')
    case 'unknown-player':
      return unknownPlayer(order.userId)
    case 'other-player':
      return {
        field: 'order_id',
        error: `order ${shortened(order.id)} belongs to another player`,
        kind: 'of another player',
      }
    case 'stale':
    case 'conflict':
      return describeStateRefusal(refusal, 'state_version')
    case 'no-program':
      return { field: 'ordered_at', ...expected('a timestamp at which a program is in effect', `"${order.at}"`) }
    case 'total-decimals':
      return {
        field: 'total_amount',
        error: tooManyDecimals(order.total, order.decimals?.total),
        kind: FEWER_DECIMALS,
      }
    case 'discount-decimals':
      return {
        field: 'discount',
        error: tooManyDecimals(order.discount, order.decimals?.discount),
        kind: FEWER_DECIMALS,
      }
    case 'too-many-points':
      return {
        field: 'total_amount',
        ...expected(`an order that earns at most ${WHOLE_MAX} points, and leaves no account with more`),
      }
    default:
      return refusal satisfies never
  }
}

function describeCurrencyRefusal({ currency }: SentOrder, { kind, accepted }: CurrencyRefusal): FieldIssue {
  const error =
    kind === 'currency'
      ? `expected ${accepted.join(' or ')}, got ${currency}: publish a program with a rate for it in money.rates`
      : `expected ${accepted[0]}, the currency of the recorded order, got ${currency}: send an order in another currency under its own ID`
  return { field: 'currency', error, verdict: 'currency' }
}

/** Why points were not redeemed, with the field of the order; the same sentences serve redemptions without an order. */
export function describeRedeemRefusal(refusal: RedeemRefusal): FieldIssue {
  const field = 'points_redeemed'
  switch (refusal.kind) {
    case 'no-redeem':
      return { field, ...expected('no points: the program has no redeem') }
    case 'step':
      return { field, ...expected(`a multiple of ${refusal.step} points`) }
    case 'least':
      return { field, ...expected(`at least ${refusal.least} points`) }
    case 'at-most':
      return { field, ...expected(`at most ${refusal.most} points, the program's limit for this order`) }
    case 'worth':
      return { field, ...expected(`at most ${refusal.most} points, the value of the order`) }
    case 'when': {
      const issue = expected(`no points: the order does not meet the condition ${refusal.source}`)
      // A condition that quotes a text is counted with the others.
      return { field, ...issue, kind: refusal.source.includes('"') ? 'other' : issue.kind }
    }
    case 'not-enough':
      return { field, error: notEnough(refusal), verdict: 'insufficient-points' }
    case 'hold':
      return {
        field: 'redemption_id',
        error: `redemption ${shortened(refusal.id)} ${HOLD_REFUSALS[refusal.why]}`,
        kind: 'other',
      }
    default:
      return refusal satisfies never
  }
}

const HOLD_REFUSALS = {
  unknown: 'not found: place a hold first, or omit redemption_id',
  'of-another-order': 'is for another order',
  spent: 'was spent without an order',
  voided: 'is voided: place a new hold, or omit redemption_id',
  changed: 'does not pay this order',
} as const

/** Says how many points can be redeemed now, and why not more. */
export function notEnough(refusal: NotEnough): string {
  const { most, available, held, why } = refusal
  const has = held > 0n ? `${available} are available, ${held} of them held` : `${available} are available`
  return `expected at most ${most} points: ${why === undefined ? has : `${REASONS[why]}; ${has} for an order placed today`}`
}

const REASONS = {
  'expired-since': 'others of the order date have expired',
  'fewer-on-a-day': 'fewer were available on a date since the order date',
} as const
