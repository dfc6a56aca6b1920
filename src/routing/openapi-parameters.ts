import type { TSchema } from 'typebox'
import { HANDLE_LENGTH_MAX } from '../engine/ingest/handles.ts'
import { Type } from '../engine/points/json-schema.ts'

const flag = (description: string) => Type.Boolean({ default: false, description })
/** The key of a record, as a parameter. */
export const keyParameter = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] })

/** A player's id or handle, as a parameter. */
export const playerParameter = (description: string) =>
  Type.String({ minLength: 1, maxLength: HANDLE_LENGTH_MAX, description, examples: ['u-1'] })

/** Path and query parameters in the API description. A name means the same everywhere, unless a route says otherwise. */
export const PARAMETERS: Readonly<Record<string, TSchema>> = {
  explain: flag('whether to include the reasons'),
  details: flag('whether to list every skipped record with its reason'),
  unchanged: flag('whether to include how many valid records changed nothing'),
  dry_run: flag('whether to return the same counts without writing anything'),
  keep_filled: flag('whether a field that is empty or absent keeps the value that is stored, as imports do'),
  reveal: flag('whether to show personal data; needs the scope `support`, and the log says who looked'),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'the most rows on a page' }),
  after: Type.String({
    pattern: '^[\\w-]{2,}$',
    description: 'the `after` of the previous page, unchanged; absent: the first page',
  }),
  prefix: keyParameter('only keys with this prefix: exact, case-sensitive, no wildcards', 'TEA-'),
  from: Type.String({
    format: 'date',
    description:
      'the first day; absent: 30 days including the last one. At most 400 days, or 7,320 by month or as one span',
  }),
  to: Type.String({ format: 'date', description: 'the last day; absent: today' }),
  basis: Type.Enum(['ordered', 'booked'], {
    type: 'string',
    default: 'ordered',
    description: 'whether days are those of the order or of the recording',
  }),
  at: Type.String({
    format: 'date',
    description: 'the day of the balance, without what happened later; absent: today',
  }),
  known_at: Type.String({
    format: 'date-time',
    description: 'the balance as it was known at a moment at least 5 minutes ago; absent: with all that is recorded',
  }),
  per: Type.Enum(['day', 'month', 'span'], {
    type: 'string',
    default: 'day',
    description: 'what a line adds up: a day, a month (of its days within the span), or the whole span',
  }),
  minutes: Type.Integer({ minimum: 1, maximum: 4_320, default: 60, description: 'how many minutes to look back' }),
  hours: Type.Integer({ minimum: 1, maximum: 2_160, description: 'how many hours to look back instead' }),
  noun: Type.Enum(['players', 'products', 'orders', 'adjustments'], {
    type: 'string',
    description: 'what is sent',
    examples: ['players'],
  }),
  compare: flag('whether to include the span before: equally long, and on the same weekdays'),
  overlap: Type.String({
    pattern: '^(?:[1-9]\\d{0,3}m|(?:[1-9]\\d?|[1-6]\\d{2}|7[01]\\d|720)h|(?:[1-9]|[12]\\d|30)d|[1-4]w)$',
    description:
      'how long the old token stays valid, such as `24h` or `7d`, at most `30d`; absent: it is revoked at once',
  }),
  user_id: playerParameter('the key of the player'),
  product_sku_id: keyParameter('the key of the product', 'TEA-1'),
  adjustment_id: keyParameter('the adjustment', 'till-4711'),
  redemption_id: keyParameter('the redemption', 'r-1'),
  order_id: keyParameter('the key of the order', 'o-1'),
  version: Type.String({ pattern: '^[1-9]\\d*$', description: 'the number of the version', examples: ['2'] }),
}
