import type { TSchema } from 'typebox'
import { Type } from '../points/json-schema.ts'

const flag = (description: string) => Type.Boolean({ default: false, description })
/** The key of a record, as a parameter. */
export const keyParameter = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] })

/** What the API description says of the parameters of paths and queries. A name means the same everywhere, unless a route says otherwise. */
export const PARAMETERS: Readonly<Record<string, TSchema>> = {
  explain: flag('whether to answer the reasons, too'),
  details: flag('whether to answer every skipped record with its reason'),
  unchanged: flag('whether to answer how many valid records changed nothing, too'),
  dry_run: flag('whether to answer the same counts and write nothing'),
  reveal: flag('whether to show personal data; needs the scope `support`, and the log says who looked'),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'how many rows a page has at most' }),
  after: Type.String({
    pattern: '^[\\w-]{2,}$',
    description: 'what the page before answered under `after`, unchanged; absent: the first page',
  }),
  prefix: keyParameter('only keys that begin so: exact, case-sensitive, no character is special', 'TEA-'),
  from: Type.String({
    format: 'date',
    description: 'the first day; absent: 30 days with the last one, at most 400, by month or in one 7,320',
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
  minutes: Type.Integer({ minimum: 1, maximum: 4_320, default: 60, description: 'the last so many minutes' }),
  hours: Type.Integer({ minimum: 1, maximum: 2_160, description: 'the last so many hours instead' }),
  noun: Type.Enum(['players', 'products', 'orders', 'adjustments'], {
    type: 'string',
    description: 'what is sent',
    examples: ['players'],
  }),
  compare: flag('whether to answer the span before, too: as long, and on the same weekdays'),
  overlap: Type.String({
    pattern: '^[1-9]\\d{0,3}[mhdw]$',
    description:
      'how long the old token stays good, such as `24h` or `7d`, at most `30d`; absent: it is revoked at once',
  }),
  user_id: keyParameter('the key of the player', 'u-1'),
  product_sku_id: keyParameter('the key of the product', 'TEA-1'),
  adjustment_id: keyParameter('the adjustment', 'till-4711'),
  redemption_id: keyParameter('the redemption', 'r-1'),
  order_id: keyParameter('the key of the order', 'o-1'),
  version: Type.String({ pattern: '^[1-9]\\d*$', description: 'the number of the version', examples: ['2'] }),
}
