import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { orderOf, published } from '../../../test/support/points.ts'
import { add, ratio, ratioText, ZERO } from './arithmetic.ts'
import { type Order, type ReferralCase, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'

const anOrder = (parts: Partial<Order> = {}) =>
  orderOf({ total: 12_340_000n, referralCode: 'RAVI', at: '2026-01-01T00:00:00.000Z', ...parts })

const aProgram = (referral?: object, rounding = 'floor') =>
  published({
    rounding,
    levels: {
      counts: 'lifetime',
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 160 },
      ],
    },
    earn: [
      { name: 'base', 'per-amount': { points: 1, every: 10 } },
      { name: 'ceiling', 'at-most': { points: 130 } },
    ],
    ...(referral === undefined ? {} : { referral }),
  })

const byRavi: ReferralCase = { referrerId: 'u-ravi' }

function outcomeOf(program: ReturnType<typeof aProgram>, referral: ReferralCase, order = anOrder()) {
  const prediction = predict(order, UNKNOWN_PLAYER, new Map(), program, { levelPoints: 0n, referral })
  return {
    points: prediction.points,
    earned: prediction.earned.map(({ rule, points }) => `${rule} ${ratioText(points)}`),
    notApplied: prediction.notApplied.filter(({ rule }) => rule === 'referral').map(({ why }) => why),
    rounding: ratioText(prediction.rounding),
    level: prediction.level.after,
    notes: prediction.notes,
    referrer: prediction.referrer,
  }
}

test('a referral is the last line, after rounding and caps, and counts for the level', () => {
  assert.deepEqual(outcomeOf(aProgram({ friend: 50, referrer: 100 }), byRavi), {
    points: 173n,
    earned: ['base 123.4', 'referral 50'],
    notApplied: [],
    rounding: '-0.4',
    level: 'Silver',
    notes: [],
    referrer: { userId: 'u-ravi', points: 100n, counts: true },
  })
  const capped = outcomeOf(
    aProgram({ friend: 50, referrer: 100, counts: false }),
    byRavi,
    anOrder({ total: 20_000_000n }),
  )
  assert.deepEqual([capped.points, capped.earned], [180n, ['base 200', 'ceiling -70', 'referral 50']])
  assert.deepEqual(capped.referrer, { userId: 'u-ravi', points: 100n, counts: false })
})

test('a referral is explained by the points that it gives', () => {
  const program = aProgram({ friend: 50, referrer: 100 })
  const { earned } = predict(anOrder(), UNKNOWN_PLAYER, new Map(), program, { levelPoints: 0n, referral: byRavi })
  const points = ratio(50n)
  assert.deepEqual(earned.at(-1), { rule: 'referral', points, because: { points } })
})

test('a referral that gives the friend nothing gives the referrer their points all the same', () => {
  const { points, earned, notApplied, referrer } = outcomeOf(aProgram({ friend: 0, referrer: 100 }), byRavi)
  assert.deepEqual([points, earned], [123n, ['base 123.4']])
  assert.deepEqual(notApplied, ['it comes to 0 points for this order'])
  assert.deepEqual(referrer, { userId: 'u-ravi', points: 100n, counts: true })
})

test('a referrer who has left gets nothing, and the friend as much as ever', () => {
  const left: ReferralCase = { referrerId: 'u-ravi', participates: false }
  const { points, notes, referrer } = outcomeOf(aProgram({ friend: 50, referrer: 100 }), left)
  assert.deepEqual([points, referrer], [173n, { userId: 'u-ravi', points: 0n, counts: true }])
  const text = 'the referrer does not participate: no points for the referrer'
  assert.deepEqual(notes, [{ kind: 'not-participating', text }])
})

test('a referred player who has left gives the referrer nothing', () => {
  const player = { ...UNKNOWN_PLAYER, participates: false } as const
  const program = aProgram({ friend: 50, referrer: 100 })
  const { points, referrer, notApplied } = predict(anOrder(), player, new Map(), program, {
    levelPoints: 0n,
    referral: byRavi,
  })
  assert.deepEqual([points, referrer], [0n, undefined])
  assert.deepEqual(notApplied.at(-1), {
    rule: 'referral',
    kind: 'not-participating',
    why: 'the player does not participate',
  })
})

test('each reason for giving nothing is reported, and a code that leads nowhere is also a note', () => {
  const program = aProgram({ friend: 50, referrer: 100 })
  const cases = [
    ['no-code', 'the order carries no referral code', false],
    ['not-first', 'a referral counts on the first order only', false],
    ['unknown', 'no other player has this referral code', true],
    ['shared', 'several players have this referral code', true],
  ] as const
  for (const [why, sentence, isNoted] of cases) {
    const { points, earned, notApplied, notes, referrer } = outcomeOf(program, { why })
    assert.deepEqual([points, earned, notApplied, referrer], [123n, ['base 123.4'], [sentence], undefined], why)
    const note = { kind: 'unknown-referral-code', text: `${sentence}: RAVI` }
    assert.deepEqual(notes, isNoted ? [note] : [], why)
  }
})

test('a cancelled or returned order gives neither of the two anything, and says why', () => {
  for (const status of ['cancelled', 'returned'] as const) {
    const { points, earned, notApplied, referrer } = outcomeOf(
      aProgram({ friend: 50, referrer: 100 }),
      byRavi,
      anOrder({ status }),
    )
    assert.deepEqual([points, earned, notApplied, referrer], [0n, [], [`the order is ${status}`], undefined])
  }
})

test('a program without a referral does not mention one', () => {
  for (const referral of [byRavi, { why: 'unknown' }, { why: 'no-code' }] as const) {
    const { points, notApplied, notes, referrer } = outcomeOf(aProgram(), referral)
    assert.deepEqual([points, notApplied, notes, referrer], [123n, [], [], undefined])
  }
})

test('for any order, referral and rounding: the explanation adds up, and the friend gets exactly the points of the referral more', () => {
  const whole = fc.integer({ min: 0, max: 10_000 })
  const referrals = fc.oneof(
    fc.constant(byRavi),
    fc.constantFrom('no-code', 'not-first', 'unknown', 'shared').map((why) => ({ why }) as ReferralCase),
  )
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 100_000_000n }),
      fc.constantFrom('placed', 'cancelled', 'returned'),
      fc.constantFrom('floor', 'half-up', 'ceil'),
      whole,
      whole,
      referrals,
      (total, status, rounding, friend, referrer, found) => {
        const order = anOrder({ total, status: status as Order['status'] })
        const pointsWith = (program: ReturnType<typeof aProgram>) => {
          const { points, earned, rounding } = predict(order, UNKNOWN_PLAYER, new Map(), program, {
            levelPoints: 0n,
            referral: found,
          })
          const sum = [...earned.map((one) => one.points), rounding].reduce(add, ZERO)
          assert.deepEqual(ratio(sum.num, sum.den), ratio(points))
          return points
        }
        const gives = status === 'placed' && 'referrerId' in found
        const more = pointsWith(aProgram({ friend, referrer }, rounding)) - pointsWith(aProgram(undefined, rounding))
        assert.equal(more, gives ? BigInt(friend) : 0n)
      },
    ),
  )
})
