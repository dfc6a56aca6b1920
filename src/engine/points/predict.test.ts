import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../test/support/points.ts'
import { ratioText } from './arithmetic.ts'
import { levelChange } from './levels.ts'
import { ENGLISH, messageFor } from './message.ts'
import { type Catalogue, type Order, type Player, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import type { PublishedProgram } from './program-model.ts'

const anOrder = (parts: Partial<Order> = {}) =>
  orderOf({ total: 12_340_000n, at: '2026-01-01T00:00:00.000Z', ...parts })

const LADDER = [
  { name: 'Bronze', from: 0 },
  { name: 'Silver', from: 500 },
  { name: 'Gold', from: 2000 },
]

const aProgram = (earn: object[], rounding = 'floor') =>
  published({ rounding, levels: { counts: 'lifetime', ladder: LADDER }, earn })

/** The prediction of a new order without a referral, for a player with the level points they have at its moment. */
const predictNew = (order: Order, player: Player, catalogue: Catalogue, program: PublishedProgram) =>
  predict(order, player, catalogue, program, { levelPoints: player.levelPoints, referral: { why: 'no-code' } })

const base = (fields: object) => ({ name: 'base', 'per-amount': { points: 1, every: 10, ...fields } })
const newcomer = UNKNOWN_PLAYER
const predictBase = (order: Order, fields: object = {}, prices: [string, bigint][] = [], rounding = 'floor') =>
  predictNew(order, newcomer, new Map(prices), aProgram([base(fields)], rounding))

test('per-amount counts the amount after discount, in proportion, and rounds the sum once', () => {
  const cases = [
    // total, discount, rounding, points, rounding line
    ['1234', '0', 'floor', 123n, '-0.4'],
    ['1234', '0', 'ceil', 124n, '0.6'],
    ['1235', '0', 'half-up', 124n, '0.5'],
    ['1234', '0', 'half-up', 123n, '-0.4'],
    ['100', '40', 'floor', 6n, '0'],
    ['100', '200', 'floor', 0n, '0'],
    ['9', '0', 'floor', 0n, '-0.9'],
    ['0', '0', 'floor', 0n, '0'],
  ] as const
  for (const [total, discount, rounding, points, line] of cases) {
    const prediction = predictBase(
      anOrder({ total: BigInt(total) * 10_000n, discount: BigInt(discount) * 10_000n }),
      {},
      [],
      rounding,
    )
    assert.equal(prediction.points, points, `${total} - ${discount}, ${rounding}`)
    assert.equal(ratioText(prediction.rounding), line, `${total} - ${discount}, ${rounding}`)
  }
})

test('an order of a player who has left the program earns nothing, whatever its rules, and says why', () => {
  const program = aProgram([base({}), { name: 'gift', fixed: { points: 50 } }])
  const player = { ...UNKNOWN_PLAYER, known: true, levelPoints: 600n, participates: false } as const
  const { points, earned, notApplied, notes, nothing, level } = predictNew(anOrder(), player, new Map(), program)
  assert.deepEqual([points, earned, nothing], [0n, [], 'not-participating'])
  const why = 'the player does not participate'
  assert.deepEqual(notApplied, [
    { rule: 'base', why },
    { rule: 'gift', why },
  ])
  assert.deepEqual(notes, [{ kind: 'not-participating', text: `${why}: the order earns no points` }])
  assert.deepEqual([level.before, level.after], ['Silver', 'Silver'])
})

test('a cancelled order of a player who has left is explained as any other cancelled order', () => {
  const player = { ...UNKNOWN_PLAYER, known: true, participates: false } as const
  const { notApplied, notes, nothing } = predictNew(
    anOrder({ status: 'cancelled' }),
    player,
    new Map(),
    aProgram([base({})]),
  )
  assert.deepEqual([notApplied, notes, nothing], [[{ rule: 'base', why: 'the order is cancelled' }], [], 'not-placed'])
})

test('whole-steps counts only whole steps', () => {
  const prediction = predictBase(anOrder(), { 'whole-steps': true })
  assert.equal(ratioText(prediction.earned[0]!.points), '123')
})

test('each base counts its own amount: net, total, lines and catalogue', () => {
  const lines = [
    { sku: 'tea', amount: 900_000n, qty: 20_000n }, // sent as 90, the catalogue says 2 x 50
    { sku: 'cup', qty: 30_000n }, // no amount: 3 x 10
    { sku: 'new', amount: 50_000n, qty: 10_000n }, // not in the catalogue: its own 5
    { qty: 10_000n }, // neither: 0
  ]
  const order = anOrder({ lines, total: 2_000_000n, discount: 500_000n })
  const prices: [string, bigint][] = [
    ['tea', 500_000n],
    ['cup', 100_000n],
  ]
  const points = (of: string) => ratioText(predictBase(order, { of }, prices).earned[0]!.points)
  assert.deepEqual(['net', 'total', 'lines', 'catalogue'].map(points), ['15', '20', '12.5', '13.5'])
})

test('notes name unknown products, missing prices and prices that differ from the catalogue (decision 21)', () => {
  const lines = [{ sku: 'tea', amount: 450_000n, qty: 10_000n }, { sku: 'cup', qty: 10_000n }, { qty: 10_000n }]
  const { notes } = predictBase(anOrder({ lines }), {}, [['tea', 500_000n]])
  assert.deepEqual(
    notes.map(({ kind, line }) => [kind, line]),
    [
      ['price-differs', 0],
      ['unknown-product', 1],
      ['no-price', 1],
      ['no-price', 2],
    ],
  )
})

test('an order of many lines has only a readable number of notes, and says how many more there are', () => {
  const lines = Array.from({ length: 1_000 }, () => ({ sku: 'cup', amount: 10_000n, qty: 10_000n }))
  const { notes } = predictBase(anOrder({ lines }))
  assert.deepEqual([notes.length, notes.at(-1)], [21, { kind: 'more', text: 'and 980 more like these' }])
})

test('a cancelled or returned order earns nothing, and says why', () => {
  for (const status of ['cancelled', 'returned'] as const) {
    const prediction = predictBase(anOrder({ status }))
    assert.equal(prediction.points, 0n)
    assert.deepEqual(prediction.notApplied, [{ rule: 'base', why: `the order is ${status}` }])
  }
})

test('a level is reached with exactly its points, and the top level has no next', () => {
  const ladder = LADDER.map(({ name, from }) => ({ name, from: BigInt(from) }))
  const cases = [
    // counted before, points, before, after, upgraded, missing to next
    [0n, 499n, 'Bronze', 'Bronze', false, 1n],
    [0n, 500n, 'Bronze', 'Silver', true, 1500n],
    [499n, 1n, 'Bronze', 'Silver', true, 1500n],
    [0n, 2000n, 'Bronze', 'Gold', true, undefined],
    [2000n, 5n, 'Gold', 'Gold', false, undefined],
    [-10n, 0n, 'Bronze', 'Bronze', false, 510n],
  ] as const
  for (const [counted, points, before, after, upgraded, missing] of cases) {
    const change = levelChange(ladder, counted, points)
    assert.deepEqual(
      [change.before, change.after, change.upgraded, change.next?.missing],
      [before, after, upgraded, missing],
    )
  }
})

test('the message names the points and the level held after the order (decision 29)', () => {
  const messageAfter = (counted: bigint, points: bigint) => {
    const program = aProgram([base({})])
    const prediction = { ...predictNew(anOrder(), newcomer, new Map(), program), points }
    return messageFor({ ...prediction, level: levelChange(program.program.levels.ladder, counted, points) }, ENGLISH)
  }
  assert.equal(messageAfter(400n, 120n), 'You will earn 120 points and be upgraded to Silver.')
  assert.equal(messageAfter(600n, 1n), 'You will earn 1 point and stay at Silver.')
  assert.equal(messageAfter(2000n, 1234567n), 'You will earn 1234567 points and stay at Gold.')
  assert.equal(messageAfter(0n, 0n), 'You will earn 0 points and stay at Bronze.')
  assert.equal(messageAfter(500n, -1n), 'You will earn -1 points and be at Bronze.')
})

test('an order that redeems points earns on what they do not pay, and its message says how many', () => {
  const program = published({
    levels: { counts: 'lifetime', ladder: LADDER },
    redeem: { value: { points: 1, pays: '0.10' }, step: 10 },
  })
  const predicted = (order: Partial<Order>) => predictNew(orderOf(order), newcomer, new Map(), program)
  const redeeming = predicted({ pointsRedeemed: 500n })
  assert.deepEqual([redeeming.points, redeeming.redeemed], [50n, 500n])
  assert.equal(messageFor(redeeming, ENGLISH), 'You will redeem 500 points, earn 50 points and stay at Bronze.')
  assert.equal(messageFor(redeeming, { ...ENGLISH, stays: '{redeemed} menos, {points} más' }), '500 menos, 50 más')
  for (const order of [{}, { pointsRedeemed: 500n, status: 'cancelled' }] as const)
    assert.equal('redeemed' in predicted(order), false)
})

test('a replaced order that holds a lower level than its record says where the player falls to (decision 29)', () => {
  const messageAfter = (total: bigint, recorded: bigint, counted = 450n) => {
    const program = aProgram([base({})])
    const context = { levelPoints: counted, recorded, referral: { why: 'no-code' } } as const
    return messageFor(predict(anOrder({ total }), newcomer, new Map(), program, context), ENGLISH)
  }
  assert.equal(messageAfter(0n, 100n), 'You will earn 0 points and be at Bronze.')
  assert.equal(messageAfter(1_000_000n, 3000n), 'You will earn 10 points and be at Bronze.')
  // An upgrade from the level without the order, but a fall from the recorded one.
  assert.equal(messageAfter(10_000_000n, 3000n), 'You will earn 100 points and be at Silver.')
  assert.equal(messageAfter(10_000_000n, 100n), 'You will earn 100 points and be upgraded to Silver.')
  assert.equal(messageAfter(0n, 49n), 'You will earn 0 points and stay at Bronze.')
})

const example = () =>
  aProgram([
    base({ of: 'net' }),
    { name: 'tea', when: 'line.sku.startsWith("TEA-")', 'per-unit': { points: 5 } },
    { name: 'big-basket', when: 'order.net >= 5000 && order.qty >= 3', fixed: { points: 100 } },
    { name: 'silver-bonus', when: 'player.level in ["Silver", "Gold"]', multiply: { by: '1.5', rules: ['base'] } },
    { name: 'ceiling', 'at-most': { points: 5000 } },
  ])

const reasonsFor = (order: Order, player = newcomer, program = example()) => {
  const { points, earned, notApplied } = predictNew(order, player, new Map(), program)
  return [points, earned.map(({ rule, points }) => `${rule} ${ratioText(points)}`), notApplied.map(({ rule }) => rule)]
}

test('every kind of rule gives what it says, in the order of the program', () => {
  const lines = [
    { sku: 'TEA-1', qty: 20_000n },
    { sku: 'CUP-1', qty: 10_000n },
    { sku: 'TEA-2', qty: 15_000n },
  ]
  const silver = { ...newcomer, known: true, levelPoints: 500n }
  const order = anOrder({ total: 60_000_000n, lines })
  assert.deepEqual(reasonsFor(order), [717n, ['base 600', 'tea 17.5', 'big-basket 100'], ['silver-bonus', 'ceiling']])
  assert.deepEqual(reasonsFor(order, silver), [
    1017n,
    ['base 600', 'tea 17.5', 'big-basket 100', 'silver-bonus 300'],
    ['ceiling'],
  ])
  assert.deepEqual(reasonsFor(anOrder({ total: 900_000_000n, lines }), silver), [
    5000n,
    ['base 9000', 'tea 17.5', 'big-basket 100', 'silver-bonus 4500', 'ceiling -8617.5'],
    [],
  ])
  assert.deepEqual(reasonsFor(anOrder({ total: 0n })), [
    0n,
    [],
    ['base', 'tea', 'big-basket', 'silver-bonus', 'ceiling'],
  ])
})

test('a condition on lines selects them: only their amounts count, and fixed points count once', () => {
  const lines = [
    { sku: 'a', amount: 100_000n, qty: 10_000n },
    { sku: 'b', amount: 500_000n, qty: 10_000n },
    { sku: 'b', amount: 300_000n, qty: 10_000n },
  ]
  const program = aProgram([
    { name: 'b-amount', when: 'line.sku == "b"', 'per-amount': { points: 1, every: 1, of: 'lines' } },
    { name: 'b-once', when: 'line.sku == "b"', fixed: { points: 7 } },
    { name: 'dear', when: 'line.amount > 100.0 || line.price > 0', fixed: { points: 1 } },
    { name: 'any', when: 'order.lines.exists(l, l.sku == "a")', fixed: { points: 3 } },
  ])
  assert.deepEqual(reasonsFor(anOrder({ lines }), newcomer, program), [
    90n,
    ['b-amount 80', 'b-once 7', 'any 3'],
    ['dear'],
  ])
})

test('a condition sees the player and the moment; without a date of birth a rule that asks for the age does not apply', () => {
  const rule = (when: string) => aProgram([{ name: 'r', when, fixed: { points: 1 } }])
  const player = {
    ...newcomer,
    known: true,
    dateOfBirth: '1990-06-15',
    country: 'India',
    orders: 2n,
    points: 40n,
    levelPoints: 600n,
  }
  const gives = (when: string, who: Player = player) =>
    predictNew(anOrder({ at: '2026-06-14T23:59:59.000Z' }), who, new Map(), rule(when)).points
  const holds = [
    'player.age == 35',
    'player.known',
    'player.country == "India"',
    'player.orders < 3',
    'player.points == 40',
    'player.earned >= 600',
    'player.level == "Silver"',
    'order.at.getFullYear() == 2026',
    'order.referral_code == ""',
    '!order.subscript_points',
  ]
  for (const when of holds) assert.equal(gives(when), 1n, when)
  assert.equal(gives('player.age >= 0', newcomer), 0n)
  const { notApplied } = predictNew(anOrder(), newcomer, new Map(), rule('player.age >= 0 || player.age < 0'))
  assert.match(notApplied[0]!.why, /cannot be evaluated.*age/)
  assert.match(
    predictNew(anOrder(), newcomer, new Map(), rule('player.points / player.orders > 1')).notApplied[0]!.why,
    /division by zero/,
  )
})

test('rules that take away more than was earned leave 0, and the explanation still adds up', () => {
  const program = aProgram([
    base({}),
    { name: 'none', multiply: { by: '0' } },
    { name: 'less', multiply: { by: '0', rules: ['base'] } },
  ])
  const prediction = predictNew(anOrder(), newcomer, new Map(), program)
  assert.deepEqual([prediction.points, ratioText(prediction.rounding)], [0n, '123.4'])
})
