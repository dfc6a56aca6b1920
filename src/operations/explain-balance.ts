import type { Evaluation } from '../points/ledger/evaluate.ts'
import { type PredictedBalance, predictedBalance } from '../points/ledger/predicted-balance.ts'
import { historyKey } from '../points/ledger/snapshot.ts'
import { countsDays } from '../points/programs.ts'
import type { Deps } from './deps.ts'

/** What a predicted order would do to its player's balance; undefined where points know no days and cannot be spent. Errors: Unavailable. */
export async function explainBalance(
  deps: Pick<Deps, 'now' | 'programs' | 'findHistories'>,
  predicted: Pick<Evaluation, 'order' | 'prediction' | 'published' | 'facts'>,
  deadlineAt: number,
): Promise<PredictedBalance | undefined> {
  const programs = deps.programs()
  if (!countsDays(programs)) return undefined
  const { id: orderId, userId, redemptionId = '' } = predicted.order
  const question = { userId, orderId, redemptionId }
  const history = (await deps.findHistories([question], deadlineAt)).get(historyKey(question))!
  return predictedBalance(predicted, history, programs, deps.now().toISOString())
}
