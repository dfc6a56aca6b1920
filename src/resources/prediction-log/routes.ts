/*
 * Predictions that are kept, and compared with what was recorded.
 */
import type { Deps } from '../../deps.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { viewOf } from '../../routing/masking.ts'
import type { Description, Route } from '../../routing/route.ts'
import { PREDICTION_LOG_RESPONSES } from './responses.ts'
import { listLastDiffered, listPlayerPredictions } from './service.ts'

const AS_OF = '2026-06-01T12:00:00.000Z'

const KEPT = {
  predictions: {
    operationId: 'listPlayerPredictions',
    tag: 'players',
    summary: "List a player's predictions and their outcomes",
    description: 'The stored predictions (docs/what-if.md), by order ID in descending order, paginated.',
    example: { response: { predictions: [], after: null } },
  },
  deviations: {
    operationId: 'listDeviations',
    tag: 'statistics',
    summary: 'List the latest orders that differed from their predictions',
    description: 'By first recording, newest first: examples for the statistics of predictions.',
    example: { response: { as_of: AS_OF, deviations: [] } },
  },
} as const satisfies Record<string, Description>

/** What was predicted for a player, and what became of it. */
export function playerPredictionsRoute(deps: Deps): Route {
  return adminRoute(
    PREDICTION_LOG_RESPONSES,
    'GET /api/admin/players/:user_id/predictions',
    ['read'],
    { texts: ['after', 'limit'], rows: 'predictions', described: KEPT.predictions },
    async ({ params, texts, deadlineAt }) => {
      const { rows, after } = await listPlayerPredictions(deps, deps.handles.idIn(params.user_id!), texts, deadlineAt)
      return { predictions: rows.map(({ prediction_id: _, ...prediction }) => prediction), after }
    },
  )
}

/** The orders that came out differently from their predictions. */
export function predictionDifferencesRoute(deps: Deps): Route {
  return adminRoute(
    PREDICTION_LOG_RESPONSES,
    'GET /api/admin/deviations',
    ['read'],
    { texts: ['limit'], rows: 'deviations', described: KEPT.deviations },
    async ({ texts, caller, deadlineAt }) => {
      const view = viewOf(caller, deps.handles)
      const differed = await listLastDiffered(deps, texts.limit, deadlineAt)
      return {
        as_of: deps.now().toISOString(),
        deviations: differed.map((one) => ({ ...one, user_id: view.id(one.user_id) })),
      }
    },
  )
}
