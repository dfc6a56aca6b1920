/*
 * The answers of the routes of activity.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, text, moment, momentOrNull, whole } = ANSWER_PARTS
const { day, quality, asked } = SHARED_ANSWERS

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

export const ACTIVITY_ANSWERS = {
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
            changed: addedField(whole('how many of those updated changed what was stored')),
            unchanged: addedField(
              whole('how many changed nothing; players are among those updated, other records among those skipped'),
            ),
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
