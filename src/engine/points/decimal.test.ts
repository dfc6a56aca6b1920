import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { readCondition } from './condition.ts'
import { buildConditionContext } from './condition-context.ts'
import { compareDecimals, compareWithWhole, decimalOfAmount, decimalOfPriced, parseDecimal } from './decimal.ts'
import type { Line, Player } from './model.ts'

const player: Player = {
  ...{ known: true, levelPoints: 0n, points: 7n, orders: 2n },
  ...{ region: '', district: '', country: '', gender: '' },
}

/** Whether a condition holds for an order of one line, in 1/10,000. */
function holds(when: string, { amount, qty = 10_000n, price = 0n }: { amount: bigint; qty?: bigint; price?: bigint }) {
  const read = readCondition(when, { levels: new Set() })
  assert('condition' in read, `${when}: ${JSON.stringify(read)}`)
  const line: Line = { sku: 'TEA', qty, amount }
  const order = {
    ...{ id: 'o-1', userId: 'u-1', status: 'placed', at: '2026-03-01T10:00:00.000Z', lines: [line] },
    ...{ total: amount, discount: 0n, referralCode: '', subscriptPoints: false },
  } as Parameters<typeof buildConditionContext>[0]
  const context = buildConditionContext(order, player, new Map([['TEA', price]]), 'Bronze', { timeZone: 'UTC' })
  return read.condition.test({ ...context, line: context.order.lines[0]! })
}

test('conditions compute with amounts, quantities, points and numbers as one does on paper', () => {
  const three = { amount: 33_000n, qty: 30_000n, price: 11_000n }
  const yes = [
    ...['line.amount >= line.price * line.qty', 'line.amount == line.price * line.qty', 'order.net == 3 * 1.10'],
    ...['0.1 + 0.2 == 0.3', '1.1 * 1.1 == 1.21', '0.3 - 0.1 == 0.2', '-0.1 - 0.2 == -0.3', '1.0 / 3.0 * 3.0 == 1.0'],
    ...['1.0 / -3.0 < 0.0', '-(1.0 / 3) < -0.3333333333333333', '1 / 3.0 > 0.33333333333333333333', '0.5 + 5e-1 == 1'],
    ...['player.points * 0.1 == 0.7', '0.1 * player.points == 0.7', '1.4 / player.points == 0.2', '10 - 9.9 == 0.1'],
    ...['player.points / 3 == 2', 'player.points / 3.0 > 2', 'double(player.points) / 3.0 > 2.3', '7 <= 7.0'],
    ...['0.3 in [0.1 + 0.2]', '[1.1 * 1.1, 2.0] == [1.21, 2.0]', '0.1 + 0.2 != 0.4', 'dyn(order.net) == 3.3'],
    ...['order.lines.exists_one(l, l.amount == l.price * l.qty)', 'order.lines.map(l, l.qty * 1.1) == [3.3]'],
    ...['int(order.net) == 3', 'int(-order.net) == -3', 'string(order.net) == "3.3"', 'double("0.1") + 0.2 == 0.3'],
    ...[
      'order.net > 3u',
      '4u > order.net',
      'order.net >= 3u',
      '3u <= order.net',
      '!(order.net == 3u)',
      '!(order.net < 3u)',
    ],
    ...[
      '!(order.net <= 3u)',
      '!(4u < order.net)',
      '!(3u >= order.net)',
      'order.net != 3u',
      '3u != order.net',
      '3.0 == 3u',
    ],
    ...['uint(order.net) == 3u', 'order.net < 1e308', 'order.net > 5e-324', '1e31 * 1e-31 == 1.0'],
    ...['(order.net > 3.0 ? 0.1 : order.net) + 0.2 == 0.3', '{0.5: "half"}[0.25 + 0.25] == "half"'],
  ]
  for (const when of yes) assert(holds(when, three), when)
  const no = ['0.1 + 0.2 > 0.3', '9007199254740993 <= 9007199254740992.0', '100000000000.00000001 == 100000000000.0']
  for (const when of no) assert(!holds(when, three), when)
})

test('a division by zero, and a text that is no number, are errors', () => {
  for (const when of ['order.net / 0.0 > 1.0', '1 / (order.net - 3.3) > 0.0', 'order.net / 0 > 1.0'])
    assert.throws(() => holds(when, { amount: 33_000n }), /^Error: division by zero/)
  for (const text of ['', 'x', '1e31', '1e999999999', ' 1', '.', '0x10', 'NaN', 'inf'])
    assert.throws(() => holds(`double("${text}") > 1.0`, { amount: 0n }), /double of a non-numeric string/)
})

test('comparisons and arithmetic in conditions agree with whole numbers of 1/100,000,000, however large', () => {
  const amounts = fc.oneof(
    fc.bigInt({ min: 0n, max: 50n }),
    fc.bigInt({ min: 0n, max: 10n ** 8n }),
    fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
    fc.bigInt({ min: 0n, max: 10n ** 19n }),
  )
  const close = fc.bigInt({ min: -1n, max: 1n })
  const signs = { '<': [-1], '<=': [-1, 0], '==': [0], '!=': [-1, 1], '>=': [0, 1], '>': [1] }
  fc.assert(
    fc.property(amounts, amounts, amounts, close, fc.boolean(), (price, qty, other, more, near) => {
      const product = price * qty
      const amount = near ? product / 10_000n + more : other
      if (amount < 0n) return
      const sign = sizeOf(amount * 10_000n - product)
      for (const [operator, when] of Object.entries(signs)) {
        const facts = { amount, qty, price }
        assert.equal(holds(`line.amount ${operator} line.price * line.qty`, facts), when.includes(sign), operator)
        const literal = `${product / 10n ** 8n}.${(product % 10n ** 8n).toString().padStart(8, '0')}`
        assert.equal(holds(`line.amount ${operator} ${literal}`, facts), when.includes(sign), `${operator} ${literal}`)
        if (product !== 0n)
          assert.equal(holds(`line.amount / line.qty ${operator} line.price`, facts), when.includes(sign), operator)
        const difference = sizeOf(amount - (price + qty))
        assert.equal(holds(`line.amount - line.price ${operator} line.qty`, facts), when.includes(difference), operator)
      }
    }),
  )
})

test('two numbers compare by their exact values, whichever scales they are written in', () => {
  const large = fc.bigInt({ min: -(10n ** 23n), max: 10n ** 23n })
  const digits = fc.oneof(large, fc.bigInt({ min: -30n, max: 30n }), fc.constantFrom(2n ** 53n, 2n ** 53n + 1n))
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const priced = decimalOfPriced(b)
      assert.equal(compareDecimals(decimalOfAmount(a), priced), sizeOf(a * 10_000n - b))
      assert.equal(compareDecimals(priced, decimalOfAmount(a)), sizeOf(b - a * 10_000n))
      assert.equal(compareWithWhole(priced, a), sizeOf(b - a * 10n ** 8n))
      assert.equal(compareDecimals(priced, parseDecimal(`${b}e-8`)!), 0)
      assert.equal(compareWithWhole(parseDecimal(`${a}e2`)!, a * 100n), 0)
    }),
  )
})

function sizeOf(difference: bigint): number {
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
