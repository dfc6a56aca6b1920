import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { orderOf, published } from '../../../test/support/points.ts'
import { ratioText, sum } from './arithmetic.ts'
import { computeNet } from './bases.ts'
import { explanationOf } from './explanation.ts'
import { shareOfNet, withRefunds } from './line-money.ts'
import { type Line, type Order, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { orderWithout, withoutEachLine } from './without-lines.ts'

const CONTEXT = { levelPoints: 0n, referral: { why: 'no-code' } } as const
const NO_PRICES = new Map<string, bigint>()
const amount = (main: number) => BigInt(Math.round(main * 10_000))
const line = (sku: string, main: number, parts: Partial<Line> = {}): Line => ({
  ...{ sku, amount: amount(main), qty: 10_000n },
  ...parts,
})

const GOODS = {
  name: 'goods',
  when: 'line.sku != "GIFT"',
  'per-amount': { points: 1, every: 1, of: 'net' },
}

const predicted = (order: Order, rule: object, prices: ReadonlyMap<string, bigint> = NO_PRICES) =>
  predict(order, UNKNOWN_PLAYER, prices, published({ earn: [rule] }), CONTEXT)

const given = (order: Order, rule: object = GOODS) => {
  const { earned, notApplied } = predicted(order, rule)
  return earned[0] === undefined ? notApplied[0]!.why : ratioText(earned[0].points)
}

test('beside a condition on lines, net is the share of the selected lines after discount, by their amounts', () => {
  const order = orderOf({
    lines: [line('GIFT', 500), line('TEA', 300), line('CUP', 200)],
    total: amount(1000),
    discount: amount(900),
  })
  assert.equal(given(order), '50')
  const { earned } = explanationOf(predicted(order, GOODS))
  assert.deepEqual(earned[0]!.because, { net: '100', chosen: '500', all: '1000', points: '1', every: '1' })
  const third = orderOf({ lines: [line('GIFT', 2), line('TEA', 1)], total: amount(100) })
  assert.equal(given(third), '100/3')
  // By the catalogue, where a line has no amount of its own.
  const priced = orderOf({ lines: [{ sku: 'TEA', qty: 20_000n }, line('GIFT', 30)], total: amount(90) })
  assert.equal(ratioText(predicted(priced, GOODS, new Map([['TEA', amount(30)]])).earned[0]!.points), '60')
})

test('the share is 0 where no line has an amount, and where nothing was paid', () => {
  const free = orderOf({ lines: [line('TEA', 0), line('CUP', 0)] })
  assert.equal(given(free), 'it comes to 0 points for this order')
  const unpaid = orderOf({ lines: [line('TEA', 100)], discount: amount(100) })
  assert.equal(given(unpaid), 'it comes to 0 points for this order')
})

test('a rule with least applies from that share of net on', () => {
  const rule = { name: 'tea', when: 'line.sku.startsWith("TEA")', least: 30, fixed: { points: 50 } }
  const order = (tea: number, discount = 0) =>
    orderOf({ lines: [line('TEA-1', tea), line('CUP', 40)], total: amount(tea + 40), discount: amount(discount) })
  assert.equal(given(order(30), rule), '50')
  assert.equal(given(order(29.99), rule), 'the chosen lines come to 29.99, expected at least 30')
  assert.equal(given(order(40, 40), rule), 'the chosen lines come to 20, expected at least 30')
})

test('a condition sees the selected lines together, and those of the whole order where it selects none', () => {
  const lines = [line('TEA-1', 10, { qty: 20_000n }), line('TEA-2', 20), line('CUP', 70)]
  const order = orderOf({ lines, total: amount(100), discount: amount(50) })
  const holds = (when: string) => given(order, { name: 'set', when, fixed: { points: 1 } }) === '1'
  const TEA = 'line.sku.startsWith("TEA")'
  for (const when of [
    `${TEA} && lines.qty == 3.0 && lines.amount == 30 && lines.net == 15`,
    `(lines.qty >= 3 && ${TEA}) && order.net == 50`,
    'lines.net == 50 && lines.amount == 100 && lines.qty == 4.0',
    '((lines.net + 1) * 2 > 100)',
  ])
    assert(holds(when), when)
  assert(!holds(`${TEA} && lines.qty > 3`))
  assert.equal(
    given(order, { name: 'set', when: `${TEA} && lines.qty > 3`, fixed: { points: 1 } }),
    `condition not met by the chosen lines: ${TEA} && lines.qty > 3`,
  )
})

test('what was refunded of a line earns nothing, and only its own line pays for it', () => {
  const tea = { name: 'tea', when: 'line.sku == "TEA"', 'per-amount': { points: 1, every: 1 } }
  const cup = { name: 'cup', when: 'line.sku == "CUP"', 'per-amount': { points: 1, every: 1 } }
  const whole = { name: 'whole', 'per-amount': { points: 1, every: 1 } }
  const order = (refunded: Line['refunded'] & {}) =>
    orderOf({
      lines: [line('TEA', 100, { qty: 40_000n, refunded }), line('CUP', 100)],
      total: amount(200),
      discount: amount(100),
    })
  const all = (refunded: Line['refunded'] & {}) => [whole, tea, cup].map((rule) => given(order(refunded), rule))
  assert.deepEqual(all(amount(20)), ['80', '30', '50'])
  assert.deepEqual(all({ qty: 10_000n }), ['87.5', '37.5', '50'])
  assert.deepEqual(all({ qty: 40_000n }), ['50', 'it comes to 0 points for this order', '50'])
  assert.deepEqual(all(amount(50)), ['50', 'it comes to 0 points for this order', '50'])
  const units = { name: 'units', 'per-unit': { points: 1 } }
  assert.equal(given(order({ qty: 10_000n }), units), '4')
  assert.equal(given(order(amount(20)), units), '5')
})

test('a refund takes its own amount from the share of its line, exactly, and nothing from those of the others', () => {
  const earnedBy = (discount: number, refunded: Line['refunded'] & {}) => {
    const lines = [line('TEA', 100, { qty: 30_000n, refunded }), line('CUP', 200)]
    const order = orderOf({ lines, total: amount(300), discount: amount(discount) })
    return ['TEA', 'CUP'].map((sku) =>
      given(order, { name: sku, when: `line.sku == "${sku}"`, 'per-amount': { points: 1, every: 1 } }),
    )
  }
  assert.deepEqual(earnedBy(105, amount(35)), ['30', '130'])
  assert.deepEqual(earnedBy(75, { qty: 20_000n }), ['25', '150'])
  assert.deepEqual(earnedBy(0, { qty: 20_000n }), ['33.3333', '200'])
  // All of the tea: its 33.333... were given back as 33.3333.
  assert.deepEqual(earnedBy(200, { qty: 30_000n }), ['it comes to 0 points for this order', '66.6667'])
  // More than was paid for the tea: net is 20, and only cups are left.
  assert.deepEqual(earnedBy(200, amount(80)), ['it comes to 0 points for this order', '20'])
})

test('a line whose units were all refunded has no share, even where its refund is rounded to 0', () => {
  const lines = [line('TEA', 0.0002, { refunded: { qty: 10_000n } }), line('CUP', 200)]
  const tea = { name: 'tea', when: 'line.sku == "TEA"', 'per-amount': { points: 1, every: 1 } }
  assert.equal(given(orderOf({ lines, total: amount(30) }), tea), 'it comes to 0 points for this order')
})

const amounts = fc.bigInt({ min: 0n, max: 10_000_000n })
const anyLine: fc.Arbitrary<Line> = fc
  .record({ sku: fc.constantFrom('a', 'b', 'c'), amount: amounts, qty: fc.bigInt({ min: 0n, max: 100_000n }) })
  .chain((one) =>
    fc
      .oneof(
        fc.constant(undefined),
        fc.bigInt({ min: 0n, max: one.amount }),
        fc.bigInt({ min: 0n, max: one.qty }).map((qty) => ({ qty })),
      )
      .map((refunded) => (refunded === undefined ? one : { ...one, refunded })),
  )
const anyOrder = fc
  .record({ lines: fc.array(anyLine, { minLength: 1, maxLength: 8 }), total: amounts, discount: amounts })
  .map(orderOf)

test('the shares of choices that together select every line once add up to net exactly', () => {
  fc.assert(
    fc.property(
      anyOrder,
      amounts,
      fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 8 }),
      (sent, paid, choices) => {
        const order = { ...withRefunds(sent, NO_PRICES), paid }
        const groups = [0, 1, 2, 3].map((one) => order.lines.filter((_, index) => choices[index] === one))
        const shares = groups.map((lines) => shareOfNet(order, lines, NO_PRICES))
        const { all } = shares[0]!
        const total = sum(shares.map(({ share }) => share))
        const net = all.num === 0n ? 0n : computeNet(order)
        assert.equal(total.num * 10_000n, net * total.den)
        assert(shares.every(({ share }) => share.num >= 0n))
      },
    ),
  )
})

test('what an order earns without a line is what the order sent without it earns', () => {
  const program = published({
    money: { decimals: 2 },
    earn: [
      { name: 'a', when: 'line.sku == "a"', 'per-amount': { points: 3, every: 7, of: 'net' } },
      { name: 'b', when: 'line.sku == "b" && lines.net > 20', fixed: { points: 9 } },
      { name: 'cap', 'at-most': { points: 250 } },
    ],
  })
  const facts = { program: 1, player: UNKNOWN_PLAYER, prices: NO_PRICES, codes: new Map() }
  fc.assert(
    fc.property(anyOrder, (order) => {
      const without = withoutEachLine({ order, facts, published: program, context: CONTEXT })!
      assert.equal(without.length, order.lines.length)
      for (const { line, total, discount, points } of without) {
        const lines = order.lines.filter((_, index) => index !== line)
        const sent = orderOf({ lines, total, discount })
        assert.equal(predict(sent, UNKNOWN_PLAYER, NO_PRICES, program, CONTEXT).points, points)
      }
    }),
  )
})

test('the part of a line is taken off amount and discount, rounded to the decimals of the program', () => {
  const order = orderOf({
    lines: [line('TEA', 30, { qty: 20_000n }), line('CUP', 70)],
    total: amount(100),
    discount: amount(9.99),
    qty: 30_000n,
  })
  const { total, discount, qty, lines } = orderWithout(order, 0, [3n, 7n], 100n)
  assert.deepEqual([total, discount, qty, lines], [amount(70), amount(6.99), 10_000n, [order.lines[1]]])
})

test('programs without shares of net, cancelled orders and orders of more than 50 lines are not explained line by line', () => {
  const facts = { program: 1, player: UNKNOWN_PLAYER, prices: NO_PRICES, codes: new Map() }
  const shown = (order: Order, earn: object[]) =>
    withoutEachLine({ order, facts, published: published({ earn }), context: CONTEXT })?.length
  const lines = (count: number) => Array.from({ length: count }, () => line('TEA', 1))
  assert.equal(shown(orderOf({ lines: lines(50) }), [GOODS]), 50)
  assert.equal(shown(orderOf({ lines: lines(51) }), [GOODS]), undefined)
  assert.equal(shown(orderOf({ lines: lines(2), status: 'cancelled' }), [GOODS]), undefined)
  assert.equal(shown(orderOf({ lines: lines(2) }), [{ name: 'all', 'per-amount': { points: 1, every: 1 } }]), undefined)
})
