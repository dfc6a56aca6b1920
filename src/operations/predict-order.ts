import { InvalidInput } from '../errors.ts'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import { messageFor } from '../points/message.ts'
import type { Order, Prediction } from '../points/model.ts'
import { predict } from '../points/predict.ts'
import { programAt } from '../points/programs.ts'
import type { Deps } from './deps.ts'

export type PredictedOrder = Readonly<{ message: string; prediction: Prediction }>

/**
 * The story of a prediction: what an order would earn, and which level it lifts the player to. Nothing that a later answer depends on
 * is written (decision 28); what is answered is noted for statistics. `by` is the id of the caller's token.
 *
 * Errors  InvalidInput for an order that cannot be read or earns more than 2^53-1 points (decision 34);
 *         Unavailable when the store does not answer by `deadlineAt` (milliseconds of `performance.now()`)
 */
export async function predictOrder(deps: Deps, data: unknown, by: string, deadlineAt: number): Promise<PredictedOrder> {
  const startedAt = performance.now()
  const order = deps.readOrder(data, 'data', deps.now())
  const published = programAt(deps.programs(), order.at)
  if (published === undefined)
    throw new InvalidInput('data.ordered_at', `expected a moment at which a program holds, got "${order.at}"`)
  const { player, catalogue } = await deps.findInputs({ userId: order.userId, skus: skusOf(order) }, deadlineAt)
  const prediction = predict(order, player, catalogue, published)
  if (prediction.points > WHOLE_MAX) {
    throw new InvalidInput(
      'data.total_amount',
      `expected an order that earns at most ${WHOLE_MAX} points, this one would earn ${prediction.points}`,
    )
  }
  const durationMs = performance.now() - startedAt
  deps.observe({ kind: 'order-predicted', durationMs })
  deps.predictions.keep({ tokenId: by, order, player, prices: catalogue, prediction, durationMs })
  return { message: messageFor(prediction, published.program.messages), prediction }
}

function skusOf(order: Order): string[] {
  return order.lines.flatMap(({ sku }) => sku ?? [])
}
