import { type PredictedBalance, predictedBalance } from '../../engine/points/ledger/predicted-balance.ts'
import { historyKey } from '../../engine/points/ledger/snapshot.ts'
import { countsDays } from '../../engine/points/programs.ts'
import type { Deps } from '../../shared/deps.ts'
import type { PredictedOrder } from './predict-order.ts'

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
  const found = await deps.findHistories(predicted.recorded === undefined ? [all] : [all, beside], deadlineAt)
  const [whole, without] = [all, beside].map((question) => found.get(historyKey(question)))
  return predictedBalance(predicted, { complete: whole!, withoutOrder: without ?? whole! }, programs, predicted.asOf)
}
