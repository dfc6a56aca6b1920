/*
 * Generated points programs, for properties that must hold under every program: all kinds of rules, all bases, and conditions that may fail
 * during evaluation (a division by zero, an unknown age, a missing line).
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { readStoredProgram } from '../../src/engine/ingest/program-text.ts'
import { amountText } from '../../src/engine/points/arithmetic.ts'
import type { Program } from '../../src/engine/points/program-model.ts'

const NUMBER_MAX = 10n ** 19n - 1n

/** Names that a file must quote or escape, without braces, which messages use for placeholders. */
const names = fc
  .oneof(
    fc.constantFrom('base', 'Gold', 'two words', 'null', '1e3', '"', "'", '- x', ': y', '#', 'é', '\\n', '__proto__'),
    fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  )
  .map((name) => name.replaceAll(/[{}]/g, '|'))
  .filter((name) => name.length <= 30)

const numbers = (min: bigint) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<string | number>(1, 2.5, 10, '0.0001', '3', '7.0003') },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    fc.bigInt({ min, max: NUMBER_MAX }).map(amountText),
  )
const positive = numbers(1n)

// The kinds of rules. A rule is a draft until it gets its name; `rules` then become the names of some earlier ones.

type Draft = Readonly<{ when?: string; multiply?: { by: string; rules?: readonly number[] } }>

const perAmount = (of: readonly string[]) =>
  fc.record({
    'per-amount': fc.record({
      points: positive,
      every: positive,
      of: fc.constantFrom(...of),
      'whole-steps': fc.boolean(),
    }),
  })
const perUnit = fc.record({ 'per-unit': fc.record({ points: positive }) })
const fixed = fc.record({ fixed: fc.record({ points: positive }) })
const atMost = fc.record({ 'at-most': fc.record({ points: fc.oneof(fc.constantFrom(0, '99.5', 5_000), numbers(0n)) }) })
const multiply = (common: readonly string[], min: bigint) =>
  fc.record({
    multiply: fc.record(
      {
        by: fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...common) },
          fc.bigInt({ min, max: NUMBER_MAX }).map(amountText),
        ),
        rules: fc.array(fc.oneof(fc.constant(0), fc.nat()), { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ['by'] },
    ),
  })

const BASES = ['net', 'total', 'lines', 'catalogue']
const BASES_OF_LINES = ['net', 'lines', 'catalogue']

// Conditions.

/** A placeholder for a level's name until the ladder is known. */
const LEVEL = '<level>'

const calculated = (values: readonly string[], operators: readonly string[], more: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...values), fc.constantFrom(...operators), fc.constantFrom(...values, ...more))
    .map(([left, operator, right]) => `(${left} ${operator} ${right})`)

const compared = (left: fc.Arbitrary<string>, right: fc.Arbitrary<string>) =>
  fc
    .tuple(left, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), right)
    .map(([left, operator, right]) => `${left} ${operator} ${right}`)

const joined = (asked: fc.Arbitrary<string>, shapes = ['A', '!(A)', 'A && B', 'A || B', '(A) ? (B) : !(A)']) =>
  fc
    .tuple(fc.constantFrom(...shapes), asked, asked)
    .map(([shape, a, b]) => shape.replaceAll(/[AB]/g, (which) => (which === 'A' ? a : b)))

const AMOUNTS = ['order.net', 'order.total', 'order.discount', 'order.qty', 'order.lines[1].amount']
const WHOLES = ['player.points', 'player.earned', 'player.orders', 'player.age', 'size(order.lines)', '0']
const ofLine = fc.constantFrom('line.amount', 'line.qty', 'line.price')
const ofOrder = fc.oneof(fc.constantFrom(...AMOUNTS, '99.5'), calculated(AMOUNTS, ['+', '-', '*', '/'], ['0.0']))
const whole = calculated(WHOLES, ['+', '-', '*', '/', '%'], ['7', '9223372036854775807'])

const orderCondition = fc.oneof(
  compared(ofOrder, ofOrder),
  fc.constantFrom(
    'order.subscript_points',
    'order.referral_code == ""',
    'order.id.startsWith("o")',
    'int(order.id) > 3',
    'order.at.getFullYear() > 2020',
    'order.at > timestamp("2026-01-01T00:00:00Z")',
    'order.lines.exists(l, l.sku == "a" && l.qty > 1.0)',
    'order.lines.all(l, l.known)',
    'order.lines.filter(l, l.price > 10.0).size() > 1',
  ),
)
const playerCondition = fc.oneof(
  compared(whole, whole),
  fc.constantFrom(
    'player.known',
    'player.age >= 18',
    'has(player.age) && player.age < 30',
    'player.country == "India"',
    'player.gender != "male" || player.state.contains("a")',
    `player.level == ${LEVEL}`,
    `${LEVEL} != player.level`,
    `player.level in [${LEVEL}, ${LEVEL}]`,
  ),
)
const lineCondition = fc.oneof(
  compared(ofLine, ofOrder),
  fc.constantFrom('line.known', 'line.sku.startsWith("a")', 'line.sku == ""', 'int(line.sku) > 0'),
)
const monotoneOrderCondition = fc.constantFrom(
  'order.net >= 100.0',
  'order.total * 2.0 > 99.5',
  'order.lines.exists(l, l.amount > 50.0)',
)
const monotoneLineCondition = fc.constantFrom('line.amount > 50.0', 'line.amount >= order.discount')

// Rules.

const rule = (condition: fc.Arbitrary<string>, form: fc.Arbitrary<object>): fc.Arbitrary<Draft> =>
  fc.tuple(fc.record({ when: condition }, { requiredKeys: [] }), form).map(([when, form]) => ({ ...when, ...form }))

/** Often 0, and often for the first rule: removing the same points twice would then show. */
const factors = multiply(['0', '0', '0', '0.5', '1.5'], 0n)
const anyRule = fc.oneof(
  {
    weight: 2,
    arbitrary: rule(
      joined(fc.oneof(orderCondition, playerCondition)),
      fc.oneof(perAmount(BASES), perUnit, fixed, { weight: 3, arbitrary: factors }, atMost),
    ),
  },
  rule(joined(lineCondition), fc.oneof(perAmount(BASES_OF_LINES), perUnit, fixed)),
)

const growing = ['A', 'A && B', 'A || B']
const monotoneRule = fc.oneof(
  rule(
    joined(fc.oneof(monotoneOrderCondition, playerCondition), growing),
    fc.oneof(perAmount(BASES), perUnit, fixed, multiply(['1', '1.5', '3'], 10_000n)),
  ),
  rule(joined(monotoneLineCondition, growing), fc.oneof(perAmount(BASES_OF_LINES), perUnit, fixed)),
  rule(fc.oneof(fc.constant('player.orders >= 0'), playerCondition), atMost),
)

// Programs.

const ladder = fc
  .tuple(
    fc.uniqueArray(names, { minLength: 1, maxLength: 6 }),
    fc.uniqueArray(
      fc.oneof(
        fc.integer({ min: 1, max: 5_000 }),
        fc.maxSafeNat().filter((from) => from > 0),
      ),
      { minLength: 6, maxLength: 6 },
    ),
  )
  .map(([names, froms]) => {
    const ascending = [0, ...froms.sort((a, b) => a - b)]
    return names.map((name, index) => ({ name, from: ascending[index]! }))
  })

const sentence = fc
  .array(fc.oneof(fc.constantFrom('{points_text}', '{level}', ' '), names), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''))

function sources(rules: fc.Arbitrary<Draft>, mayBeNamed: (draft: Draft) => boolean): fc.Arbitrary<string> {
  const program = fc.record(
    {
      name: names,
      rounding: fc.constantFrom('floor', 'half-up', 'ceil'),
      counts: fc.oneof(
        fc.constant('lifetime'),
        fc.integer({ min: 1, max: 999 }).map((months) => ({ window: `P${months}M` })),
      ),
      ladder,
      drafts: fc.array(rules, { maxLength: 10 }),
      ruleNames: fc.uniqueArray(
        names.filter((name) => name !== 'referral'),
        { minLength: 10, maxLength: 10 },
      ),
      referral: fc.record(
        { friend: fc.maxSafeNat(), referrer: fc.maxSafeNat(), counts: fc.boolean() },
        { requiredKeys: ['friend', 'referrer'] },
      ),
      messages: fc.record({ upgraded: sentence, stays: sentence, falls: sentence }, { requiredKeys: [] }),
      format: fc.constantFrom(JSON.stringify, stringify),
    },
    { requiredKeys: ['name', 'rounding', 'counts', 'ladder', 'drafts', 'ruleNames', 'format'] },
  )
  return program.map(({ counts, ladder, drafts, ruleNames, format, ...rest }) => {
    const earn = drafts.map((draft, index) => {
      const earlier = ruleNames.slice(0, index).filter((_, before) => mayBeNamed(drafts[before]!))
      const levels = ladder.map(({ name }) => JSON.stringify(name))
      return { name: ruleNames[index]!, ...finished(draft, earlier, levels) }
    })
    return format({ ...rest, levels: { counts, ladder }, earn })
  })
}

function finished({ when, multiply, ...form }: Draft, earlier: readonly string[], levels: readonly string[]): object {
  let level = 0
  const names = earlier.length === 0 ? undefined : multiply?.rules?.map((rule) => earlier[rule % earlier.length]!)
  return {
    ...form,
    ...(when === undefined ? {} : { when: when.replaceAll(LEVEL, () => levels[level++ % levels.length]!) }),
    ...(multiply === undefined
      ? {}
      : { multiply: { by: multiply.by, ...(names === undefined ? {} : { rules: names }) } }),
  }
}

/** The text of a valid program, in YAML or JSON. */
export const anyProgramSource: fc.Arbitrary<string> = sources(anyRule, () => true)

/**
 * Programs under which a larger amount never earns less: no factor below 1, no cap that a rule multiplies on its own, and conditions that a larger
 * amount can only make true; the conditions of caps depend on the player only.
 */
export const monotoneProgramSource: fc.Arbitrary<string> = sources(monotoneRule, (draft) => !('at-most' in draft))

/** The same programs, parsed. */
export const anyProgram: fc.Arbitrary<Program> = anyProgramSource.map(programIn)

export function programIn(source: string): Program {
  const read = readStoredProgram(source)
  assert('program' in read, `${JSON.stringify('issues' in read && read.issues)} in ${source}`)
  return read.program
}
