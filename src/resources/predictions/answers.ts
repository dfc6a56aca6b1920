/*
 * The answers of the routes of predictions.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, whole, sum, signedSum, exact, messageText } = ANSWER_PARTS
const { day, dayOrNull, explanationFields, explanation } = SHARED_ANSWERS

const spendable = Type.Object(
  {
    available: signedSum('what can be spent, including what is held'),
    pending: signedSum('what cannot be spent yet'),
    held: sum('what of it is held'),
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
        { most: sum('the most that the order could redeem'), pays: exact('what they would pay') },
        { title: 'Redeemable', description: 'What the order could redeem now' },
      ),
      'what the order could redeem now; null: its program has no redeem',
    ),
    after: spendable,
    next_expiry: orNull(
      Type.Object(
        { points: sum('how many points'), on: day('the first day on which they can no longer be spent') },
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
      left_out: addedField(
        listOf(
          Type.String(),
          'what of the player was left out, because the token does not have the scope `support`: rules that read it see nothing',
        ),
      ),
    },
    { title: 'Simulation', description: 'What an order would earn; none of it was kept' },
  ),
} as const
