/*
 * The schema of the result of a backtest, as `--json` prints it and its job answers it.
 */
import type { Static, TSchema } from 'typebox'
import { addedField, personal, Type } from '../../engine/points/json-schema.ts'
import { ATTRIBUTE_SOURCES } from '../../engine/whatif/attributes-now.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, texts, timestamp, timestampOrNull, whole, exact } = RESPONSE_PARTS
const { day, dayOrNull } = SHARED_RESPONSES

const changeFields = {
  before: exact('as recorded'),
  after: exact('under the program'),
  difference: exact('after less before'),
}
const change = Type.Object(changeFields, {
  title: 'BacktestChange',
  description: 'Points or money, as recorded and under the program',
})

const source = Type.Object(
  {
    kind: Type.Enum(['rule', 'referral', 'rounding', 'referrer'], {
      type: 'string',
      description: 'source of the points. referral: for referred players. referrer: for those who referred them',
    }),
    rule: text('the name of the rule; else the kind'),
    ...changeFields,
  },
  { title: 'BacktestSource', description: 'The points of a rule or of another source' },
)

const sides = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Object({ before: schema, after: schema }, { description })

const levels = listOf(
  Type.Object(
    {
      name: text('the name of the level'),
      from: exact('the points from which it is reached'),
      players: whole('count of players'),
    },
    { title: 'BacktestLevel', description: 'A level, and how many players have it' },
  ),
  'from the lowest to the highest',
)

const player = Type.Object(
  {
    user_id: personal('id', text('player ID')),
    difference: exact('points gained or lost'),
    of_referrals: exact('part of it for having referred others'),
    orders_changed: whole('count of orders with other points'),
    orders: listOf(
      Type.Object(
        {
          order_id: text('order ID'),
          at: timestamp('time of the order'),
          ...changeFields,
          rules: listOf(source, 'sources that differ'),
        },
        { title: 'BacktestOrder', description: 'An order with other points' },
      ),
      'the orders that differ most',
    ),
  },
  { title: 'BacktestPlayer', description: 'A player with other points' },
)

/** Exact numbers are strings. */
export const backtestResult = Type.Object(
  {
    program: text('name of the program'),
    held: text('name of the program in effect at the end of the period'),
    from: timestampOrNull('orders from this timestamp on; null: from the first'),
    to: timestampOrNull('orders before this timestamp; null: to the last'),
    levels_at: timestamp('time of the levels and balances'),
    orders: whole('count of orders'),
    players: whole('count of players with orders'),
    points: Type.Object(
      { ...changeFields, per_cent: orNull(exact('difference'), 'difference in per cent; null: nothing before') },
      { description: 'points of all orders and referrals' },
    ),
    campaigns: addedField(
      listOf(
        Type.Object(
          {
            rule: text('the name of the rule'),
            from: dayOrNull('first date; null: no first date'),
            until: dayOrNull('last date; null: no last date'),
            orders: whole('count of orders within its dates and hours'),
            weeks_earlier: whole('weeks by which it was moved earlier'),
          },
          { title: 'BacktestCampaign', description: 'A rule with a first or a last date' },
        ),
        'rules with dates, after they were moved',
      ),
    ),
    past_days: addedField(
      orNull(
        Type.Object({
          weeks_earlier: whole('weeks earlier'),
          from: day('first date then'),
          until: day('last date then'),
        }),
        'where to move the rules that begin after today, to apply to recorded orders; null: nowhere',
      ),
    ),
    point_value: Type.Optional(exact('value of a point; absent: none')),
    cost: Type.Optional(change),
    months: listOf(
      Type.Object(
        {
          month: text('calendar month in UTC, such as 2027-01'),
          orders: whole('count of orders'),
          ...changeFields,
          cost: Type.Optional(change),
        },
        { title: 'BacktestMonth', description: 'The orders of a month' },
      ),
      'oldest first',
    ),
    rules: listOf(source, 'rules in the order of the program, then other sources; they add up to the points'),
    balances: Type.Optional(
      Type.Object(
        {
          outstanding: change,
          pending: change,
          expired: change,
          owed: change,
          not_covered: change,
          spends_not_covered: sides(whole('count'), 'spends that the balance did not cover'),
        },
        { description: 'sums of all balances; absent: points neither wait, expire nor pay' },
      ),
    ),
    levels: sides(levels, 'players by level'),
    moves: listOf(
      Type.Object(
        {
          from: text('the level as recorded'),
          to: text('the level under the program'),
          players: whole('count of players'),
          user_ids: listOf(personal('id', Type.String()), 'IDs of the first of them'),
        },
        { title: 'BacktestMove', description: 'Players with another level' },
      ),
      'most players first',
    ),
    winners: listOf(player, 'players who would gain most'),
    losers: listOf(player, 'players who would lose most'),
    out_of_order: whole('count of orders that arrived after a later order of the same player'),
    changed_later: whole('count of orders that changed before another order of the player'),
    erased: addedField(whole('count of orders of erased players, which are left out')),
    attributes: addedField(
      Type.Enum(ATTRIBUTE_SOURCES, {
        type: 'string',
        description:
          'attributes of products under the program. recorded: those that orders kept. now: also those that orders lack and the catalogue has now',
      }),
    ),
    without_attributes: addedField(
      whole(
        'count of orders with a product that lacked an attribute of the program when they were recorded, and has it now',
      ),
    ),
    refused: whole('count of orders that would be refused; they count as 0 points'),
    under_this_program: whole('count of orders recorded under this program'),
    unlike_ledger: whole('count of orders that earned other points than their program gives'),
    left_out: addedField(texts('fields of players and orders that were left out, for want of the scope support')),
  },
  { title: 'BacktestResult', description: 'What recorded orders would have earned under a program' },
)

/** The result of a backtest. That of an earlier service lacks what was added since. */
export type BacktestDocument = Static<typeof backtestResult>
