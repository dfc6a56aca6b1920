import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  anyLot,
  DAYS_AFTER_HISTORY,
  debit,
  expiryAssignments,
  fixedDebit,
  fixedLot,
  history,
  lot,
  on,
} from '../../../../test/support/movements.ts'
import { plainBalance } from '../../../../test/support/plain-balance.ts'
import { readPeriod } from '../calendar.ts'
import type { ExpiryAssignment } from '../pending-and-expiry.ts'
import { type Balance, balanceAsOf, balanceOn, dayOfView, lotsDrawn, nextChangeOf, uncoveredUntil } from './balance.ts'
import type { Movement } from './movement.ts'

const figures = ({ available, pending, expired }: Balance) => [available, pending, expired].map(Number)
const at = (place: number, movements: readonly Movement[], expiryAssignments: readonly ExpiryAssignment[] = []) =>
  figures(balanceOn(on(place), movements, expiryAssignments))

test('points are pending, then usable, then expired; those that expire first are spent first', () => {
  const movements = [lot(100, 2, 10), lot(50, 0, 20), debit(60, 5)]
  assert.deepEqual(at(5, movements), [90, 0, 0])
  assert.deepEqual(at(10, movements), [50, 0, 40])
  assert.deepEqual(at(20, movements), [0, 0, 90])
  assert.deepEqual(at(1, [lot(100, 2, 10)]), [0, 100, 0])
  assert.deepEqual(balanceOn(on(5), movements, []).lots, [
    { points: 40n, expiresOn: on(10) },
    { points: 50n, expiresOn: on(20) },
  ])
})

test('lots come in the order of their days, in whatever order the points arrived; those with the same days are one', () => {
  const movements = [
    lot(1, 30, 50),
    lot(2, 20, 60),
    lot(3, 20, 50),
    lot(4, 0, 45),
    lot(5, 0, 40),
    lot(6, 30, 50, { day: on(1) }),
  ]
  const lots = [
    { points: 5n, expiresOn: on(40) },
    { points: 4n, expiresOn: on(45) },
    { points: 3n, usableOn: on(20), expiresOn: on(50) },
    { points: 2n, usableOn: on(20), expiresOn: on(60) },
    { points: 7n, usableOn: on(30), expiresOn: on(50) },
  ]
  for (const given of [movements, movements.toReversed()]) assert.deepEqual(balanceOn(on(10), given, []).lots, lots)
})

test('spending beyond the balance is owed, and the next points repay it first', () => {
  const movements = [lot(10, 0), debit(30, 1), lot(15, 2, 5), lot(100, 3, 9)]
  assert.deepEqual(at(1, movements), [-20, 115, 0])
  assert.deepEqual(at(2, movements), [-5, 100, 0])
  assert.deepEqual(at(3, movements), [95, 0, 0])
  assert.deepEqual(at(9, movements), [0, 0, 95])
})

test('points with a sliding expiry expire a period after the last activity; those with a fixed one are spent before them', () => {
  const slides = { slides: true }
  const bought = lot(100, 0, 10, slides)
  assert.deepEqual(at(10, [bought]), [0, 0, 100])
  const again = lot(0, 9, 19, slides)
  assert.deepEqual(at(18, [bought, again]), [100, 0, 0])
  assert.deepEqual(at(19, [bought, again]), [0, 0, 100])
  const tooLate = lot(0, 10, 20, slides)
  assert.deepEqual(at(12, [bought, tooLate]), [0, 0, 100])
  const spent = debit(30, 8, { ...slides, expiresOn: on(18) })
  assert.deepEqual(at(17, [bought, spent]), [70, 0, 0])
  assert.deepEqual(at(10, [bought, lot(50, 0, 10), debit(50, 1)]), [0, 0, 100])
  assert.deepEqual(at(9, [bought, lot(50, 0, 10), debit(50, 1)]), [100, 0, 0])
})

test('on the day a version takes effect, points without an expiry are assigned one; a later version does not change it', () => {
  const expiryAssignments: ExpiryAssignment[] = [5, 7].map((place) => ({
    on: on(place),
    expiry: { after: readPeriod('P10D'), atEndOf: 'day', slides: false },
  }))
  assert.deepEqual(at(14, [lot(100, 0)], expiryAssignments), [100, 0, 0])
  assert.deepEqual(at(15, [lot(100, 0)], expiryAssignments), [0, 0, 100])
  assert.deepEqual(at(30, [lot(100, 8)], expiryAssignments), [100, 0, 0])
  const waiting = lot(100, 12, Number.POSITIVE_INFINITY, { day: on(4) })
  assert.deepEqual(at(21, [waiting], expiryAssignments), [100, 0, 0])
  assert.deepEqual(at(22, [waiting], expiryAssignments), [0, 0, 100])
  const unfulfilled = lot(100, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, { day: on(4) })
  assert.deepEqual(at(40, [unfulfilled], expiryAssignments), [0, 100, 0])
  // Points that are given later keep what they were given with, even if they count from an earlier day.
  assert.deepEqual(at(30, [lot(100, 0, Number.POSITIVE_INFINITY, { day: on(8) })], expiryAssignments), [100, 0, 0])
})

test('usable lots come first, earliest expiry first, then pending ones, and none is empty', () => {
  const shown = (day: number, movements: readonly Movement[]) =>
    balanceOn(on(day), movements, []).lots.map(({ points, usableOn, expiresOn }) => [
      Number(points),
      usableOn,
      expiresOn,
    ])
  assert.deepEqual(shown(5, [lot(6, 8, 20), lot(5, 7, 20), lot(10, 0, 20), lot(3, 0, 9), lot(4, 1, 20)]), [
    [3, undefined, on(9)],
    [14, undefined, on(20)],
    [5, on(7), on(20)],
    [6, on(8), on(20)],
  ])
  assert.deepEqual(shown(2, [debit(30, 1), lot(15, 2, 5)]), [])
  assert.deepEqual(shown(2, [debit(15, 1), lot(15, 2, 5)]), [])
})

test('an expiry that is assigned or extended changes the order of spending', () => {
  const inTenDays: ExpiryAssignment[] = [
    { on: on(5), expiry: { after: readPeriod('P10D'), atEndOf: 'day', slides: false } },
  ]
  // The points without an expiry are assigned one on day 15, before the others.
  assert.deepEqual(at(15, [lot(100, 0, 30), lot(50, 0), debit(20, 6)], inTenDays), [100, 0, 30])
  const slides = { slides: true }
  const bought = [lot(100, 0, 10, slides), lot(0, 9, 19, slides)]
  assert.deepEqual(at(12, [...bought, lot(40, 0, 12), debit(30, 11)]), [100, 0, 10])
  // Fixed ones come first where both expire on the same day, in whatever order they are listed.
  const both = [...bought, lot(50, 0, 10), debit(50, 1)]
  assert.deepEqual(
    [at(12, both), at(12, both.toReversed())],
    [
      [100, 0, 0],
      [100, 0, 0],
    ],
  )
  // Activity never shortens an expiry, and without an expiry of its own extends none.
  assert.deepEqual(at(19, [lot(100, 0, 20, slides), lot(0, 3, 13, slides)]), [100, 0, 0])
  assert.deepEqual(at(10, [lot(100, 0, 10, slides), lot(0, 3, Number.POSITIVE_INFINITY, slides)]), [0, 0, 100])
})

test('points given on a day can be spent on it; pending points keep an expiry of their own, and those of the day of an assignment get theirs', () => {
  assert.deepEqual(uncoveredUntil(on(5), [debit(30, 5), lot(100, 5, 10)], []), [])
  const inTenDays: ExpiryAssignment[] = [
    { on: on(5), expiry: { after: readPeriod('P10D'), atEndOf: 'day', slides: false } },
  ]
  const given = (place: number) => ({ day: on(place) })
  assert.deepEqual(at(21, [lot(100, 12, Number.POSITIVE_INFINITY, given(5))], inTenDays), [100, 0, 0])
  assert.deepEqual(at(22, [lot(100, 12, Number.POSITIVE_INFINITY, given(5))], inTenDays), [0, 0, 100])
  assert.deepEqual(at(14, [lot(100, 12, 14, given(4))], inTenDays), [0, 0, 100])
})

test('a balance is as of the latest day with spending or with activity that extends expiries, if that is after today', () => {
  const movements = [lot(100, 0, 20), lot(50, 0, 10)]
  const today = (all: readonly Movement[]) => figures(balanceAsOf(on(5), all, []))
  assert.deepEqual(today(movements), [150, 0, 0])
  assert.deepEqual(today([...movements, debit(10, 4)]), [140, 0, 0])
  assert.deepEqual(today([...movements, debit(10, 12)]), [90, 0, 50])
  assert.deepEqual(today([...movements, lot(1, 12)]), [150, 1, 0])
  assert.deepEqual(today([...movements, lot(1, 12, 30, { slides: true })]), [101, 0, 50])
  assert.deepEqual(today([...movements, debit(10, 15), debit(10, 12)]), [80, 0, 50])
})

test('a debit draws on lots by expiry, and on nothing that is pending, expired or already drawn', () => {
  const movements = [lot(100, 0, 20), lot(50, 0, 10), lot(30, 8, 10), lot(7, 0, 2)]
  const drawn = (points: number, day: number, all = movements) =>
    lotsDrawn(debit(points, day), all, []).map((part) => [Number(part.points), part.expiresOn])
  assert.deepEqual(drawn(20, 5), [[20, on(10)]])
  assert.deepEqual(drawn(60, 5), [
    [50, on(10)],
    [10, on(20)],
  ])
  assert.deepEqual(drawn(60, 5, [...movements, debit(40, 5)]), [
    [10, on(10)],
    [50, on(20)],
  ])
  assert.deepEqual(drawn(500, 5), [
    [50, on(10)],
    [100, on(20)],
  ])
  assert.deepEqual(drawn(0, 5), [])
})

test('a balance on a day after which points are spent is an internal error: it would show points that are gone', () => {
  const movements = [lot(100, 0), debit(10, 6)]
  const refused = {
    name: 'AssertionError',
    message: `a balance on ${on(5)} would leave out 10 points that are spent later`,
  }
  assert.throws(() => balanceOn(on(5), movements, []), refused)
  // Nothing is spent on a day on which as much is given back.
  const givenBack = [...movements, debit(-10, 6)]
  assert.deepEqual(at(5, givenBack), [100, 0, 0])
  assert.deepEqual(at(6, movements), [90, 0, 0])
})

test('the balance as of a day is the same for sums and for their parts: spending that was given back the same day is none (decisions 138 and 166)', () => {
  const inParts = [lot(100, 0), debit(10, 6), debit(-10, 6)]
  const summed = [lot(100, 0), debit(0, 6)]
  for (const movements of [inParts, summed])
    assert.deepEqual(balanceAsOf(on(5), movements, []), balanceOn(on(5), summed, []))
  assert.equal(dayOfView(on(5), inParts), on(5))
  fc.assert(
    fc.property(history, fc.array(fc.nat({ max: 50 })), fc.nat({ max: 40 }), (movements, extras, today) => {
      const parts = movements.flatMap((movement, place) => {
        const extra = BigInt(extras[place] ?? 0)
        return [
          { ...movement, spent: movement.spent + extra },
          { ...movement, given: 0n, spent: -extra },
        ]
      })
      assert.equal(dayOfView(on(today), parts), dayOfView(on(today), movements))
      assert.deepEqual(balanceAsOf(on(today), parts, []), balanceAsOf(on(today), movements, []))
    }),
  )
})

test('uncovered spending is listed for each day, up to a day', () => {
  const movements = [lot(10, 0), debit(30, 1), lot(5, 2), debit(1, 3), lot(100, 4), debit(10, 5), debit(200, 6)]
  assert.deepEqual(uncoveredUntil(on(5), movements, []), [20n, 1n])
  assert.deepEqual(uncoveredUntil(on(6), movements, []), [20n, 1n, 126n])
  assert.deepEqual(uncoveredUntil(on(0), movements, []), [])
})

test('available, pending and expired points add up to what was given less what was spent, in any order of arrival (decision 138)', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat()), expiryAssignments, (movements, keys, ends) => {
      const shuffled = movements
        .map((movement, index) => ({ movement, key: keys[index] ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ movement }) => movement)
      const booked = movements.reduce((sum, { given, spent }) => sum + given - spent, 0n)
      for (const day of DAYS_AFTER_HISTORY) {
        const balance = balanceOn(day, movements, ends)
        assert.equal(balance.available + balance.pending + balance.expired, booked)
        assert.deepEqual(balanceOn(day, shuffled, ends), balance)
        const left = balance.lots.reduce((sum, lot) => sum + lot.points, 0n)
        const debt = balance.available < 0n ? -balance.available : 0n
        assert.equal(left, balance.available + debt + balance.pending)
      }
    }),
  )
})

test('on every day the balance equals that of a plain model, which shares no code with it (decision 138)', () => {
  fc.assert(
    fc.property(history, (movements) => {
      for (let place = 0; place <= 60; place += 1) {
        const until = on(place)
        const known = movements.filter(({ day, spent }) => spent === 0n || day <= until)
        const lots = known.map(({ usableOn, expiresOn, given, ...one }) => ({
          ...{ ...one, usable: usableOn, ends: expiresOn, points: given },
        }))
        const debits = known.map(({ day, spent }) => ({ day, points: spent }))
        const activities = lots.filter(({ slides }) => slides)
        const { available, pending, expired } = balanceOn(until, known, [])
        assert.deepEqual({ available, pending, expired }, plainBalance(until, lots, debits, activities), until)
      }
    }),
  )
})

test('merging movements of equal day and terms changes no balance', () => {
  fc.assert(
    fc.property(history, anyLot, fc.bigInt({ min: 0n, max: 60n }), (movements, one, part) => {
      const cut = part < one.given ? part : one.given
      const pieces = [
        { ...one, given: cut },
        { ...one, given: one.given - cut },
      ]
      for (const day of DAYS_AFTER_HISTORY)
        assert.deepEqual(balanceOn(day, [...movements, ...pieces], []), balanceOn(day, [...movements, one], []))
    }),
  )
})

test('a credit of n raises the available points by 0 to n, a debit of m lowers them by 0 to m, on every day (decision 138)', () => {
  fc.assert(
    fc.property(history, fixedLot, fixedDebit, expiryAssignments, (movements, credit, spent, ends) => {
      for (const day of DAYS_AFTER_HISTORY) {
        const before = balanceOn(day, movements, ends).available
        const raised = balanceOn(day, [...movements, credit], ends).available - before
        assert.ok(raised >= 0n && raised <= credit.given, `raised by ${raised}`)
        const lowered = before - balanceOn(day, [...movements, spent], ends).available
        assert.ok(lowered >= 0n && lowered <= spent.spent, `lowered by ${lowered}`)
      }
    }),
  )
})

test('between a day and the next change of a balance, the balance stays as it is (decision 207)', () => {
  fc.assert(
    fc.property(history, expiryAssignments, fc.integer({ min: 0, max: 60 }), (movements, ends, place) => {
      const balance = balanceAsOf(on(place), movements, ends)
      const next = nextChangeOf(balance, on(place), ends)
      for (let later = place + 1; later <= 100 && (next === undefined || on(later) < next); later += 1)
        assert.deepEqual(figures(balanceAsOf(on(later), movements, ends)), figures(balance), on(later))
      if (next !== undefined) assert(next > on(place))
    }),
  )
})
