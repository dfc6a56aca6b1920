import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  dayAfter,
  dayAfterPeriod,
  PERIOD_PATTERN,
  readDurationMs,
  readPeriod,
  roundedUpAfter,
  roundedUpKeepingFirstDays,
} from './calendar.ts'

test('days later and earlier are those of the Gregorian calendar, in any year of four digits', () => {
  const day = fc.date({ min: new Date('0030-01-01'), max: new Date('9970-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(day, fc.integer({ min: -9_999, max: 9_999 }), (date, days) => {
      const later = new Date(date.getTime() + days * 86_400_000)
      assert.equal(dayAfter(date.toISOString().slice(0, 10), days), later.toISOString().slice(0, 10))
    }),
  )
})

test('a later day keeps its day of the month, and where the month has no such day, it is the first of the next', () => {
  const cases: [day: string, period: string, later: string][] = [
    ['2026-01-31', 'P1M', '2026-03-01'],
    ['2024-01-31', 'P1M', '2024-03-01'],
    ['2024-01-29', 'P1M', '2024-02-29'],
    ['2024-02-29', 'P12M', '2025-03-01'],
    ['2024-02-29', 'P4Y', '2028-02-29'],
    ['2026-11-30', 'P3M', '2027-03-01'],
    ['2026-12-31', 'P1M', '2027-01-31'],
    ['2026-12-31', 'P1D', '2027-01-01'],
    ['2026-06-15', 'P999M', '2109-09-15'],
    // Only every fourth centennial year has a 29 February.
    ['2096-02-29', 'P4Y', '2100-03-01'],
    ['2396-02-29', 'P4Y', '2400-02-29'],
    ['0999-06-15', 'P1M', '0999-07-15'],
  ]
  for (const [day, period, later] of cases)
    assert.equal(dayAfterPeriod(day, readPeriod(period)), later, `${day} ${period}`)
})

test('a period is written in days, months or years, never 0, with at most four, three and two digits', () => {
  const isLength = (text: string) => new RegExp(PERIOD_PATTERN).test(text)
  for (const text of ['P1D', 'P9999D', 'P1M', 'P999M', 'P1Y', 'P99Y']) assert(isLength(text), text)
  for (const text of ['', 'P', '1D', 'P0D', 'P01D', 'P10000D', 'P1000M', 'P100Y', 'P1W', 'P1D ', 'xP1D', 'P1M1D'])
    assert(!isLength(text), text)
})

test('an expiry is rounded up to the end of the month or year in which the day lies, its first day included (decision 220)', () => {
  const cases: [from: string, written: string, day: string, month: string, year: string][] = [
    ['2026-06-01', 'P12M', '2027-06-01', '2027-07-01', '2028-01-01'],
    ['2026-06-30', 'P12M', '2027-06-30', '2027-07-01', '2028-01-01'],
    ['2026-01-01', 'P1Y', '2027-01-01', '2027-02-01', '2028-01-01'],
    ['2026-12-31', 'P1M', '2027-01-31', '2027-02-01', '2028-01-01'],
    ['2026-01-31', 'P1M', '2026-03-01', '2026-03-01', '2027-01-01'],
    ['2028-02-29', 'P1Y', '2029-03-01', '2029-03-01', '2030-01-01'],
    ['2026-05-31', 'P1D', '2026-06-01', '2026-07-01', '2027-01-01'],
    ['2026-12-31', 'P1D', '2027-01-01', '2027-02-01', '2028-01-01'],
  ]
  for (const [from, written, ...ends] of cases) {
    const end = (to: 'day' | 'month' | 'year') => roundedUpAfter(from, readPeriod(written), to)
    assert.deepEqual([end('day'), end('month'), end('year')], ends, `${from} ${written}`)
  }
})

test('an expiry of before decision 220 stays where it falls on the first day of a month or year', () => {
  const cases: [day: string, month: string, year: string][] = [
    ['2026-01-01', '2026-01-01', '2026-01-01'],
    ['2026-01-02', '2026-02-01', '2027-01-01'],
    ['2026-12-01', '2026-12-01', '2027-01-01'],
    ['2026-12-31', '2027-01-01', '2027-01-01'],
  ]
  for (const [day, month, year] of cases) {
    const end = (to: 'day' | 'month' | 'year') => roundedUpKeepingFirstDays(dayAfter(day, -7), { days: 7 }, to)
    assert.deepEqual([end('day'), end('month'), end('year')], [day, month, year])
  }
})

test('all points that become usable in one month expire on one day, if periods are months and ends are those of months', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 1, max: 120 }), (month, months) => {
      const first = new Date(Date.UTC(2028, month, 1)).toISOString().slice(0, 10)
      const last = new Date(Date.UTC(2028, month + 1, 0)).toISOString().slice(0, 10)
      const due = new Date(Date.UTC(2028, month + months + 1, 1)).toISOString().slice(0, 10)
      for (const day of [first, last]) assert.equal(roundedUpAfter(day, { months }, 'month'), due)
    }),
  )
})

test('a later day never expires earlier, and every lot is valid for at least a day', () => {
  const day = fc.date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  const days = fc
    .tuple(day, day)
    .map((pair) => pair.map((one) => one.toISOString().slice(0, 10)).sort() as [string, string])
  const period = fc.oneof(
    fc.integer({ min: 1, max: 3_650 }).map((count) => `P${count}D`),
    fc.integer({ min: 1, max: 120 }).map((count) => `P${count}M`),
  )
  fc.assert(
    fc.property(days, period, fc.constantFrom('day', 'month', 'year' as const), ([early, late], written, to) => {
      const end = (from: string) => roundedUpAfter(from, readPeriod(written), to)
      assert.ok(end(early) <= end(late))
      assert.ok(end(early) > early)
      assert.ok(end(early) >= roundedUpKeepingFirstDays(early, readPeriod(written), to))
    }),
  )
})

test('a duration is a whole number of minutes, hours, days or weeks', () => {
  assert.deepEqual(['1m', '24h', '30d', '2w'].map(readDurationMs), [
    60_000,
    86_400_000,
    30 * 86_400_000,
    14 * 86_400_000,
  ])
  for (const text of ['', '0d', '30', 'd', '1.5h', '-1d', '30 d', '10000d', '1y', '1D'])
    assert.equal(readDurationMs(text), undefined, text)
})
