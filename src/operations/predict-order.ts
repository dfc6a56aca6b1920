import { readOrder } from '../ingest/order.ts'
import type { Evaluation } from '../points/ledger/evaluate.ts'
import { messageFor } from '../points/message.ts'
import type { Player } from '../points/model.ts'
import { unknownProductsIn } from '../points/predict.ts'
import { countsDays } from '../points/programs.ts'
import type { Moment } from '../points/units.ts'
import { questionFor } from '../store/snapshots.ts'
import type { Deps } from './deps.ts'
import { previewSent } from './ledger/preview-sent.ts'

/** The sentence for people, and what was computed as of a moment. */
export type PredictedOrder = Evaluation & Readonly<{ message: string; asOf: Moment }>

/**
 * Predicts what an order would earn, and which level it lifts the player to. It computes what recording the order would come to, and
 * writes nothing that a later answer depends on (decisions 28 and 30); what is answered is noted for statistics. `data` is as it was
 * sent, `by` is the id of the caller's token.
 *
 * Errors  InvalidInput for an order that cannot be read, is another player's, or earns more than 2^53-1 points (decision 34);
 *         Unavailable when the store does not answer by `deadlineAt` (milliseconds of `performance.now()`)
 */
export async function predictOrder(deps: Deps, data: unknown, by: string, deadlineAt: number): Promise<PredictedOrder> {
  const startedAt = performance.now()
  const now = deps.now()
  const sent = readOrder(data, 'data', now)
  const question = { ...questionFor(sent), needsBalance: countsDays(deps.programs()) }
  const snapshot = await deps.findInputs(question, deadlineAt)
  // Programs are read after the inputs: an order among these may be of a version that was not known before.
  const asked = { sent, snapshot, programs: deps.programs(), at: now.toISOString() }
  const evaluation = await previewSent(deps, asked, 'data', deadlineAt)
  const { order, prediction, published, facts } = evaluation
  const durationMs = performance.now() - startedAt
  deps.observe({ kind: 'order-predicted', durationMs })
  // An order keeps the facts of its first recording; what counts for the level goes on (decision 30).
  const player: Player = { ...facts.player, levelPoints: prediction.level.levelPoints - prediction.points }
  deps.activity.countUnknownProducts(unknownProductsIn(prediction.notes))
  deps.predictions.keep({ tokenId: by, order, player, prices: facts.prices, prediction, durationMs })
  return { ...evaluation, message: messageFor(prediction, published.program.messages), asOf: asked.at }
}
