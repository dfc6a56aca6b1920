/*
 * Points by the money of lines, compared with a plain model that was written from the documents alone.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { programIn } from '../../../test/support/generated.ts'
import {
  compared,
  earnedBy,
  type PlainCondition,
  type PlainLine,
  type PlainOrder,
  type PlainProgram,
  type PlainRule,
  type PlainShop,
  pointsOf,
  pointsWithoutLines,
} from '../../../test/support/plain-lines.ts'
import { NOON } from '../../../test/support/points.ts'
import { readSimulatedOrder } from '../ingest/order.ts'
import { amountText, parseAmount } from './arithmetic.ts'
import { attributeSetOf, withProductAttributes } from './attributes.ts'
import { type Order, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { withoutEachLine } from './without-lines.ts'

const RUNS = 300

// Amounts: small ones, which often meet a minimum exactly, and any.

const decimals = (digits: number, max = 2_000) =>
  fc.integer({ min: 0, max: max * 10 ** digits }).map((one) => amountText(BigInt(one) * 10n ** BigInt(4 - digits)))
const small = fc.constantFrom('1', '2', '3', '10', '25', '30', '50', '100', '150', '200')
const amount = fc.oneof(small, fc.constantFrom('0', '0.0001', '33.3333'), decimals(2), decimals(4))
const positive = fc.oneof(small, fc.constantFrom('0.5', '1.5', '7.0003'))
const limit = fc.oneof(small, fc.constantFrom('0', '0.5', '-1.5', '99.99'))

// Attributes: the same names for products with their lines, for orders and for players.

const TYPES = { label: 'text', size: 'number', flag: 'yes-no', since: 'date', tags: 'texts' } as const
const ATTRIBUTES = { product: TYPES, order: TYPES, player: TYPES } as const
const TEXTS = ['tea', 'cup', '', 'Tea']
const DAYS = ['2025-12-31', '2026-01-05', '2026-06-01']
const value = fc.constantFrom(...TEXTS, ...DAYS, 'true', 'false', true, false, 0, 5, -1.5, '2.5', [], ['tea', 'cup'])
const carried = fc.record(
  {
    label: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TEXTS) }, value),
    size: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(0, 5, -1.5, '2.5', '30') }, value),
    flag: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(true, false, 'true') }, value),
    since: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...DAYS) }, value),
    tags: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(['tea'], ['cup', 'tea'], []) }, value),
  },
  { requiredKeys: [] },
)
const attributes = fc.option(carried, { nil: undefined })

// Conditions.

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='] as const
const comparison = (field: string, values: fc.Arbitrary<string>, per?: string): fc.Arbitrary<PlainCondition> =>
  fc.record({ field: fc.constant(field), is: fc.constantFrom(...COMPARISONS), value: values }).map((one) => ({
    ...one,
    ...(per === undefined ? {} : { per }),
  }))

const ofAttributes = (owner: string): fc.Arbitrary<PlainCondition> =>
  fc.oneof(
    comparison(`${owner}.attributes.label`, fc.constantFrom(...TEXTS)),
    comparison(`${owner}.attributes.size`, limit),
    comparison(`${owner}.attributes.since`, fc.constantFrom(...DAYS)),
    fc.constant({ yes: `${owner}.attributes.flag` }),
    fc
      .constantFrom('tea', 'cup')
      .map((item) => ({ field: `${owner}.attributes.tags`, is: 'has' as const, value: item })),
  )

const SKUS = ['TEA', 'CUP', 'CARD', 'UNKNOWN']
const ofOrder = fc.oneof(
  ...['order.net', 'order.total', 'order.discount', 'order.qty'].map((field) => comparison(field, limit)),
  comparison('order.net', limit, 'order.qty'),
  ofAttributes('order'),
  ofAttributes('player'),
)
const ofLine = fc.oneof(
  { weight: 2, arbitrary: comparison('line.sku', fc.constantFrom(...SKUS)) },
  ...['line.amount', 'line.qty', 'line.price'].map((field) => comparison(field, limit)),
  comparison('line.amount', limit, 'line.qty'),
  fc.constant<PlainCondition>({ yes: 'line.known' }),
  { weight: 3, arbitrary: ofAttributes('line') },
)
const ofLines = fc.oneof(
  ...['lines.net', 'lines.amount', 'lines.qty'].map((field) => comparison(field, limit)),
  comparison('lines.net', limit, 'lines.qty'),
)

/** A part of a condition: its first comparison decides what it is about. */
const part = (
  first: fc.Arbitrary<PlainCondition>,
  others: fc.Arbitrary<PlainCondition>,
): fc.Arbitrary<PlainCondition> =>
  fc.oneof(
    { weight: 3, arbitrary: first },
    first.map((one) => ({ not: one })),
    fc.tuple(first, others).map((any) => ({ any })),
  )
const parts = (one: fc.Arbitrary<PlainCondition>, maxLength: number, minLength = 0) =>
  fc.array(one, { minLength, maxLength })
const whenOfOrder = fc
  .tuple(parts(part(ofOrder, ofOrder), 1), parts(part(ofLines, ofOrder), 1))
  .map((both) => both.flat())
const whenOfLines = fc
  .tuple(parts(part(ofLine, fc.oneof(ofLine, ofOrder)), 2, 1), whenOfOrder)
  .map((both) => both.flat())

function textOf(condition: PlainCondition): string {
  if ('any' in condition) return `(${condition.any.map(textOf).join(' || ')})`
  if ('not' in condition) return `!(${textOf(condition.not)})`
  if ('yes' in condition) return condition.yes
  const { field, per, is, value } = condition
  const isText = field === 'line.sku' || /label|since|tags/.test(field)
  const right = isText ? JSON.stringify(value) : value
  return is === 'has' ? `${right} in ${field}` : `${field}${per === undefined ? '' : ` / ${per}`} ${is} ${right}`
}

// Rules and programs.

type Draft = Omit<PlainRule, 'name'>
const perAmount = (of: readonly ('net' | 'total' | 'lines' | 'catalogue')[]) =>
  fc.record({ points: positive, every: positive, of: fc.constantFrom(...of), 'whole-steps': fc.boolean() })
const points = fc.record({ points: positive })
const given = (of: readonly ('net' | 'total' | 'lines' | 'catalogue')[]) =>
  fc.oneof(
    { weight: 4, arbitrary: perAmount(of).map((one) => ({ 'per-amount': one })) },
    points.map((one) => ({ 'per-unit': one })),
    points.map((one) => ({ fixed: one })),
  )
const factor = fc.constantFrom('0', '0.5', '1.1', '1.5', '2')
const multiply = fc
  .record({ by: factor, rules: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }) }, { requiredKeys: ['by'] })
  .map(({ by, rules }) => ({ multiply: rules === undefined ? { by } : { by, rules: rules.map((rule) => `r${rule}`) } }))
const atMost = fc.record({ points: amount }).map((one) => ({ 'at-most': one }))
const ruleOf = (when: fc.Arbitrary<PlainCondition[]>, kind: fc.Arbitrary<object>): fc.Arbitrary<Draft> =>
  fc.tuple(when, kind).map(([parts, kindOf]) => ({ when: parts, ...kindOf }))
const least = fc.record({ least: positive }, { requiredKeys: [] })
const draft = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(ruleOf(whenOfLines, given(['net', 'net', 'lines', 'catalogue'])), least)
      .map(([rule, more]): Draft => ({ ...rule, ...more })),
  },
  { weight: 2, arbitrary: ruleOf(whenOfOrder, given(['net', 'total', 'lines', 'catalogue'])) },
  ruleOf(whenOfOrder, fc.oneof(multiply, atMost)),
)

/** Names the rules, and of those that `multiply` names keeps the earlier ones. */
function named(drafts: readonly Draft[]): PlainRule[] {
  return drafts.map((rule, index) => {
    const earlier = rule.multiply?.rules?.filter((name) => Number(name.slice(1)) < index) ?? []
    const factors = rule.multiply && { by: rule.multiply.by, ...(earlier.length === 0 ? {} : { rules: earlier }) }
    return { ...rule, name: `r${index}`, ...(factors === undefined ? {} : { multiply: factors }) }
  })
}

const RATES = { GBP: '1.17', JPY: '0.0062', KWD: '3.33333333' }
const money = fc
  .record(
    { decimals: fc.constantFrom(0, 2, 4), currency: fc.constant('EUR'), rates: fc.constant(RATES) },
    { requiredKeys: ['decimals'] },
  )
  .map(({ rates, ...rest }) => (rest.currency === undefined || rates === undefined ? rest : { ...rest, rates }))
const program: fc.Arbitrary<PlainProgram> = fc.record({
  rounding: fc.constantFrom('floor', 'half-up', 'ceil'),
  money,
  attributes: fc.constant(ATTRIBUTES),
  earn: fc.array(draft, { minLength: 1, maxLength: 6 }).map(named),
})

/** The text of a program, as a shop writes it. */
function sourceOf({ earn, ...rest }: PlainProgram): string {
  const rules = earn.map(({ when, ...rule }) =>
    when.length === 0 ? rule : { ...rule, when: when.map(textOf).join(' && ') },
  )
  const levels = { counts: 'lifetime', ladder: [{ name: 'Member', from: 0 }] }
  return stringify({ name: 'Lines', levels, ...rest, earn: rules })
}

// Orders, and what is known besides.

const atMostOf = (text: string) =>
  fc.oneof(fc.constant(text), fc.bigInt({ min: 0n, max: parseAmount(text)! }).map(amountText))
const qty = fc.oneof(fc.constantFrom('1', '2', '3', '7'), fc.constantFrom('0', '0.75', '12.5'))
const line: fc.Arbitrary<PlainLine> = fc
  .record(
    { product_sku_id: fc.constantFrom(...SKUS), amount, qty, attributes: carried },
    { requiredKeys: ['product_sku_id'] },
  )
  .chain((sent) => {
    const units = atMostOf(sent.qty ?? '1').map((refunded) => ({ ...sent, refunded: { qty: refunded } }))
    const refunds = sent.amount === undefined ? [] : [atMostOf(sent.amount).map((refunded) => ({ ...sent, refunded }))]
    return fc.oneof({ weight: 3, arbitrary: fc.constant(sent) }, units, ...refunds)
  })
const orderIn = ({ money: { decimals: digits } }: PlainProgram): fc.Arbitrary<PlainOrder> =>
  fc.record(
    {
      total_amount: fc.oneof(small, decimals(digits)),
      discount: fc.oneof(fc.constant('0'), small, decimals(digits, 200)),
      total_qty: fc.nat(9).map(String),
      currency: fc.constantFrom('EUR', 'GBP', 'JPY', 'KWD', 'USD'),
      attributes: carried,
      products: fc.array(line, { maxLength: 6 }),
    },
    { requiredKeys: ['total_amount', 'discount', 'products'] },
  )
const shop: fc.Arbitrary<PlainShop> = fc.record({
  catalogue: fc
    .array(fc.record({ amount, attributes: carried }, { requiredKeys: ['amount'] }), { minLength: 3, maxLength: 3 })
    .map((products) => Object.fromEntries(products.map((product, index) => [SKUS[index]!, product]))),
  player: attributes.map((sent) => sent ?? {}),
})
const anyCase = program.chain((one) => fc.record({ program: fc.constant(one), order: orderIn(one), shop }))

/** What the engine says about an order that it reads as it was sent. */
function predicted(source: string, sent: PlainOrder, { catalogue, player }: PlainShop) {
  const published = { version: 1, from: '-infinity', program: programIn(source) }
  const order: Order = { ...readSimulatedOrder({ user_id: 'asha', ...sent }, 'data', new Date(NOON)), at: NOON }
  const products = Object.entries(catalogue)
  const facts = {
    program: 1,
    player: { ...UNKNOWN_PLAYER, attributes: attributeSetOf(player) },
    prices: new Map(products.map(([sku, { amount: price }]) => [sku, parseAmount(price)!])),
    codes: new Map(),
    attributes: new Map(products.map(([sku, one]) => [sku, attributeSetOf(one.attributes ?? {})])),
  }
  const context = { levelPoints: 0n, referral: { why: 'no-code' } } as const
  const seen = withProductAttributes(order, facts, published.program)
  return {
    ...predict(seen, facts.player, facts.prices, published, context),
    without: withoutEachLine({ order, facts, published, context }),
  }
}

test('orders earn by the money of their lines what a plain model of the documents says, with and without each line', () => {
  let [earning, explained] = [0, 0]
  fc.assert(
    fc.property(anyCase, ({ program: plain, order, shop: known }) => {
      const source = sourceOf(plain)
      const { points: total, earned, notes, without } = predicted(source, order, known)
      const model = earnedBy(plain, order, known)
      if (model === undefined) {
        assert.deepEqual([total, earned], [0n, []])
        return
      }
      const byRule = new Map(earned.map(({ rule, points: exact }) => [rule, exact]))
      for (const { name, points: exact } of model.rules) {
        const { num, den } = byRule.get(name) ?? { num: 0n, den: 1n }
        assert.equal(compared([num, den], exact), 0n, `${name}: ${num}/${den}, not ${exact.join('/')}\n${source}`)
      }
      assert.equal(total, pointsOf(plain, model.rules))
      assert.equal(
        notes.some(({ kind }) => kind === 'attribute-type'),
        model.hasOtherType,
      )
      if (total > 0n) earning += 1
      if (without === undefined) return
      assert.deepEqual(
        without.map(({ points: left }) => left),
        pointsWithoutLines(plain, order, known),
        source,
      )
      explained += without.length
    }),
    { numRuns: RUNS },
  )
  assert(earning > RUNS / 4 && explained > RUNS, `${earning} orders earned, ${explained} lines were left out`)
})
