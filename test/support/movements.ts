/*
 * Movements of points by the number of a day, and generated histories of them.
 */
import fc from 'fast-check'
import { dayAfter, readPeriod } from '../../src/engine/points/calendar.ts'
import type { Movement } from '../../src/engine/points/lots/movement.ts'
import { NEVER } from '../../src/engine/points/pending-and-expiry.ts'

const START = '2026-01-01'

/** The day with this number, from 0; NEVER for infinity. */
export const on = (place: number) => (place === Number.POSITIVE_INFINITY ? NEVER : dayAfter(START, place))

/** Points usable from one day until another, recorded on the day on which they become usable, or on day 40 if that comes before. */
export function lot(
  points: number,
  usable: number,
  until = Number.POSITIVE_INFINITY,
  more: Partial<Movement> = {},
): Movement {
  return {
    day: on(Math.min(usable, 40)),
    usableOn: on(usable),
    expiresOn: on(until),
    slides: false,
    given: BigInt(points),
    spent: 0n,
    ...more,
  }
}

/** Points spent on a day. */
export function debit(points: number, day: number, more: Partial<Movement> = {}): Movement {
  return { ...lot(0, day), spent: BigInt(points), ...more }
}

const place = fc.integer({ min: 0, max: 25 })
const points = fc.integer({ min: 1, max: 50 })
const life = fc.oneof(fc.integer({ min: 1, max: 14 }), fc.constant(Number.POSITIVE_INFINITY))

/** Points that expire on a fixed day, or never. */
export const fixedLot = fc
  .record({ usable: place, life, points })
  .map((one) => lot(one.points, one.usable, one.usable + one.life))

const slidingLot = fc
  .record({ usable: place, points })
  .map((one) => lot(one.points, one.usable, one.usable + 10, { slides: true }))

export const anyLot = fc.oneof({ weight: 3, arbitrary: fixedLot }, { weight: 1, arbitrary: slidingLot })

/** Spending that extends no expiry. */
export const fixedDebit = fc.record({ day: place, points }).map((one) => debit(one.points, one.day))

const anyDebit = fc
  .record({ day: place, points, slides: fc.boolean() })
  .map((one) => debit(one.points, one.day, one.slides ? { slides: true, expiresOn: on(one.day + 10) } : {}))

/** Movements up to day 25, in no order. */
export const history = fc.array(fc.oneof({ weight: 3, arbitrary: anyLot }, { weight: 2, arbitrary: anyDebit }), {
  maxLength: 14,
})

/** Up to two, by day; points with such an expiry lapse after nine days. */
export const expiryAssignments = fc
  .array(place, { maxLength: 2 })
  .map((days) =>
    days
      .sort((a, b) => a - b)
      .map((day) => ({ on: on(day), expiry: { after: readPeriod('P9D'), atEndOf: 'day' as const, slides: false } })),
  )

/** Days not before any spending of a generated history. */
export const DAYS_AFTER_HISTORY = [25, 26, 30, 34, 40, 60].map(on)
