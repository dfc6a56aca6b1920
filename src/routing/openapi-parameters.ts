import type { TSchema } from 'typebox'
import { HANDLE_LENGTH_MAX } from '../engine/ingest/handles.ts'
import { Type } from '../engine/points/json-schema.ts'
import { STATISTICS_BASES } from './day-range.ts'

const flag = (description: string) => Type.Boolean({ default: false, description })
/** The key of a record, as a parameter. */
export const keyParameter = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] })

/** A player's id or handle, as a parameter. */
export const playerParameter = (description: string) =>
  Type.String({ minLength: 1, maxLength: HANDLE_LENGTH_MAX, description, examples: ['u-1'] })

const recordType = Type.Enum(['players', 'products', 'orders', 'adjustments'], {
  type: 'string',
  description: 'record type',
  examples: ['players'],
})

/** Path and query parameters in the API description. A name means the same everywhere, unless a route says otherwise. */
export const PARAMETERS: Readonly<Record<string, TSchema>> = {
  explain: flag('if true, include the explanation'),
  details: flag('if true, list every skipped record with its reason'),
  unchanged: flag('if true, include the count of valid records that changed nothing'),
  dry_run: flag('if true, return the same counts without writing anything'),
  keep_filled: flag('if true, empty and omitted fields keep their stored values, as in imports'),
  reveal: flag('if true, show personal data; requires the scope `support`, and is recorded in the audit log'),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'maximum rows per page' }),
  after: Type.String({
    pattern: '^[\\w-]{2,}$',
    description: 'the `after` cursor of the previous page; default: the first page',
  }),
  prefix: keyParameter('only IDs with this prefix: exact, case-sensitive, no wildcards', 'TEA-'),
  from: Type.String({
    format: 'date',
    description: 'first day; default: 30 days up to `to`. At most 400 days, or 7,320 with per=month or span',
  }),
  to: Type.String({ format: 'date', description: 'last day; default: today' }),
  basis: Type.Enum([...STATISTICS_BASES], {
    type: 'string',
    default: 'ordered',
    description: 'date basis: order date (`ordered`) or posting date (`posted`, deprecated: `booked`)',
  }),
  at: Type.String({
    format: 'date',
    description: 'date of the balance, without later changes; default: today',
  }),
  known_at: Type.String({
    format: 'date-time',
    description: 'balance as recorded by this time, at least 5 minutes ago; default: now',
  }),
  per: Type.Enum(['day', 'month', 'span'], {
    type: 'string',
    default: 'day',
    description: 'one row per day, per month (of its days in the date range), or for the whole date range',
  }),
  minutes: Type.Integer({ minimum: 1, maximum: 4_320, default: 60, description: 'minutes to look back' }),
  hours: Type.Integer({ minimum: 1, maximum: 2_160, description: 'hours to look back, instead of minutes' }),
  record_type: recordType,
  noun: recordType,
  compare: flag('if true, include the previous period of equal length, aligned by weekday'),
  overlap: Type.String({
    pattern: '^(?:[1-9]\\d{0,3}m|(?:[1-9]\\d?|[1-6]\\d{2}|7[01]\\d|720)h|(?:[1-9]|[12]\\d|30)d|[1-4]w)$',
    description: 'how long the old token stays valid, such as `24h` or `7d`, at most `30d`; default: revoked at once',
  }),
  user_id: playerParameter('player ID'),
  product_sku_id: keyParameter('product ID', 'TEA-1'),
  adjustment_id: keyParameter('adjustment ID', 'till-4711'),
  redemption_id: keyParameter('redemption ID', 'r-1'),
  order_id: keyParameter('order ID', 'o-1'),
  version: Type.String({ pattern: '^[1-9]\\d*$', description: 'the number of the version', examples: ['2'] }),
}
