import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { levelChange, windowStart } from './levels.ts'

const ladder = [
  { name: 'Bronze', from: 0n },
  { name: 'Silver', from: 500n },
  { name: 'Gold', from: 2000n },
]

test('a window begins at the same time of day a number of calendar months earlier, UTC, on the last day where that month is shorter', () => {
  const cases: [at: string, months: number, start: string][] = [
    ['2026-06-15T10:20:30.400Z', 1, '2026-05-15T10:20:30.400Z'],
    ['2026-06-15T10:20:30.400Z', 12, '2025-06-15T10:20:30.400Z'],
    ['2026-01-15T00:00:00.000Z', 1, '2025-12-15T00:00:00.000Z'],
    ['2026-01-31T23:59:59.999Z', 11, '2025-02-28T23:59:59.999Z'],
    ['2026-07-31T12:00:00.000Z', 1, '2026-06-30T12:00:00.000Z'],
    ['2026-03-31T12:00:00.000Z', 1, '2026-02-28T12:00:00.000Z'],
    ['2024-03-31T12:00:00.000Z', 1, '2024-02-29T12:00:00.000Z'],
    ['2024-03-30T12:00:00.000Z', 1, '2024-02-29T12:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', 12, '2023-02-28T12:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', 48, '2020-02-29T12:00:00.000Z'],
    ['2100-03-31T12:00:00.000Z', 1, '2100-02-28T12:00:00.000Z'],
    ['2026-06-15T00:00:00.000Z', 999, '1943-03-15T00:00:00.000Z'],
  ]
  for (const [at, windowMonths, start] of cases)
    assert.equal(windowStart({ windowMonths }, at), start, `${windowMonths} months before ${at}`)
})

test('all points ever earned have no beginning', () => {
  assert.equal(windowStart('lifetime', '2026-06-15T00:00:00.000Z'), undefined)
})

test('for any two moments and window: the later moment never has the earlier start, and the start lies in the month counted back to', () => {
  const moments = fc
    .date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2090-01-01T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString())
  const month = (at: string) => Number(at.slice(0, 4)) * 12 + Number(at.slice(5, 7))
  fc.assert(
    fc.property(moments, moments, fc.integer({ min: 1, max: 999 }), (one, other, windowMonths) => {
      const [earlier, later] = [one, other].sort() as [string, string]
      const start = windowStart({ windowMonths }, later)!
      assert(windowStart({ windowMonths }, earlier)! <= start)
      assert.equal(month(later) - month(start), windowMonths)
      assert.equal(start.slice(11), later.slice(11))
    }),
  )
})

test('an order lowers the level where its recorded state holds a higher one', () => {
  const cases = [
    // counted without the order, its points now, its points as recorded; before, after, upgraded, lowered
    [400n, 0n, 200n, 'Bronze', 'Bronze', false, true],
    [400n, 99n, 100n, 'Bronze', 'Bronze', false, true],
    [400n, 100n, 100n, 'Bronze', 'Silver', true, false],
    [400n, 150n, 100n, 'Bronze', 'Silver', true, false],
    [400n, 100n, 1600n, 'Bronze', 'Silver', true, true],
    [600n, 0n, 100n, 'Silver', 'Silver', false, false],
    [0n, 0n, 0n, 'Bronze', 'Bronze', false, false],
    [-300n, 0n, 900n, 'Bronze', 'Bronze', false, true],
  ] as const
  for (const [counted, points, recorded, before, after, upgraded, lowered] of cases) {
    const change = levelChange(ladder, counted, points, recorded)
    assert.deepEqual(
      [change.before, change.after, change.upgraded, change.lowered],
      [before, after, upgraded, lowered],
      `${counted} and ${points}, recorded ${recorded}`,
    )
  }
})
