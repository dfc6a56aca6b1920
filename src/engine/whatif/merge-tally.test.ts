import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { ratio } from '../points/arithmetic.ts'
import type { Prediction } from '../points/model.ts'
import { mergeTally } from './merge-tally.ts'
import { createTally, type Tally } from './tally.ts'

const LADDER = [
  { name: 'Bronze', from: 0n },
  { name: 'Silver', from: 40n },
  { name: 'Gold', from: 90n },
]
const RULES = ['base', 'tea', 'referral']

const points = fc.bigInt(0n, 60n)
const prediction = fc
  .record({
    points,
    parts: fc.array(fc.tuple(fc.constantFrom(...RULES), points, fc.bigInt(1n, 7n)), { maxLength: 3 }),
    rounding: fc.bigInt(-3n, 3n),
    given: fc.option(points, { nil: undefined }),
  })
  .map(
    ({ points, parts, rounding, given }) =>
      ({
        points,
        earned: parts.map(([rule, num, den]) => ({ rule, points: { num, den }, because: {} })),
        rounding: ratio(rounding, 5n),
        ...(given === undefined ? {} : { referrer: { userId: 'x', points: given, counts: true } }),
      }) as unknown as Prediction,
  )
const balance = fc.record({
  outstanding: points,
  pending: points,
  expired: points,
  owed: points,
  notCovered: points,
  spendsNotCovered: fc.nat(3),
})
const player = fc.record({
  orders: fc.array(
    fc.record({
      month: fc.constantFrom('2027-01', '2027-02', '2027-03'),
      before: prediction,
      after: fc.option(prediction, { nil: undefined }),
    }),
    { maxLength: 3 },
  ),
  change: fc.bigInt(-3n, 3n),
  levelPoints: fc.record({ before: fc.bigInt(0n, 120n), after: fc.bigInt(0n, 120n) }),
  balances: fc.record({ before: balance, after: balance }),
})
type Sample = typeof player extends fc.Arbitrary<infer T> ? T : never

/** Includes ids whose byte order differs from that of JavaScript strings. */
const players = fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }), player), {
  selector: ([userId]) => userId,
  minLength: 20,
  maxLength: 60,
})

function tallyOf(some: readonly (readonly [string, Sample])[]): Tally {
  const tally = createTally({ before: LADDER, after: LADDER })
  for (const [userId, { orders, change, levelPoints, balances }] of some) {
    for (const { month, before, after } of orders)
      tally.addOrder(
        { order: { at: `${month}-05T00:00:00.000Z` } as never, points: before.points },
        before,
        after,
        after === undefined,
      )
    tally.addBalances(balances)
    tally.addPlayer({ userId, change, referrals: 0n, ordersChanged: 0, orders: [] }, orders.length > 0, levelPoints)
  }
  return tally.sums
}

const none = () => tallyOf([])

test('however players are divided, merging the tallies of the parts gives the tally of all', () => {
  fc.assert(
    fc.property(
      players,
      fc.array(fc.nat(4), { minLength: 60, maxLength: 60 }),
      fc.boolean(),
      (all, parts, backwards) => {
        const whole = mergeTally(none(), tallyOf(all))
        const divided = [0, 1, 2, 3, 4].map((part) => tallyOf(all.filter((_, index) => parts[index] === part)))
        assert.deepEqual((backwards ? divided.toReversed() : divided).reduce(mergeTally, none()), whole)
        // Parts of parts as well.
        const [first, ...rest] = divided
        assert.deepEqual(mergeTally(mergeTally(none(), first!), rest.reduce(mergeTally, none())), whole)
      },
    ),
  )
})
