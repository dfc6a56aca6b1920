/*
 * Predictions: asked for, and tried out.
 */
import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { ORDER_WORDS, orderFields } from '../../engine/ingest/order.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { withoutEachLine } from '../../engine/points/without-lines.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { type Limits, predictionBody } from '../../routing/body-limits.ts'
import { EXAMPLE_ORDER } from '../../routing/example-records.ts'
import type { Description, Route } from '../../routing/route.ts'
import { explainBalance, predictOrder, readPredictionQuery } from './predict-order.ts'
import { PREDICTION_RESPONSES } from './responses.ts'
import { shownExplanation } from './shown-explanation.ts'
import { SIMULATION_WORDS, simulationFields } from './simulate-order.ts'
import { createSimulations } from './simulations.ts'

const DESCRIPTION: Description<Static<(typeof PREDICTION_RESPONSES)['POST /api/predictions/orders']>> = {
  operationId: 'predictOrder',
  tag: 'predictions',
  summary: "Predict the points of an order, and the player's level after it",
  description:
    'No player, product or order is changed. For a recorded order, the response is the result of recording this state. With `explain=true`, it includes every rule, the rounding, the level and notes.',
  data: schemaOf(orderFields, ORDER_WORDS),
  example: {
    data: EXAMPLE_ORDER,
    response: { message: 'You will earn 540 points and be upgraded to Silver.', total_points: 540 },
  },
}

/** Order prediction (specification 4.1; decisions 1, 20, 21, 23, 29, 30 and 31). POST and QUERY do the same as GET, byte for byte. */
export function predictOrderRoute(deps: Deps, limits: Limits): Route {
  return {
    methods: ['GET', 'POST', 'QUERY'],
    path: '/api/predictions/orders',
    scopes: ['predict'],
    body: predictionBody(limits),
    flags: ['explain'],
    timeoutMs: limits.predictionTimeoutMs,
    isDirect: true,
    refusal: (dataIn) =>
      deps.refusalOfPrediction(
        performance.now() + limits.predictionTimeoutMs,
        dataIn && (() => readPredictionQuery(deps, dataIn)),
      ),
    headers: { 'accept-query': 'application/json' },
    response: PREDICTION_RESPONSES['POST /api/predictions/orders'],
    described: DESCRIPTION,
    handle: async ({
      data,
      flags,
      caller,
      deadlineAt,
    }): Promise<Static<(typeof PREDICTION_RESPONSES)['POST /api/predictions/orders']>> => {
      const predicted = await predictOrder(deps, data, caller.tokenId, deadlineAt)
      const response = { message: predicted.message, total_points: Number(predicted.prediction.points) }
      if (!flags.explain) return response
      const balance = await explainBalance(deps, predicted, deadlineAt)
      return { ...response, explanation: shownExplanation(predicted.prediction, withoutEachLine(predicted), balance) }
    },
  }
}

type Simulation = Static<(typeof PREDICTION_RESPONSES)['POST /api/admin/simulations']>

const SIMULATION: Description<Simulation> = {
  operationId: 'simulateOrder',
  tag: 'predictions',
  summary: 'Simulate an order',
  description:
    'The response is that of a prediction with `explain=true`, under the program that applies, with the effect on the balance if the program has `points` or `redeem`. With `under_version` or `under_source`, a second column has the same under that program. Nothing is stored, and simulations do not count as predictions. Without the scope `support`, the birth date, the region, the attributes and the group of a stored player, and the stored attributes of an order and its lines, are hidden; a [check](#tag/programs) tests such rules on made-up players.',
  data: schemaOf(simulationFields, SIMULATION_WORDS),
  example: {
    data: { order: { user_id: 'u-1', total_amount: '50' } },
    response: {
      holds: {
        version: 1,
        message: 'You will earn 5 points and stay at Silver.',
        total_points: 5,
        explanation: {
          earned: [{ rule: 'base', points: '5', because: { net: '50', points: '1', every: '10' } }],
          not_applied: [],
          rounding: '0',
          level: {
            before: 'Silver',
            after: 'Silver',
            upgraded: false,
            counted: 795,
            next: { name: 'Gold', missing: 1_205 },
          },
          notes: [],
          program: { version: 1, name: 'Starter' },
          balance: {
            before: { available: 690, pending: 0, held: 0 },
            earns: { points: 5, usable_on: '2026-06-01', expires_on: null },
            redeems: { points: 0, pays: '0.00', from: [] },
            redeemable: { most: 690, pays: '6.90' },
            after: { available: 695, pending: 0, held: 0 },
            next_expiry: null,
          },
        },
      },
      compared: null,
      left_out: [],
    },
  },
}

/** Hypothetical orders (docs/api.md). */
export function adminSimulationRoutes(deps: Deps): Route[] {
  const simulate = createSimulations(deps)
  const { assertHasRoom } = deps.sideQueue
  return [
    adminRoute(
      PREDICTION_RESPONSES,
      'POST /api/admin/simulations',
      ['read'],
      { described: SIMULATION, assertHasRoom },
      simulate,
    ),
  ]
}
