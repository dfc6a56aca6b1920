/*
 * The responses of the routes of statistics.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, timestamp, whole, exact } = RESPONSE_PARTS
const { day, quality, asOf, rangeFields } = SHARED_RESPONSES

const version = orNull(whole('version number'), 'program version; null: none is involved')

const periodFields = {
  ...rangeFields,
  per: Type.Enum(['day', 'month', 'span'], { type: 'string', description: 'period of a line' }),
}

const lineDay = day('the date; for a month or the whole span, its first date')

const statistics = Type.Object(
  {
    ...periodFields,
    lines: listOf(
      Type.Object(
        {
          day: lineDay,
          measure: text('name of the figure'),
          program: version,
          key: text('breakdown key, or empty'),
          n: whole('count'),
          points: exact('points'),
          as_of: asOf,
          quality,
        },
        { title: 'StatisticsLine', description: 'A figure of a day, a month or the date range' },
      ),
      'by date; none without activity',
    ),
  },
  { title: 'Statistics', description: 'Figures by day, month or date range' },
)

const sweptAt = orNull(Type.String({ format: 'date-time' }), 'when all accounts were last swept; null: not yet')

const estimate = {
  n: whole('number of players'),
  low: whole('lower bound at 95 % confidence; n if all players were counted'),
  high: whole('upper bound at 95 % confidence; n if all players were counted'),
  as_of: asOf,
  quality,
}

const levels = listOf(
  Type.Object({ level: text('level name'), ...estimate }, { title: 'LevelPlayers', description: 'Players on a level' }),
  'players on each level of the program, lowest first; empty: not swept yet',
)

export const STATISTICS_RESPONSES = {
  'GET /api/admin/statistics/summary': Type.Object(
    {
      ...rangeFields,
      before: orNull(
        Type.Object({ from: day('first date'), to: day('last date') }),
        'with compare=true the previous period of equal length, aligned by weekday; else null',
      ),
      backfill: orNull(
        Type.Object({ counted: whole('entries counted'), entries: whole('approximate number of entries') }),
        'progress of the backfill; null: complete',
      ),
      figures: listOf(
        Type.Object(
          {
            figure: text('name of the figure'),
            as_of: asOf,
            quality,
            n: orNull(whole('count'), 'count; null for figures of points alone'),
            points: orNull(exact('points'), 'points; null for figures of counts alone'),
            n_before: orNull(whole('count'), 'n of the previous period; null also without compare=true'),
            points_before: orNull(exact('points'), 'points of the previous period; null also without compare=true'),
          },
          { title: 'SummaryFigure', description: 'A figure of a period and the previous one' },
        ),
        'always the same, in the same order',
      ),
      worth: orNull(
        Type.Object(
          {
            each: text('value of a point: a decimal if it terminates, else a fraction'),
            by: Type.Enum(['program', 'setting'], { type: 'string', description: 'source of the value' }),
            version: orNull(whole('a version'), 'version in effect, if it sets the value; null: the setting does'),
            outstanding: orNull(text('money'), 'exact value of the outstanding points; null: not counted yet'),
            currency: orNull(text('a currency'), 'the setting money.currency'),
            as_of: addedField(timestamp('time of outstanding')),
            quality: addedField(quality),
          },
          { title: 'PointWorth', description: 'The value of points in money' },
        ),
        'by redeem.value of the program in effect, else by the setting money.point-value; null: neither is set',
      ),
    },
    { title: 'StatisticsSummary', description: 'Figures of a period and the previous one' },
  ),
  'GET /api/admin/statistics/points': statistics,
  'GET /api/admin/statistics/rules': statistics,
  'GET /api/admin/statistics/orders': statistics,
  'GET /api/admin/statistics/attributes': statistics,
  'GET /api/admin/statistics/predictions': statistics,
  'GET /api/admin/statistics/accounts': Type.Object(
    {
      as_of: rangeFields.as_of,
      swept_at: orNull(
        Type.String({ format: 'date-time' }),
        'time of players, balance, debts, levels and top; null: not swept yet',
      ),
      quality: addedField(orNull(quality, 'the quality of players, balance, debts and top; null: not swept yet')),
      players: orNull(whole('number of players'), 'players with an account; null: not swept yet'),
      balance: orNull(exact('points'), 'the sum of all balances above 0'),
      debts: orNull(exact('points'), 'the sum of all balances below 0'),
      points: orNull(
        Type.Object(
          {
            swept_at: timestamp('the same as as_of'),
            as_of: asOf,
            quality: addedField(quality),
            day: day('the points are as of the end of this date, in the time zone of the program'),
            outstanding: exact('points that players can spend, including those held: the sum of balances above 0'),
            pending: exact('points that they cannot spend yet'),
            held: exact('points held'),
            expired: exact('expired points'),
          },
          { title: 'OutstandingPoints', description: 'Points of all players' },
        ),
        'sums over all accounts; null: not counted yet',
      ),
      active_30: orNull(Type.Object(estimate), 'players with an order in the last 30 days; null: not counted yet'),
      active_90: orNull(Type.Object(estimate), 'players with an order in the last 90 days; null: not counted yet'),
      levels,
      top: listOf(
        Type.Object(
          {
            user_id: text('player ID; without the scope `support` a handle'),
            points: exact('the balance'),
            as_of: asOf,
            quality: addedField(quality),
          },
          { title: 'LargeBalance', description: 'One of the 100 largest balances' },
        ),
        'the 100 largest balances',
      ),
    },
    {
      title: 'AccountStatistics',
      description: 'Accounts: current points and activity, the rest as of the last sweep',
    },
  ),
  'GET /api/admin/statistics/levels': Type.Object(
    {
      ...periodFields,
      swept_at: sweptAt,
      levels,
      moves: listOf(
        Type.Object(
          {
            day: lineDay,
            program: version,
            before: text('the level before'),
            after: text('the level after'),
            n: whole('orders that led from one to the other, at their first recording'),
            as_of: asOf,
            quality,
          },
          { title: 'LevelMoves', description: 'Orders that led from one level to another' },
        ),
        'by date; none without moves',
      ),
    },
    { title: 'LevelStatistics', description: 'Moves between levels' },
  ),
} as const
