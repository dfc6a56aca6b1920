/*
 * What recording one order would do. Prediction and recording share it, so that the two cannot differ.
 */
import { WHOLE_MAX } from '../arithmetic.ts'
import { windowStart } from '../levels.ts'
import type { Facts, Order, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import { predict } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { programAt } from '../programs.ts'
import { fitsWire } from './account.ts'
import { factsFor, referralCase } from './facts.ts'
import { type Posting, postingsFor } from './postings.ts'
import { versionOf } from './recompute.ts'
import type { WorkingLedger } from './working-ledger.ts'

/** Why an order is not recorded. */
export type OrderRefusal =
  | 'unknown-player'
  | 'other-player'
  | 'no-program'
  /** More than 2^53-1 points for this order, or on an account after it (decision 34). */
  | 'too-many-points'

/** What an order earns, and what recording it posts. `recorded` is what is recorded of it already. */
export type Evaluation = Readonly<{
  order: Order
  recorded: RecordedOrder | undefined
  facts: Facts
  published: PublishedProgram
  prediction: Prediction
  postings: readonly Posting[]
}>

/** Evaluates an order; `now` is its moment where neither it nor what is recorded of it names one. Errors: UnknownVersion. */
export function evaluateOrder(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: string,
): Evaluation | { refused: OrderRefusal } {
  const known = ledger.order(sent.id)
  const recorded = known !== undefined && 'facts' in known && known.order.userId === sent.userId ? known : undefined
  if (known !== undefined && recorded === undefined) return { refused: 'other-player' }
  const order: Order = { ...sent, at: sent.at ?? recorded?.order.at ?? now }
  const published = recorded === undefined ? programAt(programs, order.at) : versionOf(recorded, programs)
  if (published === undefined) return { refused: 'no-program' }
  const levelPoints = levelPointsBefore(order, recorded, published, ledger)
  const facts = factsFor(order, recorded, published, levelPoints, ledger)
  const prediction = predict(order, facts.player, facts.prices, published, {
    levelPoints,
    ...(recorded === undefined ? {} : { recorded: recorded.points }),
    referral: referralCase(order, facts, ledger.account(order.userId).firstOrderId),
  })
  if (prediction.points > WHOLE_MAX || !fitsWire(prediction.level.levelPoints)) return { refused: 'too-many-points' }
  const postings = postingsFor(order, recorded, prediction, published)
  if (!ledger.canPost(postings)) return { refused: 'too-many-points' }
  return { order, recorded, facts, published, prediction, postings }
}

/** The points that count at the order's moment, without those of the order itself (decision 30). */
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
