/*
 * The answers of the routes of orders.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { REVISION_CHANGES } from '../../engine/points/model.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, text, moment, whole, signed, exact } = ANSWER_PARTS
const { rev, stateVersion, after, explanation, orderUpsertSummary } = SHARED_ANSWERS

const order = {
  order_id: text('the key of the order'),
  user_id: text('the key of the player; without the scope `support` a handle'),
  status: text('placed, cancelled or returned'),
  ordered_at: moment('when the order was placed'),
  total: exact('the amount of the order'),
  discount: exact('the discount'),
  qty: orNull(exact('the quantity of all lines'), 'the quantity of all lines, exact; null: it was not sent'),
  line_count: whole('how many product lines the order has'),
  referral_code: text('the code with which the customer ordered, or empty; masked like user_id'),
  subscript_points: Type.Boolean({ description: 'as the shop sent it' }),
  points: signed('what the order gives now'),
  referrer_id: orNull(Type.String(), 'the player who gets points for it; masked like user_id; null: none'),
  referrer_points: signed('what the order gives the referrer now'),
  program: whole('the version of the program at its first recording'),
  rev,
  state_version: stateVersion,
  recorded_at: moment('when the order was first recorded'),
  updated_at: moment('when the order was last recorded'),
}

const line = Type.Object(
  {
    sku: Type.Optional(text('the product')),
    amount: Type.Optional(exact('what the whole line costs; absent: the price in the catalogue times qty')),
    qty: exact('the quantity'),
  },
  { title: 'RecordedLine', description: 'A product line of a recorded order' },
)

const revision = Type.Object(
  {
    revision: whole('the number of the state, from 1'),
    change: Type.Optional(
      Type.Enum([...REVISION_CHANGES], {
        type: 'string',
        description: 'what happened to the order; moved: to another moment; absent in older entries',
      }),
    ),
    points: signed('the difference from the state before, which may be 0'),
    program: whole('the version of the program'),
    recorded_at: moment('when the state was recorded'),
    explanation: Type.Optional(explanation),
  },
  { title: 'OrderRevision', description: 'What a recorded state of an order changed: an entry of its player' },
)

export const ORDER_ANSWERS = {
  'POST /api/integration/orders': orderUpsertSummary,
  'GET /api/admin/orders': Type.Object(
    {
      orders: listOf(
        Type.Object(order, { title: 'ListedOrder', description: 'An order as recorded, without its lines' }),
        'by order_id; by day, newest first',
      ),
      after,
    },
    { title: 'OrderPage', description: 'A page of orders' },
  ),
  'GET /api/admin/orders/:order_id': Type.Object(
    {
      ...order,
      points_redeemed: Type.Optional(whole('the points that pay for a part of it, as it was sent; absent: none')),
      lines: listOf(line, 'the product lines, in the order in which they were sent'),
      revisions: Type.Optional(
        listOf(revision, 'with `explain=true`: what each recorded state earned, newest first; the newest 500'),
      ),
    },
    { title: 'RecordedOrder', description: 'An order as recorded' },
  ),
} as const
