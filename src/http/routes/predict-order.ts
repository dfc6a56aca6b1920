import { orderFields } from '../../ingest/order.ts'
import { schemaOf } from '../../ingest/record.ts'
import type { Deps } from '../../operations/deps.ts'
import { predictOrder } from '../../operations/predict-order.ts'
import { explanationOf } from '../../points/explanation.ts'
import { Type } from '../../points/json-schema.ts'
import type { Limits, Route } from '../route.ts'
import { ANSWERS, type Answer } from './answers.ts'

/** Order prediction (specification 4.1; decisions 1 and 20 to 34). POST and QUERY do the same as GET, byte for byte. */
export function predictOrderRoute(deps: Deps, limits: Limits): Route {
  const answer = ANSWERS['POST /api/predictions/orders']
  return {
    methods: ['GET', 'POST', 'QUERY'],
    path: '/api/predictions/orders',
    scopes: ['predict'],
    body: { bytesMax: limits.predictionBodyBytesMax, timeoutMs: 30_000, bytesPerSecondMin: 0 },
    flags: ['explain'],
    timeoutMs: limits.predictionTimeoutMs,
    refusal: () => deps.refusalOfPrediction(performance.now() + limits.predictionTimeoutMs),
    headers: { 'accept-query': 'application/json' },
    answer,
    described: {
      summary:
        'Predict what an order earns and which level it lifts the player to; no player, product or order is changed',
      data: schemaOf(orderFields),
      answer: Type.Object({
        ...answer.properties,
        explanation: Type.Optional(
          Type.Object({}, { description: 'with explain=true: every rule, the rounding, the level, notes' }),
        ),
      }),
    },
    handle: async ({ data, flags, caller, deadlineAt }): Promise<Answer<'POST /api/predictions/orders'>> => {
      const { message, prediction } = await predictOrder(deps, data, caller.tokenId, deadlineAt)
      const predicted = { message, total_points: Number(prediction.points) }
      return flags.explain ? { ...predicted, explanation: explanationOf(prediction) } : predicted
    },
  }
}
