/*
 * What recording an order would do. Shared by prediction and recording, so that the two cannot differ.
 */
import { NO_ATTRIBUTES, withProductAttributes } from '../attributes.ts'
import { windowStart } from '../levels.ts'
import { balanceAsOf } from '../lots/balance.ts'
import {
  ERASED_CODE,
  type EvaluationInputs,
  type Order,
  type OrderContext,
  type Prediction,
  type RecordedOrder,
  type Redemption,
  type SentOrder,
} from '../model.ts'
import { expiryAssignmentsOf } from '../pending-and-expiry.ts'
import { predict } from '../predict.ts'
import type { Program, PublishedProgram } from '../program-model.ts'
import { countsDays, postingDateAt, programAt, readsBalance } from '../programs.ts'
import { redeemedBy } from '../redeem-rules.ts'
import type { Instant, Points, UserId } from '../units.ts'
import { fitsWire } from './account.ts'
import { type CurrencyRefusal, refusalOfCurrency } from './currency-refusal.ts'
import type { RedeemRefusal } from './debits.ts'
import { type DecimalsRefusal, refusalOfDecimals } from './decimals.ts'
import { factsFor, referralCase } from './facts.ts'
import { heldMovements, sumSpent } from './holds.ts'
import { type Posting, postingsFor } from './postings.ts'
import { requireProgramVersion } from './recompute.ts'
import { redeemFor } from './redeem-with-order.ts'
import { type ForeignOrder, toBalanceQuery } from './snapshot.ts'
import { isSameState, refusalOfVersion, type StateRefusal } from './state-versions.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** Why an order is refused. */
export type OrderRefusal =
  | 'unknown-player'
  /** The player was erased, and this is not the end of a recorded order (decision 216). */
  | 'erased'
  | 'other-player'
  | StateRefusal
  | 'no-program'
  | DecimalsRefusal
  | CurrencyRefusal
  /** The order, or an account after it, would exceed 2^53-1 points (decision 20). */
  | 'too-many-points'
  | RedeemRefusal

/** What an order earns, and what recording it posts. `recorded` is the order as already recorded. */
export type Evaluation = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: EvaluationInputs
  published: PublishedProgram
  context: OrderContext
  prediction: Prediction
  postings: readonly Posting[]
  /** The hold that the order uses or releases, and any holds found to have lapsed. */
  redemptions: readonly Redemption[]
}>

/**
 * Evaluates an order without changing the ledger. `now` is the moment of a new order that names none. The facts of a new order include the
 * balance if `needsBalance`: where balances depend on the day, it takes all of the player's movements. Errors: UnknownVersion.
 */
export function evaluateOrder(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: Instant,
  needsBalance: (program: Program) => boolean = readsBalance,
): Evaluation | { refused: OrderRefusal } {
  const recorded = ledger.order(sent.id)
  if (recorded !== undefined && !isOwnOrder(recorded, sent.userId)) return { refused: 'other-player' }
  const { stateVersion } = sent
  const order = mergeOrderState(sent, recorded?.order, now)
  const published = recorded === undefined ? programAt(programs, order.at) : requireProgramVersion(recorded, programs)
  if (published === undefined) return { refused: 'no-program' }
  const refused =
    (recorded && refusalOfVersion(stateVersion, recorded.stateVersion, () => isSameState(recorded.order, order))) ??
    refusalOfDecimals(sent, recorded?.order, published, programs, now) ??
    refusalOfCurrency(sent, recorded?.order, published)
  if (refused !== undefined) return { refused }
  const levelPoints = levelPointsBefore(order, recorded, published, ledger)
  const hasBalance = recorded === undefined && (!countsDays(programs) || needsBalance(published.program))
  const balance = hasBalance ? balanceBefore(order, programs, now, ledger) : undefined
  const facts = factsFor(order, recorded, published, { balance, levelPoints }, ledger)
  const context: OrderContext = {
    levelPoints,
    ...(recorded === undefined ? {} : { recorded: recorded.points }),
    referral: referralCase(order, facts, ledger.account(order.userId).firstOrderId),
    ...(facts.statisticsBy === undefined ? {} : { statisticsBy: facts.statisticsBy }),
  }
  const seen = withProductAttributes(order, facts, published.program)
  const prediction = predict(seen, facts.player, facts.prices, published, context)
  if (!fitsWire(prediction.points) || !fitsWire(prediction.level.levelPoints)) return { refused: 'too-many-points' }
  const redeeming = redeemFor({ order, recorded, facts, published, programs, now }, ledger)
  if ('refused' in redeeming) return redeeming
  const postings = [...postingsFor(order, recorded, prediction, published), ...redeeming.postings]
  if (!ledger.canPost(postings)) return { refused: 'too-many-points' }
  return { order, recorded, facts, published, context, prediction, ...redeeming, postings }
}

/**
 * The full state of an order as sent, completed from the recorded one. Where the owner of its referral code was erased, nobody knows the code any more:
 * any code stands for it.
 */
export function mergeOrderState(sent: SentOrder, recorded: Order | undefined, now: Instant): Order {
  const { stateVersion, decimals, pointsRedeemed: sentPoints, attributes: sentAttributes, ...state } = sent
  const fulfilledAt = sent.fulfilledAt ?? recorded?.fulfilledAt
  const redemptionId = sent.redemptionId ?? recorded?.redemptionId
  const currency = sent.currency ?? recorded?.currency
  const attributes = sentAttributes ?? recorded?.attributes
  const pointsRedeemed = redeemedBy({
    status: sent.status,
    pointsRedeemed: sentPoints ?? (recorded && redeemedBy(recorded)),
  })
  return {
    ...state,
    ...(recorded?.referralCode === ERASED_CODE && state.referralCode !== '' ? { referralCode: ERASED_CODE } : {}),
    at: sent.at ?? recorded?.at ?? now,
    ...(pointsRedeemed === 0n ? {} : { pointsRedeemed }),
    ...(fulfilledAt === undefined ? {} : { fulfilledAt }),
    ...(redemptionId === undefined ? {} : { redemptionId }),
    ...(currency === undefined ? {} : { currency }),
    ...(attributes === undefined || attributes === NO_ATTRIBUTES ? {} : { attributes }),
  }
}

/**
 * The player's balance before a new order: the sum of all entries or, where balances depend on the day, the points available on the day of arrival.
 * Held points are included, so that a hold placed between prediction and recording cannot change the outcome of a rule.
 */
function balanceBefore(
  { userId }: Order,
  programs: readonly PublishedProgram[],
  now: Instant,
  ledger: WorkingLedger,
): Points {
  if (!countsDays(programs)) return ledger.account(userId).points
  if (!ledger.isPlayer(userId)) return 0n
  const { movements, redemptions } = ledger.history(toBalanceQuery(userId))
  const holds = heldMovements(redemptions, now)
  const withHolds = [...movements, ...holds]
  const { available } = balanceAsOf(postingDateAt(programs, now), withHolds, expiryAssignmentsOf(programs))
  return available + sumSpent(holds)
}

/** The player's level points at the order's moment, excluding those of the order itself (decision 30). */
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
export function isOwnOrder(recorded: RecordedOrder | ForeignOrder, userId: UserId): recorded is RecordedOrder {
  return 'facts' in recorded && recorded.order.userId === userId
}
