/*
 * Schemas that the answers of several resources share.
 */
import { REJECTION_VERDICTS } from '../engine/ingest/batch.ts'
import { addedField, Type } from '../engine/points/json-schema.ts'
import { NOTHING_REASONS } from '../engine/points/model.ts'
import { ANSWER_PARTS } from './answer-parts.ts'

const { listOf, orNull, text, moment, whole, signed, exact, messageText } = ANSWER_PARTS

const tokenId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the public id of the token' })

const tokenName = orNull(Type.String(), 'what the token is for; null: it belongs to a process alone')

const rev = whole('1 for a new record, and one more for each change')

const stateVersion = orNull(
  whole('the version that the sender gave the state'),
  'the version that the sender gave the state; null: none',
)

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
        points: exact('what the rule gave'),
        because: Type.Unsafe<Readonly<Record<string, string>>>({
          type: 'object',
          additionalProperties: Type.String(),
          description: 'the numbers that the rule used, by name; exact',
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
        kind: Type.Optional(text('why, for machines; only for a referral, such as not-first')),
        why: text('why, for people'),
      },
      { title: 'RuleNotApplied', description: 'A rule that gave nothing' },
    ),
    'each rule that gave nothing',
  ),
  rounding: exact('what rounding added: the points of all rules and the rounding add up to total_points'),
  level: Type.Object(
    {
      before: text('the level without this order'),
      after: text('the level with this order'),
      upgraded: Type.Boolean({ description: 'whether the order lifts the player to a higher level' }),
      counted: signed('the points that count for the level, this order included'),
      next: nextLevel,
    },
    { title: 'LevelChange', description: 'The level at the moment of the order' },
  ),
  notes: listOf(
    Type.Object(
      {
        kind: text(
          'paid-with-points, unknown-product, no-price, price-differs, unknown-referral-code, stale, conflict, or more: how many were left out',
        ),
        text: text('the note, for people'),
        line: Type.Optional(whole('the line of the order, counted from 0')),
        sku: Type.Optional(text('the product of the line')),
      },
      { title: 'Note', description: 'A remark on the order that does not affect its points' },
    ),
    'at most 20 remarks, and one that says how many more there are',
  ),
  nothing: Type.Optional(
    Type.Enum([...NOTHING_REASONS], {
      type: 'string',
      description: 'why the order earns nothing, if it does; absent in older records, from before it was kept',
    }),
  ),
  program: Type.Object(
    { version: whole('the number of the version'), name: text('the name of the program') },
    { title: 'AppliedProgram', description: 'The program that was applied' },
  ),
}

const explanation = Type.Object(explanationFields, {
  title: 'Explanation',
  description: 'What an order earns, and why: every rule, the rounding, the level, notes',
})

const upsertFields = {
  message: messageText,
  inserted: whole('how many records were new'),
  updated: whole('how many records were known already'),
  skipped: whole('how many records were neither inserted nor updated'),
  unchanged: Type.Optional(whole('with unchanged=true: how many valid records changed nothing')),
  results: Type.Optional(
    listOf(
      Type.Object(
        {
          position: whole('the place of the record in data, counted from 0'),
          key: Type.Optional(text('the key of the record, where it has a usable one')),
          verdict: Type.Enum(['unchanged', 'invalid', ...REJECTION_VERDICTS], {
            type: 'string',
            description:
              'unchanged: nothing to do. invalid: path and error say why. stale: a newer state is recorded. conflict: another state has the same version. insufficient-points: the player has too few. not-allowed: the token does not have the scope redeem',
          }),
          path: Type.Optional(text('where the fault is, such as data[3].DOB')),
          error: Type.Optional(text('what is wrong, and what is expected')),
        },
        { title: 'SkippedRecord', description: 'A record that was neither inserted nor updated, and why' },
      ),
      'with details=true: the first 1,000 skipped records',
    ),
  ),
  results_more: Type.Optional(whole('how many more there are than results contains')),
}

const upsertSummary = Type.Object(upsertFields, {
  title: 'UpsertSummary',
  description: 'What became of the records: the three counts add up to those sent',
})

const orderUpsertSummary = Type.Object(
  {
    ...upsertFields,
    out_of_order: Type.Optional(
      whole(
        'with dry_run=true or details=true, under a program that looks at history: how many orders are older than one recorded before them',
      ),
    ),
    used_again: Type.Optional(
      whole(
        'with dry_run=true or details=true, where there are any: how many orders are probably others than those recorded under their ids',
      ),
    ),
    notes: Type.Optional(
      listOf(
        Type.Object(
          {
            position: whole('the place of the record in data, counted from 0'),
            key: text('the key of the record'),
            kind: Type.Enum(['out-of-order', 'overpaid', 'used-again'], {
              type: 'string',
              description:
                'out-of-order: a new order is older than one recorded before it, and the program looks at history. overpaid: points pay more than the order is worth now. used-again: the order recorded under this id is more than 180 days away and has another amount, discount or lines',
            }),
            text: text('the same, for people'),
            points: Type.Optional(whole('how many points too many')),
            ordered_at: Type.Optional(moment('of used-again: when the recorded order was placed')),
          },
          { title: 'RecordNote', description: 'What should be known about a record that was accepted' },
        ),
        'with details=true, where there are any: the first 1,000 notes on orders that were accepted',
      ),
    ),
    notes_more: Type.Optional(whole('how many more there are than notes contains')),
  },
  { title: 'OrderUpsertSummary', description: 'What became of the orders: the three counts add up to those sent' },
)

const quality = Type.Enum(['exact', 'swept', 'sampled', 'counted'], {
  type: 'string',
  description:
    'exact: from all that is recorded at that moment. swept: each account was counted at that moment or later. sampled: estimated from some of them. counted: a crash loses a second or two',
})

const asOf = addedField(moment('the figure is as of this moment'))

const asked = {
  as_of: moment('the moment of the answer, which includes everything recorded before'),
  basis: Type.Enum(['ordered', 'booked'], {
    type: 'string',
    description: 'whether days are those of the order or of the recording',
  }),
  from: day('the first day'),
  to: day('the last day'),
}

export const SHARED_ANSWERS = {
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
  asked,
} as const
