/*
 * The answers of the routes of statistics.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, text, moment, whole, exact } = ANSWER_PARTS
const { day, quality, asOf, asked } = SHARED_ANSWERS

const version = orNull(whole('the number of the version'), 'the version of the program; null: none is involved')

const askedBy = {
  ...asked,
  per: Type.Enum(['day', 'month', 'span'], { type: 'string', description: 'the period of a line' }),
}

const lineDay = day('the day; for a month or the whole span, its first day')

const statistics = Type.Object(
  {
    ...askedBy,
    lines: listOf(
      Type.Object(
        {
          day: lineDay,
          measure: text('what is counted'),
          program: version,
          key: text('what it is broken down by, or empty'),
          n: whole('how many'),
          points: exact('their points'),
          as_of: asOf,
          quality,
        },
        { title: 'StatisticsLine', description: 'A figure of a day, a month or the span' },
      ),
      'by day; none where nothing happened',
    ),
  },
  { title: 'Statistics', description: 'Figures by day, month or span' },
)

const sweptAt = orNull(Type.String({ format: 'date-time' }), 'when all accounts were last swept; null: not yet')

const estimate = {
  n: whole('how many players'),
  low: whole('with 95 % confidence there are at least this many; n if all were looked at'),
  high: whole('and at most this many'),
  as_of: asOf,
  quality,
}

const levels = listOf(
  Type.Object({ level: text('the name'), ...estimate }, { title: 'LevelPlayers', description: 'Players on a level' }),
  'how many players are on each level of the program, lowest first; empty: not swept yet',
)

export const STATISTICS_ANSWERS = {
  'GET /api/admin/statistics/summary': Type.Object(
    {
      ...asked,
      before: orNull(
        Type.Object({ from: day('the first day'), to: day('the last day') }),
        'with compare=true the span before, equally long, on the same weekdays; else null',
      ),
      backfill: orNull(
        Type.Object({ counted: whole('entries that are counted'), entries: whole('about how many there are') }),
        'how far entries from before Laurel kept statistics are counted; null: all are',
      ),
      figures: listOf(
        Type.Object(
          {
            figure: text('what is counted'),
            as_of: asOf,
            quality,
            n: orNull(whole('how many'), 'how many; null where only points are counted'),
            points: orNull(exact('their points'), 'their points; null where only things are counted'),
            n_before: orNull(whole('how many'), 'like n, for the span before; null also without compare=true'),
            points_before: orNull(exact('points'), 'like points, for the span before; null also without compare=true'),
          },
          { title: 'SummaryFigure', description: 'A figure of a span, and of the one before' },
        ),
        'always the same ones, in the same order',
      ),
      worth: orNull(
        Type.Object(
          {
            each: text('what a point is worth: a decimal if it terminates, else a fraction'),
            by: Type.Enum(['program', 'setting'], { type: 'string', description: 'what sets it' }),
            version: orNull(whole('a version'), 'the version in effect, if it sets it; null: the setting does'),
            outstanding: orNull(text('money'), 'what the outstanding points are worth, exactly; null: not counted yet'),
            currency: orNull(text('a currency'), 'the setting money.currency'),
            as_of: addedField(moment('outstanding is as of this moment')),
            quality: addedField(quality),
          },
          { title: 'PointWorth', description: 'What points are worth in money' },
        ),
        'by redeem.value of the program in effect, else by the setting money.point-value; null: nothing sets it',
      ),
    },
    { title: 'StatisticsSummary', description: 'What happened in a span, and in the one before' },
  ),
  'GET /api/admin/statistics/points': statistics,
  'GET /api/admin/statistics/rules': statistics,
  'GET /api/admin/statistics/orders': statistics,
  'GET /api/admin/statistics/predictions': statistics,
  'GET /api/admin/statistics/accounts': Type.Object(
    {
      as_of: asked.as_of,
      swept_at: orNull(
        Type.String({ format: 'date-time' }),
        'players, balance, debts, levels and top are as of this moment; null: not swept yet',
      ),
      quality: addedField(orNull(quality, 'the quality of players, balance, debts and top; null: not swept yet')),
      players: orNull(whole('how many players'), 'how many players have an account; null: not swept yet'),
      balance: orNull(exact('points'), 'the sum of all balances above 0'),
      debts: orNull(exact('points'), 'the sum of all balances below 0'),
      points: orNull(
        Type.Object(
          {
            swept_at: moment('the same as as_of'),
            as_of: asOf,
            quality: addedField(quality),
            day: day('the points are as of the end of this day, in the time zone of the program'),
            outstanding: exact('what players can spend, including what is held: the sum of those above 0'),
            pending: exact('what they cannot spend yet'),
            held: exact('what is held'),
            expired: exact('what has expired'),
          },
          { title: 'OutstandingPoints', description: 'What all players can spend together' },
        ),
        'the sums of what accounts show; null: not counted yet',
      ),
      active_30: orNull(Type.Object(estimate), 'players with an order in the last 30 days; null: not counted yet'),
      active_90: orNull(Type.Object(estimate), 'players with an order in the last 90 days; null: not counted yet'),
      levels,
      top: listOf(
        Type.Object(
          {
            user_id: text('the key of the player; without the scope `support` a handle'),
            points: exact('the balance'),
          },
          { title: 'LargeBalance', description: 'One of the hundred largest balances' },
        ),
        'the hundred largest balances',
      ),
    },
    {
      title: 'AccountStatistics',
      description: 'Accounts: points and activity as they are, the rest as of the last sweep',
    },
  ),
  'GET /api/admin/statistics/levels': Type.Object(
    {
      ...askedBy,
      swept_at: sweptAt,
      levels,
      moves: listOf(
        Type.Object(
          {
            day: lineDay,
            program: version,
            before: text('the level before'),
            after: text('the level after'),
            n: whole('how many orders led from one to the other when they were first recorded'),
            as_of: asOf,
            quality,
          },
          { title: 'LevelMoves', description: 'Orders that led from one level to another' },
        ),
        'by day; none where nobody moved',
      ),
    },
    { title: 'LevelStatistics', description: 'Who moved between levels' },
  ),
} as const
