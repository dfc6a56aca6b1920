/*
 * Schemas that the responses of several resources share.
 */
import { REJECTION_VERDICTS } from '../engine/ingest/batch.ts'
import { addedField, Type } from '../engine/points/json-schema.ts'
import { NOTHING_REASONS } from '../engine/points/model.ts'
import { STATISTICS_BASES } from './day-range.ts'
import { RESPONSE_PARTS } from './response-parts.ts'

const { listOf, orNull, text, timestamp, whole, signed, exact, messageText } = RESPONSE_PARTS

const tokenId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'token ID' })

const tokenName = orNull(Type.String(), 'token name; null: the token of a single process')

const rev = whole('1 for a new record, incremented with each change')

const stateVersion = orNull(whole('version set by the sender'), 'version set by the sender; null: none')

const after = orNull(Type.String(), 'the cursor of the next page; null on the last')

const nextLevel = orNull(
  Type.Object(
    {
      name: text('the name of the level'),
      missing: Type.Integer({ minimum: 0, description: 'the points still needed to reach it' }),
    },
    { title: 'NextLevel', description: 'The next level, and the points needed to reach it' },
  ),
  'the next level; null on the highest',
)

const day = (description: string) => Type.String({ format: 'date', description })

const dayOrNull = (description: string) => orNull(Type.String({ format: 'date' }), description)

const explanationFields = {
  earned: listOf(
    Type.Object(
      {
        rule: text('the name of the rule in the program'),
        points: exact('points of the rule'),
        because: Type.Unsafe<Readonly<Record<string, string>>>({
          type: 'object',
          additionalProperties: Type.String(),
          description: 'inputs of the rule, by name; exact',
        }),
      },
      { title: 'EarnedRule', description: 'A rule that gave points' },
    ),
    'each rule that gave points, in the order of the program',
  ),
  not_applied: listOf(
    Type.Object(
      {
        rule: text('the name of the rule in the program'),
        kind: Type.Optional(text('machine-readable reason; only for a referral, such as not-first')),
        why: text('human-readable reason'),
      },
      { title: 'RuleNotApplied', description: 'A rule that gave nothing' },
    ),
    'each rule that gave nothing',
  ),
  rounding: exact('points added by rounding: the points of all rules and the rounding add up to total_points'),
  level: Type.Object(
    {
      before: text('the level without this order'),
      after: text('the level with this order'),
      upgraded: Type.Boolean({ description: 'whether the order lifts the player to a higher level' }),
      counted: signed('the points that count for the level, this order included'),
      next: nextLevel,
    },
    { title: 'LevelChange', description: 'The level at the time of the order' },
  ),
  notes: listOf(
    Type.Object(
      {
        kind: text(
          'paid-with-points, unknown-product, no-price, price-differs, unknown-referral-code, not-participating, attribute-type, stale, conflict, or more: count of the omitted notes',
        ),
        text: text('human-readable note'),
        line: Type.Optional(whole('the line of the order, counted from 0')),
        sku: Type.Optional(text('the product of the line')),
      },
      { title: 'Note', description: 'A note on the order that does not affect its points' },
    ),
    'at most 20 notes, and one with the count of the others',
  ),
  nothing: Type.Optional(
    Type.Enum([...NOTHING_REASONS], {
      type: 'string',
      description: 'zero-point reason; absent if the order earns points, and in older records',
    }),
  ),
  statistics_by: Type.Optional(
    text('value of the attribute in `statistics.by` of the program, empty if the order had none; absent without it'),
  ),
  program: Type.Object(
    { version: whole('the number of the version'), name: text('the name of the program') },
    { title: 'AppliedProgram', description: 'The program that was applied' },
  ),
}

const explanation = Type.Object(explanationFields, {
  title: 'Explanation',
  description: 'Points breakdown of an order: every rule, the rounding, the level, notes',
})

const upsertFields = {
  message: messageText,
  inserted: whole('count of new records'),
  updated: whole('count of existing records'),
  skipped: whole('count of records neither inserted nor updated'),
  unchanged: Type.Optional(whole('with unchanged=true: count of valid records that changed nothing')),
  results: Type.Optional(
    listOf(
      Type.Object(
        {
          position: whole('the place of the record in data, counted from 0'),
          key: Type.Optional(text('record ID; absent if it is invalid')),
          verdict: Type.Enum(['unchanged', 'invalid', ...REJECTION_VERDICTS], {
            type: 'string',
            description:
              'unchanged: nothing to do. invalid: see path and error. stale: a newer version is already stored. conflict: this version is stored with other content. insufficient-points: the player has too few points. not-allowed: the token does not have the scope redeem. erased: the player was erased. currency: the program has no rate for the currency of the order, or the order is recorded in another one',
          }),
          path: Type.Optional(text('where the error is, such as data[3].DOB')),
          error: Type.Optional(text('what is wrong, and what is expected')),
        },
        { title: 'SkippedRecord', description: 'A record that was neither inserted nor updated, and the reason' },
      ),
      'with details=true: the first 1,000 skipped records',
    ),
  ),
  results_more: Type.Optional(whole('count of further skipped records')),
}

const upsertSummary = Type.Object(upsertFields, {
  title: 'UpsertSummary',
  description: 'Counts of the records: the three add up to those sent',
})

const orderUpsertSummary = Type.Object(
  {
    ...upsertFields,
    out_of_order: Type.Optional(
      whole(
        'with dry_run=true or details=true, if the program depends on history: count of orders older than one recorded before them',
      ),
    ),
    used_again: Type.Optional(
      whole('with dry_run=true or details=true, if any: count of orders that probably reuse the ID of another order'),
    ),
    notes: Type.Optional(
      listOf(
        Type.Object(
          {
            position: whole('the place of the record in data, counted from 0'),
            key: text('record ID'),
            kind: Type.Enum(['out-of-order', 'overpaid', 'used-again'], {
              type: 'string',
              description:
                'out-of-order: a new order is older than one recorded before it, and the program depends on history. overpaid: the redeemed points exceed the current value of the order. used-again: the order recorded under this ID is more than 180 days apart and has another amount, discount or lines',
            }),
            text: text('human-readable note'),
            points: Type.Optional(whole('excess points')),
            ordered_at: Type.Optional(timestamp('of used-again: time of the recorded order')),
          },
          { title: 'RecordNote', description: 'A note on an accepted record' },
        ),
        'with details=true, if any: the first 1,000 notes on accepted orders',
      ),
    ),
    notes_more: Type.Optional(whole('count of further notes')),
  },
  { title: 'OrderUpsertSummary', description: 'Counts of the orders: the three add up to those sent' },
)

const quality = Type.Enum(['exact', 'swept', 'sampled', 'counted'], {
  type: 'string',
  description:
    'exact: from everything recorded by that time. swept: each account was counted at that time or later. sampled: estimated from a sample. counted: a crash loses up to two seconds',
})

const asOf = addedField(timestamp('time of the figure'))

const rangeFields = {
  as_of: timestamp('time of the response, which includes everything recorded before'),
  basis: Type.Enum([...STATISTICS_BASES], {
    type: 'string',
    description: 'date basis as requested: order date (`ordered`) or posting date (`posted`, deprecated: `booked`)',
  }),
  from: day('the first day'),
  to: day('the last day'),
}

export const SHARED_RESPONSES = {
  tokenId,
  tokenName,
  rev,
  stateVersion,
  after,
  nextLevel,
  day,
  dayOrNull,
  explanationFields,
  explanation,
  upsertSummary,
  orderUpsertSummary,
  quality,
  asOf,
  rangeFields,
} as const
