/*
 * The answers of the routes of statistics (docs/statistics.md).
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../shared/routes/answer-parts.ts'

const { exact, listOf, moment, momentOrNull, orNull, text, whole } = ANSWER_PARTS

const day = (description: string) => Type.String({ format: 'date', description })
const quality = Type.Enum(['exact', 'counted', 'sampled'], {
  type: 'string',
  description: 'exact: from the ledger. counted: a crash loses a second or two. sampled: estimated from some of them',
})
const version = orNull(whole('the number of the version'), 'the version of the program; null: none is involved')

const asked = {
  as_of: moment('the moment of the answer, which includes everything recorded before'),
  basis: Type.Enum(['ordered', 'booked'], {
    type: 'string',
    description: 'whether days are those of the order or of the recording',
  }),
  from: day('the first day'),
  to: day('the last day'),
}
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
  quality,
}
const levels = listOf(
  Type.Object({ level: text('the name'), ...estimate }, { title: 'LevelPlayers', description: 'Players on a level' }),
  'how many players are on each level of the program, lowest first; empty: not swept yet',
)

const noun = Type.Enum(['players', 'products', 'orders', 'adjustments'], {
  type: 'string',
  description: 'what is sent',
})
const atMostMs = (share: string) =>
  orNull(
    Type.Number(),
    `${share} % took at most this many milliseconds, rounded up to the next bound; null: longer than every bound`,
  )
const times = {
  n: whole('how many requests were answered'),
  invalid: whole('of them with 4xx other than 429'),
  refused: whole('of them with 429 or 503'),
  failed: whole('of them with another 5xx'),
  p50_ms: atMostMs('50'),
  p95_ms: atMostMs('95'),
  p99_ms: atMostMs('99'),
  counts: listOf(
    whole('how many requests'),
    'how many took at most each of bounds_ms and more than the one before; the last: more than all of them',
  ),
}

const memory = Type.Object(
  { bytes: whole('bytes in use'), max_bytes: whole('bytes at which it runs out') },
  { title: 'MemoryInUse', description: 'How much memory is in use, and the limit' },
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
            outstanding: orNull(text('money'), 'what the outstanding points are worth, exactly; null: not swept yet'),
            currency: orNull(text('a currency'), 'the setting money.currency'),
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
      swept_at: sweptAt,
      players: orNull(whole('how many players'), 'how many players have an account; null: not swept yet'),
      balance: orNull(exact('points'), 'the sum of all balances above 0'),
      debts: orNull(exact('points'), 'the sum of all balances below 0'),
      points: orNull(
        Type.Object(
          {
            swept_at: moment('when the balances of all accounts were last computed'),
            day: day('the points are as of the end of this day, in the time zone of the program'),
            outstanding: exact('what players can spend, including what is held: the sum of those above 0'),
            pending: exact('what they cannot spend yet'),
            held: exact('what is held'),
            expired: exact('what has expired'),
          },
          { title: 'OutstandingPoints', description: 'What all players can spend together' },
        ),
        'where a program has `points` or `redeem`, the sums of what accounts show; elsewhere `outstanding` is the balance; null: not swept yet',
      ),
      active_30: orNull(Type.Object(estimate), 'players with an order in the last 30 days'),
      active_90: orNull(Type.Object(estimate), 'players with an order in the last 90 days'),
      levels,
      top: listOf(
        Type.Object(
          {
            user_id: text('the key of the player; masked where it looks like contact data'),
            points: exact('the balance'),
          },
          { title: 'LargeBalance', description: 'One of the hundred largest balances' },
        ),
        'the hundred largest balances',
      ),
    },
    { title: 'AccountStatistics', description: 'Accounts as of the last sweep, within the hour' },
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
            quality,
          },
          { title: 'LevelMoves', description: 'Orders that led from one level to another' },
        ),
        'by day; none where nobody moved',
      ),
    },
    { title: 'LevelStatistics', description: 'Who moved between levels' },
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
  'GET /api/admin/statistics/unknown-products': Type.Object(
    {
      as_of: asked.as_of,
      products: listOf(
        Type.Object(
          {
            sku: text('the key that was sent'),
            orders: whole('how many orders named it when they were first recorded'),
            predictions: whole('how many predictions named it'),
            first_named_at: moment('when that was first noticed'),
            last_named_at: moment('when it was last noticed'),
            order_id: orNull(
              Type.String(),
              'the last order that was recorded with it; null: only predictions named it',
            ),
            quality,
          },
          { title: 'UnknownProduct', description: 'A product that orders name and the catalogue does not have' },
        ),
        'most named first',
      ),
    },
    { title: 'UnknownProducts', description: 'Products that orders name and the catalogue does not have' },
  ),
  'GET /api/admin/feeds': Type.Object(
    {
      as_of: asked.as_of,
      from: asked.from,
      to: asked.to,
      feeds: listOf(
        Type.Object(
          {
            noun,
            token: text('the id of the token'),
            token_name: orNull(Type.String(), 'what the token is called; null if it is no longer known'),
            last_good_at: momentOrNull(
              'when the last request came of which at least one record was accepted; null: never',
            ),
            usual_gap_ms: orNull(
              whole('milliseconds'),
              'the usual time between deliveries, which are requests at least a minute apart; null: unknown',
            ),
            requests: whole('how many requests were carried out in these days'),
            inserted: whole('how many records were new'),
            updated: whole('how many were known'),
            skipped: whole('how many were neither'),
            refused: whole('how many of those skipped were refused'),
            quality,
          },
          { title: 'Feed', description: 'What a token sends of one noun' },
        ),
        'by noun and token',
      ),
    },
    { title: 'Feeds', description: 'Whether data arrives' },
  ),
  'GET /api/admin/feeds/:noun/refusals': Type.Object(
    {
      as_of: asked.as_of,
      from: asked.from,
      to: asked.to,
      refusals: listOf(
        Type.Object(
          {
            field: text('where in a record; empty: the record itself'),
            kind: text('why, without what was sent'),
            n: whole('how many records'),
            first_day: day('the first of these days on which it happened'),
            last_day: day('the last one'),
            quality,
          },
          { title: 'Refusal', description: 'Records that were refused for the same reason' },
        ),
        'most first',
      ),
    },
    { title: 'Refusals', description: 'Why records were refused' },
  ),
  'GET /api/admin/service': Type.Object(
    {
      as_of: asked.as_of,
      since: moment('from when requests are counted'),
      per: Type.Enum(['minute', 'hour'], { type: 'string', description: 'the period of each of times' }),
      bounds_ms: listOf(
        Type.Number(),
        'the upper bounds of the counts in milliseconds; one more count is of longer requests',
      ),
      quality,
      routes: listOf(
        Type.Object(
          { route: text('a method and a path, with the names of its parameters'), ...times },
          { title: 'RouteTimes', description: 'Requests of a route' },
        ),
        'by route',
      ),
      times: listOf(
        Type.Object(
          { at: moment('the beginning of the minute or hour'), ...times },
          { title: 'ServiceTimes', description: 'Requests of a minute or hour' },
        ),
        'by time; none without requests',
      ),
      process: Type.Object(
        {
          started_at: moment('when it started'),
          heap: memory,
          database_heap: orNull(memory, 'memory of the embedded database; null: it has none'),
          retries: whole('how often database work has been tried again since the start'),
        },
        { title: 'ProcessState', description: 'The process that answers' },
      ),
    },
    {
      title: 'ServiceReport',
      description: 'How many requests there were, how they were answered, and how long they took',
    },
  ),
} as const
