/*
 * The responses of the routes of activity.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, timestamp, timestampOrNull, whole } = RESPONSE_PARTS
const { day, quality, rangeFields } = SHARED_RESPONSES

const recordType = Type.Enum(['players', 'products', 'orders', 'adjustments'], {
  type: 'string',
  description: 'record type',
})

const atMostMs = (share: string) =>
  orNull(Type.Number(), `p${share} in milliseconds, rounded up to the next bound; null: above every bound`)

const times = {
  n: whole('number of requests'),
  invalid: whole('of them with 4xx other than 429'),
  refused: whole('of them with 429 or 503'),
  failed: whole('of them with another 5xx'),
  p50_ms: atMostMs('50'),
  p95_ms: atMostMs('95'),
  p99_ms: atMostMs('99'),
  counts: listOf(
    whole('number of requests'),
    'requests by duration, one count per bound of bounds_ms; the last: above all bounds',
  ),
}

const memory = Type.Object(
  { bytes: whole('bytes in use'), max_bytes: whole('limit in bytes') },
  { title: 'MemoryInUse', description: 'Memory in use, and the limit' },
)

const days = { as_of: rangeFields.as_of, from: rangeFields.from, to: rangeFields.to }

const sourceFields = {
  token: text('token ID'),
  token_name: orNull(Type.String(), 'token name; null: no longer known'),
  last_good_at: timestampOrNull('last request with at least one accepted record; null: never'),
  usual_gap_ms: orNull(
    whole('milliseconds'),
    'usual interval between deliveries (requests at least a minute apart); null: unknown',
  ),
  requests: whole('requests processed in the date range'),
  inserted: whole('new records'),
  updated: whole('existing records'),
  skipped: whole('skipped records'),
  refused: whole('skipped records that were refused'),
  changed: addedField(whole('updated records that changed stored data')),
  unchanged: addedField(whole('records that changed nothing; players count as updated, other records as skipped')),
  quality,
}

const refusals = Type.Object(
  {
    ...days,
    refusals: listOf(
      Type.Object(
        {
          field: text('field of the record; empty: the record itself'),
          kind: text('reason, without the values sent'),
          n: whole('number of records'),
          first_day: day('first date of such a refusal in the date range'),
          last_day: day('last date of such a refusal in the date range'),
          quality,
        },
        { title: 'Refusal', description: 'Records refused for the same reason' },
      ),
      'most frequent first',
    ),
  },
  { title: 'Refusals', description: 'Refusal reasons' },
)

export const ACTIVITY_RESPONSES = {
  'GET /api/admin/statistics/unknown-products': Type.Object(
    {
      as_of: rangeFields.as_of,
      products: listOf(
        Type.Object(
          {
            sku: text('product ID as sent'),
            orders: whole('number of orders with it, at their first recording'),
            predictions: whole('number of predictions with it'),
            first_named_at: timestamp('when it was first seen'),
            last_named_at: timestamp('when it was last seen'),
            order_id: orNull(Type.String(), 'the last order recorded with it; null: only predictions had it'),
            quality,
          },
          { title: 'UnknownProduct', description: 'A product missing from the catalogue' },
        ),
        'most frequent first',
      ),
    },
    { title: 'UnknownProducts', description: 'Products missing from the catalogue' },
  ),
  'GET /api/admin/sources': Type.Object(
    {
      ...days,
      sources: listOf(
        Type.Object(
          { record_type: recordType, ...sourceFields },
          { title: 'Source', description: 'What one token sends of one record type' },
        ),
        'by record type and token',
      ),
    },
    { title: 'Sources', description: 'Import activity' },
  ),
  'GET /api/admin/sources/:record_type/refusals': refusals,
  'GET /api/admin/feeds': Type.Object(
    {
      ...days,
      feeds: listOf(
        Type.Object(
          { noun: recordType, ...sourceFields },
          { title: 'Feed', description: 'What one token sends of one record type' },
        ),
        'by record type and token',
      ),
    },
    { title: 'Feeds', description: 'Import activity' },
  ),
  'GET /api/admin/feeds/:noun/refusals': refusals,
  'GET /api/admin/service': Type.Object(
    {
      as_of: rangeFields.as_of,
      since: timestamp('start of the period'),
      per: Type.Enum(['minute', 'hour'], { type: 'string', description: 'period of each entry of times' }),
      bounds_ms: listOf(
        Type.Number(),
        'upper bounds of the counts in milliseconds; one more count is of longer requests',
      ),
      quality,
      routes: listOf(
        Type.Object(
          { route: text('method and path, with the names of its parameters'), ...times },
          { title: 'RouteTimes', description: 'Requests of a route' },
        ),
        'by route',
      ),
      times: listOf(
        Type.Object(
          { at: timestamp('start of the minute or hour'), ...times },
          { title: 'ServiceTimes', description: 'Requests of a minute or hour' },
        ),
        'by time; none without requests',
      ),
      process: Type.Object(
        {
          started_at: timestamp('when it started'),
          heap: memory,
          database_heap: orNull(memory, 'memory of the embedded database; null: PostgreSQL is used'),
          retries: whole('database retries since the start'),
        },
        { title: 'ProcessState', description: 'The responding process' },
      ),
      last_backup_at: addedField(timestampOrNull('of when the last backup by `laurel backup` is; null: none')),
    },
    {
      title: 'ServiceReport',
      description: 'Request counts, outcomes and durations',
    },
  ),
} as const
