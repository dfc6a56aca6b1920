/*
 * The answers of the routes of stored predictions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'
import { PREDICTION_OUTCOMES } from './store.ts'

const { listOf, orNull, text, moment, momentOrNull, whole } = ANSWER_PARTS
const { after, asked } = SHARED_ANSWERS

export const PREDICTION_LOG_ANSWERS = {
  'GET /api/admin/players/:user_id/predictions': Type.Object(
    {
      predictions: listOf(
        Type.Object(
          {
            order_id: text('the key of the order that was asked about'),
            predicted_at: moment('when'),
            by: text('the id of the token that asked'),
            points: whole('what was predicted'),
            level: text('the level that was predicted'),
            program: whole('the version that it was predicted under'),
            outcome: Type.Enum([...PREDICTION_OUTCOMES], {
              type: 'string',
              description:
                'not-recorded: no such order has been; came-true, differed; not-compared: it was recorded seconds ago, or under too much load; asked-again: a later prediction counts; recorded-before: about a change to an order recorded earlier',
            }),
            reasons: orNull(Type.String(), 'what differed, + between, see docs/operating.md; null: nothing did'),
            recorded_points: orNull(whole('points'), 'what was recorded instead; null: nothing differed'),
            recorded_level: orNull(Type.String(), 'the level after it; null: nothing differed'),
            recorded_program: orNull(
              whole('a version'),
              'the version that it was recorded under; null: nothing differed',
            ),
            recorded_at: momentOrNull('when the order was first recorded; null: it is not'),
          },
          { title: 'StoredPrediction', description: 'What was predicted for a player, and what became of it' },
        ),
        'by order_id, the last one first, and of each the newest first',
      ),
      after,
    },
    { title: 'PredictionPage', description: 'A page of the stored predictions of a player' },
  ),
  'GET /api/admin/deviations': Type.Object(
    {
      as_of: asked.as_of,
      deviations: listOf(
        Type.Object(
          {
            order_id: text('the key of the order'),
            user_id: text('the key of the player; without the scope `support` a handle'),
            recorded_at: moment('when the order was first recorded'),
            reasons: text('what differed, + between; see docs/operating.md'),
            told_points: whole('the last prediction'),
            told_level: text('the level that was predicted'),
            told_program: whole('the version that it was predicted under'),
            recorded_points: whole('what was recorded'),
            recorded_level: text('the level after it'),
            recorded_program: whole('the version that it was recorded under'),
          },
          { title: 'Deviation', description: 'An order that came out differently from its prediction' },
        ),
        'the last recorded first',
      ),
    },
    { title: 'Deviations', description: 'Orders that came out differently from their predictions' },
  ),
} as const
