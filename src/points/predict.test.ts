import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { add, ratio, ratioText, ZERO } from './arithmetic.ts'
import { levelChange } from './levels.ts'
import { ENGLISH, messageFor } from './message.ts'
import type { Order, Program, PublishedProgram } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'
import { programAt } from './programs.ts'

const anOrder = (parts: Partial<Order> = {}): Order => ({
  id: 'o-1',
  userId: 'u-1',
  lines: [],
  total: 12_340_000n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
  at: '2026-01-01T00:00:00.000Z',
  ...parts,
})

const LADDER = [
  { name: 'Bronze', from: 0 },
  { name: 'Silver', from: 500 },
  { name: 'Gold', from: 2000 },
]

function aProgram(earn: object[], rounding = 'floor'): PublishedProgram {
  const read = readProgram({ name: 'Test', rounding, levels: { counts: 'lifetime', ladder: LADDER }, earn })
  assert('program' in read, 'faults' in read ? JSON.stringify(read.faults) : '')
  return { version: 1, from: '-infinity', program: read.program }
}

const base = (fields: object) => ({ name: 'base', 'per-amount': { points: 1, every: 10, ...fields } })
const newcomer = { known: false, counted: 0n }
const predictBase = (order: Order, fields: object = {}, prices: [string, bigint][] = [], rounding = 'floor') =>
  predict(order, newcomer, new Map(prices), aProgram([base(fields)], rounding))

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

test('notes name unknown products, missing prices and prices that differ from the catalogue (decisions 22, 25, 26)', () => {
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

test('the message names points and the level held after the order (decision 29)', () => {
  const said = (counted: bigint, points: bigint) => {
    const program = aProgram([base({})])
    const prediction = { ...predict(anOrder(), newcomer, new Map(), program), points }
    return messageFor({ ...prediction, level: levelChange(program.program.levels.ladder, counted, points) }, ENGLISH)
  }
  assert.equal(said(400n, 120n), 'You will earn 120 points and be upgraded to Silver.')
  assert.equal(said(600n, 1n), 'You will earn 1 point and stay at Silver.')
  assert.equal(said(2000n, 1234567n), 'You will earn 1234567 points and stay at Gold.')
  assert.equal(said(0n, 0n), 'You will earn 0 points and stay at Bronze.')
  assert.equal(said(500n, -1n), 'You will earn -1 points and be at Bronze.')
})

test('the version with the latest moment not after the order holds, the higher number on a tie', () => {
  const { program } = aProgram([])
  const versions = [
    { version: 1, from: '-infinity', program },
    { version: 2, from: '2026-03-01T00:00:00.000Z', program },
    { version: 3, from: '2026-02-01T00:00:00.000Z', program },
    { version: 4, from: '2026-03-01T00:00:00.000Z', program },
  ]
  const at = (moment: string) => programAt(versions, moment)?.version
  assert.deepEqual(
    [at('1999-01-01T00:00:00.000Z'), at('2026-02-10T00:00:00.000Z'), at('2026-03-01T00:00:00.000Z')],
    [1, 3, 4],
  )
  assert.equal(programAt([], '2026-03-01T00:00:00.000Z'), undefined)
})

const amounts = fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n * 10_000n })
const lines = fc.array(
  fc.record({ sku: fc.constantFrom('a', 'b', 'c'), amount: amounts, qty: amounts }, { requiredKeys: ['qty'] }),
  { maxLength: 5 },
)
const orders = fc.record({ total: amounts, discount: amounts, lines }).map((parts) => anOrder(parts))
const programs = fc
  .record({
    points: fc.integer({ min: 1, max: 1000 }),
    every: fc.constantFrom('0.01', '3', '7', '10', '1000'),
    of: fc.constantFrom('net', 'total', 'lines', 'catalogue'),
    'whole-steps': fc.boolean(),
  })
  .chain((fields) => fc.constantFrom('floor', 'half-up', 'ceil').map((rounding) => aProgram([base(fields)], rounding)))

test('for any order and program: the explanation adds up, inputs stay as they were, equal inputs give equal answers', () => {
  const prices = new Map([['a', 123_456n]])
  fc.assert(
    fc.property(orders, programs, fc.bigInt({ min: -1000n, max: 10n ** 12n }), (order, program, counted) => {
      const player = Object.freeze({ known: true, counted })
      const frozen: Order = deepFreeze(order)
      const prediction = predict(frozen, player, prices, deepFreeze(program))
      const sum = [...prediction.earned.map(({ points }) => points), prediction.rounding].reduce(add, ZERO)
      assert.deepEqual(sum, ratio(prediction.points))
      assert(prediction.points >= 0n)
      assert.equal(prediction.level.counted, counted + prediction.points)
      assert.deepEqual(predict(frozen, player, prices, program), prediction)
    }),
    { numRuns: 500 },
  )
})

test('for any order: a larger amount never earns less', () => {
  fc.assert(
    fc.property(orders, programs, amounts, (order, program, more) => {
      const points = (total: bigint) =>
        predict(
          { ...order, total },
          newcomer,
          new Map(),
          program as { version: number; from: string; program: Program },
        ).points
      assert(points(order.total + more) >= points(order.total))
    }),
  )
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
