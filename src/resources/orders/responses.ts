/*
 * The responses of the routes of orders.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { REVISION_CHANGES } from '../../engine/points/model.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, timestamp, whole, signed, exact } = RESPONSE_PARTS
const { rev, stateVersion, after, explanation, orderUpsertSummary } = SHARED_RESPONSES

const order = {
  order_id: text('order ID'),
  user_id: text('player ID; without the scope `support` a handle'),
  status: text('placed, cancelled or returned'),
  ordered_at: timestamp('when the order was placed'),
  total: exact('the amount of the order'),
  discount: exact('the discount'),
  qty: orNull(exact('the quantity of all lines'), 'the quantity of all lines, exact; null: not sent'),
  line_count: whole('number of product lines'),
  referral_code: text('referral code of the order, or empty; masked like user_id'),
  subscript_points: Type.Boolean({ description: 'as sent' }),
  points: signed('current points of the order'),
  referrer_id: orNull(Type.String(), 'ID of the player with points for the referral; masked like user_id; null: none'),
  referrer_points: signed('current points of the referrer for the order'),
  program: whole('program version at its first recording'),
  rev,
  state_version: stateVersion,
  recorded_at: timestamp('when the order was first recorded'),
  updated_at: timestamp('when the order was last recorded'),
  currency: addedField(orNull(Type.String(), 'its currency, as an ISO 4217 code; null: not sent')),
}

const attributes = Type.Optional(
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description: 'attributes as sent; masked like user_id; absent: none',
  }),
)

const line = Type.Object(
  {
    sku: Type.Optional(text('product ID')),
    amount: Type.Optional(exact('amount of the whole line; absent: the catalogue price times qty')),
    qty: exact('the quantity'),
    refunded: Type.Optional(
      Type.Union(
        [
          exact('an amount'),
          Type.Object(
            { qty: exact('a quantity') },
            { title: 'RefundOfQuantity', description: 'Refunded at what was paid for it after the discount' },
          ),
        ],
        { description: 'what was refunded of the line, as sent; absent: nothing' },
      ),
    ),
    attributes,
  },
  { title: 'RecordedLine', description: 'A product line of a recorded order' },
)

const revision = Type.Object(
  {
    revision: whole('revision number, from 1'),
    change: Type.Optional(
      Type.Enum([...REVISION_CHANGES], {
        type: 'string',
        description: 'change of the order; moved: to another time; absent in older entries',
      }),
    ),
    points: signed('difference from the previous state, possibly 0'),
    program: whole('program version'),
    recorded_at: timestamp('when the state was recorded'),
    explanation: Type.Optional(explanation),
  },
  { title: 'OrderRevision', description: 'What a recorded state of an order changed: an entry of its player' },
)

export const ORDER_RESPONSES = {
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
      points_redeemed: Type.Optional(whole('points that pay part of it, as sent; absent: none')),
      attributes,
      lines: listOf(line, 'product lines, in the order sent'),
      revisions: Type.Optional(
        listOf(revision, 'with `explain=true`: points of each recorded state, newest first; at most 500'),
      ),
    },
    { title: 'RecordedOrder', description: 'An order as recorded' },
  ),
} as const
