import type { Deps } from '../../deps.ts'
import { readOrder } from '../../engine/ingest/order.ts'
import type { Evaluation } from '../../engine/points/ledger/evaluate-order.ts'
import { type PredictedBalance, predictedBalance } from '../../engine/points/ledger/predicted-balance.ts'
import { historyKey } from '../../engine/points/ledger/snapshot.ts'
import { messageFor } from '../../engine/points/message.ts'
import type { Player } from '../../engine/points/model.ts'
import { unknownProductsIn } from '../../engine/points/predict.ts'
import { countsDays } from '../../engine/points/programs.ts'
import type { Instant } from '../../engine/points/units.ts'
import { previewSent } from '../../ledger/preview-sent.ts'
import { type OrderQuery, toOrderQuery } from '../../ledger/snapshots.ts'

/** What was computed as of a moment, with the message for people. */
export type PredictedOrder = Evaluation & Readonly<{ message: string; asOf: Instant }>

/**
 * Predicts what an order would earn, and which level the player would reach. Runs the same computation as recording the order, and writes
 * nothing that a later answer depends on (decisions 23 and 30); the response is kept for statistics. `data` is unvalidated input, `by` is the
 * id of the caller's token.
 *
 * Errors  InvalidInput for an order that cannot be read, is another player's, or earns more than 2^53-1 points (decision 20);
 *         Unavailable if the database does not answer by `deadlineAt` (milliseconds of `performance.now()`)
 */
export async function predictOrder(deps: Deps, data: unknown, by: string, deadlineAt: number): Promise<PredictedOrder> {
  const startedAt = performance.now()
  const now = deps.now()
  const sent = readOrder(data, 'data', now)
  const snapshot = await deps.findInputs(toOrderQuery(sent, deps.programs(), now.toISOString()), deadlineAt)
  // Programs are read after the inputs: a recorded order among them may have been computed under a version published in between.
  const orderToPreview = { sent, snapshot, programs: deps.programs(), at: now.toISOString() }
  const evaluation = await previewSent(deps, orderToPreview, 'data', deadlineAt)
  const { order, prediction, published, facts } = evaluation
  const durationMs = performance.now() - startedAt
  deps.observe({ kind: 'order-predicted', durationMs })
  // An order keeps the facts of its first recording, but the points that count for the level are current (decision 30).
  const player: Player = { ...facts.player, levelPoints: prediction.level.levelPoints - prediction.points }
  deps.activity.countUnknownProducts(unknownProductsIn(order, facts.prices))
  const { prices, attributes } = facts
  deps.predictions.keep({ tokenId: by, order, player, prices, attributes, prediction, durationMs })
  return { ...evaluation, message: messageFor(prediction, published.program.messages), asOf: orderToPreview.at }
}

/** What a prediction of the order in `dataIn` asks for; undefined if that is no order. `dataIn` may throw. */
export function readPredictionQuery(
  deps: Pick<Deps, 'now' | 'programs'>,
  dataIn: () => unknown,
): OrderQuery | undefined {
  const now = deps.now()
  try {
    return toOrderQuery(readOrder(dataIn(), 'data', now), deps.programs(), now.toISOString())
  } catch {
    // Whoever answers the request finds that again, and says so.
    return undefined
  }
}

/** What a predicted order would do to its player's balance; undefined if balances do not depend on days. Errors: Unavailable. */
export async function explainBalance(
  deps: Pick<Deps, 'programs' | 'findHistories'>,
  predicted: Omit<PredictedOrder, 'message'>,
  deadlineAt: number,
): Promise<PredictedBalance | undefined> {
  const programs = deps.programs()
  if (!countsDays(programs)) return undefined
  const { id: orderId, userId, redemptionId = '' } = predicted.order
  const beside = { userId, orderId, redemptionId }
  const all = { ...beside, orderId: '' }
  const histories = await deps.findHistories(predicted.recorded === undefined ? [all] : [all, beside], deadlineAt)
  const [whole, without] = [all, beside].map((query) => histories.get(historyKey(query)))
  return predictedBalance(predicted, { complete: whole!, withoutOrder: without ?? whole! }, programs, predicted.asOf)
}
