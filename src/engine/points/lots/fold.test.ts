import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  anyLot,
  DAYS_AFTER_HISTORY,
  debit,
  expiryAssignments,
  history,
  lot,
  on,
} from '../../../../test/support/movements.ts'
import { readPeriod } from '../calendar.ts'
import type { ExpiryAssignment } from '../pending-and-expiry.ts'
import { availableBetween, foldAll, foldUntil } from './fold.ts'
import type { Movement } from './movement.ts'

const slides = { slides: true }
const assigned = (place: number, parts: Partial<ExpiryAssignment['expiry']> = {}): ExpiryAssignment => ({
  on: on(place),
  expiry: { after: readPeriod('P10D'), atEndOf: 'day', slides: false, ...parts },
})
const usableOn = (place: number, movements: readonly Movement[], ends: readonly ExpiryAssignment[] = []) =>
  foldUntil(on(place), movements, ends).usable.map(({ rest, until }) => [Number(rest), until])

test('points can be spent on the day on which they become usable', () => {
  const { usable, debt, uncovered } = foldUntil(on(5), [debit(30, 5), lot(100, 5, 10)], [])
  assert.deepEqual([usable.map(({ rest }) => rest), debt, uncovered], [[70n], 0n, []])
})

test('points that become usable on the day of an assignment are assigned an expiry', () => {
  assert.deepEqual(usableOn(5, [lot(100, 5)], [assigned(5)]), [[100, on(15)]])
})

test('activity on the day of an assignment extends the expiry that was just assigned', () => {
  const movements = [lot(100, 0), lot(0, 5, 30, slides)]
  assert.deepEqual(usableOn(5, movements, [assigned(5, slides)]), [[100, on(30)]])
})

test('activity extends expiries before the same day is spent on: what now expires later is drawn later', () => {
  const movements = [lot(100, 0, 12, slides), lot(0, 5, 20, slides), lot(50, 0, 15), debit(60, 5)]
  assert.deepEqual(usableOn(5, movements), [[90, on(20)]])
})

test('points repay what is owed before they can be spent; a lot of which nothing is left is no lot', () => {
  const movements = [debit(30, 1), lot(20, 2, 9), lot(15, 3, 9)]
  const after = (place: number) => {
    const { usable, debt } = foldUntil(on(place), movements, [])
    return [usable.map(({ rest }) => rest), debt]
  }
  assert.deepEqual(
    [after(1), after(2), after(3)],
    [
      [[], 30n],
      [[], 10n],
      [[5n], 0n],
    ],
  )
})

test('of later days, what is given is pending and what is spent is only added up; a fold of everything refuses to leave it out', () => {
  const movements = [lot(100, 0), lot(50, 8, 20), debit(10, 6), debit(5, 7)]
  const { usable, pending, debt, spentLater } = foldUntil(on(5), movements, [])
  assert.deepEqual(
    [usable.map(({ rest }) => rest), pending, debt, spentLater],
    [[100n], [{ points: 50n, usableOn: on(8), expiresOn: on(20), source: '' }], 0n, 15n],
  )
  assert.throws(() => foldAll(on(5), movements, []), {
    name: 'AssertionError',
    message: `a balance on ${on(5)} would leave out 15 points that are spent later`,
  })
})

test('a year of purchases every day whose points slide together is one lot, not one for each day', () => {
  const year = Array.from({ length: 365 }, (_, day) => lot(1, day, day + 30, { ...slides, day: on(day) }))
  assert.deepEqual(usableOn(364, year), [[365, on(394)]])
  const bySource = year.map((one, day) => ({ ...one, source: day < 100 ? 'order' : 'referral' }))
  assert.deepEqual(usableOn(364, bySource), [
    [100, on(394)],
    [265, on(394)],
  ])
})

test('lots that merely expire on the same day are not joined with those that slide', () => {
  const movements = [lot(10, 0, 20), lot(5, 0, 12, slides), lot(4, 1, 13, slides), lot(0, 10, 20, slides)]
  assert.deepEqual(usableOn(10, movements), [
    [10, on(20)],
    [9, on(20)],
  ])
  // The fixed ones stay fixed.
  assert.deepEqual(usableOn(15, [...movements, lot(0, 15, 25, slides)]), [
    [10, on(20)],
    [9, on(25)],
  ])
})

test('joining lots changes nothing but their number: with a source for each movement, none are joined, and all else is equal', () => {
  const slidingHistory = fc.array(
    fc.oneof(
      history.map((movements) => movements[0] ?? lot(1, 0)),
      anyLot.map((one) => ({ ...one, ...slides, expiresOn: on(12 + Number(one.given % 20n)) })),
    ),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(slidingHistory, expiryAssignments, (movements, ends) => {
      const sourced = movements.map((movement, index) => ({ ...movement, source: String(index) }))
      for (const day of DAYS_AFTER_HISTORY) {
        const [joined, apart] = [movements, sourced].map((all) => foldUntil(day, all, ends))
        assert.deepEqual(summedByExpiry(joined!.usable), summedByExpiry(apart!.usable))
        assert.deepEqual([joined!.debt, joined!.uncovered], [apart!.debt, apart!.uncovered])
        assert.ok(joined!.usable.length <= apart!.usable.length)
      }
    }),
  )
})

test('usable lots are in spending order and never empty, whatever happened before', () => {
  fc.assert(
    fc.property(history, expiryAssignments, (movements, ends) => {
      for (const day of DAYS_AFTER_HISTORY) {
        const { usable } = foldUntil(day, movements, ends)
        const texts = usable.map(({ until, slides }) => `${until} ${Number(slides)}`)
        assert.deepEqual(texts, texts.toSorted())
        assert.ok(usable.every(({ rest, until }) => rest > 0n && until > day))
      }
    }),
  )
})

function summedByExpiry(lots: readonly Readonly<{ until: string; slides: boolean; rest: bigint }>[]) {
  const sums = new Map<string, bigint>()
  for (const { until, slides, rest } of lots)
    sums.set(`${until} ${slides}`, (sums.get(`${until} ${slides}`) ?? 0n) + rest)
  return sums
}

test('the least that is available is that of the poorest day; spending it on the first day overdraws none (decision 139)', () => {
  fc.assert(
    fc.property(history, expiryAssignments, fc.nat(30), fc.nat(30), (movements, ends, first, length) => {
      const days = Array.from({ length: length + 1 }, (_, index) => on(first + index))
      const availableOn = (day: string, all: readonly Movement[]) => {
        const { usable, debt } = foldUntil(day, all, ends)
        return usable.reduce((sum, { rest }) => sum + rest, 0n) - debt
      }
      const before = days.map((day) => availableOn(day, movements))
      const { least, last } = availableBetween(days[0]!, days.at(-1)!, movements, ends)
      assert.equal(
        least,
        before.reduce((a, b) => (a < b ? a : b)),
      )
      assert.equal(last, before.at(-1))
      if (least <= 0n) return
      const spent = [...movements, { ...debit(0, first), spent: least }]
      assert.ok(days.every((day) => availableOn(day, spent) >= 0n))
    }),
  )
})

test('activity extends the expiry of points that slide while they are pending; a balance shows what is known on its day (decision 138)', () => {
  const pendingLot = lot(100, 20, 30, { ...slides, day: on(4) })
  const expiryOn = (day: number, all: readonly Movement[]) => {
    const { usable, pending } = foldUntil(on(day), all, [])
    return [...pending.map(({ expiresOn }) => expiresOn), ...usable.map(({ until }) => until)]
  }
  const bought = lot(0, 10, 35, slides)
  assert.deepEqual(expiryOn(9, [pendingLot, bought]), [on(30)])
  assert.deepEqual(expiryOn(10, [pendingLot, bought]), [on(35)])
  assert.deepEqual(expiryOn(25, [pendingLot, bought]), [on(35)])
  // Activity of the days before they were given extends nothing.
  assert.deepEqual(expiryOn(25, [pendingLot, lot(0, 3, 35, slides)]), [on(30)])
  const endless = lot(100, 20, Number.POSITIVE_INFINITY, { day: on(4) })
  const assignedOn = (day: number, all: readonly Movement[]) =>
    foldUntil(on(day), all, [assigned(5, slides)]).pending.map(({ expiresOn }) => expiresOn)
  assert.deepEqual([assignedOn(4, [endless]), assignedOn(5, [endless])], [['infinity'], [on(30)]])
  assert.deepEqual(assignedOn(6, [endless, lot(0, 6, 33, slides)]), [on(33)])
})
