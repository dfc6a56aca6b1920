/*
 * The answers of the routes of predictions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../shared/routes/answer-parts.ts'
import { SHARED_ANSWERS } from '../../shared/routes/shared-answers.ts'
import { PREDICTION_OUTCOMES } from './store.ts'

const { listOf, orNull, text, moment, momentOrNull, whole, signed, exact, messageText } = ANSWER_PARTS
const { after, day, dayOrNull, explanationFields, explanation, asked } = SHARED_ANSWERS

const spendable = Type.Object(
  {
    available: signed('what can be spent, including what is held'),
    pending: signed('what cannot be spent yet'),
    held: whole('what of it is held'),
  },
  { title: 'PredictedAccount', description: 'An account as of today, without the order or with it' },
)

const predictedBalanceAnswer = Type.Object(
  {
    before: spendable,
    earns: Type.Object(
      {
        points: whole('what the order earns'),
        usable_on: dayOrNull('the first day on which it can be spent; null: not known yet'),
        expires_on: dayOrNull('the first day on which it can no longer be spent; null: it does not expire'),
      },
      { title: 'EarnedPoints', description: 'What the order earns, and when it can be spent' },
    ),
    redeems: Type.Object(
      {
        points: whole('points_redeemed of the order'),
        pays: exact('what they pay'),
        from: listOf(
          Type.Object(
            {
              points: whole('how many points'),
              expires_on: dayOrNull(
                'the first day on which they could no longer have been spent; null: they do not expire',
              ),
            },
            { title: 'RedeemedLot', description: 'Points with the same expiry that the order takes' },
          ),
          'the points that it takes, soonest to expire first',
        ),
      },
      { title: 'RedeemedPoints', description: 'What the order redeems, and from which points' },
    ),
    redeemable: orNull(
      Type.Object(
        { most: whole('the most that the order could redeem'), pays: exact('what they would pay') },
        { title: 'Redeemable', description: 'What the order could redeem now' },
      ),
      'what the order could redeem now; null: its program has no redeem',
    ),
    after: spendable,
    next_expiry: orNull(
      Type.Object(
        { points: whole('how many points'), on: day('the first day on which they can no longer be spent') },
        { title: 'NextExpiryAfter', description: 'The points that expire next, with this order' },
      ),
      'of what can be spent with this order, what expires next; null: nothing does',
    ),
  },
  {
    title: 'PredictedBalance',
    description: 'What the order does to the balance; only where a program has points or redeem',
  },
)

const predictedExplanation = Type.Object(
  { ...explanationFields, balance: Type.Optional(predictedBalanceAnswer) },
  {
    title: 'PredictedExplanation',
    description:
      'What an order earns, and why: every rule, the rounding, the level, notes, and what it does to the balance',
  },
)

const simulated = {
  version: orNull(whole('the number of the version'), 'the version of the program; null: the text that was sent'),
  message: messageText,
  total_points: whole('what the order would earn in all'),
}

const simulatedOrder = Type.Object(
  { ...simulated, explanation: predictedExplanation },
  {
    title: 'SimulatedOutcome',
    description: 'What an order would earn under the program that applies, and what it would do to the balance',
  },
)

const simulatedColumn = Type.Object(
  { ...simulated, explanation },
  {
    title: 'SimulatedColumn',
    description:
      'What an order would earn under another program; version 0 in its explanation stands for the text that was sent',
  },
)

export const PREDICTION_ANSWERS = {
  'POST /api/predictions/orders': Type.Object(
    {
      message: messageText,
      total_points: whole('what the order earns in all'),
      explanation: Type.Optional(predictedExplanation),
    },
    { title: 'Prediction', description: 'What an order will earn, and the level held after it' },
  ),
  'POST /api/admin/simulations': Type.Object(
    {
      holds: simulatedOrder,
      compared: orNull(simulatedColumn, 'the same under the program it was compared with; null: none was named'),
    },
    { title: 'Simulation', description: 'What an order would earn; none of it was kept' },
  ),
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
            user_id: text('the key of the player; masked where it looks like contact data'),
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
