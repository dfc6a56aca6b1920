/*
 * Properties of predictions under any program, order, player and catalogue.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anyProgramSource, monotoneProgramSource, programIn } from '../../../test/support/generated.ts'
import { WHOLE_MAX } from './arithmetic.ts'
import { explanationOf } from './explanation.ts'
import { messageFor } from './message.ts'
import type { Line, Order, OrderContext, Player, Prediction, ReferralCase } from './model.ts'
import { predict } from './predict.ts'
import type { Program } from './program-model.ts'
import { REFERRAL } from './referral.ts'

const amounts = fc.oneof(
  fc.constantFrom(0n, 1n, 9_999n, 500_000n, WHOLE_MAX * 10_000n),
  fc.bigInt({ min: 0n, max: 10_000_000n }),
  fc.bigInt({ min: 0n, max: WHOLE_MAX * 10_000n }),
)
const points = fc.oneof(fc.constant(0n), fc.bigInt({ min: -1_000n, max: 5_000n }), fc.bigInt(-WHOLE_MAX, WHOLE_MAX))
const skus = fc.constantFrom('a', 'a-1', 'b', '', '__proto__', '7')
const texts = fc.oneof(fc.constantFrom('', 'India', 'Kerala', 'male', 'o-1', '17'), fc.string({ maxLength: 5 }))
const moments = fc.date({ min: new Date('1970-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })

const line = fc.record<Line, 'qty'>({ sku: skus, amount: amounts, qty: amounts }, { requiredKeys: ['qty'] })
const orderOf = (status: fc.Arbitrary<Order['status']>) =>
  fc.record(
    {
      id: texts,
      userId: texts,
      lines: fc.array(line, { maxLength: 20 }),
      total: amounts,
      discount: amounts,
      qty: amounts,
      referralCode: texts,
      subscriptPoints: fc.boolean(),
      status,
      at: moments.map((date) => date.toISOString()),
    },
    {
      requiredKeys: [
        ...(['id', 'userId', 'lines', 'total', 'discount'] as const),
        ...(['referralCode', 'subscriptPoints', 'status', 'at'] as const),
      ],
    },
  )
const placed = orderOf(fc.constant('placed'))
const player: fc.Arbitrary<Player> = fc.record(
  {
    known: fc.boolean(),
    points,
    levelPoints: points,
    region: texts,
    district: texts,
    country: texts,
    gender: texts,
    dateOfBirth: moments.map((date) => date.toISOString().slice(0, 10)),
    orders: fc.bigInt({ min: 0n, max: 5n }),
    participates: fc.constant(false),
    attributes: texts.map((segment) => JSON.stringify({ segment })),
  },
  { requiredKeys: ['known', 'points', 'levelPoints', 'region', 'district', 'country', 'gender', 'orders'] },
)
const referral: fc.Arbitrary<ReferralCase> = fc.oneof(
  fc.record({ referrerId: texts, participates: fc.constant(false) }, { requiredKeys: ['referrerId'] }),
  fc.record({ why: fc.constantFrom('no-code', 'not-first', 'unknown', 'shared') }),
)
const context: fc.Arbitrary<OrderContext> = fc.record(
  { levelPoints: points, recorded: points, referral },
  { requiredKeys: ['levelPoints', 'referral'] },
)

/** All inputs of a prediction; the program as text and prices as a list, so that each use builds its own. */
type Case = Readonly<{
  source: string
  order: Order
  player: Player
  prices: [string, bigint][]
  context: OrderContext
}>

const caseOf = (source: fc.Arbitrary<string>, order: fc.Arbitrary<Order>): fc.Arbitrary<Case> =>
  fc.record({ source, order, player, prices: fc.array(fc.tuple(skus, amounts), { maxLength: 4 }), context })
const anyCase = caseOf(anyProgramSource, placed)

function predicted({ source, order, player, prices, context }: Case): { prediction: Prediction; program: Program } {
  const program = programIn(source)
  return {
    prediction: predict(order, player, new Map(prices), { version: 1, from: '-infinity', program }, context),
    program,
  }
}

/** Shrinking a failure stops after five minutes; even on a busy machine all runs take less. */
const RUNS = { numRuns: 300, interruptAfterTimeLimit: 5 * 60_000, markInterruptAsFailure: true }

/** The points, excluding the referral's. */
function byRules({ points, earned }: Prediction): bigint {
  return points - (earned.find(({ rule }) => rule === REFERRAL)?.points.num ?? 0n)
}

function forAll(cases: fc.Arbitrary<Case>, holds: (one: Case) => void): void {
  fc.assert(fc.property(cases, holds), RUNS)
}

test('the lines of an explanation and its rounding add up to the points exactly, as written on the wire', () => {
  forAll(anyCase, (one) => {
    const { prediction } = predicted(one)
    const { earned, rounding } = explanationOf(prediction)
    const sum = [...earned.map(({ points }) => points), rounding].map(fraction).reduce(plus)
    assert.equal(sum.num, prediction.points * sum.den)
  })
})

test('the rounding is less than one point, unless the rules took away more than there was', () => {
  forAll(anyCase, (one) => {
    const { prediction } = predicted(one)
    const { num, den } = prediction.rounding
    assert((-den < num && num < den) || (num > 0n && byRules(prediction) === 0n))
  })
})

test('no order earns less than nothing, and its points are counted for the level', () => {
  forAll(anyCase, (one) => {
    const { prediction } = predicted(one)
    assert(byRules(prediction) >= 0n && prediction.points >= byRules(prediction))
    assert.equal(prediction.level.levelPoints, one.context.levelPoints + prediction.points)
  })
})

test('inputs are not modified', () => {
  forAll(anyCase, ({ source, order, player, prices, context }) => {
    const catalogue = new Map(prices)
    const published = { version: 1, from: '-infinity', program: programIn(source) }
    const frozen = [order, player, published, context].map((input) => deepFreeze(input))
    assert(frozen.every(Object.isFrozen))
    predict(order, player, catalogue, published, context)
    assert.deepEqual(catalogue, new Map(prices))
  })
})

test('equal inputs give equal bytes, even when they were built separately', () => {
  forAll(anyCase, (one) => {
    const bytes = (input: Case) => {
      const { prediction, program } = predicted(input)
      return JSON.stringify([explanationOf(prediction), messageFor(prediction, program.messages)])
    }
    assert.equal(bytes(structuredClone(one)), bytes(one))
  })
})

test('a condition that goes wrong makes its rule not apply: nothing throws', () => {
  forAll(anyCase, (one) => {
    assert.doesNotThrow(() => predicted(one))
  })
})

test('every rule appears in the explanation once, in the order of the program, with what it gave or why it gave nothing', () => {
  forAll(caseOf(anyProgramSource, orderOf(fc.constantFrom('placed', 'cancelled', 'returned'))), (one) => {
    const { prediction, program } = predicted(one)
    const { earned, notApplied } = prediction
    const all = [...program.earn.map(({ name }) => name), ...(program.referral === undefined ? [] : [REFERRAL])]
    const gave = new Set(earned.map(({ rule }) => rule))
    assert.deepEqual(
      earned.map(({ rule }) => rule),
      all.filter((name) => gave.has(name)),
    )
    assert.deepEqual(
      notApplied.map(({ rule }) => rule),
      all.filter((name) => !gave.has(name)),
    )
    assert(earned.every(({ points }) => points.num !== 0n) && notApplied.every(({ why }) => why !== ''))
  })
})

test('a message has no placeholder left in it', () => {
  forAll(anyCase, (one) => {
    const { prediction, program } = predicted(one)
    assert.doesNotMatch(messageFor(prediction, program.messages), /[{}]/)
  })
})

test('a cancelled or returned order earns nothing, for anybody', () => {
  forAll(caseOf(anyProgramSource, orderOf(fc.constantFrom('cancelled', 'returned'))), (one) => {
    const { points, earned, referrer } = predicted(one).prediction
    assert.deepEqual([points, earned, referrer], [0n, [], undefined])
  })
})

test('a larger amount never earns less, where the program takes nothing away from it', () => {
  // Lines grow by the same factor: otherwise the share of those that a rule selects could fall.
  const factor = fc.bigInt({ min: 1n, max: 10n })
  const steps = fc.array(fc.record({ ofOrder: amounts, ofLines: factor }), { minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(caseOf(monotoneProgramSource, placed), steps, ({ source, order, player, prices, context }, steps) => {
      const published = { version: 1, from: '-infinity', program: programIn(source) }
      const pointsOf = (order: Order) => predict(order, player, new Map(prices), published, context).points
      let smaller: Order = { ...order, total: 0n }
      for (const { ofOrder, ofLines } of steps) {
        const lines = smaller.lines.map((line) =>
          line.amount === undefined ? line : { ...line, amount: line.amount * ofLines },
        )
        const larger = { ...smaller, total: smaller.total + ofOrder, lines }
        assert(pointsOf(larger) >= pointsOf(smaller))
        smaller = larger
      }
    }),
    RUNS,
  )
})

type Fraction = Readonly<{ num: bigint; den: bigint }>

/** Reads an exact number of the wire: `123.4`, `-1/3`. */
function fraction(text: string): Fraction {
  const [num = '', den] = text.split('/')
  if (den !== undefined) return { num: BigInt(num), den: BigInt(den) }
  const [whole = '', decimals = ''] = text.split('.')
  return { num: BigInt(whole + decimals), den: 10n ** BigInt(decimals.length) }
}

function plus(a: Fraction, b: Fraction): Fraction {
  return { num: a.num * b.den + b.num * a.den, den: a.den * b.den }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
