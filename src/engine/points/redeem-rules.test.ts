import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, programOf } from '../../../test/support/points.ts'
import { AMOUNT_SCALE, WHOLE_MAX } from './arithmetic.ts'
import { type Order, type Player, UNKNOWN_PLAYER } from './model.ts'
import {
  brokenLimit,
  deductedFor,
  HOLD_PATTERN,
  paidBy,
  paysText,
  type RedeemLimit,
  readRedeemRules,
  redeemedBy,
  redeemLimitFor,
  type WrittenRedeemRules,
} from './redeem-rules.ts'

const VALUE = { points: 100, pays: '1' }
const LEVELS = new Set(['Bronze', 'Silver'])

function read(written: WrittenRedeemRules, decimals = 2) {
  const issues: string[] = []
  const rules = readRedeemRules(written, { decimals, levels: LEVELS }, (field, error) => {
    issues.push(field)
    assert.notEqual(error, '')
  })
  return { rules, issues }
}

function rulesOf(written: WrittenRedeemRules) {
  const { rules, issues } = read(written)
  assert.deepEqual(issues, [])
  return rules
}

test('a section says what points pay, or what they buy; what it leaves out has its default', () => {
  assert.deepEqual(rulesOf({ value: VALUE }), {
    value: { points: 100n, pays: AMOUNT_SCALE },
    step: 1n,
    least: 0n,
    partPaidEarns: false,
    inDiscount: false,
    overdraft: 0n,
    holdMs: 15 * 60_000,
    rewards: [],
  })
  const { value: _, ...rewards } = rulesOf({ rewards: [{ name: 'mug', points: 900 }] })
  assert.equal(_, undefined)
  assert.deepEqual(rewards.rewards, [{ name: 'mug', points: 900n }])
  const written = {
    ...{ value: VALUE, step: 50, least: 100, overdraft: 5, hold: 'PT2H', 'given-back': 'P30D', when: 'order.net > 10' },
    ...{ 'at-most': { points: 500 }, 'part-paid-earns': true, 'in-discount': true },
  }
  const { when, ...all } = rulesOf(written)
  assert.equal(when?.source, 'order.net > 10')
  assert.deepEqual(all, {
    ...{ value: { points: 100n, pays: AMOUNT_SCALE }, step: 50n, least: 100n, mostPoints: 500n, overdraft: 5n },
    ...{ partPaidEarns: true, inDiscount: true, givenBack: { days: 30 }, holdMs: 2 * 3_600_000, rewards: [] },
  })
  assert.equal(rulesOf({ value: VALUE, 'at-most': { share: '0.25' } }).share, AMOUNT_SCALE / 4n)
})

test('what a schema cannot check about a section is a fault at its field', () => {
  const cases: [written: WrittenRedeemRules, decimals: number, ...fields: string[]][] = [
    [{}, 2, ''],
    [{ value: VALUE, 'at-most': {} }, 2, '.at-most'],
    [{ value: VALUE, 'at-most': { share: '0.5', points: 5 } }, 2, '.at-most'],
    [{ value: VALUE, 'at-most': { share: '0' } }, 2, '.at-most.share'],
    [{ value: VALUE, 'at-most': { share: '1.0001' } }, 2, '.at-most.share'],
    [{ value: VALUE, 'at-most': { share: 'half' } }, 2, '.at-most.share'],
    [{ value: VALUE, 'at-most': { share: '1' } }, 2],
    [{ rewards: [{ name: 'mug', points: 9 }], 'at-most': { share: '0.5' } }, 2, '.at-most.share'],
    [{ value: { points: 100, pays: '0' } }, 2, '.value.pays'],
    [{ value: { points: 100, pays: '0.00001' } }, 2, '.value.pays'],
    // A point pays 0.01, which a whole number cannot express.
    [{ value: VALUE }, 0, '.step'],
    [{ value: VALUE, step: 100 }, 0],
    [{ value: { points: 300, pays: 1 } }, 2, '.step'],
    [{ value: { points: 300, pays: 1 }, step: 3 }, 2],
    [{ value: VALUE, when: 'order.' }, 2, '.when'],
    [{ value: VALUE, when: "line.sku == 'tea'" }, 2, '.when'],
    [{ value: VALUE, when: "player.level == 'Gold'" }, 2, '.when'],
    [{ value: VALUE, when: "player.level == 'Silver'" }, 2],
  ]
  for (const [written, decimals, ...fields] of cases)
    assert.deepEqual(read(written, decimals).issues, fields, JSON.stringify(written))
})

test('where a step pays no exact amount, the fault says what one point pays, and the least step that does', () => {
  const saidOf = (written: WrittenRedeemRules, decimals: number) => {
    const said: string[] = []
    readRedeemRules(written, { decimals, levels: LEVELS }, (field, error) => said.push(`${field}: ${error}`))
    return said
  }
  assert.deepEqual(saidOf({ value: { points: 100, pays: '2.50' } }, 2), [
    '.step: expected a multiple of 2: 1 point pays 0.025, and amounts have at most 2 decimal places (money.decimals); default: 1',
  ])
  for (const points of [1, 3, 7, 60, 100, 300, 1_024])
    for (const pays of ['0.0001', '0.25', '1', '2.50', '99.99'])
      for (const decimals of [0, 1, 2, 3, 4]) {
        const isRefused = (step: number) => saidOf({ value: { points, pays }, step }, decimals).length > 0
        const [said] = saidOf({ value: { points, pays } }, decimals)
        const least = said === undefined ? 1 : Number(/^\.step: expected a multiple of (\d+):/.exec(said)![1])
        const one = `${points} pay ${pays}, ${decimals} decimals, step ${least}`
        assert(!isRefused(least) && !isRefused(3 * least), one)
        for (let step = 1; step < Math.min(least, 50); step += 1) assert(isRefused(step), one)
      }
})

test('a hold lasts minutes, hours or days', () => {
  const isHold = (text: string) => new RegExp(HOLD_PATTERN).test(text)
  for (const text of ['', 'PT0M', 'PT10000M', 'P100D', 'P1H', 'PT1D', 'PT1S', 'xPT1M', 'PT1M1H'])
    assert(!isHold(text), text)
  const minutes = Object.entries({ PT1M: 1, PT9999M: 9_999, PT36H: 36 * 60, P1D: 24 * 60, P99D: 99 * 24 * 60 })
  for (const [hold, lasts] of minutes) {
    assert(isHold(hold), hold)
    assert.equal(rulesOf({ value: VALUE, hold }).holdMs, lasts * 60_000, hold)
  }
})

test('points pay their part, rounded down to a ten-thousandth; without a value they pay nothing', () => {
  const third = { value: { points: 3n, pays: AMOUNT_SCALE } }
  assert.deepEqual([paidBy(0n, third), paidBy(1n, third), paidBy(3n, third)], [0n, 3_333n, AMOUNT_SCALE])
  assert.equal(paidBy(5n, {}), 0n)
  const texts = [
    paysText(0n, 2),
    paysText(12_500n, 2),
    paysText(12_345n, 2),
    paysText(20_000n, 0),
    paysText(20_000n, 1),
  ]
  assert.deepEqual(texts, ['0.00', '1.25', '1.2345', '2', '2.0'])
})

test('an order redeems while it is placed; what is paid with points earns nothing, unless the program says otherwise', () => {
  const order = orderOf({ pointsRedeemed: 250n })
  assert.equal(redeemedBy(order), 250n)
  assert.equal(redeemedBy(orderOf()), 0n)
  for (const status of ['cancelled', 'returned'] as const) assert.equal(redeemedBy({ ...order, status }), 0n)

  const redeem = rulesOf({ value: VALUE })
  assert.equal(deductedFor(order, redeem), 25_000n)
  assert.equal(deductedFor({ ...order, status: 'cancelled' }, redeem), 0n)
  for (const kept of [undefined, { ...redeem, inDiscount: true }, { ...redeem, partPaidEarns: true }])
    assert.equal(deductedFor(order, kept), 0n)
})

test('a number of points is checked against the step before the least', () => {
  const rules = rulesOf({ value: VALUE, step: 10, least: 100 })
  assert.deepEqual(brokenLimit(105n, rules), { kind: 'step', step: 10n })
  assert.deepEqual(brokenLimit(95n, rules), { kind: 'step', step: 10n })
  assert.deepEqual(brokenLimit(90n, rules), { kind: 'least', least: 100n })
  assert.deepEqual([brokenLimit(100n, rules), brokenLimit(110n, rules)], [undefined, undefined])
})

test('an order may redeem what it is worth, a share of that, or a number of points, in whole steps, and only where its condition holds', () => {
  const order = orderOf({ total: 1_009_900n, discount: 10_000n })
  const player = { ...UNKNOWN_PLAYER, levelPoints: 150n }
  const value = VALUE
  const cases: [redeem: WrittenRedeemRules | undefined, parts: Partial<Order>, limit: RedeemLimit, by?: Player][] = [
    [undefined, {}, { kind: 'no-redeem' }],
    // 100.99 less 1 of discount.
    [{ value }, {}, { kind: 'worth', most: 9_999n }],
    [{ value, step: 10 }, {}, { kind: 'worth', most: 9_990n }],
    [{ value, 'at-most': { share: '0.5' } }, {}, { kind: 'at-most', most: 4_999n }],
    [{ value, 'at-most': { share: '1' } }, {}, { kind: 'worth', most: 9_999n }],
    [{ value, 'at-most': { points: 500 } }, {}, { kind: 'at-most', most: 500n }],
    [{ value, 'at-most': { points: 10_000 } }, {}, { kind: 'worth', most: 9_999n }],
    // The discount includes what the points pay: without them the order is worth more, but never more than its total.
    [{ value, 'in-discount': true }, { pointsRedeemed: 40n }, { kind: 'worth', most: 10_039n }],
    [{ value, 'in-discount': true }, { pointsRedeemed: 300n }, { kind: 'worth', most: 10_099n }],
    [
      { value, 'in-discount': true },
      { pointsRedeemed: 300n, discount: 2_000_000n },
      { kind: 'worth', most: 0n },
    ],
    [
      { value, 'in-discount': true, 'at-most': { share: '0.5' } },
      { pointsRedeemed: 9_000n },
      { kind: 'at-most', most: 5_049n },
    ],
    [{ value }, { pointsRedeemed: 300n }, { kind: 'worth', most: 9_999n }],
    [{ rewards: [{ name: 'mug', points: 9 }] }, {}, { kind: 'worth', most: WHOLE_MAX }],
    [{ value, when: "player.level == 'Silver'" }, {}, { kind: 'worth', most: 9_999n }],
    [
      { value, when: "player.level == 'Silver'" },
      {},
      { kind: 'when', source: "player.level == 'Silver'" },
      UNKNOWN_PLAYER,
    ],
    // A condition that fails to evaluate does not hold.
    [{ value, when: '1 / player.orders > 1' }, {}, { kind: 'when', source: '1 / player.orders > 1' }],
  ]
  for (const [redeem, parts, limit, by = player] of cases) {
    const program = programOf({ money: { decimals: 2 }, ...(redeem === undefined ? {} : { redeem }) })
    assert.deepEqual(redeemLimitFor({ ...order, ...parts }, by, new Map(), program), limit, JSON.stringify(redeem))
  }
})
