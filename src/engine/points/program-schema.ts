import type { TOptional } from 'typebox'
import { AMOUNT_DIGITS } from './arithmetic.ts'
import { PERIOD_PATTERN, ROUNDINGS_UP } from './calendar.ts'
import { WEEKDAYS } from './during.ts'
import { Type } from './json-schema.ts'
import { HOLD_PATTERN } from './redeem-rules.ts'
import { ROUNDINGS } from './rounding.ts'
import { type AnyRuleKind, RULE_KINDS } from './rules/index.ts'
import { aboveZero, booleanField, enumField, factorText } from './rules/rule-kind.ts'

/*
 * The schema of a program file. Editors show `description` to the author; `expected` is what a person reads when a value does not
 * match. What a schema cannot express (ascending levels, unique names) is checked by `readProgram`.
 */

const text = (description: string, expected: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, expected })
const closed = (description: string, expected: string) => ({ additionalProperties: false, description, expected })

const wholePoints = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    expected: 'a whole number of points',
  })

const levelSchema = Type.Object(
  {
    name: text('what players and messages call the level', 'the name of the level'),
    from: wholePoints('the points from which the level holds; 0 for the first, more for each next one'),
  },
  closed('a level of the ladder', 'name and from'),
)

export const oneKind = `one kind of rule: ${RULE_KINDS.map(({ kind }) => kind).join(', ')}`

const dayText = (description: string) =>
  Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description, expected: 'a day like 2026-11-27' })

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]'

const duringSchema = Type.Object(
  {
    from: Type.Optional(dayText('the first day')),
    until: Type.Optional(dayText('the last day')),
    days: Type.Optional(
      Type.Array(enumField(WEEKDAYS, 'a day of the week'), {
        minItems: 1,
        maxItems: 7,
        description: 'days of the week',
        expected: `a list of ${WEEKDAYS.join(', ')}`,
      }),
    ),
    hours: Type.Optional(
      Type.String({
        pattern: `^${CLOCK}-(${CLOCK}|24:00)$`,
        description: 'from one time to before another: "18:00-20:00"; "22:00-02:00" ends on the day after',
        expected: 'two times in quotes, like "18:00-20:00"',
      }),
    ),
  },
  closed("the days and hours of the order's moment in which the rule holds", 'from, until, days and hours'),
)

const ruleSchema = Type.Object(
  {
    name: text('what the explanation of an order calls the rule; a name of its own', 'the name of the rule'),
    when: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'a condition in CEL over order, player and line, like order.net >= 5000; without one the rule always applies',
        expected: 'a condition',
      }),
    ),
    during: Type.Optional(duringSchema),
    ...(Object.fromEntries(RULE_KINDS.map(({ kind, fields }) => [kind, Type.Optional(fields)])) as {
      [One in AnyRuleKind as One['kind']]: TOptional<One['fields']>
    }),
  },
  closed(`a rule: its name, ${oneKind}, and when it applies`, `name, when, during and ${oneKind}`),
)

const sentence = (when: string) =>
  Type.Optional(
    text(
      `said when ${when}; {points}, {points_text}, {level}, {usable_on}, {valid_until}, {redeemed} and {redeemed_text} are filled in`,
      'a sentence',
    ),
  )

const messagesSchema = Type.Object(
  {
    upgraded: sentence('the order lifts the level'),
    stays: sentence('the level is the same'),
    falls: sentence('the level is lower than before'),
  },
  closed('sentences of your own; English is built in', 'upgraded, stays and falls'),
)

const windowSchema = Type.Object(
  {
    window: Type.String({
      pattern: '^P[1-9][0-9]{0,2}M$',
      description: 'how many calendar months back points count: P12M is the last twelve',
      expected: 'calendar months like P12M, 1 to 999',
    }),
  },
  closed('only the points of the last calendar months count', 'window'),
)

const referralSchema = Type.Object(
  {
    friend: wholePoints("points for the referred player, on top of what their first order's rules give"),
    referrer: wholePoints('points for the player whose code that order carries'),
    counts: Type.Optional(booleanField("whether the referrer's points count for their level; true where absent")),
  },
  closed("what a referred player's first order gives besides its rules", 'friend, referrer and counts'),
)

const moneySchema = Type.Object(
  {
    decimals: Type.Integer({
      minimum: 0,
      maximum: AMOUNT_DIGITS,
      description:
        'how many digits total_amount and discount of an order may have after the point: 2 where there are cents',
      expected: `a whole number from 0 to ${AMOUNT_DIGITS}`,
    }),
  },
  closed('how amounts of orders are written; whole numbers where absent', 'decimals'),
)

const period = (description: string) =>
  Type.String({ pattern: PERIOD_PATTERN, description, expected: 'a time like P90D, P12M or P1Y' })

const pointsSchema = Type.Object(
  {
    pending: Type.Optional(
      Type.Object(
        {
          days: Type.Integer({
            minimum: 0,
            maximum: 3_650,
            description: 'how many days points wait before they can be spent',
            expected: 'a whole number of days, 0 to 3650',
          }),
          after: Type.Optional(
            enumField(
              ['ordered', 'fulfilled'],
              'counted from the day of the order (ordered, where absent) or of its fulfilled_at, without which points wait',
            ),
          ),
        },
        closed('how long points wait before they can be spent', 'days and after'),
      ),
    ),
    expire: Type.Optional(
      Type.Object(
        {
          after: Type.Optional(period('how long after they become usable points expire')),
          inactive: Type.Optional(period('how long after the last order or redemption points expire')),
          'at-end-of': Type.Optional(
            enumField(
              [...ROUNDINGS_UP],
              'whether points expire at the end of the day (where absent), the month or the year',
            ),
          ),
        },
        closed('when points expire', 'after or inactive, and at-end-of'),
      ),
    ),
    'earlier-points': Type.Optional(
      period(
        'assigns an expiry to earlier points that have none: this long after the version takes effect, or after they become usable',
      ),
    ),
  },
  closed('when points become usable, and when they expire', 'pending, expire and earlier-points'),
)

const abovePoints = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    expected: 'a whole number of points above 0',
  })

const redeemSchema = Type.Object(
  {
    value: Type.Optional(
      Type.Object(
        {
          points: abovePoints('this many points'),
          pays: aboveZero('pay this much of an order, in main units of money'),
        },
        closed('what points pay', 'points and pays'),
      ),
    ),
    step: Type.Optional(abovePoints('points are redeemed in multiples of this; 1 where absent')),
    least: Type.Optional(wholePoints('the least that an order or a redemption may redeem; 0 where absent')),
    'at-most': Type.Optional(
      Type.Object(
        {
          share: Type.Optional(factorText),
          points: Type.Optional(abovePoints('the most points that an order may redeem')),
        },
        closed('the most that an order may redeem: a share of its net, or a number of points', 'share or points'),
      ),
    ),
    when: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'a condition in CEL over order and player: orders that may be paid with points',
        expected: 'a condition',
      }),
    ),
    'part-paid-earns': Type.Optional(
      booleanField('whether the part paid with points earns points too; false where absent: net is reduced by it'),
    ),
    'in-discount': Type.Optional(
      booleanField("whether the shop's discount already includes what points pay; false where absent"),
    ),
    overdraft: Type.Optional(
      wholePoints('how far below 0 a redemption may take the balance, for tills that work offline; 0 where absent'),
    ),
    'given-back': Type.Optional(period('how long points that are given back after they expired remain valid')),
    hold: Type.Optional(
      Type.String({
        pattern: HOLD_PATTERN,
        description: 'how long a hold lasts; PT15M where absent',
        expected: 'a time like PT15M, PT2H or P3D',
      }),
    ),
    rewards: Type.Optional(
      Type.Array(
        Type.Object(
          { name: text('what the reward is called', 'the name of the reward'), points: abovePoints('what it costs') },
          closed('a reward', 'name and points'),
        ),
        { minItems: 1, maxItems: 200, description: 'what points buy', expected: 'a list of 1 to 200 rewards' },
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
    name: text('what the program is called', 'the name of the program'),
    'time-zone': Type.Optional(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,99}$',
        description: 'the time zone of days, hours and ages, like Europe/London; UTC where absent',
        expected: 'the name of a time zone like Europe/London',
      }),
    ),
    money: Type.Optional(moneySchema),
    rounding: enumField(ROUNDINGS, "how an order's sum becomes whole points, once"),
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
          expected: 'a list of 1 to 100 levels',
        }),
      },
      closed('how points lift a player', 'counts and ladder'),
    ),
    earn: Type.Array(ruleSchema, {
      maxItems: 200,
      description: 'the rules, applied in this order; each becomes a line of the explanation',
      expected: 'a list of at most 200 rules',
    }),
    referral: Type.Optional(referralSchema),
    points: Type.Optional(pointsSchema),
    redeem: Type.Optional(redeemSchema),
    messages: Type.Optional(messagesSchema),
  },
  closed(
    'what an order earns, and which level that reaches',
    'name, time-zone, money, rounding, levels, earn, referral, points, redeem and messages',
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
