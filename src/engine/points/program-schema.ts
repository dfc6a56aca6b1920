import type { TOptional } from 'typebox'
import { AMOUNT_DIGITS } from './arithmetic.ts'
import { ATTRIBUTE_TYPES, ATTRIBUTES_MAX, type AttributeType } from './attributes.ts'
import { PERIOD_PATTERN, ROUNDINGS_UP } from './calendar.ts'
import { RATE_DIGITS } from './currency.ts'
import { Type } from './json-schema.ts'
import { HOLD_PATTERN } from './redeem-rules.ts'
import { ROUNDINGS } from './rounding.ts'
import { WEEKDAYS } from './rule-schedule.ts'
import { type AnyRuleKind, RULE_KINDS } from './rules/index.ts'
import { aboveZero, booleanField, enumField, factorText } from './rules/rule-kind.ts'

/*
 * The schema of a program file. Editors show `description` to the author; `expected` is what a person reads when a value does not
 * match. What a schema cannot express (ascending levels, unique names) is checked by `readProgram`.
 */

const text = (description: string, expected: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, expected })
const condition = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2_000,
    description,
    expected: 'a condition of at most 2,000 characters, like order.net >= 100',
  })
const closed = (description: string, expected: string) => ({ additionalProperties: false, description, expected })

const wholePoints = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    expected: 'a non-negative integer',
  })

const levelSchema = Type.Object(
  {
    name: text('name of the level, shown to players and in messages', 'the name of the level'),
    from: wholePoints('points at which the level starts; 0 for the first, then ascending'),
  },
  closed('a level of the ladder', 'name and from'),
)

export const oneKind = `one kind of rule: ${RULE_KINDS.map(({ kind }) => kind).join(', ')}`

const dayText = (description: string) =>
  Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description, expected: 'a date like 2026-11-27' })

export const CURRENCY_CODE = 'an ISO 4217 currency code like EUR'
const RATE = `^\\d{1,9}(\\.\\d{1,${RATE_DIGITS}})?$`

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]'

const duringSchema = Type.Object(
  {
    from: Type.Optional(dayText('first day')),
    until: Type.Optional(dayText('last day, inclusive')),
    days: Type.Optional(
      Type.Array(enumField(WEEKDAYS, 'a day of the week'), {
        minItems: 1,
        maxItems: 7,
        description: 'days of the week',
        expected: `an array of ${WEEKDAYS.join(', ')}`,
      }),
    ),
    hours: Type.Optional(
      Type.String({
        pattern: `^${CLOCK}-(${CLOCK}|24:00)$`,
        description: 'start and exclusive end, like "18:00-20:00"; "22:00-02:00" ends on the next day',
        expected: 'a time range in quotes, like "18:00-20:00"',
      }),
    ),
  },
  closed("when the rule applies, by the order's local date and time", 'from, until, days and hours'),
)

const ruleSchema = Type.Object(
  {
    name: text('unique name of the rule, shown in explanations', 'the name of the rule'),
    when: Type.Optional(
      condition('CEL condition over order, player, line and lines, like order.net >= 5000; default: always applies'),
    ),
    during: Type.Optional(duringSchema),
    least: Type.Optional(
      aboveZero(
        'minimum of the lines that the condition selects: their share of the net amount, in main units of money',
      ),
    ),
    ...(Object.fromEntries(RULE_KINDS.map(({ kind, fields }) => [kind, Type.Optional(fields)])) as {
      [One in AnyRuleKind as One['kind']]: TOptional<One['fields']>
    }),
  },
  closed(`a rule: its name, ${oneKind}, and when it applies`, `name, when, during, least and ${oneKind}`),
)

const sentence = (when: string) =>
  Type.Optional(
    text(
      `message if ${when}; placeholders: {points}, {points_text}, {level}, {usable_on}, {valid_until}, {redeemed}, {redeemed_text}`,
      'a non-empty string',
    ),
  )

const messagesSchema = Type.Object(
  {
    upgraded: sentence('the order raises the level'),
    stays: sentence('the level stays the same'),
    falls: sentence('the level is lower than before'),
  },
  closed('custom messages; default: built-in English messages', 'upgraded, stays and falls'),
)

const windowSchema = Type.Object(
  {
    window: Type.String({
      pattern: '^P[1-9][0-9]{0,2}M$',
      description: 'number of calendar months: P12M counts the last twelve',
      expected: 'a duration in months like P12M, between P1M and P999M',
    }),
  },
  closed('only the points of the last calendar months count', 'window'),
)

const referralSchema = Type.Object(
  {
    friend: wholePoints('points for the referred player, added to those of their first order'),
    referrer: wholePoints('points for the owner of the referral code'),
    counts: Type.Optional(booleanField("if true, the referrer's points count for their level; default: true")),
  },
  closed("points for a referral, given with the referred player's first order", 'friend, referrer and counts'),
)

const moneySchema = Type.Object(
  {
    decimals: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: AMOUNT_DIGITS,
        description: 'decimal places of total_amount and discount; 2 for cents; default: 0',
        expected: `an integer between 0 and ${AMOUNT_DIGITS}`,
      }),
    ),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description:
          'currency of the program, like EUR; orders that name another one are refused, unless it has a rate',
        expected: CURRENCY_CODE,
      }),
    ),
    rates: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: {
          type: 'string',
          pattern: RATE,
          description: 'what 1 of the other currency is worth in the currency of the program, in quotes',
          expected: 'a rate greater than 0 with at most 8 decimal places, in quotes, like "1.17"',
        },
        minProperties: 1,
        maxProperties: 50,
        description: 'other currencies of orders, and what 1 of each is worth in the currency of the program',
        expected: 'rates by currency, like { GBP: "1.17" }',
      }),
    ),
  },
  closed('amounts of orders; default: integers, in any currency', 'decimals, currency and rates'),
)

const attributesOf = (what: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, AttributeType>>>({
      type: 'object',
      additionalProperties: {
        enum: [...ATTRIBUTE_TYPES],
        description: 'type of the attribute',
        expected: `one of ${ATTRIBUTE_TYPES.join(', ')}`,
      },
      maxProperties: ATTRIBUTES_MAX,
      description: `attributes of ${what} that conditions use, and their types: ${ATTRIBUTE_TYPES.join(', ')}`,
      expected: `at most ${ATTRIBUTES_MAX} names and types, like { category: text }`,
    }),
  )

const attributesSchema = Type.Object(
  { product: attributesOf('lines'), order: attributesOf('orders'), player: attributesOf('players') },
  closed('attributes that conditions use: line.attributes.category', 'product, order and player'),
)

const statisticsSchema = Type.Object(
  {
    by: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'attribute of orders by which they are counted, declared as text under attributes.order',
      expected: 'the name of an attribute of orders, like store',
    }),
  },
  closed('what statistics count orders by', 'by, like { by: store }'),
)

const period = (description: string) =>
  Type.String({ pattern: PERIOD_PATTERN, description, expected: 'a duration like P90D, P12M or P1Y' })

const pointsSchema = Type.Object(
  {
    pending: Type.Optional(
      Type.Object(
        {
          days: Type.Integer({
            minimum: 0,
            maximum: 3_650,
            description: 'number of days before points can be spent',
            expected: 'an integer between 0 and 3650',
          }),
          after: Type.Optional(
            enumField(
              ['ordered', 'fulfilled'],
              'start of the pending days: `ordered` (default) or `fulfilled`; the latter waits for fulfilled_at',
            ),
          ),
        },
        closed('pending period before points can be spent', 'days and after'),
      ),
    ),
    expire: Type.Optional(
      Type.Object(
        {
          after: Type.Optional(period('lifetime of points, from when they become usable')),
          inactive: Type.Optional(period('lifetime of points, from the last order or redemption')),
          'at-end-of': Type.Optional(
            enumField([...ROUNDINGS_UP], 'points expire at the end of the day (default), the month or the year'),
          ),
        },
        closed('when points expire', 'after or inactive, and at-end-of'),
      ),
    ),
    'earlier-points': Type.Optional(
      period('expiry of existing points without one, from when this version takes effect or they become usable'),
    ),
  },
  closed('when points become usable, and when they expire', 'pending, expire and earlier-points'),
)

const abovePoints = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    expected: 'an integer greater than 0',
  })

const redeemSchema = Type.Object(
  {
    value: Type.Optional(
      Type.Object(
        {
          points: abovePoints('number of points'),
          pays: aboveZero('what this number of points pays of an order, in main units of money'),
        },
        closed('what points pay', 'points and pays'),
      ),
    ),
    step: Type.Optional(abovePoints('points are redeemed in multiples of this; default: 1')),
    least: Type.Optional(wholePoints('minimum points per order or redemption; default: 0')),
    'at-most': Type.Optional(
      Type.Object(
        {
          share: Type.Optional(factorText),
          points: Type.Optional(abovePoints('maximum points per order')),
        },
        closed('maximum per order: a share of its net, or a number of points', 'share or points'),
      ),
    ),
    when: Type.Optional(
      condition('CEL condition over order and player: which orders can be paid with points; default: all'),
    ),
    'part-paid-earns': Type.Optional(
      booleanField('if true, the part paid with points earns points too; default: false (net is reduced by it)'),
    ),
    'in-discount': Type.Optional(
      booleanField("if true, the shop's discount already includes the part paid with points; default: false"),
    ),
    overdraft: Type.Optional(
      wholePoints('how far below 0 a redemption may take the balance, for offline tills; default: 0'),
    ),
    'given-back': Type.Optional(period('lifetime of points that are refunded after their expiry')),
    hold: Type.Optional(
      Type.String({
        pattern: HOLD_PATTERN,
        description: 'duration of a hold; default: PT15M',
        expected: 'a duration like PT15M, PT2H or P3D',
      }),
    ),
    rewards: Type.Optional(
      Type.Array(
        Type.Object(
          { name: text('name of the reward', 'the name of the reward'), points: abovePoints('price in points') },
          closed('a reward', 'name and points'),
        ),
        { minItems: 1, maxItems: 200, description: 'rewards for points', expected: 'an array of 1 to 200 rewards' },
      ),
    ),
  },
  closed(
    'how points are spent',
    'value, step, least, at-most, when, part-paid-earns, in-discount, overdraft, given-back, hold and rewards',
  ),
)

export const programSchema = Type.Object(
  {
    name: text('name of the program', 'the name of the program'),
    'time-zone': Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,99}$',
        description: 'time zone of dates, hours and ages, like Europe/London; default: UTC',
        expected: 'a time zone like Europe/London',
      }),
    ),
    money: Type.Optional(moneySchema),
    attributes: Type.Optional(attributesSchema),
    statistics: Type.Optional(statisticsSchema),
    rounding: enumField(ROUNDINGS, "how an order's sum is rounded to whole points, once"),
    levels: Type.Object(
      {
        counts: Type.Union([Type.Literal('lifetime'), windowSchema], {
          description:
            'which points count for the level: lifetime, all ever earned; or { window: P12M }, those of the last months',
          expected: 'lifetime or { window: P12M }',
        }),
        ladder: Type.Array(levelSchema, {
          minItems: 1,
          maxItems: 100,
          description: 'the levels, ascending, the first from 0',
          expected: 'an array of 1 to 100 levels',
        }),
      },
      closed('the levels of players', 'counts and ladder'),
    ),
    earn: Type.Array(ruleSchema, {
      maxItems: 200,
      description: 'the rules, applied in this order; each becomes a line of the explanation',
      expected: 'an array of at most 200 rules',
    }),
    referral: Type.Optional(referralSchema),
    points: Type.Optional(pointsSchema),
    redeem: Type.Optional(redeemSchema),
    messages: Type.Optional(messagesSchema),
  },
  closed(
    'how orders earn points, and how players reach levels and spend points',
    'name, time-zone, money, attributes, statistics, rounding, levels, earn, referral, points, redeem and messages',
  ),
)

/**
 * The schema as a JSON Schema (draft 2020-12) file for editors. It accepts exactly what the schema check accepts; `program check`
 * finds more. Its `$id` is relative, so the file can be served from anywhere.
 */
export function programSchemaText(): string {
  const published = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'program.json',
    title: 'A points program of Laurel',
    ...programSchema,
  }
  // No field of a program is called `expected`.
  return `${JSON.stringify(published, (key, value) => (key === 'expected' ? undefined : value), 2)}\n`
}
