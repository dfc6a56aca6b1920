/*
 * What recording one order would do. Prediction and recording share it, so that the two cannot differ.
 */
import { windowStart } from '../levels.ts'
import { balanceAsOf, lateEndsOf } from '../lots.ts'
import type { Facts, Order, Prediction, RecordedOrder, Redemption, SentOrder } from '../model.ts'
import { predict } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { bookedDayAt, countsDays, programAt } from '../programs.ts'
import type { Moment, Points, UserId } from '../units.ts'
import { fitsWire } from './account.ts'
import type { RedeemRefusal } from './debits.ts'
import { type DecimalsRefusal, refusalOfDecimals } from './decimals.ts'
import { factsFor, referralCase } from './facts.ts'
import { heldMovements, sumSpent } from './holds.ts'
import { type Posting, postingsFor } from './postings.ts'
import { versionOf } from './recompute.ts'
import { redeemFor } from './redeem-with-order.ts'
import { isSameState, refusalOfVersion, type StateRefusal } from './revision.ts'
import { balanceQuestion, type ForeignOrder } from './snapshot.ts'
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
  | RedeemRefusal

/** What an order earns, and what recording it posts. `recorded` is the order as it is recorded already. */
export type Evaluation = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: Facts
  published: PublishedProgram
  prediction: Prediction
  postings: readonly Posting[]
  /** The hold that the order uses or leaves, and those that it finds lapsed. */
  redemptions: readonly Redemption[]
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
  const balance = recorded === undefined ? balanceBefore(order, programs, now, ledger) : 0n
  const facts = factsFor(order, recorded, published, { balance, levelPoints }, ledger)
  const prediction = predict(order, facts.player, facts.prices, published, {
    levelPoints,
    ...(recorded === undefined ? {} : { recorded: recorded.points }),
    referral: referralCase(order, facts, ledger.account(order.userId).firstOrderId),
  })
  if (!fitsWire(prediction.points) || !fitsWire(prediction.level.levelPoints)) return { refused: 'too-many-points' }
  const redeeming = redeemFor({ order, recorded, facts, published, programs, now }, ledger)
  if ('refused' in redeeming) return redeeming
  const postings = [...postingsFor(order, recorded, prediction, published), ...redeeming.postings]
  if (!ledger.canPost(postings)) return { refused: 'too-many-points' }
  return { order, recorded, facts, published, prediction, ...redeeming, postings }
}

/** The state that an order comes to as it was sent, beside the recorded one. */
export function stateOf(sent: SentOrder, recorded: Order | undefined, now: Moment): Order {
  const { stateVersion, decimals, ...state } = sent
  const fulfilledAt = sent.fulfilledAt ?? recorded?.fulfilledAt
  const redemptionId = sent.redemptionId ?? recorded?.redemptionId
  return {
    ...state,
    at: sent.at ?? recorded?.at ?? now,
    ...(fulfilledAt === undefined ? {} : { fulfilledAt }),
    ...(redemptionId === undefined ? {} : { redemptionId }),
  }
}

/**
 * What the player had before a new order: the booked balance, or where points know days what is available on the day of arrival. What is held counts,
 * so that a hold between prediction and recording changes no rule.
 */
function balanceBefore(
  { userId }: Order,
  programs: readonly PublishedProgram[],
  now: Moment,
  ledger: WorkingLedger,
): Points {
  if (!countsDays(programs)) return ledger.account(userId).points
  if (!ledger.isPlayer(userId)) return 0n
  const { movements, redemptions } = ledger.history(balanceQuestion(userId))
  const holds = heldMovements(redemptions, now)
  const known = [...movements, ...holds]
  const { available } = balanceAsOf(bookedDayAt(programs, now), known, lateEndsOf(programs))
  return available + sumSpent(holds)
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
