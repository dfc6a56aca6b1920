/*
 * The responses of the routes of stored predictions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'
import { PREDICTION_OUTCOMES } from './store.ts'

const { listOf, orNull, text, timestamp, timestampOrNull, whole } = RESPONSE_PARTS
const { after, rangeFields } = SHARED_RESPONSES

export const PREDICTION_LOG_RESPONSES = {
  'GET /api/admin/players/:user_id/predictions': Type.Object(
    {
      predictions: listOf(
        Type.Object(
          {
            order_id: text('order ID'),
            predicted_at: timestamp('time of the prediction'),
            by: text('ID of the token that requested it'),
            points: whole('predicted points'),
            level: text('predicted level'),
            program: whole('program version of the prediction'),
            outcome: Type.Enum([...PREDICTION_OUTCOMES], {
              type: 'string',
              description:
                'not-recorded: the order is not recorded; came-true, differed; not-compared: recorded seconds ago, or under too much load; asked-again: a later prediction counts; recorded-before: for a change of an order recorded earlier',
            }),
            reasons: orNull(Type.String(), 'differences, joined by +, see docs/what-if.md; null: none'),
            recorded_points: orNull(whole('points'), 'recorded points; null: no difference'),
            recorded_level: orNull(Type.String(), 'recorded level after the order; null: no difference'),
            recorded_program: orNull(whole('a version'), 'program version of the recording; null: no difference'),
            recorded_at: timestampOrNull('when the order was first recorded; null: not recorded'),
          },
          { title: 'StoredPrediction', description: 'A prediction for a player, and its outcome' },
        ),
        'by order_id in descending order, and of each the newest first',
      ),
      after,
    },
    { title: 'PredictionPage', description: "A page of a player's stored predictions" },
  ),
  'GET /api/admin/deviations': Type.Object(
    {
      as_of: rangeFields.as_of,
      deviations: listOf(
        Type.Object(
          {
            order_id: text('order ID'),
            user_id: text('player ID; without the scope `support` a handle'),
            recorded_at: timestamp('when the order was first recorded'),
            reasons: text('differences, joined by +; see docs/what-if.md'),
            told_points: whole('points of the last prediction'),
            told_level: text('predicted level'),
            told_program: whole('program version of the prediction'),
            recorded_points: whole('recorded points'),
            recorded_level: text('recorded level after the order'),
            recorded_program: whole('program version of the recording'),
          },
          { title: 'Deviation', description: 'An order that differed from its prediction' },
        ),
        'last recorded first',
      ),
    },
    { title: 'Deviations', description: 'Orders that differed from their predictions' },
  ),
} as const
