/*
 * What recording one order would do. Prediction and recording share it, so that the two cannot differ.
 */
import { windowStart } from '../levels.ts'
import type { Facts, Order, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import { predict } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { programAt } from '../programs.ts'
import type { Moment, UserId } from '../units.ts'
import { fitsWire } from './account.ts'
import { type DecimalsRefusal, refusalOfDecimals } from './decimals.ts'
import { factsFor, referralCase } from './facts.ts'
import { type Posting, postingsFor } from './postings.ts'
import { versionOf } from './recompute.ts'
import { isSameState, refusalOfVersion, type StateRefusal } from './revision.ts'
import type { ForeignOrder } from './snapshot.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** Why an order is not recorded. */
export type OrderRefusal =
  | 'unknown-player'
  | 'other-player'
  | StateRefusal
  | 'no-program'
  | DecimalsRefusal
  /** More than 2^53-1 points for this order, or on an account after it (decision 34). */
  | 'too-many-points'

/** What an order earns, and what recording it posts. `recorded` is the order as it is recorded already. */
export type Evaluation = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: Facts
  published: PublishedProgram
  prediction: Prediction
  postings: readonly Posting[]
}>

/** Evaluates an order and changes nothing. `now` is the moment of a new order that names none. Errors: UnknownVersion. */
export function evaluateOrder(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: Moment,
): Evaluation | { refused: OrderRefusal } {
  const recorded = ledger.order(sent.id)
  if (recorded !== undefined && !isOrderOf(recorded, sent.userId)) return { refused: 'other-player' }
  const { decimals, stateVersion } = sent
  const order = stateOf(sent, recorded?.order, now)
  const published = recorded === undefined ? programAt(programs, order.at) : versionOf(recorded, programs)
  if (published === undefined) return { refused: 'no-program' }
  const refused =
    refusalOfDecimals(decimals, published, programs, now) ??
    (recorded && refusalOfVersion(stateVersion, recorded.stateVersion, () => isSameState(recorded.order, order)))
  if (refused !== undefined) return { refused }
  const levelPoints = levelPointsBefore(order, recorded, published, ledger)
  const facts = factsFor(order, recorded, published, levelPoints, ledger)
  const prediction = predict(order, facts.player, facts.prices, published, {
    levelPoints,
    ...(recorded === undefined ? {} : { recorded: recorded.points }),
    referral: referralCase(order, facts, ledger.account(order.userId).firstOrderId),
  })
  if (!fitsWire(prediction.points) || !fitsWire(prediction.level.levelPoints)) return { refused: 'too-many-points' }
  const postings = postingsFor(order, recorded, prediction, published)
  if (!ledger.canPost(postings)) return { refused: 'too-many-points' }
  return { order, recorded, facts, published, prediction, postings }
}

/** The state that an order comes to as it was sent, beside the recorded one. */
export function stateOf(sent: SentOrder, recorded: Order | undefined, now: Moment): Order {
  const { stateVersion, decimals, ...state } = sent
  const fulfilledAt = sent.fulfilledAt ?? recorded?.fulfilledAt
  return { ...state, at: sent.at ?? recorded?.at ?? now, ...(fulfilledAt === undefined ? {} : { fulfilledAt }) }
}

/** The player's level points at the order's moment, without those of the order itself (decision 30). */
function levelPointsBefore(
  order: Order,
  recorded: RecordedOrder | undefined,
  { program }: PublishedProgram,
  ledger: WorkingLedger,
): bigint {
  const from = windowStart(program.levels.counts, order.at)
  if (from === undefined) return ledger.account(order.userId).levelPoints - (recorded?.points ?? 0n)
  return ledger.levelPointsIn({ userId: order.userId, orderId: order.id, from, to: order.at })
}

/** Whether a known order belongs to this player. */
export function isOrderOf(known: RecordedOrder | ForeignOrder, userId: UserId): known is RecordedOrder {
  return 'facts' in known && known.order.userId === userId
}
