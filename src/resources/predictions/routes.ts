import { ORDER_WORDS, orderFields } from '../../engine/ingest/order.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { explanationOf } from '../../engine/points/explanation.ts'
import { ANSWERS, type Answer } from '../../server/answers.ts'
import type { Deps } from '../../shared/deps.ts'
import { EXAMPLE_ORDER } from '../../shared/routes/example-records.ts'
import type { Description, Limits, Route } from '../../shared/routes/route.ts'
import { explainBalance } from './explain-balance.ts'
import { predictOrder } from './predict-order.ts'
import { shownBalance } from './shown-balance.ts'

const DESCRIPTION: Description<Answer<'POST /api/predictions/orders'>> = {
  operationId: 'predictOrder',
  tag: 'predictions',
  summary: 'Predict what an order earns, and the level it lifts the player to',
  description:
    'No player, product or order is changed. For an order that is recorded already, the answer is what recording this state would lead to. With `explain=true` the answer includes every rule, the rounding, the level and notes.',
  data: schemaOf(orderFields, ORDER_WORDS),
  example: {
    data: EXAMPLE_ORDER,
    answer: { message: 'You will earn 540 points and be upgraded to Silver.', total_points: 540 },
  },
}

/** Order prediction (specification 4.1; decisions 1 and 20 to 34). POST and QUERY do the same as GET, byte for byte. */
export function predictOrderRoute(deps: Deps, limits: Limits): Route {
  return {
    methods: ['GET', 'POST', 'QUERY'],
    path: '/api/predictions/orders',
    scopes: ['predict'],
    body: { bytesMax: limits.predictionBodyBytesMax, timeoutMs: 30_000, bytesPerSecondMin: 0 },
    flags: ['explain'],
    timeoutMs: limits.predictionTimeoutMs,
    refusal: () => deps.refusalOfPrediction(performance.now() + limits.predictionTimeoutMs),
    headers: { 'accept-query': 'application/json' },
    answer: ANSWERS['POST /api/predictions/orders'],
    described: DESCRIPTION,
    handle: async ({ data, flags, caller, deadlineAt }): Promise<Answer<'POST /api/predictions/orders'>> => {
      const predicted = await predictOrder(deps, data, caller.tokenId, deadlineAt)
      const answer = { message: predicted.message, total_points: Number(predicted.prediction.points) }
      if (!flags.explain) return answer
      const explanation = explanationOf(predicted.prediction)
      const balance = await explainBalance(deps, predicted, deadlineAt)
      return {
        ...answer,
        explanation: balance === undefined ? explanation : { ...explanation, balance: shownBalance(balance) },
      }
    },
  }
}
