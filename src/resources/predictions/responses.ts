/*
 * The responses of the routes of predictions.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, whole, sum, signedSum, exact, messageText } = RESPONSE_PARTS
const { day, dayOrNull, explanationFields, explanation } = SHARED_RESPONSES

const spendable = Type.Object(
  {
    available: signedSum('points that can be spent, including those held'),
    pending: signedSum('points that cannot be spent yet'),
    held: sum('points held'),
  },
  { title: 'PredictedAccount', description: 'An account as of today, without or with the order' },
)

const predictedBalanceResponse = Type.Object(
  {
    before: spendable,
    earns: Type.Object(
      {
        points: whole('points of the order'),
        usable_on: dayOrNull('first date on which they can be spent; null: not known yet'),
        expires_on: dayOrNull('date from which they can no longer be spent; null: they do not expire'),
      },
      { title: 'EarnedPoints', description: 'The points of the order, and when they can be spent' },
    ),
    redeems: Type.Object(
      {
        points: whole('points_redeemed of the order'),
        pays: exact('amount they pay'),
        from: listOf(
          Type.Object(
            {
              points: whole('number of points'),
              expires_on: dayOrNull('date from which they could no longer have been spent; null: they do not expire'),
            },
            { title: 'RedeemedLot', description: 'Points with the same expiry date that the order uses' },
          ),
          'the points used, soonest to expire first',
        ),
      },
      { title: 'RedeemedPoints', description: 'The points the order redeems, by expiry date' },
    ),
    redeemable: orNull(
      Type.Object(
        { most: sum('maximum points the order could redeem'), pays: exact('amount they would pay') },
        { title: 'Redeemable', description: 'Points the order could redeem now' },
      ),
      'points the order could redeem now; null: its program has no redeem',
    ),
    after: spendable,
    next_expiry: orNull(
      Type.Object(
        { points: sum('number of points'), on: day('date from which they can no longer be spent') },
        { title: 'NextExpiryAfter', description: 'The next points to expire, with this order' },
      ),
      'of the points that can be spent with this order, the next to expire; null: none',
    ),
  },
  {
    title: 'PredictedBalance',
    description: 'The effect of the order on the balance. Requires `points` or `redeem` in the program',
  },
)

const withoutLine = Type.Object(
  {
    line: Type.Integer({ minimum: 0, description: 'position of the line, from 0' }),
    total_amount: exact('total_amount without it, in proportion to the line amounts'),
    discount: exact('discount without it, in proportion to the line amounts'),
    points: whole('points of the order without it'),
  },
  { title: 'OrderWithoutLine', description: 'What the order earns if it is sent without a line' },
)

const predictedExplanation = Type.Object(
  {
    ...explanationFields,
    without_lines: Type.Optional(
      listOf(
        withoutLine,
        'the order without each of its lines; absent unless a rule counts the share of net of selected lines, and from 51 lines on',
      ),
    ),
    balance: Type.Optional(predictedBalanceResponse),
  },
  {
    title: 'PredictedExplanation',
    description:
      'Points breakdown of an order: every rule, the rounding, the level, notes, and the effect on the balance',
  },
)

const simulated = {
  version: orNull(whole('version number'), 'program version; null: the text sent'),
  message: messageText,
  total_points: whole('total points of the order'),
}

const simulatedOrder = Type.Object(
  { ...simulated, explanation: predictedExplanation },
  {
    title: 'SimulatedOutcome',
    description: 'Points of an order under the program that applies, and the effect on the balance',
  },
)

const simulatedColumn = Type.Object(
  { ...simulated, explanation },
  {
    title: 'SimulatedColumn',
    description: 'Points of an order under another program; version 0 in its explanation is the text sent',
  },
)

export const PREDICTION_RESPONSES = {
  'POST /api/predictions/orders': Type.Object(
    {
      message: messageText,
      total_points: whole('total points of the order'),
      explanation: Type.Optional(predictedExplanation),
    },
    { title: 'Prediction', description: 'Predicted points of an order, and the level after it' },
  ),
  'POST /api/admin/simulations': Type.Object(
    {
      holds: simulatedOrder,
      compared: orNull(simulatedColumn, 'the same under the program compared with; null: none was sent'),
      left_out: addedField(
        listOf(
          Type.String(),
          'stored fields of the player and the order hidden from rules, as the token does not have the scope `support`',
        ),
      ),
    },
    { title: 'Simulation', description: 'A simulated order. Nothing is stored' },
  ),
} as const
